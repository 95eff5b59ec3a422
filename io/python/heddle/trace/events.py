"""Events of chosen GPUs, read block by block: those of training jobs can be many millions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from heddle.results import Run
from heddle.results.columns import meanings_of, rows_of
from heddle.results.damage import damaged, reading

BLOCK_ROWS = 1_000_000


def rows_of_gpus(run: Run, kind: str, columns: tuple[str, ...], gpus: np.ndarray) -> Iterator[tuple]:
    """Of /event/`kind` the `columns` of every row whose node is among `gpus`, in the file's order; codes come as their names."""
    group = run.file[f"event/{kind}"]
    rows = rows_of(group, dict(group.items()))
    for first in range(0, rows, BLOCK_ROWS):
        with reading(run.path, group.name):
            mine = np.isin(group["node"][first : min(first + BLOCK_ROWS, rows)], gpus)
            block = [group[name][first : first + len(mine)][mine].tolist() for name in columns]
            names = [meanings_of(group[name]) for name in columns]
        for place, known in enumerate(names):
            if known is not None:
                block[place] = _named(run.path, f"{group.name}/{columns[place]}", block[place], known)
        yield from zip(*block)


def _named(path: str, column: str, codes: list[int], names: dict[int, str]) -> list[str]:
    if unknown := set(codes) - set(names):
        raise damaged(path, f"{column} holds the code {min(unknown)}, which its flag_meanings do not name")
    return [names[code] for code in codes]
