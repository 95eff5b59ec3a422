"""How much longer or shorter variants of a step take than the first: an interval for each value, and where zero is."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from heddle.figures.figure import Drawing, Entries, Figure, name_rows, shortened
from heddle.figures.style import COLOURS, GREY
from heddle.figures.units import ticks
from heddle.text import text_of

MAX_LINES = 40
MAX_NAME = 60
# What an interval says: legend, colour, marker.
VERDICTS = {
    "longer": ("longer than A", COLOURS[1], "D"),
    "shorter": ("shorter than A", COLOURS[2], "o"),
    "undecided": ("the interval contains zero", GREY, "|"),
}


def verdict_of(low_ps: float, high_ps: float) -> str:
    """A key of VERDICTS."""
    return "longer" if low_ps > 0 else "shorter" if high_ps < 0 else "undecided"


class StepDifferences(Figure):
    """Its frame is made by heddle.report.sections.step_differences: variant, setting, value, low_ps, high_ps; attrs["first_ps"]: what a step
    takes with A."""

    name = "step_differences"
    title = "Differences from A, with their intervals"
    about = (
        "Each line is the interval of a difference, and its mark the middle. Where a line crosses zero, the parts do not tell whether the "
        "value is larger or smaller than with A."
    )

    def height(self, frame: pd.DataFrame) -> float:
        return 1.5 + 0.24 * max(min(len(frame), MAX_LINES), 3)

    def draw_in(self, axes: Axes, entries: Entries, drawing: Drawing) -> None:
        whole = entries[0][1]
        frame = whole.head(MAX_LINES)
        verdicts = np.array([verdict_of(row.low_ps, row.high_ps) for row in frame.itertuples()])
        for verdict, (label, colour, marker) in VERDICTS.items():
            mine = frame[verdicts == verdict]
            if mine.empty:
                continue
            lines = axes.hlines(mine.index, mine.low_ps, mine.high_ps, color=colour, linewidth=3, label=label)
            drawing.tip(lines, [f"{row.variant}, {row.value}: {_ends(row)}" for row in mine.itertuples()])
            axes.plot((mine.low_ps + mine.high_ps) / 2, mine.index, marker, color=colour, markersize=7)
        axes.axvline(0, color="black", linewidth=1)
        for place in np.flatnonzero(frame.variant.ne(frame.variant.shift()))[1:]:
            axes.axhline(place - 0.5, color=GREY, linewidth=0.5)
        one = frame.variant.nunique() == 1
        names = [row.value if one else f"{row.variant}: {row.value}" for row in frame.itertuples()]
        name_rows(axes, [shortened(name, MAX_NAME) for name in names])
        axes.margins(x=0.08)
        axes.set_xlabel("more than with A")
        ticks(axes.xaxis, "ps")
        first_ps = whole.attrs["first_ps"]
        if first_ps:
            of_first = axes.secondary_xaxis("top", functions=(lambda ps: 100 * ps / first_ps, lambda share: share * first_ps / 100))
            of_first.set_xlabel("% of A's time", fontsize=8)
            of_first.tick_params(labelsize=7)

    def alt(self, frame: pd.DataFrame) -> str:
        told = [f"{row.variant}, {row.value}: {_ends(row)}" for row in frame.head(6).itertuples()]
        return f"{len(frame)} differences from A: {'; '.join(told)}{'; and more, in the data.' if len(frame) > 6 else '.'}"


def _ends(row) -> str:
    return f"{text_of(row.low_ps, '+ps', 4)} to {text_of(row.high_ps, '+ps', 4)}"
