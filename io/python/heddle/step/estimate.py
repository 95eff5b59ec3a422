"""What the parts say of the step: every value as an interval, how it came about, and what of the step was simulated."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from heddle.step.comparing import compared
from heddle.step.failures.cost import Cost as FailureCost
from heddle.step.failures.text import failure_answer, failure_lines
from heddle.step.job import Job
from heddle.step.margins import network_waits_ps, of_values
from heddle.step.parts import ALONE, TOGETHER
from heddle.step.quoting import Rates, quoted, quoted_lines
from heddle.step.reading import FORMAT, GROUPS, STEPS, VALUES, LayerTimes
from heddle.step.seeds import repeated
from heddle.step.stragglers import step_of_all
from heddle.step.wording import label_of, layers_text, ms_text

MAX_JUDGED_GPUS = 256  # of a job of tests/property/step_calibration.py
HELD_PERCENT = 97  # of the times of these jobs that lay within their intervals
WIDE = 0.1  # half an interval of the time, as part of it: judgement


@dataclass(frozen=True)
class Interval:
    """One value of a step, ps: within `low_ps` and `high_ps`, as the estimates with stages alone and together have it."""

    low_ps: float
    high_ps: float
    alone_ps: float
    together_ps: float

    def holds(self, value_ps: float) -> bool:
        return self.low_ps <= value_ps <= self.high_ps


@dataclass(frozen=True)
class Cost:
    """Packet-hops that were simulated, and what the whole step would have taken; seconds that it took."""

    simulated: int
    whole: float
    wall_s: float

    def __str__(self) -> str:
        share = f"{100 * self.simulated / self.whole:.2g} % of {self.whole:.3g}"
        return f"Simulated: {self.simulated:.3g} packet-hops, {share} of whole steps, in {self.wall_s:.0f} s of runs."

    def as_json(self) -> dict[str, Any]:
        return {"packet_hops_simulated": self.simulated, "packet_hops_whole": self.whole, "wall_s": self.wall_s}


@dataclass(frozen=True)
class Estimate:
    """A step by its parts. str() is the table of `heddle step`."""

    config: dict[str, Any]  # of the whole step, every default filled in
    axes: dict[str, str]  # key -> what the axes of several steps say of this one
    job: Job
    values: dict[str, Interval]  # of VALUES those that there are
    layers: dict[str, dict[str, LayerTimes]]  # ALONE, TOGETHER: by kind
    parts: dict[str, dict[str, str]]  # LAYER, PIPELINE: the files of ALONE and TOGETHER, from the folder of the step
    cost: Cost
    rates: Rates
    failures: tuple[FailureCost, ...] = ()
    marked_parts: tuple[str, ...] = ()  # of all files those in whose runs switches mark packets

    @property
    def gpus(self) -> int:
        return self.job.gpus

    def as_json(self) -> dict[str, Any]:
        """What step.json holds."""
        return {
            "format": FORMAT,
            "axes": self.axes,
            "gpus": self.gpus,
            "job": dataclasses.asdict(self.job),
            "method": f"by parts: {layers_text(self.job)}, and the pipeline of one replica",
            "margins": {name: dataclasses.asdict(margin) for name, margin in of_values(self.job).items()},
            "values_ps": self.values_ps(),
            "rates": dataclasses.asdict(self.rates),
            "quoted": self.quoted(),
            "failures": [one.as_json() for one in self.failures],
            "layers_ps": {how: {kind: list(t.times_ps) for kind, t in kinds.items()} for how, kinds in self.layers.items()},
            "parts": self.parts,
            "marked_parts": list(self.marked_parts),
            **self.cost.as_json(),
            "config": self.config,
        }

    def values_ps(self) -> dict[str, dict[str, float]]:
        return {
            name: {"low": v.low_ps, "high": v.high_ps, ALONE: v.alone_ps, TOGETHER: v.together_ps}
            for name, v in self.values.items()
        }

    def quoted(self) -> dict[str, Any]:
        """Tokens/s, MFU, GPU-hours, energy, and what waits take of them."""
        return quoted(self.config, self.job, self.values_ps(), self.rates)

    def __str__(self) -> str:
        return "\n".join(_lines(self))


@dataclass(frozen=True)
class Steps:
    """The steps of all variants, in the order of a sweep. `cost`: of all together, where what they share counts once."""

    estimates: tuple[Estimate, ...]
    cost: Cost

    def as_json(self) -> dict[str, Any]:
        """What step.json holds: of one variant that alone."""
        said = [found.as_json() for found in self.estimates]
        return said[0] if len(said) == 1 else {"format": FORMAT, **self.cost.as_json(), STEPS: said}

    def __str__(self) -> str:
        if len(self.estimates) == 1:
            return str(self.estimates[0])
        jobs = [found.job for found in self.estimates]
        return f"{compared(repeated('', self.as_json()[STEPS]))}\n\nOf {judged(jobs)} {self.cost}"


def values_of(job: Job, steps: dict[str, dict[str, float]], weight: float) -> dict[str, Interval]:
    """`steps`: what step_of() says of the pipelines, by their names; `weight`: of the late ones (stragglers.Late)."""
    usual = steps[ALONE], steps[TOGETHER]
    waits_ps = max(sum(step[group] for group in GROUPS) for step in usual)
    network_ps = max(network_waits_ps(job, step) for step in usual)
    alone, together = (step_of_all(how, steps, weight) for how in (ALONE, TOGETHER))
    straggling_ps = max(all_of["time"] - one["time"] for all_of, one in zip((alone, together), usual))
    values = {}
    for name in VALUES:
        ends = alone[name], together[name]
        if name in GROUPS and ends == (0, 0):
            continue  # there is no such group
        off = of_values(job)[name].ps(waits_ps, max(ends), straggling_ps, network_ps)
        values[name] = Interval(max(0.0, min(ends) - off), max(ends) + off, *ends)
    return values


def unlike_judged(jobs: Sequence[Job]) -> list[str]:
    """In what these jobs are not like those whose steps were simulated whole."""
    few = {
        "were larger": any(job.gpus > MAX_JUDGED_GPUS for job in jobs),
        "had experts, or context parallelism over several servers": any(job.expert_parallel > 1 or job.wide_stages for job in jobs),
        "had slow GPUs or jitter": any(job.uneven for job in jobs),
    }
    return [what for what, so in few.items() if so]


def judged(jobs: Sequence[Job]) -> str:
    """How often intervals hold."""
    but = "".join(f"; few {what}" for what in unlike_judged(jobs))
    return (
        f"random jobs of up to {MAX_JUDGED_GPUS} GPUs that were also simulated whole {HELD_PERCENT} % lay within from and to{but}."
    )


def _lines(found: Estimate):
    time = found.values["time"]
    yield f"A step on {found.gpus:,} GPUs takes {ms_text(time.low_ps)} to {ms_text(time.high_ps)} ms."
    if found.failures:
        yield failure_answer([one.as_json() for one in found.failures])
    yield ""
    differ = found.layers[ALONE] != found.layers[TOGETHER]
    shared = "buffers" if found.job.far_stages else "links"
    hows = f"; alone: nobody else uses the {shared}, together: all stages do" if differ else ""
    yield f"data-parallel collectives of a layer, ms (least to most of its rings){hows}"
    for how, kinds in found.layers.items() if differ else ((ALONE, found.layers[ALONE]),):
        for kind, times in kinds.items():
            yield f"  {how if differ else '':<9} {kind:<15} {ms_text(times.times_ps[0]):>10} to {ms_text(times.times_ps[-1]):>10}"
    yield ""
    yield "a step (means over GPUs)"
    estimates = (ALONE, TOGETHER) if differ else ("mean ring", "slowest")  # whose times a layer takes
    yield f"  {'ms':<32} {'from':>11} {'to':>11} {estimates[0]:>11} {estimates[1]:>11}"
    for name, value in found.values.items():
        cells = (value.low_ps, value.high_ps, value.alone_ps, value.together_ps)
        yield f"  {label_of(name):<32} {' '.join(f'{ms_text(ps):>11}' for ps in cells)}"
    yield "  the rest of the time: GPUs that end early wait for the last one"
    if found.job.uneven:
        yield "  data has the waits for replicas with slow GPUs, or late by chance"
    yield ""
    yield from quoted_lines([found.quoted()], ["from and to"])
    yield ""
    if found.failures:
        yield from failure_lines([[one.as_json() for one in found.failures]], ["from and to"])
        yield ""
    width = (time.high_ps - time.low_ps) / (time.high_ps + time.low_ps)
    yield f"The time is known to {100 * width:.0f} % either way: of {judged([found.job])} {found.cost}"
    if width > WIDE:
        yield "That is wide: the network decides the step. What a change of the network does to it may be known better: heddle compare."
