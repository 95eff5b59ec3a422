"""Several runs side by side: what came out of each, and against the axes."""

from markupsafe import Markup

from heddle.figures.outcomes import alt_of, draw_outcomes
from heddle.figures.svg import inline_svg
from heddle.report.arrangement import SEED, without_seed
from heddle.report.blocks import Column, Picture, download_frame, table_of
from heddle.report.outcomes_table import combinations, outcomes

TITLE = "Side by side"


def blocks(page):
    if page.alone:
        return []
    frame, measures = outcomes(page.runs, page.keys)
    found = []
    drawn = draw_outcomes(frame, measures, without_seed(page.runs) if page.keys else ["run"])
    if drawn is not None:
        alt = alt_of(frame, measures)
        about = "Every point is a run; lines join the means of runs that differ in simulation.seed alone." if SEED in page.keys else "Every point is a run."
        found.append(Picture("outcomes", "What came out, against the axes", about, alt, Markup(inline_svg(drawn, "figure-outcomes", "What came out, against the axes", alt)),
                             download_frame("outcomes", frame)))
    axes = [Column(key, key) for key in page.keys] or [Column("run", "run")]
    numbers = [Column(key, title, unit) for key, title, unit in measures]
    if SEED in page.keys and len(page.keys) > 1:
        grouped = combinations(frame, [key for key in page.keys if key != SEED], measures)
        found.append(table_of("combinations", "Means over the seeds", [Column(key, key) for key in page.keys if key != SEED] + [Column("runs", "runs", "count")] + numbers, grouped))
    rows = table_of("runs", "Every run", [Column("run", "run"), *[column for column in axes if column.key != "run"], Column("status", "status"), *numbers], frame, folded=len(frame) > 12 or SEED in page.keys)
    found.append(rows)
    if page.problems:
        found.append(table_of("problems", "Runs without a result that can be read", [Column("run", "run"), Column("why", "why")],
                              [{"run": name, "why": why} for name, why in page.problems]))
    return found
