"""From what the user names, files and folders, to the runs that a page is about."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Sequence
from dataclasses import dataclass

from heddle.folder import entries_of, is_sweep
from heddle.report.step_inputs import StepInputs, is_step, of_steps
from heddle.report.subjects import Subject, subject_of
from heddle.step.reading import ESTIMATE
from heddle.text import letter


@dataclass
class Inputs:
    """The runs; the keys of a sweep's axes (None: no sweep); what the page is called when no run has a title; and the steps, where these
    are parts of some."""

    subjects: list[Subject]
    keys: list[str] | None
    folder: str = ""
    steps: StepInputs | None = None


def inputs_of(names: Sequence[str]) -> Inputs:
    """Folders of steps, one folder of runs, or any number of result files. Raises OSError, ValueError and FormatError, saying what to try."""
    if any(map(is_step, names)):
        return _of_steps(names)
    if len(names) == 1 and os.path.isdir(names[0]):
        entries, keys = entries_of(names[0])
        return Inputs(
            [subject_of(entry) for entry in entries],
            keys if is_sweep(names[0]) else None,
            os.path.basename(os.path.abspath(names[0])),
        )
    for name in names:
        if os.path.isdir(name):
            raise IsADirectoryError(
                f"'{name}' is a folder; a report is of one folder, or of result files: name the files in it, or make a report "
                "of it alone"
            )
    _refuse_twice(names)
    labels = _short_names(names)
    if len(names) > 1:
        labels = [f"{letter(place)} {label}" for place, label in enumerate(labels)]
    return Inputs([Subject(label, name) for label, name in zip(labels, names)], None)


def _of_steps(names: Sequence[str]) -> Inputs:
    """The pipelines of every variant, and what heddle step made of them."""
    for name in names:
        if not is_step(name):
            raise ValueError(
                f"'{name}' is no step that `heddle step` has brought to its end, and others are; make a report of steps alone"
            )
    _refuse_twice(names)
    steps = of_steps(names)
    return Inputs(steps.pipelines, [], ", ".join(os.path.basename(os.path.abspath(name)) for name in names), steps)


def files_of(names: Sequence[str]) -> list[str]:
    """What a report of these names reads, but the results in folders."""
    of_folders = [
        path
        for name in names
        for pattern in ("*.toml", "axes.csv", "runs.txt", ESTIMATE)
        for path in pathlib.Path(name).glob(pattern)
    ]
    return [*names, *map(str, of_folders)]


def _refuse_twice(names: Sequence[str]) -> None:
    """What stands beside itself would count as a second run that says the same. Also by another path, or a link."""
    known: dict[str, str] = {}
    for name in names:
        path = os.path.realpath(name)
        if path in known:
            first = known[path]
            raise ValueError(
                f"'{name}' is given twice" + (f", first as '{first}'" if first != name else "") + "; name each file or folder once"
            )
        known[path] = name


def _short_names(names: Sequence[str]) -> list[str]:
    """File names without folders and endings; with folders where they would be the same."""
    stems = [pathlib.Path(name.removesuffix(".part")).stem for name in names]
    if len(set(stems)) == len(stems):
        return stems
    return [name.removesuffix(".part").removesuffix(".h5") for name in names]
