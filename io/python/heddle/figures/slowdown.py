"""How many times its ideal a message took, by its size."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from heddle.figures.figure import Drawing, Entries, Figure, Missing, noted
from heddle.figures.reading import need, posted
from heddle.figures.style import line_style
from heddle.figures.units import size_ticks
from heddle.results import Run
from heddle.results.percentiles import percentile
from heddle.text import size_text

MAX_SIZES = 24
PERCENTS = (50.0, 95.0, 99.0, 99.9, 100.0)


def slowdown_by_size(run) -> pd.DataFrame:
    """bytes (the largest of its row), messages, p50... p100: (finish - posted) / ideal, nearest ranks; a message that has not finished
    counts with the time until the end, as in Run.summary(). Raises Missing."""
    need(run, "/message")
    messages, begun = run.messages(), posted(run)
    of_jobs = int((messages["job"] >= 0).sum())
    if of_jobs == len(messages):
        raise Missing("all messages are those of checkpoints or of data that jobs read")
    messages, begun = messages[messages["job"] < 0], begun[begun["job"] < 0]
    known = begun[begun["ideal_ps"] > 0]
    if not (known["finish_ps"] >= 0).any():
        raise Missing("no message finished of which the ideal time is known")
    until_ps = known["finish_ps"].where(known["finish_ps"] >= 0, run.attrs["end_ps"])
    times = (until_ps - known["posted_ps"]).clip(lower=0) / known["ideal_ps"]
    sizes = np.unique(known["bytes"])
    if len(sizes) == 1:
        raise Missing(f"all messages that were posted are of one size, {size_text(sizes[0])}")
    note = f"{of_jobs:,} messages of checkpoints and of data that jobs read are not in it. " if of_jobs else ""
    upper = known["bytes"]
    if len(sizes) > MAX_SIZES:
        edges = np.unique(sizes[np.linspace(0, len(sizes) - 1, MAX_SIZES).round().astype(int)])
        upper = pd.Series(edges[np.searchsorted(edges, known["bytes"])], index=known.index)
        note += f"{len(sizes):,} sizes are taken together in {len(edges)} groups, each named after its largest."
    rows = [[size, len(group), *(percentile(group, percent) for percent in PERCENTS)] for size, group in times.groupby(upper)]
    unfinished, left_out = int((known["finish_ps"] < 0).sum()), len(messages) - len(known)
    if unfinished:
        note += f" {unfinished:,} of {len(known):,} messages did not finish and count with the time until the end: these are lower bounds."
    if left_out:
        note += f" {left_out:,} of {len(messages):,} messages were not posted, or have no known ideal, and are not in it."
    return noted(pd.DataFrame(rows, columns=["bytes", "messages", *(f"p{percent:g}" for percent in PERCENTS)]), note)


class Slowdown(Figure):
    name = "slowdown"
    title = "Slowdown by size"
    about = (
        "Completion time over that on an otherwise idle fabric: 1 is ideal. Small messages suffer from queues, large ones "
        "from sharing."
    )
    overlay = True

    def data(self, run: Run) -> pd.DataFrame:
        return slowdown_by_size(run)

    def draw_in(self, axes: Axes, entries: Entries, drawing: Drawing) -> None:
        if len(entries) == 1:
            frame = entries[0][1]
            for place, percent in enumerate(PERCENTS):
                label = "slowest" if percent == 100 else f"p{percent:g}"
                axes.plot(frame["bytes"], frame[f"p{percent:g}"], label=label, **line_style(place))
        else:
            for place, (label, frame) in enumerate(entries):
                axes.plot(frame["bytes"], frame["p99"], label=f"{label}, p99", **line_style(place))
        axes.set_xscale("log", base=2)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("message size")
        axes.set_ylabel("times the ideal")
        size_ticks(axes.xaxis, pd.concat([frame["bytes"] for _, frame in entries]))
        axes.margins(x=0.1)

    def alt(self, frame: pd.DataFrame) -> str:
        worst = frame.loc[frame["p99"].idxmax()]
        return (
            f"By size of message; the 99th percentile is largest for {size_text(worst['bytes'])}: {worst['p99']:.2f} times the "
            "ideal."
        )
