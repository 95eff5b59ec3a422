"""heddle report: one self-contained HTML page about a run, or about several side by side.

from heddle.report import write_report
write_report(["run.h5"], "report.html")
"""

from __future__ import annotations

import os
from collections.abc import Sequence

try:
    import jinja2  # noqa: F401
    import scipy  # noqa: F401
except ImportError as error:
    raise ImportError(
        f"reports need jinja2 and scipy ({error}): ./bootstrap.sh deps installs them; by hand, on Debian: apt-get install "
        "python3-jinja2 python3-scipy, elsewhere: pip install jinja2 scipy"
    ) from error

from heddle.output import check_output, open_output
from heddle.output_kinds import PAGE
from heddle.report.inputs import files_of
from heddle.report.making import make_report
from heddle.text import printable

__all__ = ["write_report", "write_what_can_be_read"]


def write_report(results: Sequence[str | os.PathLike[str]], path: str | os.PathLike[str], force: bool = False) -> int:
    """Writes the page about the results (files, or one folder) to `path`; returns its size in bytes.

    A page that is there is replaced only with `force`, another file never. Runs that cannot be read are left out, and the page says so. Raises OSError, ValueError and heddle.FormatError with
    what is wrong and what to try; then nothing is written.
    """
    return write_what_can_be_read(results, path, force)[0]


def write_what_can_be_read(
    results: Sequence[str | os.PathLike[str]], path: str | os.PathLike[str], force: bool = False
) -> tuple[int, list[tuple[str, str]]]:
    """write_report(), which also returns the runs that are left out, each with the reason."""
    names = [os.fspath(result) for result in results]
    check_output(path, files_of(names), PAGE, force)
    text, left_out = make_report(names)
    page = printable(text, keep="\t\r").encode()
    with open_output(path, PAGE, force) as file:
        file.write(page)
    return len(page), left_out
