"""From folders of `heddle step` to the variants that a page is about, and to the runs of their parts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from heddle.report.subjects import Subject, named_subject
from heddle.step.job import Job
from heddle.step.reading import ESTIMATE, LAYER, PIPELINE, layers_in_mean
from heddle.step.seeds import Repeated, repeated_in
from heddle.text import letter


@dataclass
class Layer:
    """The run of a layer, and over how many layers the time of a ring is a mean."""

    subject: Subject
    layers: int


@dataclass
class StepInputs:
    """Variants in the order of `heddle compare`, and the runs that they rest on. Of several seeds the first one's are shown; the others'
    are only checked."""

    variants: list[Repeated]
    pipelines: list[Subject]
    layers: list[Layer]
    others: list[Subject]


def is_step(name: str) -> bool:
    return os.path.exists(os.path.join(name, ESTIMATE))


def of_steps(folders: Sequence[str]) -> StepInputs:
    """Raises as heddle.step.reading.steps_in(), and as named_subject()."""
    variants = [variant for folder in folders for variant in repeated_in(folder)]
    pipelines, layers = (_files(variants, part, slice(1)) for part in (PIPELINE, LAYER))
    others = {
        path: f"{part} {name}" for part in (PIPELINE, LAYER) for (path, _), name in _files(variants, part, slice(1, None)).items()
    }
    shown = {path for path, _ in (*pipelines, *layers)}
    return StepInputs(
        variants,
        [named_subject(path, name) for (path, _), name in pipelines.items()],
        [Layer(named_subject(path, name), number) for (path, number), name in layers.items()],
        [named_subject(path, name) for path, name in others.items() if path not in shown],
    )


def _files(variants: Sequence[Repeated], part: str, seeds: slice) -> dict[tuple[str, int], str]:
    """The files of a part of some seeds, with layers_in_mean(): what each is called. Variants may share one."""
    uses: dict[tuple[str, int], dict[str, list[str]]] = {}
    for place, variant in enumerate(variants):
        for step in variant.steps[seeds]:
            of_seed = f"seed {step['config']['simulation']['seed']}" if step is not variant.steps[0] else ""
            who = f"{letter(place) if len(variants) > 1 else ''} {of_seed}".strip()
            number = layers_in_mean(Job(**step["job"])) if part == LAYER else 0
            for how, file in step["parts"][part].items():
                uses.setdefault((os.path.join(variant.folder, file), number), {}).setdefault(who, []).append(how)
    return {run: _name(of_run) for run, of_run in uses.items()}


def _name(uses: dict[str, list[str]]) -> str:
    """ "A alone", "A, B alone and together": whose part it is, and which."""
    by_how: dict[str, list[str]] = {}
    for who, hows in uses.items():
        by_how.setdefault(" and ".join(hows), []).append(who)
    return "; ".join(f"{', '.join(filter(None, who))} {how}".strip() for how, who in by_how.items())
