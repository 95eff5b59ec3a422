"""The runs of a failure: the layer's parts with it in each collective, and with what it leaves once everybody has noticed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from heddle.results import Run
from heddle.step.fabric import Fabric, alone, together
from heddle.step.failure import Failure, Place
from heddle.step.job import Job, NotInParts
from heddle.step.parts import ALONE, TOGETHER
from heddle.step.reading import LayerTimes, layer_times, step_of
from heddle.step.runs import Part, Point, Runs
from heddle.step.variants import Variant

COMPLETE, BROKEN = "complete", "qp_failed"
AFTER = "after"
Given = Callable[[Mapping[str, dict[str, LayerTimes]]], dict[str, dict[str, str]]]


@dataclass(frozen=True)
class Rings:
    """One kind of collective of a layer in a run: when its first ring has all its ranks, when its last one is done, and the end of every one
    of this kind from then on, ps."""

    start_ps: int
    done_ps: int
    ends_ps: dict[int, tuple[int, int]]  # collective -> its ring, its end

    @property
    def duration_ps(self) -> int:
        return self.done_ps - self.start_ps

    def longer_ps(self, healthy: Rings) -> tuple[int, ...]:
        """How much later something of a ring ends, at most; by ring, ascending."""
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
    """A layer's part with the failure in it. `explanation`: why a connection gave up, which ends the job; "": none did."""

    rings: dict[str, Rings]
    times: dict[str, LayerTimes]
    failed_ps: int
    end_ps: int
    explanation: str = ""

    @classmethod
    def of(cls, run: Run, variant: Variant) -> Met:
        instants = int(run.value("failure.0.at")), int(run.attrs["end_ps"])
        if run.attrs["status"] == BROKEN:
            return cls({}, {}, *instants, str(run.attrs["explanation"]))
        job = variant.parts.job
        return cls(rings_of(run), layer_times(run, job.layers_of_stage if job.stages == 1 else 1), *instants)


@dataclass
class Failing:
    """A failure in the steps of all variants: its runs."""

    failure: Failure
    healthy: Mapping[tuple[int, str], dict[str, Rings]]  # by variant and how
    met: dict[tuple[int, str, str], Part] = field(default_factory=dict)  # and kind, or AFTER
    pipelines: dict[tuple[int, str], Part] = field(default_factory=dict)

    def parts(self, number: int | None = None) -> list[Part]:
        """Its runs; those of one variant."""
        return [part for place, part in {**self.met, **self.pipelines}.items() if number is None or place[0] == number]

    def points(self, variants: Sequence[Variant]) -> dict[tuple[int, str, str], Point]:
        """Raises NotInParts for a failure that no collective meets."""
        found: dict[tuple[int, str, str], Point] = {}
        for number, variant in enumerate(variants):
            with variant.named():
                of_variant = {(number, *key): point for key, point in self._of_variant(number, variant)}
            found |= of_variant
        return found

    def _of_variant(self, number: int, variant: Variant):
        hows = variant.parts.layer
        longest_ps = max(rings.duration_ps for how in hows for rings in self.healthy[number, how].values())
        if self.failure.at_ps >= longest_ps:
            raise NotInParts(
                f"--failure: {self.failure}: the collectives of a layer take up to {longest_ps / 1e9:.3g} ms, so none meets this; `at` counts "
                "from the beginning of the collective: give less"
            )
        for how, layer in hows.items():
            names = Place(*fabric_of(variant)).names(self.failure, part_of(variant, how))
            for kind, rings in self.healthy[number, how].items():
                if self.failure.at_ps < rings.duration_ps:
                    yield (how, kind), Point(variant, {**layer, **self.failure.changes(names, rings.start_ps)})
            if self.failure.stays(longest_ps):
                yield (how, AFTER), Point(variant, {**layer, **self.failure.lasting(names)})

    def simulate(self, runs: Runs, variants: Sequence[Variant], given: Given) -> None:
        self.met = runs.sweep(self.failure.folder, self.points(variants), Met.of, (COMPLETE, BROKEN))
        times: dict[int, dict[str, dict[str, LayerTimes]]] = {}
        for (number, how, which), part in self.met.items():
            if which == AFTER and not part.found.explanation:
                times.setdefault(number, {})[how] = part.found.times
        points = {}
        for number, of_variant in times.items():
            variant = variants[number]
            for how, of_how in given({**of_variant, TOGETHER: of_variant.get(TOGETHER, of_variant[ALONE])}).items():
                points[number, how] = Point(variant, {**variant.parts.pipeline, **of_how})
        if points:
            self.pipelines = runs.sweep(f"{self.failure.folder}_pipeline", points, lambda run, _: step_of(run))


def check(failures: Sequence[Failure], variants: Sequence[Variant]) -> None:
    """Raises ConfigError and NotInParts, before anything is simulated, for what the program or the fabric of a variant does not have."""
    for number, failure in enumerate(failures):
        if failure in failures[:number]:
            raise NotInParts(f"--failure: {failure} is given twice; leave one out")
        for variant in variants:
            with variant.named():
                names = Place(*fabric_of(variant)).names(failure, part_of(variant, ALONE))
        variants[-1].said("check", {**variants[-1].parts.layer[ALONE], **failure.changes(names, 0)})


def fabric_of(variant: Variant) -> tuple[Fabric, Job]:
    return Fabric.of(variant.resolved.tree["topology"]), variant.parts.job


def part_of(variant: Variant, how: str) -> Fabric | None:
    """None: the whole fabric, on which all stages are simulated."""
    fabric, job = fabric_of(variant)
    return alone(fabric, job) if how == ALONE else together(fabric, job)
