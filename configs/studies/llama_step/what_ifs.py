"""Other fabrics, and a spine that dies, with several seeds: the tables and claims of what the folders base_* and what_if_* hold."""

import heddle.step
from heddle.step.comparing import compared
from study import table

HOW = ("alone", "together")


def fabric_of(variant):
    """ "400G, deep spines" of a variant, from its resolved configuration."""
    config = variant.steps[0]["config"]
    deep = config["buffer"]["ctsw"]["kind"] == "static"
    return f"{config['link']['host_rate'].split()[0]}G, {'deep' if deep else 'shallow'} spines"


def dcqcn_of(variant):
    return "on" if variant.steps[0]["config"]["dcqcn"]["enabled"] else "off"


def percent_of(difference, variant):
    """Both ends of a difference in percent of the middle of a variant's time."""
    middle_ps = sum(variant.values["time"][how] for how in HOW) / 2
    return tuple(100 * ps / middle_ps for ps in (difference.low_ps, difference.high_ps))


def ms(ends, digits=1):
    return f"{ends['low'] / 1e9:.{digits}f} to {ends['high'] / 1e9:.{digits}f}"


def rows_of(found):
    for variant, other in zip(found.variants, (None, *found.others)):
        more = "" if other is None else "{:+.1f} to {:+.1f}".format(*percent_of(other.differences["time"], found.first))
        mfu, waits = variant.quoted["mfu"], variant.values
        yield [
            fabric_of(variant),
            dcqcn_of(variant),
            ms(variant.values["time"]),
            ", ".join(f"{variant.values['time'][how] / 1e9:.1f}" for how in HOW),
            more,
            f"{100 * mfu['low']:.1f} to {100 * mfu['high']:.1f}",
            ms(waits["pipeline"]),
            ms(waits["data"]),
        ]


def failure_rows(variant):
    """What the spine costs: the delay of a layer's collectives, of the step that meets it, of every other one, and of a month."""
    one = variant.failures[0]
    for kind in ("all_gather", "reduce_scatter"):
        for how in HOW:
            times = [ps / 1e9 for ps in one["longer_ps"][how][kind]]
            yield f"delay of the {kind.replace('_', '-')} that meets it, {how}, ms", f"{times[0]:.1f} to {times[-1]:.1f}"
    yield "delay of the step that meets it, ms", ms(one["step_longer_ps"])
    yield "delay of every other step while it lasts, ms", ms(one["later_steps_longer_ps"])
    month = one["month"]
    hours = month["hours_lost"]
    yield (
        f"hours lost in a month, with {month['failures']:.1f} failures of {month['repair_hours']:g} hours",
        f"{hours['low']:.2f} to {hours['high']:.2f}",
    )


def what_ifs(study, gpus):
    found = heddle.step.compare([study.folder / f"base_{gpus}", study.folder / f"what_if_{gpus}"])
    seeds = len(found.first.seeds)
    head = [
        "DCQCN",
        "step, ms",
        "estimates: alone, together",
        "more than the first, %",
        "MFU, %",
        "waits: pipeline, ms",
        "waits: data, ms",
    ]
    table([f"{gpus:,} GPUs, {seeds} seeds", *head], rows_of(found))

    of = {(fabric_of(variant), dcqcn_of(variant)): variant for variant in found.variants}
    fabrics = dict.fromkeys(fabric for fabric, _ in of)
    pairs = {fabric: compared([of[fabric, "off"], of[fabric, "on"]]).others[0].differences["time"] for fabric in fabrics}
    table(
        ["what DCQCN adds to a step", "ms", "%"],
        [
            [
                fabric,
                f"{more.low_ps / 1e9:.1f} to {more.high_ps / 1e9:.1f}",
                "{:+.1f} to {:+.1f}".format(*percent_of(more, of[fabric, "off"])),
            ]
            for fabric, more in pairs.items()
        ],
    )
    base = {on: of["400G, deep spines", on] for on in ("off", "on")}
    rows = [dict(failure_rows(variant)) for variant in base.values()]
    table(
        ["a CTSW dies 1 ms after a layer's collective began", *(f"DCQCN {on}" for on in base)],
        [[name, *(row[name] for row in rows)] for name in rows[0]],
    )
    claims(study, found, of, pairs, base["off"].failures[0])


def claims(study, found, of, pairs, failure):
    shallow, fast = (
        found.others[found.variants.index(of[fabric, "off"]) - 1] for fabric in ("400G, shallow spines", "800G, deep spines")
    )
    low, high = percent_of(shallow.differences["time"], found.first)
    study.claim(f"shallow spines: a step takes {low:+.1f} to {high:+.1f} %: at most 1 % either way", -1 < low <= high < 1)
    low, high = percent_of(fast.differences["time"], found.first)
    study.claim(f"800G: a step takes {low:+.1f} to {high:+.1f} %: it gains", high < 0)
    low, high = percent_of(pairs["800G, deep spines"], of["800G, deep spines", "off"])
    study.claim(f"800G: DCQCN adds {low:+.1f} to {high:+.1f} %: at most 1 % either way", -1 < low <= high < 1)
    delays_s = [ps / 1e12 for kinds in failure["longer_ps"].values() for times in kinds.values() for ps in times]
    study.claim(
        f"a spine that dies delays the collective that meets it by {min(delays_s):.2f} to {max(delays_s):.2f} s: NCCL's timer is 4.29 s",
        4.2 < min(delays_s) <= max(delays_s) < 4.4,
    )
