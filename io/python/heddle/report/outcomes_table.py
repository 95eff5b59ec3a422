"""The measures of several runs as one table, and their means over seeds."""

from __future__ import annotations

import pandas as pd

from heddle.collection import OVER
from heddle.mean_interval import half_width_95
from heddle.report.blocks import Table
from heddle.report.facts import Facts
from heddle.report.spread import combinations_of, relative_span, span_class
from heddle.text import text_of

MAX_MEASURES = 20
COUNT = " (n)"  # after a measure's key: of how many runs a mean is


def outcomes(runs: list[Facts], keys: list[str]) -> tuple[pd.DataFrame, list[tuple[str, str, str, int]]]:
    """One row per run: run, axes, status, measures; and (key, title, unit, weight) of at most MAX_MEASURES that any run has.

    The weight is 3, only for tables of single runs, where some run has cut the measure off.
    """
    measures: dict[str, tuple[str, str, str, int]] = {}
    for run in runs:
        for measure in run.measures:
            known = measures.setdefault(measure.key, (measure.key, measure.title, measure.unit, measure.weight))
            if measure.cut_off:  # in some run: no figure and no mean over runs
                measures[measure.key] = (*known[:3], 3)
    ranked = sorted(measures, key=lambda key: (measures[key][3] > 2, measures[key][3] > 1 and not _differs(key, runs)))
    kept = set(ranked[:MAX_MEASURES])
    chosen = [measure for key, measure in measures.items() if key in kept]
    rows = [
        {
            "run": run.name,
            **{key: run.axes.get(key, "") for key in keys},
            "status": run.attrs["status"],
            **{key: found.value if (found := run.measure(key)) else None for key, *_ in chosen},
        }
        for run in runs
    ]
    return pd.DataFrame(rows), chosen


def told(runs: list[Facts], keys: list[str], measures: list[tuple[str, str, str, int]]) -> list[tuple[str, str, str, int]]:
    """The measures for tables of means: what differs between values of `keys`, the most first; then what is told of one run."""
    groups = combinations_of(runs, keys)
    differ = {key: span_class(relative_span(key, groups)) for key, *_ in measures}
    chosen = [measure for measure in measures if measure[3] == 1 or (measure[3] == 2 and differ[measure[0]])]
    return sorted(chosen, key=lambda measure: -differ[measure[0]])


def over(frame: pd.DataFrame) -> pd.DataFrame:
    """The runs that did what they were to do: others are in no mean."""
    return frame[frame["status"].isin(OVER)]


def _differs(key: str, runs: list[Facts]) -> bool:
    return len({measure.value for run in runs if (measure := run.measure(key)) is not None}) > 1


def combinations(frame: pd.DataFrame, keys: list[str], measures: list[tuple[str, str, str, int]]) -> pd.DataFrame:
    """Means over the runs that have the same values of `keys` and came to their end, in the order of the first of each.

    runs: how many; <measure>COUNT: how many of them have the measure.
    """
    names = [key for key, *_ in measures]
    groups = over(frame).groupby(keys if len(keys) > 1 else keys[0], sort=False)
    means = groups[names].mean(numeric_only=True)
    means.insert(0, "runs", groups.size())
    return means.join(groups[names].count().add_suffix(COUNT)).reset_index()


def with_intervals(table: Table, frame: pd.DataFrame, keys: list[str]) -> Table:
    """Adds to every mean of a table of combinations() half of its 95 % confidence interval."""
    counted = over(frame)
    names = [column.key for column in table.columns]
    for row in table.rows:
        mine = counted[(counted[keys].astype(str) == [row[names.index(key)].value for key in keys]).all(axis=1)]
        for place, column in enumerate(table.columns):
            if column.key in keys or column.key == "runs" or not row[place].value:
                continue
            half = half_width_95(mine[column.key].dropna().astype(float).tolist())
            row[place].text += f" +- {text_of(half, column.unit, 3)}" if half == half else ""
    return table


def with_marks(table: Table, runs: list[Facts]) -> Table:
    """Says in a table of outcomes() which values are lower bounds, or means of a part."""
    for row, run in zip(table.rows, runs):
        for place, column in enumerate(table.columns):
            measure = run.measure(column.key)
            if measure is not None and measure.cut_off:
                row[place].text = measure.text
    return table


def with_counts(table: Table, means: pd.DataFrame) -> Table:
    """Adds to every mean of a table of combinations() of how many runs it is, where not all have the measure."""
    for row, record in zip(table.rows, means.to_dict("records")):
        for cell, column in zip(row, table.columns):
            count = record.get(column.key + COUNT, record["runs"])
            cell.text += f" (n = {count})" if 0 < count < record["runs"] else ""
    return table


def effects_of(frame: pd.DataFrame, keys: list[str], measures: list[tuple[str, str, str, int]]) -> pd.DataFrame:
    """One row per value of each axis: the means over all runs that have it and came to their end."""
    pieces = []
    for key in keys:
        means = combinations(frame, [key], measures).rename(columns={key: "value"})
        means.insert(0, "axis", key)
        pieces.append(means)
    return pd.concat(pieces, ignore_index=True)
