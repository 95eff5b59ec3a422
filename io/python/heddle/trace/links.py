"""Tracks of links: when each was paused, its queue over time, what it lost; and sums over the links of a kind."""

from __future__ import annotations

import numpy as np

from heddle.figures.heat import has_link_series
from heddle.figures.reading import largest_of_pieces, link_name, rows_of_pieces
from heddle.results import Run
from heddle.trace.events import blocks
from heddle.trace.window import Window
from heddle.trace.writer import TraceWriter

PID, KINDS_PID, QUEUES_PID = 2, 3, 4
MOST_POINTS = 5_000  # of a counter
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
    time_ps = series["time_ps"].values
    inside = (time_ps >= window.from_ps) & (time_ps <= window.until_ps)
    said = []
    for place, link in enumerate(links.tolist()):
        when, deep, thinned = thinned_changes(time_ps[inside], series.values[inside, place])
        for now, value in zip(when.tolist(), deep.tolist()):
            trace.counter(QUEUES_PID, f"queue {names[link]}", now, {"bytes": value})
        if thinned:
            said.append(
                f"the queue of {names[link]} changed more than {MOST_POINTS:,} times: the largest value of every piece of time "
                "is in it"
            )
    return said[:3]


def thinned_changes(time_ps: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray, bool]:
    """The instants at which a value changed, and it; at most MOST_POINTS, then the largest value of every piece of time.

    A viewer holds a value until the next one, so what is there before a long gap is a piece of its own: else the largest value of
    the piece would be drawn through the silence.
    """
    changed = _changes(value)
    if len(changed) <= MOST_POINTS:
        return time_ps[changed], value[changed], False
    most = MOST_POINTS // 5  # pieces have up to four more bounds at gaps
    gaps = np.flatnonzero(np.diff(time_ps, prepend=0) > time_ps[-1] / most)
    last = np.union1d(rows_of_pieces(time_ps, most), np.maximum(gaps - 2, 0))
    first = np.concatenate([[0], last[:-1] + 1])
    when, what = time_ps[first], largest_of_pieces(value, last)
    kept = _changes(what)
    return when[kept], what[kept], True


def _changes(value: np.ndarray) -> np.ndarray:
    return np.flatnonzero(np.concatenate([[True], value[1:] != value[:-1]])) if len(value) else np.empty(0, dtype=int)


def _kinds(run: Run, trace: TraceWriter, window: Window) -> list[str]:
    """Use, waiting bytes and share of time paused of every kind of link."""
    if len(run.file["series/tier/time_ps"]) == 0:
        return ["nothing was recorded over time: " + run.missing().get("/series/tier", "no rows")]
    trace.process(KINDS_PID, "Kinds of links", 3)
    use, waiting, paused = run.utilisation(by="tier"), run.series("queue_bytes"), run.series("paused_ps")
    time_ps = use["time_ps"].values
    interval_ps = np.maximum(use["interval_ps"].values, 1)
    for place, tier in enumerate(use["tier"].values):
        links = int(waiting["links"].values[place])
        share = np.diff(paused.values[:, place], prepend=0) / (interval_ps * links)
        for name, unit, values in (
            ("use", "per cent", np.round(100 * use.values[:, place], 3)),
            ("queue", "bytes", waiting.values[:, place]),
            ("paused", "per cent", np.round(100 * share, 4)),
        ):
            if not np.any(values[np.isfinite(values)]):
                continue
            held = np.concatenate([[0], time_ps[:-1]]) if unit == "per cent" else time_ps  # a rate holds from the row before on
            inside = (held >= window.from_ps) & (held <= window.until_ps)
            when, what, _ = thinned_changes(held[inside], values[inside])
            for now, value in zip(when.tolist(), what.tolist()):
                trace.counter(KINDS_PID, f"{name} {tier}", now, {unit: value})
    return []
