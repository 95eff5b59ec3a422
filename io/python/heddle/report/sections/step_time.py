"""A training step by its parts: what its time goes to, and every value with its interval."""

import pandas as pd

from heddle.figures.iterations import BUBBLE, REST
from heddle.figures.step_time import MAX_BARS, StepTime
from heddle.report.blocks import Column, table_of
from heddle.report.page import picture_alone
from heddle.step.job import Job
from heddle.step.margins import bubble_ps
from heddle.step.parts import ALONE, TOGETHER
from heddle.step.reading import GROUPS
from heddle.step.wording import label_of, margin_text

TITLE = "The step"
NAMES = {"time": "time of a step", "computing": "a GPU computes"}


def blocks(page):
    if page.steps is None:
        return []
    frame = frame_of(page.steps)
    note = f"The first {MAX_BARS} of {len(frame)} variants are drawn; the data have all." if len(frame) > MAX_BARS else ""
    return [picture_alone(StepTime(), frame, note), _values(page.steps)]


def name_of(value):
    """Of one of heddle.step.reading.VALUES."""
    return NAMES.get(value, label_of(value))


def frame_of(steps):
    """What StepTime draws."""
    rows = []
    for name, setting, variant in zip(steps.letters, steps.names, steps.variants):
        middle = {value: (ends[ALONE] + ends[TOGETHER]) / 2 for value, ends in variant.values.items()}
        waits = {group: middle.get(group, 0.0) for group in GROUPS}
        idle_ps = min(bubble_ps(Job(**variant.steps[0]["job"]), middle), waits["pipeline"])
        waits["pipeline"] -= idle_ps
        rows.append(
            {
                "variant": name,
                "setting": setting,
                **{f"{end}_ps": variant.values["time"][end] for end in ("low", "high")},
                "time_ps": middle["time"],
                "compute_ps": middle["computing"],
                BUBBLE: idle_ps,
                **{f"exposed_{group}_ps": ps for group, ps in waits.items()},
                REST: max(0.0, middle["time"] - middle["computing"] - idle_ps - sum(waits.values())),
            }
        )
    return pd.DataFrame(rows)


def _values(steps):
    margins = steps.said(lambda variant: margin_text(variant.steps[0]["margins"]["time"]))
    rows = [
        {"variant": name, "setting": setting, "seeds": len(variant.seeds), "value": name_of(value), **ends}
        for name, setting, variant in zip(steps.letters, steps.names, steps.variants)
        for value, ends in variant.values.items()
    ]
    which = [Column("variant", "variant"), Column("setting", "setting")] if len(steps.variants) > 1 else []
    seeds = [Column("seeds", "seeds", "count")] if any(len(variant.seeds) > 1 for variant in steps.variants) else []
    ends = [Column("low", "from", "ps"), Column("high", "to", "ps"), *(Column(key, key, "ps") for key in (ALONE, TOGETHER))]
    return table_of(
        "step",
        "Means over GPUs, with their intervals",
        [*which, *seeds, Column("value", "value"), *ends],
        rows,
        f"Two estimates: a layer while no other stage uses its links and buffers (alone), and while all do (together); of a single stage what the "
        f"mean ring takes, and the slowest. From and to span both and reach beyond them, the time by {margins}.",
    )
