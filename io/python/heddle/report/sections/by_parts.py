"""A training step whose parts were simulated: every value with its interval, and how far its variants are apart."""

from heddle.report.blocks import Column, Words, table_of
from heddle.step.comparing import compared
from heddle.step.comparing_text import answer, by_size, title_of
from heddle.step.wording import label_of
from heddle.text import letter, text_of

TITLE = "The step, by its parts"
NAMES = {"time": "time of a step", "computing": "a GPU computes"}
ENDS = [Column(key, key, "ps") for key in ("low", "high")]


def _margin(step):
    return f"{100 * step['margins']['time']['of_all_waits']:g} %"


def blocks(page):
    if not page.variants:
        return []
    one = len(page.variants) == 1
    steps = [(letter(place), step) for place, variant in enumerate(page.variants) for step in variant.steps]
    return [*([] if one else _compared(page.variants)), _method(steps), _values(page.variants), _layers(steps)]


def _compared(variants):
    found = compared(variants)
    rows = [
        {"variant": name, "setting": title_of(other.variant), "value": _name(value), "low": d.low_ps, "high": d.high_ps}
        for name, other in by_size(found)
        for value, d in other.differences.items()
    ]
    columns = [Column("variant", "variant"), Column("setting", "setting"), Column("value", "value")]
    columns += [Column(key, key, "+ps") for key in ("low", "high")]
    unpaired = {other.unpaired for other in found.others} - {""}
    subtracted = f"; some are intervals subtracted: {'; '.join(sorted(unpaired))}" if unpaired else ""
    return [
        Words([answer(found)]),
        table_of(
            "differences",
            f"More than A ({title_of(found.first)}), the largest difference of the time first{subtracted}",
            columns,
            rows,
        ),
    ]


def _name(value):
    return NAMES.get(value, label_of(value))


def _method(steps):
    said = [
        f"{'' if len(steps) == 1 else f'{name}: '}{step['gpus']:,} GPUs, {step['method']}: "
        f"{text_of(step['packet_hops_simulated'], 'count')} packet-hops, "
        f"{100 * step['packet_hops_simulated'] / step['packet_hops_whole']:.2g} % of what the whole step takes."
        for name, step in steps
    ]
    return Words([*dict.fromkeys(said), "The sections below are of the pipeline alone."])


def _values(variants):
    margins = " or ".join(dict.fromkeys(_margin(variant.steps[0]) for variant in variants))
    rows = [
        {"variant": letter(place), "setting": title_of(variant), "seeds": len(variant.seeds), "value": _name(name), **ends}
        for place, variant in enumerate(variants)
        for name, ends in variant.values.items()
    ]
    which = [Column("variant", "variant"), Column("setting", "setting"), Column("seeds", "seeds", "count")]
    ends = [*ENDS, *(Column(key, key, "ps") for key in ("alone", "together"))]
    return table_of(
        "step",
        f"Means over GPUs; low and high span both estimates, and reach beyond them, the time by {margins} of all waits",
        [*(which if len(variants) > 1 or len(variants[0].seeds) > 1 else []), Column("value", "value"), *ends],
        rows,
    )


def _layers(steps):
    return table_of(
        "layers",
        "What the data-parallel collectives of a layer take: of the rings of a server's GPUs",
        [
            *([Column("variant", "variant")] if len(steps) > 1 else []),
            Column("stages", "stages"),
            Column("collective", "collective"),
            Column("rings", "rings", "count"),
            Column("least", "least", "ps"),
            Column("most", "most", "ps"),
        ],
        [
            {"variant": name, "stages": how, "collective": kind, "rings": len(times), "least": times[0], "most": times[-1]}
            for name, step in steps
            for how, kinds in step["layers_ps"].items()
            for kind, times in kinds.items()
        ],
    )
