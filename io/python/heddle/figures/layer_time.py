"""The data-parallel collectives of a layer, which heddle step simulates: bytes at the full rate of the busiest link, latency, and the rest."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from heddle.figures.figure import Drawing, Entries, Figure, beside, name_rows, shortened
from heddle.figures.iterations import REST, stacked
from heddle.figures.units import ticks
from heddle.text import time_text

MAX_BARS = 32
MAX_NAME = 44
PARTS = {"even_ps": "bytes, evenly spread", "uneven_ps": "more of them on the busiest link", "latency_ps": "latency", REST: "rest"}


class LayerTime(Figure):
    """Its frame is made by heddle.report.layers: run, collective, time_ps, the columns of PARTS, and busiest (a link)."""

    name = "layer_time"
    title = "Where the time of a layer's collectives goes"
    about = (
        "Of each kind the slowest ring. Bytes: what those of the busiest link take at its full rate, as if they were spread evenly over its "
        "kind of link, and what comes on top because it has more. Latency: what does not grow with the bytes, from two sizes. Rest: queues, "
        "pauses, senders that slow down, and waiting for other ranks."
    )

    def height(self, frame: pd.DataFrame) -> float:
        return 1.1 + 0.3 * max(min(len(frame), MAX_BARS), 3)

    def draw_in(self, axes: Axes, entries: Entries, drawing: Drawing) -> None:
        frame = entries[0][1].head(MAX_BARS)
        stacked(axes, frame, PARTS, 0.66, drawing, lambda row, part: f"{row.run}, {row.collective}: {part}")
        for row in frame.itertuples():
            beside(axes, (row.time_ps, row.Index), time_text(row.time_ps, 4))
        name_rows(axes, [shortened(f"{row.run}: {row.collective}", MAX_NAME) for row in frame.itertuples()])
        axes.set_xlim(0, 1.12 * float(frame.time_ps.max()))
        axes.set_xlabel("time of one collective, from the last rank's entry to the last rank's end")
        ticks(axes.xaxis, "ps")

    def alt(self, frame: pd.DataFrame) -> str:
        told = []
        for row in frame.head(4).to_dict("records"):
            shares = ", ".join(f"{label} {100 * row[key] / row['time_ps']:.0f} %" for key, label in PARTS.items() if row[key])
            told.append(f"{row['run']}, {row['collective']}: {time_text(row['time_ps'], 4)}, of which {shares}")
        return "; ".join(told) + ("; and more, in the data." if len(frame) > 4 else ".")
