"""Tables and claims of the study of class best_effort. run.sh runs it; README.md says what comes out."""

from study import Study, mean, median, select, spread, table

LIMITS = {("1 MiB", 0): "1 MiB", ("0 B", 0.125): "1/8 of free", ("0 B", 1): "free", ("0 B", 8): "8 x free"}
HEAD = ["all-to-all, ms", "PAUSEs", "paused, ms", "TCP, GB/s", "a read, ms: p50 / p99", "retransmits", "timeouts"]


class Case:
    """Runs that differ in the seed alone."""

    def __init__(self, study, runs):
        said = [study.info(run) for run in runs]
        self.times = [mean(row["time_ps"] for row in one["collectives"]) * 1e-9 for one in said]
        self.time = median(self.times)
        self.pauses = [run["pfc_pauses"] for run in runs]
        self.paused = median(run["paused_ps"] * 1e-9 for run in runs)
        self.lost = sum(run["drops_headroom_overrun"] + run["drops_pool_overflow"] for run in runs)
        self.retransmits = [run["retransmits"] for run in runs]
        self.timeouts = [run["timeouts"] for run in runs]
        reads = [one["requests"][0] for one in said]
        self.rate = median(one["bits_per_s"] / 8e9 for one in reads)
        self.reads = [median(one["time_ps"][p] * 1e-9 for one in reads) for p in ("p50", "p99")]

    def row(self, tcp=True):
        row = [spread(self.times, "{:.2f}"), spread(self.pauses, "{:,.0f}"), f"{self.paused:.0f}"]
        if not tcp:
            return row + ["-"] * 4
        counts = [f"{median(values):,.0f}" for values in (self.retransmits, self.timeouts)]
        return [*row, f"{self.rate:,.0f}", " / ".join(f"{read:.1f}" for read in self.reads), *counts]


def by_limit(runs, **where):
    """(limit, limit_alpha) -> those of the runs."""
    runs = select(runs, **where)
    return {
        limit: [run for run in runs if (run["class.best_effort.limit"], run["class.best_effort.limit_alpha"]) == limit]
        for limit in LIMITS
        if any((run["class.best_effort.limit"], run["class.best_effort.limit_alpha"]) == limit for run in runs)
    }


study = Study()
static, dynamic = ("1 MiB", 0), ("0 B", 8)
of_beside = study.runs("beside")
memories = list(dict.fromkeys(run["tier.leaf.buffer.bytes"] for run in of_beside))
off, beside, strict_beside, dctcp, rows = {}, {}, {}, {}, []
for memory in memories:
    off[memory] = Case(study, select(study.runs("off"), **{"leaf.buffer.bytes": memory}))
    rows.append([memory, "no TCP", "", *off[memory].row(tcp=False)])
    for limit, runs in by_limit(of_beside, **{"leaf.buffer.bytes": memory}).items():
        beside[memory, limit] = Case(study, runs)
        rows.append([memory, "CUBIC", LIMITS[limit], *beside[memory, limit].row()])
    if not study.small and memory == memories[0]:
        for limit, runs in by_limit(study.runs("beside_strict")).items():
            strict_beside[limit] = Case(study, runs)
            rows.append([memory, "CUBIC, lossless strict", LIMITS[limit], *strict_beside[limit].row()])
    if not study.small:
        dctcp[memory] = Case(study, select(study.runs("beside_dctcp"), **{"leaf.buffer.bytes": memory}))
        rows.append([memory, "DCTCP", LIMITS[dynamic], *dctcp[memory].row()])
print("TCP between other NICs at the same switches:")
table(["memory of a switch", "TCP", "a queue holds", *HEAD], rows)

same, same_dctcp, rows = {}, {}, []
of_same = study.runs("same")
weights = list(dict.fromkeys((run["class.lossless.weight"], run["class.lossless.strict"]) for run in of_same))
for weight, strict in weights:
    where = {"lossless.weight": weight, "lossless.strict": strict}
    words = "strict" if strict else f"{weight} : 1"
    for limit, runs in by_limit(of_same, **where).items():
        same[(weight, strict), limit] = Case(study, runs)
        rows.append([words, "CUBIC", LIMITS[limit], *same[(weight, strict), limit].row()])
    if not study.small:
        same_dctcp[weight, strict] = Case(study, select(study.runs("same_dctcp"), **where))
        rows.append([words, "DCTCP", LIMITS[dynamic], *same_dctcp[weight, strict].row()])
print("TCP of the job's own NICs, 64 MiB:")
table(["lossless : best effort", "TCP", "a queue holds", *HEAD], rows)

small, large = memories[0], memories[-1]
everything = [*off.values(), *beside.values(), *strict_beside.values(), *dctcp.values(), *same.values(), *same_dctcp.values()]
study.claim("class lossless loses no packet, whatever TCP takes", not any(case.lost for case in everything))
study.claim(
    "on NICs of its own, TCP under a static limit causes no PAUSEs: there are no more than without TCP",
    all(max(beside[memory, static].pauses) <= 1.1 * max(off[memory].pauses) for memory in memories),
)
study.claim(
    "in the smallest memory a dynamic limit of 8 takes what PAUSEs depend on: more than with a static limit",
    min(beside[small, dynamic].pauses) > 2 * max(beside[small, static].pauses),
)
study.claim("in the largest memory there are none", not any(max(beside[large, limit].pauses) for limit in (static, dynamic)))
study.claim(
    "even so the all-to-all loses less than 5 % to TCP of other NICs",
    all(case.time < 1.05 * off[memory].time for (memory, _), case in beside.items()),
)
study.claim(
    "a static limit costs TCP more than half of what it has in the largest memory",
    beside[large, static].rate < 0.5 * beside[large, dynamic].rate,
)
study.claim(
    "on the job's own NICs an all-to-all of equal weight takes 1.5 times as long and more, whatever limits TCP's queues",
    min(min(same[weights[0], limit].times) for limit in (static, dynamic)) > 1.5 * off[large].time,
)
study.claim(
    "the more its class may send first, the sooner it is done",
    all(same[a, limit].time > same[b, limit].time for limit in (static, dynamic) for a, b in zip(weights, weights[1:])),
)
if not study.small:
    study.claim(
        "DCTCP has at least 0.9 of CUBIC's best rate, in every memory, and retransmits nothing on NICs of its own",
        all(case.rate > 0.9 * max(c.rate for (m, _), c in beside.items() if m == memory) for memory, case in dctcp.items())
        and not any(sum(case.retransmits) for case in dctcp.values()),
    )
    study.claim(
        "DCTCP causes less than half of the PAUSEs of CUBIC under the same limit",
        max(dctcp[small].pauses) < 0.5 * min(beside[small, dynamic].pauses),
    )
    study.claim(
        "on the job's own NICs dynamic limits cause more PAUSEs than static ones at every weight",
        all(min(same[weight, dynamic].pauses) > max(same[weight, static].pauses) for weight in weights if not weight[1]),
    )
    study.claim(
        "to serve the lossless class strictly first gives no memory back",
        min(strict_beside[dynamic].pauses) > 2 * max(strict_beside[static].pauses),
    )
    study.claim(
        "served strictly first it takes as long as without TCP, to 1 %",
        all(same[(1, True), limit].time < 1.01 * off[large].time for limit in (static, dynamic)),
    )
study.end()
