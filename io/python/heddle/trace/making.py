"""From a result file to the trace."""

from __future__ import annotations

import os

import numpy as np

from heddle.figures.figure import Missing
from heddle.figures.losses import spells
from heddle.figures.reading import end_ps
from heddle.output import check_output
from heddle.output_kinds import TRACE
from heddle.results import Run
from heddle.results import open as open_result
from heddle.text import time_text
from heddle.trace.beside import write_beside
from heddle.trace.choice import Choice, chosen_gpus, chosen_links
from heddle.trace.gpus import write_gpus
from heddle.trace.jobs import write_jobs
from heddle.trace.links import write_links
from heddle.trace.window import Window
from heddle.trace.writer import TraceWriter

FAILURES_PID = 5
CHECKPOINTS_PID = 6


def write_trace(
    result: str | os.PathLike[str], path: str | os.PathLike[str], choice: Choice | None = None, force: bool = False
) -> list[str]:
    """Writes the trace of a result (or of a .part); .gz is compressed. Returns what it does not hold, as sentences.

    A trace that is there is replaced only with `force`, another file never. Raises OSError and heddle.FormatError for the result, ValueError for a choice that is not in it or would be too large; then
    nothing is written.
    """
    choice = choice or Choice()
    check_output(path, [result], TRACE, force)
    with open_result(result) as run:
        window = window_of(run, choice)
        gpus, gpus_note = chosen_gpus(run, choice.gpus)
        links, links_note = chosen_links(run, choice.links)
        said = [note for note in (gpus_note, links_note) if note]
        about = {
            "title": run.attrs.get("title", ""),
            "status": run.attrs["status"],
            "digest": run.attrs.get("digest", ""),
            "from_ps": window.from_ps,
            "until_ps": window.until_ps,
            "does_not_hold": said,
        }
        with TraceWriter(os.fspath(path), choice.most_events, about, force) as trace:
            said += write_jobs(run, trace, window, gpus)
            said += write_gpus(run, trace, window, gpus)
            said += write_links(run, trace, window, links)
            said += write_beside(run, trace, window)
            _failures(run, trace, window)
            _checkpoints(run, trace, window)
            if run.partial:
                said.append("the run goes on, or was killed: collectives, messages and checkpoints are written at its end")
    return said


def window_of(run: Run, choice: Choice) -> Window:
    """Raises ValueError for a window without time in it."""
    end = max(end_ps(run), _last_ps(run)) if run.attrs["status"] == "stalled" else end_ps(run)
    until = end if choice.until_ps < 0 else min(choice.until_ps, end)
    if choice.from_ps >= max(until, 1):
        raise ValueError(
            f"the window has nothing in it: it begins at {time_text(choice.from_ps)} and ends at {time_text(until)}, and the file "
            f"knows of the time until {time_text(end)}; choose an earlier --from, or a later --to"
        )
    return Window(choice.from_ps, until)


def _last_ps(run: Run) -> int:
    """The last instant of series and events: a run that stalled ends at its last completion, though GPUs may have computed since."""
    groups = [f"series/{by}" for by in ("tier", "link")] + [f"event/{kind}" for kind in run.event_kinds]
    times = [run.file[group]["time_ps"] for group in groups if group in run.file]
    return max((int(time_ps[len(time_ps) - 1]) for time_ps in times if len(time_ps)), default=0)


def _failures(run: Run, trace: TraceWriter, window: Window) -> None:
    """Each failure and each return as an instant across all tracks, and the spell between them on a track of its own."""
    try:
        frame, _ = spells(run)
    except Missing:
        return
    trace.process(FAILURES_PID, "Failures", 4)
    tids: dict[str, int] = {}
    for row in frame.sort_values(["from_ps", "what"]).itertuples():
        inside = window.cut(row.from_ps, row.until_ps)
        if inside is None:
            continue
        if row.what not in tids:
            tids[row.what] = len(tids) + 1
            trace.thread(FAILURES_PID, tids[row.what], row.what)
        trace.slice(FAILURES_PID, tids[row.what], "failure", row.state, *inside)
        if window.has(row.from_ps):
            trace.instant(FAILURES_PID, tids[row.what], "failure", f"{row.what} {row.state}", row.from_ps, everywhere=True)
        if window.has(row.until_ps) and row.until_ps < window.until_ps:
            trace.instant(FAILURES_PID, tids[row.what], "failure", f"{row.what} comes back", row.until_ps, everywhere=True)


def _checkpoints(run: Run, trace: TraceWriter, window: Window) -> None:
    """Each as an instant across all tracks. Files of earlier versions do not have them."""
    frame = run.checkpoints()
    frame = frame[[window.has(time_ps) for time_ps in frame["time_ps"]]]
    if frame.empty:
        return
    trace.process(CHECKPOINTS_PID, "Checkpoints", 5)
    trace.thread(CHECKPOINTS_PID, 1, "written")
    for row in frame.itertuples():
        took = "" if np.isnan(row.wall_s) else f", written in {row.wall_s:.2f} s"
        trace.instant(CHECKPOINTS_PID, 1, "checkpoint", f"checkpoint{took}", row.time_ps, everywhere=True)
