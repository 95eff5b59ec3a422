"""What a layer's data-parallel collectives take."""

import heddle
from study import select

KINDS = ("all_gather", "reduce_scatter")


def by_dcqcn(runs):
    """A sweep's run with DCQCN off, and that with DCQCN on."""
    return {on: select(runs, **{"dcqcn.enabled": on})[0] for on in (False, True)}


def layer_times(run):
    """Of each kind the times (ps) of the rings of a layer, from the last rank's entry on."""
    with heddle.open(run.path) as result:
        rows = result.collectives()
    rows = rows[(rows.group == "data") & (rows.bytes > 1 << 20)]
    rows = rows.assign(time_ps=rows.finish_ps - rows.last_enter_ps)
    found = {}
    for kind in KINDS:
        of_kind = rows[rows.kind == kind]
        found[kind] = sorted(int(ps) for ps in of_kind[of_kind.bytes == of_kind.bytes.max()].time_ps)
    return found


def slowest_ps(run):
    """Of each kind the slowest ring's: GPUs of a server have a ring each, and meet after every one of them."""
    return {kind: times[-1] for kind, times in layer_times(run).items()}
