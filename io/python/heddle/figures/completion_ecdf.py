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
from heddle.results.message_kinds import MessageKind, kinds_told_apart, of_kind
from heddle.text import text_of

MAX_POINTS = 400


def finished_times(run, kind: MessageKind | None = None) -> tuple[np.ndarray, int, str]:
    """Completion times (finish - posted, ps, sorted) of the explicit messages that finished; how many were posted; and a note of those
    that did not finish. Of a kind alone, where one is given."""
    need(run, "/message")
    messages, posted_ones = run.messages(), posted(run)
    if kind is not None:
        messages, posted_ones = of_kind(messages, kind), of_kind(posted_ones, kind)
    done = messages[messages["finish_ps"] >= 0]
    if done.empty:
        raise Missing(f"none of {len(messages):,} messages finished")
    begun = len(posted_ones)
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


@dataclass(frozen=True)
class Curve:
    """Of the messages of a kind, or of all: percentiles of completion, and of the times over the ideal, by per cent, 100 the most;
    empty where nothing is known."""

    completion: dict[float, Percentile]
    slowdown: dict[float, Percentile]


def curve_of(rows: pd.DataFrame) -> Curve:
    """Of rows of Run.summary("message"), or of one kind of "message_kind"."""
    rows = rows[rows["completion_ps"] >= 0]
    return Curve(
        percentiles_of(rows, "completion_ps", "completion_at_least"), percentiles_of(rows, "times_the_ideal", "ideal_at_least")
    )


def percentiles_of(rows: pd.DataFrame, column: str, at_least: str) -> dict[float, Percentile]:
    rows = rows.dropna(subset=[column])
    return {
        percent: Percentile(value, bool(bound))
        for percent, value, bound in rows[["percent", column, at_least]].itertuples(index=False, name=None)
    }


def _by_kind(frame: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """The rows of each curve, with its name; of a single one ""."""
    return list(frame.groupby("kind", sort=False)) if "kind" in frame else [("", frame)]


def ecdf_of(times_ps: np.ndarray, begun: int, column: str, note: str) -> pd.DataFrame:
    """The share of `begun` ones that was done within each of the sorted times, thinned out but for the slowest."""
    count = len(times_ps)
    tail = count - np.unique(np.geomspace(1, count, MAX_POINTS // 2).round().astype(np.int64)) + 1
    even = np.linspace(1, count, MAX_POINTS // 2).round().astype(np.int64)
    ranks = np.unique(np.concatenate([[1], tail, even]))
    frame = pd.DataFrame({"share": ranks / begun, column: times_ps[ranks - 1]})
    if count > len(ranks):
        note += f" {len(ranks)} of {count:,} points are drawn, all of the slowest among them."
    return noted(frame, note)


class CompletionEcdf(Figure):
    name = "completion_ecdf"
    title = "Message completion"
    about = (
        "Share of messages that were acknowledged within a time of their posting. Steep is even; a long foot to the right are "
        "stragglers. Those of checkpoints, of data, of each fabric and of each class have curves of their own."
    )
    overlay = True
    column, things, ends = "completion_ps", "messages", "complete"
    time_label = "completion: acknowledged - posted"

    def data(self, run: Run) -> pd.DataFrame:
        need(run, "/message")
        kinds = kinds_told_apart(run)
        if not kinds:
            frame = self._curve(run, None)
            frame.attrs["curves"] = {"": curve_of(summary(run, "message"))}
            return frame
        pieces, notes = [], []
        for kind in kinds:
            try:
                piece = self._curve(run, kind)
            except Missing as why:
                notes.append(f"{kind.text}: {why}.")
                continue
            notes += [f"{kind.text}: {note}"] if (note := piece.attrs["note"].strip()) else []
            piece.insert(0, "kind", kind.text)
            pieces.append(piece)
        if not pieces:
            raise Missing(f"none of {len(run.messages()):,} messages finished")
        for piece in pieces:
            piece.attrs = {}
        frame = noted(pd.concat(pieces, ignore_index=True), *notes)
        frame.attrs["curves"] = {kind.text: curve_of(rows) for kind, rows in kinds.items()}
        return frame

    @staticmethod
    def _curve(run: Run, kind: MessageKind | None) -> pd.DataFrame:
        times_ps, begun, note = finished_times(run, kind)
        return ecdf_of(times_ps, begun, CompletionEcdf.column, note)

    def draw_in(self, axes: Axes, entries: Entries, drawing: Drawing) -> None:
        lines = [(label, kind, rows) for label, frame in entries for kind, rows in _by_kind(frame)]
        for place, (label, kind, rows) in enumerate(lines):
            style = {**line_style(place), "marker": None}
            name = ": ".join(filter(None, (label, kind)))
            axes.step(rows[self.column], rows["share"], where="post", label=name or None, **style)
        if len(lines) == 1 and not lines[0][0] and not lines[0][1]:
            curve = entries[0][1].attrs["curves"][""]
            known = {percent: of for percent, of in curve.completion.items() if percent < 100 and not of.at_least}
            for place, (percent, of) in enumerate(known.items()):
                marker = {**line_style(place), "linestyle": "", "color": GREY}
                axes.plot([of.value], [percent / 100], label=f"p{percent:g}: {of.text('ps')}", zorder=3, **marker)
        least, most = (
            min(f[self.column].min() for f in drawing.frames),
            max(f[self.column].max() for f in drawing.frames),
        )
        if least > 0 and most / least > 20:
            axes.set_xscale("log")
        axes.set_ylim(0, 1.02)
        axes.set_xlabel(self.time_label)
        axes.set_ylabel(f"share of {self.things}")
        ticks(axes.xaxis, "ps")
        ticks(axes.yaxis, "share")

    def alt(self, frame: pd.DataFrame) -> str:
        texts = []
        for kind, curve in frame.attrs["curves"].items():
            if not curve.completion:
                continue
            values = ", ".join(f"p{percent:g} {of.text('ps', 4)}" for percent, of in curve.completion.items() if percent < 100)
            slowest = curve.completion[100.0].text("ps", 4)
            things = f"{kind}: {self.things}" if kind else self.things.capitalize()
            texts.append(f"{things} {self.ends} after {values}; the slowest after {slowest}.")
        return " ".join(texts)
