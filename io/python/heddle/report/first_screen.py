"""The first screen of a page: what was run, whether it is sound, what came out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from heddle.axes import NONE
from heddle.report.arrangement import SEED
from heddle.report.defaults import changed
from heddle.report.facts import Facts
from heddle.report.outcome import Measure
from heddle.report.page import Page, StepsOfPage
from heddle.report.shared_checks import shared_checks
from heddle.report.soundness import LEVELS, Check
from heddle.report.spread import combinations_of, means_of, relative_span, span_class
from heddle.report.standouts import of_runs
from heddle.report.step_screen import Tile, answer_of, checks_of_steps, facts_of_steps, parts_of_page, tiles_of
from heddle.text import text_of

WORDS = {
    "endpoint": "GPUs",
    "rtsw": "rack switches",
    "ctsw": "cluster switches",
    "atsw": "aggregation switches",
    "leaf": "leaves",
    "spine": "spines",
    "core": "cores",
}
VERDICTS = {"good": "sound", "warning": "read the warnings", "error": "not sound"}
MAX_TILES = 8
MAX_CHANGES = 9
MAX_CHECKS = 8
NOT_TOLD = ("output.", "simulation.seed", "checkpoint.", "partition.")
# Of several runs: the measures that become tiles with the range that they span, when all runs have them. What differs most comes
# first; this is the order of those that differ about as much.
SPANS_FIRST = (
    "iteration_ps",
    "checkpoint_step_ps",
    "checkpoint_next_step_ps",
    "checkpoint_ps",
    "busbw_GBps",
    "completion_p99_ps",
    "slowdown_p99",
    "goodput_bits_per_s",
    "paused_ps",
    "lost",
    "retransmits",
    "ecn_marks",
    "cnps",
    "peak_queue_bytes",
    "busiest_use",
    "exposed_ps",
    "senders_paused_ps",
    "pfc_pauses",
    "completion_p50_ps",
    "end_ps",
)
MAX_ALIKE = 2  # tiles with one ending of that list


@dataclass
class FirstScreen:
    """`facts`: (name, value) of what was run; `level`: of the worst check."""

    status: str
    level: str
    verdict: str
    facts: list[tuple[str, str]]
    checks: list[Check]
    tiles: Sequence[Measure | Tile]
    standouts: list[str] = field(default_factory=list)
    more_checks: int = 0
    changes: list[tuple[str, str, str | None]] = field(default_factory=list)
    more_changes: int = 0
    several: bool = False
    answer: str = ""  # of steps by their parts


def first_screen(page: Page) -> FirstScreen:
    if page.steps is not None:
        return of_steps(page, page.steps)
    return of_one(page.run) if page.alone and not page.problems else of_several(page)


def fabric_text(run: Facts) -> str:
    """ "512 GPUs, 32 rack switches, 18 cluster switches; AI zone"."""
    counts = ", ".join(f"{count:,} {_words_of(tier)}" for tier, count in run.nodes.items())
    kind = run.parameters.get("topology.kind")
    return f"{counts} ({kind.text})" if kind else counts


def _words_of(tier: str) -> str:
    """ "spines", and of another fabric than that of the GPUs "frontend spines"."""
    *fabric, own = tier.split(".")
    return " ".join([*fabric, "hosts" if fabric and own == "endpoint" else WORDS.get(own, own)])


def of_steps(page: Page, steps: StepsOfPage) -> FirstScreen:
    checks, parts = checks_of_steps(page, steps), parts_of_page(page, steps)
    level = min((check.level for check in checks), key=LEVELS.index)
    layers = of_runs(steps.layers, []) if steps.layers else []
    return FirstScreen(
        f"{sum(run.over for run in parts)} of {len(parts) + len(page.problems)} parts ended",
        level,
        VERDICTS[level],
        list(facts_of_steps(page, steps)),
        checks[:MAX_CHECKS],
        tiles_of(steps),
        more_checks=max(0, len(checks) - MAX_CHECKS),
        standouts=[f"In layers: {sentence}" for sentence in layers],
        several=True,
        answer=answer_of(steps),
    )


def of_one(run: Facts) -> FirstScreen:
    level = min((check.level for check in run.checks), key=LEVELS.index)
    told = [row for row in changed(run.parameters) if not row[0].startswith(NOT_TOLD)]
    commit = run.attrs.get("git_commit", "")[:12]
    facts = [
        ("Fabric", fabric_text(run)),
        ("Workload", workload_text(run)),
        ("Seed", str(run.attrs.get("seed", "-"))),
        ("Program", f"heddle {run.attrs.get('software_version', '')} {commit}{' + changes' if run.attrs.get('git_dirty') else ''}"),
        ("Run", f"{run.attrs.get('date', '')} on {run.attrs.get('hosts', '')}"),
        ("Digest", run.attrs.get("digest", "") or "none yet"),
    ]
    tiles = [measure for measure in run.measures if measure.weight == 1 and not measure.cut_off][:MAX_TILES]
    return FirstScreen(
        run.attrs["status"],
        level,
        VERDICTS[level],
        facts,
        run.checks[:MAX_CHECKS],
        tiles,
        more_checks=max(0, len(run.checks) - MAX_CHECKS),
        standouts=[one.text for one in run.standouts],
        changes=told[:MAX_CHANGES],
        more_changes=max(0, len(told) - MAX_CHANGES),
    )


def workload_text(run: Facts) -> str:
    """What the file's own title says after its fabric: "1 job of 6 all-reduces"."""
    return re.sub(r"^packet-level simulation of .*? switch(es)?, ", "", run.workload)


def of_several(page: Page) -> FirstScreen:
    checks = shared_checks(page.runs, page.problems, page.keys)
    level = min((check.level for check in checks), key=LEVELS.index)
    first = page.runs[0]
    facts = [("Runs", f"{len(page.runs) + len(page.problems)}"), *((key, ", ".join(values_of(page, key))) for key in page.keys)]
    facts += [(f"{key}, along with that", ", ".join(values_of(page, key))) for key in page.along]
    if len({fabric_text(run) for run in page.runs}) == 1:
        facts.append(("Fabric", fabric_text(first)))
    if len({workload_text(run) for run in page.runs}) == 1:
        facts.append(("Workload", workload_text(first)))
    commits = {run.attrs.get("git_commit", "")[:12] for run in page.runs}
    facts.append(("Program", f"heddle {first.attrs.get('software_version', '')} {', '.join(sorted(commits))}"))
    complete = sum(run.over for run in page.runs)
    return FirstScreen(
        f"{complete} of {len(page.runs) + len(page.problems)} ended",
        level,
        VERDICTS[level],
        facts,
        checks[:MAX_CHECKS],
        spans(page),
        more_checks=max(0, len(checks) - MAX_CHECKS),
        standouts=of_runs(page.runs, [key for key in page.keys if key != SEED] or page.keys),
        several=True,
    )


def values_of(page: Page, key: str) -> list[str]:
    """The values of an axis, in their order; the middle left out where they are many."""
    values = list(dict.fromkeys(run.axes.get(key) or run.parameters.get(key, NONE).text or "-" for run in page.runs))
    return values if len(values) <= 8 else [*values[:5], "...", values[-1]]


def spans(page: Page) -> list[Measure]:
    """From the least to the most of what all runs that ended measure (means over the seeds), with the values of the axes that have
    these.

    What differs most comes first, and what is the same last.
    """
    keys = [key for key in page.keys if key != SEED] or page.keys
    over = [run for run in page.runs if run.over]
    groups = combinations_of(over, keys)
    common = [measure for measure in (over[0].measures if over else []) if all(_whole(run.measure(measure.key)) for run in over)]
    differ = {measure.key: relative_span(measure.key, groups) for measure in common}
    chosen: dict[str, Measure] = {}
    for ending in SPANS_FIRST:
        alike = [measure for measure in common if measure.key == ending or measure.key.endswith("." + ending)]
        for measure in sorted(alike, key=lambda measure: -differ[measure.key])[:MAX_ALIKE]:
            chosen.setdefault(measure.key, measure)
    ranked = sorted(chosen.values(), key=lambda measure: -span_class(differ[measure.key]))
    every = "all runs" if len(over) == len(page.runs) else "all runs that ended"
    return [_span(measure, groups, keys, every) for measure in ranked[:MAX_TILES]]


def _whole(measure: Measure | None) -> bool:
    return measure is not None and not measure.cut_off


def _span(measure: Measure, groups: dict[tuple[str, ...], list[Facts]], keys: list[str], every: str = "all runs") -> Measure:
    means = means_of(measure.key, groups)
    least, most = min(means.values()), max(means.values())
    several = any(len(runs) > 1 for runs in groups.values())
    seeds = any(SEED in run.axes for runs in groups.values() for run in runs)
    of = "runs" if not several else "means over the seeds" if seeds else "means over runs that are alike"
    if least == most:
        equal = len({run.measure(measure.key).value for runs in groups.values() for run in runs}) == 1
        more = f"the same in {every}" if equal else f"the same in all {of}" if len(groups) > 1 else of
        return Measure(measure.key, measure.title, least, measure.unit, more)
    where = [_where([values for values in means if means[values] == mean], list(means), keys) for mean in (least, most)]
    more = f"least with {where[0]}; most with {where[1]}{f'; {of}' if several else ''}"
    return Span(measure.key, measure.title, least, measure.unit, more, most=most)


def _where(these: list[tuple[str, ...]], of: list[tuple[str, ...]], keys: list[str]) -> str:
    """ "dcqcn.enabled = false": the combinations by the values that they, and no others, have in common; else the first of them."""
    if not keys:
        return these[0][0] + (f" and {len(these) - 1} more" if len(these) > 1 else "")
    shared = [place for place in range(len(keys)) if len({values[place] for values in these}) == 1]
    if sum(all(values[place] == these[0][place] for place in shared) for values in of) == len(these):
        return ", ".join(f"{keys[place]} = {these[0][place]}" for place in shared)
    return ", ".join(f"{key} = {value}" for key, value in zip(keys, these[0])) + f", and {len(these) - 1} more"


@dataclass
class Span(Measure):
    """A measure from its least to its most over several runs."""

    most: float = 0

    @property
    def text(self) -> str:
        return f"{text_of(self.value, self.unit, 4)} to {text_of(self.most, self.unit, 4)}"
