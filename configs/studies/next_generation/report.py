"""Tables and claims of the study of the next generation's routing. run.sh runs it; README.md says what comes out."""

from study import Study, median, select, spread, table


def row(words, receiver, runs):
    packets = sum(run["data_packets_received"] for run in runs)
    share = {name: 100 * sum(run[name] for run in runs) / packets for name in ("data_packets_out_of_order", "retransmits")}
    use = [(uplinks.use.min(), uplinks.use.max()) for uplinks in (run.links("rtsw", "ctsw") for run in runs)]
    return [
        words,
        receiver,
        spread([run.collective("busbw_GBps") for run in runs]),
        f"{share['data_packets_out_of_order']:.1f}",
        max(run["largest_reordering_packets"] for run in runs),
        f"{share['retransmits']:.1f}",
        spread([run["timeouts"] for run in runs]),
        spread([run["pfc_pauses"] for run in runs]),
        f"{100 * median(least for least, _ in use):.0f} to {100 * median(most for _, most in use):.0f}",
    ]


def rate(runs):
    return median(run.collective("busbw_GBps") for run in runs)


CABLE = {  # by (policy, QPs): words, and the sweep without a failure
    ("ecmp", 4): ("ECMP", "flows"),
    ("e_ecmp", 16): ("E-ECMP, 16 QPs, split", "flows"),
    ("path_pinning", 4): ("path pinning", "flows"),
    ("spray", 1): ("spray, hash, 1 QP", "one_qp"),
    ("adaptive", 1): ("adaptive per packet, 1 QP", "one_qp"),
}


def with_a_bad_cable(study):
    """{policy: busbw with all cables, with one down, with one slow}, {(policy, timer): ms that one which fails in mid-run
    costs, of every seed}; prints them."""
    rows, middle, found, costs = [], [], {}, {}
    for (policy, qps), (words, whole) in CABLE.items():
        if study.small and policy in ("ecmp", "e_ecmp"):
            continue
        kinds = [select(study.runs(sweep), policy=policy) for sweep in (whole, "failed", "slow")]
        if whole == "flows":
            kinds[0] = select(kinds[0], qps_per_connection=qps, qp_scaling="split" if policy == "e_ecmp" else "round_robin")
        found[policy] = [rate(runs) for runs in kinds]
        reordering = max(run["largest_reordering_packets"] for run in kinds[2])
        rows.append(
            [
                words,
                *(spread([run.collective("busbw_GBps") for run in runs]) for runs in kinds),
                reordering,
                *(spread([run["retransmits"] for run in runs]) for runs in kinds[1:]),
            ]
        )
        whole_ps = {run["simulation.seed"]: run.collective("time_ps") for run in kinds[0]}
        failing = select(study.runs("failing"), policy=policy)
        for timer in dict.fromkeys(run["roce.timers"] for run in failing):
            runs = select(failing, timers=timer)
            costs[policy, timer] = [1e-9 * (run.collective("time_ps") - whole_ps[run["simulation.seed"]]) for run in runs]
            middle.append(
                [
                    words,
                    timer,
                    spread([1e-9 * time_ps for time_ps in whole_ps.values()], "{:.1f}"),
                    spread(costs[policy, timer], "{:+.1f}"),
                    spread([run["drops_link_down"] + run["drops_no_route"] for run in runs]),
                    *(spread([run[column] for run in runs]) for column in ("retransmits", "timeouts")),
                ]
            )
    print("one cable between a rack and a CTSW, receivers that place:")
    table(
        [
            "routing",
            "good, GB/s",
            "down, GB/s",
            "at 100G, GB/s",
            "furthest reordering (100G), packets",
            "retransmitted (down)",
            "retransmitted (100G)",
        ],
        rows,
    )
    print("the same cable fails in mid-run; its rack and CTSW know after 1 ms, all others after 5:")
    table(["routing", "timer", "all good, ms", "more, ms", "packets lost", "retransmitted", "timeouts"], middle)
    return found, costs


study = Study()
flows, adaptive, spray = study.runs("flows"), study.runs("adaptive"), study.runs("spray")
names = {"ecmp": "ECMP", "e_ecmp": "E-ECMP", "path_pinning": "path pinning"}
rows, found = [], {}
for policy, qps, scaling in dict.fromkeys(
    (run["routing.policy"], run["job.0.qps_per_connection"], run["job.0.qp_scaling"]) for run in flows
):
    runs = select(flows, policy=policy, qps_per_connection=qps, qp_scaling=scaling)
    found[policy, qps, scaling] = rate(runs)
    detail = f", {qps} QPs, {scaling.replace('_', ' ')}" if policy == "e_ecmp" else ""
    rows.append(row(names[policy] + detail, "either", runs))
for receiver in ("go_back_n", "selective_repeat"):
    for per in ("flowlet", "packet"):
        runs = select(adaptive, recovery=receiver, per=per)
        found["adaptive", per, receiver] = rate(runs)
        rows.append(row(f"adaptive per {per}", receiver.replace("_", " "), runs))
    for by in ("hash", "round_robin"):
        runs = select(spray, recovery=receiver, by=by)
        found["spray", by, receiver] = rate(runs)
        rows.append(row(f"spray, {by.replace('_', ' ')}", receiver.replace("_", " "), runs))
one_qp, collapse = study.runs("one_qp"), study.runs("collapse")
for policy in ("adaptive", "spray"):
    runs = select(one_qp, policy=policy)
    found["one QP", policy] = rate(runs)
    rows.append(row({"adaptive": "adaptive per packet", "spray": "spray, hash"}[policy] + ", 1 QP", "selective repeat", runs))
for qps, rto in dict.fromkeys((run["job.0.qps_per_connection"], run["roce.rto"]) for run in collapse):
    runs = select(collapse, qps_per_connection=qps, rto=rto)
    found["collapse", qps, rto] = rate(runs)
    rows.append(row(f"spray, hash, {qps} QPs, timeout {rto}", "go back n", runs))
table(
    [
        "routing",
        "receiver",
        "busbw, GB/s",
        "out of order, %",
        "furthest, packets",
        "retransmitted, %",
        "timeouts",
        "PFC pauses",
        "use of uplinks, %",
    ],
    rows,
)

same = study.runs("same")
study.claim(
    "a flow in order is the same to both receivers, to the picosecond", len({run.collective("time_ps") for run in same}) == 1
)
best_hash = found["e_ecmp", 16, "split"]
for policy, how in (("adaptive", "packet"), ("spray", "hash"), ("spray", "round_robin")):
    collapsed, whole = found[policy, how, "go_back_n"], found[policy, how, "selective_repeat"]
    if how != "round_robin":
        study.claim(f"{policy} ({how}) into a go-back-N receiver collapses", collapsed < 0.6 * whole)
    else:
        study.claim("spray in turn into a go-back-N receiver loses, too", collapsed < 0.95 * whole)
    study.claim(
        f"{policy} ({how}) into a receiver that places beats as many queue pairs hashed",
        whole > 1.1 * found["e_ecmp", 4, "round_robin"],
    )
for policy in ("adaptive", "spray"):
    study.claim(
        f"{policy} needs no queue pair scaling: with one it is at least as good as 16, split",
        found["one QP", policy] > 0.98 * best_hash,
    )
study.claim(
    "the collapse is worse than E-ECMP with as many queue pairs",
    found["spray", "hash", "go_back_n"] < found["e_ecmp", 4, "round_robin"],
)
study.claim(
    "neither more queue pairs nor a shorter timer undo it",
    all(value < 0.9 * found["spray", "hash", "selective_repeat"] for name, value in found.items() if name[0] == "collapse"),
)
study.claim("a queue pair that has less on its way goes back less", found["collapse", 4, "4 ms"] > found["collapse", 1, "4 ms"])
study.claim(
    "adaptive per flowlet needs nothing of the receiver",
    abs(found["adaptive", "flowlet", "go_back_n"] / found["adaptive", "flowlet", "selective_repeat"] - 1) < 0.02,
)
cable, costs = with_a_bad_cable(study)
study.claim("spray: 1 of 18 uplinks of a rack less costs less than 8 %", cable["spray"][1] > 0.92 * cable["spray"][0])
study.claim(
    "a cable that fails in mid-run costs no routing more than the time until all know (5 ms) and some waits of the low timer (1.6 ms), "
    "whatever roce.rto is",
    all(max(ms) < 9.5 for ms in costs.values()),
)
if not study.small:  # admission limits the small ones, not links
    study.claim(
        "adaptive: it costs more, as racks send what others cannot by the CTSW that one rack has lost",
        cable["adaptive"][1] < 0.95 * cable["spray"][1],
    )
    study.claim("and it is still better than any hashing with all cables", cable["adaptive"][1] > 1.1 * best_hash)
    study.claim(
        "in mid-run spraying and adaptive routing are not spared: they wait until all know",
        all(min(costs[policy, timer]) > 4 for policy in ("spray", "adaptive") for timer in ("nccl", "short")),
    )
    study.claim(
        "one slow cable slows both to less than 0.6 times: no rack but its own sees it",
        all(cable[policy][2] < 0.6 * cable[policy][0] for policy in ("spray", "adaptive")),
    )
study.end()
