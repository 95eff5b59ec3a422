"""What came out of several runs against what they differ in: a panel per measure."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Canvas

from heddle.collection import OVER
from heddle.figures.figure import WIDTH_IN, Drawing, legend_beside, shortened
from heddle.figures.style import house_style, line_style
from heddle.figures.units import ticks
from heddle.text import counted, text_of

COLUMNS = 3
MAX_PANELS = 12
MAX_LINES = 7
MAX_LABELS = 8
RUN = "run"  # the column that takes the place of an axis where there is none

Measures = list[tuple[str, str, str]]  # key, title, unit


def draw_outcomes(frame: pd.DataFrame, measures: Measures, keys: list[str]) -> Drawing | None:
    """`frame`: a row per run with the columns status, `keys` (texts) and one per measure.

    None where no measure differs between runs that came to their end.
    """
    varied = _varied(frame, measures)[:MAX_PANELS]
    if not varied:
        return None
    across = _across(frame, keys)
    others = [key for key in keys if key != across]
    with house_style():
        rows = math.ceil(len(varied) / COLUMNS)
        canvas = Canvas(figsize=(WIDTH_IN, 2.3 * rows + 0.3), layout="constrained")
        drawing = Drawing(canvas, [frame])
        grid = canvas.subplots(rows, min(COLUMNS, len(varied)), squeeze=False)
        for place, (axes, measure) in enumerate(zip(grid.flat, varied)):
            _panel(axes, frame, measure, across, others)
            if place < len(varied) - grid.shape[1]:
                axes.set_xlabel("")
        for axes in list(grid.flat)[len(varied) :]:
            axes.set_axis_off()
        legend_beside(grid[0][-1], list(grid.flat)[: len(varied)])
    return drawing


def _across(frame: pd.DataFrame, keys: list[str]) -> str:
    """The axis below the panels: that with the most values, but not with more than a panel has room for."""
    return max(keys, key=lambda key: (frame[key].nunique() <= 40, frame[key].nunique()))


def _varied(frame: pd.DataFrame, measures: Measures) -> Measures:
    over = frame[frame["status"].isin(OVER)]
    return [measure for measure in measures if over[measure[0]].nunique() > 1]


def _panel(axes, frame: pd.DataFrame, measure: tuple[str, str, str], across: str, others: list[str]) -> None:
    key, title, unit = measure
    values = list(dict.fromkeys(frame[across]))
    groups = list(frame.groupby(others if len(others) > 1 else others[0], sort=False)) if others else [("", frame)]
    for place, (name, rows) in enumerate(groups[:MAX_LINES]):
        names = name if isinstance(name, tuple) else (name,)
        label = ", ".join(
            f"{other.split('.')[-2] + '.' if other.count('.') else ''}{other.split('.')[-1]}={value}"
            for other, value in zip(others, names)
        )
        style = line_style(place)
        rows = rows.assign(at=rows[across].map(values.index))
        over = rows["status"].isin(OVER)
        for runs, marker in ((rows[over], style["marker"]), (rows[~over], "x")):
            points = {"marker": marker, "color": style["color"], "alpha": 0.55, "markersize": 4}
            axes.plot(runs["at"], runs[key].astype(float), linestyle="", **points)
        means = rows[over].groupby("at")[key].mean()
        line = style["linestyle"] if across != RUN else ""  # runs of no axis have no order
        axes.plot(
            means.index,
            means.astype(float),
            color=style["color"],
            linestyle=line,
            marker=style["marker"] if len(means) == 1 else None,
            label=label or None,
        )
    axes.set_title(shortened(title, 48), fontsize=8)
    shown = sorted({int(place) for place in np.linspace(0, len(values) - 1, min(len(values), MAX_LABELS))})
    long = max(len(str(values[place])) for place in shown) * len(shown) > 34
    axes.set_xticks(shown, [str(values[place]) for place in shown], rotation=30 if long else 0, ha="right" if long else "center")
    axes.set_xlim(-0.4, len(values) - 0.6)
    axes.set_xlabel(across)
    most = float(frame[key].max())
    axes.set_ylim(0, 1.1 * most if most > 0 else 1)  # from 0: what hardly differs looks like it
    ticks(axes.yaxis, unit if unit != "x" else "")
    axes.tick_params(labelsize=7)


def note_of(frame: pd.DataFrame, measures: Measures, keys: list[str]) -> str:
    """What of the frame is not drawn; "": all is."""
    notes = []
    others = [key for key in keys if key != _across(frame, keys)]
    lines, panels = len(frame.groupby(others)) if others else 1, len(_varied(frame, measures))
    if lines > MAX_LINES:
        notes.append(f"Of {lines} combinations of {', '.join(others)} the first {MAX_LINES} are drawn.")
    if panels > MAX_PANELS:
        notes.append(f"Of {panels} measures that differ the first {MAX_PANELS} are drawn.")
    return " ".join(notes)


def alt_of(frame: pd.DataFrame, measures: Measures) -> str:
    """From the least to the most of each measure, of the runs that came to their end."""
    over = frame[frame["status"].isin(OVER)]
    texts = [
        f"{title} from {text_of(float(over[key].min()), unit)} to {text_of(float(over[key].max()), unit)}"
        for key, title, unit in _varied(frame, measures)
    ]
    ended = "" if len(over) == len(frame) else f", {len(over):,} of which came to their end"
    return f"{counted(len(frame), 'run')}{ended}; " + "; ".join(texts[:MAX_PANELS]) + "."
