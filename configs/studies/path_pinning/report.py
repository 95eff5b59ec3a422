"""Tables and claims of the study of path pinning. run.sh runs it; README.md says what comes out."""

from study import Study, select, spread, table

PLACEMENTS = {"contiguous": "whole racks", "fragmented": "half of every rack, same order", "random": "servers drawn"}
POLICIES = {"path_pinning": "path pinning", "e_ecmp": "E-ECMP, 16 QPs, split"}
FAILED = {"": "none", "_failed1": "1", "_failed2": "2"}  # uplinks of rtsw0 that are down


def busbw(runs):
    return [run.collective("busbw_GBps", job=job) for run in runs for job in (0, 1)]


def load_of_links(run):
    """(what the busiest link between switches carries, in units of the busiest NIC; share of uplinks with next to nothing)."""
    nic = run.links("gpu", "rtsw").sent_bytes.max()
    up, down = run.links("rtsw", "ctsw").sent_bytes, run.links("ctsw", "rtsw").sent_bytes
    return up.max() / nic, down.max() / nic, (up < 0.05 * nic).mean()


def show(study, kind, failures):
    """busbw of all jobs by (failed uplinks, policy, placement)."""
    rows, found = [], {}
    for failed in failures:
        runs = study.runs(kind + failed)
        for policy, policy_words in POLICIES.items():
            for placement, placement_words in PLACEMENTS.items():
                chosen = select(runs, policy=policy, **{"job.0.placement": placement})
                found[failed, policy, placement] = values = busbw(chosen)
                ups, downs, idle = zip(*(load_of_links(run) for run in chosen))
                rows.append(
                    [
                        FAILED[failed],
                        policy_words,
                        placement_words,
                        spread(values),
                        f"{max(found['', policy, 'contiguous']) / min(values) - 1:+.0%}",
                        spread(ups, "{:.2f}"),
                        spread(downs, "{:.2f}"),
                        spread([100 * share for share in idle]),
                    ]
                )
    print(f"{kind}:")
    table(
        [
            "uplinks down",
            "routing",
            "placement",
            "busbw of the jobs, GB/s",
            "time of the slowest job",
            "busiest uplink, NICs",
            "busiest downlink, NICs",
            "idle uplinks, %",
        ],
        rows,
    )
    return found


study = Study()
some = ["", "_failed1"] if study.small else FAILED
ring = show(study, "all_reduce", some)
whole, halves, drawn = (ring["", "path_pinning", placement] for placement in PLACEMENTS)
study.claim("whole racks: pinned paths give every all-reduce the same", max(whole) < 1.001 * min(whole))
if not study.small:
    study.claim("and that is 98 % of what 8 NICs carry (390 GB/s)", min(whole) > 0.98 * 390.3)
study.claim("whole racks: pinning is at least as fast as hashing", min(whole) >= max(ring["", "e_ecmp", "contiguous"]))
study.claim("racks shared in the same order lose nothing", min(halves) > 0.99 * min(whole))
study.claim("drawn servers: some all-reduce takes more than 30 % longer on pinned paths", min(whole) > 1.3 * min(drawn))
study.claim("none takes more than twice as long: a rack has two servers", min(whole) < 2.1 * min(drawn))
for failed in list(some)[1:]:
    words, down = FAILED[failed], {placement: ring[failed, "path_pinning", placement] for placement in PLACEMENTS}
    study.claim(
        f"{words} of 16 uplinks down, whole racks: nothing is lost, half of the uplinks were idle",
        min(down["contiguous"]) > 0.99 * min(whole),
    )
    study.claim(
        f"{words} of 16 uplinks down, racks shared: an all-reduce takes more than 30 % longer",
        min(whole) > 1.3 * min(down["fragmented"]),
    )
    study.claim(
        f"{words} of 16 uplinks down: none takes more than 2.1 times as long",
        min(whole) < 2.1 * min(min(values) for values in down.values()),
    )
exchange = show(study, "all_to_all", [""] if study.small else FAILED)
study.claim(
    "an all-to-all on drawn servers loses less than a ring",
    min(exchange["", "path_pinning", "contiguous"]) / min(exchange["", "path_pinning", "random"]) < min(whole) / min(drawn),
)
if not study.small:
    for failed in list(FAILED)[1:]:
        pinned, hashed = (
            [
                min(exchange[failed, policy, placement]) / min(exchange["", policy, placement])
                for placement in ("fragmented", "random")
            ]
            for policy in POLICIES
        )
        study.claim(
            f"{FAILED[failed]} of 16 uplinks down, racks shared: an all-to-all loses more on pinned paths than with E-ECMP",
            max(pinned) < min(hashed),
        )
study.end()
