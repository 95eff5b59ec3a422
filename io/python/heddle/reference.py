"""All parameters of a configuration, from what `heddle config --reference` prints."""

from __future__ import annotations

import os
import re
import tomllib

import pandas as pd

from heddle.program import call

_SECTION = re.compile(r"^(\[+)([\w.]+)\]+  # (.*)$")
_PARAMETER = re.compile(r"^  (\w+) = (.*)$")
_LINE = re.compile(r"^      (?:(type|only with|source): )?(.*)$")
TO_BE_GIVEN = "(must be given)"
COLUMNS = ["key", "section", "section_help", "default", "type", "help", "only_with", "source"]


def parameters(program: str | os.PathLike[str] | None = None) -> pd.DataFrame:
    """The parameter table: one row per parameter, as the program that is used has them.

    key          as in a configuration, `N` standing for a number: "job.N.collective.N.sizes", "link.host_rate"
    section      its header: "[[job.collective]]"; section_help: what that is about
    default      bool, int, float, str or list; None: it has to be given
    type         what it takes, with units and range: "time (ps, ns, us, ms, s), 0 ps to 1 s"
    help         what it means; only_with: what else has to be so for it to count; source: where the default comes from
    """
    return parse(call(["config", "--reference"], program))


def parse(text: str) -> pd.DataFrame:
    """The same of a text that was printed before. Raises ValueError for a line that is not understood."""
    rows: list[dict[str, object]] = []
    section = about = prefix = ""
    repeated: set[str] = set()
    for number, line in enumerate(text.splitlines(), 1):
        if not line:
            continue
        if match := _SECTION.match(line):
            brackets, name, about = match.groups()
            section = brackets + name + "]" * len(brackets)
            if brackets == "[[":
                repeated.add(name)
            prefix = numbered(name, repeated)
        elif (match := _PARAMETER.match(line)) and section:
            key, default = match.groups()
            rows.append(
                {
                    "key": f"{prefix}.{key}",
                    "section": section,
                    "section_help": about,
                    "help": "",
                    "type": "",
                    "only_with": "",
                    "source": "",
                    "default": None if default == TO_BE_GIVEN else toml_value(default),
                }
            )
        elif (match := _LINE.match(line)) and rows:
            what = (match.group(1) or "help").replace(" ", "_")
            rows[-1][what] = f"{rows[-1][what]} {match.group(2)}".strip()
        else:
            raise ValueError(
                f"line {number} of the reference is not understood: {line!r}; use the package that came with the program"
            )
    return pd.DataFrame(rows, columns=COLUMNS)


def numbered(section: str, repeated: set[str]) -> str:
    """ "job.N.collective.N" for "job.collective", both of which are lists."""
    parts = section.split(".")
    return ".".join(part + (".N" if ".".join(parts[: i + 1]) in repeated else "") for i, part in enumerate(parts))


def toml_value(text: str) -> object:
    """The value that stands behind a key in a configuration."""
    return tomllib.loads(f"value = {text}")["value"]
