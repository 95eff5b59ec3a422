"""heddle watch FILE.part | FOLDER: how far a run, or all runs of a sweep, are, again and again until they have ended."""

from __future__ import annotations

import argparse
import os
import pathlib
import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable

from heddle.folder import Entry, entries_of
from heddle.progress import Look, look_at
from heddle.results import FormatError
from heddle.results.opening import survivors
from heddle.text import bytes_text, clock_text, share_text, table_text, time_text

COMPLETE = ("complete", "horizon")
NOT_COMPLETE = 3  # as heddle run
MOST_RUNS = 20  # that a line names


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", metavar="FILE|FOLDER", help="the .part of a run, its result file's name, or the folder of a sweep or of results")
    parser.add_argument("--once", action="store_true", help="say it once, and leave")
    parser.add_argument("--interval", type=float, metavar="SECONDS", help="between two looks; default: 1 on a terminal, else 10")
    parser.add_argument("--log", metavar="FILE", help="what the run says on standard error, for its share and time left; default: NAME.log")


def main(options: argparse.Namespace) -> int:
    """Returns 0 when all is complete (or with --once), 3 when something did not complete or was killed. Raises FormatError for a file that is no
    result, or is damaged."""
    if options.interval is not None and not options.interval > 0:
        raise ValueError(f"--interval {options.interval}: a time above 0 is needed")
    screen = Screen(sys.stdout, options.once)
    interval_s = options.interval or (1 if screen.redraws else 10)
    watch = FolderWatch(options.path) if os.path.isdir(options.path) else FileWatch(options.path, options.log)
    while True:
        watch.look()
        if watch.unreadable():
            raise FormatError(watch.unreadable())
        screen.show(watch.screen, watch.line)
        if options.once:
            return 0
        if watch.over():
            return 0 if watch.complete() else NOT_COMPLETE
        time.sleep(interval_s)


class Screen:
    """A terminal, on which what was said is said anew; or a file or pipe, which takes a line at a time."""

    def __init__(self, stream, once: bool):
        self._stream = stream
        self._lines = 0  # that were said last
        self.terminal = stream.isatty()
        self.redraws = self.terminal and not once
        self._whole = self.terminal or once

    def show(self, screen: Callable[[int], list[str]], line: Callable[[], str]) -> None:
        if not self._whole:
            self._stream.write(f"{time.strftime('%H:%M:%S')} {line()}\n")
        else:
            size = shutil.get_terminal_size() if self.terminal else os.terminal_size((10_000, 10_000))
            lines = [text[: size.columns - 1] for text in screen(size.lines - 1)]
            if self.redraws and self._lines:
                self._stream.write(f"\x1b[{self._lines}F\x1b[J")
            self._stream.write("\n".join(lines) + "\n")
            self._lines = len(lines)
        self._stream.flush()


class FileWatch:
    """One run."""

    def __init__(self, path: str, log: str | None = None):
        self.result = pathlib.Path(path.removesuffix(".part"))
        self.log = log
        self.first: Look | None = None  # with rows, while it runs
        self.now = Look(self.result.name, "missing", 0)
        if not self.result.exists() and not os.path.exists(f"{self.result}.part"):
            raise FileNotFoundError(f"'{self.result}': there is neither this file nor its .part; check the name, or start the run first")

    def look(self) -> None:
        self.now = look_at(self.result, log=self.log)
        if self.first is None and self.now.state == "running" and self.now.time_ps >= 0:
            self.first = self.now

    def unreadable(self) -> str:
        """Why nothing can be said; "": it can."""
        return self.now.problem if self.now.state == "unreadable" else ""

    def over(self) -> bool:
        return self.now.state not in ("running", "starting")

    def complete(self) -> bool:
        return self.now.state == "ended" and self.now.status in COMPLETE

    def line(self) -> str:
        return f"{self.now.name}: " + "; ".join(filter(None, [state_text(self.now), *("; ".join(part) for part in progress_parts(self.now, self.first)), tiers_line(self.now)]))

    def screen(self, _: int) -> list[str]:
        now = self.now
        lines = [f"{now.name}  {state_text(now)}" + (f" ({now.writer})" if now.writer and now.state == "running" else "")]
        lines += filter(None, ["; ".join(part) for part in progress_parts(now, self.first)])
        if not now.tiers.empty:
            rows = [[str(row["tier"]), str(row["links"]), bytes_text(row["queue_bytes"]), time_text(row["paused_ps"]), str(row["ecn_marks"]),
                     str(row["drops"])] for row in now.tiers.to_dict("records")]
            queue = "queued" if now.state != "ended" else "queued at the end"
            lines += table_text(["tier", "links", queue, "paused in all", "ECN marks", "drops"], rows)
        return lines


class FolderWatch:
    """The runs of a sweep, or of any folder of results."""

    def __init__(self, folder: str):
        self.folder = folder
        self.looks: dict[str, Look] = {}
        self.firsts: dict[str, Look] = {}
        self.entries: list[Entry] = []

    def look(self) -> None:
        self.entries, _ = entries_of(self.folder)
        fresh = [entry for entry in self.entries if not self._has_ended(entry)]
        good = survivors([str(entry.result) for entry in fresh if entry.state == "ended"])
        for entry in fresh:
            now = look_at(entry.result, entry.name, tried=str(entry.result) in good)
            self.looks[entry.name] = now
            if now.state == "running" and now.time_ps >= 0:
                self.firsts.setdefault(entry.name, now)

    def _has_ended(self, entry: Entry) -> bool:
        """Nothing of it changes any more."""
        before = self.looks.get(entry.name)
        return before is not None and before.state == "ended" and not entry.part.exists()

    def unreadable(self) -> str:
        """Nothing: a run that cannot be read is a line among the others."""
        return ""

    def over(self) -> bool:
        return all(look.state in ("ended", "unreadable") for look in self._now())

    def complete(self) -> bool:
        return all(look.state == "ended" and look.status in COMPLETE for look in self._now())

    def _now(self) -> list[Look]:
        return [self.looks[entry.name] for entry in self.entries]

    def summary(self) -> str:
        counts = Counter(word_of(look) for look in self._now())
        said = ", ".join(f"{count} {word}" for word, count in counts.most_common())
        left_s = self.left_s()
        return f"{self.folder}: {len(self.entries)} runs: {said}" + ("" if left_s is None else f"; about {clock_text(left_s)} left")

    def left_s(self) -> float | None:
        """If what is missing takes as long as what has ended did, as many at a time as now; None while nothing has ended or runs."""
        ended = [look.wall_s for look in self._now() if look.state == "ended"]
        running = [look for look in self._now() if look.state == "running"]
        if not ended or not running:
            return None
        mean_s, now_s = sum(ended) / len(ended), 0.0
        for look in running:
            left_s = left_of(look, self.firsts.get(look.name))
            now_s += left_s if left_s is not None else max(0.0, mean_s - (look.elapsed_s or 0))
        waiting = sum(look.state in ("missing", "saved", "killed") for look in self._now())
        return (now_s + waiting * mean_s) / len(running)

    def line(self) -> str:
        active = [look for look in self._now() if look.state in ("running", "starting")]
        said = [f"{look.name} {short_progress(look)}" for look in active[:MOST_RUNS]]
        return "; ".join([self.summary(), *said, *(["..."] if len(active) > MOST_RUNS else [])])

    def screen(self, height: int) -> list[str]:
        """All runs where they fit, else those that go on or went wrong first."""
        order = sorted(range(len(self.entries)), key=lambda i: (importance(self.looks[self.entries[i].name]), i))
        shown = sorted(order[: max(1, height - 3)])
        rows = []
        for entry in (self.entries[i] for i in shown):
            look = self.looks[entry.name]
            rows.append([entry.name, " ".join(f"{key}={value}" for key, value in entry.axes.items()), word_of(look),
                         short_progress(look) if look.state in ("running", "starting") else "",
                         time_text(look.time_ps) if look.time_ps >= 0 else "",
                         bytes_text(int(look.tiers["queue_bytes"].sum())) if not look.tiers.empty else "",
                         time_text(int(look.tiers["paused_ps"].sum())) if not look.tiers.empty else ""])
        lines = [self.summary(), *table_text(["run", "axes", "state", "progress", "simulated", "queued", "paused in all"], rows, left=4)]
        hidden = len(self.entries) - len(shown)
        return lines + ([f"... and {hidden} more"] if hidden else [])


def importance(look: Look) -> int:
    """What goes on first, then what went wrong, what waits, and what is complete."""
    if look.state in ("running", "starting"):
        return 0
    return 3 if look.state == "ended" and look.status in COMPLETE else 2 if look.state == "missing" else 1


def word_of(look: Look) -> str:
    """complete, stalled, ..., running, starting, killed, saved, unreadable, missing."""
    return look.status if look.state == "ended" else look.state


def state_text(look: Look) -> str:
    text = {"killed": "killed: nobody writes it any more, and there is no checkpoint to go on from",
            "saved": "saved: nobody writes it now; the same command with --resume auto goes on from its checkpoint",
            "starting": "starting: there is nothing to read yet", "unreadable": f"cannot be read: {look.problem}",
            "missing": "its .part has gone, and there is no result: the run was refused, or has failed"}.get(look.state, word_of(look))
    if look.state == "running" and look.elapsed_s is not None:
        text += f" for {clock_text(look.elapsed_s)}"
    return text + (f": {look.explanation}" if look.state == "ended" and look.explanation else "")


def progress_parts(look: Look, first: Look | None) -> tuple[list[str], list[str]]:
    """(share, time left, what is done), (simulated time, its speed, packet-hops a second)."""
    how_far, how_fast = [], []
    if look.state == "running":
        share = look.share()
        how_far.append("share not known (no horizon, and no log beside it)" if share is None else f"{share_text(share[0])} of {share[1]}")
        left_s = left_of(look, first)
        how_far += [] if left_s is None else [f"about {clock_text(left_s)} left"]
    if look.time_ps >= 0:
        speed = speed_of(look, first)
        how_fast.append(f"{time_text(look.time_ps)} simulated" + ("" if speed is None else f", {time_text(speed * 60)} a minute"))
    if look.log is not None and look.state == "running":
        how_fast.append(f"{look.log.packet_hops_per_s / 1e6:.2f} M packet-hops/s")
    return [*how_far, *look.done], how_fast


def short_progress(look: Look) -> str:
    share = look.share()
    if look.state != "running" or share is None:
        return time_text(look.time_ps) if look.time_ps >= 0 else "starting"
    left_s = left_of(look, None)
    return share_text(share[0]) + ("" if left_s is None else f", {clock_text(left_s)} left")


def speed_of(look: Look, first: Look | None) -> float | None:
    """Simulated picoseconds a second of wall time: since the first look, or on the average of this sitting."""
    if look.state != "running":
        return None
    if first is not None and look.time_ps > first.time_ps and look.at_s > first.at_s:
        return (look.time_ps - first.time_ps) / (look.at_s - first.at_s)
    if look.resumed or not look.elapsed_s:
        return None
    return look.time_ps / look.elapsed_s


def left_of(look: Look, first: Look | None) -> float | None:
    if look.log is not None and look.log.left_s is not None:
        return look.log.left_s
    speed = speed_of(look, first)
    if look.horizon_ps <= 0 or not speed or look.time_ps < 0:
        return None
    return max(0.0, look.horizon_ps - look.time_ps) / speed


def tiers_line(look: Look) -> str:
    """Queues and pauses that are not 0, by tier."""
    said = []
    for what, text, column in (("queued", bytes_text, "queue_bytes"), ("paused", time_text, "paused_ps")):
        found = [f"{row.tier} {text(getattr(row, column))}" for row in look.tiers.itertuples() if getattr(row, column) > 0]
        said += [f"{what}: {', '.join(found)}"] if found else [f"nothing {what}"] if not look.tiers.empty else []
    return "; ".join(said)
