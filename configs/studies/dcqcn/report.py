"""Tables and claims of the study of DCQCN. run.sh runs it; README.md says what comes out."""

from study import Study, mean, mean_interval, select, table

KINDS = {"all_reduce": "all-reduce", "all_to_all": "all-to-all"}
RATES = ("200 Gb/s", "400 Gb/s")
MEMORY = {"64 MiB": "64 MiB", "119223028 B": "113.7 MiB"}
COUNTER = {"2097088 B": "", "32767 B": ", counter in B"}


def setting(run):
    if not run["dcqcn.enabled"]:
        return "off"
    return {"5 KB": "strict", "150 KB": "onyx", "800 KB": "tuned"}[run["ecn.kmin"]] + COUNTER[
        run.get("dcqcn.byte_counter", "2097088 B")
    ]


def by_setting(runs):
    """{setting: [its runs, by seed]}"""
    found = {}
    for run in sorted(runs, key=lambda run: run["simulation.seed"]):
        found.setdefault(setting(run), []).append(run)
    return found


def over_off(of, value):
    """{setting: [value(run) over that of DCQCN off with the same seed]}"""
    return {name: [value(run) / value(off) for run, off in zip(runs, of["off"])] for name, runs in of.items() if name != "off"}


study = Study()
sizes = {"all_reduce": [128], "all_to_all": [16]} if study.small else {"all_reduce": [16, 64, 256], "all_to_all": [4, 16, 64]}
half_sizes = {"all_reduce": [64], "all_to_all": [16]} if study.small else {"all_reduce": [64, 256, 1024], "all_to_all": [64]}

rows, found, paused = [], {}, []
for kind, words in KINDS.items():
    runs = study.runs(kind)
    paused += [run["pfc_pauses"] for run in runs if setting(run) == "off"]
    for rate in RATES:
        of = by_setting(select(runs, host_rate=rate))
        for size in sizes[kind]:

            def time_ps(run):
                return run.collective("time_ps", size << 20)

            relative = over_off(of, time_ps)
            found[kind, rate, size] = {name: mean(values) for name, values in relative.items()}
            rows.append(
                [
                    words,
                    rate,
                    f"{size} MiB",
                    mean_interval([time_ps(run) * 1e-9 for run in of["off"]], "{:.2f}") + " ms",
                    *(mean_interval(values, "{:.3f}") for values in relative.values()),
                ]
            )
table(["collective", "rate", "size", "off", "strict", "onyx", "tuned"], rows)

rows = []
for size in half_sizes["all_reduce"]:

    def time_ps(run):
        return run.collective("time_ps", size << 20)

    of = by_setting(study.runs("half_all_reduce"))
    relative = over_off(of, time_ps)
    found["half all_reduce", size] = {name: mean(values) for name, values in relative.items()}
    rows += [
        [
            f"{size} MiB",
            mean_interval([time_ps(run) * 1e-9 for run in of["off"]], "{:.2f}") + " ms",
            *(mean_interval(values, "{:.3f}") for values in relative.values()),
        ]
    ]
table(["all-reduce, 1:2 uplinks, 200G", *of], rows)

rows, half = [], {}
for memory, words in MEMORY.items():
    of = by_setting(study.runs("half_all_to_all", bytes=memory))
    size = half_sizes["all_to_all"][0]
    relative = over_off(of, lambda run: run.collective("time_ps", size << 20))
    for name, runs in of.items():
        pauses = [run["pfc_pauses"] for run in runs]
        strict = [max(run["pfc_pauses"], 1) for run in of["strict"]]
        half[memory, name] = mean(relative[name]) if name != "off" else 1, mean(pauses)
        rows.append(
            [
                words,
                name,
                mean_interval(relative[name], "{:.3f}")
                if name != "off"
                else mean_interval([run.collective("time_ps", size << 20) * 1e-9 for run in runs], "{:.2f}") + " ms",
                mean_interval(pauses, "{:.0f}"),
                mean_interval([p / s for p, s in zip(pauses, strict)], "{:.2f}"),
            ]
        )
table([f"rack switch; all-to-all {size} MiB, 1:2 uplinks, 200G", "DCQCN", "time; over off", "PFC pauses", "over strict"], rows)

for kind in KINDS:
    for rate in RATES:
        relative = found[kind, rate, sizes[kind][-1]]
        study.claim(f"{KINDS[kind]} at {rate}: strict thresholds slow it down", relative["strict"] > 1.02)
        study.claim(f"{KINDS[kind]} at {rate}: tuned ones less than strict ones", relative["tuned"] < relative["strict"])
        study.claim(f"{KINDS[kind]} at {rate}: no setting gains more than 3.5 % in the mean", min(relative.values()) > 0.965)
study.claim("with uplinks to spare and DCQCN off nobody pauses", sum(paused) == 0)
relative = found["half all_reduce", half_sizes["all_reduce"][-1]]
study.claim(
    "all-reduce on 1:2 uplinks: strict thresholds slow it down by at least 5 %",
    min(relative["strict"], relative["strict, counter in B"]) > 1.05,
)
study.claim(
    "all-reduce on 1:2 uplinks: a byte counter read as bytes does less harm", relative["strict, counter in B"] < relative["strict"]
)
study.claim("all-to-all on 1:2 uplinks: strict thresholds slow it down", half["64 MiB", "strict"][0] > 1.02)
study.claim(
    "all-to-all on 1:2 uplinks, 64 MiB: the later marks begin, the more pauses",
    half["64 MiB", "strict"][1] < half["64 MiB", "onyx"][1] < half["64 MiB", "tuned"][1] < half["64 MiB", "off"][1],
)
study.claim(
    "all-to-all on 1:2 uplinks: a rack switch of 64 MiB pauses more often than one of 113.7 MiB",
    half["64 MiB", "off"][1] > half["119223028 B", "off"][1],
)
study.end()
