"""The live view of a folder: the runs of a sweep, or of any folder of results."""

from __future__ import annotations

import shlex
import time
from collections import Counter

from heddle.folder import Entry, entries_of, is_sweep
from heddle.progress import Look, look_at, sweep_runs
from heddle.results.opening import survivors
from heddle.text import clock_text, table_text
from heddle.watch_text import COMPLETE, importance, left_of, short_progress, time_text, total_text, word_of

MAX_RUNS = 20  # that a line names
ACTIVE, FINAL = ("running", "starting"), ("ended", "unreadable")


class FolderWatch:
    """All runs of a folder, until none of them goes on any more.

    Whether one of a sweep will still begin, its folder cannot say: it may wait in a queue of Slurm. So the watch goes on for
    `give_up_s` after the last change that it saw, unless it saw a `heddle sweep --run` come to its end, which leaves nothing waiting.
    """

    def __init__(self, folder: str, give_up_s: float = 600, once: bool = False):
        self.folder = folder
        self._once = once
        self.looks: dict[str, Look] = {}
        self.firsts: dict[str, Look] = {}
        self.entries: list[Entry] = []
        self._give_up_s = give_up_s
        self._sweep_runs = False
        self._sweep_has_ended = False
        self._signs: list[tuple] = []  # of life
        self._changed_s = 0.0
        self._at_s = 0.0

    def look(self) -> None:
        self.entries, _ = entries_of(self.folder)
        ran, self._sweep_runs = self._sweep_runs, sweep_runs(self.folder)  # first: all that it starts is then seen below
        self._sweep_has_ended = (ran or self._sweep_has_ended) and not self._sweep_runs
        fresh = [entry for entry in self.entries if not self._has_ended(entry)]
        good = survivors([str(entry.result) for entry in fresh if entry.state == "ended"])
        for entry in fresh:
            now = look_at(entry.result, entry.name, tried=str(entry.result) in good)
            self.looks[entry.name] = now
            if now.state == "running" and now.time_ps >= 0:
                self.firsts.setdefault(entry.name, now)
        signs = [
            (entry.name, look.state, look.status, look.time_ps, log_time(entry)) for entry, look in zip(self.entries, self._now())
        ]
        self._at_s = time.monotonic()
        if signs != self._signs:
            self._signs, self._changed_s = signs, self._at_s

    def _has_ended(self, entry: Entry) -> bool:
        """Nothing of it changes any more."""
        before = self.looks.get(entry.name)
        return before is not None and before.state == "ended" and not entry.part.exists()

    def unreadable(self) -> str:
        """Nothing: a run that cannot be read is a line among the others."""
        return ""

    def goes_on(self) -> bool:
        """Whether a run is at work, or a sweep that will start the next one."""
        return self._sweep_runs or any(look.state in ACTIVE for look in self._now())

    def over(self) -> bool:
        if all(look.state in FINAL for look in self._now()):
            return True
        nothing_waits = not is_sweep(self.folder) or self._sweep_has_ended
        return not self.goes_on() and (nothing_waits or self._waits_s() <= 0)

    def complete(self) -> bool:
        return all(look.state == "ended" and look.status in COMPLETE for look in self._now())

    def goes_well(self) -> bool:
        """Whether every run is complete or goes on; what is missing, only while a sweep is at work that will start it."""
        waits = ("missing", "saved") if self._sweep_runs else ()
        return all((look.state == "ended" and look.status in COMPLETE) or look.state in (*ACTIVE, *waits) for look in self._now())

    def _now(self) -> list[Look]:
        return [self.looks[entry.name] for entry in self.entries]

    def _waits_s(self) -> float:
        """How long this watch will still wait for a change."""
        return self._changed_s + self._give_up_s - self._at_s

    def summary(self) -> str:
        said = ", ".join(f"{count} {word}" for word, count in Counter(map(word_of, self._now())).most_common())
        left_s = self.left_s()
        return f"{self.folder}: {len(self.entries)} runs: {said}" + ("" if left_s is None else f"; about {clock_text(left_s)} left")

    def what_next(self) -> str:
        """Why the watch waits or ends, where runs do not just go on or are all complete; ""."""
        if self.goes_on() or self.complete():
            return ""
        if not self.over():
            if self._once:
                return "no run goes on; some may wait in a queue"
            return (
                f"no run goes on; watching for {clock_text(self._waits_s())} more without a change, as some may wait in a queue "
                "(--give-up says how long)"
            )
        words = Counter(word_of(look) for look in self._now() if not (look.state == "ended" and look.status in COMPLETE))
        said = "nothing goes on any more, and not complete are: " + ", ".join(
            f"{count} {word}" for word, count in words.most_common()
        )
        if is_sweep(self.folder) and set(words) & {"missing", "killed", "saved"}:
            said += f"; `heddle sweep {shlex.quote(self.folder)} --run` does what is missing, and resumes what was begun"
        if "unreadable" in words:
            said += "; what is unreadable has to be removed before it can be run again"
        return said

    def left_s(self) -> float | None:
        """If what is missing takes as long as what has ended did, as many at a time as now; None: nothing has ended, or runs."""
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
        active = [look for look in self._now() if look.state in ACTIVE]
        said = [f"{look.name} {short_progress(look)}" for look in active[:MAX_RUNS]]
        next_ = self.what_next()
        return "; ".join([self.summary(), *said, *(["..."] if len(active) > MAX_RUNS else []), *([next_] if next_ else [])])

    def screen(self, height: int) -> list[str]:
        """All runs where they fit, else those that go on or went wrong first."""
        next_ = self.what_next()
        most = max(1, height - 2 - bool(next_))
        most -= most > 1 and len(self.entries) > most  # a line for how many more there are
        order = sorted(range(len(self.entries)), key=lambda i: (importance(self.looks[self.entries[i].name]), i))
        rows = [self._row(self.entries[i]) for i in sorted(order[:most])]
        hidden = len(self.entries) - len(rows)
        return [
            self.summary(),
            *table_text(["run", "axes", "state", "progress", "simulated", "queued", "paused in all"], rows, left=4),
            *([f"... and {hidden} more"] if hidden else []),
            *([next_] if next_ else []),
        ]

    def _row(self, entry: Entry) -> list[str]:
        look = self.looks[entry.name]
        return [
            entry.name,
            " ".join(f"{key}={value}" for key, value in entry.axes.items()),
            word_of(look),
            short_progress(look) if look.state in ACTIVE else "",
            time_text(look.time_ps) if look.time_ps >= 0 else "",
            total_text(look, "queue_bytes"),
            total_text(look, "paused_ps"),
        ]


def log_time(entry: Entry) -> int:
    """When the run has said something last; 0: it has no log. While it is set up, that is all that can be seen without locks."""
    try:
        return entry.log.stat().st_mtime_ns
    except OSError:
        return 0
