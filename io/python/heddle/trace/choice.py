"""What comes into a trace: a window of simulated time, GPUs, links; so that its size is bounded."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from heddle.as_configured import UNITS
from heddle.figures.figure import Missing
from heddle.figures.reading import link_totals
from heddle.results import Run
from heddle.trace.events import blocks

MAX_GPUS = 64  # that are taken when none are named
MAX_LINKS = 20
MAX_EVENTS = 1_000_000


@dataclass
class Choice:
    """`gpus`: "0-7,12" (node ids) or names, "" for the first 64 that take part; `links`: how many of those that stand out, or names
    as "rtsw0>ctsw3" (all links between these two); the window: from_ps to until_ps (-1: the end); most_events bounds the file."""

    gpus: str = ""
    links: str = str(MAX_LINKS)
    from_ps: int = 0
    until_ps: int = -1
    most_events: int = MAX_EVENTS


def time_ps(text: str) -> int:
    """ "1.5 ms" -> 1500000000. Raises ValueError."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(ps|ns|us|ms|s)\s*", text)
    if match is None:
        raise ValueError(f"'{text}' is no time; give a number with ps, ns, us, ms or s, as \"1.5 ms\"")
    whole, _, part = match.group(1).partition(".")
    scale = UNITS["ps"][match.group(2)]
    if int((part or "0").ljust(12, "0")) * scale % 10**12:
        raise ValueError(f"'{text}' is no whole number of picoseconds; give fewer digits")
    return int(whole) * scale + int((part or "0").ljust(12, "0")) * scale // 10**12


def chosen_gpus(run: Run, text: str) -> tuple[np.ndarray, str]:
    """Node ids of the chosen endpoints, and a note of those left out. Raises ValueError for one that is not there."""
    nodes = run.nodes()
    endpoints = nodes[nodes["kind"].astype(str) == "endpoint"]
    if not text:
        busy = _that_take_part(run, endpoints["node"].to_numpy())
        note = (
            f"Of {len(busy):,} endpoints that take part these are the first {MAX_GPUS}; --gpus chooses others."
            if len(busy) > MAX_GPUS
            else ""
        )
        return busy[:MAX_GPUS], note
    by_name = dict(zip(endpoints["name"], endpoints["node"]))
    found: dict[int, None] = {}
    for word in (word.strip() for word in text.split(",")):
        if match := re.fullmatch(r"(\d+)(?:-(\d+))?", word):
            first, last = int(match.group(1)), int(match.group(2) or match.group(1))
            if last >= len(endpoints) or first > last:
                raise ValueError(f"GPUs {word} are not in this fabric, which has 0 to {len(endpoints) - 1}; choose among these")
            found.update(dict.fromkeys(range(first, last + 1)))
        elif word in by_name:
            found[int(by_name[word])] = None
        else:
            raise ValueError(f"there is no GPU '{word}'; give numbers (0-7,12) or names ({', '.join(list(by_name)[:3])}, ...)")
    return np.array(list(found), dtype=np.int64), ""


def _that_take_part(run: Run, endpoints: np.ndarray) -> np.ndarray:
    of_jobs = run.job_ranks()["node"].to_numpy()
    messages = run.messages()
    of_messages = (
        np.concatenate([messages["src"].to_numpy(), messages["dst"].to_numpy()]) if len(messages) else np.empty(0, dtype=np.int64)
    )
    found = np.unique(np.concatenate([of_jobs, of_messages])).astype(np.int64)
    return found if len(found) else endpoints


def chosen_links(run: Run, text: str) -> tuple[np.ndarray, str]:
    """Link ids: of those that stand out (longest paused, then largest queue) so many, or those that are named; and a note."""
    links = run.links()
    if not text.strip().isdigit():
        return _named(links, text), ""
    count = int(text)
    try:
        totals = link_totals(run)
    except Missing as why:
        return _often_paused(run, links, count), f"Links are those that were paused most often: {why}."
    order = totals.sort_values(["paused_ps", "peak_queue_bytes", "link"], ascending=[False, False, True])
    order = order[(order["paused_ps"] > 0) | (order["peak_queue_bytes"] > 0)]
    return order["link"].to_numpy()[:count], _which(min(count, len(order))) if count else ""


def _which(shown: int) -> str:
    if shown == 0:
        return "No link was paused or had a queue, so none is shown; --links chooses some by name."
    if shown == 1:
        return "The link is the one that was paused longest or had the largest queue; --links chooses others."
    return f"Links are the {shown:,} that were paused longest or had the largest queues; --links chooses others."


def _named(links, text: str) -> np.ndarray:
    found: list[int] = []
    for word in (word.strip() for word in text.split(",")):
        ends = [end.strip() for end in word.split(">")]
        mine = links[(links["src_name"] == ends[0]) & (links["dst_name"] == ends[-1])] if len(ends) == 2 else links[:0]
        if mine.empty:
            raise ValueError(
                f"there is no link '{word}'; name both ends, as {links['src_name'][0]}>{links['dst_name'][0]}, or give a "
                "number of links"
            )
        found += mine["link"].tolist()
    return np.array(list(dict.fromkeys(found)), dtype=np.int64)


def _often_paused(run: Run, links, count: int) -> np.ndarray:
    first, reverse = run.nodes()["first_link"].to_numpy(), links["reverse"].to_numpy()
    often = np.zeros(len(links), dtype=np.int64)
    for block in blocks(run, "pfc", ("node", "port")):
        often += np.bincount(reverse[first[block["node"]] + block["port"]], minlength=len(links))
    order = np.argsort(-often, kind="stable")[:count]
    return order[often[order] > 0]
