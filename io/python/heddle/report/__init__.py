"""heddle report: one self-contained HTML page about a run, or about several side by side.

from heddle.report import write_report
write_report(["run.h5"], "report.html")
"""

from __future__ import annotations

import os
from collections.abc import Sequence

try:
    import jinja2  # noqa: F401
except ImportError as error:
    raise ImportError(
        f"reports need jinja2 ({error}): ./bootstrap.sh deps installs it; by hand, on Debian: apt-get install python3-jinja2, "
        "elsewhere: pip install jinja2"
    ) from error

from heddle.report.making import make_report

__all__ = ["make_report", "write_report"]


def write_report(results: Sequence[str | os.PathLike[str]], path: str | os.PathLike[str]) -> int:
    """Writes the page about the results (files, or one folder) to `path`; returns its size in bytes.

    Raises OSError, ValueError and heddle.FormatError with what is wrong and what to try; then nothing is written.
    """
    page = make_report([os.fspath(result) for result in results])
    temporary = f"{os.fspath(path)}.tmp"
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(page)
    os.replace(temporary, path)
    return len(page.encode())
