"""Use of links: by kind, over time, by place, and the busiest by name."""

from heddle.report.blocks import Column, table_of

TITLE = "Links"
COLUMNS = [
    Column("tier", "kind of link"),
    Column("links", "links", "count"),
    Column("mean_use", "mean use", "share"),
    Column("most_use", "busiest", "share"),
    Column("busiest_over_mean", "busiest/mean", "x"),
    Column("jain_index", "Jain index", ""),
    Column("paused_ps", "paused, all together", "ps"),
    Column("mean_paused_ps", "paused, mean", "ps"),
    Column("most_paused_ps", "paused, longest", "ps"),
    Column("pauses", "PAUSEs", "count"),
    Column("peak_queue_bytes", "largest queue", "B"),
    Column("ecn_marks", "ECN marks", "count"),
    Column("lost", "lost", "count"),
]


def blocks(page):
    found = []
    if page.alone and not page.run.kinds.empty:
        caption = (
            "Links of a kind over the whole run. busiest/mean and the Jain index are 1 when all carried alike; "
            "a link is paused by its destination"
        )
        found.append(table_of("kinds_of_links", caption, COLUMNS, page.run.kinds))
    return found + page.pictures("link_use", "link_heat", "link_matrix", "busiest_links")
