"""Tables and claims of the study of slow storage. run.sh runs it; README.md says what comes out."""

import heddle
from study import Study, mean, table

MS = 1e-9
CASES = {"none": "none", "50": "rack, 50G", "25": "rack, 25G", "10": "rack, 10G", "server": "server, 10G"}


def iterations(run):
    """All but the first two, an even number: reading ahead, the first has its data, and long and short ones alternate."""
    with heddle.open(run.path) as result:
        return result.iterations()[2:]


def chunks(runs):
    """How long the answers of the servers took, in ms, from posting to receipt: one for each chunk."""
    times = []
    for run in runs:
        with heddle.open(run.path) as result:
            messages = result.messages()
        answers = messages[(messages.purpose == "data") & (messages.bytes > 1000)]
        times += list((answers.received_ps - answers.posted_ps) * MS)
    return times


def busy(case, run):
    """How long the busiest of the slow links (of all, where none is) sends the data of an iteration, in ms."""
    if case == "none":
        links, gbps = run.links("frontend", "frontend"), 100
    elif case == "server":
        links, gbps = run.links("frontend.storage0", "frontend.leaf4"), 10
    else:
        links, gbps = run.links("frontend.leaf4", "frontend.spine"), int(case)
    with heddle.open(run.path) as result:
        reads = len(result.iterations())
    return links.sent_bytes.max() * 8 / gbps * 1e-6 / reads


study = Study()
found = {"none": study.runs("healthy")}
if not study.small:
    found["server"] = study.runs("server")
for run in study.runs("rack"):
    found.setdefault(run["failure.0.rate"].split()[0], []).append(run)
whole, split = dict.fromkeys(run["job.0.training.data.chunk"] for run in found["none"])
rows, time, waits, slowest, bound = [], {}, {}, {}, {}
for case in (case for case in CASES if case in found):
    for chunk in (whole, split):
        for ahead in (False, True):
            runs = [
                run
                for run in found[case]
                if (run["job.0.training.data.prefetch"], run["job.0.training.data.chunk"]) == (ahead, chunk)
            ]
            key = case, chunk, ahead
            of_runs = [iterations(run) for run in runs]
            times = [ps * MS for rows_of_run in of_runs for ps in rows_of_run.time_ps]
            time[key], bound[key] = mean(times), mean(busy(case, run) for run in runs)
            waits[key], slowest[key] = (
                mean(ps * MS for rows_of_run in of_runs for ps in rows_of_run[column])
                for column in ("exposed_storage_ps", "most_exposed_storage_ps")
            )
            taken = chunks(runs)
            rows.append(
                [
                    CASES[case],
                    chunk,
                    "ahead" if ahead else "-",
                    f"{time[key]:.1f} [{min(times):.1f} to {max(times):.1f}]",
                    f"{waits[key]:.1f}",
                    f"{slowest[key]:.1f}",
                    f"{bound[key]:.1f}",
                    " / ".join(f"{heddle.percentile(taken, percent):.1f}" for percent in (50, 95, 100)),
                ]
            )
table(
    [
        "slow",
        "chunk",
        "reads",
        "iteration, ms",
        "waits for data, ms: mean GPU",
        "slowest GPU",
        "busiest slow link, ms",
        "a chunk, ms: p50 / p95 / most",
    ],
    rows,
)
slow = [case for case in CASES if case in found and case != "none"]
study.claim(
    "a GPU that reads when its iteration begins waits longer for what is slow",
    all(slowest[case, chunk, False] > 1.1 * slowest["none", chunk, False] for case in slow for chunk in (whole, split)),
)
study.claim(
    "reading ahead makes every iteration shorter",
    all(time[case, chunk, True] < time[case, chunk, False] for case in found for chunk in (whole, split)),
)
study.claim(
    "but none shorter than the time in which the slow link sends what is read of it",
    all(time[case, chunk, True] > 0.97 * bound[case, chunk, True] for case in found for chunk in (whole, split)),
)
study.claim("nothing is retransmitted", not any(run["retransmits"] for runs in found.values() for run in runs))
if not study.small:
    study.claim(
        "cutting a read into chunks lets the mean GPU wait longer for what is slow, as nearly all read of it",
        all(waits[case, split, False] > waits[case, whole, False] for case in slow),
    )
    study.claim(
        "without a slow link, chunks are spread more evenly, and what does not read ahead is faster",
        time["none", split, False] < 0.9 * time["none", whole, False],
    )
    study.claim(
        "reading ahead hides a rack of half the rate, if reads are cut",
        time["50", split, True] < 1.01 * time["none", split, True],
    )
    study.claim(
        "chunks do not help against a rack of a tenth of the rate",
        abs(time["10", split, True] / time["10", whole, True] - 1) < 0.1,
    )
    study.claim(
        "one server of 16 with a tenth of its rate costs nearly what its whole rack does",
        all(time["server", chunk, True] > 0.8 * time["10", chunk, True] for chunk in (whole, split)),
    )
study.end()
