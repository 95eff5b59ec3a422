"""The runs of a failure: the parts of a layer with the failure in each collective, and after all switches have routed around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from heddle.as_configured import quantity
from heddle.results import Run
from heddle.step.failures.counterparts import Counterparts
from heddle.step.failures.failure import Failure
from heddle.step.job import Job, NotInParts
from heddle.step.parts import ALONE, both_ways
from heddle.step.reading import LayerTimes, layer_times_of, step_of
from heddle.step.runs import Part, Point, Runs
from heddle.step.variants import Variant

COMPLETE, BROKEN = "complete", "qp_failed"
AFTER = "after"
Given = Callable[[Mapping[str, dict[str, LayerTimes]], float], dict[str, dict[str, str]]]


class NotMet(NotInParts):
    """Failures that begin after a layer's collectives have ended, in one variant or in all. `steps`: what was found without them."""

    def __init__(self, message: str, steps: Any = None):
        super().__init__(message)
        self.steps = steps


@dataclass(frozen=True)
class Rings:
    """The rings of one kind of collective in a run."""

    start_ps: int  # a layer's collective begins when all ranks of its first ring have entered it
    done_ps: int  # when the last ring has finished
    ends_ps: dict[int, tuple[int, int]]  # collective of this kind -> (ring, end)

    @property
    def duration_ps(self) -> int:
        return self.done_ps - self.start_ps

    def longer_ps(self, healthy: Rings) -> tuple[int, ...]:
        """For each ring the longest delay of one of its collectives, ascending."""
        found: dict[int, int] = {}
        for number, (ring, end_ps) in self.ends_ps.items():
            found[ring] = max(found.get(ring, 0), end_ps - healthy.ends_ps[number][1])
        return tuple(sorted(found.values()))


def rings_of(run: Run) -> dict[str, Rings]:
    """By kind."""
    rows = run.collectives()
    found = {}
    for kind, of_kind in rows[rows.group == "data"].groupby("kind", observed=True):
        layer = of_kind[of_kind.bytes == of_kind.bytes.max()].groupby("communicator").first()
        ends = {int(row.id): (int(row.communicator), int(row.finish_ps)) for row in of_kind.itertuples()}
        found[str(kind)] = Rings(int(layer.last_enter_ps.min()), int(layer.finish_ps.max()), ends)
    return found


@dataclass(frozen=True)
class Met:
    """A part of a layer with the failure in it."""

    rings: dict[str, Rings]
    times: dict[str, LayerTimes]
    failed_ps: int
    end_ps: int
    explanation: str = ""  # why a connection failed, which ends the job; "": none did

    @classmethod
    def of(cls, run: Run, variant: Variant) -> Met:
        instants = int(run.value("failure.0.at")), int(run.attrs["end_ps"])
        if run.attrs["status"] == BROKEN:
            return cls({}, {}, *instants, str(run.attrs["explanation"]))
        return cls(rings_of(run), layer_times_of(run, variant.parts.job), *instants)


@dataclass
class Failing:
    """One failure in the steps of all variants. Runs are known by the number of the variant and by ALONE or TOGETHER."""

    failure: Failure
    healthy: Mapping[tuple[int, str], dict[str, Rings]]  # the collectives without it, by kind
    met: dict[tuple[int, str, str], Part] = field(default_factory=dict)  # also by the kind of collective that meets it, or AFTER
    pipelines: dict[tuple[int, str], Part] = field(default_factory=dict)

    def parts(self, number: int | None = None) -> list[Part]:
        """All runs, or those of one variant."""
        return [part for place, part in {**self.met, **self.pipelines}.items() if number is None or place[0] == number]

    def points(self, variants: Sequence[Variant]) -> dict[tuple[int, str, str], Point]:
        """Raises NotMet for a failure that no collective meets."""
        found: dict[tuple[int, str, str], Point] = {}
        for number, variant in enumerate(variants):
            with variant.named():
                of_variant = {(number, *key): point for key, point in self._of_variant(number, variant)}
            found |= of_variant
        return found

    def _of_variant(self, number: int, variant: Variant):
        layers, healthy = variant.parts.layer, {how: self.healthy[number, how] for how in variant.parts.layer}
        longest_ps = max(rings.duration_ps for kinds in healthy.values() for rings in kinds.values())
        if self.failure.at_ps >= longest_ps:
            raise NotMet(
                f"--failure: {self.failure}: the collectives of a layer take up to {longest_ps / 1e9:.3g} ms, so none meets this, and it is "
                "left out; `at` counts from the beginning of the collective: give less"
            )
        for how, layer in layers.items():
            names, failure = Counterparts.of(variant).names(self.failure.names, how), in_part(self.failure, variant, how)
            for kind, rings in healthy[how].items():
                if failure.at_ps < rings.duration_ps:
                    yield (how, kind), Point(variant, {**layer, **failure.changes(names, rings.start_ps)})
            if self.failure.outlasts(longest_ps):
                yield (how, AFTER), Point(variant, {**layer, **failure.lasting(names)})

    def simulate(self, runs: Runs, variants: Sequence[Variant], given: Given) -> None:
        """`given`: the settings of pipelines whose layers take these times."""
        self.met = runs.sweep(self.failure.folder, self.points(variants), Met.of, (COMPLETE, BROKEN))
        points = {}
        for number, variant in enumerate(variants):
            after = {how: part.found for (of, how, which), part in self.met.items() if (of, which) == (number, AFTER)}
            if not after or any(one.explanation for one in after.values()):
                continue  # nothing gets through while the failure lasts
            times = both_ways({how: one.times for how, one in after.items()})
            for how, settings in given(times, variant.parts.vocabularies).items():
                points[number, how] = Point(variant, {**variant.parts.pipeline, **settings})
        if points:
            self.pipelines = runs.sweep(f"{self.failure.folder}_pipeline", points, lambda run, _: step_of(run))


def in_part(failure: Failure, variant: Variant, how: str) -> Failure:
    """The failure that stands for this one in a part of the variant."""
    counterparts, link = Counterparts.of(variant), variant.resolved.tree["link"]
    tiers = ["rtsw_ctsw_rate", *(["ctsw_atsw_rate"] if counterparts.whole.kind == "multi_zone" else [])]
    line_rate = min(float(quantity(link[key], "bit/s") or 0) for key in tiers)
    names = failure.names
    return failure.of_a_share(counterparts.traffic_factor(names, how), counterparts.is_only_one(names, how), line_rate)


def check(failures: Sequence[Failure], variants: Sequence[Variant]) -> None:
    """Raises ConfigError and NotInParts, before anything is simulated, for failures that the program or a variant's fabric does not have."""
    for number, failure in enumerate(failures):
        if any(map(failure.is_same, failures[:number])):
            raise NotInParts(f"--failure: {failure} is given twice; leave one out")
        for variant in variants:
            with variant.named():
                check_job(variant.parts.job)
                Counterparts.of(variant).names(failure.names, ALONE)
        first = variants[0]
        first.said("check", {**first.parts.layer[ALONE], **failure.changes(Counterparts.of(first).names(failure.names, ALONE), 0)})


def check_job(job: Job) -> None:
    """Raises NotInParts for jobs like none whose failures were simulated whole."""
    if job.uneven or job.expert_parallel > 1 or job.wide_stages:
        what = (
            "slow GPUs or jitter"
            if job.uneven
            else "experts"
            if job.expert_parallel > 1
            else "context parallelism over several servers"
        )
        raise NotInParts(
            f"--failure in a job with {what} was not judged by whole simulations, so its interval is not known; leave one out"
        )
