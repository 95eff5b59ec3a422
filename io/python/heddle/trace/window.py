"""A window of simulated time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


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

    def rows(self, time_ps: np.ndarray, after: int = 0) -> slice:
        """Of rows in order of time those inside, with the one before, and with so many from the end on."""
        first = max(int(np.searchsorted(time_ps, self.from_ps, side="right")) - 1, 0)
        last = int(np.searchsorted(time_ps, self.until_ps, side="left" if after else "right"))
        return slice(first, max(first, last + after))
