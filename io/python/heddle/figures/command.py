"""heddle plot RESULT NAME: one figure as a file, for a paper or a slide."""

from __future__ import annotations

import argparse
import io
import os
import sys

import pandas as pd

from heddle.figures import FIGURES, Cell, Missing
from heddle.figures.reading import need_whole
from heddle.figures.svg import save
from heddle.output import check_output, notices, open_output, writes_through
from heddle.output_kinds import FIGURES as FIGURE_KINDS
from heddle.output_kinds import Kind, csv_like
from heddle.results import open as open_result
from heddle.results.damage import reading
from heddle.text import printable

KINDS = ("png", "svg", "pdf")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `heddle plot` takes."""
    parser.add_argument("result", metavar="RESULT", help="a result file, or the .part of a run that goes on or was killed")
    parser.add_argument("name", metavar="NAME", nargs="?", help="which figure; --list names them")
    parser.add_argument("-o", "--output", metavar="FILE", help="file to write: .png, .svg or .pdf; NAME.svg when not given")
    parser.add_argument(
        "--list", action="store_true", help="name the figures that the file has data for, and say why others are missing"
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="replace a figure of this kind, and a table of this figure, that is there, but nothing else",
    )
    parser.add_argument("--csv", metavar="FILE", help="also write the figure's data")
    parser.epilog = "Figures: " + ", ".join(FIGURES)


def main(options: argparse.Namespace) -> int:
    """Returns the exit code: 2 for a figure that is not known, or that the file has no data for."""
    if options.list and options.name is None:
        return list_figures(options.result)
    if options.name not in FIGURES:
        named = "no figure is named" if options.name is None else f"there is no figure '{options.name}'"
        print(f"heddle plot: {named}, so nothing can be drawn. Figures: {', '.join(FIGURES)}", file=sys.stderr)
        return 2
    path = options.output or f"{options.name}.svg"
    kind = os.path.splitext(path)[1].lstrip(".").lower()
    if kind not in KINDS:
        print(
            f"heddle plot: '{path}' ends in none of .png, .svg and .pdf, which say what to write; choose one of these",
            file=sys.stderr,
        )
        return 2
    return plot(options.result, options.name, path, kind, options.csv, options.force)


def plot(result: str, name: str, path: str, kind: str, csv: str | None, force: bool = False) -> int:
    """Draws one figure of a result into a file."""
    figure = FIGURES[name]
    check_output(path, [result], FIGURE_KINDS[kind], force)
    if csv:
        check_output(csv, [result])
        if os.path.realpath(csv) == os.path.realpath(path):
            raise ValueError(f"'{csv}' is named for the figure and for its data, which are two files; name another for --csv")
    with open_result(result) as run:
        try:
            with reading(result):
                need_whole(run)
                frame = figure.data(run)
        except Missing as why:
            print(f"heddle plot: '{result}' has no data for {name}: {why}", file=sys.stderr)
            return 2
    if csv:
        check_output(csv, [result], kind_of_data(frame), force)
    save(figure.draw([Cell(entries=[("", frame)])]), path, kind, force)
    if csv:
        save_data(frame, csv, force)
    for sentence in (figure.alt(frame), frame.attrs.get("note")):
        if sentence:
            print(printable(sentence), file=sys.stderr if csv and writes_through(csv) else notices(path))
    return 0


def kind_of_data(frame: pd.DataFrame) -> Kind:
    return csv_like(frame.head(0).to_csv(index=False).strip())


def save_data(frame: pd.DataFrame, path: str, force: bool = False) -> None:
    """As CSV; compressed when the name ends in .gz."""
    content = io.BytesIO()
    frame.to_csv(content, index=False, mode="wb", compression="gzip" if path.endswith(".gz") else None)
    with open_output(path, kind_of_data(frame), force) as file:
        file.write(content.getvalue())


def list_figures(result: str) -> int:
    """Prints all figures: what each shows, or why the file has no data for it."""
    with open_result(result) as run:
        need_whole(run)
        for name, figure in FIGURES.items():
            try:
                with reading(result):
                    figure.data(run)
                print(f"{name:18} {figure.title}")
            except Missing as why:
                print(printable(f"{name:18} - not in this file: {why}"))
    return 0
