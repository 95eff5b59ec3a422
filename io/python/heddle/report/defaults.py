"""The defaults of all parameters, to tell what a configuration changed; defaults.tsv holds those of the program of this version.

python3 -m heddle.report.defaults      # writes defaults.tsv anew, from `heddle config --reference`; a test compares them
"""

from __future__ import annotations

import csv
import importlib.resources
import os
import pathlib
import re

from heddle.axes import Parameter
from heddle.reference import parameters

FILE = "defaults.tsv"


def numbered(key: str) -> str:
    """ "job.N.collective.N.sizes" for "job.0.collective.1.sizes"."""
    return re.sub(r"\.\d+(?=\.|$)", ".N", key)


def default_texts() -> dict[str, str | None]:
    """Key (with N for numbers) -> default as a configuration has it; None: it has to be given."""
    text = (importlib.resources.files("heddle.report") / FILE).read_text("utf-8")
    rows = csv.reader(text.splitlines(), delimiter="\t")
    return {key: None if given == "must be given" else default for key, default, given in rows}


def changed(found: dict[str, Parameter]) -> list[tuple[str, str, str | None]]:
    """(key, value, default) of what differs from its default, or has to be given; the default of an unknown key is "?"."""
    defaults = default_texts()
    file = found.get("topology.file")
    if file is not None and file.text:  # all switches of an imported fabric have the defaults of racks'
        defaults |= {f"{tier}.{key}": defaults.get(f"buffer.rtsw.{key}") for tier, key in of_higher_tiers(defaults)}
    rows: list[tuple[str, str, str | None]] = []
    for key, value in found.items():
        default = defaults.get(numbered(key), "?")
        if default is None or not same(value.text, default):
            rows.append((key, value.text, default))
    return rows


def of_higher_tiers(defaults: dict[str, str | None]) -> list[tuple[str, str]]:
    """("buffer.ctsw", "bytes"), ...: the keys of packet memories above those of racks."""
    tiers = ("buffer.ctsw", "buffer.atsw")
    return [(tier, key.removeprefix(tier + ".")) for key in defaults for tier in tiers if key.startswith(tier + ".")]


def same(text: str, default: str) -> bool:
    """Equal as texts, or as numbers; an empty list and an empty text are both nothing."""
    if text == default or {text, default} <= {"", "[]"}:
        return True
    try:
        return float(text) == float(default)
    except ValueError:
        return False


def text_of_default(value: object) -> str:
    """A default of the reference as /parameter would have it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(map(text_of_default, value)) or "[]"
    return str(value)


def table(program: str | os.PathLike[str] | None = None) -> list[list[str]]:
    """The rows of defaults.tsv, from the program."""
    return [
        [row.key, "", "must be given"] if row.default is None else [row.key, text_of_default(row.default), ""]
        for row in parameters(program).itertuples()
    ]


def main() -> None:
    with open(pathlib.Path(__file__).with_name(FILE), "w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter="\t", lineterminator="\n").writerows(table())


if __name__ == "__main__":
    main()
