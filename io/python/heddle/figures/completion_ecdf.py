"""How long messages took: the share of them that was done within a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from heddle.figures.figure import Drawing, Entries, Figure, Missing, noted
from heddle.figures.reading import need, posted, summary
from heddle.figures.style import GREY, line_style
from heddle.figures.units import ticks
from heddle.results import Run
from heddle.text import text_of

MAX_POINTS = 400


def finished_times(run) -> tuple[np.ndarray, int, str]:
    """Completion times (finish - posted, ps, sorted) of the explicit messages that finished; how many were posted; and a note of those
    that did not finish."""
    need(run, "/message")
    messages = run.messages()
    done = messages[messages["finish_ps"] >= 0]
    if done.empty:
        raise Missing(f"none of {len(messages):,} messages finished")
    begun = len(posted(run))
    unfinished = begun - len(done)
    note = (
        f"{unfinished:,} of {begun:,} messages that were posted did not finish: the curve ends below 100 %, and percentiles that they"
        " can raise are lower bounds (>=)."
        if unfinished
        else ""
    )
    return np.sort((done["finish_ps"] - done["posted_ps"]).to_numpy()), begun, note


@dataclass(frozen=True)
class Percentile:
    """Of the messages that were posted; `at_least`: a lower bound, which those that did not finish can raise."""

    value: float
    at_least: bool

    def text(self, unit: str, digits: int = 6) -> str:
        return ">= " * self.at_least + text_of(self.value, unit, digits)


def percentiles_of(run: Run, column: str, at_least: str) -> dict[float, Percentile]:
    """A column of Run.summary("message") by per cent, 100 the most; empty where nothing is known. Raises Missing."""
    rows = summary(run, "message").dropna(subset=[column])
    return {
        percent: Percentile(value, bool(bound))
        for percent, value, bound in rows[["percent", column, at_least]].itertuples(index=False, name=None)
    }


class CompletionEcdf(Figure):
    name = "completion_ecdf"
    title = "Message completion"
    about = (
        "Share of messages that were acknowledged within a time of their posting. Steep is even; a long foot to the right are "
        "stragglers."
    )
    overlay = True

    def data(self, run: Run) -> pd.DataFrame:
        times_ps, begun, note = finished_times(run)
        count = len(times_ps)
        tail = count - np.unique(np.geomspace(1, count, MAX_POINTS // 2).round().astype(np.int64)) + 1
        even = np.linspace(1, count, MAX_POINTS // 2).round().astype(np.int64)
        ranks = np.unique(np.concatenate([[1], tail, even]))
        frame = pd.DataFrame({"share": ranks / begun, "completion_ps": times_ps[ranks - 1]})
        frame.attrs["percentiles"] = percentiles_of(run, "completion_ps", "completion_at_least")
        frame.attrs["slowdown"] = percentiles_of(run, "times_the_ideal", "ideal_at_least")
        if count > len(ranks):
            note += f" {len(ranks)} of {count:,} points are drawn, all of the slowest among them."
        return noted(frame, note)

    def draw_in(self, axes: Axes, entries: Entries, drawing: Drawing) -> None:
        for place, (label, frame) in enumerate(entries):
            style = {**line_style(place), "marker": None}
            axes.step(frame["completion_ps"], frame["share"], where="post", label=label or None, **style)
        if len(entries) == 1 and not entries[0][0]:
            known = {percent: of for percent, of in entries[0][1].attrs["percentiles"].items() if percent < 100 and not of.at_least}
            for place, (percent, of) in enumerate(known.items()):
                marker = {**line_style(place), "linestyle": "", "color": GREY}
                axes.plot([of.value], [percent / 100], label=f"p{percent:g}: {of.text('ps')}", zorder=3, **marker)
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
        percentiles = frame.attrs["percentiles"]
        values = ", ".join(f"p{percent:g} {of.text('ps', 4)}" for percent, of in percentiles.items() if percent < 100)
        return f"Messages complete after {values}; the slowest after {percentiles[100.0].text('ps', 4)}."
