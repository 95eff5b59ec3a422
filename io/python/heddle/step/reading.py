"""What the runs of the parts say: what a layer's collectives took, and what became of the step."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from heddle.results import Run

ESTIMATE, LAYER, PIPELINE = "step.json", "layer", "pipeline"  # in the folder of a step
FORMAT = "heddle step 3"
GROUPS = ("tensor", "context", "pipeline", "data")
VALUES = ("time", "computing", *GROUPS)  # of a step; of groups, how long a GPU stands still for it


@dataclass(frozen=True)
class LayerTimes:
    """One kind of collective of a layer: times (ps) of a ring each, from the last rank's entry on, ascending; and of a smaller one."""

    bytes: int
    times_ps: tuple[int, ...]
    small_bytes: int
    small_times_ps: tuple[int, ...]

    def given(self, of: Callable[[tuple[int, ...]], float]) -> tuple[int, int]:
        """What `of` makes of the rings' times (max, mean): the time, and what of it does not grow with the bytes, ps."""
        whole, small = of(self.times_ps), of(self.small_times_ps)
        slope = (whole - small) / max(self.bytes - self.small_bytes, 1)
        latency = min(max(0.0, whole - slope * self.bytes), whole)
        return round(whole), round(latency) if self.small_bytes < self.bytes else 0


def estimate_in(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """What step.json says. Raises OSError, and ValueError for what heddle step has not written."""
    path = pathlib.Path(folder) / ESTIMATE
    try:
        found = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise ValueError(f"'{path}' is no JSON ({error}), so it is not what heddle step writes; run that again") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise ValueError(f"'{path}' is not of this version of heddle step ({FORMAT}); run that again")
    return found


def layer_times(run: Run) -> dict[str, LayerTimes]:
    """By kind: "all_gather" and "reduce_scatter", or "all_reduce"."""
    rows = run.collectives()
    rows = rows[rows.group == "data"]
    found = {}
    for kind, of_kind in rows.groupby("kind", observed=True):
        times = {
            int(size): tuple(sorted(int(ps) for ps in of_size.finish_ps - of_size.last_enter_ps))
            for size, of_size in of_kind.groupby("bytes")
        }
        layer, small = max(times), min(times)
        found[str(kind)] = LayerTimes(layer, times[layer], small, times[small])
    return found


def step_of(run: Run) -> dict[str, float]:
    """VALUES in ps, means over GPUs, and over iterations but the first, which has nothing before it to wait for."""
    rows = run.iterations()
    rows = rows if len(rows) == 1 else rows.iloc[1:]
    return {
        "time": float(rows.time_ps.mean()),
        "computing": float(rows.compute_ps.mean()),
        **{group: float(rows[f"exposed_{group}_ps"].mean()) for group in GROUPS},
    }
