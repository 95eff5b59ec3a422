"""Tables and claims of the study of checkpoints. run.sh runs it; README.md says what comes out."""

from study import Study, median, select, spread, table

MS = 1e-9
NETWORKS = {"frontend": "frontend, TCP", "lossless": "shared, RDMA", "best_effort": "shared, TCP"}


def steps(study, runs):
    """[step] its times in ms, one for each seed."""
    return list(zip(*([row["time_ps"] * MS for row in study.info(run)["iterations"]] for run in runs)))


study = Study()
before = steps(study, study.runs("none"))
rows, more, writes, stalls = [], {}, {}, {}
for network, words in NETWORKS.items():
    for blocking in (True, False):
        if network == "frontend":
            runs = select(study.runs("frontend"), blocking=blocking)
        else:
            runs = select(study.runs("shared"), blocking=blocking, **{"checkpoint.class": network})
        said = [study.info(run) for run in runs]
        (times,) = zip(*([row["end_ps"] - row["begin_ps"] for row in one["training_checkpoints"]] for one in said))
        storage = [one["iterations"][1]["exposed_storage_ps"] * MS for one in said]
        _, with_it, behind_it = steps(study, runs)
        case = network, blocking
        writes[case], stalls[case] = median(times) * MS, median(storage)
        more[case] = [median(after) / median(then) - 1 for then, after in zip(before[1:], (with_it, behind_it))]
        rate = said[0]["training_checkpoints"][0]["bytes"] / median(times) * 1e3
        rows.append(
            [
                words,
                "waits" if blocking else "copies",
                spread([t * MS for t in times], "{:.1f}"),
                f"{rate:.0f}",
                spread(storage, "{:.1f}"),
                spread(with_it, "{:.1f}"),
                spread(behind_it, "{:.1f}"),
                f"{100 * more[case][1]:+.1f} %",
                sum(run["pfc_pauses"] for run in runs),
                sum(run["retransmits"] for run in runs),
            ]
        )
print(f"steps without a checkpoint: {', '.join(spread(step, '{:.1f}') for step in before)} ms")
table(
    ["network", "GPUs", "written in, ms", "GB/s", "GPUs wait, ms", "its step, ms", "next step, ms", "more", "pauses", "repeats"],
    rows,
)

study.claim(
    "where GPUs wait until all is written, their step takes longer by most of the time of writing",
    all(0.6 * writes[n, True] < more[n, True][0] * median(before[1]) < 1.1 * writes[n, True] for n in NETWORKS),
)
study.claim("GPUs that copy lose the copy alone, on every network", len({round(stalls[n, False], 6) for n in NETWORKS}) == 1)
study.claim(
    "a checkpoint on the frontend leaves the step behind it as it is",
    abs(more["frontend", False][1]) < 0.02 and abs(more["frontend", True][1]) < 0.02,
)
if not study.small:
    study.claim(
        "on the GPUs' own network it is written sooner, as its servers have twice the rate",
        writes["lossless", True] < 0.7 * writes["frontend", True],
    )
study.end()
