"""The fabric as a drawing: tiers above each other, cables coloured by their use."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import Normalize
from matplotlib.figure import Figure as Canvas

from heddle.figures.figure import Drawing, Entries, Figure, noted
from heddle.figures.heat import colour_scale
from heddle.figures.link_matrix import TIERS
from heddle.figures.reading import first_of, link_totals
from heddle.figures.style import HEAT, NOTHING, top_of_scale
from heddle.results import Run
from heddle.text import share_text, time_text

MOST_ALONE = 40  # nodes of a tier that are drawn one by one
WHEN_GROUPED = 24  # groups of a tier that has more
MOST_LABELS = 20
MOST_DRAWN = 1_500  # lines that stay lines; more become pixels
WORDS = {"endpoint": "GPUs", "rtsw": "rack switches (RTSW)", "ctsw": "cluster switches (CTSW)", "atsw": "aggregation (ATSW)"}


class Fabric(Figure):
    name = "fabric"
    title = "The fabric, coloured by link use"
    about = (
        "Each half of a line is what its end sends: the lower half goes up, the upper half comes down. Dark and thick is "
        "busy: mean use over the run. "
        "Where a line stands for several links, it has their mean use."
    )
    height_in = 4.6

    def data(self, run: Run) -> pd.DataFrame:
        links, nodes = link_totals(run), run.nodes()
        group, drawn = groups(nodes, links)
        of = drawn.set_index("group")
        links["from"], links["to"] = group[links["src"]], group[links["dst"]]
        links = links.sort_values("use", ascending=False)
        frame = (
            links.groupby(["from", "to"], sort=True)
            .agg(
                links=("link", "size"),
                most_use=("use", "max"),
                mean_use=("use", "mean"),
                paused_ps=("paused_ps", "sum"),
                busiest_src=("src_name", "first"),
                busiest_dst=("dst_name", "first"),
            )
            .reset_index()
        )
        for end in ("from", "to"):
            for column in ("name", "tier", "nodes", "x", "y"):
                frame[f"{end}_{column}"] = of.loc[frame[end], column].to_numpy()
        frame.insert(3, "use", frame["mean_use"])
        note = links.attrs["note"]
        if len(drawn) < len(nodes):
            note += (
                f" {len(nodes):,} nodes are drawn as {len(drawn)}, and {len(links):,} links as {len(frame):,}, each with the mean use "
                "of its links; the data has that of the busiest beside it."
            )
        frame.attrs["busiest"] = first_of(links.sort_index(), "use")
        frame.attrs["counts"] = nodes["tier"].astype(str).value_counts().to_dict()
        return noted(frame.drop(columns=["from", "to"]), note)

    def draw_in(self, axes: Axes, entries: Entries, drawing: Drawing) -> None:
        frame = entries[0][1].sort_values("use", kind="stable")
        start = frame[["from_x", "from_y"]].to_numpy()
        middle = (start + frame[["to_x", "to_y"]].to_numpy()) / 2
        middle[(frame["from_y"] == frame["to_y"]).to_numpy(), 1] += 0.25
        use = frame["use"].to_numpy()
        lines = LineCollection(
            list(np.stack([start, middle], axis=1)),
            cmap=HEAT,
            norm=Normalize(NOTHING, 1),
            array=use,
            capstyle="butt",
            rasterized=len(frame) > MOST_DRAWN,
            zorder=1,
        )
        axes.add_collection(lines)
        drawing.tip(lines, [_tip(row) for row in frame.itertuples()])
        self._nodes(axes, frame, small=len(drawing.frames) > 1)
        axes.set_xlim(-0.03, 1.03)
        axes.set_ylim(-0.35, frame["from_y"].max() + 0.3)
        axes.set_axis_off()

    def _nodes(self, axes, frame, small):
        nodes = frame.drop_duplicates("from_name").sort_values(["from_y", "from_x"])
        for tier, row in nodes.groupby("from_tier", sort=False):
            y = row["from_y"].iloc[0]
            axes.scatter(
                row["from_x"],
                row["from_y"],
                marker="o" if tier == "endpoint" else "s",
                s=10 if small else 26,
                facecolor="white",
                edgecolor="#222222",
                linewidth=0.8,
                zorder=3,
            )
            if small:
                continue
            step = -(-len(row) // MOST_LABELS)
            below = tier == "endpoint"
            for at in list(row.itertuples())[::step]:
                axes.annotate(
                    at.from_name,
                    (at.from_x, y),
                    xytext=(0, -7 if below else 7),
                    textcoords="offset points",
                    ha="center",
                    va="top" if below else "bottom",
                    fontsize=6.5,
                    rotation=0 if len(row) / step * row["from_name"].str.len().max() <= 80 else 30,
                    bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6},  # no line shows through
                    zorder=2,
                )
            count = frame.attrs.get("counts", {}).get(tier)
            axes.annotate(
                f"{count:,} {WORDS.get(tier, tier)}" if count else WORDS.get(tier, tier),
                (-0.03, y),
                xytext=(-6, 0),
                textcoords="offset points",
                ha="right",
                va="center",
                fontsize=8,
            )

    def finish(self, canvas: Canvas, panels: list[Axes], frames: list[pd.DataFrame]) -> None:
        top = top_of_scale(frame["use"].max() for frame in frames)
        for axes in panels:
            lines = axes.collections[0]
            lines.set_clim(NOTHING, top)
            use = np.asarray(lines.get_array())
            thinner = max(0.4, min(1.0, 350 / max(1, int((use > 0.02 * top).sum()))))
            lines.set_linewidth(list(thinner * (0.4 + 2.6 * use / top)))
        colour_scale(canvas, panels, lines, "share", "share of line rate")

    def alt(self, frame: pd.DataFrame) -> str:
        counts = ", ".join(f"{count:,} {WORDS.get(tier, tier)}" for tier, count in frame.attrs.get("counts", {}).items())
        return f"{counts}; the busiest link is {frame.attrs['busiest']} with {share_text(float(frame['most_use'].max()))}."


def _tip(row) -> str:
    if row.links == 1:
        return f"{row.from_name} -> {row.to_name}: use {share_text(row.use)}, paused {time_text(row.paused_ps)}"
    return (
        f"{row.from_name} -> {row.to_name}: {row.links} links, use {share_text(row.mean_use)} in the mean; busiest "
        f"{row.busiest_src} -> {row.busiest_dst}, "
        f"{share_text(row.most_use)}; paused {time_text(row.paused_ps)} in all"
    )


def groups(nodes: pd.DataFrame, links: pd.DataFrame) -> tuple[np.ndarray, pd.DataFrame]:
    """Node -> what it is drawn as; and of these: group, name, tier, nodes, x and y in the drawing.

    Endpoints of a switch go together where there are many; switches of a tier and zone with their neighbours.
    """
    tier, zone, names = nodes["tier"].astype(str).to_numpy(), nodes["zone"].to_numpy(), nodes["name"].to_numpy()
    key = np.zeros(len(nodes), dtype=np.int64)
    endpoints = np.flatnonzero(tier == "endpoint")
    switch = np.zeros(len(nodes), dtype=np.int64)
    switch[links["src"]] = links["dst"]  # of an endpoint: its (last) switch
    for name in dict.fromkeys(tier):
        mine = np.flatnonzero(tier == name)
        if len(mine) <= MOST_ALONE:
            key[mine] = np.arange(len(mine))
        elif name != "endpoint":
            key[mine] = _neighbours(zone[mine])
    if len(endpoints) > MOST_ALONE:
        at_switch = [(tier[node], key[node]) for node in switch[endpoints]]
        order = {place: number for number, place in enumerate(dict.fromkeys(at_switch))}
        key[endpoints] = [order[place] for place in at_switch]
    levels = [name for name in TIERS if name in set(tier)] + sorted(set(tier) - set(TIERS))
    rows: list[tuple] = []
    group = np.zeros(len(nodes), dtype=np.int64)
    for y, name in enumerate(levels):
        mine = np.flatnonzero(tier == name)
        kinds = np.unique(key[mine])
        for place, one in enumerate(kinds):
            members = mine[key[mine] == one]
            group[members] = len(rows)
            text = names[members[0]] if len(members) == 1 else f"{names[members[0]]}-{_number(names[members[-1]])}"
            rows.append((len(rows), text, name, len(members), (place + 0.5) / len(kinds), y))
    return group, pd.DataFrame(rows, columns=["group", "name", "tier", "nodes", "x", "y"])


def _neighbours(zone: np.ndarray) -> np.ndarray:
    """Groups of consecutive nodes that never cross zones, about WHEN_GROUPED of them, but one for each zone at least."""
    zones, sizes = np.unique(zone, return_counts=True)
    key, first = np.zeros(len(zone), dtype=np.int64), 0
    for one, size in zip(zones, sizes):
        parts = min(int(size), max(1, WHEN_GROUPED // len(zones)))
        key[np.flatnonzero(zone == one)] = first + np.arange(size) * parts // size
        first += parts
    return key


def _number(name: str) -> str:
    digits = len(name) - len(name.rstrip("0123456789"))
    return name[-digits:] if digits else name
