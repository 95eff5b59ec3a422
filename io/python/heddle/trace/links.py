"""Tracks of links: when each was paused, its queue over time, what it lost; and sums over the links of a kind."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from heddle.figures.heat import has_link_series
from heddle.figures.reading import ends_and_gaps, largest_of_pieces, link_name
from heddle.results import Run
from heddle.trace.events import blocks
from heddle.trace.window import Window
from heddle.trace.writer import TraceWriter

PID, KINDS_PID, QUEUES_PID = 2, 3, 4
MAX_POINTS = 5_000  # of a counter
MAX_PIECES = 1 << 40  # of the window's time, in which points are looked for
CAUSES_AT_INGRESS = ("headroom_overrun", "pool_overflow", "no_route")


def write_links(run: Run, trace: TraceWriter, window: Window, links: np.ndarray) -> list[str]:
    """Writes the chosen links and the kinds of all links. Returns what the file does not tell of them."""
    said = []
    if len(links):
        rows = run.links().loc[links]
        names = {row.link: link_name(row) for row in rows.itertuples()}
        trace.process(PID, "Links: pauses and losses", 1)
        tids = {link: place + 1 for place, link in enumerate(links.tolist())}
        for link, tid in tids.items():
            trace.thread(PID, tid, names[link])
        if run.value("output.pfc_events") is False:
            said.append("single pauses were not recorded (output.pfc_events = false)")
        if run.value("output.drop_events") is False:
            said.append("single losses were not recorded (output.drop_events = false)")
        _pauses(run, trace, window, tids)
        _drops(run, trace, window, tids)
        if has_link_series(run):
            said += _queues(run, trace, window, links, names)
        else:
            said.append("queues of single links are not in the file: " + run.missing().get("/series/link", "no rows"))
    said += _kinds(run, trace, window)
    return said


def _pauses(run: Run, trace: TraceWriter, window: Window, tids: dict[int, int]) -> None:
    links, nodes = run.links(), run.nodes()
    first, reverse = nodes["first_link"].to_numpy(), links["reverse"].to_numpy()
    by = links["dst_name"].to_numpy()
    since: dict[tuple[int, int], int] = {}

    def write(key: tuple[int, int], begin_ps: int, end_ps: int, ended: bool) -> None:
        inside = window.cut(begin_ps, end_ps)
        if inside is not None:
            args = {"class": key[1], "time_ps": end_ps - begin_ps, "resumed": ended}
            trace.slice(PID, tids[key[0]], "pause", f"paused by {by[key[0]]}", *inside, args)

    for block in blocks(run, "pfc", ("time_ps", "node", "port", "class", "kind")):
        block["link"] = reverse[first[block["node"]] + block["port"]]
        mine = block[block["link"].isin(tids)]
        for now, link, traffic_class, kind in zip(*(mine[name].tolist() for name in ("time_ps", "link", "class", "kind"))):
            key = (link, traffic_class)
            if kind == "pause":
                since.setdefault(key, now)
            elif key in since:
                write(key, since.pop(key), now, True)
    for key, begin_ps in since.items():
        write(key, begin_ps, window.until_ps, False)


def _drops(run: Run, trace: TraceWriter, window: Window, tids: dict[int, int]) -> None:
    """What was lost at the egress of a link, or on it."""
    first, reverse = run.nodes()["first_link"].to_numpy(), run.links()["reverse"].to_numpy()
    for block in blocks(run, "drop", ("time_ps", "node", "port", "cause")):
        own = first[block["node"]] + block["port"].to_numpy()
        block["link"] = np.where(block["cause"].isin(CAUSES_AT_INGRESS), reverse[own], own)
        mine = block[block["link"].isin(tids)]
        for now, link, cause in zip(*(mine[name].tolist() for name in ("time_ps", "link", "cause"))):
            if window.has(now):
                trace.instant(PID, tids[link], "drop", f"lost: {cause.replace('_', ' ')}", now)


def _queues(run: Run, trace: TraceWriter, window: Window, links: np.ndarray, names: dict[int, str]) -> list[str]:
    trace.process(QUEUES_PID, "Links: queues", 2)
    series = run.series("queue_bytes", by="link", links=links.tolist())
    rows = window.rows(series["time_ps"].values)
    time_ps, depths = series["time_ps"].values[rows], series.values[rows]
    thinned_ones = []
    for place, link in enumerate(links.tolist()):
        when, deep, thinned = thinned_changes(time_ps, depths[:, place])
        _counter(trace, window, QUEUES_PID, f"queue {names[link]}", when, deep, "bytes")
        if thinned:
            thinned_ones.append(names[link])
    return _note_of_maxima(thinned_ones)


def _note_of_maxima(names: list[str]) -> list[str]:
    """Says whose queues are drawn as maxima."""
    if not names:
        return []
    more = f" and of {len(names) - 1:,} more" if len(names) > 1 else ""
    return [
        f"the queue of {names[0]}{more} changed more than {MAX_POINTS:,} times: the largest value of every piece of time is drawn"
    ]


def _counter(trace: TraceWriter, window: Window, pid: int, name: str, when: np.ndarray, values: np.ndarray, unit: str) -> None:
    """A value holds until the next one; what holds when the window begins stands at its begin."""
    for now, value in zip(np.maximum(when, window.from_ps).tolist(), values.tolist()):
        trace.counter(pid, name, now, {unit: value})


def thinned_changes(time_ps: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray, bool]:
    """The instants at which a value changed, and it; at most MAX_POINTS, then the largest value of every piece of time.

    A viewer holds a value until the next one, so what is there before a long gap is a piece of its own: else the largest value of
    the piece would be drawn through the silence.
    """
    changed = _changes(value)
    if len(changed) <= MAX_POINTS:
        return time_ps[changed], value[changed], False
    since_ps = time_ps - time_ps[0]

    def points(pieces: int) -> tuple[np.ndarray, np.ndarray]:
        gaps = np.flatnonzero(np.diff(since_ps, prepend=0) > since_ps[-1] / pieces)
        last = np.union1d(ends_and_gaps(since_ps, pieces), np.maximum(gaps - 2, 0))
        what = largest_of_pieces(value, last)
        kept = _changes(what)
        return np.concatenate([[0], last[:-1] + 1])[kept], what[kept]

    first, what = _finest(points)
    return time_ps[first], what, True


def _finest(points: Callable[[int], tuple[np.ndarray, ...]]) -> tuple[np.ndarray, ...]:
    """points(pieces) for about the most pieces of time with which it gives at most MAX_POINTS of more than these.

    A piece may give up to five points, at gaps, and none where nothing changes.
    """
    fewest = max(1, MAX_POINTS // 5 - 1)
    found = points(fewest)
    while fewest < MAX_PIECES and len((finer := points(2 * fewest))[0]) <= MAX_POINTS:
        fewest, found = 2 * fewest, finer
    too_many = 2 * fewest
    while too_many - fewest > fewest // 16 + 1:
        between = (fewest + too_many) // 2
        finer = points(between)
        if len(finer[0]) <= MAX_POINTS:
            fewest, found = between, finer
        else:
            too_many = between
    return found


def kept_rows(time_ps: np.ndarray) -> np.ndarray:
    """Rows between which rates are drawn: all, or at most MAX_POINTS with those at both ends of every gap; the first and last."""
    if len(time_ps) <= MAX_POINTS:
        return np.arange(len(time_ps))
    since_ps = time_ps - time_ps[0]
    return _finest(lambda pieces: (np.union1d([0], ends_and_gaps(since_ps, pieces)),))[0]


def _changes(value: np.ndarray) -> np.ndarray:
    return np.flatnonzero(np.concatenate([[True], value[1:] != value[:-1]])) if len(value) else np.empty(0, dtype=int)


def _kinds(run: Run, trace: TraceWriter, window: Window) -> list[str]:
    """Use, waiting bytes and share of time paused of every kind of link."""
    if len(run.file["series/tier/time_ps"]) == 0:
        return ["nothing was recorded over time: " + run.missing().get("/series/tier", "no rows")]
    trace.process(KINDS_PID, "Kinds of links", 3)
    waiting = run.series("queue_bytes")
    time_ps, tiers = waiting["time_ps"].values, waiting["tier"].values
    said = _rates(run, trace, window)
    rows = window.rows(time_ps)
    thinned_ones = []
    for place, tier in enumerate(tiers):
        if waiting.values[:, place].any():
            when, deep, thinned = thinned_changes(time_ps[rows], waiting.values[rows, place])
            _counter(trace, window, KINDS_PID, f"queue {tier}", when, deep, "bytes")
            if thinned:
                thinned_ones.append(f"all links {tier}")
    return said + _note_of_maxima(thinned_ones)


def _rates(run: Run, trace: TraceWriter, window: Window) -> list[str]:
    """Use and share of time paused: each holds from a kept row of the series to the next one, and is the exact mean between both."""
    sent, paused = run.series("sent_bytes"), run.series("paused_ps")
    written = min(len(sent), len(paused))  # of a run that was killed, one may have more rows than the other
    time_ps = sent["time_ps"].values[:written]
    if written == 0:
        return []
    from_0 = [] if time_ps[0] == 0 else [0]
    edges_ps = np.concatenate([from_0, time_ps]).astype(np.int64)
    rows = window.rows(edges_ps, 1)
    kept = rows.start + kept_rows(edges_ps[rows])
    interval_ps = np.maximum(np.diff(edges_ps[kept]), 1)
    for place, tier in enumerate(sent["tier"].values):
        for name, counter, most, digits in (
            ("use", sent, sent["bits_per_s"].values[place] / 8e12, 3),
            ("paused", paused, sent["links"].values[place], 4),
        ):
            if not counter.values[:, place].any():
                continue
            count = np.concatenate([from_0, counter.values[:written, place]])
            values = np.round(100 * (np.diff(count[kept]) / (interval_ps * float(most))), digits)
            changed = _changes(values)
            _counter(trace, window, KINDS_PID, f"{name} {tier}", edges_ps[kept][changed], values[changed], "per cent")
    recorded = len(edges_ps[rows])
    if len(kept) == recorded:
        return []
    return [
        f"use and time paused of kinds of links have {len(kept):,} of {recorded:,} recorded instants: they are exact means between "
        "these"
    ]
