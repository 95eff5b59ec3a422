"""PFC: where links were paused, for how long, and because of whom."""

from heddle.figures import FIGURES
from heddle.report.blocks import Column, Words, table_of

TITLE = "PFC"
DRAWN = ("pause_tree", "pause_time", "paused_links", "pause_lengths")
NOTHING = "PFC paused no link in this run."


def blocks(page):
    if page.alone and not page.run.kinds.empty and page.run.kinds["paused_ps"].sum() == 0:
        page.absent += [(FIGURES[name].title, "no link was paused") for name in DRAWN]
        return [Words([NOTHING])]
    found = []
    if page.alone and not page.run.kinds.empty:
        columns = [
            Column("tier", "kind of link"),
            Column("links", "links", "count"),
            Column("pauses", "PAUSEs", "count"),
            Column("paused_ps", "paused, all together", "ps"),
            Column("mean_paused_ps", "mean of a link", "ps"),
            Column("most_paused_ps", "longest of a link", "ps"),
        ]
        found.append(
            table_of(
                "pause_time_by_kind", "Pause time by kind of link: a link is paused by its destination", columns, page.run.kinds
            )
        )
    return found + page.pictures(*DRAWN)
