"""The page of all parameters, from what the program says of them."""

from __future__ import annotations

import pandas as pd

INTRODUCTION = """# Parameters

All that a configuration may say, as `heddle config --reference` prints it. Set one in a file, or on the command line with
`--set KEY=VALUE`, where `N` is the number of a section of which there may be several, from 0. [configs/](README.md) says how a
file is read.
"""


def page_of(parameters: pd.DataFrame) -> str:
    """Markdown: a section for each of the configuration's, a table of its parameters (heddle.config.parameters())."""
    text = INTRODUCTION
    for section, rows in parameters.groupby("section", sort=False):
        text += f"\n## `{section}`\n\n{cell(rows['section_help'].iloc[0])}\n\n"
        text += "| key | default | type and range | meaning |\n|---|---|---|---|\n"
        for row in rows.itertuples():
            meaning = [cell(row.help)]
            meaning += [f"Only with `{cell(row.only_with)}`."] if row.only_with else []
            meaning += [f"*{cell(row.source)}*"] if row.source else []
            text += f"| `{row.key}` | {default(row.default)} | {cell(row.type)} | {'<br>'.join(meaning)} |\n"
    return text


def default(value: object) -> str:
    if value is None:
        return "must be given"
    text = value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
    return f"`{cell(text)}`" if text else '`""`'


def cell(text: str) -> str:
    """What would end a cell, or begin HTML, does neither."""
    return str(text).replace("|", "\\|").replace("<", "&lt;")
