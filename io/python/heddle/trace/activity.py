"""When GPUs of training jobs compute, and when they stand still for others (/event/gpu_time)."""

from __future__ import annotations

import numpy as np

from heddle.results import Run
from heddle.trace.events import rows_of_gpus
from heddle.trace.window import Window
from heddle.trace.writer import Lanes, TraceWriter

THREAD = 1
COLUMNS = ("time_ps", "node", "activity", "took_ps", "operation")


def is_recorded(run: Run) -> bool:
    return "gpu_time" in run.event_kinds


def write_activity(run: Run, trace: TraceWriter, window: Window, gpus: np.ndarray, first_pid: int) -> None:
    """One track per GPU, in which computing and standing still take turns."""
    spans: dict[int, list[tuple[int, int, str, int]]] = {}
    for time_ps, node, activity, took_ps, operation in rows_of_gpus(run, "gpu_time", COLUMNS, gpus):
        if window.cut(time_ps - took_ps, time_ps) is not None:
            spans.setdefault(node, []).append((time_ps - took_ps, time_ps, activity, operation))
    for node, mine in sorted(spans.items()):
        lanes = Lanes(trace, first_pid + node, THREAD, "computes, or stands still for a group")
        for begin_ps, end_ps, activity, operation in sorted(mine):
            inside = window.cut(begin_ps, end_ps)
            category = "compute" if activity == "compute" else "exposed"
            args = {"time_ps": end_ps - begin_ps, "operation": operation}
            trace.slice(lanes.pid, lanes.tid(*inside), category, activity.replace("_", " for "), *inside, args)
