"""nccl-tests' table, bus bandwidth against size, stragglers."""

from heddle.figures.collectives import LAST
from heddle.report.blocks import Column, table_of

TITLE = "Collectives"
MAX_ROWS = 60
COLUMNS = [
    Column("job", "job", "count"),
    Column("kind", "collective"),
    Column("group", "group"),
    Column("ranks", "GPUs", "count"),
    Column("bytes", "size", "size"),
    Column("algorithm", "algorithm"),
    Column("protocol", "protocol"),
    Column("times", "times", "count"),
    Column("time_ps", "time", "ps"),
    Column("least_time_ps", "least", "ps"),
    Column("most_time_ps", "most", "ps"),
    Column("algbw_GBps", "algbw", "GB/s"),
    Column("busbw_GBps", "busbw", "GB/s"),
]


def blocks(page):
    found = [table(page.run.collectives)] if page.alone and not page.run.collectives.empty else []
    return found + page.pictures("busbw", "busbw_over_time", "stragglers")


def table(frame):
    columns = (
        COLUMNS
        if frame["times"].max() > 1
        else [column for column in COLUMNS if column.key not in ("times", "least_time_ps", "most_time_ps")]
    )
    note = frame.attrs.get("note", "")
    if len(frame) > MAX_ROWS:
        note += f" The first {MAX_ROWS} of {len(frame)} rows; heddle info lists all."
    driven = frame["since"] == LAST
    caption = (
        "As heddle run prints groups: since the last rank's entry; alike collectives are one row, with means"
        if driven.all()
        else "As nccl-tests prints it; alike collectives are one row, with means"
    )
    return table_of("collectives", caption, columns, frame.head(MAX_ROWS), note)
