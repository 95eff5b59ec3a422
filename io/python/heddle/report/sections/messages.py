"""How long messages took: percentiles, slowdown by size."""

from heddle.report.arrangement import label_of
from heddle.report.blocks import Cell, Column, Table, table_of

TITLE = "Messages"


def blocks(page):
    found = []
    if page.alone and "completion_ecdf" in page.run.frames:
        found.append(percentiles(page.run))
    goodputs = [row for run in page.runs for row in rows_of_goodput(run, page.keys)]
    if goodputs:
        found.append(goodput(goodputs, page.alone))
    return found + page.pictures("completion_ecdf", "slowdown", "tcp_window")


def rows_of_goodput(run, keys):
    """A row for each kind of messages; none where one kind can stand for all."""
    return [
        {"run": label_of(run, keys), "kind": kind.text, **rows.iloc[0][["finished", "messages", "received_bytes"]], "rate": rate}
        for kind, rows in run.message_kinds.items()
        for rate in [float(rows["goodput_bits_per_s"].iloc[0])]
    ]


def goodput(rows, alone):
    columns = [
        Column("run", "run"),
        Column("kind", "whose, fabric, class"),
        Column("messages", "messages", "count"),
        Column("finished", "finished", "count"),
        Column("received_bytes", "received", "B"),
        Column("rate", "goodput", "bit/s"),
    ]
    return table_of(
        "goodput",
        "Goodput of each fabric and class, checkpoints and data apart: payload received, from the first posting to the last completion",
        columns[1 if alone else 0 :],
        rows,
    )


def percentiles(run):
    """Completion, and how many times the ideal it was."""
    frame = run.frames["completion_ecdf"]
    curves = {kind: curve for kind, curve in frame.attrs["curves"].items() if curve.completion}
    percents = list(next(iter(curves.values())).completion)
    keys = ["slowest" if percent == 100 else f"p{percent:g}" for percent in percents]
    rows = [
        (f"{kind}: {what}" if kind else what, unit, found)
        for kind, curve in curves.items()
        for what, unit, found in (("completion", "ps", curve.completion), ("times the ideal", "x", curve.slowdown))
    ]
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
