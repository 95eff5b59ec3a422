"""Tracks of GPUs: the ranks' parts of collectives, and messages that they send."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from heddle.figures.units import size_text
from heddle.results import Run
from heddle.results.columns import text
from heddle.trace.jobs import collective_name
from heddle.trace.window import Window
from heddle.trace.writer import Lanes, TraceWriter

FIRST_PID = 1000
BLOCK_ROWS = 1_000_000
COLLECTIVES, GROUPS, MESSAGES = 1, 1000, 100_000  # first threads

Span = tuple[int, int, str, dict]


def write_gpus(run: Run, trace: TraceWriter, window: Window, gpus: np.ndarray) -> list[str]:
    """Writes a process per chosen GPU. Returns what the file does not tell of them, as sentences."""
    names = run.nodes()["name"].to_numpy()
    for place, node in enumerate(gpus.tolist()):
        trace.process(FIRST_PID + node, names[node], 10 + place)
    said = []
    spans, open_ones = rank_spans(run, gpus, window)
    for node, mine in sorted(spans.items()):
        lanes = Lanes(trace, FIRST_PID + node, COLLECTIVES, "collectives, as this rank saw them")
        _write(trace, lanes, mine, "rank", window)
    if open_ones:
        said.append(f"{open_ones} parts of collectives had begun and did not end: they are drawn to the end of the window")
    if not run.iterations().empty:
        said.append(
            "of training jobs a file does not tell when single GPUs compute, wait and enter collectives: their GPUs show the "
            "collectives of "
            "their groups from the first entry to the last end, and the iterations hold means of computing and of exposed waits"
        )
        _write_groups(run, trace, window, gpus)
    _write_messages(run, trace, window, gpus)
    return said


def rank_spans(run: Run, gpus: np.ndarray, window: Window) -> tuple[dict[int, list[Span]], int]:
    """Node -> its parts of collectives, entered to finished, in the window; and how many never finished."""
    collectives = {row.id: row for row in run.collectives().itertuples()}
    entered: dict[tuple[int, int], tuple[int, int]] = {}
    spans: dict[int, list[Span]] = {}

    def keep(key: tuple[int, int], begin_ps: int, end_ps: int, node: int) -> None:
        if window.cut(begin_ps, end_ps) is not None:
            row = collectives.get(key[0])
            name = collective_name(row) if row is not None else f"collective {key[0]}"
            spans.setdefault(node, []).append(
                (begin_ps, end_ps, name, {"id": key[0], "rank": key[1], "time_ps": end_ps - begin_ps})
            )

    for time_ps, node, kind, ident, rank in completions(run, gpus):
        key = (ident, rank)
        if kind == "rank_entered":
            entered[key] = (time_ps, node)
        elif kind == "rank_finished" and key in entered:
            keep(key, entered.pop(key)[0], time_ps, node)
    for key, (time_ps, node) in entered.items():
        keep(key, time_ps, window.until_ps, node)
    return spans, len(entered)


def completions(run: Run, gpus: np.ndarray) -> Iterator[tuple[int, int, str, int, int]]:
    """(time_ps, node, kind, id, rank) of the events of chosen GPUs, read block by block."""
    group = run.file["event/completion"]
    kinds = dict(
        zip((int(flag) for flag in group["kind"].attrs["flag_values"]), text(group["kind"].attrs["flag_meanings"]).split())
    )
    columns = [group[name] for name in ("time_ps", "node", "kind", "id", "rank")]
    rows = min(map(len, columns))
    for first in range(0, rows, BLOCK_ROWS):
        block = [column[first : min(first + BLOCK_ROWS, rows)] for column in columns]
        mine = np.isin(block[1], gpus)
        for time_ps, node, kind, ident, rank in zip(*(column[mine].tolist() for column in block)):
            yield time_ps, node, kinds[kind], ident, rank


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
    by_communicator = dict(tuple(collectives[collectives["finish_ps"] >= 0].groupby("communicator")))
    for node, rows in members.groupby("node"):
        for place, member in enumerate(rows.itertuples()):
            lanes = Lanes(trace, FIRST_PID + node, GROUPS * (place + 1), f"{member.group} group: first entry to last end")
            spans = [
                (row.start_ps, row.finish_ps, collective_name(row), {"id": row.id})
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
            end_ps = row.finish_ps if row.finish_ps >= 0 else window.until_ps
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
