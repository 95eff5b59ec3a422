"""Replicas for which all others wait: with slow GPUs (job.training.slow_ranks), or late by chance (jitter).

A replica in which every computation takes at least as long as in another is nowhere earlier, and collectives are done after the last one has
entered. So a step takes what the replica with slow GPUs takes; chance adds no more than all of the jitter would in every computation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from heddle.as_configured import quantity
from heddle.step.job import Job

SLOW = ("slow_ranks", "slow_by")
Position = tuple[int, int, int]  # which of the replicas that exchange tokens, stage, and which GPU of that
Step = Mapping[str, float]  # VALUES, ps


@dataclass(frozen=True)
class Late:
    """Changes to a part, by dotted key without job.0.training."""

    usual: dict[str, Any] = field(default_factory=dict)  # without slow GPUs
    slow: dict[str, Any] | None = None  # one replica with slow GPUs: that with most stages that have some
    latest: dict[str, Any] | None = None  # no replica is later than this one
    weight: float = 0.0  # how often a mean over replicas has what `slow` has more than `usual`

    @classmethod
    def of(cls, training: dict[str, Any], job: Job) -> Late:
        """`training`: the section with every default."""
        if not job.uneven:
            return cls()
        patterns: dict[int, set[Position]] = {}
        for rank in training["slow_ranks"]:
            replica, stage, gpu = job.place_of(rank)
            patterns.setdefault(replica // job.exchanging_replicas, set()).add((replica % job.exchanging_replicas, stage, gpu))
        every = set().union(*patterns.values())
        most = max(patterns.values(), key=lambda pattern: (len({stage for _, stage, _ in pattern}), len(pattern)), default=every)
        latest = {**_slow_ranks(every, job), **_stretched(training)}
        return cls(
            usual={"slow_ranks": [0], "slow_by": 0.0} if every else {},  # a key of its own: nothing takes slow_by out
            slow=_slow_ranks(most, job) or None,
            latest=latest if latest != _slow_ranks(most, job) else None,
            weight=job.slow_gpus / (len(most) * job.replicas // job.exchanging_replicas) if most else 0.0,
        )

    def changes(self, how: str, bounds: bool) -> dict[str, dict[str, Any]]:
        """Of every pipeline with the layer times of `how`, by its name. `bounds`: nothing takes longer than with these times."""
        found = {how: self.usual, _slow(how): self.slow, _latest(how): self.latest if bounds else None}
        return {name: changes for name, changes in found.items() if changes is not None}


def _slow(how: str) -> str:
    return f"{how}, slow"


def _latest(how: str) -> str:
    return f"{how}, latest"


def _slow_ranks(positions: Iterable[Position], job: Job) -> dict[str, Any]:
    """In all replicas that the pipeline's part has."""
    firsts = range(0, job.part_replicas, job.exchanging_replicas)
    ranks = sorted(job.rank_in_part(first + replica, stage, gpu) for replica, stage, gpu in positions for first in firsts)
    return {"slow_ranks": ranks} if ranks else {}


def _stretched(training: dict[str, Any]) -> dict[str, Any]:
    """Every computation takes all that jitter could add."""
    if not training["jitter"]:
        return {}
    by = 1 + training["jitter"]
    forward_ps = int(quantity(training["forward"], "ps"))
    speed = {"forward": f"{round(forward_ps * by)} ps"} if forward_ps else {"efficiency": training["efficiency"] / by}
    return {"jitter": 0.0, **speed, **({"slow_by": training["slow_by"] / by} if training["slow_ranks"] else {})}


def step_of_all(how: str, steps: Mapping[str, Step], weight: float) -> Step:
    """Means over all GPUs, of what the pipelines say with the layer times of `how`. All replicas end with the latest, for which the others
    wait in data-parallel collectives."""
    usual = steps[how]
    slow = steps.get(_slow(how), usual)
    time = max(slow["time"], steps.get(_latest(how), slow)["time"])
    if slow is usual and time == usual["time"]:
        return usual
    means = {name: usual[name] + weight * (slow[name] - usual[name]) for name in usual if name not in ("time", "data")}
    busy = sum(slow[name] for name in slow if name != "time") + time - slow["time"]
    return {"time": time, **means, "data": max(0.0, busy - sum(means.values()))}
