"""The tables of what failures do to a step: one step, or variants beside each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from heddle.step.failures.month import BY_LLAMA_3
from heddle.step.parts import ALONE, TOGETHER
from heddle.step.quoting import MAX_COLUMNS, ends_text, number_text
from heddle.step.wording import ms_text
from heddle.text import table_text

JUDGED, JUDGED_PERCENT = 183, 99  # tests/property/step_calibration.py --failures; README.md
Said = Mapping[str, Any]  # what step.json says of one failure


def failure_answer(failures: Sequence[Said]) -> str:
    """A sentence for each: what it does to the step that meets it, and to the others while it lasts."""
    return " ".join(map(_sentence, failures))


def _sentence(one: Said) -> str:
    if one["ends_job_because"]:
        return f"If {one['name']}, a connection fails after {_job_end(one)} s and ends the job."
    later = one["later_steps_longer_ps"]
    others = f", every other one while it lasts {_longer(later)}" if later else ""
    return f"If {one['name']}, the step that meets it takes {_longer(one['step_longer_ps'])}{others}."


def _longer(ends: Mapping[str, float]) -> str:
    if ends["low"] > 0:
        return f"{ends_text(ends, 1e-9)} ms longer"
    return f"at most {number_text(max(0.0, ends['high']), 1e-9)} ms longer"


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
    yield month_line(every)


def _of_rings(how: str, kind: str, key: str):
    def text(one: Said) -> str:
        times = one[key].get(how, {}).get(kind)
        return f"{ms_text(times[0])} to {ms_text(times[-1])}" if times else "-"

    return text


def _of_month(key: str, scale: float = 1):
    return lambda one: ends_text(one["month"].get(key), scale)


def _rows():
    for key, what, when in (("longer_ps", "delay of the", "that meets it"), ("after_ps", "time of the", "while it lasts")):
        for kind in ("all_gather", "reduce_scatter", "all_reduce"):
            for how in (ALONE, TOGETHER):
                yield f"  {what} {kind} {when}, ms, {how}", _of_rings(how, kind, key)
    yield "  delay of the step that meets it, ms", lambda one: ends_text(one["step_longer_ps"], 1e-9)
    yield "  delay of every other step while it lasts, ms", lambda one: ends_text(one["later_steps_longer_ps"], 1e-9)
    yield "  a connection fails and ends the job after, s", _job_end
    yield "  failures in a month", lambda one: f"{one['month']['failures']:.3g}"
    yield "  hours lost in a month", _of_month("hours_lost")
    yield "  % of a month lost", _of_month("share", 100)
    yield "  GPU-hours lost in a month", _of_month("gpu_hours")
    yield "  cost of a month", _of_month("cost")


def _job_end(one: Said) -> str:
    return f"{one['ends_job_after_ps'] / 1e12:.3g}" if one["ends_job_because"] else "-"


_ROWS = tuple(_rows())


def month_line(every: Sequence[Said]) -> str:
    number = BY_LLAMA_3 if every[0]["month"]["by_llama_3"] else "as many as given"
    said = [
        f"Of {JUDGED} random jobs of up to 128 GPUs {JUDGED_PERCENT} % of the delays of the step lay within; ATSWs and flaps were not drawn."
    ]
    said.append(
        f"A month: 30 days in which every failure is this one. Low: it falls where no collective runs; high: a collective meets it. Failures: {number}."
    )
    if any(one["month"]["hours_lost"] is None for one in every):
        said.append("What a job's end costs: give --restart-minutes and --checkpoint-minutes.")
    if any(one["later_steps_longer_ps"] and one["month"]["repair_hours"] is None for one in every):
        said.append("Only the step that meets the failure counts; --repair-hours adds the slower steps until it is repaired.")
    return " ".join(said)
