"""How far a step, and the difference of two, may lie outside what their estimates say: judged by random jobs that were simulated whole, too.

tests/property/step_calibration.py draws them; README.md says what came out. What a GPU computes is given, so what may be wrong is what it
waits for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from heddle.step.job import Job


@dataclass(frozen=True)
class Margin:
    """In parts of all exposed communication of a GPU, of the value itself, of what the step is longer for GPUs that are slow or late, and of
    the exposed communication that the network decides (network_waits_ps)."""

    of_all_waits: float
    of_itself: float = 0.0
    of_straggling: float = 0.0
    of_network_waits: float = 0.0

    def ps(self, waits_ps: float, value_ps: float, straggling_ps: float = 0.0, network_ps: float = 0.0) -> float:
        of_waits_ps = self.of_all_waits * waits_ps + self.of_network_waits * network_ps
        return of_waits_ps + self.of_itself * value_ps + self.of_straggling * straggling_ps


def bubble_ps(job: Job, step: Mapping[str, float]) -> float:
    """How long a GPU idles while the pipeline fills and drains, were all stages alike and sends took no time: 1F1B (Megatron-LM, SC 2021, 2.2),
    each micro-batch with its communication inside servers."""
    return job.bubble_share * (step["computing"] + step.get("tensor", 0.0) + (0.0 if job.wide_stages else step.get("context", 0.0)))


def network_waits_ps(job: Job, step: Mapping[str, float]) -> float:
    """What a GPU waits for the network: for data, and for the pipeline longer than the bubble."""
    return step["data"] + max(0.0, step["pipeline"] - bubble_ps(job, step))


Margins = dict[str, Margin]  # by value


def _step(time: float, tensor: float, context: float, pipeline: float, expert: float, data: float) -> Margins:
    """Of all waits; of the wait for data also a tenth of itself."""
    of_all = {"time": time, "computing": 0.0, "tensor": tensor, "context": context, "pipeline": pipeline, "expert": expert}
    return {**{name: Margin(share) for name, share in of_all.items()}, "data": Margin(data, 0.1)}


def _difference(time: float, tensor: float, context: float, pipeline: float, data: float, of_itself: float = 0.5) -> Margins:
    """Of all waits; of every difference also a part of itself."""
    of_all = {"time": time, "tensor": tensor, "context": context, "pipeline": pipeline, "data": data}
    return {name: Margin(share, of_itself) for name, share in of_all.items()}


# Of stages beside each other whose tensors and contexts stay in servers (_is_plain): 98.5 % of 263 random steps were within.
_BY_THE_NETWORK = Margin(0.0, of_network_waits=0.12)

# Where a slice takes one path of several, luck decides more than where it is divided over all of them.
_STAGES = _step(time=0.07, tensor=0.015, context=0.005, pipeline=0.025, expert=0.02, data=0.005)
_STAGES_ONE_PATH = _step(time=0.08, tensor=0.025, context=0.005, pipeline=0.025, expert=0.02, data=0.015)
# Sent across the fabric, what stages send meets data-parallel traffic that no part shows.
_FAR_STAGES = _step(time=0.12, tensor=0.04, context=0.01, pipeline=0.06, expert=0.02, data=0.06)
# With one stage the network is busy with one layer after the other, and GPUs of a server wait for each other's. A congestion control begins
# anew in every part.
_ONE_STAGE = _step(time=0.08, tensor=0.05, context=0.02, pipeline=0.0, expert=0.02, data=0.01)
_ONE_STAGE_ONE_PATH = _step(time=0.16, tensor=0.11, context=0.035, pipeline=0.0, expert=0.02, data=0.055)
_ONE_STAGE_PACED = _step(time=0.16, tensor=0.09, context=0.02, pipeline=0.0, expert=0.02, data=0.06)

# Tokens, and keys and values, that meet data-parallel traffic are late, and so is the next stage.
_TOKENS_ACROSS = {"pipeline": Margin(0.06), "expert": Margin(0.05)}
_TOKENS_ACROSS_ONE_STAGE = {"time": Margin(0.2), "expert": Margin(0.12)}
_WIDE_STAGES = {"context": Margin(0.08), "data": Margin(0.06, 0.1)}

# Where replicas wait for slow GPUs, or for chance: what a few GPUs compute stands for all, and a wait for another stage may be one for data.
_OF_STRAGGLING = {"computing": 0.2, "pipeline": 0.1, "data": 0.1}
_COMPUTING_BY_CHANCE, _COMPUTED_BY_CHANCE = 0.002, 0.15  # of itself, and of a difference

# What is wrong with one estimate is wrong with the other, too: a small difference is known well.
_STEADY_DIFFERENCE = _difference(time=0.012, tensor=0.008, context=0.003, pipeline=0.006, data=0.014)
_DIFFERENCE = _difference(time=0.025, tensor=0.013, context=0.003, pipeline=0.015, data=0.015)
_FAR_DIFFERENCE = _difference(time=0.1, tensor=0.022, context=0.008, pipeline=0.05, data=0.06)
_ONE_STAGE_DIFFERENCE = _difference(time=0.03, tensor=0.05, context=0.006, pipeline=0.0, data=0.033)
# As _BY_THE_NETWORK. Of random steps these are as wide as what they replace; all of 41 random pairs were within 0.03 beyond the half of itself.
_DIFFERENCE_BY_THE_NETWORK = Margin(0.0, 0.5, of_network_waits=0.05)
_STEADY_DIFFERENCE_BY_THE_NETWORK = Margin(0.0, 0.5, of_network_waits=0.025)
# Slow GPUs alone change nothing in the network, and a tenth of what they change is in doubt.
_SLOW_DIFFERENCE = _difference(time=0.012, tensor=0.003, context=0.003, pipeline=0.025, data=0.025, of_itself=0.1)


def _larger(one: Margins, other: Margins) -> Margins:
    """Value by value of both."""
    return {
        name: max(
            one[name],
            other.get(name, one[name]),
            key=lambda margin: (margin.of_all_waits, margin.of_network_waits, margin.of_itself),
        )
        for name in one
    }


def of_values(job: Job) -> Margins:
    """Beyond both estimates of a step."""
    margins = _of_network(job)
    if job.token_gpus > job.gpus_per_server:
        margins = _larger(margins, _TOKENS_ACROSS if job.stages > 1 else _TOKENS_ACROSS_ONE_STAGE)
    if job.wide_stages:
        margins = _larger(margins, _WIDE_STAGES)
    if not job.uneven:
        return margins
    margins = {**margins, "computing": Margin(0.0, _COMPUTING_BY_CHANCE)}
    return {name: replace(margin, of_straggling=_OF_STRAGGLING.get(name, 0.0)) for name, margin in margins.items()}


def _of_network(job: Job) -> Margins:
    if job.stages == 1:
        of_paths = _ONE_STAGE if job.divides_slices else _ONE_STAGE_ONE_PATH
        return _larger(of_paths, _ONE_STAGE_PACED) if job.paced else of_paths
    if job.far_stages:
        return _FAR_STAGES
    margins = _STAGES if job.divides_slices else _STAGES_ONE_PATH
    return {**margins, "time": _BY_THE_NETWORK} if _is_plain(job) else margins


def _is_plain(job: Job) -> bool:
    """With several stages beside each other, of which all but sends and data parallelism stays in servers, and equally fast GPUs."""
    return job.stages > 1 and not (job.far_stages or job.uneven or job.expert_parallel > 1 or job.wide_stages)


def of_differences(one: Job, other: Job, only_slow: bool = False) -> Margins:
    """Beyond what both estimates say of the differences of steps that train the same, divided alike. `only_slow`: they differ in slow GPUs
    alone."""
    computing = Margin(0.0, _COMPUTED_BY_CHANCE if one.uneven or other.uneven else 0.0)
    known = only_slow and not one.far_stages
    return {**(_SLOW_DIFFERENCE if known else _of_differing_networks(one, other)), "computing": computing}


def _of_differing_networks(one: Job, other: Job) -> Margins:
    margins = _of_two_networks(one, other)
    if not (_is_plain(one) and _is_plain(other)):
        return margins
    steady = margins is _STEADY_DIFFERENCE
    return {**margins, "time": _STEADY_DIFFERENCE_BY_THE_NETWORK if steady else _DIFFERENCE_BY_THE_NETWORK}


def of_failure(job: Job) -> Margin:
    """Of the time, beyond what estimates say of a step with a failure and the same without it."""
    return _of_two_networks(job, job)["time"]


def _of_two_networks(one: Job, other: Job) -> Margins:
    if one.stages == 1:
        return _ONE_STAGE_DIFFERENCE
    if one.far_stages:
        return _FAR_DIFFERENCE
    steady = all(job.divides_slices and not job.paced for job in (one, other))
    return _STEADY_DIFFERENCE if steady else _DIFFERENCE
