"""What a figure is: a table taken from a result file, and a drawing of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from heddle.figures.style import house_style
from heddle.results.run import Run

WIDTH_IN = 9.6
PANEL_HEIGHT_IN = 2.2
MAX_COLUMNS = 4
TITLE_LETTERS = 150  # of all the columns of a row of panels together

Entries = list[tuple[str, pd.DataFrame]]  # the label and the table of everything in a panel


class Missing(Exception):
    """The file has not what the figure shows; the text says why, and what to set to have it next time."""


@dataclass
class Cell:
    """One panel: its title, and the tables drawn in it with the label of each; one without a label when it is alone."""

    title: str = ""
    entries: Entries = field(default_factory=list)


@dataclass
class Drawing:
    """A figure: what it is drawn of, and what is shown of its parts when one points at them, texts by the gid of an artist."""

    canvas: Canvas
    frames: list[pd.DataFrame] = field(default_factory=list)  # of all its panels, so that these can agree on scales
    tips: dict[str, list[str]] = field(default_factory=dict)

    def tip(self, artist: Artist, texts: Sequence[str]) -> None:
        """`texts`: one per shape that the artist draws, in its order."""
        gid = f"tips{len(self.tips)}"
        artist.set_gid(gid)
        self.tips[gid] = [str(text) for text in texts]


class Figure:
    """One figure. To add one: a file beside this, a class of this kind in it, its instance in figures/__init__.py.

    A figure of which several runs can be compared in the same axes says `overlay = True` and gets all entries of a cell.
    One that can be drawn only alone says `alone = True`.
    """

    name: str  # as `heddle plot` takes it
    title: str
    about: str  # how to read it, one or two sentences
    height_in: float = 3.4
    overlay = False
    alone = False
    share_y = True  # panels have the same y axis, as all have the same x axis

    def data(self, run: Run) -> pd.DataFrame:
        """What is drawn, and offered as CSV: bounded, a few thousand rows however large the run. Raises Missing.

        attrs["note"] may hold a sentence that says how it was reduced.
        """
        raise NotImplementedError

    def draw_in(self, axes: Axes, entries: Entries, drawing: Drawing) -> None:
        """Draws a cell's tables (one, unless `overlay`) with axis labels; what has a label comes into the figure's legend."""
        raise NotImplementedError

    def alt(self, frame: pd.DataFrame) -> str:
        """The figure in a sentence, for who cannot see it."""
        raise NotImplementedError

    def finish(self, canvas: Canvas, panels: list[Axes], frames: list[pd.DataFrame]) -> None:
        """What belongs to the whole figure: a scale of colours, say."""

    def height(self, frame: pd.DataFrame) -> float:
        """In inches, when drawn alone."""
        return self.height_in

    def draw(self, cells: list[Cell], columns: int = MAX_COLUMNS) -> Drawing:
        """One cell fills the figure; several become panels, row by row."""
        with house_style():
            return self._one(cells[0]) if len(cells) == 1 else self._panels(cells, columns)

    def _one(self, cell: Cell) -> Drawing:
        canvas = Canvas(figsize=(WIDTH_IN, self.height(cell.entries[0][1])), layout="constrained")
        drawing = Drawing(canvas, [frame for _, frame in cell.entries])
        axes = canvas.add_subplot()
        self.draw_in(axes, cell.entries, drawing)
        legend_beside(axes, [axes])
        self.finish(canvas, [axes], drawing.frames)
        return drawing

    def _panels(self, cells: list[Cell], columns: int) -> Drawing:
        columns = min(columns, len(cells))
        rows = math.ceil(len(cells) / columns)
        canvas = Canvas(figsize=(WIDTH_IN, rows * PANEL_HEIGHT_IN + 0.4), layout="constrained")
        drawing = Drawing(canvas, [frame for cell in cells for _, frame in cell.entries])
        grid = list(canvas.subplots(rows, columns, squeeze=False).flat)
        used = grid[: len(cells)]
        for place, (axes, cell) in enumerate(zip(used, cells)):
            self.draw_in(axes, cell.entries, drawing)
            axes.set_title(shortened(cell.title, TITLE_LETTERS // columns), fontsize=7.5)
            axes.tick_params(labelsize=7)
            for axis, shared, inner in (
                (axes.xaxis, True, place + columns < len(cells)),
                (axes.yaxis, self.share_y, place % columns > 0),
            ):
                if shared and inner:
                    axis.set_label_text("")
                    axis.set_tick_params(labelleft=False, labelbottom=False, which="both")
        for axes in grid[len(cells) :]:
            axes.set_axis_off()
        _same_limits(used, "xlim")
        if self.share_y:
            _same_limits(used, "ylim")
        legend_beside(grid[columns - 1], used)
        self.finish(canvas, used, drawing.frames)
        return drawing


def _same_limits(panels: list[Axes], name: str) -> None:
    """Limits that hold what every panel would have by itself. (Shared axes of matplotlib have those of the last that set any.)"""
    limits = [getattr(axes, f"get_{name}")() for axes in panels]
    downwards = limits[0][0] > limits[0][1]
    low, high = min(min(pair) for pair in limits), max(max(pair) for pair in limits)
    for axes in panels:
        getattr(axes, f"set_{name}")((high, low) if downwards else (low, high))


def shortened(text: str, letters: int) -> str:
    """With the middle left out where it is longer."""
    return text if len(text) <= letters else f"{text[: letters // 2]}...{text[-(letters // 2 - 3) :]}"


def legend_beside(axes: Axes, panels: Sequence[Axes]) -> None:
    """To the right of `axes`, where it hides nothing: every label of the panels once; none where nothing has a label."""
    known: dict[str, Artist] = {}
    for panel in panels:
        for handle, label in zip(*panel.get_legend_handles_labels()):
            known.setdefault(label, handle)
    if known:
        axes.legend(
            list(known.values()), list(known), loc="upper left", bbox_to_anchor=(1.01, 1.02), borderaxespad=0, handlelength=2.6
        )


def beside(axes: Axes, place: tuple[float, float], text: str, away: int = 4, **style: Any) -> None:
    """A small text to the right of a place of the drawing."""
    axes.annotate(text, place, xytext=(away, 0), textcoords="offset points", va="center", fontsize=7, **style)


def name_rows(axes: Axes, names: Sequence[str], **style: Any) -> None:
    """One row for each name, from the top: bars of the k-th are at y = k."""
    axes.set_yticks(range(len(names)), names, **style)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)


def noted(frame: pd.DataFrame, *notes: Any) -> pd.DataFrame:
    """The frame with a note of the sentences that are not empty."""
    frame.attrs["note"] = " ".join(str(note) for note in notes if note)
    return frame
