"""Tables and claims of the study of Llama 3 405B. run.sh runs it; README.md says what comes out."""

import heddle
from study import Study, select, table

KINDS = {"all_gather": "all-gather", "reduce_scatter": "reduce-scatter"}


def layer_collectives(run):
    """Of each kind: bytes of a layer's data-parallel collective, and of these the mean, least and greatest time from the last
    rank's entry on; how many; and how long the first rank waited for the last one on average (ms)."""
    with heddle.open(run.path) as result:
        rows = result.collectives()
    rows = rows[rows.group == "data"]
    rows = rows.assign(time_ms=(rows.finish_ps - rows.last_enter_ps) / 1e9, waits_ms=(rows.last_enter_ps - rows.start_ps) / 1e9)
    found = {}
    for kind in KINDS:
        of_kind = rows[rows.kind == kind]
        layers = of_kind[of_kind.bytes == of_kind.bytes.max()]
        found[kind] = (
            int(layers.bytes.max()),
            layers.time_ms.mean(),
            layers.time_ms.min(),
            layers.time_ms.max(),
            len(layers),
            layers.waits_ms.mean(),
        )
    return found


def pair_of(runs, hidden):
    return [select(runs, hidden=hidden, **{"dcqcn.enabled": on})[0] for on in (False, True)]


def rows_of(runs, gpus, whole):
    rows, means = [], {}
    for hidden in sorted({run["job.0.training.hidden"] for run in runs}):
        off, on = (layer_collectives(run) for run in pair_of(runs, hidden))
        on_run = pair_of(runs, hidden)[1]
        for kind, name in KINDS.items():
            size, mean_off, least_off, most_off, count, waits_off = off[kind]
            _, mean_on, least_on, most_on, _, waits_on = on[kind]
            means[hidden, kind] = mean_off, mean_on
            rows.append(
                [
                    f"{gpus:,}",
                    f"1/{(whole // hidden) ** 2}" if hidden != whole else "all",
                    name,
                    f"{size / 1e6:.0f} MB",
                    count,
                    f"{mean_off:.2f} [{least_off:.2f} to {most_off:.2f}]",
                    f"{mean_on:.2f} [{least_on:.2f} to {most_on:.2f}]",
                    f"{100 * (mean_on / mean_off - 1):+.1f} %",
                    f"{waits_off:.2f}, {waits_on:.2f}",
                    on_run["ecn_marks"],
                    pair_of(runs, hidden)[0]["pfc_pauses"],
                    on_run["pfc_pauses"],
                ]
            )
    return rows, means


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
    base = ms["ll128", 2, False, "e_ecmp"]
    spray = ms["ll128", 2, False, "spray"] / base
    study.claim(
        f"one ring alone: sprayed packets take {spray:.3f} of what hashed ones take: the hash carries nothing", spray > 0.98
    )
    fast = ms["ll128", 2, True, "e_ecmp"] / base
    study.claim(f"one ring alone: with CTSWs of 0.2 us it takes {fast:.3f} of the time", fast < 0.9)
    more = [ms["ll128", channels, False, "e_ecmp"] / base for channels in (4, 8)]
    study.claim(
        f"one ring alone: with 4 and 8 channels it takes {more[0]:.3f} and {more[1]:.3f} of the time", more[1] < more[0] < 0.9
    )
    simple = ms["simple", 2, False, "e_ecmp"] / base
    if not study.small:  # 25 MB are too few bytes for simple's latency
        study.claim(
            f"one ring alone: by simple it takes {simple:.3f} of the time by LL128, which NCCL's tuner takes", simple < 0.65
        )


def main():
    study = Study()
    whole = 16384 if not study.small else 4096
    jobs = {"one_stage": 512 if study.small else 1024}
    if not study.small:
        jobs |= {"two_stages": 2048, "all_stages": 16384}
    rows, means = [], {}
    for sweep, gpus in jobs.items():
        more, means[sweep] = rows_of(study.runs(sweep), gpus, whole)
        rows += more
    table(
        [
            "GPUs",
            "of a layer",
            "collective",
            "size",
            "rings",
            "DCQCN off, ms",
            "on, ms",
            "on against off",
            "first to last rank, ms",
            "marks, on",
            "PFC, off",
            "PFC, on",
        ],
        rows,
    )
    one_ring(study)
    if study.small:
        study.claim(
            "a collective of four times the bytes takes longer",
            all(means["one_stage"][2048, kind][0] > means["one_stage"][1024, kind][0] for kind in KINDS),
        )
        study.claim("DCQCN gains nothing", all(on >= 0.99 * off for off, on in means["one_stage"].values()))
    else:
        one = means["one_stage"]
        for sweep, hidden in (("two_stages", 4096), ("two_stages", 8192), ("all_stages", 4096)):
            for kind, name in KINDS.items():
                for way, dcqcn in enumerate(("off", "on")):
                    ratio = means[sweep][hidden, kind][way] / one[hidden, kind][way]
                    study.claim(
                        f"{name} at 1/{(whole // hidden) ** 2}, DCQCN {dcqcn}: {jobs[sweep]:,} GPUs take {ratio:.3f} of what 1,024 "
                        f"on their part of the fabric take",
                        abs(ratio - 1) < 0.1,
                    )
        for kind, name in KINDS.items():
            for way, dcqcn in enumerate(("off", "on")):
                slope = (one[8192, kind][way] - one[4096, kind][way]) / 3
                predicted = one[4096, kind][way] + 15 * slope
                ratio = one[whole, kind][way] / predicted
                study.claim(
                    f"{name}, DCQCN {dcqcn}: the whole takes {ratio:.3f} of what a line through 1/16 and 1/4 says",
                    abs(ratio - 1) < 0.15,
                )
        study.claim("DCQCN gains nothing", all(on >= 0.99 * off for of_sweep in means.values() for off, on in of_sweep.values()))
    study.end()


main()
