"""Tables and claims of the study of DCQCN. run.sh runs it; README.md says what comes out."""

from study import Study, select, table

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
        of = {setting(run): run for run in select(runs, host_rate=rate)}
        for size in sizes[kind]:
            time_ps = {name: run.collective("time_ps", size << 20) for name, run in of.items()}
            found[kind, rate, size] = relative = {name: time_ps[name] / time_ps["off"] for name in ("strict", "tuned")}
            rows.append([words, rate, f"{size} MiB", f"{time_ps['off'] * 1e-9:.2f} ms", *(f"{value:.2f}" for value in relative.values())])
table(["collective", "rate", "size", "off", "strict", "tuned"], rows)

for (kind, rate, size), relative in found.items():
    if size == sizes[kind][-1]:
        study.claim(f"{KINDS[kind]} at {rate}: strict thresholds slow it down", relative["strict"] > 1.02)
        study.claim(f"{KINDS[kind]} at {rate}: tuned ones less than strict ones", relative["tuned"] < relative["strict"])
        study.claim(f"{KINDS[kind]} at {rate}: no setting gains more than 3.5 %", min(relative.values()) > 0.965)
study.claim("nobody pauses, with DCQCN or without", paused == 0)
study.end()
