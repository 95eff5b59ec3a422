"""Numbers with their units on axes; in words they are those of heddle.text, which tables and alt texts have, too."""

from __future__ import annotations

import math

from matplotlib.axis import Axis
from matplotlib.ticker import FixedFormatter, FixedLocator, FuncFormatter, LogLocator, MaxNLocator

from heddle.text import BYTES, COUNT, RATE, TIME, scaled, size_text

SHORT = {"ps": TIME, "B": BYTES, "bit/s": RATE, "count": COUNT}


def ticks(axis: Axis, unit: str) -> None:
    """Labels ticks with their own unit ("2 ms"), at multiples of 1, 2 and 5 of a decimal one; share: per cent."""
    if unit == "share":
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.{_digits(axis)}g} %"))
    elif unit == "GB/s":
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.{_digits(axis)}g} GB/s"))
    elif unit in SHORT:
        axis.set_major_formatter(FuncFormatter(lambda value, _: "0" if value == 0 else scaled(value, SHORT[unit], _digits(axis))))
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
