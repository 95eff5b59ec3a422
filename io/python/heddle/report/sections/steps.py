"""Steps of training jobs."""

from heddle.figures.iterations import GROUPS, REST
from heddle.report.blocks import Column, table_of

TITLE = "Steps of the job"


def blocks(page):
    found = page.pictures("iterations")
    if page.alone and "iterations" in page.run.frames:
        found.append(table(page.run.frames["iterations"]))
    return found + page.pictures("gpu_time")


def table(frame):
    exposed = [f"exposed_{group}_ps" for group in GROUPS if frame[f"exposed_{group}_ps"].any()]
    columns = [
        Column("job", "job", "count"),
        Column("iteration", "iteration", "count"),
        Column("time_ps", "time", "ps"),
        Column("compute_ps", "computing", "ps"),
        Column("most_compute_ps", "most of a GPU", "ps"),
        *(Column(key, f"waits for {key.split('_')[1]}", "ps") for key in exposed),
        Column(REST, "rest", "ps"),
        Column("first_end_ps", "first GPU ends", "ps"),
        Column("end_ps", "last GPU ends", "ps"),
    ]
    return table_of(
        "iterations",
        "Iterations: means over the GPUs; the last two columns are the stragglers' spread",
        columns,
        frame,
        frame.attrs["note"],
    )
