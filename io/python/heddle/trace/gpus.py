"""Tracks of GPUs: the ranks' parts of collectives, and messages that they send."""

from __future__ import annotations

import numpy as np

from heddle.results import Run
from heddle.text import size_text
from heddle.trace.activity import is_recorded, write_activity
from heddle.trace.events import rows_of_gpus
from heddle.trace.jobs import DID_NOT_END, collective_name, end_of
from heddle.trace.window import Window
from heddle.trace.writer import Lanes, TraceWriter

FIRST_PID = 1000
COLLECTIVES, GROUPS, MESSAGES = 100, 1000, 100_000  # first threads; activity.py has those before
LANES_EACH = 100  # of a group

NO_GPU_TIME = (
    "when single GPUs of training jobs compute, wait and enter collectives was not recorded (output.gpu_time = true does"
    " it): their GPUs show the collectives of their groups from the first entry to the last end, and the iterations hold means"
)
Span = tuple[int, int, str, dict]


def write_gpus(run: Run, trace: TraceWriter, window: Window, gpus: np.ndarray) -> list[str]:
    """Writes a process per chosen GPU. Returns what the file does not tell of them, as sentences."""
    names = run.nodes()["name"].to_numpy()
    for place, node in enumerate(gpus.tolist()):
        trace.process(FIRST_PID + node, names[node], 10 + place)
    said = []
    spans, open_ones = rank_spans(run, gpus, window)
    for node, by_group in sorted(spans.items()):
        for place, (group, mine) in enumerate(sorted(by_group.items())):
            of = "" if group == "all" else f" of its {group} group"
            lanes = Lanes(trace, FIRST_PID + node, COLLECTIVES + LANES_EACH * place, f"collectives{of}, as this rank saw them")
            _write(trace, lanes, mine, "rank", window)
    if open_ones:
        said.append(f"parts of collectives that {DID_NOT_END}: {open_ones:,}")
    if is_recorded(run):
        said += write_activity(run, trace, window, gpus, FIRST_PID)
    elif not run.iterations().empty:
        said.append(NO_GPU_TIME)
        _write_groups(run, trace, window, gpus)
    _write_messages(run, trace, window, gpus)
    return said


def rank_spans(run: Run, gpus: np.ndarray, window: Window) -> tuple[dict[int, dict[str, list[Span]]], int]:
    """Node -> group -> its parts of collectives, entered to finished, in the window; and how many of them never finished."""
    collectives = {row.id: row for row in run.collectives().itertuples()}
    entered: dict[tuple[int, int], tuple[int, int]] = {}
    spans: dict[int, dict[str, list[Span]]] = {}

    def keep(key: tuple[int, int], begin_ps: int, end_ps: int, node: int, finished: bool) -> None:
        if window.cut(begin_ps, end_ps) is not None:
            row = collectives.get(key[0])
            name = collective_name(row) if row is not None else f"collective {key[0]}"
            group = str(row.group) if row is not None else "all"
            args = {"id": key[0], "rank": key[1], "time_ps": end_ps - begin_ps, "finished": finished}
            spans.setdefault(node, {}).setdefault(group, []).append((begin_ps, end_ps, name, args))

    for time_ps, node, kind, ident, rank in rows_of_gpus(run, "completion", ("time_ps", "node", "kind", "id", "rank"), gpus):
        key = (ident, rank)
        if kind == "rank_entered":
            entered[key] = (time_ps, node)
        elif kind == "rank_finished" and key in entered:
            keep(key, entered.pop(key)[0], time_ps, node, True)
    open_ones = {key: span for key, span in entered.items() if span[0] <= window.until_ps}
    for key, (time_ps, node) in open_ones.items():
        keep(key, time_ps, window.until_ps, node, False)
    return spans, len(open_ones)


def _write(trace: TraceWriter, lanes: Lanes, spans: list[Span], category: str, window: Window) -> None:
    """What of the spans is in the window."""
    for begin_ps, end_ps, name, args in sorted(spans, key=lambda span: (span[0], span[1], span[2])):
        inside = window.cut(begin_ps, end_ps)
        if inside is not None:
            trace.slice(lanes.pid, lanes.tid(*inside), category, name, *inside, args)


def _write_groups(run: Run, trace: TraceWriter, window: Window, gpus: np.ndarray) -> None:
    """Of training jobs: the collectives of the groups that a GPU is in, as a whole."""
    members = run.communicators()
    members = members[members["node"].isin(gpus) & members["job"].isin(run.iterations()["job"].unique())]
    collectives = run.collectives()
    by_communicator = dict(tuple(collectives[collectives["start_ps"] >= 0].groupby("communicator")))
    for node, rows in members.groupby("node"):
        for place, member in enumerate(rows.itertuples()):
            lanes = Lanes(trace, FIRST_PID + node, GROUPS * (place + 1), f"{member.group} group: first entry to last end")
            spans = [
                (row.start_ps, end_of(row.finish_ps, window), collective_name(row), {"id": row.id, "finished": row.finish_ps >= 0})
                for row in by_communicator.get(member.communicator, collectives[:0]).itertuples()
            ]
            _write(trace, lanes, spans, "group", window)


def _write_messages(run: Run, trace: TraceWriter, window: Window, gpus: np.ndarray) -> None:
    messages = run.messages()
    if messages.empty:
        return
    names = run.nodes()["name"].to_numpy()
    chosen = messages[messages["src"].isin(gpus) & (messages["posted_ps"] >= 0)]
    for node, rows in chosen.groupby("src"):
        lanes = Lanes(trace, FIRST_PID + node, MESSAGES, "messages sent: posted to acknowledged")
        spans = []
        for row in rows.itertuples():
            end_ps = end_of(row.finish_ps, window)
            if window.cut(row.posted_ps, end_ps) is not None:
                args = {
                    "id": row.id,
                    "bytes": row.bytes,
                    "ideal_ps": row.ideal_ps,
                    "finished": row.finish_ps >= 0,
                    "retransmitted_packets": row.retransmitted_packets,
                }
                spans.append((row.posted_ps, max(end_ps, row.posted_ps), f"{size_text(row.bytes)} to {names[row.dst]}", args))
        _write(trace, lanes, spans, "message", window)
