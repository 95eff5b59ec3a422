"""Tables and claims of the study of losses. run.sh runs it; README.md says what comes out."""

from study import Study, median, select, spread, table

RECOVERIES = {"go_back_n": "go-back-N", "selective_repeat": "selective repeat"}
TIMERS = {"nccl": "4.295 s", "short": "4 ms"}
DIRTY = {1e-18: "none", 2.979e-8: "1 of 1,000", 2.993e-7: "1 of 100"}
PACKETS_LOST = {2.979e-8: 1e-3, 2.993e-7: 1e-2}


def rate_gbps(run):
    """Of the only message, from the start of the run."""
    return run["goodput_bits_per_s"] * 1e-9


def time_ms(run):
    return run.collective("time_ps") * 1e-9


def lost(run):
    return sum(run[f"drops_{cause}"] for cause in ("corrupted", "link_down", "no_route"))


def rows_of(words, runs, value, form):
    """A row per recovery and timeout, and {(recovery, timeouts): the median of value}."""
    rows, found = [], {}
    for recovery, name in RECOVERIES.items():
        for timers, timer in TIMERS.items():
            of = select(runs, recovery=recovery, timers=timers)
            found[recovery, timers] = median(value(run) for run in of)
            counts = (
                spread([count(run) for run in of]) for count in (lost, lambda run: run["retransmits"], lambda run: run["timeouts"])
            )
            rows.append([words, name, timer, spread([value(run) for run in of], form), *counts])
    return rows, found


study = Study()
found = {}
heads = ["packets lost", "NICs", "roce.rto", None, "lost", "retransmitted", "timeouts"]
for sweep, value, form, unit in (("flow", rate_gbps, "{:.1f}", "Gb/s"), ("all_reduce", time_ms, "{:.2f}", "time, ms")):
    rows = []
    for errors, words in DIRTY.items():
        more, found[sweep, errors] = rows_of(words, select(study.runs(sweep), bit_error_rate=errors), value, form)
        rows += more
    print({"flow": "one flow of 400G:", "all_reduce": "all-reduce on 64 GPUs, one NIC's cable is dirty:"}[sweep])
    table([head or unit for head in heads], rows)
rows, found["failed"] = rows_of("a cable fails", study.runs("failed"), time_ms, "{:.2f}")
print("all-reduce on 64 GPUs, a cable between a rack and a CTSW fails; its rack knows after 1 ms, all after 5:")
table([head or "time, ms" for head in heads], rows)

whole = found["flow", 1e-18]["go_back_n", "nccl"]
for errors, share in PACKETS_LOST.items():
    study.claim(
        f"selective repeat reaches 0.9 of what {DIRTY[errors]} lost leaves, whatever roce.rto is",
        all(found["flow", errors]["selective_repeat", timers] > 0.9 * (1 - share) * whole for timers in TIMERS),
    )
study.claim(
    "go-back-N loses half of the line and more at 1 of 100",
    found["flow", 2.993e-7]["go_back_n", "short"] < 0.5 * whole,
)
for errors in PACKETS_LOST:
    times = found["all_reduce", errors]
    study.claim(
        f"an all-reduce with {DIRTY[errors]} lost does not wait for roce.rto with selective repeat",
        max(times["selective_repeat", timers] for timers in TIMERS) < 1000,
    )
study.claim(
    "a cable that fails costs one timeout of NCCL's with go-back-N",
    4000 < found["failed"]["go_back_n", "nccl"],
)
study.end()
