"""What all figures over simulated time have in common: the axis, from 0 to the end, and lines where something fails or heals."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from heddle.figures.reading import end_ps
from heddle.figures.style import ALERT
from heddle.figures.units import ticks
from heddle.results.run import Run

MAX_MARKS = 12


def with_marks(frame: pd.DataFrame, run: Run) -> pd.DataFrame:
    """Keeps with the frame where its time ends, and the instants at which links failed or came back (at most twelve)."""
    frame.attrs["end_ps"] = end_ps(run)
    times = run.file["event/failure/time_ps"][:100_000] if "event/failure" in run.file else []
    marks = sorted({int(time) for time in times})
    frame.attrs["marks"] = marks if len(marks) <= MAX_MARKS else []
    return frame


def time_axis(axes: Axes, frame: pd.DataFrame) -> None:
    """The axis of simulated time."""
    axes.set_xlim(0, max(frame.attrs.get("end_ps", 0), 1))
    for place, time_ps in enumerate(frame.attrs.get("marks", [])):
        axes.axvline(
            time_ps, color=ALERT, linewidth=0.8, linestyle=(0, (2, 2)), label="links fail or come back" if place == 0 else None
        )
    axes.set_xlabel("simulated time")
    axes.xaxis.set_gid(f"time-axis-{axes.get_subplotspec().num1}")  # which the page's script zooms
    ticks(axes.xaxis, "ps")
