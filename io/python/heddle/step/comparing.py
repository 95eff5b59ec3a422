"""heddle.step.compare(): steps by their parts beside each other, and how far apart they are, with an interval of its own."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from heddle.axes import DECIDES_NOTHING
from heddle.config import Config, set_text
from heddle.step.job import Job
from heddle.step.margins import Margin, network_waits_ps, of_differences
from heddle.step.parts import ALONE, TOGETHER, TRAINING
from heddle.step.reading import GROUPS, VALUES, is_of_control
from heddle.step.seeds import Repeated, repeated_in, spanned
from heddle.step.stragglers import SLOW

# Settings in which random pairs differ, and what follows from them: CHANGES of tests/property/step_changes.py.
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
    *(f"buffer.{tier}.{key}" for tier in ("rtsw", "ctsw", "atsw") for key in ("kind", "bytes")),
    *(f"{TRAINING}.{key}" for key in SLOW),
}
Values = Mapping[str, Mapping[str, float]]  # values_ps of step.json
PAIRS, PAIRS_HELD_PERCENT = 224, 99  # random pairs, and of how many the difference of the times lay within


@dataclass(frozen=True)
class Difference:
    """How much more a value of one step is than that of the first, ps: within `low_ps` and `high_ps`."""

    low_ps: float
    high_ps: float

    def holds(self, difference_ps: float) -> bool:
        return self.low_ps <= difference_ps <= self.high_ps


@dataclass(frozen=True)
class Compared:
    """A variant beside the first. `unpaired`: why the difference is no better known than both steps are; "": it is."""

    variant: Repeated
    unpaired: str
    differences: dict[str, Difference]  # of values that both have
    nothing_marked: bool = False  # both have the same runs: no mark calls on the congestion control, in which alone they differ


@dataclass(frozen=True)
class Comparison:
    """Several variants; of one there are no others. str() is the table of `heddle compare`."""

    first: Repeated
    others: tuple[Compared, ...]
    settings: dict[str, tuple[str, ...]]  # what differs: key -> what each variant has, as --set takes it; "-": nothing

    @property
    def variants(self) -> tuple[Repeated, ...]:
        return (self.first, *(other.variant for other in self.others))

    def as_json(self) -> dict[str, Any]:
        """What `heddle compare --json` prints."""
        return {
            "steps": [
                {
                    **variant.which(),
                    "gpus": variant.gpus,
                    "seeds": list(variant.seeds),
                    "values_ps": variant.values,
                    "quoted": variant.quoted,
                    "failures": variant.failures,
                }
                for variant in self.variants
            ],
            "settings": {key: list(values) for key, values in self.settings.items()},
            "more_than_first_ps": [
                {
                    **other.variant.which(),
                    "unpaired_because": other.unpaired or None,
                    "nothing_marked": other.nothing_marked,
                    **{name: {"low": d.low_ps, "high": d.high_ps} for name, d in other.differences.items()},
                }
                for other in self.others
            ],
        }

    def __str__(self) -> str:
        from heddle.step.comparing_text import lines_of  # which reads this

        return "\n".join(lines_of(self))


def compare(folders: Sequence[str | os.PathLike[str]]) -> Comparison:
    """The variants that `heddle step` has left in these folders, each beside the first. Those that differ in the seed alone are one.

    Raises ValueError for a single step, a folder that is given twice, or what `heddle step` has not written; OSError.
    """
    names = [os.fspath(folder) for folder in folders]
    places = [pathlib.Path(name).resolve() for name in names]
    for place, name in zip(places, names):
        if places.count(place) > 1:
            raise ValueError(f"'{name}' is given twice; name each folder once")
    variants = [variant for name in names for variant in repeated_in(name)]
    if len(variants) < 2 and not any(len(variant.steps) > 1 for variant in variants):
        raise ValueError(f"'{names[0] if names else ''}' is one step; name the folders of two or more to compare them")
    return compared(variants)


def compared(variants: Sequence[Repeated]) -> Comparison:
    first, *others = variants
    return Comparison(first, tuple(_beside(first, other) for other in others), _settings([each.steps[0] for each in variants]))


def difference_of(margin: Margin, max_ps: float, network_ps: float, first: dict[str, float], other: dict[str, float]) -> Difference:
    """Of a value of steps that were judged as pairs. `first`, `other`: what values_ps holds of it; `max_ps`: all that a GPU of one of them
    waits for; `network_ps`: what of it the network decides."""
    low, high = sorted(other[how] - first[how] for how in (ALONE, TOGETHER))
    off_low, off_high = (margin.ps(max_ps, abs(end), network_ps=network_ps) for end in (low, high))
    return Difference(low - off_low, high + off_high)


def waits_ps(values: Values) -> float:
    """All exposed communication of a GPU, by the estimate that has more of it."""
    return _most(values, lambda step: sum(step[group] for group in GROUPS))


def _network_waits_ps(job: Job, values: Values) -> float:
    """What of it the network decides, by the estimate that has more of that."""
    return _most(values, lambda step: network_waits_ps(job, step))


def _most(values: Values, of_step: Callable[[dict[str, float]], float]) -> float:
    """Of both estimates. What a step does not have takes no time."""
    return max(of_step({value: values[value][how] if value in values else 0.0 for value in VALUES}) for how in (ALONE, TOGETHER))


def _beside(first: Repeated, other: Repeated) -> Compared:
    both = [value for value in VALUES if value in first.values and value in other.values]
    if first.seeds != other.seeds:
        of_variants = {value: _subtracted(first.values[value], other.values[value]) for value in both}
        return Compared(other, "they have other seeds", of_variants)
    pairs = [_pair(*steps) for steps in zip(first.steps, other.steps)]
    why = next((why for why, _ in pairs if why), "")
    ends = {value: [found[value] for _, found in pairs] for value in both}
    means = {value: spanned([d.low_ps for d in of_seeds], [d.high_ps for d in of_seeds]) for value, of_seeds in ends.items()}
    unmarked = first.folder == other.folder and all(map(_nothing_marked, first.steps, other.steps))
    return Compared(other, why, {value: Difference(*ends_ps) for value, ends_ps in means.items()}, unmarked)


def _subtracted(first: dict[str, float], other: dict[str, float]) -> Difference:
    return Difference(other["low"] - first["high"], other["high"] - first["low"])


def _pair(first: dict[str, Any], other: dict[str, Any]) -> tuple[str, dict[str, Difference]]:
    """Of two steps why they are no pair, and how far apart they are."""
    values = [each["values_ps"] for each in (first, other)]
    both = [value for value in VALUES if all(value in each for each in values)]
    why = _why_unpaired(first, other)
    subtracted = {value: _subtracted(values[0][value], values[1][value]) for value in both}
    if why:
        return why, subtracted
    margins, max_ps = of_differences(_job(first), _job(other), _only_slow(first, other)), max(map(waits_ps, values))
    network_ps = max(_network_waits_ps(_job(each), each["values_ps"]) for each in (first, other))
    judged = {v: difference_of(margins[v], max_ps, network_ps, values[0][v], values[1][v]) for v in both}
    return "", {v: narrower(judged[v], subtracted[v]) for v in both}


def narrower(judged: Difference, subtracted: Difference) -> Difference:
    """What both leave open; `judged` where they leave nothing."""
    both = Difference(max(judged.low_ps, subtracted.low_ps), min(judged.high_ps, subtracted.high_ps))
    return both if both.low_ps <= both.high_ps else judged


def _why_unpaired(first: dict[str, Any], other: dict[str, Any]) -> str:
    """Random pairs (tests/property/step_calibration.py) train the same, and differ in one or two of few settings. "": so do these."""
    jobs = _job(first), _job(other)
    divisions = {(job.gpus, job.gpus_per_server, job.stages, job.stage_gpus, job.far_stages) for job in jobs}
    trained = [{key: of for key, of in Config(each["config"])[TRAINING].items() if key not in SLOW} for each in (first, other)]
    if len(divisions) > 1 or trained[0] != trained[1]:
        return "they do not train the same, divided alike"
    if any(job.expert_parallel > 1 or job.wide_stages for job in jobs):
        return "pairs with experts, or with context parallelism over several servers, were not judged"
    if any(job.jitters for job in jobs) or (any(job.slow_gpus for job in jobs) and not _only_slow(first, other)):
        return "pairs with jitter were not judged, nor those with slow GPUs that differ in anything else"
    if set(first["values_ps"]) != set(other["values_ps"]):
        return "they do not wait for the same groups"
    # What one of them does not have is of no effect there, because of another setting that differs.
    unknown = [key for key, found in _settings([first, other]).items() if key not in JUDGED and "-" not in found]
    return f"pairs that differ in {', '.join(unknown)} were not judged" if unknown else ""


def _nothing_marked(first: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two steps of a folder differ in their congestion control alone, and no switch marks a packet in any of their parts."""
    same_runs = first["parts"] == other["parts"] and not (first["marked_parts"] or other["marked_parts"])
    return same_runs and all(map(is_of_control, _settings([first, other])))


def _only_slow(first: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether they differ in slow GPUs alone."""
    return all(key.removeprefix(f"{TRAINING}.") in SLOW for key in _settings([first, other]))


def _job(said: dict[str, Any]) -> Job:
    return Job(**said["job"])


def _settings(said: list[dict[str, Any]]) -> dict[str, tuple[str, ...]]:
    configs = [Config(each["config"]) for each in said]
    keys = dict.fromkeys(key for config in configs for key in config if not key.startswith(DECIDES_NOTHING))
    found = {key: tuple(set_text(config[key]) if key in config else "-" for config in configs) for key in keys}
    return {key: values for key, values in found.items() if len(set(values)) > 1}
