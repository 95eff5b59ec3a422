"""What a figure is: a table taken from a result file, and a drawing of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
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
MOST_COLUMNS = 4
TITLE_LETTERS = 150  # of all the columns of a row of panels together

Tip = Callable[[Artist, Sequence[str]], None]


class Missing(Exception):
    """The file has not what the figure shows; the text says why, and what to set to have it next time."""


@dataclass
class Cell:
    """One panel: its title, and the tables drawn in it with the label of each; one without a label when it is alone."""

    title: str = ""
    entries: list[tuple[str, pd.DataFrame]] = field(default_factory=list)


@dataclass
class Drawing:
    """A drawn figure, and what is shown of its parts when one points at them: texts by the gid of an artist, in its order."""

    canvas: Canvas
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
    share_x = True  # panels have the same x axis
    share_y = True

    def data(self, run: Run) -> pd.DataFrame:
        """What is drawn, and offered as CSV: bounded, a few thousand rows however large the run. Raises Missing.

        attrs["note"] may hold a sentence that says how it was reduced.
        """
        raise NotImplementedError

    def draw_in(self, axes: Axes, entries: list[tuple[str, pd.DataFrame]], tip: Tip) -> None:
        """Draws a cell's tables (one, unless `overlay`) with axis labels, and with a legend when legend_in is called after."""
        raise NotImplementedError

    def alt(self, frame: pd.DataFrame) -> str:
        """The figure in a sentence, for who cannot see it."""
        raise NotImplementedError

    def finish(self, canvas: Canvas, panels: list[Axes], frames: list[pd.DataFrame]) -> None:
        """What belongs to the whole figure: a scale of colours, say."""

    def height(self, frame: pd.DataFrame) -> float:
        """In inches, when drawn alone."""
        return self.height_in

    def draw(self, cells: list[Cell], columns: int = MOST_COLUMNS) -> Drawing:
        """One cell fills the figure; several become panels, row by row."""
        with house_style():
            return self._one(cells[0]) if len(cells) == 1 else self._panels(cells, columns)

    def _one(self, cell: Cell) -> Drawing:
        canvas = Canvas(figsize=(WIDTH_IN, self.height(cell.entries[0][1])), layout="constrained")
        drawing = Drawing(canvas)
        axes = canvas.add_subplot()
        self.draw_in(axes, cell.entries, drawing.tip)
        legend_in(axes)
        self.finish(canvas, [axes], [frame for _, frame in cell.entries])
        return drawing

    def _panels(self, cells: list[Cell], columns: int) -> Drawing:
        columns = min(columns, len(cells))
        rows = math.ceil(len(cells) / columns)
        canvas = Canvas(figsize=(WIDTH_IN, rows * PANEL_HEIGHT_IN + 0.4), layout="constrained")
        drawing = Drawing(canvas)
        grid = canvas.subplots(rows, columns, sharex=self.share_x, sharey=self.share_y, squeeze=False)
        places = [(row, column) for row in range(rows) for column in range(columns)]
        for (row, column), cell in zip(places, cells):
            axes = grid[row][column]
            self.draw_in(axes, cell.entries, drawing.tip)
            axes.set_title(shortened(cell.title, TITLE_LETTERS // columns), fontsize=8)
            if self.share_y and column > 0:
                axes.set_ylabel("")
            if self.share_x and len(cells) > (row + 1) * columns + column:
                axes.set_xlabel("")
            axes.tick_params(labelsize=7)
        for row, column in places[len(cells) :]:
            grid[row][column].set_axis_off()
        legend_in(grid[0][columns - 1])
        used = [grid[row][column] for row, column in places[: len(cells)]]
        self.finish(canvas, used, [frame for cell in cells for _, frame in cell.entries])
        return drawing


def shortened(text: str, letters: int) -> str:
    """With the middle left out where it is longer."""
    return text if len(text) <= letters else f"{text[: letters // 2]}...{text[-(letters // 2 - 3):]}"


def legend_in(axes: Axes) -> None:
    """To the right of the axes, where it hides nothing; none where nothing has a label."""
    handles, labels = axes.get_legend_handles_labels()
    if labels:
        axes.legend(handles, labels, loc="upper left", bbox_to_anchor=(1.01, 1.02), borderaxespad=0, handlelength=2.6)


def noted(frame: pd.DataFrame, *notes: Any) -> pd.DataFrame:
    """The frame with a note of the sentences that are not empty."""
    frame.attrs["note"] = " ".join(str(note) for note in notes if note)
    return frame
