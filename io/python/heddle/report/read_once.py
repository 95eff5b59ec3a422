"""A run of which many parts of a page ask for the same tables: each is read once."""

from __future__ import annotations

import pandas as pd

from heddle.results import Run


class ReadOnce(Run):
    """Like Run; who adds columns to a table adds them to a copy."""

    def __init__(self, path: str, tried: bool = False):
        self._tables: dict[str, pd.DataFrame] = {}
        super().__init__(path, tried)

    def messages(self) -> pd.DataFrame:
        return self._once("messages")

    def collectives(self) -> pd.DataFrame:
        return self._once("collectives")

    def iterations(self) -> pd.DataFrame:
        return self._once("iterations")

    def nodes(self) -> pd.DataFrame:
        return self._once("nodes")

    def links(self) -> pd.DataFrame:
        return self._once("links")

    def _once(self, name: str) -> pd.DataFrame:
        if name not in self._tables:
            self._tables[name] = getattr(super(), name)()
        return self._tables[name].copy()
