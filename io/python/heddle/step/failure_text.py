"""The tables of what failures do to a step: one step, or variants beside each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from heddle.step.month import BY_LLAMA_3
from heddle.step.parts import ALONE, TOGETHER
from heddle.step.quoting import MAX_COLUMNS
from heddle.step.wording import ms_text
from heddle.text import table_text

Said = Mapping[str, Any]  # what step.json says of one failure


def failure_lines(of_variants: Sequence[Sequence[Said]], names: Sequence[str]) -> Iterator[str]:
    """For every failure a table of the variants that have it; then the assumptions of a month."""
    every = [one for failures in of_variants for one in failures]
    for name in dict.fromkeys(one["name"] for one in every):
        found = [(letter, one) for letter, failures in zip(names, of_variants) for one in failures if one["name"] == name]
        yield f"{name}; times count from the beginning of a layer's collective"
        for start in range(0, len(found), MAX_COLUMNS):
            letters, some = zip(*found[start : start + MAX_COLUMNS])
            rows = [[title, *map(text, some)] for title, text in _ROWS if any(text(each) != "-" for each in some)]
            yield from table_text(["", *letters], rows)
        most = max(one["together_traffic_factor"] for _, one in found)
        if most > 1:
            yield f"  together is an upper end: {most} times as much of a stage's traffic meets the failure as in the whole fabric"
        yield ""
    yield _month_line(every)


def _of_rings(how: str, kind: str, key: str):
    def text(one: Said) -> str:
        times = one[key].get(how, {}).get(kind)
        return f"{ms_text(times[0])} to {ms_text(times[-1])}" if times else "-"

    return text


def _ends(key: str, text=ms_text):
    return lambda one: f"{text(one[key]['low'])} to {text(one[key]['high'])}" if one[key] else "-"


def _of_month(key: str, text):
    def of(one: Said) -> str:
        ends = one["month"].get(key)
        return f"{text(ends['low'])} to {text(ends['high'])}" if ends else "-"

    return of


def _rows():
    for key, what in (("longer_ps", "takes longer that meets it"), ("after_ps", "takes while it lasts")):
        for kind in ("all_gather", "reduce_scatter", "all_reduce"):
            for how in (ALONE, TOGETHER):
                yield f"  {kind} {what}, ms, {how}", _of_rings(how, kind, key)
    yield "  the step takes longer that meets it, ms", _ends("step_longer_ps")
    yield "  each step takes longer while it lasts, ms", _ends("later_steps_longer_ps")
    yield "  a connection gives up, and the job ends after, s", _job_end
    yield "  a month: failures", lambda one: f"{one['month']['failures']:.3g}"
    yield "  a month: hours lost", _of_month("hours_lost", lambda hours: f"{hours:.3g}")
    yield "  a month: % lost", _of_month("share", lambda share: f"{100 * share:.2g}")
    yield "  a month: GPU-hours lost", _of_month("gpu_hours", lambda hours: f"{hours:,.3g}" if hours < 1000 else f"{hours:,.0f}")
    yield "  a month: cost", _of_month("cost", lambda cost: f"{cost:,.0f}")


def _job_end(one: Said) -> str:
    return f"{one['ends_job_after_ps'] / 1e12:.3g}" if one["ends_job_because"] else "-"


_ROWS = tuple(_rows())


def _month_line(every: Sequence[Said]) -> str:
    number = BY_LLAMA_3 if every[0]["month"]["by_llama_3"] else "as many as given"
    said = [f"A month: 30 days in which every failure is this one, and meets a collective or no traffic at all; {number}."]
    if any(one["month"]["hours_lost"] is None for one in every):
        said.append("What a job's end costs: give --restart-minutes and --checkpoint-minutes.")
    if any(one["later_steps_longer_ps"] and one["month"]["repair_hours"] is None for one in every):
        said.append("What it costs until it is repaired: give --repair-hours.")
    return " ".join(said)
