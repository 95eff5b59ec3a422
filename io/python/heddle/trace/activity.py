"""When GPUs of training jobs compute, and when they wait for others (/event/gpu_time)."""

from __future__ import annotations

import numpy as np

from heddle.results import Run
from heddle.text import counted
from heddle.trace.events import rows_of_gpus
from heddle.trace.window import Window
from heddle.trace.writer import Lanes, TraceWriter

THREAD = 1
UNFINISHED = "unfinished: computes or waits"
COLUMNS = ("time_ps", "node", "activity", "took_ps", "operation")


def is_recorded(run: Run) -> bool:
    return "gpu_time" in run.event_kinds


def write_activity(run: Run, trace: TraceWriter, window: Window, gpus: np.ndarray, first_pid: int) -> list[str]:
    """One track per GPU, in which computing and exposed communication take turns. Returns what the file does not tell of them."""
    spans: dict[int, list[tuple[int, int, str, int]]] = {}
    begun, ended_ps = unfinished_jobs(run, gpus), {}
    for time_ps, node, activity, took_ps, operation in rows_of_gpus(run, "gpu_time", COLUMNS, gpus):
        ended_ps[node] = max(time_ps, ended_ps.get(node, 0))
        if window.cut(time_ps - took_ps, time_ps) is not None:
            spans.setdefault(node, []).append((time_ps - took_ps, time_ps, activity, operation))
    unfinished = 0
    for node, begin_ps in begun.items():
        since_ps = max(begin_ps, ended_ps.get(node, 0))
        if since_ps < window.until_ps:
            spans.setdefault(node, []).append((since_ps, window.until_ps, UNFINISHED, -1))
            unfinished += 1
    for node, mine in sorted(spans.items()):
        lanes = Lanes(trace, first_pid + node, THREAD, "computes, or waits for a group")
        for begin_ps, end_ps, activity, operation in sorted(mine):
            inside = window.cut(begin_ps, end_ps)
            if activity == UNFINISHED:
                trace.slice(lanes.pid, lanes.tid(*inside), "unfinished", UNFINISHED, *inside, {"since_ps": begin_ps})
                continue
            category = "compute" if activity == "compute" else "exposed"
            args = {"time_ps": end_ps - begin_ps, "operation": operation}
            trace.slice(lanes.pid, lanes.tid(*inside), category, activity.replace("_", " for "), *inside, args)
    return [_note_of_unfinished(run, unfinished)] if unfinished else []


def unfinished_jobs(run: Run, gpus: np.ndarray) -> dict[int, int]:
    """Of the GPUs those of a job whose last iteration has not ended, and when the job began."""
    if run.attrs["status"] == "complete":
        return {}
    ranks = run.job_ranks()
    begins = {job: 0 for job in ranks["job"].unique().tolist() if _has_iterations(run, job)} if run.partial else {}
    for job, rows in run.iterations().groupby("job"):
        if rows.sort_values("iteration")["end_ps"].iloc[-1] < 0 and (rows["begin_ps"] >= 0).any():
            begins[job] = int(rows.loc[rows["begin_ps"] >= 0, "begin_ps"].min())
    mine = ranks[ranks["node"].isin(gpus) & ranks["job"].isin(begins)]
    return {node: min(begins[job] for job in rows["job"]) for node, rows in mine.groupby("node")}


def _has_iterations(run: Run, job: int) -> bool:
    """Whether it is a training job or replays a trace: /iteration has no rows before the run's end."""
    return any(run.value(f"job.{job}.{key}") not in (None, "none") for key in ("training.model", "trace.format"))


def _note_of_unfinished(run: Run, gpus: int) -> str:
    some = ""
    if run.partial:
        some = "; the last activities of a run that goes on, or was killed, may not be in the file"
    elif (run.iterations().query("end_ps < 0")["gpus_ended"] > 0).any():
        some = "; some of them had done their last iteration, and the file does not tell which"
    return (
        f"what computed or waited when the run ended has no row in the file: on the tracks of {counted(gpus, 'GPU')} a slice "
        f'"unfinished" reaches from the last activity to the end{some}'
    )
