"""A run of which many parts of a page ask for the same tables: each is read once."""

from __future__ import annotations

import pandas as pd

from heddle.results import Run
from heddle.results.run import Summary


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

    def summary(self, of: Summary) -> pd.DataFrame:
        return self._once("summary", of)

    def _once(self, name: str, *of: str) -> pd.DataFrame:
        key = " ".join((name, *of))
        if key not in self._tables:
            self._tables[key] = getattr(super(), name)(*of)
        return self._tables[key].copy()
