"""heddle.step.compare(): steps by their parts beside each other, and how far apart they are, with an interval of its own."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from heddle.axes import DECIDES_NOTHING
from heddle.config import Config, set_text
from heddle.step.job import Job
from heddle.step.margins import Margin, of_differences
from heddle.step.parts import ALONE, TOGETHER, TRAINING
from heddle.step.reading import GROUPS, VALUES, estimate_in
from heddle.step.wording import label_of, ms_text
from heddle.text import letter

# Settings in which random pairs differ, and what follows from them: CHANGES of tests/property/step_calibration.py.
JUDGED = {
    "dcqcn.enabled",
    "roce.congestion_control",
    "routing.policy",
    "roce.recovery",
    "job.0.qps_per_connection",
    "job.0.qp_scaling",
    "topology.ctsws",
    "topology.uplinks_per_rtsw",
    "link.host_rate",
    "link.rtsw_ctsw_rate",
    "link.ctsw_atsw_rate",
}


@dataclass(frozen=True)
class Difference:
    """How much more a value of one step is than that of the first, ps: within `low_ps` and `high_ps`."""

    low_ps: float
    high_ps: float

    def holds(self, difference_ps: float) -> bool:
        return self.low_ps <= difference_ps <= self.high_ps


@dataclass(frozen=True)
class Compared:
    """A step beside the first. `unpaired`: why the difference is no better known than both steps are; "": it is."""

    name: str
    said: dict[str, Any]  # what its step.json holds
    unpaired: str
    differences: dict[str, Difference]  # of values that both have


@dataclass(frozen=True)
class Comparison:
    """Several steps. str() is the table of `heddle compare`."""

    first: str
    said: dict[str, Any]
    others: tuple[Compared, ...]
    settings: dict[str, tuple[str, ...]]  # what differs: key -> what each step has, as --set takes it; "-": nothing

    def as_json(self) -> dict[str, Any]:
        """What `heddle compare --json` prints."""
        return {
            "steps": [
                {"folder": name, "gpus": said["gpus"], "values_ps": said["values_ps"]}
                for name, said in ((self.first, self.said), *((other.name, other.said) for other in self.others))
            ],
            "settings": {key: list(values) for key, values in self.settings.items()},
            "more_than_first_ps": [
                {
                    "folder": other.name,
                    "unpaired_because": other.unpaired or None,
                    **{name: {"low": d.low_ps, "high": d.high_ps} for name, d in other.differences.items()},
                }
                for other in self.others
            ],
        }

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def compare(folders: Sequence[str | os.PathLike[str]]) -> Comparison:
    """Steps that `heddle step` has left in these folders, each beside the first.

    Raises ValueError for less than two folders, one that is given twice, or what `heddle step` has not written; OSError.
    """
    names = [os.fspath(folder) for folder in folders]
    if len(names) < 2:
        raise ValueError(f"'{names[0] if names else ''}' is one step; name the folders of two or more to compare them")
    places = [pathlib.Path(name).resolve() for name in names]
    for place, name in zip(places, names):
        if places.count(place) > 1:
            raise ValueError(f"'{name}' is given twice; name each folder once")
    said = [estimate_in(name) for name in names]
    others = tuple(_beside(said[0], name, each) for name, each in zip(names[1:], said[1:]))
    return Comparison(names[0], said[0], others, _settings(said))


def difference_of(margin: Margin, max_ps: float, first: dict[str, float], other: dict[str, float]) -> Difference:
    """Of a value of steps that were judged as pairs. `first`, `other`: what values_ps holds of it; `max_ps`: all that a GPU of one of them
    waits for."""
    low, high = sorted(other[how] - first[how] for how in (ALONE, TOGETHER))
    return Difference(low - margin.ps(max_ps, abs(low)), high + margin.ps(max_ps, abs(high)))


def waits_ps(values: dict[str, dict[str, float]]) -> float:
    """All exposed communication of a GPU, by the estimate that has more of it."""
    return max(sum(values[group][how] for group in GROUPS if group in values) for how in (ALONE, TOGETHER))


def _beside(first: dict[str, Any], name: str, other: dict[str, Any]) -> Compared:
    values = [each["values_ps"] for each in (first, other)]
    both = [value for value in VALUES if all(value in each for each in values)]
    why = _why_unpaired(first, other)
    subtracted = {
        v: Difference(values[1][v]["low"] - values[0][v]["high"], values[1][v]["high"] - values[0][v]["low"]) for v in both
    }
    if why:
        return Compared(name, other, why, subtracted)
    margins, max_ps = of_differences(_job(first), _job(other)), max(map(waits_ps, values))
    judged = {v: difference_of(margins[v], max_ps, values[0][v], values[1][v]) for v in both}
    return Compared(name, other, "", {v: narrower(judged[v], subtracted[v]) for v in both})


def narrower(judged: Difference, subtracted: Difference) -> Difference:
    """What both leave open; `judged` where they leave nothing."""
    both = Difference(max(judged.low_ps, subtracted.low_ps), min(judged.high_ps, subtracted.high_ps))
    return both if both.low_ps <= both.high_ps else judged


def _why_unpaired(first: dict[str, Any], other: dict[str, Any]) -> str:
    """Random pairs (tests/property/step_calibration.py) train the same, and differ in one or two of few settings. "": so do these."""
    jobs = _job(first), _job(other)
    divisions = {(job.gpus, job.gpus_per_server, job.stages, job.stage_gpus, job.far_stages) for job in jobs}
    if len(divisions) > 1 or Config(first["config"])[TRAINING] != Config(other["config"])[TRAINING]:
        return "they do not train the same, divided alike"
    if set(first["values_ps"]) != set(other["values_ps"]):
        return "they do not wait for the same groups"
    # What one of them does not have is of no effect there, because of another setting that differs.
    unknown = [key for key, found in _settings([first, other]).items() if key not in JUDGED and "-" not in found]
    return f"pairs that differ in {', '.join(unknown)} were not judged" if unknown else ""


def _job(said: dict[str, Any]) -> Job:
    return Job(**said["job"])


def _settings(said: list[dict[str, Any]]) -> dict[str, tuple[str, ...]]:
    configs = [Config(each["config"]) for each in said]
    keys = dict.fromkeys(key for config in configs for key in config if not key.startswith(DECIDES_NOTHING))
    found = {key: tuple(set_text(config[key]) if key in config else "-" for config in configs) for key in keys}
    return {key: values for key, values in found.items() if len(set(values)) > 1}


def _lines(found: Comparison):
    names = [found.first, *(other.name for other in found.others)]
    saids = [found.said, *(other.said for other in found.others)]
    for place, (name, said) in enumerate(zip(names, saids)):
        yield f"{letter(place)} {name}: a step on {said['gpus']:,} GPUs"
    yield ""
    yield from _setting_lines(found.settings)
    for place, other in enumerate(found.others, 1):
        yield ""
        yield from _beside_lines(found.said, other, letter(place))


def _setting_lines(settings: dict[str, tuple[str, ...]]):
    if not settings:
        yield "no setting that decides anything differs"
        return
    wide = max(len(key) for key in settings)
    for key, values in settings.items():
        yield f"{key:<{wide}}  {'  '.join(f'{letter(place)} {value}' for place, value in enumerate(values))}"


def _beside_lines(first: dict[str, Any], other: Compared, name: str):
    yield f"  {'ms':<26} {'A, from':>11} {'to':>11} {f'{name}, from':>11} {'to':>11} {f'{name} - A, from':>13} {'to':>11}"
    for value in VALUES:
        ends = [each["values_ps"].get(value) for each in (first, other.said)]
        if ends == [None, None]:
            continue
        cells = "".join(
            f" {ms_text(of_step['low']):>11} {ms_text(of_step['high']):>11}" if of_step else f" {'-':>11} {'-':>11}"
            for of_step in ends
        )
        difference = other.differences.get(value)
        apart = (difference.low_ps, difference.high_ps) if difference else (None, None)
        yield f"  {label_of(value):<26}{cells} {ms_text(apart[0]):>13} {ms_text(apart[1]):>11}"
    yield _verdict(first, other, name)
    if other.unpaired:
        yield f"{name} - A only subtracts the two intervals: {other.unpaired}."


def _verdict(first: dict[str, Any], other: Compared, name: str) -> str:
    time, of_first = other.differences["time"], first["values_ps"]["time"]
    middle_ps = (of_first[ALONE] + of_first[TOGETHER]) / 2
    if middle_ps == 0:
        return f"A takes no time, so there is no share of it that {name} could take more or less."
    low, high = max(-100.0, 100 * time.low_ps / middle_ps), 100 * time.high_ps / middle_ps
    if low > 0:
        return f"{name} takes longer than A, by {low:.1f} to {high:.1f} % of A's time (the mean of its estimates)."
    if high < 0:
        return f"{name} takes less than A, by {-high:.1f} to {-low:.1f} % of A's time (the mean of its estimates)."
    return f"Parts do not say which takes longer: {name} may take {abs(low):.1f} % less than A, or {high:.1f} % more (of the mean of A's estimates)."
