"""A counter of links over time, summed over the links from one tier to another: what several figures draw."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from heddle.figures.figure import Drawing, Entries, Figure, Missing, noted
from heddle.figures.reading import largest_of_pieces, need, note_of_thinning, rows_of_pieces
from heddle.figures.style import line_style, place_of_tier
from heddle.figures.timeline import time_axis, with_marks
from heddle.figures.units import ticks
from heddle.results import Run
from heddle.text import text_of


class TierFigure(Figure):
    """One line for each kind of link. Frame: time_ps, interval_ps (since the row before), a column per kind of link."""

    quantity: str  # of /series/tier
    axis_label: str
    unit: str  # of the columns, as heddle.text has them
    nothing: str  # what is said when it never differs from 0
    whole = False  # the y axis ends at 1

    def per_interval(self, series: pd.DataFrame, kept: np.ndarray, bits_per_s: np.ndarray, links: np.ndarray) -> np.ndarray:
        """[kept rows, kinds] from the counters at all instants (index time_ps)."""
        raise NotImplementedError

    def data(self, run: Run) -> pd.DataFrame:
        need(run, "/series/tier")
        counter = run.series(self.quantity, by="tier")
        time_ps = counter["time_ps"].values
        if not counter.values.any():
            raise Missing(self.nothing)
        kept = rows_of_pieces(time_ps)
        series = pd.DataFrame(counter.values, index=time_ps, columns=list(counter["tier"].values))
        values = self.per_interval(series, kept, counter["bits_per_s"].values, counter["links"].values)
        frame = pd.DataFrame({"time_ps": time_ps[kept], "interval_ps": np.diff(time_ps[kept], prepend=0)})
        for place, tier in enumerate(series.columns):
            frame[tier] = values[:, place]
        return with_marks(noted(frame, self.note_of(len(time_ps), len(kept))), run)

    def note_of(self, rows: int, kept: int) -> str:
        return note_of_thinning(rows, kept)

    def draw_in(self, axes: Axes, entries: Entries, drawing: Drawing) -> None:
        frame = entries[0][1]
        for tier in frame.columns[2:]:
            style = {**line_style(place_of_tier(tier)), "marker": None}
            axes.step(
                [0, *frame["time_ps"]], [frame[tier].iloc[0], *frame[tier]], where="pre", label=tier.replace(">", " > "), **style
            )
        axes.set_ylim(0, 1.02 if self.whole else None)
        axes.set_ylabel(self.axis_label)
        ticks(axes.yaxis, self.unit)
        time_axis(axes, frame)

    def alt(self, frame: pd.DataFrame) -> str:
        peaks = frame[frame.columns[2:]].max()
        return (
            f"{self.axis_label[0].upper()}{self.axis_label[1:]} over time, per kind of link; at most "
            + ", ".join(
                f"{text_of(float(value), self.unit)} {tier.replace('>', ' to ')}" for tier, value in peaks[peaks > 0].items()
            )
            + "."
        )


def rates(series: pd.DataFrame, kept: np.ndarray) -> np.ndarray:
    """Differences of a counter over the time between kept rows, per ps."""
    counts = np.diff(series.to_numpy()[kept], axis=0, prepend=0)
    interval_ps = np.diff(series.index.to_numpy()[kept], prepend=0)[:, np.newaxis]
    return np.divide(counts, interval_ps, out=np.zeros(counts.shape), where=interval_ps > 0)


class LinkUse(TierFigure):
    name = "link_use"
    title = "Link use over time"
    about = "Share of the line rate that was used, in the mean of all links of a kind."
    quantity = "sent_bytes"
    axis_label = "share of line rate"
    unit = "share"
    nothing = "nothing was sent"

    def per_interval(self, series, kept, bits_per_s, links):
        return rates(series, kept) * 8e12 / bits_per_s

    def draw_in(self, axes: Axes, entries: Entries, drawing: Drawing) -> None:
        super().draw_in(axes, entries, drawing)
        axes.set_ylim(0, max(0.05, min(1.02, 1.1 * float(entries[0][1].iloc[:, 2:].to_numpy().max()))))


class QueueDepth(TierFigure):
    name = "queue_depth"
    title = "Queue depth over time"
    about = (
        "Bytes that wait at the egresses of all links of a kind together. Where only sums per kind are recorded, one long "
        "queue and many short ones look alike: see the largest queues."
    )
    quantity = "queue_bytes"
    axis_label = "waiting"
    unit = "B"
    nothing = "no queue was seen at any instant of the series"

    def per_interval(self, series, kept, bits_per_s, links):
        return largest_of_pieces(series.to_numpy(), kept)

    def note_of(self, rows, kept):
        return "" if rows == kept else f"{rows:,} recorded instants are drawn as {kept} pieces of time, each with its largest sum."


class PauseTime(TierFigure):
    name = "pause_time"
    title = "PFC: paused over time"
    about = "Share of the time in which a link of a kind was paused, in the mean of all its links (every lossless class counts)."
    quantity = "paused_ps"
    axis_label = "share of time paused"
    unit = "share"
    nothing = "no link was paused"

    def per_interval(self, series, kept, bits_per_s, links):
        return rates(series, kept) / links


class EcnMarks(TierFigure):
    name = "ecn"
    title = "ECN marks over time"
    about = (
        "Packets that were marked, per microsecond, by the kind of link for which they waited: one may be marked on several. "
        "Without a congestion control, marks change nothing."
    )
    quantity = "ecn_marks"
    axis_label = "marks per us"
    unit = ""
    nothing = "no packet was marked"

    def per_interval(self, series, kept, bits_per_s, links):
        return rates(series, kept) * 1e6
