"""The steps of a variant with several seeds: means, and how far off they are."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from heddle.mean_interval import half_width_95
from heddle.step.job import Job
from heddle.step.parts import ALONE, TOGETHER
from heddle.step.quoting import Rates, quoted
from heddle.step.reading import steps_in

SEED = "simulation.seed"


def spanned(lows: Sequence[float], highs: Sequence[float]) -> tuple[float, float]:
    """What holds the mean over all seeds, from the interval that each of some seeds has: the means of both ends, and beyond each half the
    confidence interval of that mean. So the scatter between seeds counts less with every seed, and the margin of the method never does.
    """
    return fmean(lows) - _half_interval(lows), fmean(highs) + _half_interval(highs)


def _half_interval(values: Sequence[float]) -> float:
    """Of their mean. A single value says nothing of the scatter."""
    return half_width_95(values) if len(values) > 1 else 0.0


@dataclass(frozen=True)
class Repeated:
    """One variant of a step: what step.json says of each of its seeds, in their order."""

    folder: str
    axes: dict[str, str]  # but the seed
    steps: tuple[dict[str, Any], ...]

    @property
    def gpus(self) -> int:
        return self.steps[0]["gpus"]

    @property
    def seeds(self) -> tuple[int, ...]:
        return tuple(step["config"]["simulation"]["seed"] for step in self.steps)

    @functools.cached_property
    def values(self) -> dict[str, dict[str, float]]:
        """As values_ps of step.json; of several seeds means."""
        said = [step["values_ps"] for step in self.steps]
        return {value: _mean([each[value] for each in said]) for value in said[0] if all(value in each for each in said)}

    @functools.cached_property
    def quoted(self) -> dict[str, Any]:
        """What quoting.quoted() makes of the values."""
        step = self.steps[0]
        return quoted(step["config"], Job(**step["job"]), self.values, Rates(**step["rates"]))

    @functools.cached_property
    def failures(self) -> list[dict[str, Any]]:
        """What step.json says of the failures that all seeds have. The intervals of several seeds are spanned."""
        of_seeds = [{one["name"]: one for one in step.get("failures", [])} for step in self.steps]
        of_all = [[each[name] for each in of_seeds] for name in of_seeds[0] if all(name in each for each in of_seeds)]
        return [_without_unknown_losses(_hull(of_failure), of_failure) for of_failure in of_all]

    def which(self) -> dict[str, Any]:
        return {"folder": self.folder, "axes": self.axes}


def _without_unknown_losses(found: dict[str, Any], of_seeds: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Where the loss is not known for one of the seeds, it is not known for all."""
    month = {
        key: None if any(one["month"].get(key) is None for one in of_seeds) else value for key, value in found["month"].items()
    }
    return {**found, "month": month}


def _hull(values: Sequence[Any]) -> Any:
    """Joins what step.json says of one failure for several seeds: intervals become the interval that spans them, times of rings one list; of
    all else the first value that is not null counts."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    if all(isinstance(value, dict) for value in known):
        keys = dict.fromkeys(key for value in known for key in value)
        if set(keys) == {"low", "high"}:
            return {"low": min(value["low"] for value in known), "high": max(value["high"] for value in known)}
        return {key: _hull([value.get(key) for value in known]) for key in keys}
    if all(isinstance(value, list) and value and isinstance(value[0], (int, float)) for value in known):
        return sorted(ps for value in known for ps in value)
    return known[0]


def _mean(of_seeds: Sequence[dict[str, float]]) -> dict[str, float]:
    low, high = spanned([ends["low"] for ends in of_seeds], [ends["high"] for ends in of_seeds])
    return {"low": max(0.0, low), "high": high, **{how: fmean(ends[how] for ends in of_seeds) for how in (ALONE, TOGETHER)}}


def repeated_in(folder: str | os.PathLike[str]) -> list[Repeated]:
    """The variants that `heddle step` has left in a folder. Raises as steps_in()."""
    return repeated(os.fspath(folder), steps_in(folder))


def repeated(folder: str, steps: Sequence[dict[str, Any]]) -> list[Repeated]:
    """Steps whose axes differ in the seed alone are one variant."""
    found: dict[tuple[tuple[str, str], ...], list[dict[str, Any]]] = {}
    for step in steps:
        found.setdefault(tuple((key, text) for key, text in step["axes"].items() if key != SEED), []).append(step)
    by_seed = [sorted(of_variant, key=lambda step: step["config"]["simulation"]["seed"]) for of_variant in found.values()]
    return [Repeated(folder, dict(axes), tuple(of_variant)) for axes, of_variant in zip(found, by_seed)]
