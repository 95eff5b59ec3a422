"""Requests of clients to servers: how long those of each generator and of each job took, and how many were answered."""

from heddle.report.arrangement import label_of
from heddle.report.blocks import Cell, Column, Table
from heddle.results.askers import by_asker
from heddle.text import text_of

TITLE = "Requests"
COUNTS = {"requests": "count", "ended": "count", "received_bytes": "B", "bits_per_s": "bit/s", "requests_per_s": ""}


def blocks(page):
    pictures = page.pictures("request_ecdf")
    rows = [(run, asker, rows) for run in page.runs if len(run.requests) for asker, rows in by_asker(run.requests).items()]
    return [*pictures, table(rows, page)] if rows else pictures


def table(rows, page):
    percents = rows[0][2]["percent"].tolist()
    keys = ["slowest" if percent == 100 else f"p{percent:g}" for percent in percents]
    columns = [
        Column("run", "run"),
        Column("of", "of"),
        Column("requests", "requests", "count"),
        Column("ended", "ended", "count"),
        Column("received_bytes", "answers", "B"),
        Column("bits_per_s", "of answers", "bit/s"),
        Column("requests_per_s", "requests/s"),
        *(Column(key, key, "ps") for key in keys),
    ]
    cells = []
    for run, asker, own in rows:
        first = own.iloc[0]
        line = [Cell(label_of(run, page.keys), run.name), Cell(asker.name, asker.name)]
        line += [Cell(text_of(first[key], unit), repr(first[key].item())) for key, unit in COUNTS.items()]
        line += [time_cell(row) for row in own.itertuples()]
        cells.append(line[1 if page.alone else 0 :])
    return Table(
        "requests",
        "Requests: from the first question posted to the last answer received",
        columns[1 if page.alone else 0 :],
        cells,
        "Nearest ranks over all that were begun; one that had not ended counts with the time until the end, so >= is a lower bound.",
    )


def time_cell(row):
    if row.time_ps < 0:
        return Cell("-", "")
    return Cell(">= " * bool(row.time_at_least) + text_of(row.time_ps, "ps"), repr(row.time_ps))
