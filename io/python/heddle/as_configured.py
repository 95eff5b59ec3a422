"""Whether the result under a name of a sweep is that of the configuration under this name."""

from __future__ import annotations

import pathlib
import re
import tomllib
from decimal import Decimal, InvalidOperation
from typing import Any

from heddle.axes import DECIDES_NOTHING, Parameter, parameters_of
from heddle.config import Config
from heddle.folder import Entry
from heddle.results import Run
from heddle.results.damage import reading

# io/units.cpp, in small letters
UNITS = {
    "ps": {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12},
    "B": {
        **{"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12},
        **{"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40},
    },
    "bit/s": {
        **{"b/s": 1, "kb/s": 10**3, "mb/s": 10**6, "gb/s": 10**9, "tb/s": 10**12},
        **{"mbps": 10**6, "gbps": 10**9, "tbps": 10**12},
    },
    "B/s": {"b/s": 1, "kb/s": 10**3, "mb/s": 10**6, "gb/s": 10**9, "tb/s": 10**12},
}


def why_not_as_configured(run: Run, entry: Entry) -> str:
    """How the configuration of a result differs from that of its sweep; "" where it does not, or where there is no sweep."""
    if entry.config is None:
        return ""
    return _not_as_its_file(run, entry.config) or why_not_as_labelled(parameters_of(run.parameters()), entry.axes)


def _not_as_its_file(run: Run, config: pathlib.Path) -> str:
    try:
        text = config.read_text("utf-8")
    except OSError as error:
        return f"{config} cannot be read ({error.strerror}), so it cannot be said whether this is its result"
    ours = run.config
    if without_comment(text) == without_comment(ours):
        return ""
    try:
        said = flat(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return f"{config} is no configuration ({error}), so it cannot be said whether this is its result"
    with reading(run.path, "/config"):
        was = flat(ours)
    wrong = [key for key in {**said, **was} if said.get(key) != was.get(key) and not key.startswith(DECIDES_NOTHING)]
    if not wrong:
        return ""
    return f"NOT AS CONFIGURED: {wrong[0]} was {was.get(wrong[0])!r}, {config} says {said.get(wrong[0])!r}"


def why_not_as_labelled(parameters: dict[str, Parameter], axes: dict[str, str]) -> str:
    """How axes.csv says something else than the run was given; "" where it does not, or where only the program can say: of whole
    sections, and of files of which the sweep has a copy."""
    for key, said in axes.items():
        was = parameters.get(key)
        if was is not None and not key.startswith(DECIDES_NOTHING) and agrees(said, was) is False:
            return f"NOT AS CONFIGURED: {key} was {was.text}, axes.csv says {said}"
    return ""


def agrees(said: str, was: Parameter) -> bool | None:
    """Whether a value of axes.csv is that of a run; None where that cannot be said here."""
    try:
        value = tomllib.loads(f"value = {said}")["value"]
    except tomllib.TOMLDecodeError:
        value = said
    if isinstance(value, list):
        return None if any(isinstance(one, (dict, list)) for one in value) else ", ".join(map(str, value)) == was.text or None
    if isinstance(value, bool):
        return was.text == str(value).lower()
    if was.unit in ("", "1") and isinstance(value, (int, float)):
        return float(value) == was.number if was.number == was.number else str(value) == was.text
    if was.unit not in ("", "1"):
        number = quantity(str(value), was.unit)
        return None if number is None else number == Decimal(was.number)
    copied = was.text.startswith("inputs/")
    return None if copied else str(value) == was.text


def quantity(text: str, unit: str) -> Decimal | None:
    """ "64 KiB" in base units, as the program reads it; None for what it would not."""
    match = re.fullmatch(r"\s*([\d._]+(?:[eE][+-]?\d+)?)\s*(\S*)\s*", text)
    if match is None:
        return None
    try:
        number = Decimal(match[1].replace("_", ""))
    except InvalidOperation:
        return None
    scale = {"": 1 if number == 0 else None, **UNITS.get(unit, {})}.get(match[2].lower())
    return None if scale is None else number * scale


def without_comment(text: str) -> str:
    lines = text.split("\n")
    return "\n".join(line for number, line in enumerate(lines) if not (number == 0 and line.startswith("#"))).strip()


def flat(text: str) -> dict[str, Any]:
    """Dotted key -> value of a TOML text."""
    config = Config(tomllib.loads(text))
    return {key: config[key] for key in config}
