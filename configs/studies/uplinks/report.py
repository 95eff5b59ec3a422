"""Tables and claims of the study of the rack uplinks. run.sh runs it; README.md says what comes out."""

from study import Study, median, spread, table

STAGES = {
    "stage1": "1: 16 x 200G, 1:1, pinned",
    "stage2": "2: 16 x 400G, 1:2, pinned",
    "stage2_32": "2 with 32 x 200G, pinned",
    "stage3": "3: 32 x 200G, 1:2, E-ECMP for TE",
    "stage4": "4: 18 x 200G, 1:1.125, E-ECMP for TE",
}


def show(study, kind):
    rows, found = [], {}
    for stage, words in STAGES.items():
        runs = study.runs(f"{kind}_{stage}")
        found[stage] = values = [run.collective("busbw_GBps", job=job) for run in runs for job in (0, 1)]
        uplinks = [run.links("rtsw", "ctsw") for run in runs]
        carried = [(links.sent_bytes > 0.05 * links.sent_bytes.max()).mean() for links in uplinks]
        rows.append([words, spread(values, "{:.1f}"), f"{(max(values) - min(values)) / median(values):.0%}",
                     spread([100 * links.use.max() for links in uplinks]), spread([100 * share for share in carried])])
    print(f"{kind}, two jobs:")
    table(["stage", "busbw, GB/s", "most less least / median", "busiest uplink's mean use, %", "uplinks in use, %"], rows)
    return found


study = Study()
ring = show(study, "all_reduce")
study.claim("all-reduce: stage 2 is much better than stage 1", median(ring["stage2"]) > 1.3 * median(ring["stage1"]))
study.claim("a pinned path gains nothing from twice as many uplinks", abs(median(ring["stage2_32"]) / median(ring["stage1"]) - 1) < 0.02)
study.claim("stage 3 is better than stage 1", median(ring["stage3"]) > 1.2 * median(ring["stage1"]))
study.claim("stage 4 is better than stage 1, and below stage 3: hashing fills 18 uplinks less evenly than 32",
            median(ring["stage1"]) < median(ring["stage4"]) < median(ring["stage3"]))
if not study.small:
    exchange = show(study, "all_to_all")
    study.claim("all-to-all: stage 2 is better than stage 1", median(exchange["stage2"]) > 1.1 * median(exchange["stage1"]))
    study.claim("all-to-all: stage 3 has the median of stage 2", abs(median(exchange["stage3"]) / median(exchange["stage2"]) - 1) < 0.02)
    study.claim("all-to-all: stage 4 is within 5 % of stage 3", median(exchange["stage4"]) > 0.95 * median(exchange["stage3"]))
study.end()
