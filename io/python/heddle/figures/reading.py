"""Takes from a result file what figures need, a bounded part at a time: a file may hold gigabytes of series and events."""

from __future__ import annotations

import numpy as np
import pandas as pd

from heddle.figures.figure import Missing
from heddle.results.columns import table
from heddle.results.damage import damaged
from heddle.results.missing import absent_in
from heddle.results.run import Run, Summary
from heddle.text import time_text

MAX_INSTANTS = 240  # of a figure over time
MAX_EVENTS = 1_000_000  # of a kind, that a figure looks at


def need_whole(run: Run) -> None:
    """Raises FormatError, naming what lacks, for a file without a table that every file has."""
    if names := absent_in(run):
        raise damaged(run.path, f"it has no {', no '.join(names)}, which every result has, also one in which nothing happened")


def need(run: Run, group: str) -> None:
    """Raises Missing when the file has nothing of that group (as io/RESULT_FILE.md names it: "/series/tier")."""
    lacks = run.missing()
    for name, why in lacks.items():
        if group == name or group.startswith(name + "/"):
            raise Missing(why)


def summary(run: Run, of: Summary) -> pd.DataFrame:
    """Run.summary(). Raises Missing for a file without."""
    need(run, "/summary")
    return run.summary(of)


def posted(run: Run) -> pd.DataFrame:
    """Run.messages() without those that were to be posted after the end of the run, or still waited for others.

    All of a run that stalled: its end_ps is its last completion.
    """
    messages = run.messages()
    if run.partial or run.attrs["status"] == "stalled":
        return messages
    return messages[(messages["posted_ps"] >= 0) & (messages["posted_ps"] <= run.attrs["end_ps"])]


def link_totals(run: Run) -> pd.DataFrame:
    """Run.links() with use, sent_bytes, paused_ps, ecn_marks and peak_queue_bytes of every link; attrs["note"] if until an instant.

    While a run is partial its file has no /link: the last row of /series/link takes its place, where there is one.
    """
    links = run.links()
    if "use" in links:
        if run.attrs["status"] == "stalled":
            raise Missing("the run stalled, so it has no end until which the use of links could be taken")
        links.attrs["note"] = ""
        return links
    if not has_link_series(run):
        raise Missing(
            run.missing().get("/link", "the file has no totals of links") + "; with output.link_series = true a .part has them, too"
        )
    group = run.file["series/link"]
    rows = len(group["time_ps"])
    until_ps = int(group["time_ps"][rows - 1])
    for quantity in ("sent_bytes", "paused_ps", "ecn_marks"):
        links[quantity] = group[quantity][rows - 1].astype(np.int64)
    links["peak_queue_bytes"] = peaks(group["queue_bytes"], rows)
    links["use"] = (links["sent_bytes"] * 8e12 / links["bits_per_s"] / until_ps).clip(upper=1) if until_ps > 0 else np.nan
    links.attrs["note"] = f"The run is not over: these are the links until {time_text(until_ps)}; queues as the series saw them."
    return links


def has_link_series(run: Run) -> bool:
    """Whether /series/link has rows."""
    return "series/link" in run.file and len(run.file["series/link/time_ps"]) > 0


def peaks(dataset, rows: int) -> np.ndarray:
    """The largest value of every column over the first rows, read in blocks of 32 MiB."""
    most = np.zeros(dataset.shape[1], dtype=np.int64)
    step = max(1, (32 << 20) // (8 * max(1, dataset.shape[1])))
    for first in range(0, rows, step):
        np.maximum(most, dataset[first : min(first + step, rows)].max(axis=0).astype(np.int64), out=most)
    return most


def last_rows(time_ps: np.ndarray, most: int = MAX_INSTANTS) -> np.ndarray:
    """Places of at most `most` instants: the last one in each of as many equal pieces of time, and so the very last."""
    return np.arange(len(time_ps)) if len(time_ps) <= most else _ends_of_pieces(time_ps, most)


def rows_of_pieces(time_ps: np.ndarray, most: int = MAX_INSTANTS) -> np.ndarray:
    """last_rows() with the rows at both ends of every gap that is longer than a piece: at most 3 * most + 1.

    Of a stretch in which nothing changes the file has two rows. Without these, the largest value of a neighbouring piece would be
    drawn all over the stretch, and a rate of 0 would be drawn as the mean of the stretch and what is beside it.
    """
    return np.arange(len(time_ps)) if len(time_ps) <= most else ends_and_gaps(time_ps, most)


def ends_and_gaps(time_ps: np.ndarray, pieces: int) -> np.ndarray:
    """rows_of_pieces() of any number of pieces, also of more than there are rows."""
    after = np.flatnonzero(np.diff(time_ps, prepend=0) > time_ps[-1] / pieces)
    return np.union1d(_ends_of_pieces(time_ps, pieces), np.concatenate([after, np.maximum(after - 1, 0)]))


def _ends_of_pieces(time_ps: np.ndarray, pieces: int) -> np.ndarray:
    piece = np.minimum((time_ps * np.float64(pieces) / max(int(time_ps[-1]), 1)).astype(np.int64), pieces - 1)
    return np.flatnonzero(np.append(piece[1:] != piece[:-1], True))


def largest_of_pieces(values: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """The largest value of every column since the kept row before."""
    return np.maximum.reduceat(values, np.concatenate([[0], kept[:-1] + 1]), axis=0)


def note_of_thinning(rows: int, kept: int) -> str:
    """Says that of all rows of a series only some are drawn; empty when all are."""
    return "" if kept == rows else f"Drawn from {kept} of {rows:,} recorded instants; rates are exact means between these."


def events(run: Run, kind: str, most: int = MAX_EVENTS) -> tuple[pd.DataFrame, str]:
    """The first `most` events of a kind with their codes as names, and a note when there are more."""
    group = run.file[f"event/{kind}"]
    frame, rows = table(group, rows=slice(most)), len(group["time_ps"])
    note = ""
    if rows > most:
        until = time_text(frame["time_ps"].iloc[-1])
        note = f"Of {rows:,} events of /event/{kind} these are the first {most:,}, until {until}."
    return frame, note


def end_ps(run: Run) -> int:
    """The last instant that the file knows of: the end of the run, or of its series; 0 when none."""
    if run.attrs["end_ps"] > 0:
        return int(run.attrs["end_ps"])
    series = [run.file[f"series/{by}/time_ps"] for by in ("tier", "link") if f"series/{by}" in run.file]
    return max((int(time_ps[len(time_ps) - 1]) for time_ps in series if len(time_ps)), default=0)


def alike(links: pd.DataFrame, column: str, value: float) -> int:
    """How many links have exactly this value: in an even fabric hundreds are the busiest."""
    return int((links[column] == value).sum())


def first_of(links: pd.DataFrame, column: str) -> str:
    """ "gpu0 -> rtsw0 and 95 more": the link with the most, and how many have as much."""
    first = links.loc[links[column].idxmax()]
    more = alike(links, column, first[column]) - 1
    return link_name(first) + (f" and {more:,} more" if more else "")


def link_name(row) -> str:
    """ "rtsw0 port 3 -> ctsw3": of a row of Run.links(); of NICs with one port ("endpoint>", not "endpoint.1>") without it."""
    port = "" if row.tier.startswith("endpoint>") else f" port {row.src_port}"
    return f"{row.src_name}{port} -> {row.dst_name}"
