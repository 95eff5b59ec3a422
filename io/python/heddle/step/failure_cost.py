"""What follows from the runs of a failure for a step, and for a month."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from heddle.as_configured import quantity
from heddle.step.comparing import difference_of, waits_ps
from heddle.step.failing import AFTER, Failing, Met, Rings, fabric_of, part_of
from heddle.step.failure import Failure, Place
from heddle.step.margins import Margin, of_differences
from heddle.step.month import Interruptions
from heddle.step.parts import TOGETHER
from heddle.step.variants import Variant

Values = Mapping[str, Mapping[str, float]]  # values_ps of step.json
Ends = tuple[float, float]  # low, high


@dataclass(frozen=True)
class Cost:
    """Of one failure in one step. Intervals are (low, high), ps."""

    failure: Failure
    longer_ps: dict[str, dict[str, tuple[int, ...]]]  # ALONE, TOGETHER: by kind, of rings; kinds that it meets
    after_ps: dict[str, dict[str, tuple[int, ...]]]  # likewise: what a collective takes while it stays
    step_ps: Ends | None  # how much longer the step takes that meets it; None: the job ends
    later_ps: Ends | None  # how much longer steps take while it stays; None: it is over
    ends_job: str
    ends_after_ps: int
    upper_end: int  # so many times as much of a stage crosses what fails together as in the whole
    month: dict[str, Any]
    parts: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """What step.json holds."""
        return {
            "failure": self.failure.table,
            "name": str(self.failure),
            "longer_ps": {how: {kind: list(ps) for kind, ps in kinds.items()} for how, kinds in self.longer_ps.items()},
            "after_ps": {how: {kind: list(ps) for kind, ps in kinds.items()} for how, kinds in self.after_ps.items()},
            "step_longer_ps": _ends(self.step_ps),
            "later_steps_longer_ps": _ends(self.later_ps),
            "ends_job_because": self.ends_job or None,
            "ends_job_after_ps": self.ends_after_ps if self.ends_job else None,
            "together_has_times_as_much": self.upper_end,
            "month": self.month,
            "parts": list(self.parts),
        }


def _ends(interval: Ends | None) -> dict[str, float] | None:
    return None if interval is None else {"low": interval[0], "high": interval[1]}


def cost_of(failing: Failing, number: int, variant: Variant, values: Values, rates: Interruptions, price: float | None) -> Cost:
    """Of the variant with this number, whose healthy step has these `values`."""
    found = _Found(failing, number, variant, values)
    broken = [one for one in found.met.values() if one.explanation]
    later = found.later_ps()
    step = None if broken else found.step_ps(later)
    ends_after_ps = min((one.end_ps - one.failed_ps for one in broken), default=0)
    divided = part_of(variant, TOGETHER)
    return Cost(
        failing.failure,
        found.longer_ps,
        {how: {kind: t.times_ps for kind, t in one.times.items()} for (how, which), one in found.met.items() if which == AFTER},
        step,
        later,
        broken[0].explanation if broken else "",
        ends_after_ps,
        Place(*fabric_of(variant)).times_too_much(failing.failure, divided) if divided else 1,
        rates.month(
            variant.parts.job.gpus, values["time"], step, None if failing.failure.until_ps else later, ends_after_ps, price
        ),
        tuple(dict.fromkeys(part.name for part in failing.parts(number))),
    )


@dataclass(frozen=True)
class _Found:
    """One variant: the healthy step, and the runs with the failure in it."""

    failing: Failing
    number: int
    variant: Variant
    values: Values

    @functools.cached_property
    def met(self) -> dict[tuple[str, str], Met]:
        """By how, and kind or AFTER."""
        return {key[1:]: part.found for key, part in self.failing.met.items() if key[0] == self.number}

    @functools.cached_property
    def longer_ps(self) -> dict[str, dict[str, tuple[int, ...]]]:
        found: dict[str, dict[str, tuple[int, ...]]] = {}
        for (how, kind), one in self.met.items():
            if kind in one.rings:
                found.setdefault(how, {})[kind] = one.rings[kind].longer_ps(self._healthy(how)[kind])
        return found

    def later_ps(self) -> Ends | None:
        """Of steps whose collectives all take what they take once everybody has noticed, of all stages. Fewer stages make it less."""
        steps = {how: part.found for (of, how), part in self.failing.pipelines.items() if of == self.number}
        if not steps:
            return None
        other = {name: {how: step[name] for how, step in steps.items()} for name in self.values}
        max_ps = max(waits_ps(self.values), waits_ps(other))
        found = difference_of(self._margin, max_ps, dict(self.values["time"]), other["time"])
        alike = Place(*fabric_of(self.variant)).every_stage(self.failing.failure)
        return (max(0.0, found.low_ps) if alike else 0.0), max(0.0, found.high_ps)

    def step_ps(self, later: Ends | None) -> Ends:
        """A collective that takes D longer makes a step longer by D at most."""
        each = [(how, kind, ps[-1]) for how, kinds in self.longer_ps.items() for kind, ps in kinds.items()]
        high_ps = max(ps * (1 + self._flaps_after(how, kind)) for how, kind, ps in each)
        roce = self.variant.resolved.tree["roce"]
        if self.failing.failure.kind != "rate" and roce["recovery"] == "go_back_n":
            high_ps = max(high_ps, float(quantity(roce["rto"], "ps") or 0))  # luck decides whose last packets are lost
        low_ps = min(ps + self._healthy(how)[kind].duration_ps for how, kind, ps in each) - self._hidden_ps()
        margin_ps = self._margin.ps(waits_ps(self.values), 0.0)
        return max(0.0, low_ps) - margin_ps, high_ps + (later[1] if later else 0.0) + margin_ps

    @property
    def _margin(self) -> Margin:
        job = self.variant.parts.job
        return of_differences(job, job)["time"]

    def _healthy(self, how: str) -> dict[str, Rings]:
        return self.failing.healthy[self.number, how]

    def _hidden_ps(self) -> float:
        """What may hide a collective and its delay: whatever a GPU waits for anyway, and what it is able to compute between the beginning of
        the collective and its use. Those are the passes of one micro-batch; with virtual stages, of as many as there are stages."""
        training = self.variant.resolved.tree["job"][0]["training"]
        passes = self.variant.parts.job.stages if training["virtual_stages"] > 1 else 1
        meanwhile = min(1.0, passes / training["micro_batches"])
        return self.values["time"]["high"] - self.values["computing"]["low"] * (1 - meanwhile)

    def _flaps_after(self, how: str, kind: str) -> int:
        """Those that come when the collective is over; each makes another one longer, by as much at most."""
        rings = self.met[how, kind].rings[kind]
        return sum(begins_ps > rings.duration_ps for begins_ps in self.failing.failure.begins_ps())
