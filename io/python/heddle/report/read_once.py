"""A run of which many parts of a page ask for the same tables: each is read once."""

from __future__ import annotations

import pandas as pd

from heddle.results import Run


def _once(read):
    def table(self: ReadOnce, *of: str) -> pd.DataFrame:
        key = (read.__name__, *of)
        if key not in self._tables:
            self._tables[key] = read(self, *of)
        return self._tables[key].copy()

    return table


class ReadOnce(Run):
    """Like Run; who adds columns to a table adds them to a copy."""

    def __init__(self, path: str, tried: bool = False):
        self._tables: dict[tuple[str, ...], pd.DataFrame] = {}
        super().__init__(path, tried)

    messages, collectives, iterations = _once(Run.messages), _once(Run.collectives), _once(Run.iterations)
    nodes, links, summary = _once(Run.nodes), _once(Run.links), _once(Run.summary)
