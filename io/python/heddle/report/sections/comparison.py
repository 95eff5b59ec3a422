"""Several runs side by side: what came out of each, and against the axes."""

from heddle.axes import NONE, differing
from heddle.figures.outcomes import alt_of, draw_outcomes, note_of
from heddle.report.arrangement import SEED, label_of, without_seed
from heddle.report.blocks import Cell, Column, Table, Words, table_of
from heddle.report.outcomes_table import combinations, effects_of, outcomes, told, with_counts, with_intervals, with_marks
from heddle.report.page import picture_of
from heddle.report.standouts import root_causes
from heddle.text import time_text

TITLE = "Side by side"
STANDOUTS = (("busiest_use", "busiest link"), ("peak_queue_bytes", "largest queue"), ("root", "root causes of pauses"))
MAX_ROWS = 100
MAX_OPEN = 24
MAX_COLUMNS = 5  # of a table with a column per run


def blocks(page):
    if page.alone:
        return []
    frame, known = outcomes(page.runs, page.keys)
    measures = [measure[:3] for measure in known if measure[3] <= 2]
    found = [] if page.keys else [differences(page)]
    against = without_seed(page.runs) if page.keys else ["run"]
    drawn = draw_outcomes(frame, measures, against)
    if drawn is not None:
        alt = alt_of(frame, measures)
        about = (
            "Every point is a run; lines join the means of runs that differ in simulation.seed alone."
            if SEED in page.keys
            else "Every point is a run; lines join runs that differ in nothing but what stands below."
            if page.keys
            else "Every point is a run."
        )
        if not all(run.over for run in page.runs):
            about += " A cross is one that did not come to its end: it is in no mean."
        title, note = "What came out, against the axes", note_of(frame, measures, against)
        found.append(picture_of("outcomes", title, about, alt, drawn, frame, note))
    numbers = [Column(key, title, unit) for key, title, unit, _ in known]
    asked = [key for key in page.keys if key != SEED]
    weighty = [Column(key, title, unit) for key, title, unit, _ in told(page.runs, asked, known)]
    if len(asked) > 1:
        effects = effects_of(frame, asked, known)
        found.append(
            with_counts(
                table_of(
                    "effects",
                    "What each axis does: means over all the others",
                    [Column("axis", "axis"), Column("value", "value"), Column("runs", "runs", "count"), *weighty],
                    effects,
                ),
                effects,
            )
        )
    if SEED in page.keys and asked:
        grouped = combinations(frame, asked, known)
        columns = [*(Column(key, key) for key in asked), Column("runs", "runs", "count"), *weighty]
        means = table_of("combinations", "Means over the seeds, +- half of their 95 % confidence interval", columns, grouped)
        means.folded = len(grouped) > MAX_OPEN
        found.append(with_counts(with_intervals(means, frame, asked), grouped))
    axes = [Column("run", "run"), *(Column(key, key) for key in page.keys)]
    if len(page.runs) <= MAX_COLUMNS:
        found.append(upright(page, known))
    else:
        found.append(
            with_marks(
                table_of("runs", "Every run", [*axes, Column("status", "status"), *numbers], frame, folded=len(frame) > MAX_OPEN),
                page.runs,
            )
        )
    found.append(
        table_of(
            "standouts",
            "What stands out in each run",
            [*axes, *(Column(key, title) for key, title in STANDOUTS)],
            [standouts(run) for run in page.runs[:MAX_ROWS]],
            "" if len(page.runs) <= MAX_ROWS else f"The first {MAX_ROWS} of {len(page.runs)} runs.",
            folded=len(page.runs) > MAX_OPEN,
        )
    )
    if page.problems:
        found.append(
            table_of(
                "problems",
                "Runs without a result that can be read",
                [Column("run", "run"), Column("why", "why")],
                [{"run": name, "why": why} for name, why in page.problems],
            )
        )
    return found


def differences(page):
    """The parameters that are not the same in all runs of no sweep."""
    keys = differing([run.parameters for run in page.runs])
    if not keys:
        return Words(["All runs have the same parameters."])
    runs = page.runs[:MAX_ROWS]
    if len(runs) <= MAX_COLUMNS:
        rows = [{"parameter": key, **{run.name: run.parameters.get(key, NONE).text or "-" for run in runs}} for key in keys]
        return table_of(
            "differences",
            "What differs in the configuration",
            [Column("parameter", "parameter"), *(Column(run.name, run.name) for run in runs)],
            rows,
        )
    rows = [{"run": run.name, **{key: run.parameters.get(key, NONE).text or "-" for key in keys}} for run in runs]
    return table_of(
        "differences", "What differs in the configuration", [Column("run", "run"), *(Column(key, key) for key in keys)], rows
    )


def upright(page, known):
    """Few runs: a column for each, a row for each measure, and how many times the first."""
    labels = [label_of(run, page.keys) for run in page.runs]
    columns = [Column("measure", "measure"), *(Column(run.name, label, "count") for run, label in zip(page.runs, labels))]
    rows = [[Cell("status", "status"), *(Cell(run.attrs["status"], run.attrs["status"]) for run in page.runs)]]
    for key, title, *_ in known:
        first = page.runs[0].measure(key)
        row = [Cell(title, key)]
        for run in page.runs:
            measure = run.measure(key)
            ratio = (
                f" ({measure.value / first.value:.3g}x)"
                if measure
                and first
                and run is not page.runs[0]
                and first.value > 0
                and measure.value != first.value
                and not (measure.cut_off or first.cut_off)
                else ""
            )
            row.append(Cell(measure.text + ratio, repr(measure.value)) if measure else Cell("-"))
        rows.append(row)
    return Table("runs", "What came out of every run, and how many times that of the first", columns, rows)


def standouts(run):
    """A row: by name, what stood out of the links, and because of whom links were paused."""
    row = {"run": run.name, **run.axes}
    for key, _ in STANDOUTS[:2]:
        measure = run.measure(key)
        row[key] = f"{measure.more}, {measure.text}" if measure else "-"
    causes = root_causes(run)
    row["root"] = "; ".join(f"{what}: {time_text(paused_ps, 4)}" for what, _, paused_ps in causes[:2]) or run.lacks.get(
        "pause_tree", "-"
    )
    return row
