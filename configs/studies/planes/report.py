"""Tables and claims of the study of planes. run.sh runs it; README.md says what comes out."""

import statistics

from study import Study, median, select, spread, table

LINE_GBPS = 800 * 4096 / 4198  # payload of full packets at the rate of eight ports


def repeats(run):
    """The busbw of its collectives in order, GB/s; 0: not finished."""
    return [value or 0 for name, value in run.items() if name.startswith("job0.") and name.endswith(".busbw_GBps")]


def at_full_load(study, width):
    """{(policy, dead fraction): goodput of a GPU while all send, as a part of the line; median of seeds}."""
    rows, found = [], {}
    for policy in ("adaptive", "spray"):
        for dead in (0, 0.05, 0.1):
            runs = select(study.runs(f"full_{width}"), policy=policy, dead_fraction=dead)
            # a message of so many bytes in its median time: what all get before the slowest is done
            bits = [run["received_bytes"] * 8 / run["messages"] for run in runs]
            rates = [b / run["completion_p50_ps"] * 1e3 / LINE_GBPS for b, run in zip(bits, runs)]
            slowest = [b / run["completion_max_ps"] * 1e3 / LINE_GBPS for b, run in zip(bits, runs)]
            found[policy, dead] = median(rates)
            percent = lambda values: spread([100 * v for v in values], "{:.1f}")  # noqa: E731
            queues = spread([run["largest_queue_bytes"] * 1e-3 for run in runs])
            most = spread([run["largest_reordering_packets"] for run in runs])
            rows.append([width, policy, f"{dead:.0%}", percent(rates), percent(slowest), queues, most])
    return rows, found


def below_full_load(study, width):
    rows, found = [], {}
    for load in (0.5, 0.7, 0.8):
        before = None
        for dead in (0, 0.05, 0.1):
            runs = select(study.runs(f"load_{width}"), load=load, dead_fraction=dead)
            p50, p99 = (median(run[f"completion_{p}_ps"] for run in runs) * 1e-6 for p in ("p50", "p99"))
            before = before or (p50, p99)
            more = [f"{100 * (now / then - 1):+.1f} %" for now, then in zip((p50, p99), before)]
            rows.append([width, f"{load:.0%}", f"{dead:.0%}", f"{p50:.2f}", more[0], f"{p99:.2f}", more[1]])
            found[load, dead] = p50 / before[0] - 1
    return rows, found


study = Study()
widths = [8] if study.small else [16, 64]
full, late = {}, {}
rows, late_rows = [], []
for width in widths:
    more, full[width] = at_full_load(study, width)
    rows += more
    more, late[width] = below_full_load(study, width)
    late_rows += more
table(["uplinks", "switches", "dead", "median GPU, % of line", "slowest GPU, % of line", "largest queue, KB", "overtaken by"], rows)
table(["uplinks", "load", "dead", "p50, us", "more", "p99, us", "more"], late_rows)

CASES = {"whole": "none", "dead": "a plane, from the start", "dies": "a plane, on the way", "port": "a port, 1 ms"}
rows, rates = [], {}
for case, words in CASES.items():
    for split in ("split", "round_robin"):
        for recovery in ("go_back_n", "selective_repeat"):
            (run,) = select(study.runs(case), qp_scaling=split, recovery=recovery)
            busbw = repeats(run)
            rates[case, split, recovery] = busbw
            ends = statistics.median(busbw[-3:])
            rows.append(
                [
                    words,
                    split,
                    recovery,
                    f"{busbw[0]:.0f}",
                    f"{min(busbw):.0f}",
                    f"{ends:.0f}",
                    run["drops_link_down"],
                    run["timeouts"],
                    run["status"],
                ]
            )
table(["what fails", "slices", "NICs", "busbw of the first", "worst", "last three", "packets lost", "timeouts", "end"], rows)

wide = full[widths[-1]]
study.claim(
    "adaptive switches carry as much as spraying ones or more",
    all(w["adaptive", d] >= 0.98 * w["spray", d] for w in full.values() for d in (0, 0.05, 0.1)),
)
study.claim(
    "dead cables cost more than their part of the capacity at full load", wide["adaptive", 0.1] < 0.9 * wide["adaptive", 0] * 1.02
)
study.claim(
    "below full load, a tenth of dead cables costs the median message less than it does at full load",
    all(late[width][0.5, 0.1] < full[width]["adaptive", 0] / full[width]["adaptive", 0.1] - 1 for width in widths),
)
if len(widths) > 1:
    study.claim("wider leaves suffer less", full[64]["adaptive", 0.1] > full[16]["adaptive", 0.1])
study.claim(
    "without a plane an all-reduce has 40 to 65 % of its rate, from the start or after the failure",
    all(
        0.4 < rates[case, s, r][-1] / rates["whole", s, r][-1] < 0.65
        for case in ("dead", "dies")
        for s in ("split", "round_robin")
        for r in ("go_back_n", "selective_repeat")
    ),
)
study.claim("nothing that fails fails a queue pair: all finish", all(min(busbw) > 0 for busbw in rates.values()))
study.end()
