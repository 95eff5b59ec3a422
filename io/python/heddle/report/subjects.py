"""A run that a page is about: where its file is, and what it is called."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from heddle.folder import Entry, entries_of


@dataclass
class Subject:
    """One run: where its file is, what it is called, and what axes.csv says of it ({}: it is of no sweep)."""

    name: str
    path: str
    axes: dict[str, str] = field(default_factory=dict)
    entry: Entry | None = None
    problem: str = ""  # why there is no file


def subject_of(entry: Entry) -> Subject:
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


def named_subject(path: str, name: str) -> Subject:
    """Of the sweep in whose folder the result is, under another name; the sweep's axes are not told. Raises OSError, FormatError and
    ValueError."""
    entries = entries_of(os.path.dirname(path))[0]
    found = next((entry for entry in entries if entry.result.name == os.path.basename(path)), None)
    if found is None:
        raise ValueError(f"'{path}' is a part of a step, but not of the sweep in its folder; run `heddle step` again")
    subject = subject_of(found)
    subject.name, subject.axes = name, {}
    return subject
