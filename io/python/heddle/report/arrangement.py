"""Which runs stand in which panel: small multiples by axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd

from heddle.figures import Cell
from heddle.figures.figure import MAX_COLUMNS
from heddle.report.facts import Facts
from heddle.text import counted

SEED = "simulation.seed"
MAX_PANELS = 12
MAX_LINES = 6  # in one panel
MAX_NOTES = 4  # below a figure of several runs
MAX_NAMED = 3  # runs of a note


@dataclass
class Arranged:
    """The cells of a figure in rows of so many columns, and what was left out of it."""

    cells: list[Cell]
    columns: int
    note: str = ""


def short_keys(keys: list[str]) -> dict[str, str]:
    """ "dcqcn.enabled" -> "enabled" where that says it; at most the whole key."""
    short = {}
    for key in keys:
        parts = key.split(".")
        for count in range(1, len(parts) + 1):
            tail = ".".join(parts[-count:])
            if sum(other == tail or other.endswith("." + tail) for other in keys) == 1 and not (
                tail.isdigit() or len(tail) < 3 or tail in ("enabled", "kind", "bytes", "policy")
            ):
                break
        short[key] = tail
    return short


def label_of(facts: Facts, keys: list[str]) -> str:
    """ "dcqcn.enabled=true, seed=1": of a run by its axes; its name where it has none."""
    short = short_keys(list(facts.axes))
    return ", ".join(f"{short[key]}={facts.axes[key]}" for key in keys if key in facts.axes) or facts.name


def without_seed(runs: list[Facts]) -> list[str]:
    """The axes that are asked about: all but the seed; the seed where there is no other."""
    keys = list(runs[0].axes)
    return [key for key in keys if key != SEED] or keys


def shown_runs(runs: list[Facts]) -> tuple[list[Facts], str]:
    """Of runs that differ in the seed alone the first, at most MAX_PANELS of these; and what is left out."""
    keys = without_seed(runs)
    first: dict[tuple[str, ...], Facts] = {}
    for run in runs:
        first.setdefault(tuple(run.axes.get(key, "") for key in keys) if run.axes else (run.name,), run)
    shown = list(first.values())
    note = "Of runs that differ in simulation.seed alone, the first is drawn." if len(shown) < len(runs) else ""
    if len(shown) > MAX_PANELS:
        note += f" Only the first {MAX_PANELS} of {len(shown)} combinations are drawn; make a report of fewer files to see others."
    return shown[:MAX_PANELS], note.strip()


def shared_notes(notes: Sequence[tuple[str, str]], always_named: bool = False) -> list[str]:
    """(run, note) of several runs: equal notes once, with the names of their runs where not all have them, or always."""
    runs_of: dict[str, list[str]] = {}
    for run, note in notes:
        if note:
            runs_of.setdefault(note.strip(), []).append(run)
    told = []
    for note, runs in list(runs_of.items())[:MAX_NOTES]:
        more = f" and {len(runs) - MAX_NAMED} more" if len(runs) > MAX_NAMED else ""
        told.append(note if len(runs) == len(notes) and not always_named else f"{'; '.join(runs[:MAX_NAMED])}{more}: {note}")
    left = sum(map(len, list(runs_of.values())[MAX_NOTES:]))
    return told + ([f"{counted(left, 'more run')}, which a report of fewer runs tells of"] if left else [])


def panels(runs: list[Facts], name: str) -> Arranged:
    """A panel per run that has the figure's data."""
    shown, note = shown_runs(runs)
    keys = without_seed(runs)
    having = [run for run in shown if name in run.frames]
    lacking = [run for run in shown if name not in run.frames]
    if lacking and having:
        reasons = shared_notes([(label_of(run, keys), run.lacks.get(name, "not read")) for run in lacking], always_named=True)
        note += f" Not of {'. Not of '.join(reasons)}."
    cells = [Cell(label_of(run, keys), [("", run.frames[name])]) for run in having]
    return Arranged(cells, _columns(runs, keys), note.strip())


def overlaid(runs: list[Facts], name: str) -> Arranged:
    """Runs on top of each other, in as few panels as keep at most MAX_LINES lines in each: one per value of the first axes."""
    keys = without_seed(runs) if runs[0].axes else []
    having = [run for run in runs if name in run.frames]
    lacking = sum(name in run.lacks for run in runs)
    note = f"{lacking} of {len(runs)} runs have no such data." if lacking else ""
    if len(having) + lacking < len(runs):
        note += f" Of runs that differ in {SEED} alone, the first {MAX_LINES} are drawn."
    for count in range(len(keys) + 1):
        groups = _grouped(having, keys[:count])
        if max(map(len, groups.values()), default=0) <= MAX_LINES:
            break
    by = keys[:count]
    cells = []
    for members in list(groups.values())[:MAX_PANELS]:
        if len(members) > MAX_LINES and "the first" not in note:
            note += f" Of runs that differ in nothing but what has no panel, the first {MAX_LINES} are drawn."
        rest = [key for key in members[0].axes if key not in by]
        entries = [(label_of(run, rest) if rest else run.name, run.frames[name]) for run in members[:MAX_LINES]]
        cells.append(Cell(label_of(members[0], by) if by else "", entries))
    if len(groups) > MAX_PANELS:
        note += f" Only the first {MAX_PANELS} of {len(groups)} combinations are drawn; make a report of fewer files to see others."
    return Arranged(cells, _columns(runs, by), note.strip())


def _columns(runs: list[Facts], keys: list[str]) -> int:
    """As many columns as the last axis has values, when they fit: then every row is of one value of the others."""
    values = len({run.axes.get(keys[-1], "") for run in runs}) if keys and runs[0].axes else 3
    return values if 2 <= values <= MAX_COLUMNS else 3


def _grouped(runs: list[Facts], keys: list[str]) -> dict[tuple[str, ...], list[Facts]]:
    groups: dict[tuple[str, ...], list[Facts]] = {}
    for run in runs:
        groups.setdefault(tuple(run.axes.get(key, "") for key in keys), []).append(run)
    return groups


def long_frame(runs: list[Facts], name: str, wanted: Callable[[Facts], bool] = lambda _: True) -> pd.DataFrame:
    """The frames of several runs below each other, with their name and axes in front."""
    pieces = []
    for run in runs:
        if name in run.frames and wanted(run):
            frame = run.frames[name].copy()
            frame.attrs = {}
            for place, (key, value) in enumerate({"run": run.name, **run.axes}.items()):
                frame.insert(place, key, value, allow_duplicates=True)
            pieces.append(frame)
    return pd.concat(pieces, ignore_index=True)
