"""The tree of heddle.figures.pause_causes, drawn with a bar for how long each link was paused."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from heddle.figures.figure import Drawing, Entries, Figure
from heddle.figures.pause_causes import pause_tree
from heddle.figures.style import ALERT, COLOURS, GREY
from heddle.results import Run
from heddle.text import counted, share_text, time_text

TEXT_LEFT, BAR_LEFT, BAR_RIGHT = 0.0, 0.4, 0.78
INDENT = 0.024


class PauseTree(Figure):
    name = "pause_tree"
    title = "Who paused whom, from the root cause"
    about = (
        "A link stands below the paused link that kept its destination from sending on. Bars: time paused. Per cent: of its "
        "pauses, in how many "
        "the link above was paused, too (below a root: in how many none was). An inference from times."
    )
    alone = True

    def data(self, run: Run) -> pd.DataFrame:
        return pause_tree(run)

    def height(self, frame: pd.DataFrame) -> float:
        return 0.5 + 0.2 * len(frame)

    def draw_in(self, axes: Axes, entries: Entries, drawing: Drawing) -> None:
        frame = entries[0][1]
        axes.set_axis_off()
        axes.set_xlim(0, 1)
        axes.set_ylim(len(frame) - 0.4, -1.3)
        most = max(int(frame.loc[frame["depth"] > 0, "paused_ps"].max()), 1)
        for header, x in (("root cause, and links that were paused because of it", TEXT_LEFT), ("time paused", BAR_LEFT)):
            axes.text(x, -1, header, fontsize=8, color=GREY, va="center")
        last_at: dict[int, int] = {}
        for row in frame.itertuples():
            self._connect(axes, row, last_at)
            share = "" if np.isnan(row.share) else f", {row.share:.0%}"
            words = f"{time_text(row.paused_ps, 4)} in {counted(row.pauses, 'pause')}{share}"
            if row.depth == 0:
                axes.text(
                    TEXT_LEFT,
                    row.Index,
                    f"{row.what}: {counted(row.links_below, 'link')} paused, {words} in all",
                    fontsize=8,
                    va="center",
                    weight="bold",
                    color=ALERT,
                )
                continue
            axes.text(TEXT_LEFT + INDENT * row.depth, row.Index, row.what, fontsize=8, va="center", color="#222222")
            if row.link < 0:
                axes.text(BAR_LEFT, row.Index, words, fontsize=7, va="center")
                continue
            width = (BAR_RIGHT - BAR_LEFT) * row.paused_ps / most
            bar = axes.barh([row.Index], [width], left=BAR_LEFT, height=0.62, facecolor=COLOURS[0])[0]
            drawing.tip(bar, [f"{row.what}: {words}"])
            axes.text(BAR_LEFT + width + 0.006, row.Index, words, fontsize=7, va="center")

    def _connect(self, axes, row, last_at):
        last_at[row.depth] = row.Index
        if row.depth == 0:
            return
        x = TEXT_LEFT + INDENT * (row.depth - 1) + 0.008
        axes.plot(
            [x, x, x + INDENT - 0.010],
            [last_at.get(row.depth - 1, row.Index) + 0.38, row.Index, row.Index],
            color="#AAAAAA",
            linewidth=0.8,
            zorder=0,
        )

    def alt(self, frame: pd.DataFrame) -> str:
        roots = frame[frame["depth"] == 0]
        in_all = max(int(roots["paused_ps"].sum()), 1)
        texts = [
            f"{row.what}: {counted(row.links_below, 'link')} paused for {time_text(row.paused_ps, 4)} in all, "
            f"{share_text(row.paused_ps / in_all)} of all pause time"
            for row in roots.head(3).itertuples()
        ]
        return f"Root causes of pauses: {frame.attrs.get('roots', len(roots))}. " + "; ".join(texts) + "."
