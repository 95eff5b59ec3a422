"""Quantities and tables as the terminal shows them."""

from __future__ import annotations

from collections.abc import Sequence

_TIMES = ((1e12, "s"), (1e9, "ms"), (1e6, "us"), (1e3, "ns"), (1, "ps"))
_BYTES = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "KB"), (1, "B"))


def time_text(picoseconds: float) -> str:
    """"3.53 ms"; "never" below 0, as result files have it."""
    return "never" if picoseconds < 0 else _in_unit(picoseconds, _TIMES)


def bytes_text(count: float) -> str:
    """"13.9 MB" (1000)."""
    return _in_unit(count, _BYTES)


def share_text(share: float) -> str:
    """"34 %", rounded down, so that 100 % is said of nothing that still goes on."""
    return f"{int(100 * share)} %"


def clock_text(seconds: float) -> str:
    """"0:09", "1:02:03"."""
    whole = round(seconds)
    hours = f"{whole // 3600}:{whole // 60 % 60:02}" if whole >= 3600 else f"{whole // 60}"
    return f"{hours}:{whole % 60:02}"


def table_text(heads: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """Lines of a table: the first `left` columns on the left, all others on the right of their width; without columns of nothing."""
    keep = [i for i in range(len(heads)) if any(row[i] for row in rows)]
    lines = [[heads[i] for i in keep], *([row[i] for i in keep] for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(keep))]
    return ["  ".join(cell.ljust(width) if keep[i] < left else cell.rjust(width) for i, (cell, width) in enumerate(zip(line, widths))).rstrip()
            for line in lines]


def _in_unit(value: float, units: Sequence[tuple[float, str]]) -> str:
    for scale, unit in units:
        if value >= scale:
            return f"{value / scale:.4g} {unit}"
    return f"0 {units[-1][1]}"
