"""Tables and claims of the study of flowlets. run.sh runs it; README.md says what comes out."""

from study import Study, median, select, spread, table


def of(runs, column):
    return [run[column] for run in runs]


def busbw(runs):
    return [run.collective("busbw_GBps") for run in runs]


study = Study()
flowlet, hashed = study.runs("flowlet"), study.runs("e_ecmp")
gaps = list(dict.fromkeys(of(flowlet, "routing.flowlet.gap")))
all_qps = sorted(set(of(flowlet, "job.0.qps_per_connection")))
late, rate = {}, {}


def row(qps, gap, runs):
    late[qps, gap], rate[qps, gap] = sum(of(runs, "data_packets_out_of_order")), busbw(runs)
    return [
        qps,
        gap,
        f"{late[qps, gap]:,} in {sum(of(runs, 'end_ps')) * 1e-9:.1f} ms",
        max(of(runs, "largest_reordering_packets")),
        f"{100 * sum(of(runs, 'retransmits')) / sum(of(runs, 'data_packets_received')):.1f}",
        spread(busbw(runs), "{:.1f}"),
    ]


HEAD = ["QPs", "gap", "out of order", "furthest, packets", "retransmitted, %", "busbw, GB/s"]
rows = []
for qps in all_qps:
    rows += [row(qps, gap, select(flowlet, qps_per_connection=qps, gap=gap)) for gap in gaps]
    rows.append(row(qps, "E-ECMP", select(hashed, qps_per_connection=qps)))
    study.claim(f"{qps} QPs: E-ECMP reorders nothing", late[qps, "E-ECMP"] == 0)
table(HEAD, rows)

few = all_qps[0]
study.claim("short gaps reorder", late[few, "2 us"] > 0)
study.claim("the longer the gap, the less", all(late[few, a] >= late[few, b] for a, b in zip(gaps, gaps[1:])))
for gap in gaps:
    if int(gap.split()[0]) >= 128:
        study.claim(f"a gap of {gap} reorders nothing", all(late[qps, gap] == 0 for qps in all_qps))
study.claim(
    f"{few} QPs: shorter gaps, after which flows do move, are better than 512 us, for which none pauses",
    max(median(rate[few, gap]) for gap in gaps) > 1.2 * median(rate[few, "512 us"]),
)
if not study.small:
    runs = study.runs("large_slices")
    table(HEAD, [row("1, 2 GiB", gap, select(runs, gap=gap)) for gap in dict.fromkeys(of(runs, "routing.flowlet.gap"))])
    study.claim("slices of 1 MiB: 128 us reorder", late["1, 2 GiB", "128 us"] > 0)
    study.claim("and 256 us less than a twentieth of that", late["1, 2 GiB", "256 us"] < 0.05 * late["1, 2 GiB", "128 us"])
    study.claim("and 512 us nothing", late["1, 2 GiB", "512 us"] == 0)
study.end()
