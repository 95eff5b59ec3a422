"""What a section is made of: texts, tables and pictures. The templates turn them into HTML."""

from __future__ import annotations

import base64
import csv
import gzip
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Union

import numpy as np
import pandas as pd

from heddle.text import text_of

PLAIN_CSV_BYTES = 60_000  # larger ones are compressed, so that the page stays small enough for a mail


@dataclass
class Column:
    """A column of a table. `unit`: of heddle.text; "text" for words."""

    key: str
    header: str
    unit: str = "text"

    @property
    def is_number(self) -> bool:
        return self.unit != "text"


@dataclass
class Cell:
    """What is shown, and the exact value behind it."""

    text: str
    value: str = ""


@dataclass
class Table:
    """Rows with their exact values beside what is shown; offered as CSV."""

    name: str
    caption: str
    columns: list[Column]
    rows: list[list[Cell]]
    note: str = ""
    folded: bool = False

    @property
    def download(self) -> Download:
        header = [column.key for column in self.columns]
        return download(self.name, [header, *([cell.value for cell in row] for row in self.rows)])


@dataclass
class Download:
    """A data: link, and the name of the file that it becomes."""

    file: str
    href: str


@dataclass
class Picture:
    """A figure as inline SVG with its data."""

    name: str
    title: str
    about: str
    alt: str
    svg: str
    download: Download
    note: str = ""


@dataclass
class Image:
    """A picture from a result file, behind a data: link: it runs no scripts and loads nothing."""

    title: str
    alt: str
    href: str


@dataclass
class Words:
    """Paragraphs."""

    sentences: list[str]


@dataclass
class Listing:
    """A long text as it is, folded."""

    summary: str
    text: str


Block = Union[Table, Picture, Image, Words, Listing]


@dataclass
class Section:
    """A heading with what stands below it."""

    ident: str
    title: str
    blocks: list[Block] = field(default_factory=list)


def table_of(
    name: str,
    caption: str,
    columns: Sequence[Column],
    rows: pd.DataFrame | Sequence[dict[str, Any]],
    note: str = "",
    folded: bool = False,
) -> Table:
    """A table of the rows' values under the columns' keys; None and NaN are shown as "-".

    Raises KeyError for a row without a key.
    """
    records = rows.to_dict("records") if isinstance(rows, pd.DataFrame) else list(rows)
    for record in records:
        lacking = [column.key for column in columns if column.key not in record]
        if lacking:
            raise KeyError(
                f"the table {name} has the column {lacking[0]!r}, which its rows have not: {', '.join(map(str, record))}"
            )
    return Table(
        name,
        caption,
        list(columns),
        [[_cell(record[column.key], column.unit) for column in columns] for record in records],
        note,
        folded,
    )


def _cell(value: Any, unit: str) -> Cell:
    if value is None or (isinstance(value, (float, np.floating)) and np.isnan(value)):
        return Cell("-")
    if unit == "text":
        return Cell(str(value), str(value))
    number = value.item() if isinstance(value, np.generic) else value
    return Cell(text_of(float(number), unit) if unit != "count" else text_of(number, unit), repr(number))


def download(name: str, rows: Sequence[Sequence[Any]]) -> Download:
    """Rows as CSV in a data: link."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return _linked(f"{name}.csv", buffer.getvalue().encode())


def download_frame(name: str, frame: pd.DataFrame) -> Download:
    """A frame as CSV in a data: link; whole numbers and shares as they are."""
    return _linked(f"{name}.csv", frame.to_csv(index=False, lineterminator="\n").encode())


def _linked(file: str, data: bytes) -> Download:
    if len(data) > PLAIN_CSV_BYTES:
        packed = gzip.compress(data, 9, mtime=0)
        return Download(f"{file}.gz", "data:application/gzip;base64," + base64.b64encode(packed).decode())
    return Download(file, "data:text/csv;charset=utf-8;base64," + base64.b64encode(data).decode())
