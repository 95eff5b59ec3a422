"""A window of simulated time."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Window:
    """From from_ps to until_ps, both included."""

    from_ps: int
    until_ps: int

    def has(self, time_ps: int) -> bool:
        return self.from_ps <= time_ps <= self.until_ps

    def cut(self, begin_ps: int, end_ps: int) -> tuple[int, int] | None:
        """The part of a slice that is inside; None where nothing is."""
        begin, end = max(begin_ps, self.from_ps), min(end_ps, self.until_ps)
        return None if end < begin or end_ps < self.from_ps or begin_ps > self.until_ps else (begin, end)
