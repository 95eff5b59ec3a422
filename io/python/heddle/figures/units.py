"""Numbers with their units, as people read them: the same words in tables, on axes and in alt texts.

Measured bytes are decimal (MB), sizes that a configuration gave binary (MiB) where they are whole, as in all of Heddle's texts.
"""

from __future__ import annotations

import math

from matplotlib.axis import Axis
from matplotlib.ticker import FixedFormatter, FixedLocator, FuncFormatter, LogLocator, MaxNLocator

TIME = ((1e12, "s"), (1e9, "ms"), (1e6, "us"), (1e3, "ns"), (1, "ps"))
BYTES = ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "KB"), (1, "B"))
RATE = ((1e12, "Tb/s"), (1e9, "Gb/s"), (1e6, "Mb/s"), (1e3, "kb/s"), (1, "b/s"))
COUNT = ((1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k"), (1, ""))
BINARY = ((1 << 50, "PiB"), (1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


def time_text(time_ps: float, digits: int = 6) -> str:
    """5524334233 -> "5.52433 ms"; negative is never: "-"."""
    if time_ps is None or math.isnan(time_ps) or time_ps < 0:
        return "-"
    return _scaled(time_ps, TIME, digits)


def bytes_text(value: float, digits: int = 4) -> str:
    """44140000 -> "44.14 MB"."""
    return _scaled(value, BYTES, digits)


def size_text(value: float) -> str:
    """67108864 -> "64 MiB"; what is no whole number of KiB, MiB... as bytes_text."""
    for scale, unit in BINARY:
        if value >= scale and value % scale == 0 and value // scale < 10_000:
            return f"{int(value // scale)} {unit}"
    return bytes_text(value, 6)


def rate_text(bits_per_s: float, digits: int = 6) -> str:
    """4e11 -> "400 Gb/s"."""
    return _scaled(bits_per_s, RATE, digits)


def count_text(value: float) -> str:
    """12345678 -> "12,345,678"; with one digit behind the point where it is a mean."""
    if value is None or math.isnan(value):
        return "-"
    return f"{int(value):,}" if float(value).is_integer() else f"{value:,.1f}"


def rough_text(value: float) -> str:
    """125829120 -> "126 M"."""
    return _scaled(value, COUNT, 3)


def share_text(share: float) -> str:
    """0.9963 -> "99.63 %"."""
    return "-" if share is None or math.isnan(share) else f"{100 * share:.2f} %"


def number_text(value: float) -> str:
    """Up to six significant digits, without an exponent where it can be read without."""
    if value is None or math.isnan(value):
        return "-"
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:.6g}" if abs(value) < 1e6 else f"{value:,.0f}"


def text_of(value: float, unit: str, digits: int = 6) -> str:
    """A value in the unit of a table's column or a measure: ps, B, size, bit/s, GB/s, s, share, count, x (times) or ""."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if unit in ("ps", "bit/s"):
        return (time_text if unit == "ps" else rate_text)(value, digits)
    if unit in ("GB/s", "s", "x"):
        return f"{value:,.{3 if unit == 'x' else 2}f} {unit}"
    return {"B": bytes_text, "size": size_text, "share": share_text, "count": count_text, "": number_text}[unit](value)


def _scaled(value: float, scales, digits: int) -> str:
    if value is None or math.isnan(value):
        return "-"
    unit_of_zero = scales[-1][1]
    if value == 0:
        return f"0 {unit_of_zero.strip()}".strip()
    for scale, unit in scales:
        if abs(value) >= scale or scale == scales[-1][0]:
            number = f"{value / scale:.{digits}g}"
            if "e" in number:
                number = f"{value / scale:.0f}"
            return f"{number}{unit}" if unit.startswith(" ") or not unit else f"{number} {unit}"
    raise AssertionError(scales)


SHORT = {"ps": TIME, "B": BYTES, "bit/s": RATE, "count": COUNT}


def counted(number: int, thing: str) -> str:
    """"1 link", "2,000 links"."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def ticks(axis: Axis, unit: str) -> None:
    """Labels ticks with their own unit ("2 ms"), at multiples of 1, 2 and 5 of a decimal one; share: per cent."""
    if unit == "share":
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.{_digits(axis)}g} %"))
    elif unit == "GB/s":
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.{_digits(axis)}g} GB/s"))
    elif unit in SHORT:
        axis.set_major_formatter(FuncFormatter(lambda value, _: "0" if value == 0 else _scaled(value, SHORT[unit], _digits(axis))))
    if axis.get_scale() == "linear":
        axis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10]))
        return
    label = axis.get_major_formatter()
    axis.set_major_locator(LogLocator(10, numticks=10))
    axis.set_minor_locator(LogLocator(10, subs=(2, 5), numticks=10))
    axis.set_minor_formatter(FuncFormatter(lambda value, place: label(value, place) if _decades(axis) < 2 else ""))


def _digits(axis: Axis) -> int:
    """So many that neighbouring ticks have different labels: more where an axis shows little of a large number."""
    low, high = axis.get_view_interval()
    most, shown = max(abs(low), abs(high)), abs(high - low)
    return 4 if shown == 0 or axis.get_scale() == "log" else min(9, max(4, 2 + math.ceil(math.log10(most / shown))))


def _decades(axis: Axis) -> float:
    low, high = sorted(axis.get_view_interval())
    return math.log10(high / low) if low > 0 else math.inf


def size_ticks(axis: Axis, sizes) -> None:
    """Ticks of a logarithmic axis at the sizes that are there, labelled in binary units; fewer, where labels would touch."""
    known = sorted(set(float(size) for size in sizes))
    apart = (math.log(known[-1]) - math.log(known[0])) / 9
    shown = known[-1:]
    for size in reversed(known[:-1]):
        if math.log(shown[-1]) - math.log(size) >= apart:
            shown.append(size)
    axis.set_major_locator(FixedLocator(shown))
    axis.set_major_formatter(FixedFormatter([size_text(size) for size in shown]))
    axis.set_minor_locator(FixedLocator(known))
    axis.set_minor_formatter(FixedFormatter([""] * len(known)))
