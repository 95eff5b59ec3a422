"""heddle report RESULT... -o report.html"""

from __future__ import annotations

import argparse
import os
import sys
import time

from heddle.program import NOT_COMPLETE
from heddle.text import printable

MAIL_BYTES = 5_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `heddle report` takes."""
    parser.add_argument(
        "results",
        metavar="RESULT",
        nargs="+",
        help="result files (or a .part), side by side when several; or the folder of a sweep, or folders of `heddle step`",
    )
    parser.add_argument("-o", "--output", metavar="FILE", default="report.html", help="the page to write (report.html)")
    parser.add_argument("--force", action="store_true", help="replace a page of heddle report that is there, but nothing else")
    parser.add_argument("-q", "--quiet", action="store_true", help="say nothing when all is well")


def main(options: argparse.Namespace) -> int:
    """Returns the exit code: 3 when a run is left out. Errors are raised, and said by heddle.__main__."""
    from heddle.output import notices
    from heddle.report import write_what_can_be_read

    begin = time.monotonic()
    size, left_out = write_what_can_be_read(options.results, options.output, options.force)
    if not options.quiet:
        print(
            printable(f"{options.output}: {size / 1e6:.2f} MB in {time.monotonic() - begin:.1f} s")
            + "; open it in a browser, or mail it: it needs nothing else",
            file=notices(options.output),
        )
    if size > MAIL_BYTES:
        print(
            f"heddle report: {os.path.basename(options.output)} has more than {MAIL_BYTES / 1e6:g} MB, which some mail servers "
            "refuse; make reports of fewer runs each",
            file=sys.stderr,
        )
    for name, why in left_out:
        print(printable(f"heddle report: {name} is left out: {' '.join(why.split())}"), file=sys.stderr)
    return NOT_COMPLETE if left_out else 0
