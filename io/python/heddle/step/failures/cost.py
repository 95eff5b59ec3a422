"""What follows from the runs of a failure for a step, and for a month."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from heddle.as_configured import quantity
from heddle.step.comparing import Values, difference_of, waits_ps
from heddle.step.failures.counterparts import Counterparts
from heddle.step.failures.failing import AFTER, Failing, Met, Rings, in_part
from heddle.step.failures.failure import Failure
from heddle.step.margins import Margin, of_failure
from heddle.step.failures.month import Interruptions
from heddle.step.parts import TOGETHER
from heddle.step.variants import Variant

Ends = tuple[float, float]  # low, high, ps
BACKOFF = (
    2.0  # tests/property/step_calibration.py: one of the first 8 delays with selective repeat was 1.9 times as long as in the parts
)
OfRings = dict[str, tuple[int, ...]]  # by kind of collective, ps, ascending


@dataclass(frozen=True)
class Cost:
    """What one failure does to the step of one variant."""

    failure: Failure
    longer_ps: dict[str, OfRings]  # ALONE, TOGETHER: the delay of the collective that meets it
    after_ps: dict[str, OfRings]  # likewise: the time of a collective while the failure lasts
    step_ps: Ends | None  # how much longer the step takes; None: the job ends
    later_ps: Ends | None  # how much longer another step takes while the failure lasts; None: the failure does not last
    ends_job: str  # why the job ends; "": it does not
    ends_after_ps: int
    traffic_factor: int  # above 1: so much more traffic meets the failure TOGETHER that its delays are an upper end
    month: dict[str, Any]
    parts: tuple[str, ...]  # files, from the folder of the step

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
            "together_traffic_factor": self.traffic_factor,
            "month": self.month,
            "parts": list(self.parts),
        }


def _ends(interval: Ends | None) -> dict[str, float] | None:
    return None if interval is None else {"low": interval[0], "high": interval[1]}


def cost_of(failing: Failing, number: int, variant: Variant, values: Values, rates: Interruptions, price: float | None) -> Cost:
    """`values`: the healthy step of the variant with this number."""
    found, failure = _Found(failing, number, variant, values), failing.failure
    broken = [one for (_, which), one in found.met.items() if one.explanation and which != AFTER]
    later = found.later_ps()
    step = None if broken else found.step_ps(later)
    ends_after_ps = min((one.end_ps - one.failed_ps for one in broken), default=0)
    until_repaired = None if failure.until_ps else later
    worse = failure.kind == "down" and in_part(failure, variant, TOGETHER) == failure
    return Cost(
        failure,
        found.longer_ps,
        {how: {kind: t.times_ps for kind, t in one.times.items()} for (how, which), one in found.met.items() if which == AFTER},
        step,
        later,
        broken[0].explanation if broken else "",
        ends_after_ps,
        Counterparts.of(variant).traffic_factor(failure.names, TOGETHER) if worse else 1,
        rates.month(variant.parts.job.gpus, values["time"], step, until_repaired, ends_after_ps, price),
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
        """By ALONE or TOGETHER, and by kind or AFTER."""
        return {key[1:]: part.found for key, part in self.failing.met.items() if key[0] == self.number}

    @functools.cached_property
    def longer_ps(self) -> dict[str, OfRings]:
        found: dict[str, OfRings] = {}
        for (how, kind), one in self.met.items():
            if kind in one.rings:
                found.setdefault(how, {})[kind] = one.rings[kind].longer_ps(self._healthy(how)[kind])
        return found

    def later_ps(self) -> Ends | None:
        """All layers of all stages run on what the failure leaves. If it does not affect all stages, the low end is 0."""
        steps = {how: part.found for (of, how), part in self.failing.pipelines.items() if of == self.number}
        if not steps:
            return None
        other = {name: {how: step[name] for how, step in steps.items()} for name in self.values}
        max_ps = max(waits_ps(self.values), waits_ps(other))
        found = difference_of(self._margin, max_ps, 0.0, dict(self.values["time"]), other["time"])
        alike = Counterparts.of(self.variant).every_stage(self.failing.failure.names)
        return (max(0.0, found.low_ps) if alike else 0.0), max(0.0, found.high_ps)

    def step_ps(self, later: Ends | None) -> Ends:
        """A collective with a delay D makes the step longer by at most D. It makes it longer by at least D less what hides D."""
        each = [(how, kind, ps[-1]) for how, kinds in self.longer_ps.items() for kind, ps in kinds.items()]
        high_ps = max(ps * (1 + self._flaps_after(how, kind)) for how, kind, ps in each)
        if self.failing.failure.kind != "rate":
            high_ps = self._by_chance_ps(high_ps)
        low_ps = min(ps + self._healthy(how)[kind].duration_ps for how, kind, ps in each) - self._hidden_ps()
        margin_ps = self._margin.ps(waits_ps(self.values), 0.0)
        return max(0.0, low_ps) - margin_ps, high_ps + (later[1] if later else 0.0) + margin_ps

    def _by_chance_ps(self, delay_ps: float) -> float:
        """Chance decides which packets are lost. With go-back-N a lost tail waits for the timer; with selective repeat for the low timer, which
        doubles with every retransmission that is lost."""
        roce = self.variant.resolved.tree["roce"]
        if roce["recovery"] == "go_back_n":
            return max(delay_ps, float(quantity(roce["rto"], "ps") or 0))
        return BACKOFF * delay_ps

    @property
    def _margin(self) -> Margin:
        return of_failure(self.variant.parts.job)

    def _healthy(self, how: str) -> dict[str, Rings]:
        return self.failing.healthy[self.number, how]

    def _hidden_ps(self) -> float:
        """A collective and its delay may overlap with all other waits of a GPU, and with what it computes from the beginning of the collective
        until it needs the result. That is at most the passes of one micro-batch; with virtual stages, of as many as there are stages.
        """
        training = self.variant.resolved.tree["job"][0]["training"]
        passes = self.variant.parts.job.stages if training["virtual_stages"] > 1 else 1
        meanwhile = min(1.0, passes / training["micro_batches"])
        return self.values["time"]["high"] - self.values["computing"]["low"] * (1 - meanwhile)

    def _flaps_after(self, how: str, kind: str) -> int:
        """Flaps after the end of this collective. Each delays another collective by at most as much."""
        rings = self.met[how, kind].rings[kind]
        return sum(begins_ps > rings.duration_ps for begins_ps in self.failing.failure.begins_ps())
