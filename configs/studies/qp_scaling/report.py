"""Tables and claims of the study of queue pair scaling. run.sh runs it; README.md says what comes out."""

import math
import statistics

import numpy
from study import Study, median, select, spread, table

NICS = 16
LARGEST = {True: 256 << 20, False: 1 << 30}  # bytes of an all-reduce, small or not
PUBLISHED = {
    (1, 16): 3.08,
    (4, 16): 1.97,
    (16, 16): 1.47,
    (32, 16): 1.32,
    (1, 18): 2.93,
    (4, 18): 1.84,
    (16, 18): 1.34,
    (32, 18): 1.20,
}


def expected_fullest(balls, bins):
    """Exact mean of the fullest of `bins` after `balls` even draws: the sum over m of P(fullest > m), where
    P(fullest <= m) = balls! / bins^balls [x^balls] (sum over k <= m of x^k / k!)^bins."""
    weights = numpy.array([math.exp(k * math.log(balls / bins) - math.lgamma(k + 1) - balls / bins) for k in range(balls + 1)])
    poisson = numpy.exp(balls * math.log(balls) - math.lgamma(balls + 1) - balls)  # P(all bins together hold `balls`)
    mean = 0.0
    for most in range(balls):
        law, of_bin = numpy.array([1.0]), weights[: most + 1]
        for _ in range(bins):
            law = numpy.convolve(law, of_bin)[: balls + 1]
        beyond = 1 - (law[balls] / poisson if len(law) > balls else 0.0)
        mean += beyond
        if beyond < 1e-12:
            break
    return mean


def busiest_of_racks(run):
    """Of every rack: the bytes of its busiest uplink, in units of what one NIC sends."""
    uplinks = run.links("rtsw", "ctsw")
    return [float(rack.sent_bytes.max() / (rack.sent_bytes.sum() / NICS)) for _, rack in uplinks.groupby("src")]


def hash_table(study):
    runs = study.runs("hash")
    rows = []
    for uplinks in sorted({run["topology.uplinks_per_rtsw"] for run in runs}):
        for qps in sorted({run["job.0.qps_per_connection"] for run in runs}):
            loads = [
                load for run in select(runs, qps_per_connection=qps, uplinks_per_rtsw=uplinks) for load in busiest_of_racks(run)
            ]
            exact, mean = expected_fullest(NICS * qps, uplinks) / qps, statistics.mean(loads)
            error = statistics.stdev(loads) / math.sqrt(len(loads))
            rows.append([uplinks, qps, f"{PUBLISHED[qps, uplinks]:.2f}", f"{exact:.3f}", f"{mean:.3f} +- {error:.3f}", len(loads)])
            margin = 0.1 if study.small else 0.01  # small messages: ACKs and CTS are a part of the load
            study.claim(
                f"{NICS} NICs x {qps} QPs over {uplinks} uplinks: the busiest carries {mean:.2f}, by the law of even draws "
                f"{exact:.2f}",
                abs(mean - exact) <= 4 * error + margin * exact,
            )
    table(["uplinks", "QPs", "target", "exact mean", "simulated, +- standard error", "racks"], rows)


def name_of(run):
    policy = {"ecmp": "ECMP", "e_ecmp": "E-ECMP"}[run["routing.policy"]]
    return policy, run["job.0.qps_per_connection"], run["job.0.qp_scaling"].replace("round_robin", "round robin")


def busbw_table(study):
    runs = study.runs("all_reduce")
    sizes = [LARGEST[True]] if study.small else [64 << 20, 256 << 20, LARGEST[False]]
    rows, medians = [], {}
    for name in dict.fromkeys(name_of(run) for run in runs):
        cells = []
        for size in sizes:
            values = [run.collective("busbw_GBps", size) for run in runs if name_of(run) == name]
            medians[name, size] = median(values)
            gain = medians[name, size] / medians[("ECMP", 1, "round robin"), size] - 1
            cells.append(spread(values) + (f", {100 * gain:+.0f} %" if name[0] != "ECMP" else ""))
        rows.append([*name, *cells])
    table(["routing", "QPs", "slices", *(f"{size >> 20} MiB, GB/s" for size in sizes)], rows)
    ecmp, one = ("ECMP", 1, "round robin"), ("E-ECMP", 1, "round robin")
    many, split = ("E-ECMP", 16, "round robin"), ("E-ECMP", 16, "split")
    big = sizes[-1]
    study.claim(
        "16 QPs, slices in turn, beat ECMP by 40 % and more where bandwidth counts", medians[many, big] > 1.4 * medians[ecmp, big]
    )
    study.claim("the same 16 QPs beat one", medians[many, big] > 1.2 * medians[one, big])
    study.claim("a slice split over 16 QPs beats a slice per QP in turn", medians[split, big] > 1.03 * medians[many, big])
    if not study.small:
        study.claim(
            "nothing is gained where admission limits the ring (64 MiB)", medians[split, sizes[0]] < 1.05 * medians[ecmp, sizes[0]]
        )
        study.claim("at 256 MiB the gain is below 40 %", medians[split, sizes[1]] < 1.4 * medians[ecmp, sizes[1]])


def servers_table(study):
    """Of the largest size, what the channels of a GPU leave of it: H100's 16, 24, and 16 that only the NICs bound."""
    runs = study.runs("all_reduce") + study.runs("servers")
    ways = (("ECMP", 1, "round robin"), ("E-ECMP", 1, "round robin"), ("E-ECMP", 16, "split"))
    rows, gains = [], {}
    for servers in dict.fromkeys(servers_of(run) for run in runs):
        busbw = {
            way: [
                run.collective("busbw_GBps", LARGEST[study.small])
                for run in runs
                if (servers_of(run), name_of(run)) == (servers, way)
            ]
            for way in ways
        }
        gains[servers] = median(busbw[ways[2]]) / median(busbw[ways[0]]) - 1
        channels, rate = servers
        rows.append([channels, rate, *(spread(values) for values in busbw.values()), f"{100 * gains[servers]:+.0f} %"])
    table(["channels", "each copies", *(", ".join(map(str, way)) + ", GB/s" for way in ways), "gain of the last"], rows)
    slower, faster, *unbound = gains
    study.claim("E-ECMP with 16 QPs gains more with 24 channels than with 16", gains[faster] > gains[slower])
    for servers in unbound:
        study.claim("and most where nothing but the NICs limits them", gains[servers] > gains[faster])


def servers_of(run):
    return run.get("job.0.channels", 16), run.get("collective.channel_rate", "20700 MB/s")


def acks_table(study):
    """Of seed 1, an ACK for up to 16 packets (the default), and for every packet."""
    size = LARGEST[study.small]
    rare = [run for run in study.runs("all_reduce", seed=1) if name_of(run)[0] == "E-ECMP" and is_split(run)]
    every, rows = study.runs("acks"), []
    for run, packets in [(run, 16) for run in rare] + [(run, 1) for run in every]:
        on_uplinks = run.links("rtsw", "ctsw").sent_bytes.sum()
        rows.append(
            [
                run["job.0.qps_per_connection"],
                packets,
                f"{run['packet_hops'] / 1e6:.1f} M",
                f"{on_uplinks / 1e9:.2f} GB",
                f"{run.collective('busbw_GBps', size):.1f}",
            ]
        )
    table(["QPs, split", "packets an ACK", "packet-hops", "on uplinks", f"{size >> 20} MiB, GB/s"], rows)
    most = max(run["job.0.qps_per_connection"] for run in every)
    rare, every = (select(runs, qps_per_connection=most)[0] for runs in (rare, every))
    study.claim("an ACK of every packet makes a tenth more packet-hops", every["packet_hops"] > 1.1 * rare["packet_hops"])
    study.claim(
        "and costs less than 2 % of busbw", every.collective("busbw_GBps", size) > 0.98 * rare.collective("busbw_GBps", size)
    )


def is_split(run):
    return run["job.0.qp_scaling"] == "split" or run["job.0.qps_per_connection"] == 1


study = Study()
hash_table(study)
busbw_table(study)
servers_table(study)
acks_table(study)
study.end()
