"""Which runs a folder holds, what each has of every axis, and how far each is; no result is opened."""

from __future__ import annotations

import csv
import os
import pathlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, Union

from heddle.results import FormatError

State = Literal["ended", "saved", "partial", "missing"]
Source = Union[str, "os.PathLike[str]", Iterable[Union[str, "os.PathLike[str]"]]]
COLUMNS = ["run", "config", "result"]  # of axes.csv, before the axes


@dataclass
class Entry:
    """One run: its name ("07"), result file, configuration (None: not of a sweep) and what axes.csv says of every axis."""

    name: str
    result: pathlib.Path
    config: pathlib.Path | None = None
    axes: dict[str, str] = field(default_factory=dict)

    @property
    def part(self) -> pathlib.Path:
        return pathlib.Path(f"{self.result}.part")

    @property
    def log(self) -> pathlib.Path:
        """What the run said, with `heddle sweep --run`."""
        return self.result.with_suffix(".log")

    @property
    def state(self) -> State:
        """ended: the result is there; saved: .part and a checkpoint; partial: it runs or was killed; missing: nothing."""
        if self.result.exists():
            return "ended"
        if not self.part.exists():
            return "missing"
        saved = any(pathlib.Path(f"{self.result}.checkpoint_{slot}").exists() for slot in (0, 1))
        return "saved" if saved else "partial"


def entries_of(source: Source) -> tuple[list[Entry], list[str] | None]:
    """The runs of a sweep's folder with the keys of its axes, or of any folder or list of result files, of which no axes are known.

    Raises OSError for a folder that is not there, FormatError for axes.csv that is not of its runs.txt, and ValueError where there
    is no result at all.
    """
    if not isinstance(source, (str, os.PathLike)):
        paths = [pathlib.Path(path) for path in source]
        return _named(paths, pathlib.Path(os.path.commonpath([path.parent for path in paths])) if paths else pathlib.Path())
    folder = pathlib.Path(source)
    if not folder.is_dir():
        why = "it is a file; heddle.open() reads a single result" if folder.exists() else "no such folder; check the name"
        raise NotADirectoryError(f"'{folder}': {why}")
    if is_sweep(folder):
        return _of_sweep(folder)
    paths = sorted(
        {path.with_name(path.name.removesuffix(".part")) for pattern in ("*.h5", "*.h5.part") for path in folder.rglob(pattern)}
    )
    if not paths:
        raise ValueError(
            f"'{folder}' holds no result files (*.h5, *.h5.part), nor axes.csv and runs.txt of `heddle sweep`, "
            "so there is nothing to read; give a folder in which `heddle run` or `heddle sweep` has written"
        )
    return _named(paths, folder)


def is_sweep(folder: str | os.PathLike[str]) -> bool:
    return all((pathlib.Path(folder) / name).is_file() for name in ("axes.csv", "runs.txt"))


def _named(paths: list[pathlib.Path], folder: pathlib.Path) -> tuple[list[Entry], None]:
    if not paths:
        raise ValueError("no result files are given: the list is empty; give names of files, or a folder")
    return [Entry(os.path.relpath(path.with_suffix("") if path.suffix == ".h5" else path, folder), path) for path in paths], None


def _of_sweep(folder: pathlib.Path) -> tuple[list[Entry], list[str]]:
    names = [pathlib.Path(line).stem for line in (folder / "runs.txt").read_text("utf-8-sig").splitlines() if line]
    with open(folder / "axes.csv", encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    expected = [[f"{name}.toml", f"{name}.h5"] for name in names]
    if not rows or rows[0][:3] != COLUMNS or [row[1:3] for row in rows[1:]] != expected or len({len(row) for row in rows}) != 1:
        raise FormatError(
            f"'{folder / 'axes.csv'}' does not name the runs of runs.txt, so it cannot be said which run is which; write the "
            "sweep again with `heddle sweep --force`"
        )
    keys = rows[0][3:]
    entries = [
        Entry(name, folder / f"{name}.h5", folder / f"{name}.toml", dict(zip(keys, row[3:]))) for name, row in zip(names, rows[1:])
    ]
    return entries, keys
