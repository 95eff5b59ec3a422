"""What failures in a layer's collective cost: the step that meets one, the steps while it lasts, and a month of them."""

from heddle.report.blocks import Column, Words, table_of
from heddle.step.failures.text import month_line

TITLE = "Failures in a step"


def blocks(page):
    if page.steps is None:
        return []
    steps = page.steps
    found = [
        (letter, name, one) for letter, name, variant in zip(steps.letters, steps.names, steps.variants) for one in variant.failures
    ]
    if not found:
        return []
    several = len(steps.variants) > 1
    columns = [
        Column("failure", "failure"),
        *([Column("variant", "variant"), Column("setting", "setting")] if several else []),
        Column("longer_low", "the step that meets it is longer, from", "+ps"),
        Column("longer_high", "to", "+ps"),
        Column("later_low", "every other step while it lasts, from", "+ps"),
        Column("later_high", "to", "+ps"),
        Column("end", "what it does to the job"),
        Column("number", "failures a month", ""),
        Column("gpu_hours_low", "GPU-hours lost a month, from", ""),
        Column("gpu_hours_high", "to", ""),
    ]
    rows = [{"variant": letter, "setting": name, **_row(one)} for letter, name, one in found]
    caption = "Times count from the beginning of a layer's collective. Largest first"
    rows.sort(key=lambda row: -float("inf") if row["longer_high"] is None else -row["longer_high"])
    return [table_of("failures", caption, columns, rows), Words([*_upper_end(found), month_line([one for _, _, one in found])])]


def _upper_end(found):
    most = max(one["together_traffic_factor"] for _, _, one in found)
    return [f"Some are upper ends: up to {most} times as much of a stage's traffic meets the failure as in the whole fabric."] * (
        most > 1
    )


def _row(one):
    longer, later, hours = one["step_longer_ps"], one["later_steps_longer_ps"], one["month"]["gpu_hours"]
    ended = one["ends_job_because"]
    return {
        "failure": one["name"],
        **_ends("longer", longer),
        **_ends("later", later),
        "end": f"ends it after {one['ends_job_after_ps'] / 1e12:.3g} s: {ended}" if ended else "goes on",
        "number": float(f"{one['month']['failures']:.3g}"),
        **_ends("gpu_hours", hours and {end: float(f"{value:.3g}") for end, value in hours.items()}),
    }


def _ends(name, interval):
    return {f"{name}_{end}": interval and interval[end] for end in ("low", "high")}
