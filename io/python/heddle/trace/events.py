"""Events, read block by block: those of training jobs can be many millions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from heddle.results import Run
from heddle.results.columns import table

BLOCK_ROWS = 1_000_000


def blocks(run: Run, kind: str, columns: tuple[str, ...]) -> Iterator[pd.DataFrame]:
    """The `columns` of /event/`kind` in the file's order, codes as their names. Nothing where the file has no such events."""
    if kind not in run.event_kinds:
        return
    group = run.file[f"event/{kind}"]
    for first in range(0, len(group["time_ps"]), BLOCK_ROWS):
        yield table(group, columns, slice(first, first + BLOCK_ROWS))[list(columns)]


def rows_of_gpus(run: Run, kind: str, columns: tuple[str, ...], gpus: np.ndarray) -> Iterator[tuple]:
    """Of the `columns`, among which is "node", the rows of these GPUs."""
    for block in blocks(run, kind, columns):
        yield from block[block["node"].isin(gpus)].itertuples(index=False, name=None)
