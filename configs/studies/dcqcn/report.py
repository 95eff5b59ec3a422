"""Tables and claims of the study of DCQCN. run.sh runs it; README.md says what comes out."""

from study import Study, mean, mean_interval, select, table

KINDS = {"all_reduce": "all-reduce", "all_to_all": "all-to-all"}
SERVERS = {  # link.host_rate and, of all-reduces, job.0.channels
    "all_reduce": [("200 Gb/s", 16), ("200 Gb/s", 24), ("400 Gb/s", 16), ("400 Gb/s", 24)],
    "all_to_all": [("200 Gb/s",), ("400 Gb/s",)],
}
MEMORY = {"64 MiB": "64 MiB", "119223028 B": "113.7 MiB"}
SETTINGS = ("strict", "onyx", "tuned")
PLANNED = {"path_pinning": "paths pinned", "traffic_engineering": "traffic engineering"}


def setting(run):
    if not run["dcqcn.enabled"]:
        return "off"
    return {"5 KB": "strict", "150 KB": "onyx", "800 KB": "tuned"}[run["ecn.kmin"]]


def by_setting(runs):
    """{setting: [its runs, by seed]}"""
    found = {}
    for run in sorted(runs, key=lambda run: run["simulation.seed"]):
        found.setdefault(setting(run), []).append(run)
    return found


def over_off(of, value):
    """{setting: [value(run) over that of DCQCN off with the same seed]}"""
    return {name: [value(run) / value(off) for run, off in zip(runs, of["off"])] for name, runs in of.items() if name != "off"}


def paused_ports(runs, source, destination):
    """How many PAUSEs links between nodes of these names got, mean over the runs."""
    return mean([float(run.links(source, destination).pauses.sum()) for run in runs])


study = Study()
sizes = {"all_reduce": [128], "all_to_all": [16]} if study.small else {"all_reduce": [16, 64, 256], "all_to_all": [64]}
zone_sizes = {"all_reduce": [256], "all_to_all": [16]} if study.small else {"all_reduce": [256, 1024], "all_to_all": [64]}

rows, found, paused = [], {}, []
for kind, words in KINDS.items():
    runs = study.runs(kind)
    paused += [run["pfc_pauses"] for run in runs if setting(run) == "off"]
    for servers in SERVERS[kind]:
        of = by_setting(select(runs, **dict(zip(("host_rate", "channels"), servers))))
        for size in sizes[kind]:

            def time_ps(run):
                return run.collective("time_ps", size << 20)

            relative = over_off(of, time_ps)
            found[kind, servers, size] = {name: mean(values) for name, values in relative.items()}
            rows.append(
                [
                    words,
                    servers[0],
                    *(servers[1:] or ["any"]),
                    f"{size} MiB",
                    mean_interval([time_ps(run) * 1e-9 for run in of["off"]], "{:.2f}") + " ms",
                    *(mean_interval(values, "{:.3f}") for values in relative.values()),
                ]
            )
table(["18 uplinks for 16 NICs", "rate", "channels", "size", "off", "strict", "onyx", "tuned"], rows)


def reductions(sweep, words, **where):
    """All-reduces of a sweep, a row for each size: {size: {setting: time over off}}, and how many pauses DCQCN off had"""
    rows, found = [], {}
    of = by_setting(study.runs(sweep, **where))
    for size in zone_sizes["all_reduce"]:

        def time_ps(run):
            return run.collective("time_ps", size << 20)

        relative = over_off(of, time_ps)
        found[size] = {name: mean(values) for name, values in relative.items()}
        rows += [
            [
                f"{size} MiB",
                mean_interval([time_ps(run) * 1e-9 for run in of["off"]], "{:.2f}") + " ms",
                *(mean_interval(values, "{:.3f}") for values in relative.values()),
            ]
        ]
    rows.append(["PFC pauses", *(mean_interval([run["pfc_pauses"] for run in runs], "{:.0f}") for runs in of.values())])
    table([f"{words}: all-reduce", *of], rows)
    return found, sum(run["pfc_pauses"] for run in of["off"])


def exchanges(sweep, words, memories, **where):
    """All-to-alls of a sweep, a row for each rack switch and setting: {(memory, setting): (time over off, pauses)}"""
    rows, found = [], {}
    for memory in memories:
        of = by_setting(study.runs(sweep, bytes=memory, **where))
        size = zone_sizes["all_to_all"][0]
        relative = over_off(of, lambda run: run.collective("time_ps", size << 20))
        for name, runs in of.items():
            pauses = [run["pfc_pauses"] for run in runs]
            found[memory, name] = mean(relative[name]) if name != "off" else 1, mean(pauses)
            rows.append(
                [
                    MEMORY[memory],
                    name,
                    mean_interval(relative[name], "{:.3f}")
                    if name != "off"
                    else mean_interval([run.collective("time_ps", size << 20) * 1e-9 for run in runs], "{:.2f}") + " ms",
                    mean_interval(pauses, "{:.0f}"),
                    *(f"{paused_ports(runs, *ends):.0f}" for ends in (("gpu", "rtsw"), ("ctsw", "rtsw"), ("rtsw", "ctsw"))),
                ]
            )
    head = f"{words}: all-to-all {zone_sizes['all_to_all'][0]} MiB; rack switch of"
    table([head, "DCQCN", "time; over off", "PFC pauses", "NICs paused", "CTSWs paused", "RTSWs paused"], rows)
    return found


small_buffer, large_buffer = MEMORY
memories = (small_buffer,) if study.small else tuple(MEMORY)
fabric = "32 uplinks for 16 NICs (1:2), 200G, "
reduced, paused_reducing = reductions("zone_all_reduce", fabric + "E-ECMP")
zone = exchanges("zone_all_to_all", fabric + "E-ECMP", memories)
reduced_by, exchanged_by = {}, {}
for policy, words in PLANNED.items():
    reduced_by[policy], _ = reductions("planned_all_reduce", fabric + words, policy=policy)
    exchanged_by[policy] = exchanges("planned_all_to_all", fabric + words, (small_buffer,), policy=policy)
over = exchanges("over_all_to_all", "8 uplinks for 16 NICs (2:1), 200G, E-ECMP", (small_buffer,))
paused.append(paused_reducing)
paused += [zone[memory, "off"][1] for memory in memories]

for kind in KINDS:
    for servers in SERVERS[kind]:
        relative, at = found[kind, servers, sizes[kind][-1]], f"{KINDS[kind]} at {', '.join(map(str, servers))}"
        study.claim(f"{at}: strict thresholds slow it down", relative["strict"] > 1.02)
        study.claim(f"{at}: tuned ones less than strict ones", relative["tuned"] < relative["strict"])
        study.claim(f"{at}: no setting gains more than 3.5 % in the mean", min(relative.values()) > 0.965)
for slow, fast in zip(SERVERS["all_reduce"][::2], SERVERS["all_reduce"][1::2]):
    few, many = (found["all_reduce", servers, sizes["all_reduce"][-1]]["strict"] - 1 for servers in (slow, fast))
    study.claim(f"all-reduce at {slow[0]}: strict thresholds cost less of 24 channels' time than of 16's", many < few)
study.claim("E-ECMP with uplinks to spare (18 or 32 for 16 NICs) and DCQCN off: nobody pauses", sum(paused) == 0)
study.claim("all-reduce of 256 MiB, 32 uplinks: strict thresholds slow it down by less than 3 %", reduced[256]["strict"] < 1.03)
if not study.small:
    study.claim("of 1 GiB: by more than 5 %", reduced[1024]["strict"] > 1.05)
study.claim("all-reduce, 32 uplinks: tuned ones by less than 3 %", all(of_size["tuned"] < 1.03 for of_size in reduced.values()))
times, pauses = zip(*(zone[small_buffer, name] for name in SETTINGS))
study.claim("all-to-all, 32 uplinks: the earlier marks begin, the longer it takes", times[0] > times[1] > times[2] > 0.965)
if not study.small:  # 16 MiB on 64 GPUs are too little for a pause
    study.claim(
        "all-to-all, 32 uplinks, rack switch of 64 MiB: the earlier marks begin, the more pauses", pauses[0] > pauses[1] > pauses[2]
    )
    study.claim(
        "all-to-all, 32 uplinks, strict thresholds: a rack switch of 64 MiB pauses more often than one of 113.7 MiB",
        pauses[0] > zone[large_buffer, "strict"][1],
    )
for policy, words in PLANNED.items():
    slower = max(of_size["strict"] for of_size in reduced_by[policy].values())
    study.claim(f"all-reduce, 32 uplinks, {words}: strict thresholds take at most 1 % longer", slower < 1.01)
    strict = exchanged_by[policy][small_buffer, "strict"][0]
    study.claim(f"all-to-all, 32 uplinks, {words}: strict thresholds slow it down", strict > 1.02)
if not study.small:
    off, strict = (exchanged_by["traffic_engineering"][small_buffer, name][1] for name in ("off", "strict"))
    study.claim(
        f"all-to-all, 32 uplinks, traffic engineering: DCQCN off pauses {off / strict:.1f} times as often as strict",
        off > 1.5 * strict,
    )
    off, strict = (exchanged_by["path_pinning"][small_buffer, name][1] for name in ("off", "strict"))
    study.claim("all-to-all, 32 uplinks, paths pinned: strict thresholds pause most", strict > 10 * off)
later = [over[small_buffer, name][1] for name in ("strict", "onyx", "tuned", "off")]
study.claim(
    "all-to-all, 8 uplinks (a what-if): the later marks begin, the more pauses", 0 < later[0] < later[1] < later[2] < later[3]
)
study.end()
