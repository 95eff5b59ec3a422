"""The parts of all variants as sweeps: parts with equal configurations are one run, and what has a result is not run again."""

from __future__ import annotations

import filecmp
import functools
import pathlib
import tempfile
import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from heddle.as_configured import quantity
from heddle.collection import LeftOut
from heddle.config import Config, set_text
from heddle.folder import Entry, entries_of
from heddle.program import ProgramError, message_in
from heddle.results import Run
from heddle.results import open as open_result
from heddle.step.reading import is_of_control
from heddle.step.variants import Variant
from heddle.sweeping import sweep

Place = TypeVar("Place", bound=Hashable)

MARKED = "_marked"  # behind the name of a sweep that runs because switches mark packets
IDLE_UNTIL_A_MARK = ("none", "dcqcn")  # congestion controls: kIdleUntilSignal in kernels/congestion; the signal is a CNP


@dataclass(frozen=True)
class Point:
    """A part of a variant: what is changed of it."""

    variant: Variant
    changes: Mapping[str, Any]

    @property
    def keys(self) -> tuple[str, ...]:
        return (*self.variant.axes, *self.changes)

    @functools.cached_property
    def config(self) -> Config:
        """With every default. Raises ConfigError."""
        return self.variant.part(self.changes) if self.changes else self.variant.resolved


@dataclass(frozen=True)
class Part:
    """A run of one part or of several that are equal; `name` is its file, from the folder of the step, and `found` what was read there."""

    name: str
    packet_hops: int
    wall_s: float
    found: Any
    marked: bool = False  # switches have marked packets


@dataclass
class Planned:
    """Runs of one sweep. All have values for the same keys: what has no effect in a part cannot be set there."""

    keys: tuple[str, ...]
    runs: dict[tuple[str, ...], tuple] = field(default_factory=dict)  # values as texts, by which runs are told apart -> values


def planned(points: Mapping[Place, Point]) -> tuple[list[Planned], dict[Place, tuple[int, int]]]:
    """The sweeps that have these points, and where in them each is: (sweep, run)."""
    keys = tuple(dict.fromkeys(key for point in points.values() for key in point.keys))
    sweeps: dict[tuple[str, ...], Planned] = {}
    places = {}
    for place, point in points.items():
        effective = tuple(key for key in keys if key in point.config)
        one = sweeps.setdefault(effective, Planned(effective))
        values = tuple(point.config[key] for key in effective)
        texts = tuple(map(set_text, values))
        one.runs.setdefault(texts, values)
        places[place] = (list(sweeps).index(effective), list(one.runs).index(texts))
    return list(sweeps.values()), places


def alike_until_a_mark(points: Mapping[Place, Point]) -> dict[Place, Place]:
    """Points that differ from another one in their congestion control alone, and that one: it has none, or is the first. If no switch marks a
    packet in its run, the others would be the same to the bit."""
    alike: dict[tuple, list[Place]] = {}
    for place, point in points.items():
        if point.config["roce.congestion_control"] in IDLE_UNTIL_A_MARK and _paces_as_the_line(point.config):
            others = tuple((key, set_text(point.config[key])) for key in point.config if not is_of_control(key))
            alike.setdefault(others, []).append(place)
    found = {}
    for places in alike.values():
        first = min(places, key=lambda place: points[place].config["roce.congestion_control"] != "none")
        found |= {place: first for place in places if points[place].config != points[first].config}
    return found


def _paces_as_the_line(config: Config) -> bool:
    """Whether a congestion control that lets senders have the whole rate never holds back a packet: its gaps are rounded up to ps, what links
    take is rounded down, and both are exact where a byte takes whole ps (200, 400, 800 Gb/s)."""
    rate = quantity(config["link.host_rate"], "bit/s")
    return bool(rate) and 8 * 10**12 % int(rate) == 0 and "failure.0.rate" not in config


class Runs:
    """Sweeps in the folder of a step."""

    def __init__(self, folder: pathlib.Path, carry_out: Callable[[pathlib.Path], Any]):
        self._folder, self._carry_out = folder, carry_out
        folder.mkdir(parents=True, exist_ok=True)

    def sweep(
        self,
        name: str,
        points: Mapping[Place, Point],
        read: Callable[[Run, Variant], Any],
        statuses: Sequence[str] = ("complete",),
    ) -> dict[Place, Part]:
        """A run for every point, and what `read` finds in it; points that are equal, or alike as nothing is marked, have the same. Sweeps after
        the first have a number behind their name, and those of what is simulated because of marks MARKED. Raises ProgramError for a run that
        ends in another way than in one of `statuses`."""
        alike = alike_until_a_mark(points)
        parts = self._sweep(name, {place: point for place, point in points.items() if place not in alike}, read, statuses)
        marked = {place: points[place] for place, other in alike.items() if parts[other].marked}
        if marked:
            parts |= self._sweep(name + MARKED, marked, read, statuses)
        return {place: parts[place if place in parts else alike[place]] for place in points}

    def _sweep(
        self, name: str, points: Mapping[Place, Point], read: Callable[[Run, Variant], Any], statuses: Sequence[str]
    ) -> dict[Place, Part]:
        sweeps, places = planned(points)
        folders = [self._folder / (f"{name}_{number}" if number else name) for number in range(len(sweeps))]
        any_variant = next(iter(points.values())).variant
        for folder, one in zip(folders, sweeps):
            self._write(folder, one, any_variant)
        entries = [self._entries(folder) for folder in folders]
        return {
            place: self._part(entries[sweep][run], lambda found, place=place: read(found, points[place].variant), statuses)
            for place, (sweep, run) in places.items()
        }

    def _write(self, folder: pathlib.Path, one: Planned, variant: Variant) -> None:
        axis, fixed = _axis_of(one)
        changes = {key: value for key, value in {**variant.changes, **fixed}.items() if key not in next(iter(axis))}
        with tempfile.TemporaryDirectory(prefix=".heddle_", dir=self._folder) as room:
            plan = pathlib.Path(room) / folder.name
            with variant.only_typed(True):
                sweep(variant.config, axis, plan, changes, where=None, program=variant.program)
            _put_in_place(plan, folder)

    def read(self, part: Part, read: Callable[[Run], Any]) -> Any:
        """Reads more of a part than sweep() did."""
        with open_result(self._folder / part.name) as run:
            return read(run)

    def _entries(self, folder: pathlib.Path) -> list[Entry]:
        """The runs, all at their end."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LeftOut)  # what is left out raises an error
            self._carry_out(folder)
        entries = entries_of(folder)[0]
        for entry in entries:
            if entry.state != "ended":
                raise ProgramError(f"'{entry.result}': a part of the step has no result{_why(entry)}", 3, [])
        return entries

    def _part(self, entry: Entry, read: Callable[[Run], Any], statuses: Sequence[str]) -> Part:
        with open_result(entry.result) as run:
            if run.attrs["status"] not in statuses:
                raise ProgramError(f"'{entry.result}': a part of the step did not complete: {run.attrs['explanation']}", 3, [])
            name = str(entry.result.relative_to(self._folder))
            hops, wall_s = int(run.attrs["packet_hops"]), float(run.perf["wall_s"])
            return Part(name, hops, wall_s, read(run), marked=run.attrs["ecn_marks"] > 0)


def _why(entry: Entry) -> str:
    """The error that the log of a run ends with, or else its last line. An array of Slurm writes logs of its own."""
    said = entry.log.read_text("utf-8", "replace").strip() if entry.log.exists() else ""
    if not said:
        return f", and no log says why; on Slurm see {entry.result.parent}/slurm_*.log. The same command resumes"
    error = message_in(said)
    return f": {error if error != said else said.splitlines()[-1]} ('{entry.log}'). The same command resumes"


def _axis_of(one: Planned) -> tuple[dict[tuple[str, ...], list[tuple]], dict[str, Any]]:
    """The keys in which runs differ with their values, as an axis of a sweep, and the other keys. One run has its first key as axis."""
    columns = dict(zip(one.keys, zip(*one.runs)))
    varied = [key for key, column in columns.items() if len(set(column)) > 1] or [one.keys[0]]
    values = dict(zip(one.keys, zip(*one.runs.values())))
    fixed = {key: column[0] for key, column in values.items() if key not in varied}
    return {tuple(varied): list(zip(*(values[key] for key in varied)))}, fixed


def _put_in_place(plan: pathlib.Path, folder: pathlib.Path) -> None:
    """What was planned becomes the folder; one that is there has to be the same, and resumes."""
    if not folder.exists():
        plan.rename(folder)
        return
    names = [path.name for path in plan.iterdir()]
    _, other, missing = filecmp.cmpfiles(plan, folder, names, shallow=False)
    if other or missing:
        raise FileExistsError(f"'{folder}' is of another step, or of another version of heddle; name another folder, or delete it")
