"""What the runs of the parts say: what a layer's collectives took, and what became of the step."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import pathlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heddle.results import Run
from heddle.step.experts import units_of
from heddle.step.job import Job
from heddle.step.model import MODELS

if TYPE_CHECKING:
    import pandas

ESTIMATE, LAYER, PIPELINE = "step.json", "layer", "pipeline"  # in the folder of a step
FORMAT = "heddle step 7"
STEPS = "steps"  # in step.json of several variants
GROUPS = ("tensor", "context", "pipeline", "expert", "data")
VALUES = ("time", "computing", *GROUPS)  # of a step; of groups, their exposed communication: how long a GPU waits for it


def is_of_control(key: str) -> bool:
    """Whether a key of a configuration is one of the congestion control."""
    return key.startswith("dcqcn.") or key == "roce.congestion_control"


@dataclass(frozen=True)
class LayerTimes:
    """One kind of collective of a layer: times (ps) of a ring each, from the last rank's entry on, ascending; and of a part's vocabulary."""

    bytes: int
    times_ps: tuple[int, ...]
    small_bytes: int
    small_times_ps: tuple[int, ...]
    # Bytes and times of what else a layer with experts has, which is asked for with them.
    but_experts: tuple[int, tuple[int, ...]] | None = None

    def given(self, of: Callable[[tuple[int, ...]], float], vocabularies: float, shared: bool) -> tuple[int, int]:
        """What `of` makes of the rings' times (max, mean): of a layer, and of a vocabulary so many times a part's, ps. `shared`: experts take
        as much of the links as they can."""
        size, ps = self._but_experts(of, shared)
        latency_ps = self.latency_ps(of, shared)
        of_vocabulary = latency_ps + (ps - latency_ps) * self.small_bytes * vocabularies / size
        return round(of(self.times_ps)), max(1, round(of_vocabulary))

    def latency_ps(self, of: Callable[[tuple[int, ...]], float], shared: bool = False) -> float:
        """What of the time of a layer, or of what it has but experts, does not grow with the bytes."""
        size, ps = self._but_experts(of, shared)
        small_ps = of(self.small_times_ps)
        per_byte = (ps - small_ps) / (size - self.small_bytes) if self.small_bytes < size else ps / size
        return min(max(0.0, ps - per_byte * size), ps)

    def _but_experts(self, of: Callable[[tuple[int, ...]], float], shared: bool) -> tuple[int, float]:
        if self.but_experts is None:
            return self.bytes, of(self.times_ps)
        size, times_ps = self.but_experts
        return size + (min(size, self.bytes - size) if shared else 0), of(times_ps)


def steps_in(folder: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """What step.json says of each variant. Raises OSError, and ValueError for what heddle step has not written."""
    path = pathlib.Path(folder) / ESTIMATE
    try:
        found = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise ValueError(f"'{path}' is no JSON ({error}), so it is not what heddle step writes; run that again") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise ValueError(f"'{path}' is not of this version of heddle step ({FORMAT}); run that again")
    steps = found.get(STEPS, [found])
    if not isinstance(steps, list) or not steps or not all(isinstance(step, dict) for step in steps):
        wrong = f"{STEPS} are none"
    else:
        wrong = next(filter(None, map(_what_is_wrong, steps)), "")
    if wrong:
        raise ValueError(f"'{path}': {wrong}, so this is not as heddle step has written it; run that again")
    return steps


_KINDS: dict[str, type | tuple[type, ...]] = {
    "axes": dict,
    "parts": dict,
    "gpus": int,
    "job": dict,
    "method": str,
    "margins": dict,
    "values_ps": dict,
    "rates": dict,
    "layers_ps": dict,
    "marked_parts": list,
    "packet_hops_simulated": int,
    "packet_hops_whole": (int, float),
    "config": dict,
}


def _what_is_wrong(found: dict[str, Any]) -> str:
    """Of what reports and comparisons use. "": nothing."""
    for key, kind in _KINDS.items():
        if not isinstance(found.get(key), kind):
            return f"{key} is missing, or of another kind"
    expected = {field.name: {"int": int, "bool": bool}[str(field.type)] for field in dataclasses.fields(Job)}
    if {name: type(value) for name, value in found["job"].items()} != expected or "training" not in _job_of(found["config"]):
        return "job or config does not say what is trained"
    for part in (PIPELINE, LAYER):
        runs = found["parts"].get(part)
        if not isinstance(runs, dict) or not runs or not all(isinstance(name, str) for name in runs.values()):
            return f"parts does not name its {part}s"
    if "time" not in found["values_ps"] or not set(found["values_ps"]) <= set(VALUES):
        return "values_ps has no time, or values that are none of a step"
    simulation, model = found["config"].get("simulation"), _job_of(found["config"])["training"].get("model")
    if not isinstance(simulation, dict) or not isinstance(simulation.get("seed"), int) or model not in MODELS:
        return "config has no seed, or no model that is known"
    rates = found["rates"]
    if (
        rates.get("watts") is None
        or set(rates) != {"peak_tflops", "watts", "price"}
        or not all(rate is None or _is_time(rate) and rate for rate in rates.values())
    ):
        return "rates are none of a GPU"
    for name, ends in found["values_ps"].items():
        if not isinstance(ends, dict) or not all(_is_time(ends.get(key)) for key in ("low", "high", "alone", "together")):
            return f"values_ps.{name} is not four times"
        if not ends["low"] <= min(ends["alone"], ends["together"]) <= max(ends["alone"], ends["together"]) <= ends["high"]:
            return f"values_ps.{name} is no interval around its estimates"
    if not _are_times_of_rings(found["layers_ps"]):
        return "layers_ps does not hold times"
    failures = found.get("failures", [])
    return "" if isinstance(failures, list) and all(map(_is_failure, failures)) else "failures are none of a step"


def _are_times_of_rings(of_hows: Any) -> bool:
    kinds = list(of_hows.values()) if isinstance(of_hows, dict) else [None]
    lists = [times for of_kinds in kinds for times in (of_kinds.values() if isinstance(of_kinds, dict) else [None])]
    return all(isinstance(times, list) and times and all(map(_is_time, times)) for times in lists)


def _is_failure(one: Any) -> bool:
    """Whether it is what heddle.step.failures.cost writes."""
    if not isinstance(one, dict) or not isinstance(one.get("name"), str) or not isinstance(one.get("month"), dict):
        return False
    ends = [one.get("step_longer_ps"), one.get("later_steps_longer_ps"), *(one["month"].get(key) for key in ("hours_lost", "cost"))]
    return (
        all(end is None or isinstance(end, dict) and all(map(_is_number, (end.get("low"), end.get("high")))) for end in ends)
        and all(_are_times_of_rings(one.get(key)) for key in ("longer_ps", "after_ps"))
        and (one.get("ends_job_because") is None or _is_time(one.get("ends_job_after_ps")))
        and _is_time(one["month"].get("failures"))
        and isinstance(one.get("together_traffic_factor"), int)
    )


def _job_of(config: dict[str, Any]) -> dict[str, Any]:
    jobs = config.get("job")
    return jobs[0] if isinstance(jobs, list) and jobs and isinstance(jobs[0], dict) else {}


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _is_time(value: Any) -> bool:
    return _is_number(value) and value >= 0


def layers_in_mean(job: Job) -> int:
    """Over how many layers the time of a ring is a mean: where several are simulated over all of the stage, else over one."""
    return job.layers_of_stage if job.simulated_layers > 1 else 1


def layer_times_of(run: Run, job: Job) -> dict[str, LayerTimes]:
    """Of a layer of this job."""
    return layer_times(run, layers_in_mean(job), job.expert_parallel > 1)


def layer_times(run: Run, layers: int = 1, with_experts: bool = False) -> dict[str, LayerTimes]:
    """By kind: "all_gather" and "reduce_scatter", or "all_reduce". `layers` above 1: several were simulated, of so many that there are, and a
    ring's time is what a layer takes on average: the first one as it was, all others as those that came after it."""
    rows = run.collectives()
    rows = rows[rows.group == "data"]
    if with_experts:
        ranks = run.communicators()
        rows = units_of(rows, ranks[ranks.group == "data"])
    found = {}
    for kind, of_kind in rows.groupby("kind", observed=True):
        of_layers, small = of_kind[of_kind.bytes == of_kind.bytes.max()], of_kind[of_kind.bytes == of_kind.bytes.min()]
        found[str(kind)] = LayerTimes(
            int(of_layers.bytes.max()),
            _times_of(of_layers, _took_ps(of_layers), layers),
            int(small.bytes.max()),
            _times_of(small, _took_ps(small), layers if len(small) == len(of_kind) else 1),
            (int(of_layers.but_experts.max()), _times_of(of_layers, of_layers.but_experts_ps, layers)) if with_experts else None,
        )
    return found


def _took_ps(rows: pandas.DataFrame) -> pandas.Series:
    return rows.finish_ps - rows.last_enter_ps


def _times_of(rows: pandas.DataFrame, times_ps: pandas.Series, layers: int) -> tuple[int, ...]:
    of_rings = [[int(ps) for ps in of_ring] for _, of_ring in times_ps.groupby(rows.communicator)]
    if layers > 1:
        return tuple(sorted(mean_over(layers, times_ps) for times_ps in of_rings))
    return tuple(sorted(ps for times_ps in of_rings for ps in times_ps))


def mean_over(layers: int, times_ps: list[int]) -> int:
    """Of a ring, in order of its layers."""
    first, *others = times_ps
    return int(first if not others else (first + (layers - 1) * sum(others) / len(others)) / layers)


def step_of(run: Run) -> dict[str, float]:
    """VALUES in ps, means over GPUs, and over iterations but the first, which has nothing before it to wait for."""
    rows = run.iterations()
    rows = rows if len(rows) == 1 else rows.iloc[1:]
    return {
        "time": float(rows.time_ps.mean()),
        "computing": float(rows.compute_ps.mean()),
        **{group: float(rows[f"exposed_{group}_ps"].mean()) for group in GROUPS},
    }
