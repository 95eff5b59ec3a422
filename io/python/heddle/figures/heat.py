"""A map of links against time, coloured by their use."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from heddle.figures.figure import Drawing, Entries, Figure, Missing, noted
from heddle.figures.reading import has_link_series, link_name, rows_of_pieces
from heddle.figures.style import HEAT, NOTHING
from heddle.figures.timeline import time_axis, with_marks
from heddle.figures.units import ticks
from heddle.results import Run

MAX_ROWS = 40  # of a kind of link
MAX_INSTANTS = 120


def scale_of_use(canvas, panels, image):
    """A scale of colours beside the panels."""
    bar = canvas.colorbar(image, ax=panels, fraction=0.04, pad=0.02, aspect=24)
    bar.set_label("share of line rate")
    ticks(bar.ax.yaxis, "share")
    bar.outline.set_visible(False)


def groups_of(links: pd.DataFrame) -> list[tuple[str, np.ndarray, str]]:
    """(kind, ids, name) of groups of neighbouring links of a kind, at most MAX_ROWS of each kind."""
    groups = []
    for tier, rows in links.groupby("tier", sort=False):
        for part in np.array_split(rows.index.to_numpy(), min(len(rows), MAX_ROWS)):
            first, last = rows.loc[part[0]], rows.loc[part[-1]]
            name = link_name(first) if len(part) == 1 else f"{link_name(first)} to {link_name(last)} ({len(part)} links)"
            groups.append((tier, rows.loc[part, "link"].to_numpy(), name))
    return groups


def edges_of(columns: Iterable[str]) -> np.ndarray:
    """Where the intervals of the columns until_<time>_ps begin and end, ps: one more than columns."""
    return np.array([0, *(int(name.split("_")[1]) for name in columns)])


def mean_use(frame: pd.DataFrame) -> np.ndarray:
    """[row] of LinkHeat.data(): its mean over the time, in which intervals count by their length."""
    interval_ps = np.maximum(np.diff(edges_of(frame.columns[2:])), 1)
    return np.average(frame.iloc[:, 2:].to_numpy(dtype=float), axis=1, weights=interval_ps)


class LinkHeat(Figure):
    name = "link_heat"
    title = "Link use over time, link by link"
    about = (
        "A row is a link, or a group of neighbouring links; dark is busy. A dark row is an uneven load, a dark column a busy "
        "moment."
    )
    height_in = 5.2

    def data(self, run: Run) -> pd.DataFrame:
        if not has_link_series(run):
            raise Missing(run.missing().get("/series/link", "links were not recorded over time"))
        group = run.file["series/link"]
        time_ps = group["time_ps"][...].astype(np.int64)
        kept = rows_of_pieces(time_ps, MAX_INSTANTS)
        links = run.links()
        groups = groups_of(links)
        could_bytes = links["bits_per_s"].to_numpy(dtype=float) / 8e12
        before, before_ps = np.zeros(len(links)), 0
        columns: dict[str, list[str] | np.ndarray] = {"tier": [tier for tier, _, _ in groups]}
        columns["links"] = [name for _, _, name in groups]
        sizes = np.array([len(ids) for _, ids, _ in groups])
        members, starts = np.concatenate([ids for _, ids, _ in groups]), np.cumsum([0, *sizes])[:-1]
        for row in kept:
            sent = group["sent_bytes"][row].astype(float)
            interval_ps = max(int(time_ps[row]) - before_ps, 1)
            use = (sent - before) / (could_bytes * interval_ps)
            columns[f"until_{time_ps[row]}_ps"] = np.round(np.add.reduceat(use[members], starts) / sizes, 4)
            before, before_ps = sent, int(time_ps[row])
        frame = pd.DataFrame(columns)
        note = (
            f"{len(links):,} links are drawn as {len(groups)} rows, each with the mean use of its neighbours."
            if len(groups) < len(links)
            else ""
        )
        if len(kept) < len(time_ps):
            note += f" {len(time_ps):,} recorded instants are drawn as {len(kept)}; uses are exact means between these."
        return with_marks(noted(frame, note), run)

    def draw_in(self, axes: Axes, entries: Entries, drawing: Drawing) -> None:
        frame = entries[0][1]
        edges_ps = edges_of(frame.columns[2:])
        top, names = 0, []
        for tier, rows in frame.groupby("tier", sort=False):
            values = rows.iloc[:, 2:].to_numpy(dtype=float)
            lines = np.arange(top, top + len(values) + 1)
            axes.pcolormesh(edges_ps, lines, values, cmap=HEAT, vmin=NOTHING, vmax=1, rasterized=True)
            names.append((top + len(values) / 2, tier.replace(">", "\n> ")))
            top += len(values) + max(1, len(frame) // 40)
        axes.set_yticks([place for place, _ in names], [name for _, name in names])
        axes.set_ylim(top, 0)
        axes.grid(False)
        time_axis(axes, frame)

    def finish(self, canvas: Canvas, panels: list[Axes], frames: list[pd.DataFrame]) -> None:
        scale_of_use(canvas, panels, panels[0].collections[0])

    def alt(self, frame: pd.DataFrame) -> str:
        means = mean_use(frame)
        row = int(means.argmax())
        return f"{len(frame)} rows of links over time; in the mean the busiest is {frame['links'][row]} ({means[row]:.0%})."
