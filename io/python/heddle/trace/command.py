"""heddle trace RESULT -o trace.json.gz"""

from __future__ import annotations

import argparse
import os
import sys

from heddle.text import printable
from heddle.trace.choice import MAX_EVENTS, MAX_GPUS, MAX_LINKS, Choice, time_ps


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `heddle trace` takes."""
    parser.add_argument("result", metavar="RESULT", help="a result file, or the .part of a run that goes on or was killed")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        default="trace.json.gz",
        help="the trace to write (trace.json.gz); without .gz it is not compressed",
    )
    parser.add_argument("--force", action="store_true", help="replace a trace of heddle trace that is there, but nothing else")
    parser.add_argument("--from", dest="begin", metavar="TIME", default="0 ps", help='begin of the window, as "1.5 ms"')
    parser.add_argument("--to", dest="end", metavar="TIME", help="end of the window; the end of the run when not given")
    parser.add_argument(
        "--gpus", metavar="LIST", default="", help=f"GPUs: 0-7,12 or names; the first {MAX_GPUS} that take part when not given"
    )
    parser.add_argument(
        "--links",
        metavar="LIST",
        default=str(MAX_LINKS),
        help=f"links: rtsw0>ctsw3,... or how many of those that stand out ({MAX_LINKS}); 0: none",
    )
    parser.add_argument(
        "--most-events", metavar="N", type=int, default=MAX_EVENTS, help=f"refuse a trace with more events ({MAX_EVENTS:,})"
    )
    parser.epilog = "Open it in https://ui.perfetto.dev (it stays in your browser), or in chrome://tracing."


def main(options: argparse.Namespace) -> int:
    """Returns the exit code. Errors are raised, and said by heddle.__main__."""
    from heddle.output import notices, writes_through
    from heddle.trace.making import write_trace

    if options.most_events < 1:
        raise ValueError(f"--most-events {options.most_events}: a trace has events; give a number of at least 1")
    choice = Choice(
        options.gpus, options.links, time_ps(options.begin), time_ps(options.end) if options.end else -1, options.most_events
    )
    said = write_trace(options.result, options.output, choice, options.force)
    size = "" if writes_through(options.output) else f" {os.path.getsize(options.output) / 1e6:.2f} MB;"
    print(printable(f"{options.output}:{size} open it in ui.perfetto.dev"), file=notices(options.output))
    for sentence in said:
        print(printable(f"  {sentence}"), file=sys.stderr)
    return 0
