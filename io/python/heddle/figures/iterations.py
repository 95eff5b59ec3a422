"""Steps of a training job: what of each was computing, and what was exposed communication of which parallel group."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from heddle.figures.figure import Drawing, Entries, Figure, Missing, beside, name_rows, noted
from heddle.figures.reading import need
from heddle.figures.style import bar_style
from heddle.figures.units import ticks
from heddle.results import Run
from heddle.text import counted, time_text

MAX_ITERATIONS = 40
MAX_JOBS = 3  # that the text tells of
GROUPS = ("tensor", "context", "pipeline", "expert", "data", "all", "storage")
LABELS = {"compute_ps": "computing", **{f"exposed_{group}_ps": f"waits for {group}" for group in GROUPS}}  # by column
REST, BUBBLE = "rest_ps", "bubble_ps"
# What is neither computing nor a group has no colour of its own; storage has one that is not that of computing.
STYLES = {
    REST: {"facecolor": "#DDDDDD", "edgecolor": "white"},
    "exposed_storage_ps": bar_style(6),  # that of `all`: a trace, which alone has such, writes no checkpoint
    BUBBLE: {"facecolor": "#F4F4F4", "edgecolor": "#8C8C8C", "hatch": "////", "linewidth": 0.4},
}


def steps(run):
    """/iteration with rest_ps: what of the time is neither computing nor waiting, in the mean of GPUs. Raises Missing."""
    need(run, "/iteration")
    frame = run.iterations()
    done = frame[frame["end_ps"] >= 0].copy()
    if done.empty:
        raise Missing(f"none of {len(frame)} iterations was finished by all GPUs")
    exposed = [f"exposed_{group}_ps" for group in GROUPS]
    for column in exposed:
        if column not in done:  # an earlier version wrote the file
            done[column] = 0.0
    done[REST] = (done["time_ps"] - done["compute_ps"] - done[exposed].sum(axis=1)).clip(lower=0)
    unfinished = len(frame) - len(done)
    return noted(done, f"{unfinished} of {len(frame)} iterations were not finished and are not in it." if unfinished else "")


def last_of_jobs(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The last row of every job of steps(), with `finished`: how many the job has."""
    finished = frame.groupby("job").size()
    rows = frame.sort_values(["job", "iteration"]).groupby("job").tail(1).to_dict("records")
    return [{**row, "finished": int(finished[row["job"]])} for row in rows]


def last_text(row: dict[str, Any], several: bool) -> str:
    """ "the last of 60 iterations of job 1": a row of last_of_jobs(); `several`: jobs."""
    which = "the only iteration" if row["finished"] == 1 else f"the last of {row['finished']:,} iterations"
    return which + f" of job {row['job']}" * several


def stacked(
    axes: Axes, frame: pd.DataFrame, parts: dict[str, str], height: float, drawing: Drawing, tip: Callable[[Any, str], str]
) -> np.ndarray:
    """A bar for each row, of the columns of `parts` (times, ps) and their labels behind each other; returns where these end.

    `tip`: what is shown of a row and a part of it, "computing: 2 ms".
    """
    end = np.zeros(len(frame))
    for place, (column, label) in enumerate(parts.items()):
        value = frame[column].to_numpy(dtype=float)
        if not value.any():
            continue
        style = STYLES.get(column) or bar_style(list(LABELS).index(column) if column in LABELS else place)
        bars = axes.barh(np.arange(len(frame)), value, left=end, height=height, label=label, **style)
        for bar, row, time_ps in zip(bars, frame.itertuples(), value):
            drawing.tip(bar, [tip(row, f"{label}: {time_text(time_ps)}")])
        end += value
    return end


class Iterations(Figure):
    name = "iterations"
    title = "Steps of the job"
    about = (
        "Mean over GPUs: computing, and exposed communication of each parallel group (that of the pipeline holds its bubble)."
        " A step's time is from the last GPU's end of the step before to that of its own; most GPUs begin earlier, so parts may"
        " pass it."
    )
    share_y = False

    def data(self, run: Run) -> pd.DataFrame:
        frame = steps(run)
        note, last = frame.attrs["note"], last_of_jobs(frame)
        if len(frame) > MAX_ITERATIONS:
            note += f" The first {MAX_ITERATIONS} of {len(frame)}."
            frame = frame.head(MAX_ITERATIONS)
        columns = [
            "job",
            "iteration",
            "time_ps",
            "compute_ps",
            "most_compute_ps",
            *(f"exposed_{group}_ps" for group in GROUPS),
            REST,
            "first_end_ps",
            "end_ps",
        ]
        frame = noted(frame[columns].reset_index(drop=True), note)
        frame.attrs["last"] = last
        return frame

    def height(self, frame: pd.DataFrame) -> float:
        return 1.2 + 0.32 * max(len(frame), 2)

    def draw_in(self, axes: Axes, entries: Entries, drawing: Drawing) -> None:
        frame = entries[0][1]
        rows = np.arange(len(frame))
        left = stacked(axes, frame, {**LABELS, REST: "rest"}, 0.7, drawing, lambda row, part: f"{part} of {time_text(row.time_ps)}")
        axes.vlines(frame["time_ps"], rows - 0.43, rows + 0.43, color="black", linewidth=1.6, label="the step's time")
        for row in rows:
            beside(axes, (max(left[row], frame["time_ps"][row]), row), time_text(frame["time_ps"][row], 4))
        several = frame["job"].nunique() > 1
        name_rows(axes, [f"job {r.job}, " * several + f"iteration {r.iteration}" for r in frame.itertuples()])
        axes.margins(x=0.12)
        axes.set_xlabel("time of a GPU, in the mean")
        ticks(axes.xaxis, "ps")

    def alt(self, frame: pd.DataFrame) -> str:
        jobs = frame.attrs["last"]
        texts = []
        for last in jobs[:MAX_JOBS]:
            exposed = sum(last[f"exposed_{group}_ps"] for group in GROUPS)
            texts.append(
                f"{last_text(last, len(jobs) > 1)} took {time_text(last['time_ps'], 4)}, of which GPUs computed "
                f"{time_text(last['compute_ps'], 4)} and had exposed communication of {time_text(exposed, 4)}"
            )
        more = f"; and {counted(len(jobs) - MAX_JOBS, 'more job')}" if len(jobs) > MAX_JOBS else ""
        text = "; ".join(texts)
        return f"{text[0].upper()}{text[1:]}{more}."
