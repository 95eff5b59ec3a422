"""Tables and claims of the study of the rack uplinks. run.sh runs it; README.md says what comes out."""

from study import Study, median, spread, table

STAGES = {
    "stage1": "1: 16 x 200G, 1:1, pinned",
    "stage2": "2: 16 x 400G, 1:2, pinned",
    "stage2_32": "2, but 32 x 200G, pinned",
    "stage3": "3: 32 x 200G, 1:2, TE",
    "stage3_e_ecmp": "3, but E-ECMP",
    "stage4": "4: 18 x 200G, 1:1.125, TE",
    "stage4_e_ecmp": "4, but E-ECMP",
}


def show(study, kind, stages, failed=""):
    rows, found = [], {}
    for stage in stages:
        runs = study.runs(f"{kind}_{stage}{failed}")
        found[stage] = values = [run.collective("busbw_GBps", job=job) for run in runs for job in (0, 1)]
        uplinks = [run.links("rtsw", "ctsw") for run in runs]
        carried = [(links.sent_bytes > 0.05 * links.sent_bytes.max()).mean() for links in uplinks]
        rows.append(
            [
                STAGES[stage],
                spread(values, "{:.1f}"),
                f"{(max(values) - min(values)) / median(values):.0%}",
                spread([100 * links.use.max() for links in uplinks]),
                spread([100 * share for share in carried]),
                spread([run["pfc_pauses"] for run in runs]),
            ]
        )
    print(f"{kind}, two jobs{', two CTSWs lost to one rack' if failed else ''}:")
    table(
        ["stage", "busbw, GB/s", "most less least / median", "busiest uplink's mean use, %", "uplinks in use, %", "PFC pauses"],
        rows,
    )
    return found


study = Study()
ring = show(study, "all_reduce", STAGES)
study.claim("all-reduce: stage 2 is much better than stage 1", median(ring["stage2"]) > 1.3 * median(ring["stage1"]))
study.claim(
    "a pinned path gains nothing from twice as many uplinks", abs(median(ring["stage2_32"]) / median(ring["stage1"]) - 1) < 0.02
)
study.claim("stage 3 is better than stage 1", median(ring["stage3"]) > 1.2 * median(ring["stage1"]))
study.claim("all-reduce: stage 3 has the median of stage 2", abs(median(ring["stage3"]) / median(ring["stage2"]) - 1) < 0.02)
study.claim("all-reduce: so does stage 4", abs(median(ring["stage4"]) / median(ring["stage3"]) - 1) < 0.02)
study.claim(
    "all-reduce: with 32 uplinks planned ways are never shared: all jobs have the same",
    min(ring["stage3"]) > 0.98 * max(ring["stage3"]),
)
study.claim(
    "all-reduce: planned ways beat E-ECMP in stages 3 and 4",
    all(median(ring[stage]) > 1.05 * median(ring[stage + "_e_ecmp"]) for stage in ("stage3", "stage4")),
)
if not study.small:
    study.claim("all-reduce: with 18 uplinks some job has half", min(ring["stage4"]) < 0.6 * max(ring["stage4"]))
    exchange = show(study, "all_to_all", STAGES)
    study.claim("all-to-all: stage 2 is better than stage 1", median(exchange["stage2"]) > 1.1 * median(exchange["stage1"]))
    study.claim(
        "all-to-all: planned ways are worse than E-ECMP in stages 3 and 4",
        all(median(exchange[stage]) < 0.95 * median(exchange[stage + "_e_ecmp"]) for stage in ("stage3", "stage4")),
    )
    study.claim(
        "all-to-all: with E-ECMP stage 3 has the median of stage 2, and stage 4 is within 5 %",
        abs(median(exchange["stage3_e_ecmp"]) / median(exchange["stage2"]) - 1) < 0.02
        and median(exchange["stage4_e_ecmp"]) > 0.95 * median(exchange["stage3_e_ecmp"]),
    )
    four = ("stage1", "stage2", "stage3", "stage4")
    ring_failed, exchange_failed = (show(study, kind, four, "_failed") for kind in ("all_reduce", "all_to_all"))
    study.claim(
        "a rack without two of its CTSWs: stages 2 and 3 keep their all-reduces",
        all(min(ring_failed[stage]) > 0.98 * min(ring[stage]) for stage in ("stage2", "stage3")),
    )
    study.claim(
        "all-to-all: stage 1 loses a quarter and more, stages 2 and 3 hardly anything",
        median(exchange_failed["stage1"]) < 0.75 * median(exchange["stage1"])
        and all(median(exchange_failed[stage]) > 0.98 * median(exchange[stage]) for stage in ("stage2", "stage3")),
    )
study.end()
