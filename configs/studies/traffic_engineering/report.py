"""Tables and claims of the study of traffic engineering. run.sh runs it; README.md says what comes out."""

from study import Study, median, select, spread, table

WAYS = {
    ("traffic_engineering", "split"): "TE",
    ("e_ecmp", "split"): "E-ECMP, 16 QPs, split",
    ("e_ecmp", "round_robin"): "E-ECMP, 16 QPs, in turn",
}
PLACEMENTS = {"contiguous": "whole racks", "random": "servers drawn"}


def rates(runs):
    return [run.collective("busbw_GBps") for run in runs]


def use_of(runs, *percentiles):
    """Mean use of the uplinks that are up, at these percentiles of the links, in %; medians over the runs."""
    balances = [run.balance().loc["rtsw>ctsw"] for run in runs]
    return " / ".join(f"{100 * median(balance[f'use_p{p}'] for balance in balances):.0f}" for p in percentiles)


def row(words, runs):
    balances = [run.balance().loc["rtsw>ctsw"] for run in runs]
    return [
        *words,
        spread(rates(runs)),
        spread([balance.busiest_over_mean for balance in balances], "{:.2f}"),
        f"{median(balance.jain_index for balance in balances):.2f}",
        use_of(runs, 0, 10, 50, 90, 100),
    ]


def at_any_time(study, run):
    """Busiest uplink / mean, of every interval of the series; mean over the run."""
    return next(kind["busiest_over_mean_in_time"] for kind in study.info(run)["links"]["kinds"] if kind["kind"] == "rtsw>ctsw")


HEAD = ["busbw, GB/s", "busiest uplink / mean", "Jain index", "use of uplinks, %: least / p10 / median / p90 / most"]


def by_way(study, sweep, words, rows, found):
    for placement, placement_words in PLACEMENTS.items():
        for (policy, scaling), way in WAYS.items():
            runs = [
                run
                for run in study.runs(sweep)
                if (run["routing.policy"], run["job.0.qp_scaling"], run["job.0.placement"]) == (policy, scaling, placement)
            ]
            if runs:
                found[words, placement, way] = rates(runs)
                rows.append(row([words, placement_words, way], runs))


study = Study()
te, split, in_turn = WAYS.values()
rows, ring = [], {}
by_way(study, "all_reduce", "none", rows, ring)
if not study.small:
    by_way(study, "all_reduce_failed1", "1", rows, ring)
by_way(study, "all_reduce_failed4", "4", rows, ring)
for sweep, down in (("stale1", "1"),) if study.small else (("stale1", "1"), ("stale4", "4")):
    for placement, words in PLACEMENTS.items():
        runs = [run for run in study.runs(sweep) if run["job.0.placement"] == placement]
        if not runs:
            continue
        ring[f"{down}, not solved", placement, te] = rates(runs)
        rows.append(row([f"{down}, not solved again", words, te], runs))
print("all-reduce; uplinks of one rack down:")
table(["down", "placement", "routing", *HEAD], rows)

rows, measured = [], {}
of_measured = study.runs("measured")
measured_periods = list(dict.fromkeys(run["routing.traffic_engineering.period"] for run in of_measured))
for placement, words in PLACEMENTS.items():
    for period in measured_periods:
        runs = [run for run in select(of_measured, period=period) if run["job.0.placement"] == placement]
        if runs:
            measured[period, placement] = rates(runs)
            rows.append(
                [
                    words,
                    period,
                    spread(rates(runs)),
                    spread([run["data_packets_out_of_order"] for run in runs]),
                    spread([run["retransmits"] for run in runs]),
                ]
            )
print("all-reduce, TE with measured demands, none down:")
table(["placement", "controller's period", "busbw, GB/s", "out of order", "retransmitted"], rows)

if not study.small:
    rows = []
    for uplinks in (24, 32):
        for policy, way in (("traffic_engineering", te), ("e_ecmp", split)):
            runs = select(study.runs("spare"), policy=policy, uplinks_per_rtsw=uplinks)
            ring["none", uplinks, way] = rates(runs)
            rows.append(row([uplinks, way], runs))
    print("all-reduce, servers drawn, more uplinks:")
    table(["uplinks", "routing", *HEAD], rows)
    rows, middle = [], {}
    mid_run_te, mid_run_e_ecmp = study.runs("mid_run_te"), study.runs("mid_run_e_ecmp")
    for timers, known in dict.fromkeys((run["roce.timers"], run["failures.converge"]) for run in mid_run_te):
        of_te = select(mid_run_te, timers=timers, converge=known)
        periods = dict.fromkeys(run["routing.traffic_engineering.period"] for run in of_te)
        kinds = [(te, period, select(of_te, period=period)) for period in periods]
        for way, period, runs in [*kinds, (split, "", select(mid_run_e_ecmp, timers=timers, converge=known))]:
            middle[timers, known, way, period] = rates(runs)
            lost = [run["drops_link_down"] + run["drops_no_route"] for run in runs]
            rows.append(
                [
                    timers,
                    f"{runs[0]['failures.detect']}, {known}",
                    way,
                    period,
                    spread(rates(runs)),
                    spread(lost),
                    spread([run["retransmits"] for run in runs]),
                    spread([run["timeouts"] for run in runs]),
                ]
            )
    print("all-reduce on whole racks; one uplink fails after 2.1 ms:")
    table(
        [
            "timers",
            "its rack knows, all know after",
            "routing",
            "controller's period",
            "busbw, GB/s",
            "packets lost",
            "retransmitted",
            "timeouts",
        ],
        rows,
    )
    rows, exchange = [], {}
    for sweep, words in (("all_to_all", "none"), ("all_to_all_failed1", "1"), ("all_to_all_failed4", "4")):
        by_way(study, sweep, words, rows, exchange)
    print("all-to-all; uplinks of one rack down:")
    table(["down", "placement", "routing", *HEAD], rows)
    in_time = {
        way: [at_any_time(study, run) for run in select(study.runs("all_to_all"), policy=policy)]
        for policy, way in (("traffic_engineering", te), ("e_ecmp", split))
    }
    print(
        "none down, busiest uplink / mean in every 20 us:",
        ", ".join(f"{way} {spread(values, '{:.2f}')}" for way, values in in_time.items()),
    )
whole = {way: ring["none", "contiguous", way] for way in WAYS.values()}
study.claim("whole racks: planned ways give every all-reduce the same", max(whole[te]) < 1.001 * min(whole[te]))
study.claim("whole racks: TE is as good as E-ECMP with split slices", min(whole[te]) > 0.99 * median(whole[split]))
study.claim("whole racks: TE is better than E-ECMP with slices in turn", min(whole[te]) > 1.1 * max(whole[in_turn]))
study.claim(
    "whole racks: 4 of 18 uplinks down cost TE nothing when it has solved for them",
    min(ring["4", "contiguous", te]) > 0.99 * min(whole[te]),
)
study.claim(
    "but not having solved again for one can cost half", min(ring["1, not solved", "contiguous", te]) < 0.8 * min(whole[te])
)
study.claim(
    "measured demands: the sooner it solves, the better",
    all(
        min(measured[soon, "contiguous"]) > max(measured[late, "contiguous"])
        for soon, late in zip(measured_periods, measured_periods[1:])
    ),
)
if not study.small:
    drawn = {way: ring["none", "random", way] for way in WAYS.values()}
    study.claim(
        "drawn servers, 18 uplinks: one way after another puts two NICs on one uplink, and TE loses to E-ECMP",
        max(drawn[te]) < 0.51 * 390.3 and max(drawn[te]) < min(drawn[split]),
    )
    study.claim("with 24 uplinks it does not, and TE wins", min(ring["none", 24, te]) > 1.1 * max(ring["none", 24, split]))
    study.claim(
        "with 32, at least 2 x 16 - 1, it cannot: TE has 97 % of what 8 NICs carry (390 GB/s)",
        min(ring["none", 32, te]) > 0.97 * 390.3,
    )
    study.claim(
        "4 uplinks down and not solved again: TE loses to E-ECMP",
        median(ring["4, not solved", "contiguous", te]) < 0.8 * median(ring["4", "contiguous", split]),
    )
    study.claim(
        "mid-run: a controller that solves at once is at least as good as one that never does",
        min(middle["short", "0 s", te, "0 s"]) >= min(middle["short", "0 s", te, "1 s"]),
    )
    study.claim(
        "mid-run: when it takes 5 ms until all switches know, who is not planned again loses a third and more",
        all(
            median(middle["short", "5 ms", way, period]) < 0.67 * median(middle["short", "0 s", way, period])
            for way, period in ((te, "1 s"), (split, ""))
        ),
    )
    at_once, never, nothing_lost = (
        median(middle["short", known, te, period]) for known, period in (("5 ms", "0 s"), ("5 ms", "1 s"), ("0 s", "0 s"))
    )
    study.claim(
        "mid-run: a plan made as soon as two switches know saves a fifth of that and more, by a timer of 4 ms",
        at_once - never > 0.2 * (nothing_lost - never),
    )
    study.claim(
        "mid-run: by NCCL's timer all wait 4.3 s then, whatever the controller does",
        all(max(values) < 1 for (timers, known, *_), values in middle.items() if (timers, known) == ("nccl", "5 ms")),
    )
    study.claim(
        "an all-to-all is no better off on planned ways",
        all(median(exchange[down, "random", te]) < median(exchange[down, "random", split]) for down in ("none", "1", "4")),
    )
if not study.small:
    study.claim("as they are less even at any moment", min(in_time[te]) > max(in_time[split]))
study.end()
