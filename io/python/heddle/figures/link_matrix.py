"""Maps of links by their place in the fabric, one per kind of link, coloured by their use over the whole run."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from heddle.figures.figure import WIDTH_IN, Cell, Drawing, Entries, Figure, noted
from heddle.figures.heat import scale_of_use
from heddle.figures.reading import link_totals
from heddle.figures.style import HEAT, LADDERS, NOTHING, top_of_scale
from heddle.results import Run
from heddle.text import text_of

MAX_CELLS = 1600  # of a kind of link


class LinkMatrix(Figure):
    name = "link_matrix"
    title = "Link use by place in the fabric"
    about = (
        "One map per kind of link: a row per switch at the lower end, a cell per link of it in the order of ports, dark is "
        "busy. Rows of one colour are even; dark cells are links that others could relieve."
    )
    alone = True

    def data(self, run: Run) -> pd.DataFrame:
        links = link_totals(run)
        nodes = run.nodes()
        names, kinds = nodes["name"].to_numpy(), nodes["kind"].astype(str).to_numpy()
        pieces, note, ranges = [], links.attrs["note"], {}
        for tier, rows in links.groupby("tier", sort=False):
            lower_is_source = _lower_is_source(tier)
            lower, port = ("src", "src_port") if lower_is_source else ("dst", "dst_port")
            if kinds[rows[lower].iloc[0]] == "endpoint":  # a cell per GPU, a row per rack switch
                lower, port = ("dst", "dst_port") if lower_is_source else ("src", "src_port")
            piece = pd.DataFrame(
                {
                    "tier": tier,
                    "switch": rows[lower],
                    "port": rows[port],
                    "use": rows["use"],
                    "src": rows["src_name"],
                    "dst": rows["dst_name"],
                }
            )
            piece["row"] = piece["switch"].rank(method="dense").astype(int) - 1
            piece["cell"] = piece.sort_values("port").groupby("switch").cumcount()
            pieces.append(_fewer(piece, names))
            ranges[tier] = (float(rows["use"].min()), float(rows["use"].mean()), float(rows["use"].max()))
            if len(pieces[-1]) < len(piece):
                note += (
                    f" {len(piece):,} links {tier.replace('>', ' to ')} are drawn as {len(pieces[-1]):,} cells, each with the "
                    "mean use of its links; the data has that of the busiest beside it."
                )
        frame = noted(pd.concat(pieces, ignore_index=True), note)
        frame.attrs["ranges"] = ranges
        return frame

    def height(self, frame: pd.DataFrame) -> float:
        return 3.6 if frame["tier"].nunique() <= 4 else 6.4

    def draw_in(self, axes: Axes, entries: Entries, drawing: Drawing) -> None:
        raise AssertionError("drawn as maps of its own")

    def _one(self, cell: Cell) -> Drawing:
        frame = cell.entries[0][1]
        tiers = list(frame["tier"].unique())
        columns = min(4, len(tiers))
        canvas = Canvas(figsize=(WIDTH_IN, self.height(frame)), layout="constrained")
        grid = canvas.subplots(-(-len(tiers) // columns), columns, squeeze=False)
        panels = list(grid.flat)
        for axes, tier in zip(panels, tiers):
            part = frame[frame["tier"] == tier].pivot(index="row", columns="cell", values="use")
            image = axes.imshow(
                part.to_numpy(), cmap=HEAT, vmin=NOTHING, vmax=top_of_scale(frame["use"]), aspect="auto", interpolation="nearest"
            )
            _, mean, most = frame.attrs["ranges"][tier]
            title = f"{tier.replace('>', ' > ')}\nmean {text_of(mean, 'share')}, busiest {text_of(most, 'share')}"
            axes.set_title(title, fontsize=8)
            axes.grid(False)
            axes.tick_params(labelsize=7)
            switches = frame[frame["tier"] == tier].drop_duplicates("row").sort_values("row")["of"].to_list()
            shown = sorted({int(place) for place in np.linspace(0, len(switches) - 1, min(6, len(switches)))})
            axes.set_yticks(shown, [switches[place] for place in shown])
            axes.set_xlabel("link of the switch")
        for axes in panels[len(tiers) :]:
            axes.set_axis_off()
        scale_of_use(canvas, panels[: len(tiers)], image)
        return Drawing(canvas)

    def alt(self, frame: pd.DataFrame) -> str:
        return (
            "Use of links by their place: "
            + ", ".join(
                f"{tier.replace('>', ' to ')} from {text_of(least, 'share')} to {text_of(most, 'share')}, mean {text_of(mean, 'share')}"
                for tier, (least, mean, most) in frame.attrs["ranges"].items()
            )
            + "."
        )


def _lower_is_source(tier: str) -> bool:
    source, destination = (name.split(".")[-1] for name in tier.split(">"))
    order = {name: place for ladder in LADDERS for place, name in enumerate(ladder)}
    return order.get(source, len(order)) <= order.get(destination, len(order))


def _fewer(piece: pd.DataFrame, names: np.ndarray) -> pd.DataFrame:
    """The cells of a kind of link; neighbouring rows and cells taken together, with their mean use and the most, where they are too
    many."""
    rows, cells = int(piece["row"].max()) + 1, int(piece["cell"].max()) + 1
    by_cell = max(1, -(-cells // 40))
    by_row = max(1, -(-rows * -(-cells // by_cell) // MAX_CELLS))
    piece = piece.assign(of=names[piece["switch"]], row=piece["row"] // by_row, cell=piece["cell"] // by_cell)
    cells_of = ["tier", "row", "cell"]
    first = piece.sort_values("use", ascending=False).groupby(cells_of, sort=True).first()
    first["busiest_use"], first["use"] = first["use"], piece.groupby(cells_of, sort=True)["use"].mean()
    first = first.reset_index()
    first["of"] = first["row"].map(piece.sort_values("switch").groupby("row")["of"].first())
    columns = ["tier", "row", "cell", "of", "src", "dst", "use", "busiest_use"]
    return first[columns].rename(columns={"src": "busiest_src", "dst": "busiest_dst"})
