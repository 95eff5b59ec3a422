"""Tracks of jobs: every collective from its first rank's entry to its last rank's end, by communicator; iterations."""

from __future__ import annotations

import numpy as np

from heddle.results import Run
from heddle.text import size_text
from heddle.trace.window import Window
from heddle.trace.writer import Lanes, TraceWriter

PID = 1
TIDS_EACH = 1000  # lanes of a communicator


def write_jobs(run: Run, trace: TraceWriter, window: Window, gpus: np.ndarray) -> None:
    """Collectives of the communicators that a chosen GPU is in."""
    trace.process(PID, "Jobs", 0)
    _iterations(run, trace, window)
    collectives = run.collectives()
    if collectives.empty:
        return
    members = run.communicators()
    mine = set(members.loc[members["node"].isin(gpus), "communicator"])
    chosen = collectives[collectives["communicator"].isin(mine) & (collectives["finish_ps"] >= 0)]
    lanes: dict[int, Lanes] = {}
    for row in chosen.sort_values(["start_ps", "id"]).itertuples():
        inside = window.cut(row.start_ps, row.finish_ps)
        if inside is None:
            continue
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
            "time_ps": row.finish_ps - row.start_ps,
            "last_enter_ps": row.last_enter_ps,
            "first_rank_ps": row.first_rank_ps,
            "last_rank_ps": row.last_rank_ps,
        }
        trace.slice(PID, lanes[row.communicator].tid(*inside), "collective", collective_name(row), *inside, args)


def collective_name(row) -> str:
    """ "all-reduce 64 MiB"."""
    return f"{str(row.kind).replace('_', '-')} {size_text(row.bytes)}"


def _iterations(run: Run, trace: TraceWriter, window: Window) -> None:
    frame = run.iterations()
    for place, (job, rows) in enumerate(frame[frame["end_ps"] >= 0].groupby("job")):
        lanes = Lanes(trace, PID, 1 + 10 * place, f"job {job}: iterations")
        for row in rows.sort_values("begin_ps").itertuples(index=False):
            inside = window.cut(row.begin_ps, row.end_ps)
            if inside is not None:
                args = {name: int(value) for name, value in row._asdict().items() if name.endswith("_ps")}
                trace.slice(PID, lanes.tid(*inside), "iteration", f"iteration {row.iteration}", *inside, args)
