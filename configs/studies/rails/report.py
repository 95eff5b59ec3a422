"""Tables and claims of the study of rails. run.sh runs it; README.md says what comes out."""

from study import Study, median, select, spread, table

FABRICS = {"rails": "rails under spines", "alone": "rails alone", "racks": "racks of two servers"}
WAYS = {("ring", "no"): "ring, on its rail", ("ring", "yes"): "ring, across", ("tree", "no"): "trees, on their rail"}
WAYS |= {("tree", "yes"): "trees, across", ("nvls", "auto"): "nvls"}
HOPS = {("auto", False): "straight", ("auto", True): "PXN", ("hierarchical", False): "in stages"}


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
study.end()
