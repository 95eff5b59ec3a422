"""How fast the simulation itself was."""

from heddle.figures import FIGURES
from heddle.report.blocks import Column, table_of

MOST_OPEN = 24
TITLE = "Speed of the run itself"
COLUMNS = [
    Column("wall_s", "wall time", "s"),
    Column("packet_hops", "packet-hops", "count"),
    Column("packet_hops_per_s", "packet-hops per second", ""),
    Column("memory_bytes", "state in memory", "B"),
    Column("sittings", "sittings", "count"),
    Column("exchanges", "exchanges", "count"),
    Column("exchanged_bytes", "exchanged", "B"),
]


def blocks(page):
    runs = [run for run in page.runs if run.perf and not run.partial]
    if not runs:
        page.absent.append((FIGURES["speed"].title, page.runs[0].missing.get("/perf", "the file has no /perf")))
        return []
    if page.alone:
        row = {**page.run.perf, "packet_hops_per_s": float(round(page.run.perf["packet_hops_per_s"]))}
        return [
            table_of("speed", "What the run took; a sitting is one start of the program", COLUMNS, [row]),
            *page.pictures("speed"),
        ]
    columns = [Column("run", "run"), *(Column(key, key) for key in page.keys), *COLUMNS[:4]]
    return [
        table_of(
            "speed",
            "What the runs took",
            columns,
            [{"run": run.name, **run.axes, **run.perf} for run in runs],
            folded=len(runs) > MOST_OPEN,
        )
    ]
