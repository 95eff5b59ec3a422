"""How often queues were so deep, and pauses so long."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from heddle.figures.figure import Drawing, Entries, Figure, Missing, noted
from heddle.figures.reading import need
from heddle.figures.style import line_style, place_of_tier
from heddle.figures.units import ticks
from heddle.results import Run
from heddle.text import counted, text_of


class AtLeast(Figure):
    """Of a histogram [tier, bin]: the share of its samples that are at least so large.

    Frame: tier, edge, below (where the next bin begins, -1 of the last), count, share_at_least.
    """

    histogram: str
    groups: tuple[str, ...] = ("/histogram",)  # of the file, without which there is nothing to count
    edge: str
    unit: str
    axis_label: str
    sample: str
    nothing: str
    seen: str  # the first words of the text for who sees no pictures

    def data(self, run: Run) -> pd.DataFrame:
        for group in self.groups:
            need(run, group)
        counts = run.histogram(self.histogram)
        if counts.attrs.get("lacks"):
            raise Missing(str(counts.attrs["lacks"]))
        edges = counts[self.edge].values.astype(np.int64)
        pieces = []
        for tier in counts["tier"].values:
            count = counts.sel(tier=tier).values
            last = np.flatnonzero(count)
            if len(last) == 0 or last[-1] == 0:
                continue
            from_there_on = np.cumsum(count[::-1])[::-1]
            piece = pd.DataFrame(
                {
                    "tier": tier,
                    self.edge: edges,
                    "below": np.append(edges[1:], -1),
                    "count": count,
                    "share_at_least": from_there_on / count.sum(),
                }
            )
            used = piece.iloc[: last[-1] + 1]
            pieces.append(used[(used["count"] > 0) | (used.index == last[-1])])
        if not pieces:
            raise Missing(self.nothing)
        unfinished = int(np.sum(counts.attrs.get("unfinished", 0)))
        return noted(
            pd.concat(pieces, ignore_index=True),
            f"{counted(unfinished, 'pause')} had not ended, not counted here." if unfinished else "",
        )

    def draw_in(self, axes: Axes, entries: Entries, drawing: Drawing) -> None:
        frame = entries[0][1]
        for tier, rows in frame.groupby("tier", sort=False):
            rows = rows[rows[self.edge] > 0]
            axes.step(
                rows[self.edge],
                rows["share_at_least"],
                where="pre",
                label=tier.replace(">", " > "),
                **{**line_style(place_of_tier(tier)), "marker": None},
            )
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel(self.axis_label)
        axes.set_ylabel(f"share of {self.sample}")
        ticks(axes.xaxis, self.unit)
        ticks(axes.yaxis, "share")

    def alt(self, frame: pd.DataFrame) -> str:
        last = frame.groupby("tier", sort=False).tail(1)
        return (
            f"{self.seen}: "
            + ", ".join(f"{self._bound(row)} {row['tier'].replace('>', ' to ')}" for _, row in last.iterrows())
            + "."
        )

    def _bound(self, last: pd.Series) -> str:
        """What no sample of a kind of link reaches; of the last bin, which has no end, where that begins."""
        if last["below"] < 0:
            return f"{text_of(last[self.edge], self.unit, 4)} and more"
        return f"below {text_of(last['below'], self.unit, 4)}"


class QueueHistogram(AtLeast):
    name = "queue_histogram"
    title = "How often queues were so deep"
    about = (
        "Share of all looks at the egress queues of a kind of link that found at least so many bytes. Edges of bins are exact "
        "to 25 %."
    )
    histogram, edge, unit = "queue_depth", "queue_bytes", "B"
    groups = ("/histogram", "/series/tier")  # queues are looked at when rows of the series are made
    axis_label, sample = "queue of at least", "looks"
    nothing = "no look at the queues found one that was not empty"
    seen = "Queue depths seen"


class PauseLengths(AtLeast):
    name = "pause_lengths"
    title = "How long pauses were"
    about = (
        "Share of the pauses of a kind of link that lasted at least so long, from the decision to pause to that to resume. "
        "Edges of bins are exact to 25 %."
    )
    histogram, edge, unit = "pause_length", "pause_ps", "ps"
    axis_label, sample = "pause of at least", "pauses"
    nothing = "no pause was recorded"
    seen = "Lengths of pauses"
