"""Tables and claims of the study of a training step. run.sh runs it; README.md says what comes out."""

import json

import heddle
from heddle.step.reading import step_of
from study import Study, mean, select, table

NAMES = {"time": "step", "computing": "computing", "tensor": "waits: tensor", "pipeline": "waits: pipeline", "data": "waits: data"}
KINDS = ("all_gather", "reduce_scatter")


def words(on):
    return "on" if on else "off"


def ms(ps):
    return f"{ps / 1e9:.1f}"


def parts_of(study, gpus, on):
    with open(study.folder / f"parts_{gpus}_dcqcn_{str(on).lower()}" / "step.json") as file:
        return json.load(file)


def whole_of(study, gpus, on):
    """Values of the step that was simulated whole, ps."""
    with heddle.open(select(study.runs(f"whole_{gpus}"), **{"dcqcn.enabled": on})[0].path) as result:
        return step_of(result)


def main():
    study = Study()
    jobs = (128,) if study.small else (512, 1024, 16384)
    cases = [(gpus, on) for gpus in jobs for on in (False, True)]
    parts = {case: parts_of(study, *case) for case in cases}
    whole = {(gpus, on): whole_of(study, gpus, on) for gpus, on in cases if gpus != 16384}

    rows = []
    for (gpus, on), found in parts.items():
        for how, kinds in found["layers_ps"].items():
            times = [f"{ms(mean(kinds[kind]))} [{ms(kinds[kind][0])} to {ms(kinds[kind][-1])}]" for kind in KINDS]
            rows.append([f"{gpus:,}", how, words(on), *times])
    table(["job's GPUs", "stages", "DCQCN", *(f"{kind.replace('_', '-')} of a layer, ms" for kind in KINDS)], rows)

    rows = []
    for (gpus, on), found in parts.items():
        values = found["values_ps"]
        rows.append(
            [f"{gpus:,}", words(on), "by parts", *(f"{ms(values[name]['low'])} to {ms(values[name]['high'])}" for name in NAMES)]
        )
        for how in ("alone", "together"):
            rows.append([f"{gpus:,}", words(on), how, *(ms(values[name][how]) for name in NAMES)])
        if (gpus, on) in whole:
            rows.append([f"{gpus:,}", words(on), "whole", *(ms(whole[gpus, on][name]) for name in NAMES)])
    table(["GPUs", "DCQCN", "simulated", *(f"{name}, ms" for name in NAMES.values())], rows)

    for (gpus, on), truth in whole.items():
        values = parts[gpus, on]["values_ps"]
        for name, what in NAMES.items():
            value = values[name]
            study.claim(
                f"{gpus:,} GPUs, DCQCN {words(on)}: {what} of the whole, {ms(truth[name])} ms, lies within {ms(value['low'])} to "
                f"{ms(value['high'])}",
                value["low"] - 1 <= truth[name] <= value["high"] + 1,
            )
    for gpus in jobs:
        off, on = (parts[gpus, on]["values_ps"]["time"]["together"] for on in (False, True))
        study.claim(
            f"{gpus:,} GPUs, together: with DCQCN a step takes {100 * (on / off - 1):+.2f} %: it gains nothing", on > 0.995 * off
        )
    for gpus in () if study.small else jobs[:2]:
        off, on = (whole[gpus, on]["time"] for on in (False, True))
        study.claim(
            f"{gpus:,} GPUs, whole: with DCQCN a step takes {100 * (on / off - 1):+.2f} %: it gains nothing", on > 0.995 * off
        )
    study.end()


main()
