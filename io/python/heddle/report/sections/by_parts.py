"""A training step whose parts were simulated: every value with its interval."""

from heddle.report.blocks import Column, Words, table_of
from heddle.step.wording import label_of
from heddle.text import text_of

TITLE = "The step, by its parts"
NAMES = {"time": "time of a step", "computing": "a GPU computes"}


def _margin(step):
    return f"{100 * step['margins']['time']['of_all_waits']:g} %"


def blocks(page):
    if page.step is None:
        return []
    step = page.step
    share = step["packet_hops_simulated"] / step["packet_hops_whole"]
    return [
        Words(
            [
                f"{step['gpus']:,} GPUs, {step['method']}: {text_of(step['packet_hops_simulated'], 'count')} packet-hops, "
                f"{100 * share:.2g} % of what the whole step takes. The sections below are of the pipeline alone."
            ]
        ),
        table_of(
            "step",
            f"Means over GPUs; low and high span both estimates, and reach beyond them, the time by {_margin(step)} of all waits",
            [Column("value", "value"), *(Column(key, key, "ps") for key in ("low", "high", "alone", "together"))],
            [{"value": NAMES.get(name, label_of(name)), **ends} for name, ends in step["values_ps"].items()],
        ),
        table_of(
            "layers",
            "What the data-parallel collectives of a layer take: of the rings of a server's GPUs",
            [
                Column("stages", "stages"),
                Column("collective", "collective"),
                Column("rings", "rings", "count"),
                Column("least", "least", "ps"),
                Column("most", "most", "ps"),
            ],
            [
                {"stages": how, "collective": kind, "rings": len(times), "least": times[0], "most": times[-1]}
                for how, kinds in step["layers_ps"].items()
                for kind, times in kinds.items()
            ],
        ),
    ]
