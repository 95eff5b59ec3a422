"""Quantities and tables as people read them: in the live view, in pages, in pictures and their alt texts.

Measured bytes are decimal (MB), sizes of messages and collectives binary (MiB) where they are whole KiB, as in all of Heddle's
texts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

Scales = Sequence[tuple[float, str]]

TIME: Scales = ((1e12, "s"), (1e9, "ms"), (1e6, "us"), (1e3, "ns"), (1, "ps"))
BYTES: Scales = ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "KB"), (1, "B"))
RATE: Scales = ((1e12, "Tb/s"), (1e9, "Gb/s"), (1e6, "Mb/s"), (1e3, "kb/s"), (1, "b/s"))
COUNT: Scales = ((1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k"), (1, ""))
BINARY: Scales = ((1 << 50, "PiB"), (1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))
WALL_S = {"s": 1, "min": 60, "h": 3600}


def time_text(time_ps: float, digits: int = 6, never: str = "-") -> str:
    """5524334233 -> "5.52433 ms"; `never`: what is said below 0, as result files have it."""
    return never if unknown(time_ps) or time_ps < 0 else scaled(time_ps, TIME, digits)


def bytes_text(value: float, digits: int = 4) -> str:
    """44140000 -> "44.14 MB"."""
    return scaled(value, BYTES, digits)


def size_text(value: float) -> str:
    """67108864 -> "64 MiB", 131334144 -> "125.2 MiB"; what is no whole number of KiB as bytes_text: size_text of the program."""
    return bytes_text(value) if value == 0 or value % 1024 else scaled(value, BINARY, 4)


def rate_text(bits_per_s: float, digits: int = 6) -> str:
    """4e11 -> "400 Gb/s"."""
    return scaled(bits_per_s, RATE, digits)


def count_text(value: float) -> str:
    """12345678 -> "12,345,678"; with one digit behind the point where it is a mean."""
    if unknown(value):
        return "-"
    return f"{int(value):,}" if float(value).is_integer() else f"{value:,.1f}"


def rough_text(value: float) -> str:
    """125829120 -> "126 M"."""
    return scaled(value, COUNT, 3)


def share_text(share: float) -> str:
    """0.9963 -> "99.63 %"."""
    return "-" if unknown(share) else f"{100 * share:.2f} %"


def letter(place: int) -> str:
    """What `heddle compare` calls the place-th of several files, from 0: A to Z, then R27 and so on."""
    return chr(ord("A") + place) if place < 26 else f"R{place + 1}"


def rarity_text(share: float) -> str:
    """0.0123 -> "1.23 %", 4.84e-07 -> "1 in 2.06 million": what share_text would round to nothing as one in so many."""
    if unknown(share) or share <= 0 or share >= 0.001:
        return share_text(share)
    one_in = 1 / share
    for scale, word in ((1e12, " trillion"), (1e9, " billion"), (1e6, " million")):
        if one_in >= scale:
            return f"1 in {one_in / scale:.3g}{word}"
    return f"1 in {one_in:,.0f}"


def progress_text(share: float) -> str:
    """ "34 %", rounded down, so that 100 % is said of nothing that still goes on."""
    return f"{int(100 * share)} %"


def number_text(value: float) -> str:
    """Up to six significant digits, without an exponent where it can be read without."""
    if unknown(value):
        return "-"
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:.6g}" if abs(value) < 1e6 else f"{value:,.0f}"


def text_of(value: float, unit: str, digits: int = 6) -> str:
    """A value in the unit of a table's column or a measure: ps, +ps and +share (differences), B, size, bit/s, GB/s, s, share, count, x (times) or
    ""."""
    if unknown(value):
        return "-"
    if unit == "+share":
        return f"{100 * value:+.2f} %"
    if unit == "+ps":
        return f"{'-' if value < 0 else '+'}{time_text(abs(value), digits)}"
    if unit in ("ps", "bit/s"):
        return (time_text if unit == "ps" else rate_text)(value, digits)
    if unit in ("GB/s", "s", "x"):
        return f"{value:,.{3 if unit == 'x' else 2}f} {unit}"
    texts = {"B": bytes_text, "size": size_text, "share": share_text, "count": count_text, "": number_text}
    return texts[unit](value)


def counted(number: int, thing: str) -> str:
    """ "1 link", "2,000 links"."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def clock_text(seconds: float) -> str:
    """ "0:09", "1:02:03"."""
    whole = round(seconds)
    hours = f"{whole // 3600}:{whole // 60 % 60:02}" if whole >= 3600 else f"{whole // 60}"
    return f"{hours}:{whole % 60:02}"


def seconds_in(text: str) -> float:
    """Of "10 min", "90 s", "1.5 h" or "0". Raises ValueError for all else."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(s|min|h)\s*", text)
    if match is None and text.strip() != "0":
        raise ValueError(f"'{text}' is no time of a clock; give a number with s, min or h, as \"10 min\"")
    return 0.0 if match is None else float(match[1]) * WALL_S[match[2]]


def table_text(heads: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """Lines of a table: the first `left` columns on the left, all others on the right; columns of nothing are left out."""
    keep = [i for i in range(len(heads)) if any(row[i] for row in rows)]
    lines = [[heads[i] for i in keep], *([row[i] for i in keep] for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(keep))]
    return [
        "  ".join(
            cell.ljust(width) if keep[i] < left else cell.rjust(width) for i, (cell, width) in enumerate(zip(line, widths))
        ).rstrip()
        for line in lines
    ]


def printable(text: str, keep: str = "") -> str:
    """The text with everything escaped that a terminal would obey instead of showing: control characters but the line feed and those
    to `keep`."""

    def shown(found: re.Match[str]) -> str:
        return found[0] if found[0] in keep else found[0].encode("unicode_escape").decode()

    return re.sub(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff]", shown, text)


def unknown(value: float | None) -> bool:
    return value is None or math.isnan(value)


def scaled(value: float, scales: Scales, digits: int) -> str:
    """In the largest unit of which there is at least one."""
    if unknown(value):
        return "-"
    if value == 0:
        return f"0 {scales[-1][1].strip()}".strip()
    scale, unit = next((found for found in scales if abs(value) >= found[0]), scales[-1])
    number = f"{value / scale:.{digits}g}"
    if "e" in number:
        number = f"{value / scale:.0f}"
    return f"{number}{unit}" if unit.startswith(" ") or not unit else f"{number} {unit}"
