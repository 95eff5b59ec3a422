"""Collectives of layers with experts (job.training.expert_parallel): of two kinds at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas


def units_of(rows: pandas.DataFrame, ranks: pandas.DataFrame) -> pandas.DataFrame:
    """Of data-parallel collectives, and the ranks of their rings: a row for every layer and ring of experts, which goes with a larger ring for all
    else that the layer has. Both are asked for at once, and a GPU waits for the later one. What has no experts is as it was."""
    import numpy
    import pandas

    sizes = ranks.groupby("communicator").size()
    of_experts = ranks.communicator.map(sizes) < sizes.max()
    beside = ranks[~of_experts].set_index("node").communicator
    units = []
    for ring, node in ranks[of_experts].groupby("communicator").node.first().items():
        for kind, experts in rows[rows.communicator == ring].groupby("kind", observed=True):
            others = rows[(rows.communicator == beside[node]) & (rows.kind == kind)].assign(communicator=ring)
            is_layer = others.bytes == others.bytes.max()  # a part's vocabulary is smaller
            layers, experts = (each.sort_values("last_enter_ps") for each in (others[is_layer], experts))
            took_ps = layers.finish_ps - layers.last_enter_ps
            later = {key: numpy.maximum(layers[key].to_numpy(), experts[key].to_numpy()) for key in ("last_enter_ps", "finish_ps")}
            sizes_of_both = layers.bytes.to_numpy() + experts.bytes.to_numpy()
            units += [
                layers.assign(but_experts=layers.bytes, but_experts_ps=took_ps, bytes=sizes_of_both, **later),
                others[~is_layer],
            ]
    return pandas.concat(units)
