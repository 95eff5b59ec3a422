"""What the numbers of a step rest on: method, judgement, margins, seeds, rates, cost, and the warnings of its parts."""

from heddle.report.blocks import Column, table_of
from heddle.report.sections.step_quoted import rates_of
from heddle.report.step_screen import checks_of_parts
from heddle.step.comparing import PAIRS, PAIRS_HELD_PERCENT
from heddle.step.estimate import MAX_JUDGED_GPUS, judged
from heddle.step.job import Job
from heddle.step.wording import margin_text
from heddle.text import rough_text

TITLE = "What it rests on"


def blocks(page):
    if page.steps is None:
        return []
    steps = page.steps
    rows = {
        "method": steps.said(lambda variant: f"{variant.gpus:,} GPUs, {variant.steps[0]['method']}"),
        "how often intervals hold": f"of {judged([Job(**variant.steps[0]['job']) for variant in steps.variants])}",
        "margins": steps.said(_margins),
        "seeds": _seeds(steps),
        "rates": steps.said(rates_of),
        "simulated": steps.said(_simulated),
    }
    if len(steps.variants) > 1:
        rows["how often differences hold"] = (
            f"of {PAIRS} random pairs of jobs of up to {MAX_JUDGED_GPUS} GPUs, {PAIRS_HELD_PERCENT} % of the differences of the time lay within, "
            "where both train the same, divided alike, and differ in DCQCN, routing, queue pairs, uplinks or rates, or in slow GPUs alone; where they differ in more, "
            "the section on differences says so"
        )
    found = [table_of("rests", "Method, judgement and cost", [Column("what", "what"), Column("says", "says")], _rows(rows))]
    checks = [{"level": check.level, "says": check.text} for check in checks_of_parts(page, steps)]
    columns = [Column("level", "level"), Column("says", "says")]
    return [*found, table_of("part_checks", "What the runs of the parts say of themselves", columns, checks)]


def _rows(rows):
    return [{"what": what, "says": says} for what, says in rows.items()]


def _margins(variant):
    """Beyond both estimates, in per cent of what."""
    step = variant.steps[0]
    said = {value: margin_text(margin) for value, margin in step["margins"].items() if value in step["values_ps"]}
    return "beyond both estimates: " + "; ".join(f"{value} {text}" for value, text in said.items() if text)


def _seeds(steps):
    seeds = {name: ", ".join(map(str, variant.seeds)) for name, variant in zip(steps.letters, steps.variants)}
    same = len(set(seeds.values())) == 1
    said = next(iter(seeds.values())) if same else "; ".join(f"{name}: {text}" for name, text in seeds.items())
    one = all(len(variant.seeds) == 1 for variant in steps.variants)
    return f"{said}{'; one seed says nothing of the scatter between seeds' if one else '; the sections on parts show the first'}"


def _simulated(variant):
    step = variant.steps[0]
    share = 100 * step["packet_hops_simulated"] / step["packet_hops_whole"]
    return f"{rough_text(step['packet_hops_simulated'])} packet-hops, {share:.2g} % of what the whole step takes"
