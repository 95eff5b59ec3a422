"""Tracks of jobs: every collective from its first rank's entry to its last rank's end, by communicator; iterations."""

from __future__ import annotations

import numpy as np

from heddle.results import Run
from heddle.text import size_text
from heddle.trace.window import Window
from heddle.trace.writer import Lanes, TraceWriter

PID = 1
TIDS_EACH = 1000  # lanes of a communicator
DID_NOT_END = "had begun and did not end, and are drawn to the end of the window"


def write_jobs(run: Run, trace: TraceWriter, window: Window, gpus: np.ndarray) -> list[str]:
    """Iterations, and collectives of the communicators that a chosen GPU is in. Returns how many had not ended, as sentences."""
    trace.process(PID, "Jobs", 0)
    counts = {"iterations": _iterations(run, trace, window), "collectives": _collectives(run, trace, window, gpus)}
    return [f"{what} that {DID_NOT_END}: {count:,}" for what, count in counts.items() if count]


def end_of(end_ps: int, window: Window) -> int:
    """Where a slice ends: at the end of the window when what it shows has not ended."""
    return end_ps if end_ps >= 0 else window.until_ps


def _collectives(run: Run, trace: TraceWriter, window: Window, gpus: np.ndarray) -> int:
    """Returns how many of those drawn had not ended."""
    collectives, open_ones = run.collectives(), 0
    if collectives.empty:
        return 0
    members = run.communicators()
    mine = set(members.loc[members["node"].isin(gpus), "communicator"])
    chosen = collectives[collectives["communicator"].isin(mine) & (collectives["start_ps"] >= 0)]
    lanes: dict[int, Lanes] = {}
    for row in chosen.sort_values(["start_ps", "id"]).itertuples():
        finished, end_ps = row.finish_ps >= 0, end_of(row.finish_ps, window)
        inside = window.cut(row.start_ps, end_ps)
        if inside is None:
            continue
        open_ones += not finished
        if row.communicator not in lanes:
            name = f"job {row.job}: {'all ranks' if row.group == 'all' else row.group}, communicator {row.communicator}"
            lanes[row.communicator] = Lanes(trace, PID, TIDS_EACH * (len(lanes) + 1), name)
        args = {
            "id": row.id,
            "bytes": row.bytes,
            "ranks": row.ranks,
            "algorithm": str(row.algorithm),
            "protocol": str(row.protocol),
            "busbw_GBps": round(row.busbw_GBps, 3),
            "time_ps": end_ps - row.start_ps,
            "finished": finished,
            "last_enter_ps": row.last_enter_ps,
            "first_rank_ps": row.first_rank_ps,
            "last_rank_ps": row.last_rank_ps,
        }
        trace.slice(PID, lanes[row.communicator].tid(*inside), "collective", collective_name(row), *inside, args)
    return open_ones


def collective_name(row) -> str:
    """ "all-reduce 64 MiB"."""
    return f"{str(row.kind).replace('_', '-')} {size_text(row.bytes)}"


def _iterations(run: Run, trace: TraceWriter, window: Window) -> int:
    """Returns how many of those drawn had not ended."""
    frame, open_ones = run.iterations(), 0
    for place, (job, rows) in enumerate(frame[frame["begin_ps"] >= 0].groupby("job")):
        lanes = Lanes(trace, PID, 1 + 10 * place, f"job {job}: iterations")
        for row in rows.sort_values("begin_ps").itertuples(index=False):
            finished = row.end_ps >= 0
            inside = window.cut(row.begin_ps, end_of(row.end_ps, window))
            if inside is not None:
                args = {name: int(value) for name, value in row._asdict().items() if name.endswith("_ps")}
                args |= {"gpus": row.gpus, "gpus_ended": row.gpus_ended, "finished": finished}
                trace.slice(PID, lanes.tid(*inside), "iteration", f"iteration {row.iteration}", *inside, args)
                open_ones += not finished
    return open_ones
