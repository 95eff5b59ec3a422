"""Where the time of a layer's collectives goes: which links are busy, and what is bytes, latency and the rest."""

import pandas as pd

from heddle.figures.layer_time import MAX_BARS, LayerTime
from heddle.report.blocks import Column, table_of
from heddle.report.layers import LINKS, TIMES
from heddle.report.page import picture_alone

TITLE = "Where the time of a layer goes"
TIME_COLUMNS = [
    Column("run", "layer"),
    Column("collective", "collective"),
    Column("bytes", "size", "size"),
    Column("rings", "rings", "count"),
    Column("least_ps", "fastest ring", "ps"),
    Column("time_ps", "slowest ring", "ps"),
    Column("even_ps", "bytes, evenly", "ps"),
    Column("uneven_ps", "more on the busiest link", "ps"),
    Column("latency_ps", "latency", "ps"),
    Column("rest_ps", "rest", "ps"),
    Column("busiest", "kind of the busiest link"),
]
LINK_COLUMNS = [
    Column("run", "layer"),
    Column("tier", "kind of link"),
    Column("links", "links", "count"),
    Column("mean_use", "mean use", "share"),
    Column("most_use", "busiest", "share"),
    Column("busiest_over_mean", "busiest/mean", "x"),
    Column("links_paused", "links paused", "count"),
    Column("most_paused_ps", "paused, longest", "ps"),
    Column("peak_queue_bytes", "largest queue", "B"),
    Column("ecn_marks", "ECN marks", "count"),
    Column("busiest", "busiest link"),
]


def blocks(page):
    if page.steps is None:
        return []
    having = [run for run in page.steps.layers if TIMES in run.frames]
    for run in page.steps.layers:
        if TIMES not in run.frames:
            page.absent.append((f"{TITLE} ({run.name})", run.lacks[TIMES]))
    if not having:
        return []
    times = pd.concat([run.frames[TIMES] for run in having], ignore_index=True)
    links = pd.concat([run.frames[LINKS] for run in having], ignore_index=True)
    notes = [f"The first {MAX_BARS} of {len(times)} are drawn; the table has all."] if len(times) > MAX_BARS else []
    if (times.busiest == "-").any():
        notes.append("Where several groups send over links, the file does not say whose bytes these are: all but latency is rest.")
    if times.limited.any():
        notes.append("Where the busiest link's share would take longer than the ring, it is cut to what latency leaves.")
    uneven = (
        "A link counts the bytes of all collectives of the run, of which one has its share by size; a link is paused by its destination; "
        "queues of NICs do not count."
    )
    return [
        picture_alone(LayerTime(), times, " ".join(notes)),
        table_of("layers", "The same in numbers", TIME_COLUMNS, times),
        table_of("layer_links", "Links while the layer's collectives ran, by kind", LINK_COLUMNS, links, uneven),
    ]
