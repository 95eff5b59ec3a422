"""How long messages took: percentiles, slowdown by size."""

from heddle.report.blocks import Cell, Column, Table, table_of
from heddle.text import text_of

TITLE = "Messages"


def blocks(page):
    found = []
    if page.alone and "completion_ecdf" in page.run.frames:
        found.append(percentiles(page.run))
    found += page.pictures("completion_ecdf", "slowdown")
    if page.alone and "slowdown" in page.run.frames:
        found.append(by_size(page.run))
    return found


def percentiles(run):
    """Completion, and how many times the ideal it was."""
    frame = run.frames["completion_ecdf"]
    keys = [*(f"p{percent:g}" for percent in frame.attrs["percentiles"]), "slowest"]
    rows = [["completion", *frame.attrs["percentiles"].values(), int(frame["completion_ps"].iloc[-1])]]
    units = ["ps"]
    if frame.attrs["slowdown"]:
        rows.append(["times the ideal", *frame.attrs["slowdown"].values()])
        units.append("x")
    cells = [
        [Cell(row[0], row[0]), *(Cell(text_of(value, unit), repr(value)) for value in row[1:])] for row, unit in zip(rows, units)
    ]
    columns = [Column("what", "nearest rank"), *(Column(key, key, "ps") for key in keys)]
    return Table(
        "message_percentiles",
        "Messages: acknowledged - posted, and that over what an idle fabric would take",
        columns,
        cells,
        frame.attrs["note"],
    )


def by_size(run):
    frame = run.frames["slowdown"]
    columns = [
        Column("bytes", "message size", "size"),
        Column("messages", "messages", "count"),
        *(Column(key, "slowest" if key == "p100" else key, "x") for key in frame.columns if key.startswith("p")),
    ]
    return table_of("slowdown_by_size", "Times the ideal by size", columns, frame, frame.attrs["note"], folded=True)
