"""Writes the Trace Event Format (JSON, compressed): complete slices, counters, instants, names of processes and threads.

Times are microseconds with three decimals, because viewers know nanoseconds: what has picoseconds is rounded down, so that slices
that follow each other do not overlap, and the exact time stands in the arguments. Slices of one thread may only nest, so what
overlaps is divided over lanes.
"""

from __future__ import annotations

import contextlib
import gzip
import heapq
import json
from typing import Any

from heddle.output import open_output
from heddle.output_kinds import TRACE, TRACE_BEGINS


def us(time_ns: int) -> str:
    """1501 -> "1.501": a JSON number that is exact."""
    return f"{time_ns // 1000}.{time_ns % 1000:03d}"


class TooMany(ValueError):
    """The trace would have more events than are allowed."""


class TraceWriter:
    """One trace. Use as a context manager: the file has its name only when it is whole."""

    def __init__(self, path: str, most_events: int, about: dict[str, Any], force: bool = False):
        self.path, self.most_events, self.events, self.about, self.force = path, most_events, 0, about, force

    def __enter__(self) -> TraceWriter:
        with contextlib.ExitStack() as stack:
            self._file: Any = stack.enter_context(open_output(self.path, TRACE, self.force))
            if self.path.endswith(".gz"):
                self._file = stack.enter_context(
                    gzip.GzipFile(filename="", fileobj=self._file, mode="wb", compresslevel=6, mtime=0)
                )
            self._file.write(TRACE_BEGINS)
            self._output = stack.pop_all()
        return self

    def __exit__(self, kind, error, where) -> None:
        if kind is not None:
            self._output.__exit__(kind, error, where)
            return
        with self._output:
            self._file.write(b'\n],"otherData":' + json.dumps(self.about).encode() + b"}\n")

    def process(self, pid: int, name: str, place: int) -> None:
        self._meta(pid, 0, "process_name", {"name": name})
        self._meta(pid, 0, "process_sort_index", {"sort_index": place})

    def thread(self, pid: int, tid: int, name: str) -> None:
        self._meta(pid, tid, "thread_name", {"name": name})
        self._meta(pid, tid, "thread_sort_index", {"sort_index": tid})

    def slice(
        self, pid: int, tid: int, category: str, name: str, begin_ps: int, end_ps: int, args: dict[str, Any] | None = None
    ) -> None:
        begin_ns = begin_ps // 1000
        self._at(begin_ns, "X", pid, name, f',"tid":{tid},"cat":{json.dumps(category)},"dur":{us(end_ps // 1000 - begin_ns)}', args)

    def counter(self, pid: int, name: str, time_ps: int, values: dict[str, float]) -> None:
        self._at(time_ps // 1000, "C", pid, name, "", values)

    def instant(self, pid: int, tid: int, category: str, name: str, time_ps: int, everywhere: bool = False) -> None:
        scope = "g" if everywhere else "t"
        self._at(time_ps // 1000, "i", pid, name, f',"tid":{tid},"cat":{json.dumps(category)},"s":"{scope}"', None)

    def _at(self, time_ns: int, kind: str, pid: int, name: str, rest: str, args: dict[str, Any] | None) -> None:
        self._write(f'{{"ph":"{kind}","pid":{pid},"name":{json.dumps(name)},"ts":{us(time_ns)}{rest}', args)

    def _meta(self, pid: int, tid: int, name: str, args: dict[str, Any]) -> None:
        self._write(f'{{"ph":"M","pid":{pid},"tid":{tid},"name":"{name}"', args)

    def _write(self, head: str, args: dict[str, Any] | None) -> None:
        if self.events == self.most_events:
            raise TooMany(
                f"the trace would have more than {self.most_events:,} events, which viewers open slowly; choose a shorter window "
                "(--from, --to), fewer GPUs (--gpus) or links (--links), or allow more (--most-events)"
            )
        tail = f',"args":{json.dumps(args)}}}' if args is not None else "}"
        self._file.write((("" if self.events == 0 else ",\n") + head + tail).encode())
        self.events += 1


class Lanes:
    """Divides slices that may overlap over threads of a process, each on the first lane that is free.

    Slices have to come in the order of their begin.
    """

    def __init__(self, trace: TraceWriter, pid: int, first_tid: int, name: str):
        self.trace, self.pid, self.first_tid, self.name = trace, pid, first_tid, name
        self._busy: list[tuple[int, int]] = []  # heap of (until, lane)
        self._free: list[int] = []  # heap of lanes
        self.lanes = 0

    def tid(self, begin_ps: int, end_ps: int) -> int:
        """The thread of a slice; names it when it is new."""
        while self._busy and self._busy[0][0] <= begin_ps:
            heapq.heappush(self._free, heapq.heappop(self._busy)[1])
        if self._free:
            lane = heapq.heappop(self._free)
        else:
            lane = self.lanes
            self.lanes += 1
            self.trace.thread(self.pid, self.first_tid + lane, self.name if lane == 0 else f"{self.name} ({lane + 1})")
        heapq.heappush(self._busy, (end_ps, lane))
        return self.first_tid + lane
