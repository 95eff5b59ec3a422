"""From HDF5 datasets to numpy, pandas and xarray."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from typing import Any

import h5py
import numpy as np
import pandas as pd

from heddle.results.damage import damaged, reading
from heddle.results.errors import FormatError
from heddle.results.kinds import expect_kind
from heddle.results.needed import NEEDED

ALL = slice(None)
MAX_NAME = 100  # of a code; every row that is shown carries it
# Columns whose 64 bits are several numbers side by side: they stay as they are.
BIT_FIELDS = {"packet"}
NEVER_PS = ((1 << 63) - 1) // 2  # kNever of kernels/base/types.hpp; nothing is later, so that differences do not overflow


def text(value: Any) -> Any:
    """A text attribute as str, whatever its width."""
    if isinstance(value, bytes):
        return value.rstrip(b"\0").decode()
    if isinstance(value, np.generic):
        return value.item()
    return value


def numbers(dataset: h5py.Dataset, rows: slice = ALL) -> np.ndarray:
    """All values of a numeric dataset, or these rows, of a type that the usual arithmetic does not wrap around.

    The file counts in unsigned integers, whose differences wrap below 0: they become int64. Rates (bit/s) become float64,
    because their product with a time in ps passes 64 bits within microseconds. Raises FormatError for a time, id or size out of
    range, as the program does (io/results/input_file.cpp).
    """
    with reading(dataset.file.filename, dataset.name):
        data = part_of(dataset, rows)
    if data.dtype.kind == "i" and "units" in dataset.attrs and data.size > 0 and not -1 <= data.min() <= data.max() <= NEVER_PS:
        raise damaged(dataset.file.filename, f"{dataset.name} holds {data.min()} to {data.max()}, and only -1 to {NEVER_PS} can be")
    if data.dtype.kind != "u" or dataset.name.rsplit("/", 1)[-1] in BIT_FIELDS:
        return data
    return data.astype(np.float64 if text(dataset.attrs.get("units", "1")) == "bit/s" else np.int64)


def part_of(dataset: h5py.Dataset, rows: slice) -> np.ndarray:
    return dataset[...] if rows == ALL else dataset[rows]


def meanings_of(dataset: h5py.Dataset) -> dict[int, str] | None:
    """Code -> name of a column of codes; None where it holds none."""
    if "flag_meanings" not in dataset.attrs:
        return None
    names = dict(zip((int(code) for code in dataset.attrs["flag_values"]), text(dataset.attrs["flag_meanings"]).split()))
    if long := [name for name in names.values() if len(name) > MAX_NAME]:
        raise damaged(dataset.file.filename, f"{dataset.name} gives a code a name of {len(long[0])} characters")
    return names


def names_of(dataset: h5py.Dataset, rows: slice = ALL) -> pd.Categorical:
    """Codes as categories with their names. Raises FormatError for a code that the file does not name."""
    with reading(dataset.file.filename, dataset.name):
        codes = part_of(dataset, rows)
        known = meanings_of(dataset) or {}
    unknown = sorted(set(np.unique(codes).tolist()) - set(known))
    if unknown:
        raise FormatError(
            f"'{dataset.file.filename}' is damaged: {dataset.name} holds the code {unknown[0]}, which its flag_meanings do not "
            "name; take a copy that is whole"
        )
    place = np.zeros(256, dtype=np.int16)  # codes are bytes
    place[list(known)] = np.arange(len(known))
    return pd.Categorical.from_codes(place[codes], categories=pd.Index(list(known.values()), dtype=object))


def values(dataset: h5py.Dataset, rows: slice = ALL) -> Any:
    """All values of a dataset, or these rows; texts become str, codes categories with their names, numbers as in numbers()."""
    with reading(dataset.file.filename, dataset.name):
        expect_kind(dataset)
        if dataset.dtype.kind == "S":
            return np.char.decode(part_of(dataset, rows), "utf-8").astype(object)
    if "flag_meanings" not in dataset.attrs or dataset.ndim != 1:
        return numbers(dataset, rows)
    return names_of(dataset, rows)


def table(group: h5py.Group, columns: Collection[str] | None = None, rows: slice = ALL) -> pd.DataFrame:
    """The columns of a group as a DataFrame; `columns`: only these; `rows`: only these.

    In the file of a run that was killed, columns can differ by a chunk of rows; the rows that all of them have count.
    Elsewhere that is damage: FormatError. Raises KeyError with what there is for a column that is not there. A dataset that
    somebody has added is a column when it fits, of unknown unit.
    """
    path = group.file.filename
    with reading(path, group.name):
        datasets = {name: item for name, item in group.items() if isinstance(item, h5py.Dataset)}
        own = {name: item for name, item in datasets.items() if "units" in item.attrs}
    length = rows_of(group, own)
    for name, item in datasets.items():
        if name not in own and item.shape != (length,):
            warnings.warn(f"{item.name} in '{group.file.filename}' is no column of {length} rows (not heddle's), and left out")
        elif name not in own:
            own[name] = item
    for name in NEEDED.get(group.name, ()):
        if name not in own:
            raise damaged(path, f"{group.name} has no column {name}")
    if columns is not None:
        if isinstance(columns, str):
            raise ValueError(f"columns={columns!r} is one text; give a list of names, as [{columns!r}]")
        if unknown := [name for name in columns if name not in own]:
            raise KeyError(f"'{path}' has no column {unknown[0]!r} in {group.name}; it has {', '.join(own)}")
        own = {name: item for name, item in own.items() if name in columns}
    part = slice(*rows.indices(length))
    with reading(path, group.name):
        frame = pd.DataFrame({name: values(item, part) for name, item in own.items()})
        frame.attrs["units"] = {name: text(item.attrs.get("units", "")) for name, item in own.items()}
        frame.attrs["long_name"] = {name: text(item.attrs.get("long_name", "")) for name, item in own.items()}
    return frame


def chosen_columns(path: str, frame: pd.DataFrame, columns: Collection[str] | None) -> pd.DataFrame:
    """The frame with these columns only, and their units. Raises as table() does."""
    if columns is None:
        return frame
    if isinstance(columns, str):
        raise ValueError(f"columns={columns!r} is one text; give a list of names, as [{columns!r}]")
    if unknown := [name for name in columns if name not in frame]:
        raise KeyError(f"'{path}' has no column {unknown[0]!r} there; it has {', '.join(frame)}")
    chosen = frame[[name for name in frame if name in columns]]
    chosen.attrs = {key: {name: said[name] for name in chosen if name in said} for key, said in frame.attrs.items()}
    return chosen


def rows_of(group: h5py.Group, columns: dict[str, h5py.Dataset]) -> int:
    """How many rows all columns of a group have."""
    lengths = {name: item.shape[0] for name, item in columns.items() if item.ndim == 1}
    where = f"{group.name} in '{group.file.filename}'"
    if not lengths or len(lengths) != len(columns):
        raise FormatError(f"{where} is no table of columns, so the file is damaged; take a copy that is whole")
    least, most = min(lengths, key=lengths.__getitem__), max(lengths, key=lengths.__getitem__)
    if lengths[least] != lengths[most] and text(group.file.attrs["status"]) != "partial":
        raise FormatError(
            f"{where} has {lengths[least]} rows in {least}, but {lengths[most]} in {most}, so the file is damaged; take a copy "
            "that is whole"
        )
    return lengths[least]


def values_of(parameters: pd.DataFrame) -> dict[str, Any]:
    """Key -> value of Run.parameters(): bool, float, str, or a list of these where a parameter has several elements."""
    found: dict[str, Any] = {}
    for key, element, word, number, unit in parameters.itertuples(index=False, name=None):
        value = word == "true" if word in ("true", "false") and unit else number if unit else [] if word == "[]" else word
        if element == 0:
            found[key] = value
        else:
            before = found[key]
            found[key] = [*(before if isinstance(before, list) else [before]), value]
    return found
