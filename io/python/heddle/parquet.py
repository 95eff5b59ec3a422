"""Tables of many runs as Parquet files, written run by run."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from heddle.results import FormatError, Run, to_frame

if TYPE_CHECKING:
    from heddle.collection import Results

READERS: dict[str, Callable[[Run], pd.DataFrame]] = {
    "messages": Run.messages,
    "requests": Run.requests,
    "plans": Run.plans,
    "collectives": Run.collectives,
    "iterations": Run.iterations,
    "training_checkpoints": Run.training_checkpoints,
    "links": Run.links,
    "balance": lambda run: run.balance().reset_index(),
    "parameters": Run.parameters,
}


def write_tables(results: Results, folder: pathlib.Path, tables: Sequence[str]) -> list[pathlib.Path]:
    """Results.to_parquet()."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError(
            f"Parquet needs pyarrow ({error}): pip install './io/python[parquet]', or pip install pyarrow, in a venv; Debian has no"
            " package of it"
        ) from error
    readers = {name: reader_of(name) for name in tables}
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, read in readers.items():
        path, writer = folder / f"{name.replace('/', '_')}.parquet", None
        for frame in [results.runs()] if read is None else frames_of(results, read):
            if frame.empty:
                continue
            found = pyarrow.Table.from_pandas(plain(frame), preserve_index=False)
            found = found.cast(with_units(pyarrow, found.schema, frame) if writer is None else writer.schema)
            if writer is None:
                writer = pyarrow.parquet.ParquetWriter(path, found.schema)
            writer.write_table(found)
        if writer is not None:
            writer.close()
            written.append(path)
    return written


def reader_of(name: str) -> Callable[[Run], pd.DataFrame] | None:
    """How a table is read from a run; None for `runs`, which is made of all. Raises ValueError for an unknown name."""
    if name == "runs":
        return None
    if name in READERS:
        return READERS[name]
    group, _, rest = name.partition("/")
    if group == "event" and rest:
        return lambda run: run.events(rest)
    if group == "series" and rest:
        return lambda run: to_frame(run.series(rest))
    raise ValueError(f"there is no table {name!r}; these are: runs, {', '.join(READERS)}, event/KIND, series/QUANTITY")


def frames_of(results: Results, read: Callable[[Run], pd.DataFrame]):
    """The joined table, a run at a time."""
    axes = results._axis_columns()
    for entry, run in results._opened():
        try:
            frame = read(run)
        except FormatError as error:
            results._damaged[entry.name] = results._problems[entry.name] = str(error)
            continue
        yield results._joined([entry.name], [frame], axes)


def plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Categories as texts: their codes differ from run to run."""
    categories = [name for name in frame.columns if isinstance(frame[name].dtype, pd.CategoricalDtype)]
    return frame.astype({name: object for name in categories})


def with_units(pyarrow, schema, frame: pd.DataFrame):
    """The schema with the unit and the long name of every column."""
    fields = []
    for field in schema:
        about = {kind: str(frame.attrs.get(kind, {}).get(field.name, "")) for kind in ("units", "long_name")}
        fields.append(field.with_metadata({key: value for key, value in about.items() if value}))
    return pyarrow.schema(fields)
