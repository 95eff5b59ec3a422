"""How long messages took: percentiles, slowdown by size."""

from heddle.report.blocks import Cell, Column, Table

TITLE = "Messages"


def blocks(page):
    found = []
    if page.alone and "completion_ecdf" in page.run.frames:
        found.append(percentiles(page.run))
    return found + page.pictures("completion_ecdf", "slowdown")


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
