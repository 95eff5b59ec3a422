"""How fast the simulation itself was."""

from heddle.figures import FIGURES
from heddle.report.blocks import Column, table_of
from heddle.text import counted

MOST_OPEN = 24
TITLE = "Speed of the run itself"
COLUMNS = [
    Column("wall_s", "wall time", "s"),
    Column("packet_hops", "packet-hops", "count"),
    Column("packet_hops_per_s", "packet-hops per second", ""),
    Column("memory_bytes", "state in memory", "B"),
    Column("sittings", "process runs", "count"),
    Column("exchanges", "exchanges", "count"),
    Column("exchanged_bytes", "exchanged", "B"),
]
CHECKPOINTS = [Column("checkpoints", "checkpoints", "count"), Column("checkpoint_wall_s", "writing them", "s")]
UNKNOWN = "How long writing took is not known of {}, from which the run went on."


def blocks(page):
    runs = [run for run in page.runs if run.perf and not run.partial]
    if not runs:
        page.absent.append((FIGURES["speed"].title, page.runs[0].missing.get("/perf", "the file has no /perf")))
        return []
    unknown = sum(run.perf["checkpoints_unknown"] for run in runs)
    note = UNKNOWN.format(counted(unknown, "checkpoint")) if unknown else ""
    checkpoints = CHECKPOINTS if any(run.perf["checkpoints"] for run in runs) else []
    if page.alone:
        row = {**page.run.perf, "packet_hops_per_s": float(round(page.run.perf["packet_hops_per_s"]))}
        return [
            table_of("speed", "What the run took; a process run is one start of the program", [*COLUMNS, *checkpoints], [row], note),
            *page.pictures("speed"),
        ]
    columns = [Column("run", "run"), *(Column(key, key) for key in page.keys), *COLUMNS[:4], *checkpoints]
    return [
        table_of(
            "speed",
            "What the runs took",
            columns,
            [{"run": run.name, **run.axes, **run.perf} for run in runs],
            note,
            folded=len(runs) > MOST_OPEN,
        )
    ]
