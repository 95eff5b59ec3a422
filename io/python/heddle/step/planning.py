"""heddle step --plan: what would be simulated, once for all variants, and what it costs beside the whole steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from heddle.config import ConfigSource
from heddle.step.expenses import NOTHING, Expenses, packet_hops_of
from heddle.step.fabric import Fabric, odd_links
from heddle.step.failures.failing import AFTER, Failing, Rings, check
from heddle.step.failures.failure import Failure
from heddle.step.parts import ALONE, TOGETHER, TRAINING
from heddle.step.runs import Point, alike_until_a_mark, planned
from heddle.step.variants import Changes, Program, Variant, variants_of
from heddle.step.wording import layers_text
from heddle.sweeping import Axes
from heddle.text import counted

PIPELINES = "the pipeline of one replica, with the times of a layer alone and together"
LATEST = "; also of the latest replica"


def plan(
    config: ConfigSource,
    axes: Axes | None = None,
    changes: Changes | None = None,
    program: Program = None,
    failures: Sequence[str | Mapping[str, Any]] = (),
) -> str:
    """What steps() would simulate, and what that costs. Raises as it does."""
    failing = [Failure.of(words) for words in failures]
    return "\n".join(_lines(variants_of(config, axes, changes, program), failing))


def _lines(variants: Sequence[Variant], failures: Sequence[Failure]):
    several = len(variants) > 1
    divisions: dict[str, list[str]] = {}
    for variant in variants:
        divisions.setdefault(_division(variant), []).append(variant.name)
    for division, names in divisions.items():
        yield division + (f" ({', '.join(names)})" if len(divisions) > 1 else "")
    expenses = Expenses()
    for variant in variants:
        packet_hops_of(variant, expenses)
    check(failures, variants)
    every, parts = NOTHING, [*_parts_of(variants), *_parts_of_failures(variants, failures)]
    if several:
        shares = any(len(runs) < len(points) for _, points, runs in parts)
        yield f"{len(variants)} variants{', whose equal parts are simulated once' if shares else ''}:"
    perhaps = False
    for title, points, runs in parts:
        expense = sum(map(expenses.of, runs), NOTHING)
        every += expense
        yield f"  {title}{_counts(len(runs), len(points)) if several else ''}: {expense}"
        if once := len(alike_until_a_mark(dict(enumerate(runs)))):
            perhaps = True
            are = (
                "is simulated only if switches mark packets in the run"
                if once == 1
                else "are simulated only if switches mark packets in those"
            )
            yield f"    {once} of them {are} without DCQCN: else both are the same"
    whole = sum((expenses.of(Point(variant, {})) for variant in variants), NOTHING)
    yield f"  all of it{', at most' if perhaps else ''}: {every} (of the largest run)"
    yield f"  an array of them on Slurm (--slurm): {every.slurm_text}"
    yield f"  the whole step{'s' if several else ''}: {whole}"


def _counts(runs: int, parts: int) -> str:
    return f", {counted(runs, 'run')}" + (f" for {parts} parts" if runs < parts else "")


def _parts_of(variants: Sequence[Variant]) -> list[tuple[str, list[Point], list[Point]]]:
    """What it is, all points of that kind, and of those the ones that are to be simulated."""
    layers = {(number, how): Point(v, changes) for number, v in enumerate(variants) for how, changes in v.parts.layer.items()}
    _, places = planned(layers)
    first = {run: place for place, run in reversed(places.items())}
    titles: dict[str, list[tuple[int, str]]] = {}
    for number, how in layers:
        titles.setdefault(_title(variants[number], how), []).append((number, how))
    found = [
        (title, [layers[place] for place in of_kind], [layers[place] for place in of_kind if first[places[place]] == place])
        for title, of_kind in titles.items()
    ]
    # What a layer takes is not known yet: only parts whose layers are the same could share a pipeline.
    pipelines = [point for v in variants for point in _pipelines(v)]
    title = PIPELINES + LATEST * any(v.parts.job.uneven for v in variants)
    return [*found, (title, pipelines, pipelines)]


def _parts_of_failures(variants: Sequence[Variant], failures: Sequence[Failure]) -> Iterator[tuple[str, list[Point], list[Point]]]:
    """As _parts_of(). When collectives begin is not known yet, nor how long they take."""
    for failure in failures:
        healthy = {
            (number, how): {kind: Rings(begins, begins + failure.at_ps + 1, {}) for begins, kind in enumerate(_any_time(v))}
            for number, v in enumerate(variants)
            for how in v.parts.layer
        }
        points = Failing(failure, healthy).points(variants)
        layers = list(points.values())
        yield f"layers in which {failure}{', at most' if failure.until_ps else ''}", layers, layers
        lasting = {number: variants[number] for number, _, which in points if which == AFTER}
        pipelines = [point for v in lasting.values() for point in _pipelines(v)]
        if pipelines:
            outlasts = ", if it outlasts a collective" if failure.until_ps else ""
            yield f"{PIPELINES}, while {failure}{outlasts}", pipelines, pipelines


def _pipelines(variant: Variant) -> list[Point]:
    return [
        Point(variant, {**changes, **_any_time(variant)})
        for how in (ALONE, TOGETHER)
        for changes in variant.parts.pipelines(how).values()
    ]


def _division(variant: Variant) -> str:
    job = variant.parts.job
    late = f", {counted(job.slow_gpus, 'slow GPU')}" * (job.slow_gpus > 0) + ", with jitter" * job.jitters
    return f"{job.gpus:,} GPUs: {job.replicas} replicas of {job.stages} stages of {job.stage_gpus} GPUs{late}"


def _title(variant: Variant, how: str) -> str:
    job = variant.parts.job
    if how == ALONE:
        return f"{layers_text(job)}, {job.gpus // job.stages:,} GPUs, alone"
    if not variant.parts.divided:
        return f"{layers_text(job, 'every stage')}, as links cannot be divided evenly among stages ({_odd(variant)})"
    return f"{layers_text(job)} on its part of the {'buffers' if job.far_stages else 'links'}, as when all stages communicate"


def _odd(variant: Variant) -> str:
    """What is odd, and what would not be: with even links one stage stands for all."""
    tree = variant.resolved.tree
    fabric = Fabric.of(tree["topology"])
    odd = odd_links(fabric, variant.parts.job)
    said = [
        f"topology.{name} = {value}: {' or '.join(str(n) for n in (value - value % parts, value - value % parts + parts) if n)} would be even"
        for name, parts in odd.items()
        for value in [getattr(fabric, name)]
    ]
    return "; ".join(said)


def _any_time(variant: Variant) -> dict[str, str]:
    return {f"{TRAINING}.reduce": "1 ms", **({f"{TRAINING}.gather": "1 ms"} if variant.parts.job.fsdp else {})}
