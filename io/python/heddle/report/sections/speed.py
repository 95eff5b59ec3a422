"""How fast the simulation itself was."""

from heddle.report.blocks import Column, table_of
from heddle.text import counted

MAX_OPEN = 24
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
CAPTION = (
    "What the run took, and of it every phase: of several ranks, exchange is how long the one that waited longest did; a process run is "
    "one start of the program"
)
UNKNOWN = "How long writing took is not known of {}, from which the run resumed."


def blocks(page):
    runs = [run for run in page.runs if run.perf and not run.partial]
    if not runs:
        page.absent.append((TITLE, page.runs[0].missing.get("/perf", "the file has no /perf")))
        return []
    unknown = sum(run.perf["checkpoints_unknown"] for run in runs)
    note = UNKNOWN.format(counted(unknown, "checkpoint")) if unknown else ""
    checkpoints = CHECKPOINTS if any(run.perf["checkpoints"] for run in runs) else []
    if page.alone:
        perf = page.run.perf
        phases = [Column(phase, phase, "s") for phase in perf["phases"]]
        row = {**perf, **perf["phases"], "packet_hops_per_s": float(round(perf["packet_hops_per_s"]))}
        return [table_of("speed", CAPTION, [COLUMNS[0], *phases, *COLUMNS[1:], *checkpoints], [row], note)]
    columns = [Column("run", "run"), *(Column(key, key) for key in page.keys), *COLUMNS[:4], *checkpoints]
    return [
        table_of(
            "speed",
            "What the runs took",
            columns,
            [{"run": run.name, **run.axes, **run.perf} for run in runs],
            note,
            folded=len(runs) > MAX_OPEN,
        )
    ]
