"""Tables and claims of the study of rails. run.sh runs it; README.md says what comes out."""

from study import Study, mean, median, select, spread, table

FABRICS = {"rails": "rails under spines", "alone": "rails alone", "racks": "racks of two servers"}
WAYS = {("ring", "no"): "ring, on its rail", ("ring", "yes"): "ring, across", ("tree", "no"): "trees, on their rail"}
WAYS |= {("tree", "yes"): "trees, across", ("nvls", "auto"): "nvls"}
HOPS = {("auto", False): "straight", ("auto", True): "PXN", ("hierarchical", False): "in stages"}
TOKENS = {"experts": "by rail, even", "even": "straight, even", "skewed": "straight, skewed"}


def time_ms(run, mib):
    return run.collective("time_ps", mib << 20) * 1e-9


def measured(study, sweep, names, key, sizes_mib):
    """A row per fabric and way, and {(fabric, way, size): the median time}."""
    rows, found = [], {}
    for fabric, words in FABRICS.items():
        for way, name in names.items():
            if fabric == "alone" and way in (("ring", "yes"), ("tree", "yes"), ("auto", False)):
                continue
            runs = select(study.runs(f"{fabric}_{sweep}"), algorithm=way[0], **{key: way[1]})
            for mib in sizes_mib:
                found[fabric, way, mib] = median(time_ms(run, mib) for run in runs)
            times = (spread([time_ms(run, mib) for run in runs], "{:.3f}") for mib in sizes_mib)
            hops = median(run["packet_hops"] for run in runs) * 1e-6
            pauses = spread([run["pfc_pauses"] for run in runs])
            rows.append([words, name, *times, f"{hops:.1f}", pauses])
    table(["fabric", sweep, *(f"{mib} MiB, ms" for mib in sizes_mib), "packet-hops, millions", "pauses"], rows)
    return found


class Tokens:
    """Dispatch and combine of every group on a fabric, and what the links of all seeds carried and how often they were paused."""

    def __init__(self, study, fabric, routing):
        runs = study.runs(f"{fabric}_{routing}")
        self.times_ms = [[], []]
        for run in runs:
            for group in range(4):
                names = [name for name in run if name.startswith(f"job{group}.") and name.endswith(".time_ps")]
                for times, name in zip(self.times_ms, names):
                    times.append(run[name] * 1e-9)
        self.dispatch_ms, self.combine_ms = map(median, self.times_ms)
        self.hops = median(run["packet_hops"] for run in runs) * 1e-6
        self.pauses = [run["pfc_pauses"] for run in runs]
        links = [run.links("leaf", "spine").sent_bytes for run in runs]
        self.up_bytes = sum(sent.sum() for sent in links)
        self.busiest_up = median(sent.max() / sent.mean() if len(sent) and sent.sum() else 0 for sent in links)
        nics = [run.links(*ends).sent_bytes for run in runs for ends in (("leaf", "gpu"), ("gpu", "leaf"))]
        self.sent_MB = median(mean(sent) for sent in nics) * 1e-6
        self.busiest_nic = max(sent.max() / sent.mean() for sent in nics)
        self.fullest_bytes = max(run["largest_queue_bytes"] for run in runs)


def exchanged(study):
    """A row per fabric and way of tokens, and {(fabric, way): Tokens}."""
    rows, found = [], {}
    for fabric, words in FABRICS.items():
        for routing, name in TOKENS.items():
            if fabric == "alone" and routing != "experts":
                continue
            found[fabric, routing] = got = Tokens(study, fabric, routing)
            times = (spread(times, "{:.3f}") for times in got.times_ms)
            links = (f"{got.sent_MB:.0f}", f"{got.busiest_nic:.2f}", f"{got.busiest_up:.2f}", f"{got.fullest_bytes * 1e-6:.1f}")
            rows.append([words, name, *times, f"{got.hops:.1f}", spread(got.pauses), *links])
    links = ["sent by a NIC, MB", "busiest NIC / mean", "busiest uplink / mean", "fullest queue, MB"]
    table(["fabric", "tokens", "dispatch, ms", "combine, ms", "packet-hops, millions", "pauses", *links], rows)
    return found


study = Study()
REDUCE, EXCHANGE = (16, [8]) if study.small else (256, [64, 256])
reduce = measured(study, "reduce", WAYS, "cross_nic", [REDUCE])
exchange = measured(study, "exchange", HOPS, "pxn", EXCHANGE)
STRAIGHT, PXN, STAGES = HOPS
RING, RING_ACROSS, TREES, TREES_ACROSS, NVLS = WAYS
study.claim(
    "what stays on its rail takes as long without spines, within 1 %",
    all(abs(reduce["alone", way, REDUCE] / reduce["rails", way, REDUCE] - 1) < 0.01 for way in (RING, TREES, NVLS))
    and all(abs(exchange["alone", way, mib] / exchange["rails", way, mib] - 1) < 0.01 for way in (PXN, STAGES) for mib in EXCHANGE),
)
study.claim(
    "with PXN an all-to-all is faster than straight over the spines",
    all(exchange["rails", PXN, mib] < exchange["rails", STRAIGHT, mib] for mib in EXCHANGE),
)
study.claim(
    "in stages, rails alone take 0 to 30 % longer than straight over spines",
    all(1 < exchange["alone", STAGES, mib] / exchange["rails", STRAIGHT, mib] < 1.3 for mib in EXCHANGE),
)
study.claim("trees on their rail are faster than across", reduce["rails", TREES, REDUCE] < reduce["rails", TREES_ACROSS, REDUCE])
study.claim(
    "rings take within 15 % the same on their rail and across",
    all(abs(reduce[fabric, RING, REDUCE] / reduce[fabric, RING_ACROSS, REDUCE] - 1) < 0.15 for fabric in ("rails", "racks")),
)
tokens = exchanged(study)
BY_RAIL, EVEN, SKEWED = TOKENS
TIMES = ("dispatch_ms", "combine_ms")


def ratios(of, to, fields=TIMES):
    return [getattr(tokens[of], field) / getattr(tokens[to], field) for field in fields]


study.claim(
    "tokens by rail put no packet on a spine and pause nobody on rails, and take as long without spines",
    tokens["rails", BY_RAIL].up_bytes == 0
    and not any(tokens["rails", BY_RAIL].pauses + tokens["alone", BY_RAIL].pauses)
    and all(abs(ratio - 1) < 0.001 for ratio in ratios(("alone", BY_RAIL), ("rails", BY_RAIL))),
)
study.claim(
    "straight they take 1.4 to 2 times as long, and NICs send 1.6 to 2 times as much",
    all(
        1.4 < ratio < 2 and 1.6 < sent < 2
        for fabric in ("rails", "racks")
        for sent in ratios((fabric, EVEN), (fabric, BY_RAIL), ["sent_MB"])
        for ratio in ratios((fabric, EVEN), (fabric, BY_RAIL))
    ),
)
study.claim(
    "by rail they take 1 to 15 % longer on racks, where the busiest uplink carries more than 1.1 times the mean",
    all(1.01 < ratio < 1.15 for ratio in ratios(("racks", BY_RAIL), ("rails", BY_RAIL)))
    and tokens["racks", BY_RAIL].busiest_up > 1.1,
)
study.claim(
    "skewed and straight they take 1.8 to 3 times as long as even ones, on rails and racks the same within 1 %, and even ones pause nobody",
    all(
        1.8 < ratio < 3 and not any(tokens[fabric, EVEN].pauses)
        for fabric in ("rails", "racks")
        for ratio in ratios((fabric, SKEWED), (fabric, EVEN))
    )
    and all(abs(ratio - 1) < 0.01 for ratio in ratios(("racks", SKEWED), ("rails", SKEWED))),
)
study.claim(
    "skewed, the busiest NIC sends or receives more than 1.7 times the mean, even it is less than 1.1 times",
    all(tokens[fabric, SKEWED].busiest_nic > 1.7 and tokens[fabric, EVEN].busiest_nic < 1.1 for fabric in ("rails", "racks")),
)
study.end()
