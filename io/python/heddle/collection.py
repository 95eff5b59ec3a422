"""Results("folder"): many result files as one table."""

from __future__ import annotations

import os
import pathlib
import sys
import types
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from heddle.as_configured import why_not_as_configured
from heddle.axes import NONE, Parameter, columns_of, differing, literal, may_have_unit, parameters_of
from heddle.folder import Entry, Source, entries_of
from heddle.results import FormatError, Run, to_frame
from heddle.results.columns import chosen_columns, table
from heddle.results.opening import BATCH, survivors
from heddle.results.run import By, Summary

MAX_VALUES = 12  # of an axis, that a message names
OVER = ("complete", "horizon")  # statuses of runs that did what they were to do


class LeftOut(UserWarning):
    """Some runs are not in a table, or are in it although they did not complete: which ones, and why."""


class Results:
    """The runs of a sweep's folder, of any folder of results, or of a list of files, joined by what they differ in.

        results = heddle.Results("many")
        results.axes                                  # ["dcqcn.enabled", "simulation.seed"]
        results.collectives()                         # one DataFrame: run, axes, columns of the file
        results.where({"dcqcn.enabled": True}).messages(["bytes", "posted_ps", "finish_ps"])
        results.to_parquet("tables")                  # tables/collectives.parquet, ...

    Nothing is opened before a table is asked for; each table opens every file once, reads what it needs and closes it. The columns
    of an axis come first: numbers and truth values as such; quantities as text ("400 Gb/s") and as `link.host_rate (bit/s)`. Runs
    without a result, with one that cannot be read, or with one of another configuration than theirs are left out with the warning
    LeftOut; runs() lists them with the reason. With `partial=True` the .part of a run that goes on or was killed is read, too.
    """

    def __init__(self, source: Source, partial: bool = False):
        self._entries, self._keys = entries_of(source)
        self._partial = partial
        self._read_parameters = self._keys is None or any(
            map(may_have_unit, (text for entry in self._entries for text in entry.axes.values()))
        )
        self._good: set[str] = set()  # paths whose texts have been tried
        self._problems: dict[str, str] = {}  # of runs, by name
        self._damaged: dict[str, str] = {}  # likewise, found when a table was read: these are opened no more
        self._parameters: dict[str, dict[str, Parameter]] = {}
        self._statuses: dict[str, str] = {}
        self.folder = pathlib.Path(source) if isinstance(source, (str, os.PathLike)) else None

    def __len__(self) -> int:
        """Runs, with those that have no result."""
        return len(self._entries)

    def __repr__(self) -> str:
        return f"<heddle results, {len(self)} runs{f' of {self.folder}' if self.folder else ''}>"

    @property
    def axes(self) -> list[str]:
        """The keys that runs differ in: of a sweep its axes, of other files all parameters that differ (this opens them)."""
        if self._keys is None:
            self._open_unknown()
            self._keys = differing([self._parameters[entry.name] for entry in self._entries if entry.name in self._parameters])
        return list(self._keys)

    def where(self, chosen: Mapping[str, Any] | Callable[[pd.Series], bool]) -> Results:
        """The runs whose axes have these values ({"dcqcn.enabled": True, "link.host_rate": ["400 Gb/s", "200 Gb/s"]}), or of which
        `chosen`, called with the axes of a run, is true. Raises KeyError for an axis that there is none of."""
        columns, _ = self._axis_columns()
        axes = pd.DataFrame(columns, index=range(len(self._entries)))
        if callable(chosen):
            keep = [bool(chosen(row)) for _, row in axes.iterrows()]
        else:
            keep = [True] * len(axes)
            for key, wanted in chosen.items():
                if key not in axes:
                    raise KeyError(f"there is no axis {key!r}; these are: {', '.join(columns)}")
                values = list(wanted) if isinstance(wanted, (list, tuple, set, range, np.ndarray)) else [wanted]
                if not axes[key].isin(values).any():
                    there = ", ".join(map(repr, axes[key].unique().tolist()[:MAX_VALUES]))
                    warnings.warn(f"no run has {key} = {wanted!r}; there are {there}", LeftOut, stacklevel=2)
                keep = [kept and value in values for kept, value in zip(keep, axes[key])]
        return self._only([entry for entry, kept in zip(self._entries, keep) if kept])

    def over(self) -> Results:
        """Only the runs that did what they were to do: complete, or until their horizon."""
        self._open_unknown()
        return self._only([entry for entry in self._entries if self._statuses.get(entry.name) in OVER])

    def runs(self) -> pd.DataFrame:
        """One row per run: its axes, `state` of its files (ended, saved, partial, missing), `problem` ("": none; else why it is in
        no other table), and the root attributes of its result: status, digest, end_ps, sums."""
        attributes = {entry.name: run.attrs for entry, run in self._opened(quiet=True)}
        columns, _ = self._axis_columns()
        frame = pd.DataFrame(
            {
                "run": [entry.name for entry in self._entries],
                **columns,
                "state": [entry.state for entry in self._entries],
                "problem": [self._problems.get(entry.name, "") for entry in self._entries],
            }
        )
        rest = pd.DataFrame([attributes.get(entry.name, {}) for entry in self._entries], index=frame.index)
        return pd.concat([frame, rest], axis=1)

    def __iter__(self) -> Iterator[Run]:
        """The results, one open at a time."""
        for _, run in self._opened():
            yield run

    def collect(self, read: Callable[[Run], pd.DataFrame | Mapping[str, Any] | Any]) -> pd.DataFrame:
        """What `read` gives of every run, joined: a DataFrame gives its rows, a dict one row, anything else the column `value`."""
        frames: list[pd.DataFrame] = []
        names: list[str] = []
        for entry, run in self._opened():
            try:
                found = read(run)
            except FormatError as error:
                self._damaged[entry.name] = self._problems[entry.name] = str(error)
                continue
            if not isinstance(found, pd.DataFrame):
                found = pd.DataFrame([found if isinstance(found, Mapping) else {"value": found}])
            frames.append(found)
            names.append(entry.name)
        return self._joined(names, frames)

    def messages(self, columns: Collection[str] | None = None) -> pd.DataFrame:
        """Explicit messages of all runs; `columns`: only these are read."""
        return self.collect(lambda run: table(run._member("/", "message"), columns))

    def collectives(self, columns: Collection[str] | None = None) -> pd.DataFrame:
        """Collective operations of all runs; `columns`: only these are read."""
        return self.collect(lambda run: table(run._member("/", "collective"), columns))

    def iterations(self, columns: Collection[str] | None = None) -> pd.DataFrame:
        """Iterations of training jobs of all runs; `columns`: only these are read."""
        return self.collect(lambda run: table(run._member("/", "iteration"), columns))

    def summary(self, of: Summary, columns: Collection[str] | None = None) -> pd.DataFrame:
        """Run.summary() of all runs: "message", "iteration" or "collective"."""
        return self.collect(lambda run: chosen_columns(run.path, run.summary(of), columns))

    def events(self, kind: str, columns: Collection[str] | None = None) -> pd.DataFrame:
        """Events of one kind ("pfc", "drop", "failure", "completion") of all runs."""
        return self.collect(lambda run: table(run._member("event", kind), columns) if kind in run.event_kinds else run.events(kind))

    def links(self, columns: Collection[str] | None = None) -> pd.DataFrame:
        """Links of all runs, and what each did; `columns`: only these are kept."""
        return self.collect(lambda run: chosen_columns(run.path, run.links(), columns))

    def balance(self, columns: Collection[str] | None = None) -> pd.DataFrame:
        """How even the links of every kind were, in all runs; `columns`: only these are kept."""
        return self.collect(lambda run: chosen_columns(run.path, run.balance().reset_index(), columns))

    def parameters(self, columns: Collection[str] | None = None) -> pd.DataFrame:
        """The configurations of all runs, one row per value; `columns`: only these are kept."""
        return self.collect(lambda run: chosen_columns(run.path, run.parameters(), columns))

    def series(self, quantity: str, by: By = "tier", links: Sequence[int] | None = None) -> pd.DataFrame:
        """A counter over time in all runs, as a long table: time_ps, tier or link, the counter."""
        return self.collect(lambda run: to_frame(run.series(quantity, by, links)))

    def to_parquet(
        self, folder: str | os.PathLike[str], tables: Sequence[str] = ("runs", "messages", "collectives", "iterations")
    ) -> list[pathlib.Path]:
        """Writes tables as Parquet, run by run, so that they may be larger than the memory: FOLDER/collectives.parquet, ...

        `tables`: runs, messages, collectives, iterations, links, balance, parameters, event/pfc, series/queue_bytes, ... Those
        without a row are not written. Units are in the metadata of every column. Returns what was written. Needs pyarrow.
        """
        from heddle.parquet import write_tables

        return write_tables(self, pathlib.Path(folder), tables)

    def _only(self, entries: list[Entry]) -> Results:
        other = object.__new__(Results)
        other.__dict__.update(self.__dict__)
        other._entries = entries
        other._keys = self.axes
        return other

    def _opened(self, quiet: bool = False) -> Iterator[tuple[Entry, Run]]:
        """Every readable result, open; then a warning of what was left out."""
        for first in range(0, len(self._entries), BATCH):
            batch = self._entries[first : first + BATCH]
            paths = {entry.name: str(path) for entry in batch if (path := self._path(entry)) is not None}
            self._good |= survivors([path for path in paths.values() if path not in self._good])
            for entry in batch:
                run = self._open(entry, paths.get(entry.name))
                if run is not None:
                    with run:
                        yield entry, run
        if not quiet:
            self._warn()

    def _path(self, entry: Entry) -> pathlib.Path | None:
        if entry.state == "ended":
            return entry.result
        return entry.part if self._partial and entry.state in ("saved", "partial") else None

    def _open(self, entry: Entry, path: str | None) -> Run | None:
        self._problems.pop(entry.name, None)
        if path is None:
            self._problems[entry.name] = {
                "missing": "no result yet",
                "saved": "not at its end, but saved: `heddle sweep FOLDER --run` resumes it",
                "partial": "it goes on or was killed; Results(..., partial=True) reads what is there",
            }[entry.state]
            return None
        if entry.name in self._damaged:
            self._problems[entry.name] = self._damaged[entry.name]
            return None
        try:
            run = Run(path, tried=path in self._good)
        except (OSError, FormatError) as error:
            self._problems[entry.name] = str(error)
            return None
        try:
            self._statuses[entry.name] = run.attrs["status"]
            if self._read_parameters and entry.name not in self._parameters:
                self._parameters[entry.name] = parameters_of(run.parameters())
            problem = why_not_as_configured(run, entry)
        except (OSError, KeyError, FormatError, RuntimeError) as error:
            problem = str(error)
        if problem:
            self._problems[entry.name] = problem
            run.close()
            return None
        return run

    def _warn(self) -> None:
        names = {entry.name for entry in self._entries}
        out = {name: why for name, why in self._problems.items() if name in names}
        if out:
            some = "; ".join(f"{name}: {why}" for name, why in list(out.items())[:3])
            warnings.warn(
                f"{len(out)} of {len(self)} runs are left out ({some}{'; ...' if len(out) > 3 else ''}); .runs() lists them with "
                "the reason",
                LeftOut,
                stacklevel=callers_level(),
            )
        failed = {
            name: status for name, status in self._statuses.items() if name in names - set(out) and status not in (*OVER, "partial")
        }
        if failed:
            some = ", ".join(f"{name}: {status}" for name, status in list(failed.items())[:3])
            warnings.warn(
                f"{len(failed)} of {len(self)} runs did not complete ({some}{', ...' if len(failed) > 3 else ''}), and their rows"
                " are among the others; .over() leaves them out",
                LeftOut,
                stacklevel=callers_level(),
            )

    def _open_unknown(self) -> None:
        """Opens all once, unless each has been opened before, or could not be."""
        if any(entry.name not in self._statuses and entry.name not in self._problems for entry in self._entries):
            for _ in self._opened(quiet=True):
                pass

    def _axis_columns(self) -> tuple[dict[str, np.ndarray], dict[str, str]]:
        """Column -> a value for every run, column -> unit."""
        keys = self.axes
        if self._read_parameters:
            self._open_unknown()
        runs = []
        for entry in self._entries:
            found = self._parameters.get(entry.name, {})
            said = {key: literal(text) or found.get(key, NONE)._replace(text=text) for key, text in entry.axes.items()}
            runs.append(said or found)
        return columns_of(keys, runs)

    def _joined(self, names: list[str], frames: list[pd.DataFrame], axes: Any = None) -> pd.DataFrame:
        """Frames of the runs of these names below each other, with the axes in front (as _axis_columns() gives them)."""
        columns, units = self._axis_columns() if axes is None else axes
        counts = [len(frame) for frame in frames]
        place = {entry.name: number for number, entry in enumerate(self._entries)}
        rows = np.repeat([place[name] for name in names], counts).astype(np.intp)
        every = pd.Series([entry.name for entry in self._entries], dtype=object).to_numpy()
        left = pd.DataFrame({"run": every[rows], **{key: values[rows] for key, values in columns.items()}})
        units_of, long_names = {"run": "1", **units}, {"run": "name of the run", **{key: "axis" for key in units}}
        for frame in frames:
            units_of.update(frame.attrs.get("units", {}))
            long_names.update(frame.attrs.get("long_name", {}))
        joined = pd.concat([left, concatenated(frames)], axis=1)
        joined.attrs = {
            "units": {name: units_of.get(name, "") for name in joined.columns},
            "long_name": {name: long_names.get(name, "") for name in joined.columns},
        }
        return joined


def callers_level() -> int:
    """The stacklevel at which a warning is that of who called this package."""
    package, level = os.path.dirname(__file__), 0
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(package):
        level, frame = level + 1, frame.f_back
    return level + 1


def concatenated(frames: list[pd.DataFrame]) -> pd.DataFrame:
    """One below the other; categories of all of them are kept as categories."""
    full = [frame for frame in frames if len(frame)] or frames[:1]
    if not full:
        return pd.DataFrame()
    joined = pd.concat(full, ignore_index=True, sort=False)
    for name in full[0].columns:
        if all(name in frame and isinstance(frame[name].dtype, pd.CategoricalDtype) for frame in full):
            joined[name] = pd.api.types.union_categoricals([frame[name] for frame in full])
    joined.attrs = {}
    return joined
