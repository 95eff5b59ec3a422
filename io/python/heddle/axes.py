"""What runs differ in, as columns: of a sweep what its axes.csv says, of other files the parameters that are not the same."""

from __future__ import annotations

import functools
import re
import tomllib
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

# They say how a run is made and written, not what is simulated.
DECIDES_NOTHING = ("partition.", "checkpoint.", "output.")


class Parameter(NamedTuple):
    """One value of a run: as text, and as a number in base units (NaN: none) with its unit ("": none)."""

    text: str
    number: float
    unit: str


NONE = Parameter("", float("nan"), "")


def parameters_of(frame: pd.DataFrame) -> dict[str, Parameter]:
    """Run.parameters() by key; of lists all elements in one text."""
    found: dict[str, Parameter] = {}
    for key, element, text, number, unit in frame.itertuples(index=False, name=None):
        found[key] = Parameter(text, number, unit) if element == 0 else Parameter(f"{found[key].text}, {text}", float("nan"), "")
    return found


def differing(runs: list[dict[str, Parameter]]) -> list[str]:
    """The keys of which not all runs have the same value, in the order of the configuration."""
    keys = dict.fromkeys(key for run in runs for key in run)
    return [key for key in keys if not key.startswith(DECIDES_NOTHING) and len({run.get(key, NONE).text for run in runs}) > 1]


@functools.lru_cache(maxsize=4096)
def literal(text: str) -> Parameter | None:
    """A plain number or truth value of axes.csv; None for what has a unit or is a word."""
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return None
    if isinstance(value, bool):
        return Parameter(text, float(value), "1")
    if isinstance(value, (int, float)):
        return Parameter(text, float(value), "1")
    return Parameter(value, float("nan"), "") if isinstance(value, str) else None


def may_have_unit(text: str) -> bool:
    """Whether only a result can say what this value of axes.csv is as a number: "400 Gb/s", not "0.5" or "ecmp"."""
    return re.match(r"[+-]?[\d.]", text) is not None and literal(text) is None


def columns_of(keys: list[str], runs: list[dict[str, Parameter]]) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """(column -> a value per run, column -> unit). A quantity has a text and, as `KEY (unit)`, a number in base units."""
    columns: dict[str, np.ndarray] = {}
    units: dict[str, str] = {}
    for key in keys:
        values = [run.get(key, NONE) for run in runs]
        columns[key] = typed(values)
        units[key] = "1"
        quantities = {value.unit for value in values} - {"", "1"}
        for unit in quantities if len(quantities) == 1 else ():
            columns[f"{key} ({unit})"] = np.array([value.number for value in values])
            units[f"{key} ({unit})"] = unit
    return columns, units


def typed(values: list[Parameter]) -> np.ndarray:
    """As bool, int or float where all values are such, else as texts."""
    texts = [value.text for value in values]
    if all(value.unit == "1" for value in values):
        if set(texts) <= {"true", "false"}:
            return np.array([text == "true" for text in texts])
        numbers = [_number(text, value) for text, value in zip(texts, values)]
        return np.array(numbers)
    return np.array(texts, dtype=object)


def _number(text: str, value: Parameter) -> Any:
    try:
        return int(text.replace("_", ""))
    except ValueError:
        return value.number
