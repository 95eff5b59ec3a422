"""Several runs side by side: what came out of each, and against the axes."""

from markupsafe import Markup

from heddle.figures.outcomes import alt_of, draw_outcomes
from heddle.figures.svg import inline_svg
from heddle.figures.units import time_text
from heddle.report.arrangement import SEED, without_seed
from heddle.report.blocks import Column, Picture, download_frame, table_of
from heddle.report.outcomes_table import combinations, effects_of, outcomes
from heddle.report.standouts import root_causes

TITLE = "Side by side"
STANDOUTS = (("busiest_use", "busiest link"), ("peak_queue_bytes", "largest queue"), ("root", "root causes of pauses"))
MOST_ROWS = 100


def blocks(page):
    if page.alone:
        return []
    frame, known = outcomes(page.runs, page.keys)
    measures = [measure[:3] for measure in known if measure[3] <= 2]
    found = []
    drawn = draw_outcomes(frame, measures, without_seed(page.runs) if page.keys else ["run"])
    if drawn is not None:
        alt = alt_of(frame, measures)
        about = "Every point is a run; lines join the means of runs that differ in simulation.seed alone." if SEED in page.keys else "Every point is a run."
        found.append(Picture("outcomes", "What came out, against the axes", about, alt, Markup(inline_svg(drawn, "figure-outcomes", "What came out, against the axes", alt)),
                             download_frame("outcomes", frame)))
    numbers = [Column(key, title, unit) for key, title, unit, _ in known]
    weighty = [Column(key, title, unit) for key, title, unit, weight in known if weight == 1]
    asked = [key for key in page.keys if key != SEED]
    if len(asked) > 1:
        effects = effects_of(frame, asked, known)
        found.append(table_of("effects", "What each axis does: means over all the others", [Column("axis", "axis"), Column("value", "value"), Column("runs", "runs", "count"), *weighty], effects))
    if SEED in page.keys and asked:
        grouped = combinations(frame, asked, known)
        found.append(table_of("combinations", "Means over the seeds", [Column(key, key) for key in asked] + [Column("runs", "runs", "count"), *numbers], grouped, folded=len(asked) > 1))
    axes = [Column("run", "run"), *(Column(key, key) for key in page.keys)]
    found.append(table_of("runs", "Every run", [*axes, Column("status", "status"), *numbers], frame, folded=len(frame) > 12 or SEED in page.keys))
    found.append(table_of("standouts", "What stands out in each run", [*axes, *(Column(key, title) for key, title in STANDOUTS)], [standouts(run) for run in page.runs[:MOST_ROWS]],
                          "" if len(page.runs) <= MOST_ROWS else f"The first {MOST_ROWS} of {len(page.runs)} runs.", folded=len(page.runs) > 12))
    if page.problems:
        found.append(table_of("problems", "Runs without a result that can be read", [Column("run", "run"), Column("why", "why")],
                              [{"run": name, "why": why} for name, why in page.problems]))
    return found


def standouts(run):
    """A row: by name, what stood out of the links, and because of whom links were paused."""
    row = {"run": run.name, **run.axes}
    for key, _ in STANDOUTS[:2]:
        measure = run.measure(key)
        row[key] = f"{measure.more}, {measure.text}" if measure else "-"
    causes = root_causes(run)
    row["root"] = "; ".join(f"{what}: {time_text(paused_ps, 4)}" for what, _, paused_ps in causes[:2]) or run.lacks.get("pause_tree", "-")
    return row
