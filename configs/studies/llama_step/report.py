"""Tables and claims of the study of a training step. run.sh runs it; README.md says what comes out."""

import heddle
import heddle.step
from heddle.step.reading import step_of, steps_in
from study import Study, mean, select, table
from what_ifs import what_ifs

NAMES = {"time": "step", "computing": "computing", "tensor": "waits: tensor", "pipeline": "waits: pipeline", "data": "waits: data"}
KINDS = ("all_gather", "reduce_scatter")


def words(on):
    return "on" if on else "off"


def ms(ps):
    return f"{ps / 1e9:.1f}"


def parts_of(study, gpus, on):
    steps = steps_in(study.folder / f"parts_{gpus}")
    return next(step for step in steps if step["axes"]["dcqcn.enabled"] == str(on).lower())


def differences_of(study, gpus):
    """How much longer than with DCQCN off everything takes with it."""
    return heddle.step.compare([study.folder / f"parts_{gpus}"]).others[0].differences


def whole_of(study, gpus, on):
    """Values of the step that was simulated whole, ps."""
    with heddle.open(select(study.runs(f"whole_{gpus}"), **{"dcqcn.enabled": on})[0].path) as result:
        return step_of(result)


def one_ring(study):
    """What a ring that shares no link with another one waits for."""
    found = {}
    for run in study.runs("one_ring"):
        cut = run["latency.ctsw_ingress"] != "3925 ns"
        key = run["job.0.protocol"], run["job.0.channels"], cut, run["routing.policy"]
        found[key] = run.collective("time_ps") / 1e9, run.collective("busbw_GBps"), run.links("gpu", "rtsw").use.max()
    names = {False: "7.85 us", True: "0.2 us"}
    table(
        ["one ring alone", "channels", "a CTSW takes", "routing", "all-gather, ms", "busbw, GB/s", "a NIC sends"],
        [
            [protocol, channels, names[cut], policy, f"{ms:.2f}", f"{busbw:.1f}", f"{100 * use:.0f} % of the time"]
            for (protocol, channels, cut, policy), (ms, busbw, use) in found.items()
        ],
    )
    ms = {key: value[0] for key, value in found.items()}
    base = ms["simple", 4, False, "e_ecmp"]
    spray, shallow, eight, two = (
        ms[key] / base
        for key in (
            ("simple", 4, False, "spray"),
            ("simple", 4, True, "e_ecmp"),
            ("simple", 8, False, "e_ecmp"),
            ("simple", 2, False, "e_ecmp"),
        )
    )
    study.claim(
        f"one ring alone: sprayed packets take {spray:.3f} of what hashed ones take: the hash carries nothing", spray > 0.98
    )
    if study.small:
        study.claim(f"one ring of 25 MB alone: with CTSWs of 0.2 us it takes {shallow:.3f} of the time", shallow < 0.9)
        return
    study.claim(f"one ring alone: with CTSWs of 0.2 us it takes {shallow:.3f} of the time", shallow > 0.98)
    study.claim(f"one ring alone: with 8 channels it takes {eight:.3f} of the time", eight > 0.98)
    study.claim(f"one ring alone: with 2 channels it takes {two:.3f} of the time, as their rate bounds it", two > 1.15)
    ll128 = ms["ll128", 4, False, "e_ecmp"] / base
    study.claim(f"one ring alone: by LL128 it takes {ll128:.3f} of the time by simple, which NCCL's tuner takes", ll128 > 1.5)


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
    rows = []
    for gpus in jobs:
        found = differences_of(study, gpus)
        rows.append([f"{gpus:,}", "by parts", *(f"{ms(found[name].low_ps)} to {ms(found[name].high_ps)}" for name in NAMES)])
        if (gpus, False) in whole:
            rows.append([f"{gpus:,}", "whole", *(ms(whole[gpus, True][name] - whole[gpus, False][name]) for name in NAMES)])
    table(["GPUs", "simulated", *(f"{name}, ms" for name in NAMES.values())], rows)

    for gpus in jobs:
        found = differences_of(study, gpus)
        for name, what in NAMES.items() if (gpus, False) in whole else ():
            truth_ps = whole[gpus, True][name] - whole[gpus, False][name]
            study.claim(
                f"{gpus:,} GPUs: what DCQCN adds to the {what} of the whole, {ms(truth_ps)} ms, lies within {ms(found[name].low_ps)} to "
                f"{ms(found[name].high_ps)}",
                found[name].low_ps - 1 <= truth_ps <= found[name].high_ps + 1,
            )
        off = parts[gpus, False]["values_ps"]["time"]
        low, high = (200 * ps / (off["alone"] + off["together"]) for ps in (found["time"].low_ps, found["time"].high_ps))
        study.claim(
            f"{gpus:,} GPUs: with DCQCN a step takes {low:+.1f} to {high:+.1f} %: it gains {-low:.1f} % at the most",
            (-3 if study.small else -1.5) < low < 0,
        )
    for gpus in () if study.small else jobs[:2]:
        off, on = (whole[gpus, on]["time"] for on in (False, True))
        study.claim(
            f"{gpus:,} GPUs, whole: with DCQCN a step takes {100 * (on / off - 1):+.2f} %: it gains nothing", on > 0.995 * off
        )
    what_ifs(study, 128 if study.small else 4096)
    one_ring(study)
    study.end()


main()
