"""Lost packets by cause, and failures on the time line."""

from heddle.figures.losses import CAUSES
from heddle.report.blocks import Column, Words, table_of
from heddle.text import counted

TITLE = "Losses and failures"


def blocks(page):
    found = page.pictures("failures", "drops")
    if not page.alone or page.run.partial:
        return found
    attrs = page.run.attrs
    rows = [{"cause": cause.replace("_", " "), "packets": attrs[f"drops_{cause}"]} for cause in CAUSES if f"drops_{cause}" in attrs]
    if not any(row["packets"] for row in rows) and not found:
        return [Words(["No packet was lost, and no link failed."])]
    columns = [Column("cause", "cause"), Column("packets", "packets lost", "count")]
    again = (
        f"Packets sent again: {attrs['retransmits']:,}, after {counted(attrs['timeouts'], 'timeout')}; "
        f"data packets that came twice: {attrs['data_packets_duplicate']:,}."
    )
    return [table_of("drops_by_cause", "Lost packets by cause", columns, rows, again), *found]
