"""How long messages took: percentiles, slowdown by size."""

from heddle.report.blocks import Column, table_of

TITLE = "Messages"


def blocks(page):
    found = []
    if page.alone and "completion_ecdf" in page.run.frames:
        found.append(percentiles(page.run))
    found += page.pictures("completion_ecdf", "slowdown")
    if page.alone and "slowdown" in page.run.frames:
        found.append(by_size(page.run))
    return found + page.pictures("completions")


def percentiles(run):
    frame = run.frames["completion_ecdf"]
    row = {f"p{percent:g}": value for percent, value in frame.attrs["percentiles"].items()} | {"most": int(frame["completion_ps"].iloc[-1])}
    columns = [Column(key, "slowest" if key == "most" else key, "ps") for key in row]
    return table_of("message_completion", "Completion, acknowledged - posted: nearest ranks, as heddle info prints them", columns, [row], frame.attrs["note"])


def by_size(run):
    frame = run.frames["slowdown"]
    columns = [Column("bytes", "message size", "size"), Column("messages", "messages", "count"),
               *(Column(key, "slowest" if key == "p100" else key, "x") for key in frame.columns if key.startswith("p"))]
    return table_of("slowdown_by_size", "Times the ideal by size", columns, frame, frame.attrs["note"], folded=True)
