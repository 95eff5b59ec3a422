"""How long messages took: percentiles, slowdown by size."""

from heddle.report.blocks import Cell, Column, Table, table_of

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
    percents = list(frame.attrs["percentiles"])
    keys = ["slowest" if percent == 100 else f"p{percent:g}" for percent in percents]
    rows = [("completion", "ps", frame.attrs["percentiles"]), ("times the ideal", "x", frame.attrs["slowdown"])]
    cells = [
        [Cell(what, what), *(Cell(found[percent].text(unit), repr(found[percent].value)) for percent in percents)]
        for what, unit, found in rows
        if found
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
