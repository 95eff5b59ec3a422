"""heddle watch FILE.part | FOLDER: how far a run, or all runs of a sweep, are, again and again until none goes on any more."""

from __future__ import annotations

import argparse
import os
import pathlib
import shutil
import sys
import time
from collections.abc import Callable

from heddle.program import NOT_COMPLETE
from heddle.progress import Look, look_at
from heddle.results import FormatError
from heddle.text import bytes_text, printable, seconds_in, table_text
from heddle.watch_folder import FolderWatch
from heddle.watch_text import COMPLETE, number_text, progress_parts, state_text, tiers_line, time_text

GIVE_UP = "10 min"
MAX_INTERVAL_S = 86400


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "path", metavar="FILE|FOLDER", help="the .part of a run, its result file's name, or the folder of a sweep or of results"
    )
    parser.add_argument("--once", action="store_true", help="say it once, and leave")
    parser.add_argument("--interval", type=float, metavar="SECONDS", help="between two looks; default: 1 on a terminal, else 10")
    parser.add_argument(
        "--log", metavar="FILE", help="what the run says on standard error, for its share and time left; default: NAME.log"
    )
    parser.add_argument(
        "--give-up",
        metavar="TIME",
        help=(
            "of a sweep of which no run goes on and some have no result: for how long without any "
            f"change to wait, as they may be in a queue of Slurm; default: {GIVE_UP}; 0: not at all"
        ),
    )
    parser.epilog = (
        "Ends when no run goes on any more: with exit code 0 when all are complete, with 3 when some are missing, killed, or did"
        " not complete. With --once: 3 also when some are missing that no run is at work on."
    )


def main(options: argparse.Namespace) -> int:
    """Returns 0 when all is complete (with --once: or goes on), 3 when something did not complete, was killed or is missing.

    Raises ValueError, and FormatError for a file that is no result, or is damaged.
    """
    if options.interval is not None and not 0 < options.interval <= MAX_INTERVAL_S:
        raise ValueError(f"--interval {options.interval:g}: a time above 0 is needed, and of at most a day ({MAX_INTERVAL_S} s)")
    screen = Screen(sys.stdout, options.once)
    interval_s = options.interval or (1 if screen.redraws else 10)
    watch = watch_of(options)
    while True:
        watch.look()
        if watch.unreadable():
            raise FormatError(watch.unreadable())
        screen.show(watch.screen, watch.line)
        if options.once:
            return 0 if watch.goes_well() else NOT_COMPLETE
        if watch.over():
            return 0 if watch.complete() else NOT_COMPLETE
        time.sleep(interval_s)


def watch_of(options: argparse.Namespace) -> FileWatch | FolderWatch:
    if not os.path.isdir(options.path):
        if options.give_up is not None:
            raise ValueError(
                f"--give-up is for folders, and '{options.path}' is none: a single run is over when nobody writes it any more;"
                " leave it out"
            )
        return FileWatch(options.path, options.log)
    if options.log is not None:
        raise ValueError(
            f"--log is for a single run, and '{options.path}' is a folder, in which each run has its own NAME.log; leave it out"
        )
    try:
        return FolderWatch(options.path, seconds_in(GIVE_UP if options.give_up is None else options.give_up), options.once)
    except ValueError as error:
        raise ValueError(f"--give-up: {error}") from None


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
            self._stream.write(f"{time.strftime('%H:%M:%S')} {printable(line())}\n")
        else:
            size = shutil.get_terminal_size() if self.terminal else os.terminal_size((10_000, 10_000))
            lines = [printable(text)[: size.columns - 1] for text in screen(size.lines - 1)]
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
        if not any(os.path.exists(f"{self.result}{ending}") for ending in ("", ".part", ".lock")):
            raise FileNotFoundError(
                f"'{self.result}': there is neither this file nor its .part; check the name, or start the run first"
            )

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

    def goes_well(self) -> bool:
        """Whether it is complete, or goes on."""
        return self.complete() or not self.over()

    def line(self) -> str:
        return f"{self.now.name}: " + "; ".join(
            filter(
                None,
                [state_text(self.now), *("; ".join(part) for part in progress_parts(self.now, self.first)), tiers_line(self.now)],
            )
        )

    def screen(self, _: int) -> list[str]:
        now = self.now
        lines = [f"{now.name}  {state_text(now)}" + (f" ({now.writer})" if now.writer and now.state == "running" else "")]
        lines += filter(None, ["; ".join(part) for part in progress_parts(now, self.first)])
        if not now.tiers.empty:
            rows = [
                [
                    str(row["tier"]),
                    str(row["links"]),
                    bytes_text(row["queue_bytes"]),
                    time_text(row["paused_ps"]),
                    number_text(row["ecn_marks"]),
                    number_text(row["drops"]),
                ]
                for row in now.tiers.to_dict("records")
            ]
            queue = "queued" if now.state != "ended" else "queued at the end"
            lines += table_text(["tier", "links", queue, "paused in all", "ECN marks", "drops"], rows)
        return lines
