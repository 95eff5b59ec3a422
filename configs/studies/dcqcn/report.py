"""Tables and claims of the study of DCQCN. run.sh runs it; README.md says what comes out."""

from study import Study, median, select, spread, table

KINDS = {"all_reduce": "all-reduce", "all_to_all": "all-to-all"}


def setting(run):
    if not run["dcqcn.enabled"]:
        return "off"
    return "strict" if run["ecn.kmin"] == "5 KB" else "tuned"


study = Study()
sizes = {"all_reduce": [128], "all_to_all": [16]} if study.small else {"all_reduce": [16, 64, 256], "all_to_all": [4, 16, 64]}
rows, found, paused = [], {}, 0
for kind, words in KINDS.items():
    runs = study.runs(kind)
    paused += sum(run["pfc_pauses"] for run in runs)
    for rate in ("200 Gb/s", "400 Gb/s"):
        of = {(setting(run), run["simulation.seed"]): run for run in select(runs, host_rate=rate)}
        seeds = [seed for name, seed in of if name == "off"]
        for size in sizes[kind]:
            time_ps = {which: run.collective("time_ps", size << 20) for which, run in of.items()}
            relative = {name: [time_ps[name, seed] / time_ps["off", seed] for seed in seeds] for name in ("strict", "tuned")}
            found[kind, rate, size] = {name: median(values) for name, values in relative.items()}
            rows.append([words, rate, f"{size} MiB", spread([time_ps["off", seed] * 1e-9 for seed in seeds], "{:.2f}") + " ms",
                         *(spread(values, "{:.2f}") for values in relative.values())])
table(["collective", "rate", "size", "off", "strict", "tuned"], rows)

for (kind, rate, size), relative in found.items():
    if size == sizes[kind][-1]:
        study.claim(f"{KINDS[kind]} at {rate}: strict thresholds slow it down", relative["strict"] > 1.02)
        study.claim(f"{KINDS[kind]} at {rate}: tuned ones less than strict ones", relative["tuned"] < relative["strict"])
        study.claim(f"{KINDS[kind]} at {rate}: no setting gains more than 3.5 % in the median", min(relative.values()) > 0.965)
study.claim("nobody pauses, with DCQCN or without", paused == 0)
study.end()
