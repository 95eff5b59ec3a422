"""Whether the result under a name of a sweep is that of the configuration under this name."""

from __future__ import annotations

import tomllib
from typing import Any

from heddle.axes import DECIDES_NOTHING
from heddle.config import Config
from heddle.folder import Entry
from heddle.results import Run


def why_not_as_configured(run: Run, entry: Entry) -> str:
    """How the configuration of a result differs from that of its sweep; "" where it does not, or where there is no sweep."""
    if entry.config is None:
        return ""
    try:
        text = entry.config.read_text("utf-8")
    except OSError as error:
        return f"{entry.config} cannot be read ({error.strerror}), so it cannot be said whether this is its result"
    ours = run.config
    if without_comment(text) == without_comment(ours):
        return ""
    said, was = flat(text), flat(ours)
    wrong = [key for key in {**said, **was} if said.get(key) != was.get(key) and not key.startswith(DECIDES_NOTHING)]
    if not wrong:
        return ""
    return f"NOT AS CONFIGURED: {wrong[0]} was {was.get(wrong[0])!r}, {entry.config} says {said.get(wrong[0])!r}"


def without_comment(text: str) -> str:
    lines = text.split("\n")
    return "\n".join(line for number, line in enumerate(lines) if not (number == 0 and line.startswith("#"))).strip()


def flat(text: str) -> dict[str, Any]:
    """Dotted key -> value of a TOML text."""
    config = Config(tomllib.loads(text))
    return {key: config[key] for key in config}
