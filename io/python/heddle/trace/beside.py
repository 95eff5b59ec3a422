"""What goes on beside collectives: checkpoints and reads of training jobs and of generators, a controller's plans, TCP's windows."""

from __future__ import annotations

import numpy as np
import pandas as pd

from heddle.figures.figure import Missing
from heddle.figures.tcp_window import TcpWindow
from heddle.results import Run
from heddle.results.askers import by_asker
from heddle.trace.links import thinned_changes
from heddle.trace.window import Window
from heddle.trace.writer import Lanes, TraceWriter

STORAGE_PID, CONTROLLER_PID, TCP_PID = 7, 8, 9
CHECKPOINTS = 1  # the first thread of job 0's; each job has as many as this
LANES_EACH = 100


def write_beside(run: Run, trace: TraceWriter, window: Window) -> list[str]:
    """Writes what the run has of these, and returns notes. Files of earlier versions may lack them."""
    requests = run.requests() if "request" in run.file else pd.DataFrame()
    checkpoints = run.training_checkpoints() if "training_checkpoint" in run.file else pd.DataFrame()
    if len(requests) or len(checkpoints):
        trace.process(STORAGE_PID, "Storage", 6)
    thinned = (
        [asker.name for asker, rows in by_asker(requests).items() if _under_way(trace, window, asker.name, rows)]
        if len(requests)
        else []
    )
    _checkpoints(trace, window, checkpoints)
    _plans(trace, window, run.plans() if "plan" in run.file else pd.DataFrame())
    notes = [f"Of requests under way ({', '.join(thinned)}) the largest number of every interval is shown."] if thinned else []
    return notes + _windows(run, trace, window)


def _checkpoints(trace: TraceWriter, window: Window, rows: pd.DataFrame) -> None:
    """From the first message posted to the last acknowledged; to the end of the window, where some are not."""
    lanes: dict[int, Lanes] = {}
    for row in rows.sort_values("begin_ps").itertuples() if len(rows) else ():
        finished = row.end_ps >= 0
        inside = window.cut(row.begin_ps, row.end_ps if finished else window.until_ps) if row.begin_ps >= 0 else None
        if inside is None:
            continue
        if row.job not in lanes:
            lanes[row.job] = Lanes(trace, STORAGE_PID, CHECKPOINTS + LANES_EACH * row.job, f"job {row.job}: checkpoints")
        args = {"bytes": row.bytes, "fabric": str(row.fabric), "GPUs": row.gpus, "servers": row.servers, "finished": finished}
        args |= {"time_ps": row.end_ps - row.begin_ps} if finished else {}
        trace.slice(STORAGE_PID, lanes[row.job].tid(*inside), "written", f"checkpoint {row.checkpoint}", *inside, args)


def _under_way(trace: TraceWriter, window: Window, name: str, rows: pd.DataFrame) -> bool:
    """A counter of the requests that were begun and not answered yet. Returns whether not all of its changes are there."""
    begun = rows["begin_ps"][rows["begin_ps"] >= 0].to_numpy()
    ended = rows["end_ps"][rows["end_ps"] >= 0].to_numpy()
    time_ps = np.concatenate([begun, ended])
    change = np.concatenate([np.ones(len(begun), dtype=np.int64), -np.ones(len(ended), dtype=np.int64)])
    order = np.argsort(time_ps, kind="stable")
    time_ps, number = time_ps[order], np.cumsum(change[order])
    last = np.flatnonzero(np.diff(time_ps, append=np.iinfo(np.int64).max))  # of every instant what it ends with
    place = window.rows(time_ps[last])
    if len(last) == 0 or place.start == place.stop:
        return False
    when_ps, many, thinned = thinned_changes(time_ps[last][place], number[last][place])
    for at_ps, value in zip(when_ps, many):
        trace.counter(STORAGE_PID, f"requests under way: {name}", max(int(at_ps), window.from_ps), {"requests": int(value)})
    return thinned


def _plans(trace: TraceWriter, window: Window, rows: pd.DataFrame) -> None:
    """From measured to in force; one that never was is an instant."""
    if rows.empty:
        return
    trace.process(CONTROLLER_PID, "Controller", 7)
    lanes = Lanes(trace, CONTROLLER_PID, 2, "plans: measured to in force")
    never = rows[rows["from_ps"] < 0]
    if len(never):
        trace.thread(CONTROLLER_PID, 1, "plans that never came into force")
    for number, row in zip(rows.index, rows.itertuples()):
        if row.from_ps < 0:
            if window.has(row.measured_ps):
                trace.instant(CONTROLLER_PID, 1, "plan", f"plan {number} measured", row.measured_ps)
            continue
        inside = window.cut(row.measured_ps, row.from_ps)
        if inside is not None:
            args = {"time_ps": row.from_ps - row.measured_ps}
            trace.slice(CONTROLLER_PID, lanes.tid(*inside), "plan", f"plan {number}", *inside, args)


def _windows(run: Run, trace: TraceWriter, window: Window) -> list[str]:
    """A counter of the segments that a connection may have on its way, of those whose windows changed most."""
    if "tcp_window" not in run.event_kinds:
        return []
    try:
        frame = TcpWindow().data(run)
    except Missing:
        return []
    trace.process(TCP_PID, "TCP windows", 8)
    for name, rows in frame.groupby("connection", sort=False):
        place = window.rows(rows["time_ps"].to_numpy())
        for row in rows.iloc[place].itertuples():
            trace.counter(TCP_PID, str(name), max(int(row.time_ps), window.from_ps), {"segments": int(row.cwnd_segments)})
    return [frame.attrs["note"]] if frame.attrs["note"] else []
