"""Checkpoints of training jobs: how long each took, on which network, and what steps lost by it."""

from heddle.report.arrangement import label_of
from heddle.report.blocks import Column, table_of

TITLE = "Checkpoints"
MAX_ROWS = 200
COLUMNS = (
    Column("job", "job", "count"),
    Column("checkpoint", "checkpoint", "count"),
    Column("fabric", "by"),
    Column("class", "in class"),
    Column("servers", "storage servers", "count"),
    Column("bytes", "written", "B"),
    Column("begin_ps", "begins", "ps"),
    Column("end_ps", "ends", "ps"),
    Column("time_ps", "time", "ps"),
    Column("rate_GBps", "rate", "GB/s"),
    Column("exposed_ps", "GPUs wait", "ps"),
    Column("iteration", "its step", "count"),
    Column("step_ps", "takes", "ps"),
    Column("step_more", "more", "+share"),
    Column("next_step_ps", "next step takes", "ps"),
    Column("next_step_more", "more", "+share"),
)


def blocks(page):
    rows = [row for run in page.runs for row in rows_of(run, page.keys)]
    pictures = page.pictures("checkpoints")
    if not rows:
        return pictures
    columns = COLUMNS if page.alone else (Column("run", "run"), *COLUMNS)
    left = f" The first {MAX_ROWS} of {len(rows):,}." if len(rows) > MAX_ROWS else ""
    table = table_of(
        "checkpoints",
        "Checkpoints: bytes with redundancy; from the first message posted to the last acknowledged",
        columns,
        rows[:MAX_ROWS],
        "More: against the mean of the job's steps that write no checkpoint and that none overlaps; - where there is no such step."
        + left,
    )
    return [*pictures, table]


def rows_of(run, keys):
    if run.checkpoints.empty:
        return []
    frame = run.checkpoints.assign(run=label_of(run, keys), rate_GBps=run.checkpoints["bytes_per_s"] / 1e9)
    return frame.to_dict("records")
