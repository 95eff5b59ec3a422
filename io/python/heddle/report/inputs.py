"""From what the user names, files and folders, to the runs that a page is about."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from heddle.folder import Entry, entries_of, is_sweep
from heddle.step.reading import ESTIMATE, PIPELINE
from heddle.step.seeds import Repeated, repeated_in
from heddle.text import letter


@dataclass
class Subject:
    """One run: where its file is, what it is called, and what axes.csv says of it ({}: it is of no sweep)."""

    name: str
    path: str
    axes: dict[str, str] = field(default_factory=dict)
    entry: Entry | None = None
    problem: str = ""  # why there is no file


@dataclass
class Inputs:
    """The runs; the keys of a sweep's axes (None: no sweep); what the page is called when no run has a title; and the variants of a
    step, where these are parts of it."""

    subjects: list[Subject]
    keys: list[str] | None
    folder: str = ""
    variants: list[Repeated] = field(default_factory=list)


def inputs_of(names: Sequence[str]) -> Inputs:
    """One folder, or any number of result files. Raises OSError, ValueError and FormatError, saying what to try."""
    if len(names) == 1 and os.path.exists(os.path.join(names[0], ESTIMATE)):
        return _of_step(names[0])
    if len(names) == 1 and os.path.isdir(names[0]):
        entries, keys = entries_of(names[0])
        return Inputs(
            [_of_entry(entry) for entry in entries],
            keys if is_sweep(names[0]) else None,
            os.path.basename(os.path.abspath(names[0])),
        )
    for name in names:
        if os.path.exists(os.path.join(name, ESTIMATE)):
            raise IsADirectoryError(
                f"'{name}' is a step by its parts (heddle step), and a report is of one; `heddle compare` puts several beside each other"
            )
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


def _of_step(folder: str) -> Inputs:
    """The pipelines of every variant with what a layer takes alone and together, and what heddle step made of them."""
    variants = repeated_in(folder)
    steps = [(variant, step) for variant in variants for step in variant.steps]
    subjects: dict[str, Subject] = {}
    for variant, step in steps:
        names = [letter(variants.index(variant))] if len(variants) > 1 else []
        names += [f"seed {step['config']['simulation']['seed']}"] if len(variant.steps) > 1 else []
        files = step["parts"][PIPELINE]
        for file in dict.fromkeys(files.values()):
            how = " and ".join(name for name, of in files.items() if of == file)
            subject = _of_entry(_entry_of(os.path.join(folder, file)))
            subject.name, subject.axes = " ".join([*names, how]), {}
            subjects.setdefault(file, subject)  # of variants that share it, the first
    return Inputs(list(subjects.values()), [], os.path.basename(os.path.abspath(folder)), variants)


def _entry_of(path: str) -> Entry:
    return next(entry for entry in entries_of(os.path.dirname(path))[0] if entry.result.name == os.path.basename(path))


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
    """A file beside itself would count as a second run that says the same. Also by another path, or a link."""
    known: dict[str, str] = {}
    for name in names:
        path = os.path.realpath(name)
        if path in known:
            first = known[path]
            raise ValueError(
                f"'{name}' is given twice" + (f", first as '{first}'" if first != name else "") + "; name each file once"
            )
        known[path] = name


def _of_entry(entry: Entry) -> Subject:
    if entry.state == "missing":
        return Subject(
            entry.name,
            str(entry.result),
            dict(entry.axes),
            entry,
            f"there is no {entry.result.name}: it was not run, or left nothing",
        )
    path = entry.result if entry.state == "ended" else entry.part
    return Subject(entry.name, str(path), dict(entry.axes), entry)


def _short_names(names: Sequence[str]) -> list[str]:
    """File names without folders and endings; with folders where they would be the same."""
    stems = [pathlib.Path(name.removesuffix(".part")).stem for name in names]
    if len(set(stems)) == len(stems):
        return stems
    return [name.removesuffix(".part").removesuffix(".h5") for name in names]
