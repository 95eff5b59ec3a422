"""What `heddle check` says a run takes: the one method for parts, whole steps and plans."""

from __future__ import annotations

import re
from dataclasses import dataclass

from heddle.as_configured import quantity
from heddle.program import ProgramError
from heddle.step.runs import Point

MOMENT_S = 0.5  # "less than a second"
UNITS_S = {"s": 1, "min": 60, "hours": 3600, "days": 86400}
UNIT_UP_TO = (("s", 120), ("min", 7200), ("hours", 72 * 3600), ("days", float("inf")))  # host/check/estimates/run_time.cpp


@dataclass(frozen=True)
class Expense:
    """Of a run, or of several together. `core_s` is None where the time cannot be said beforehand."""

    packet_hops: float
    core_s: float | None
    memory_bytes: float  # of the largest run

    def __add__(self, other: Expense) -> Expense:
        known = self.core_s is not None and other.core_s is not None
        return Expense(
            self.packet_hops + other.packet_hops,
            self.core_s + other.core_s if known else None,
            max(self.memory_bytes, other.memory_bytes),
        )

    def __str__(self) -> str:
        time = "time not known" if self.core_s is None else _time_text(self.core_s)
        return f"{self.packet_hops:.3g} packet-hops, {time} on a core, {self.memory_bytes / 1e6:,.0f} MB"


NOTHING = Expense(0, 0.0, 0)


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
    hops = re.search(r"^cost .* (?:about|at least) (\S+) packet-hops$", said, re.MULTILINE)
    memory = re.search(r"^memory +about ([\d.]+ \w+)", said, re.MULTILINE)
    size_bytes = quantity(memory[1], "B") if memory else None
    if hops is None or size_bytes is None:
        raise ProgramError(f"heddle check does not say how many packet-hops this is, and how much memory it takes:\n{said}", 1, [])
    return Expense(float(hops[1]), _core_s(said), float(size_bytes))


def _core_s(said: str) -> float | None:
    time = re.search(r"^run time +(.*?) on one core", said, re.MULTILINE)
    if time is None or time[1].startswith("not known"):
        return None
    number = re.match(r"(?:about |at least |some )?([\d.]+) (s|min|hours|days)", time[1])
    return float(number[1]) * UNITS_S[number[2]] if number else MOMENT_S


def _time_text(time_s: float) -> str:
    if time_s < 1:
        return "less than a second"
    unit = next(unit for unit, end in UNIT_UP_TO if time_s < end)
    return f"some {time_s / UNITS_S[unit]:.0f} {unit}"
