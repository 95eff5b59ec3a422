"""What `heddle check` says a run takes: the one method for parts, whole steps and plans."""

from __future__ import annotations

import re
from dataclasses import dataclass

from heddle.as_configured import quantity
from heddle.program import ProgramError
from heddle.step.job import NotInParts
from heddle.step.runs import Point
from heddle.step.variants import Variant

MOMENTS = ("less than a second", "at least some moments")
MOMENT_S = 0.5
UNITS_S = {"s": 1, "min": 60, "hours": 3600, "days": 86400}
UNIT_UP_TO = (("s", 120), ("min", 7200), ("hours", 72 * 3600), ("days", float("inf")))  # host/check/estimates/run_time.cpp


@dataclass(frozen=True)
class Expense:
    """Of a run, or of several together. `core_s` and `gpu_s` are None where the time cannot be said beforehand."""

    packet_hops: float
    core_s: float | None
    gpu_s: float | None
    memory_bytes: float  # of the largest run
    at_least: bool = False  # hops and times are lower bounds
    slurm: tuple[int, int] = (0, 0)  # GiB and minutes to ask Slurm for, of the largest and of the longest run; 0 minutes: not known

    def __add__(self, other: Expense) -> Expense:
        return Expense(
            self.packet_hops + other.packet_hops,
            _sum(self.core_s, other.core_s),
            _sum(self.gpu_s, other.gpu_s),
            max(self.memory_bytes, other.memory_bytes),
            self.at_least or other.at_least,
            (max(self.slurm[0], other.slurm[0]), max(self.slurm[1], other.slurm[1])),
        )

    def __str__(self) -> str:
        times = "time not known"
        if self.core_s is not None and self.gpu_s is not None:
            times = f"{_time_text(self.core_s)} on a core, {_time_text(self.gpu_s)} on a GPU"
        return (
            f"{'at least ' if self.at_least else ''}{self.packet_hops:.3g} packet-hops, {times}, {self.memory_bytes / 1e6:,.0f} MB"
        )

    @property
    def slurm_text(self) -> str:
        """What sbatch is told of an array with these runs."""
        gib, minutes = self.slurm
        limit = f" --time={minutes // 60:02}:{minutes % 60:02}:00" if minutes else ""
        return f"#SBATCH --ntasks=1 --mem-per-cpu={gib}G{limit}"


NOTHING = Expense(0, 0.0, 0.0, 0)


def _sum(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other


class Expenses:
    """Asks once for points that differ in the seed alone."""

    def __init__(self):
        self._known: dict[str, Expense] = {}

    def of(self, point: Point) -> Expense:
        """Raises ConfigError, and ProgramError for words that are none of `heddle check`."""
        tree = point.config.tree
        del tree["simulation"]["seed"]
        key = repr(tree)
        if key not in self._known:
            self._known[key] = expense_in(point.variant.said("check", point.changes))
        return self._known[key]


def expense_in(said: str) -> Expense:
    """What a report of `heddle check` says."""
    hops = re.search(r"^cost .* (about|at least) (\S+) packet-hops$", said, re.MULTILINE)
    memory = re.search(r"^memory +about ([\d.]+ \w+)", said, re.MULTILINE)
    size_bytes = quantity(memory[1], "B") if memory else None
    if hops is None or size_bytes is None:
        raise ProgramError(f"heddle check does not say how many packet-hops this is, and how much memory it takes:\n{said}", 1, [])
    core_s, gpu_s = (_seconds(said, pattern) for pattern in (r"^run time +(.*?) on one core", r"^ +(.*?) on a GPU"))
    return Expense(float(hops[2]), core_s, gpu_s, float(size_bytes), hops[1] == "at least", _slurm(said))


def _slurm(said: str) -> tuple[int, int]:
    asked = re.search(r"^slurm +#SBATCH --ntasks=1 --mem-per-cpu=(\d+)G(?: --time=(?:(\d+)-)?(\d+):(\d+):00)?", said, re.MULTILINE)
    if asked is None:
        raise ProgramError(f"heddle check does not say what to ask Slurm for:\n{said}", 1, [])
    gib, days, hours, minutes = (int(number or 0) for number in asked.groups())
    return gib, 60 * (24 * days + hours) + minutes


def _seconds(said: str, pattern: str) -> float | None:
    """What `pattern` finds before where the time is spent."""
    time = re.search(pattern, said, re.MULTILINE)
    if time is None or time[1].startswith("not known"):
        return None
    if time[1].startswith(MOMENTS):
        return MOMENT_S
    number = re.match(r"(?:at least )?(?:about |some )?([\d.e+]+) (s|min|hours|days)\b", time[1])
    if number is None:
        raise ProgramError(f"heddle check gives a run time that is not understood here: {time[0]}", 1, [])
    return float(number[1]) * UNITS_S[number[2]]


def _time_text(time_s: float) -> str:
    if time_s < 1:
        return "less than a second"
    unit = next(unit for unit, end in UNIT_UP_TO if time_s < end)
    return f"some {time_s / UNITS_S[unit]:.0f} {unit}"


def packet_hops_of(variant: Variant, expenses: Expenses) -> float:
    """Of the whole step. Raises NotInParts, also where there are none."""
    variant.parts  # noqa: B018  (its refusal)
    found = expenses.of(Point(variant, {})).packet_hops
    if found == 0:
        with variant.named():
            raise NotInParts(
                "no packet of this job leaves its servers, so nothing of it waits for the network; `heddle run` takes seconds"
            )
    return found
