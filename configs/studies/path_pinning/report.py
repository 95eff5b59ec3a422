"""Tables and claims of the study of path pinning. run.sh runs it; README.md says what comes out."""

from study import Study, select, spread, table

PLACEMENTS = {"contiguous": "whole racks", "fragmented": "half of every rack, same order", "random": "servers drawn"}
POLICIES = {"path_pinning": "path pinning", "e_ecmp": "E-ECMP, 16 QPs, split"}


def busbw(runs):
    return [run.collective("busbw_GBps", job=job) for run in runs for job in (0, 1)]


def load_of_uplinks(run):
    """(what the busiest uplink carries, in units of the busiest NIC; share of the uplinks that carry next to nothing)."""
    nic = run.links("gpu", "rtsw").sent_bytes.max()
    up = run.links("rtsw", "ctsw").sent_bytes
    return up.max() / nic, (up < 0.05 * nic).mean()


def show(study, kind):
    runs = study.runs(kind)
    rows, found = [], {}
    for policy, policy_words in POLICIES.items():
        for placement, placement_words in PLACEMENTS.items():
            chosen = select(runs, policy=policy, **{"job.0.placement": placement})
            found[policy, placement] = values = busbw(chosen)
            loads = [load_of_uplinks(run) for run in chosen]
            worst = min(values)
            rows.append([policy_words, placement_words, spread(values), f"{max(found[policy, 'contiguous']) / worst - 1:+.0%}",
                         spread([load for load, _ in loads], "{:.2f}"), spread([100 * idle for _, idle in loads])])
    print(f"{kind}:")
    table(["routing", "placement", "busbw of the jobs, GB/s", "time of the slowest job", "busiest uplink, NICs", "idle uplinks, %"], rows)
    return found


study = Study()
ring = show(study, "all_reduce")
whole, halves, drawn = (ring["path_pinning", placement] for placement in PLACEMENTS)
study.claim("whole racks: pinned paths give every all-reduce the same", max(whole) < 1.001 * min(whole))
if not study.small:
    study.claim("and that is 98 % of what 8 NICs carry (390 GB/s)", min(whole) > 0.98 * 390.3)
study.claim("whole racks: pinning is at least as fast as hashing", min(whole) >= max(ring["e_ecmp", "contiguous"]))
study.claim("racks shared in the same order lose nothing", min(halves) > 0.99 * min(whole))
study.claim("drawn servers: some all-reduce takes more than 30 % longer on pinned paths", min(whole) > 1.3 * min(drawn))
study.claim("none takes more than twice as long: a rack has two servers", min(whole) < 2.1 * min(drawn))
exchange = show(study, "all_to_all")
study.claim("an all-to-all on drawn servers loses less than a ring",
            min(exchange["path_pinning", "contiguous"]) / min(exchange["path_pinning", "random"]) < min(whole) / min(drawn))
study.end()
