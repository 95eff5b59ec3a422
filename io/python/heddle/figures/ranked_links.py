"""The twenty links that stand out by something, by name: what several figures draw."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from heddle.figures.figure import Drawing, Entries, Figure, Missing, beside, name_rows, noted
from heddle.figures.reading import alike, link_name, link_totals
from heddle.figures.style import PAPER, bar_style, place_of_tier
from heddle.figures.units import ticks
from heddle.results import Run
from heddle.text import counted, share_text, text_of, time_text

MAX_LINKS = 20
MIN_OF_KIND = 2


class RankedLinks(Figure):
    """Bars, longest first. Frame: link (name), tier, the column, and what else is known of the link."""

    alone = True
    column: str
    unit: str
    axis_label: str
    nothing: str
    room = 1.14  # of the longest bar and the text behind it, in lengths of the bar

    def data(self, run: Run) -> pd.DataFrame:
        links = link_totals(run)
        if self.column not in links:
            raise Missing(run.missing().get("/link", "the file has no such total of links"))
        top, ties = self.ranked(links[links[self.column] > 0])
        if top.empty:
            raise Missing(self.nothing)
        known = [
            "use",
            "sent_bytes",
            "packets",
            "paused_ps",
            "pauses",
            "ecn_marks",
            "peak_queue_bytes",
            "peak_queue_ps",
            "egress_drops",
            "ingress_drops",
            "losses",
            "qps",
        ]
        frame = top[["link", "tier", *(column for column in known if column in top)]].reset_index(drop=True)
        frame.insert(1, "name", [link_name(row) for row in top.itertuples()])
        return noted(frame, links.attrs["note"], ties)

    def ranked(self, links: pd.DataFrame) -> tuple[pd.DataFrame, str]:
        """Those that are drawn, and a sentence about others that have as much as the last of them."""
        top = links.nlargest(MAX_LINKS, self.column)
        return top, self._said([(top, links, "")])

    def _said(self, ranks: list[tuple[pd.DataFrame, pd.DataFrame, str]]) -> str:
        """`ranks`: (drawn, of these links, of which kind)."""
        told = []
        for top, links, kind in ranks:
            if top.empty:
                continue
            last = top[self.column].iloc[-1]
            more = alike(links, self.column, last) - alike(top, self.column, last)
            if more:
                told.append(f"{counted(more, 'link')}{f' {kind}' if kind else ''} ({text_of(last, self.unit)})")
        of_kind = " of its kind" if len(ranks) > 1 else ""
        return f"Not drawn, but exactly like the last one drawn{of_kind}: {', '.join(told)}." if told else ""

    def height(self, frame: pd.DataFrame) -> float:
        return 0.9 + 0.21 * len(frame)

    def draw_in(self, axes: Axes, entries: Entries, drawing: Drawing) -> None:
        frame = entries[0][1]
        rows = np.arange(len(frame))
        for tier in sorted(frame["tier"].unique(), key=place_of_tier):
            mine = frame["tier"] == tier
            bars = axes.barh(
                rows[mine],
                frame.loc[mine, self.column],
                height=0.72,
                label=tier.replace(">", " > "),
                **bar_style(place_of_tier(tier)),
            )
            for bar, row in zip(bars, frame[mine].itertuples()):
                drawing.tip(bar, [f"{row.name}: {self._more(row)}"])
        for row in frame.itertuples():
            beside(axes, (getattr(row, self.column), row.Index), self.value_text(row), bbox={**PAPER, "pad": 0.5})
        name_rows(axes, frame["name"])
        axes.set_xlim(0, self.room * float(frame[self.column].max()))
        axes.set_xlabel(self.axis_label)
        ticks(axes.xaxis, self.unit)

    def value_text(self, row) -> str:
        return text_of(getattr(row, self.column), self.unit)

    def _more(self, row):
        return f"use {share_text(row.use)}, paused {time_text(row.paused_ps)}, largest queue {text_of(row.peak_queue_bytes, 'B')}"

    def alt(self, frame: pd.DataFrame) -> str:
        return (
            f"The {len(frame)} links with the most: "
            + ", ".join(f"{row.name} {self.value_text(row)}" for row in frame.head(3).itertuples())
            + (", ..." if len(frame) > 3 else ".")
        )


class BusiestLinks(RankedLinks):
    name = "busiest_links"
    title = "Busiest links"
    about = "Share of the whole run in which a link sent; of every kind of link the busiest."
    column, unit, axis_label = "use", "share", "share of line rate, mean over the run"
    nothing = "nothing was sent"

    def ranked(self, links: pd.DataFrame) -> tuple[pd.DataFrame, str]:
        """As many of every kind: of all together, the first twenty are mostly alike, such as NICs in an even load."""
        kinds = sorted(links["tier"].unique(), key=place_of_tier)
        each = max(MIN_OF_KIND, MAX_LINKS // max(len(kinds), 1))
        by_kind = {kind: links[links["tier"] == kind] for kind in kinds}
        ranks = [(rows.nlargest(each, self.column), rows, kind.replace(">", " > ")) for kind, rows in by_kind.items()]
        return pd.concat([links.head(0), *(top for top, *_ in ranks)]), self._said(ranks)

    def alt(self, frame: pd.DataFrame) -> str:
        first = frame.groupby("tier", sort=False).head(1)
        told = ", ".join(f"{row.name} {text_of(row.use, self.unit)}" for row in first.itertuples())
        return f"The busiest of each kind of link: {told}."

    def draw_in(self, axes: Axes, entries: Entries, drawing: Drawing) -> None:
        super().draw_in(axes, entries, drawing)
        axes.axvline(1, color="black", linewidth=0.8, zorder=0.5)


class LargestQueues(RankedLinks):
    name = "largest_queues"
    title = "Largest queues"
    about = (
        "The most bytes that ever waited for a link at its egress, and when. The queues of NICs do not count: their data waits in "
        "memory."
    )
    column, unit, axis_label = "peak_queue_bytes", "B", "largest queue"
    nothing = "no packet ever waited at an egress of a switch"
    room = 1.24

    def value_text(self, row) -> str:
        """A file that is not whole does not know when."""
        at_ps = getattr(row, "peak_queue_ps", -1)
        return super().value_text(row) + (f" at {time_text(at_ps, 3)}" if at_ps >= 0 else "")


class PausedLinks(RankedLinks):
    name = "paused_links"
    title = "Longest paused links"
    about = "How long PFC held a link, summed over its lossless classes. The link's destination is who paused it."
    column, unit, axis_label = "paused_ps", "ps", "time paused"
    nothing = "no link was paused"
