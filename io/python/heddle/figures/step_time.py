"""Steps by their parts: of each variant what is computing, bubble, and exposed communication of each group."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from heddle.figures.figure import Drawing, Entries, Figure, beside, name_rows, shortened
from heddle.figures.iterations import BUBBLE, LABELS, REST, stacked
from heddle.figures.units import ticks
from heddle.step.wording import ms_text
from heddle.text import time_text

MAX_NAME = 44
MAX_BARS = 24


class StepTime(Figure):
    """Its frame is made by heddle.report.sections.step_time: variant, setting, low_ps, high_ps, time_ps, columns of LABELS, BUBBLE, REST."""

    name = "step_time"
    title = "Where the time of a step goes"
    about = (
        "Bars: the mean of both estimates, of a GPU in the mean. Black: the interval of the step's time. The bubble is what the schedule "
        "leaves when stages are equal and sends take no time, (stages - 1) / (micro-batches x virtual stages) of the computing and of the "
        "communication inside servers, or two thirds of that where there is one iteration, at whose end nobody waits; it is not measured, and "
        "what else GPUs wait for the pipeline is shown apart. Rest: GPUs that end early wait for the last one."
    )

    def height(self, frame: pd.DataFrame) -> float:
        return 1.3 + 0.42 * max(min(len(frame), MAX_BARS), 2)

    def draw_in(self, axes: Axes, entries: Entries, drawing: Drawing) -> None:
        frame = entries[0][1].head(MAX_BARS)
        rows = np.arange(len(frame))
        groups = {column: label for column, label in LABELS.items() if column in frame}
        parts = {"compute_ps": groups.pop("compute_ps"), BUBBLE: "bubble of the schedule", **groups, REST: "rest"}
        stacked(axes, frame, parts, 0.66, drawing, lambda row, part: f"{row.variant}: {part} of {time_text(row.time_ps, 4)}")
        middle, half = (frame.high_ps + frame.low_ps) / 2, (frame.high_ps - frame.low_ps) / 2
        axes.errorbar(
            middle, rows, xerr=half, fmt="none", ecolor="black", elinewidth=1.4, capsize=5, label="interval of the step's time"
        )
        for row in frame.itertuples():
            beside(axes, (row.high_ps, row.Index), f"{ms_text(row.low_ps)} to {ms_text(row.high_ps)} ms", away=7)
        name_rows(axes, [shortened(_name(row.variant, row.setting), MAX_NAME) for row in frame.itertuples()])
        axes.set_xlim(0, 1.2 * float(frame.high_ps.max()))
        axes.set_xlabel("time of a GPU, in the mean")
        ticks(axes.xaxis, "ps")

    def alt(self, frame: pd.DataFrame) -> str:
        parts = {**LABELS, BUBBLE: "bubble", REST: "rest"}
        texts = []
        for row in frame.head(4).to_dict("records"):
            shares = sorted(((row[key], label) for key, label in parts.items() if row.get(key)), reverse=True)
            shown = ", ".join(f"{label} {100 * ps / row['time_ps']:.0f} %" for ps, label in shares)
            texts.append(
                _name(row["variant"], row["setting"])
                + f": {ms_text(row['low_ps'])} to {ms_text(row['high_ps'])} ms, of which {shown}"
            )
        return "; ".join(texts) + ("; and more, in the data." if len(frame) > 4 else ".")


def _name(variant: str, setting: str) -> str:
    """A single variant has none."""
    return f"{variant} {setting}".strip() or "the step"
