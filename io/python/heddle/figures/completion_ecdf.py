"""How long messages took: the share of them that was done within a time."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from heddle.figures.figure import Drawing, Entries, Figure, Missing, noted
from heddle.figures.reading import need, posted
from heddle.figures.style import GREY, line_style
from heddle.figures.units import ticks
from heddle.results import Run
from heddle.results.percentiles import percentile
from heddle.text import time_text

MOST_POINTS = 400
PERCENTS = (50.0, 95.0, 99.0, 99.9)


def finished_times(run) -> tuple[np.ndarray, str]:
    """Completion times (finish - posted, ps, sorted) of the explicit messages that finished, and a note of those that were
    posted and did not."""
    need(run, "/message")
    messages = run.messages()
    done = messages[messages["finish_ps"] >= 0]
    if done.empty:
        raise Missing(f"none of {len(messages):,} messages finished")
    begun = len(posted(run))
    unfinished = begun - len(done)
    note = (
        f"{unfinished:,} of {begun:,} messages that were posted did not finish and are not in it, so the truth is slower."
        if unfinished
        else ""
    )
    return np.sort((done["finish_ps"] - done["posted_ps"]).to_numpy()), note


def slowdown_percentiles(run) -> dict[float, float]:
    """Percentiles, and at 100 the most, of completion over ideal; empty where no ideal is known."""
    messages = run.messages()
    known = messages[(messages["finish_ps"] >= 0) & (messages["ideal_ps"] > 0)]
    times = ((known["finish_ps"] - known["posted_ps"]) / known["ideal_ps"]).to_numpy()
    return {percent: percentile(times, percent) for percent in (*PERCENTS, 100.0)} if len(times) else {}


class CompletionEcdf(Figure):
    name = "completion_ecdf"
    title = "Message completion"
    about = (
        "Share of messages that were acknowledged within a time of their posting. Steep is even; a long foot to the right are "
        "stragglers."
    )
    overlay = True

    def data(self, run: Run) -> pd.DataFrame:
        times_ps, note = finished_times(run)
        count = len(times_ps)
        tail = count - np.unique(np.geomspace(1, count, MOST_POINTS // 2).round().astype(np.int64)) + 1
        even = np.linspace(1, count, MOST_POINTS // 2).round().astype(np.int64)
        ranks = np.unique(np.concatenate([[1], tail, even]))
        frame = pd.DataFrame({"share": ranks / count, "completion_ps": times_ps[ranks - 1]})
        frame.attrs["percentiles"] = {percent: percentile(times_ps, percent) for percent in PERCENTS}
        frame.attrs["slowdown"] = slowdown_percentiles(run)
        if count > len(ranks):
            note += f" {len(ranks)} of {count:,} points are drawn, all of the slowest among them."
        return noted(frame, note)

    def draw_in(self, axes: Axes, entries: Entries, drawing: Drawing) -> None:
        for place, (label, frame) in enumerate(entries):
            style = {**line_style(place), "marker": None}
            axes.step(frame["completion_ps"], frame["share"], where="post", label=label or None, **style)
        if len(entries) == 1 and not entries[0][0]:
            for place, (percent, value_ps) in enumerate(entries[0][1].attrs["percentiles"].items()):
                marker = {**line_style(place), "linestyle": "", "color": GREY}
                axes.plot([value_ps], [percent / 100], label=f"p{percent:g}: {time_text(value_ps)}", zorder=3, **marker)
        least, most = (
            min(f["completion_ps"].iloc[0] for f in drawing.frames),
            max(f["completion_ps"].iloc[-1] for f in drawing.frames),
        )
        if least > 0 and most / least > 20:
            axes.set_xscale("log")
        axes.set_ylim(0, 1.02)
        axes.set_xlabel("completion: acknowledged - posted")
        axes.set_ylabel("share of messages")
        ticks(axes.xaxis, "ps")
        ticks(axes.yaxis, "share")

    def alt(self, frame: pd.DataFrame) -> str:
        values = ", ".join(f"p{percent:g} {time_text(value_ps, 4)}" for percent, value_ps in frame.attrs["percentiles"].items())
        return f"Messages complete after {values}; the slowest after {time_text(frame['completion_ps'].iloc[-1], 4)}."
