"""How the run itself went: wall time by phase."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from heddle.figures.figure import Drawing, Entries, Figure, Missing, noted
from heddle.figures.reading import need
from heddle.figures.style import bar_style
from heddle.results import Run
from heddle.text import text_of


def without_parts(phases: pd.DataFrame) -> pd.DataFrame:
    """/perf/phase with every second in one phase: of the file's advance, exchange is a part."""
    took = phases.set_index("phase")["wall_s"]
    advance = max(0.0, took.get("advance", 0.0) - took.get("exchange", 0.0))
    return phases.assign(wall_s=phases["wall_s"].where(phases["phase"] != "advance", advance))


class Speed(Figure):
    name = "speed"
    title = "Wall time of the run by phase"
    about = (
        "Where the simulator's own time went. Of several ranks, exchange is how long the one that waited longest did, and "
        "is not in advance."
    )
    share_y = False

    def data(self, run: Run) -> pd.DataFrame:
        need(run, "/perf")
        frame = run.phases()
        if frame.empty:
            raise Missing("the file has no wall time by phase")
        return noted(without_parts(frame))

    def height(self, frame: pd.DataFrame) -> float:
        return 0.9 + 0.28 * len(frame)

    def draw_in(self, axes: Axes, entries: Entries, drawing: Drawing) -> None:
        frame = entries[0][1]
        rows = np.arange(len(frame))
        axes.barh(rows, frame["wall_s"], height=0.65, **bar_style(0))
        for row in frame.itertuples():
            axes.annotate(
                text_of(row.wall_s, "s"),
                (row.wall_s, row.Index),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                fontsize=7,
            )
        axes.set_yticks(rows, frame["phase"])
        axes.invert_yaxis()
        axes.margins(x=0.12)
        axes.set_xlabel("wall time, s")
        axes.grid(axis="y", visible=False)

    def alt(self, frame: pd.DataFrame) -> str:
        return "Wall time: " + ", ".join(f"{row.phase} {row.wall_s:.2f} s" for row in frame.itertuples()) + "."
