"""What was done until when: messages and ranks of collectives that finished, summed up over time."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from heddle.figures.figure import Drawing, Entries, Figure, Missing, noted
from heddle.figures.reading import events
from heddle.figures.style import line_style
from heddle.figures.timeline import time_axis, with_marks
from heddle.figures.units import ticks
from heddle.results import Run
from heddle.text import count_text

MAX_POINTS = 300
WORDS = {
    "message_received": "messages received",
    "message_acked": "messages acknowledged",
    "rank_finished": "ranks done with a collective",
}


class Completions(Figure):
    name = "completions"
    title = "Work done over time"
    about = (
        "How many messages were received and acknowledged, and how often a rank was done with a collective, until then. A "
        "flat piece is time without progress."
    )

    def data(self, run: Run) -> pd.DataFrame:
        frame, note = events(run, "completion", 4_000_000)
        frame = frame[frame["kind"].isin(list(WORDS))]
        if frame.empty:
            raise Missing(
                "no message and no rank of a collective had finished"
                + (" (completions of training jobs are not recorded one by one)" if len(run.iterations()) else "")
            )
        pieces = []
        for kind, group in frame.groupby("kind", observed=True):
            time_ps = np.sort(group["time_ps"].to_numpy())
            ranks = np.unique(np.linspace(1, len(time_ps), min(len(time_ps), MAX_POINTS)).round().astype(np.int64))
            pieces.append(pd.DataFrame({"kind": WORDS[kind], "time_ps": time_ps[ranks - 1], "done": ranks}))
        return with_marks(noted(pd.concat(pieces, ignore_index=True), note), run)

    def draw_in(self, axes: Axes, entries: Entries, drawing: Drawing) -> None:
        frame = entries[0][1]
        for kind, group in frame.groupby("kind", sort=False):
            style = {**line_style(list(WORDS.values()).index(kind)), "marker": None}
            until_ps = max(frame.attrs.get("end_ps", 0), int(group["time_ps"].iloc[-1]))
            times_ps, done = [0, *group["time_ps"], until_ps], [0, *group["done"], group["done"].iloc[-1]]
            axes.step(times_ps, done, where="post", label=kind, clip_on=False, **style)
        axes.set_ylim(0, 1.05 * float(frame["done"].max()))
        axes.set_ylabel("done so far")
        ticks(axes.yaxis, "count")
        time_axis(axes, frame)

    def alt(self, frame: pd.DataFrame) -> str:
        totals = frame.groupby("kind", sort=False)["done"].max()
        return "By the end: " + ", ".join(f"{count_text(done)} {kind}" for kind, done in totals.items()) + "."
