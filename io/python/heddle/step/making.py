"""heddle.step.steps(): writes the parts of a step's variants as sweeps, runs them, and puts each step together."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, Literal

from heddle.config import ConfigSource
from heddle.output import check_output, open_output
from heddle.output_kinds import STEP
from heddle.step.estimate import Cost, Estimate, Steps, values_of
from heddle.step.expenses import Expenses, packet_hops_of
from heddle.step.failures.cost import cost_of
from heddle.step.failures.failing import Failing, NotMet, check, rings_of
from heddle.step.failures.failure import Failure
from heddle.step.failures.month import Interruptions
from heddle.step.parts import ALONE, TOGETHER, TRAINING, both_ways
from heddle.step.quoting import Rates
from heddle.step.reading import ESTIMATE, LAYER, PIPELINE, LayerTimes, layer_times_of, step_of
from heddle.step.runs import Part, Point, Runs
from heddle.step.variants import Changes, Program, Variant, variants_of
from heddle.sweeping import Axes, carry_out, check_where


def step(
    config: ConfigSource, folder: str | os.PathLike[str], changes: Changes | None = None, *, program: Program = None, **how: Any
) -> Estimate:
    """The training step of a configuration by its parts: steps() of no axes."""
    return steps(config, None, folder, changes, program=program, **how).estimates[0]


def steps(
    config: ConfigSource,
    axes: Axes | None,
    folder: str | os.PathLike[str],
    changes: Changes | None = None,
    *,
    where: Literal["local", "slurm"] = "local",
    jobs: int | None = None,
    threads: int | None = None,
    memory: str | None = None,
    device: str | None = None,
    slurm: Mapping[str, Any] | None = None,
    rates: Rates = Rates(),
    failures: Sequence[str | Mapping[str, Any]] = (),
    interruptions: Interruptions = Interruptions(),
    quiet: bool = True,
    program: Program = None,
) -> Steps:
    """The training step of every variant by its parts, which are runs in `folder`; step.json there holds what comes out.

    config   path of a configuration, a nested dict, or a heddle.config.Config
    axes     as heddle.sweep() takes them; None: one variant
    changes  dotted key -> value, laid over it
    where, jobs, threads, memory, device, slurm   as heddle.sweep() takes them
    rates    what a GPU is able to do and costs; with others nothing is simulated again
    failures   tables of [[failure]] whose times count from the beginning of a layer's collective; each is put into every variant
    interruptions   how often something fails, and how long it lasts; other values simulate nothing again
    quiet    False: say how far the runs are, on standard error

    Parts that are there already, of the same configuration, are not run again. Raises ConfigError for what is no configuration,
    NotInParts (a ConfigError) for a step that has no parts, FileExistsError for a folder of another step, and ProgramError for a part
    that does not complete.
    """
    check_where(where)
    how = {"jobs": jobs, "threads": threads, "memory": memory, "device": device}
    if where == "slurm" and any(how.values()):
        raise ValueError(
            "on Slurm an array has as many jobs, threads and memory as sbatch is told (SBATCH_...); leave out jobs, threads, memory and device"
        )
    failing_of = [Failure.of(words) for words in failures]
    variants = variants_of(config, axes, changes, program)
    expenses = Expenses()
    packet_hops_of_whole = [packet_hops_of(variant, expenses) for variant in variants]
    check(failing_of, variants)
    said = pathlib.Path(folder) / ESTIMATE
    if said.exists():  # the same command resumes in its folder
        check_output(said, (), STEP, force=True)
    runs = Runs(pathlib.Path(folder), lambda sweep: carry_out(sweep, where, slurm=slurm, program=program, quiet=quiet, **how))
    layers = runs.sweep(
        LAYER,
        {(number, how): Point(v, of_layer) for number, v in enumerate(variants) for how, of_layer in v.parts.layer.items()},
        lambda run, variant: layer_times_of(run, variant.parts.job),
    )
    times = [_times_of(_of(number, layers)) for number in range(len(variants))]
    pipelines = runs.sweep(
        PIPELINE,
        {
            (number, name): Point(v, {**changes, **given})
            for number, v in enumerate(variants)
            for how, given in _given(times[number], v.parts.vocabularies).items()
            for name, changes in v.parts.pipelines(how).items()
        },
        lambda run, _: step_of(run),
    )
    healthy = {place: runs.read(part, rings_of) for place, part in layers.items()} if failing_of else {}
    failing, not_met = [], []
    for failure in failing_of:
        one = Failing(failure, healthy)
        try:
            one.simulate(runs, variants, _given)
            failing.append(one)
        except NotMet as error:
            not_met.append(error)
    estimates = []
    for number, variant in enumerate(variants):
        parts = {LAYER: _of(number, layers), PIPELINE: _of(number, pipelines)}
        others = [part for one in failing for part in one.parts(number)]
        found = _estimate(variant, times[number], parts, others, packet_hops_of_whole[number], rates)
        costs = tuple(cost_of(one, number, variant, found.values_ps(), interruptions, rates.price) for one in failing)
        estimates.append(dataclasses.replace(found, failures=costs))
    every = [*layers.values(), *pipelines.values(), *(part for one in failing for part in one.parts())]
    found = Steps(tuple(estimates), _cost(every, sum(packet_hops_of_whole)))
    with open_output(said, STEP, force=True) as file:
        file.write(json.dumps(found.as_json(), indent=2).encode() + b"\n")
    if not_met:
        raise NotMet("\n".join(map(str, not_met)), found)
    return found


def packet_hops(config: ConfigSource, changes: Changes | None = None, program: Program = None) -> float:
    """What the whole step would take, as `heddle check` says. Raises ConfigError."""
    return Expenses().of(Point(Variant(config, changes or {}, {}, program), {})).packet_hops


def _of(number: int, parts: Mapping[tuple[int, str], Part]) -> dict[str, Part]:
    return {how: part for (variant, how), part in parts.items() if variant == number}


def _times_of(layers: Mapping[str, Part]) -> dict[str, dict[str, LayerTimes]]:
    """ALONE, TOGETHER: by kind of collective."""
    return both_ways({how: part.found for how, part in layers.items()})


def _given(times: Mapping[str, dict[str, LayerTimes]], vocabularies: float) -> dict[str, dict[str, str]]:
    """What the pipelines take from layers. GPUs of a server have a ring each and meet after every layer. They wait for the slowest; not at
    all where rings take turns at that."""
    given = {}
    for how, of in ((ALONE, fmean), (TOGETHER, max)):
        kinds = {kind: found.given(of, vocabularies, shared=how == ALONE) for kind, found in times[how].items()}
        given[how] = {
            f"{TRAINING}.{'gather' if kind == 'all_gather' else 'reduce'}{key}": f"{ps} ps"
            for kind, both in kinds.items()
            for key, ps in zip(("", "_vocabulary"), both)
        }
    return given


def _estimate(
    variant: Variant,
    times: dict[str, dict[str, LayerTimes]],
    parts: dict[str, dict[str, Part]],
    others: Sequence[Part],
    packet_hops_of_whole: float,
    rates: Rates,
) -> Estimate:
    job, late = variant.parts.job, variant.parts.late
    steps = {name: part.found for name, part in parts[PIPELINE].items()}
    every = [*others, *(part for of_kind in parts.values() for part in of_kind.values())]
    cost, marked = _cost(every, packet_hops_of_whole), tuple(sorted({part.name for part in every if part.marked}))
    names = {kind: {how: part.name for how, part in of_kind.items()} for kind, of_kind in parts.items()}
    values = values_of(job, steps, late.weight)
    return Estimate(variant.resolved.tree, variant.axes, job, values, times, names, cost, rates, marked_parts=marked)


def _cost(parts: Sequence[Part], packet_hops_of_whole: float) -> Cost:
    """A run that several parts share counts once."""
    runs = {part.name: part for part in parts}.values()
    return Cost(sum(run.packet_hops for run in runs), packet_hops_of_whole, sum(run.wall_s for run in runs))
