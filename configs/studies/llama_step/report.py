"""Tables and claims of the study of a training step. run.sh runs it; README.md says what comes out."""

import heddle
from layers import KINDS, by_dcqcn, layer_times
from study import Study, mean, table

GROUPS = ("tensor", "pipeline", "data")
HOW = ("alone", "together")


def step(run):
    """Time of the step, what a GPU computes, and how long it stands still for each group (means over GPUs), ms."""
    with heddle.open(run.path) as result:
        row = result.iterations().iloc[0]
    return {
        "time": row.time_ps / 1e9,
        "computing": row.compute_ps / 1e9,
        **{group: row[f"exposed_{group}_ps"] / 1e9 for group in GROUPS},
    }


def words(on):
    return "on" if on else "off"


def main():
    study = Study()
    jobs = (128,) if study.small else (512, 1024, 16384)
    whole_jobs = jobs if study.small else jobs[:2]
    layers, steps = {}, {}
    for gpus in jobs:
        for how in HOW:
            for on, run in by_dcqcn(study.runs(f"layer_{gpus}_{how}")).items():
                layers[gpus, how, on] = layer_times(run)
            for on, run in by_dcqcn(study.runs(f"pipeline_{gpus}_{how}")).items():
                steps[gpus, how, on] = step(run)
    for gpus in whole_jobs:
        for on, run in by_dcqcn(study.runs(f"whole_{gpus}")).items():
            steps[gpus, "whole", on] = step(run)

    def times(ms):
        return f"{mean(ms):.1f} [{ms[0]:.1f} to {ms[-1]:.1f}]"

    rows = []
    for (gpus, how, on), kinds in layers.items():
        rows.append([f"{gpus:,}", how, words(on), *(times([ps / 1e9 for ps in kinds[kind]]) for kind in KINDS)])
    table(["job's GPUs", "stages", "DCQCN", *(f"{kind.replace('_', '-')} of a layer, ms" for kind in KINDS)], rows)

    rows = []
    for gpus in jobs:
        for on in (False, True):
            for how in (*HOW, "whole"):
                if (gpus, how, on) not in steps:
                    continue
                found = steps[gpus, how, on]
                exposed = sum(found[group] for group in GROUPS)
                name = how if how == "whole" else f"by parts, {how}"
                rows.append([f"{gpus:,}", words(on), name, *(f"{found[key]:.1f}" for key in found), f"{exposed:.1f}"])
    table(["GPUs", "DCQCN", "simulated", "step, ms", "computing", *(f"waits: {group}" for group in GROUPS), "all waits"], rows)

    close = {"alone": 0.03, "together": 0.05 if study.small else 0.01}
    for gpus in whole_jobs:
        for on in (False, True):
            whole = steps[gpus, "whole", on]
            for how in HOW:
                parts = steps[gpus, how, on]
                off, of_data = ((parts[key] - whole[key]) / whole["time"] for key in ("time", "data"))
                study.claim(
                    f"{gpus:,} GPUs, DCQCN {words(on)}, by parts, {how}: the step is {100 * off:+.2f} % off, {100 * of_data:+.2f} % by "
                    f"waits for data-parallel collectives: less than {100 * close[how]:.0f} %",
                    abs(off) < close[how] and abs(of_data) < close[how],
                )
    for (gpus, how, on), found in steps.items():
        if on:
            gain = found["time"] / steps[gpus, how, False]["time"] - 1
            study.claim(f"{gpus:,} GPUs, {how}: with DCQCN a step takes {100 * gain:+.2f} %: it gains nothing", gain > -0.005)
    study.end()


main()
