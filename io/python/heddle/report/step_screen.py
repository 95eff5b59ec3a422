"""The first screen of a page about training steps by their parts: the answer, with its interval, and whether it can be relied on."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from heddle.report.facts import Facts
from heddle.report.page import Page, StepsOfPage
from heddle.report.shared_checks import shared_checks
from heddle.report.soundness import LEVELS, OF_METHOD, Check
from heddle.step.comparing import Comparison
from heddle.step.comparing_text import NOTHING_MARKED, answer, by_size
from heddle.step.failures.text import failure_answer
from heddle.step.estimate import HELD_PERCENT, MAX_JUDGED_GPUS, WIDE, unlike_judged
from heddle.step.job import Job
from heddle.step.model import DIMENSIONS, MODELS
from heddle.step.quoting import Ends, ends_text, quoted_rows
from heddle.step.seeds import Repeated
from heddle.step.wording import ms_text
from heddle.text import counted

MAX_TILES = 10
MAX_NAMED = 4  # variants in a tile
MAX_LISTED = 8
WORDS = {"ctsws": "CTSWs a zone", "uplinks_per_rtsw": "uplinks a rack", "atsws": "ATSWs", "uplinks_per_ctsw": "uplinks a CTSW"}


@dataclass
class Tile:
    """A figure of the first variant, "44.6 to 51.3", and in `more` those of the others."""

    key: str
    title: str
    value: float
    text: str
    more: str


def answer_of(steps: StepsOfPage) -> str:
    """What was asked, in a few sentences, every number with its interval."""
    if len(steps.variants) > 1:
        return answer(steps.compared)
    variant = steps.variants[0]
    failing = f" {failure_answer(variant.failures)}" if variant.failures else ""
    quoted, time = variant.quoted, variant.values["time"]
    waits = sorted(quoted["waits"].items(), key=lambda named: -named[1]["share"]["high"])
    told = [
        f"for {group}{' (with the bubble)' if group == 'pipeline' else ''} {ends_text(of_group['share'], 100)} %"
        for group, of_group in waits
    ]
    return (
        f"A step on {variant.gpus:,} GPUs takes {ms_text(time['low'])} to {ms_text(time['high'])} ms: {ends_text(quoted['tokens_per_s'], 1)} tokens a second, "
        f"an MFU of {ends_text(quoted['mfu'], 100)} %. A GPU computes for {ends_text(_computing(variant), 100)} % of it, and has exposed "
        f"communication {', '.join(told)}.{failing}"
    )


def _computing(variant: Repeated) -> Ends:
    """Share of the time in which a GPU computes; that is the same in both estimates."""
    computing, time = variant.values["computing"], variant.values["time"]
    return {end: computing[end] / max(time[other], 1) for end, other in (("low", "high"), ("high", "low"))}


def tiles_of(steps: StepsOfPage) -> list[Tile]:
    rows = [
        (key, title, scale, ends)
        for title, key, scale, ends in quoted_rows([variant.quoted for variant in steps.variants])
        if key in ("tokens_per_s", "mfu", "gpu_hours_per_1e12_tokens") or key.endswith(".share")
    ]
    rows.insert(2, ("computing", "a GPU computes: % of the step", 100, [_computing(variant) for variant in steps.variants]))
    times = [variant.values["time"] for variant in steps.variants]
    tiles = [
        _tile(steps.letters, "time", "time of a step, ms", times, [f"{ms_text(t['low'])} to {ms_text(t['high'])}" for t in times])
    ]
    for key, title, scale, found in rows[: MAX_TILES - 1]:
        texts = ["none" if ends is None else ends_text(ends, scale) for ends in found]
        tiles.append(_tile(steps.letters, key, title, found, texts))
    return tiles


def _tile(letters: list[str], key: str, title: str, found: Sequence[Mapping[str, float | None] | None], texts: list[str]) -> Tile:
    first, *others = (f"{letter} {text}".strip() for letter, text in zip(letters, texts))
    more = f"and {len(texts) - MAX_NAMED} more" if len(texts) > MAX_NAMED else ""
    low = found[0]["low"] if found[0] is not None else None
    return Tile(key, title, float("nan") if low is None else low, first, "; ".join(filter(None, [*others[: MAX_NAMED - 1], more])))


def facts_of_steps(page: Page, steps: StepsOfPage) -> Iterator[tuple[str, str]]:
    """(name, value) of what the steps are; what differs between variants has their letters."""
    if len(steps.variants) > 1:
        left = [f"and {len(steps.variants) - MAX_LISTED} more"] if len(steps.variants) > MAX_LISTED else []
        yield "Variants", "; ".join([*(f"{letter} {name}" for letter, name in zip(steps.letters, steps.names))][:MAX_LISTED] + left)
    yield "Model", steps.said(_training(_model))
    yield "GPUs", steps.said(_training(_layout))
    yield "A step", steps.said(lambda variant: f"{variant.quoted['tokens']:,} tokens")
    yield "Fabric", steps.said(lambda variant: _fabric(variant.steps[0]["config"]["topology"]))
    yield "Seeds", steps.said(lambda variant: ", ".join(map(str, variant.seeds)))
    first = page.runs[0]
    yield "Program", f"heddle {first.attrs.get('software_version', '')} {first.attrs.get('git_commit', '')[:12]}"


def _training(text: Callable[[dict[str, Any], Job], str]) -> Callable[[Repeated], str]:
    return lambda variant: text(variant.steps[0]["config"]["job"][0]["training"], Job(**variant.steps[0]["job"]))


def _model(training: dict[str, Any], job: Job) -> str:
    known = dict(zip(DIMENSIONS, MODELS[training["model"]]))
    own = ", ".join(f"{name} {training[name]:,}" for name in DIMENSIONS if training[name] not in (0, known[name]))
    unlike = f" with {own}" if own else ""
    return f"{training['model']}{unlike}, sequences of {training['sequence_length']:,} tokens"


def _layout(training: dict[str, Any], job: Job) -> str:
    parts = {
        "tensor": training["tensor_parallel"],
        "context": training["context_parallel"],
        "pipeline": job.stages,
        "data": job.replicas,
        "expert": job.expert_parallel,
    }
    divided = ", ".join(f"{name} {size}" for name, size in parts.items() if size > 1)
    late = f", {counted(job.slow_gpus, 'slow GPU')}" * (job.slow_gpus > 0) + ", with jitter" * job.jitters
    return f"{job.gpus:,} ({divided}){late}; {training['micro_batches']} micro-batches of {training['micro_batch_size']}"


def _fabric(topology: dict[str, Any]) -> str:
    zones = f"{topology['zones']} zones of " if topology.get("zones", 1) > 1 else ""
    more = ", ".join(f"{topology[key]} {words}" for key, words in WORDS.items() if topology.get(key))
    return f"{zones}{topology['racks']} racks of {topology['gpus_per_rack']} GPUs; {more}"


def checks_of_steps(page: Page, steps: StepsOfPage) -> list[Check]:
    """How well the answer is known, and what the runs of the parts warn of; the worst first."""
    few = unlike_judged([Job(**variant.steps[0]["job"]) for variant in steps.variants])
    held = f"Of random jobs of up to {MAX_JUDGED_GPUS} GPUs that were also simulated whole {HELD_PERCENT} % of the times lay within such intervals"
    found = [Check("warning" if few else "good", held + "".join(f"; few {what}" for what in few))]
    wide = [name for name, variant in zip(steps.letters, steps.variants) if _width(variant) > WIDE]
    if wide:
        of = f" of {', '.join(wide)}" if len(steps.variants) > 1 else ""
        found.append(
            Check("warning", f"The interval{of} is wide, as the network decides the step: what a change does is known better")
        )
    if len(steps.variants) > 1:
        found += [Check("warning", sentence) for sentence in subtracted(steps.compared)]
        if same := sorted(name for name, other in by_size(steps.compared) if other.nothing_marked):
            found.append(Check("good", f"{', '.join(same)}: the runs of A, as {NOTHING_MARKED}"))
    return sorted([*found, *checks_of_parts(page, steps)], key=lambda check: LEVELS.index(check.level))


def subtracted(found: Comparison) -> list[str]:
    """Which differences are no better known than both steps are, and why."""
    of_reason: dict[str, list[str]] = {}
    for name, other in by_size(found):
        if other.unpaired:
            of_reason.setdefault(other.unpaired, []).append(name)
    return [f"{', '.join(sorted(names))}: the two intervals are only subtracted, as {why}" for why, names in of_reason.items()]


def _width(variant: Repeated) -> float:
    """Half the interval of the time, as a part of its middle."""
    time = variant.values["time"]
    return (time["high"] - time["low"]) / max(time["high"] + time["low"], 1)


def parts_of_page(page: Page, steps: StepsOfPage) -> list[Facts]:
    """The runs of all parts, with what they are in their names."""
    of = [("pipeline", page.runs), ("layer", steps.layers)]
    named = [dataclasses.replace(run, name=f"{part} {run.name}") for part, runs in of for run in runs]
    return [
        dataclasses.replace(run, checks=[c for c in run.checks if not c.text.startswith(OF_METHOD)]) for run in named + steps.others
    ]


def checks_of_parts(page: Page, steps: StepsOfPage) -> list[Check]:
    return shared_checks(parts_of_page(page, steps), page.problems, [])
