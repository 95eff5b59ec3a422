"""What a layer's run says of its network: which links were busy while its collectives ran, and what made these as long as they are."""

from __future__ import annotations

import pandas as pd

from heddle.figures import Missing
from heddle.figures.reading import first_of, link_totals
from heddle.report.facts import Facts, kinds_of
from heddle.report.standouts import of_network
from heddle.results import Run
from heddle.step.reading import layer_times

TIMES, LINKS = "layer_time", "layer_links"  # of Facts.frames


def add_layer(facts: Facts, run: Run, layers: int) -> None:
    """The tables TIMES and LINKS of a layer's run, or why they are not there; and what stands out of its network."""
    facts.standouts = of_network(facts)
    try:
        links, on_network = link_totals(run), _on_network(run)
    except Missing as why:
        facts.lacks |= {TIMES: str(why), LINKS: str(why)}
        return
    facts.frames[LINKS] = _links(facts, run, links, _union_ps(on_network))
    facts.frames[TIMES] = _times(facts, run, layers, links, on_network)


def _in_servers(run: Run) -> set[str]:
    """Groups whose traffic no link carries."""
    stage = run.value("job.0.training.tensor_parallel") * run.value("job.0.training.context_parallel")
    return {"tensor", "context"} if stage <= run.value("job.0.gpus_per_server") else {"tensor"}


def _on_network(run: Run) -> pd.DataFrame:
    """Collectives that send over links, with `load`: what counts of their bytes, as busbw has it."""
    rows = run.collectives()
    rows = rows[~rows.group.astype(str).isin(_in_servers(run)) & (rows.finish_ps >= 0) & (rows.algbw_GBps > 0)].copy()
    if rows.empty:
        raise Missing("no collective of the layer's run has sent over links")
    rows["load"] = rows.bytes * rows.ranks * rows.busbw_GBps / rows.algbw_GBps
    return rows


def _union_ps(rows: pd.DataFrame) -> int:
    """How long any of them ran, from its first rank's entry on."""
    ran, until = 0, 0
    for start, finish in sorted(zip(rows.start_ps, rows.finish_ps)):
        ran += max(0, finish - max(start, until))
        until = max(until, finish)
    return int(ran)


def _links(facts: Facts, run: Run, links: pd.DataFrame, ran_ps: int) -> pd.DataFrame:
    """kinds_of(), with shares of the time in which collectives ran, and names."""
    longer = run.attrs["end_ps"] / max(ran_ps, 1)
    rows = []
    for kind in kinds_of(run).to_dict("records"):
        of_kind = links[links.tier == kind["tier"]]
        shares = {key: min(1.0, kind[key] * longer) for key in ("mean_use", "most_use")}
        busiest = first_of(of_kind, "use") if kind["most_use"] > 0 else "-"
        paused = int((of_kind.paused_ps > 0).sum())
        rows.append({"run": facts.name, **kind, **shares, "busiest": busiest, "links_paused": paused})
    return pd.DataFrame(rows)


def _times(facts: Facts, run: Run, layers: int, links: pd.DataFrame, on_network: pd.DataFrame) -> pd.DataFrame:
    """Of each kind of collective the slowest ring's time, and what it is made of. Links' bytes count for all collectives together, so one has
    its share by its bytes; not where groups of several kinds send, as these take other links."""
    times = links.assign(full_ps=links.sent_bytes * 8e12 / links.bits_per_s)
    busiest = times.loc[times.full_ps.idxmax()]
    mean_ps = times[times.tier == busiest.tier].full_ps.mean()
    known = on_network.group.astype(str).nunique() == 1
    rows = []
    for kind, found in layer_times(run, layers, run.value("job.0.training.expert_parallel") > 1).items():
        time_ps, latency_ps = max(found.times_ps), found.latency_ps(max)
        alike = on_network[(on_network.kind.astype(str) == kind) & (on_network.bytes == found.bytes)]
        each = alike.groupby("communicator").size().max()  # layers of one stage
        share = alike.load.sum() / each / on_network.load.sum() if known else 0.0
        bytes_ps = min(share * busiest.full_ps, time_ps - latency_ps)
        even_ps = min(share * mean_ps, bytes_ps)
        rows.append(
            {
                "run": facts.name,
                "collective": kind.replace("_", "-"),
                "bytes": found.bytes,
                "rings": len(found.times_ps),
                "least_ps": found.times_ps[0],
                "time_ps": time_ps,
                "even_ps": even_ps,
                "uneven_ps": bytes_ps - even_ps,
                "latency_ps": latency_ps,
                "rest_ps": time_ps - latency_ps - bytes_ps,
                "busiest": busiest.tier if known else "-",
                "limited": bool(known and share * busiest.full_ps > time_ps - latency_ps),
            }
        )
    return pd.DataFrame(rows)
