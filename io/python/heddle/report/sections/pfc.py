"""PFC: where links were paused, for how long, and because of whom."""

from heddle.figures import FIGURES
from heddle.report.blocks import Words

TITLE = "PFC"
DRAWN = ("pause_tree", "pause_time", "paused_links", "pause_lengths")
NOTHING = "PFC paused no link in this run."


def blocks(page):
    if page.alone and not page.run.kinds.empty and page.run.kinds["paused_ps"].sum() == 0:
        page.absent += [(FIGURES[name].title, "no link was paused") for name in DRAWN]
        return [Words([NOTHING])]
    return page.pictures(*DRAWN)
