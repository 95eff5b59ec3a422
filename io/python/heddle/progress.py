"""How far a run is, from its files alone: the .part, the lock that its writer holds, and its log where it has one."""

from __future__ import annotations

import fcntl
import os
import pathlib
import re
import time
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Literal

import numpy as np
import pandas as pd

from heddle.results import FormatError, Run
from heddle.results.columns import numbers, values
from heddle.results.damage import reading

State = Literal["running", "starting", "killed", "saved", "ended", "missing", "unreadable"]
TAIL_BYTES = 4096  # of a log: some tens of lines
COUNTERS = ("queue_bytes", "paused_ps", "ecn_marks", "drops")  # of a kind of link
_LINE = re.compile(r"([^\n\r\x1b]*) simulated, ([\d.]+) M packet-hops/s, ([\d:]+) elapsed")  # host/cli/pace.cpp
_SINCE = re.compile(r"process (\d+) on (\S+?)(?:, Slurm job \S+)?, since (\S+)")  # io/results/result_lock.cpp


@dataclass
class Log:
    """The last line in which a run says how far it is."""

    share: float | None  # 0 to 1
    of: str  # what it is the share of: "about 44 M packet-hops", "the horizon"
    done: list[str]  # "5 of 6 collectives"
    left_s: float | None
    packet_hops_per_s: float


@dataclass
class Look:
    """One run at one moment."""

    name: str
    state: State
    at_s: float  # wall time of the look
    status: str = ""  # of a run that has ended
    problem: str = ""  # why it cannot be read
    explanation: str = ""
    time_ps: int = -1  # simulated, as far as the file goes; -1: no row yet
    horizon_ps: int = -1
    wall_s: float = 0  # that a run has taken which has ended
    writer: str = ""  # "process 41 on host"
    since_s: float | None = None  # wall time at which its writer began
    resumed: bool = False  # so that time_ps is not of this process run alone
    log: Log | None = None
    done: list[str] = field(default_factory=list)  # "5 of 6 collectives"
    tiers: pd.DataFrame = field(default_factory=pd.DataFrame)  # tier, links, and COUNTERS at time_ps (NaN: not known)

    @property
    def elapsed_s(self) -> float | None:
        return None if self.since_s is None else max(0.0, self.at_s - self.since_s)

    def share(self) -> tuple[float, str] | None:
        """(0 to 1, of what), or None where nothing says how long the run will be."""
        if self.log is not None and self.log.share is not None:
            return self.log.share, self.log.of
        if self.horizon_ps > 0 and self.time_ps >= 0:
            return min(1.0, self.time_ps / self.horizon_ps), "the horizon"
        return None


def look_at(result: str | os.PathLike[str], name: str = "", log: str | os.PathLike[str] | None = None, tried: bool = False) -> Look:
    """The run that writes `result` (its final name) at this moment.

    `log`: what it says on standard error, instead of what it says in its .lock. A run whose .lock says nothing is looked up in
    NAME.log. `tried`: the texts of the result can be read (results/opening.py).
    """
    path = pathlib.Path(result)
    part = pathlib.Path(f"{path}.part")
    found = Look(name or path.name, "missing", time.time())
    locked, text, told_s = lock_of(path)  # before the .part is looked for: a run that ends renames that, and then leaves the lock
    if match := _SINCE.match(text):
        found.since_s = datetime.strptime(match[3], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc).timestamp()
    if not part.exists():
        begins = locked and not _is_written_since(path, found.since_s)
        found.state = "starting" if begins else "ended" if path.exists() else "missing"
        return _read(path, found, tried) if found.state == "ended" else found
    found.state = "running" if locked else "killed"
    found.writer = f"process {match[1]} on {match[2]}" if match else ""
    found.resumed = any(pathlib.Path(f"{path}.checkpoint_{slot}").exists() for slot in (0, 1))
    if not locked and found.resumed:
        found.state = "saved"
    if log is not None:
        found.log = last_line(pathlib.Path(log), found.since_s)
    else:
        found.log = _said(text, told_s) or last_line(path.with_suffix(".log"), found.since_s)
    return _read(part, found)


def _is_written_since(path: pathlib.Path, since_s: float | None) -> bool:
    try:
        return since_s is not None and path.stat().st_mtime >= since_s
    except OSError:
        return False


def lock_of(result: pathlib.Path) -> tuple[bool, str, float]:
    """(whether somebody writes this result, who that says to be and how far the run is, wall time at which it said that).

    True where the file system has no locks, and nobody can say.

    Asking takes the lock for a moment: a run that begins just then tries again for two seconds.
    """
    try:
        descriptor = os.open(f"{result}.lock", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False, "", 0
    text, told_s = "", 0.0
    try:
        text = os.read(descriptor, TAIL_BYTES).decode(errors="replace")
        told_s = os.fstat(descriptor).st_mtime
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return False, text, told_s
    except OSError:
        return True, text, told_s
    finally:
        os.close(descriptor)


def sweep_runs(folder: str | os.PathLike[str]) -> bool:
    """Whether a `heddle sweep --run` of this machine is at work in this folder: it holds a lock of it, also between two runs.

    False also where that cannot be seen. Only a lock that Linux lists is asked for, because asking takes it for a moment, and a
    sweep that begins just then would be refused (host/cli/sweep/run.cpp).
    """
    try:
        listed = pathlib.Path("/proc/locks").read_text("utf-8", errors="replace")
    except OSError:
        return False
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if not re.search(rf"\bFLOCK .*:{os.fstat(descriptor).st_ino} ", listed):
            return False
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return False
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)


def last_line(path: pathlib.Path, since_s: float | None = None) -> Log | None:
    """What a log says last of the progress; None where it says nothing, or was written before `since_s`."""
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - TAIL_BYTES))
            text = file.read().decode(errors="replace")
            written_s = os.fstat(file.fileno()).st_mtime
    except OSError:
        return None
    return None if since_s is not None and written_s < since_s else _said(text, written_s)


def _said(text: str, written_s: float) -> Log | None:
    """The last line of progress in a text that was written then."""
    lines = _LINE.findall(text)
    if not lines:
        return None
    before, rate, _ = lines[-1]
    share = re.search(r"(\d+) % of ((?:about )?[^,;]*)", before)
    left = re.search(r"(?:about|at most) ([\d:]+) left", before)
    left_s = None if left is None else max(0.0, seconds_of(left[1]) - (time.time() - written_s))
    return Log(
        None if share is None else int(share[1]) / 100,
        "" if share is None else share[2],
        re.findall(r"\d+ of \d+ (?:collectives|messages)", before),
        left_s,
        float(rate) * 1e6,
    )


def seconds_of(clock: str) -> int:
    """Of "0:09" or "1:02:03"."""
    seconds = 0
    for part in clock.split(":"):
        seconds = 60 * seconds + int(part)
    return seconds


def _read(path: pathlib.Path, found: Look, tried: bool = False) -> Look:
    try:
        with Run(path, tried) as run, reading(str(path)):
            found.status, found.explanation = run.attrs["status"], run.attrs.get("explanation", "")
            found.horizon_ps, found.wall_s = int(run.attrs.get("horizon_ps", -1)), float(run.perf.get("wall_s", 0))
            _read_tiers(run, found)
            found.done = found.log.done if found.log is not None and found.log.done else done_of(run)
    except (OSError, FormatError, KeyError, RuntimeError) as error:
        found.problem = str(error.args[0] if isinstance(error, KeyError) else error)
        found.state = "starting" if found.state == "running" else "unreadable"
    return found


def _read_tiers(run: Run, found: Look) -> None:
    """The last row that all counters have; without rows, what is known else."""
    group = run.file["series/tier"]
    rows = min(group[name].shape[0] for name in ("time_ps", *COUNTERS))
    tiers = np.asarray(values(group["tier"]), dtype=object)
    last = {name: numbers(group[name])[rows - 1] for name in COUNTERS} if rows else _without_rows(run, tiers)
    found.tiers = pd.DataFrame({"tier": tiers, "links": numbers(group["links"]), **last})
    if run.partial:
        found.time_ps = int(group["time_ps"][rows - 1]) if rows else -1
    else:
        found.time_ps = int(run.attrs["end_ps"])


def _without_rows(run: Run, tiers: np.ndarray) -> dict[str, np.ndarray]:
    """COUNTERS [tier] of a run without series: of one that is over, the sums of /link; NaN: not known.

    A series counts drops at the node that a link leaves, and /link some of them at the link that the packet came by: where there
    are such, by kind of link they are not known.
    """
    found = dict.fromkeys(COUNTERS, np.full(len(tiers), np.nan))
    links = pd.DataFrame() if run.partial else run.links()
    if "sent_bytes" not in links:
        return found
    sums = links.groupby("tier").sum(numeric_only=True).reindex(tiers)
    found.update({name: sums[name].to_numpy() for name in ("paused_ps", "ecn_marks")})
    if "losses" in sums and not sums["ingress_drops"].any():
        found["drops"] = (sums["egress_drops"] + sums["losses"]).to_numpy()
    return found


def done_of(run: Run) -> list[str]:
    """What is done, as far as the events in the file go (they come 4,096 at a time): "at least 5 of 6 collectives"."""
    if not run.partial:
        return _done_at_the_end(run)
    events = run.events("completion")
    said = []
    communicators, jobs = run.communicators(), run.job_ranks().set_index("node")["job"]
    # where jobs share GPUs, or stages, groups and traces have collectives of their own, the file does not say yet whose an event is
    one_each = communicators.groupby("job")["communicator"].nunique().eq(1).all() and set(communicators["group"]) == {"all"}
    if len(communicators) and one_each and jobs.index.is_unique and collectives_of(run):
        ranks_of_job = communicators.groupby("job").size()
        finished = events[events["kind"] == "rank_finished"]
        ranks = finished["node"].map(jobs).map(ranks_of_job).groupby(finished["id"]).agg(["size", "first"])
        said.append(f"at least {int((ranks['size'] == ranks['first']).sum())} of {collectives_of(run)} collectives")
    messages = int((events["kind"] == "message_acked").sum())
    return said + ([f"at least {messages} messages"] if messages else [])


def _done_at_the_end(run: Run) -> list[str]:
    said = []
    for name, what in (("collective", "collectives"), ("message", "messages")):
        finish_ps = run.file[name]["finish_ps"][...]
        if len(finish_ps):
            said.append(f"{int((finish_ps >= 0).sum())} of {len(finish_ps)} {what}")
    return said


def collectives_of(run: Run) -> int:
    """How many collectives the jobs of a configuration do, stages of composed ones and those of training and traces not counted."""
    total, job = 0, 0
    while run.value(f"job.{job}.gpus") is not None:
        step = 0
        while run.value(f"job.{job}.collective.{step}.kind") is not None:
            sizes = run.value(f"job.{job}.collective.{step}.sizes")
            count = max(len(sizes), 1) if isinstance(sizes, list) else 1  # a barrier and others have none
            repeat = run.value(f"job.{job}.collective.{step}.repeat")
            total += count * (int(repeat) if isinstance(repeat, float) else 1)
            step += 1
        job += 1
    return total
