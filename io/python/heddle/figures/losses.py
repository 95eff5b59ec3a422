"""What was lost and why, and what failed."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from heddle.figures.figure import Drawing, Entries, Figure, Missing, beside, name_rows, noted
from heddle.figures.reading import end_ps, events, need
from heddle.figures.style import PAPER, bar_style
from heddle.figures.timeline import time_axis, with_marks
from heddle.figures.units import ticks
from heddle.results import Run
from heddle.text import rate_text, rough_text, time_text

CAUSES = ("class_limit", "headroom_overrun", "pool_overflow", "watchdog", "link_down", "corrupted", "no_route")
PIECES = 100
MAX_CHECKPOINTS = 100
MAX_ROWS = 30


class Drops(Figure):
    name = "drops"
    title = "Lost packets over time"
    about = "Packets that were lost in a hundredth of the time, stacked by cause."

    def data(self, run: Run) -> pd.DataFrame:
        need(run, "/event/drop")
        frame, note = events(run, "drop", 4_000_000)
        if frame.empty:
            raise Missing("no packet was lost")
        until_ps = max(end_ps(run), int(frame["time_ps"].max()) + 1)
        piece = (frame["time_ps"] * PIECES // until_ps).clip(upper=PIECES - 1)
        counts = pd.crosstab(piece, frame["cause"].astype(str)).reindex(range(PIECES), fill_value=0)
        counts = counts[[cause for cause in CAUSES if cause in counts]]
        counts.insert(0, "from_ps", counts.index.to_numpy() * until_ps // PIECES)
        counts.insert(1, "until_ps", (counts.index.to_numpy() + 1) * until_ps // PIECES)
        return with_marks(noted(counts.reset_index(drop=True), note), run)

    def draw_in(self, axes: Axes, entries: Entries, drawing: Drawing) -> None:
        frame = entries[0][1]
        below = np.zeros(len(frame))
        width = frame["until_ps"] - frame["from_ps"]
        for cause in frame.columns[2:]:
            axes.bar(
                frame["from_ps"],
                frame[cause],
                width=width,
                bottom=below,
                align="edge",
                label=cause.replace("_", " "),
                **bar_style(CAUSES.index(cause)),
            )
            below += frame[cause].to_numpy()
        axes.set_ylim(bottom=0)
        axes.set_ylabel("packets lost")
        ticks(axes.yaxis, "count")
        time_axis(axes, frame)

    def alt(self, frame: pd.DataFrame) -> str:
        return (
            "Packets lost over time: "
            + ", ".join(f"{int(frame[cause].sum()):,} by {cause.replace('_', ' ')}" for cause in frame.columns[2:])
            + "."
        )


def spells(run: Run) -> tuple[pd.DataFrame, str]:
    """What links were other than new, and from when until when: what, state, kind, from_ps, until_ps; raises Missing.

    Both directions of a cable are one row, and all cables of a node that fare alike are one.
    """
    frame, note = events(run, "failure")
    if frame.empty:
        raise Missing("no link failed or degraded")
    nodes, links = run.nodes(), run.links()
    first, names = nodes["first_link"].to_numpy(), nodes["name"].to_numpy()
    frame["link"] = first[frame["node"]] + frame["port"]
    until_ps = end_ps(run)
    found: dict[tuple, list[int]] = {}
    for link, rows in frame.groupby("link", sort=True):
        new = float(links["bits_per_s"][link])
        states = list(rows[["time_ps", "bits_per_s", "byte_loss"]].itertuples(index=False, name=None))
        story = []
        for (begin, bits, loss), after in zip(states, [*(state[0] for state in states[1:]), until_ps]):
            end = min(after, until_ps)
            if begin < end and (bits != new or loss > 0):
                story.append(
                    (
                        int(begin),
                        int(end),
                        _state(bits, new, loss),
                        "down" if bits == 0 else "slow" if bits != new else "loses bits",
                    )
                )
        if story:
            found.setdefault(tuple(story), []).append(int(link))
    rows = []
    for told, members in found.items():
        for what in _together(members, links, names):
            rows += [(what, state, kind, begin, end) for begin, end, state, kind in told]
    if not rows:
        raise Missing("links were to fail only after the end of the run")
    return pd.DataFrame(rows, columns=["what", "state", "kind", "from_ps", "until_ps"]), note


def _state(bits_per_s: float, new: float, byte_loss: float) -> str:
    if bits_per_s == 0:
        return "down"
    words = [] if bits_per_s == new else [f"{rate_text(bits_per_s)} of {rate_text(new)}"]
    return ", ".join([*words, f"damages 1 byte in {rough_text(1 / byte_loss)}"] if byte_loss > 0 else words)


def _together(members: list[int], links: pd.DataFrame, names: np.ndarray) -> list[str]:
    """Names of cables, and of nodes of which several cables are among the members."""
    cables = sorted({tuple(sorted((int(links["src"][link]), int(links["dst"][link])))) for link in members})
    of_node: dict[int, int] = {}
    for cable in cables:
        for node in cable:
            of_node[node] = of_node.get(node, 0) + 1
    texts, left = [], set(cables)
    for node, count in sorted(of_node.items(), key=lambda item: (-item[1], item[0])):
        mine = {cable for cable in left if node in cable}
        if count > 1 and len(mine) > 1:
            texts.append(f"{names[node]}: {len(mine)} cables")
            left -= mine
    return texts + [f"{names[a]} - {names[b]}" for a, b in sorted(left)]


def _when(from_ps: int, until_ps: int, end_ps: int) -> str:
    if from_ps == 0 and until_ps == end_ps:
        return "all the time"
    begin = "the start" if from_ps == 0 else time_text(from_ps, 4)
    return f"from {begin} to {'the end' if until_ps == end_ps else time_text(until_ps, 4)}"


class Failures(Figure):
    name = "failures"
    title = "Failures on the time line"
    about = "When cables were down, slow, or lost bits. Routing takes time to notice, and to come back."
    share_y = False

    def data(self, run: Run) -> pd.DataFrame:
        frame, note = spells(run)
        spells_in_all = len(frame)
        if len(frame) > MAX_ROWS:
            note += f" The first {MAX_ROWS} of {len(frame):,} spells."
            frame = frame.head(MAX_ROWS)
        saved = run.checkpoints()["time_ps"].tolist() if "perf" in run.file else []
        saved = [time_ps for time_ps in saved if time_ps <= end_ps(run)]
        if len(saved) > MAX_CHECKPOINTS:
            note += f" Of {len(saved):,} checkpoints none is marked."
        frame.attrs["checkpoints"] = saved if len(saved) <= MAX_CHECKPOINTS else []
        frame.attrs["spells"] = spells_in_all
        return with_marks(noted(frame, note), run)

    def height(self, frame: pd.DataFrame) -> float:
        return 1.1 + 0.34 * max(frame["what"].nunique(), 2)

    def draw_in(self, axes: Axes, entries: Entries, drawing: Drawing) -> None:
        frame = entries[0][1]
        what = list(dict.fromkeys(frame["what"]))
        for place, kind in enumerate(("down", "slow", "loses bits")):
            rows = frame[frame["kind"] == kind]
            if rows.empty:
                continue
            places = [what.index(name) for name in rows["what"]]
            bars = axes.barh(
                places,
                rows["until_ps"] - rows["from_ps"],
                left=rows["from_ps"],
                height=0.6,
                label=kind,
                **bar_style((1, 5, 3)[place]),
            )
            for bar, row in zip(bars, rows.itertuples()):
                drawing.tip(bar, [f"{row.what} {row.state}, from {time_text(row.from_ps)} to {time_text(row.until_ps)}"])
            for row, at in zip(rows.itertuples(), places):
                beside(axes, (row.from_ps, at), row.state, bbox={**PAPER, "pad": 1.0, "alpha": 0.85})
        name_rows(axes, what)
        if saved := frame.attrs.get("checkpoints"):
            low = [len(what) - 0.5] * len(saved)
            axes.plot(saved, low, "^", color="black", markersize=4, label="a checkpoint was written", clip_on=False)
        frame = frame.copy()
        frame.attrs.pop("marks", None)
        time_axis(axes, frame)

    def alt(self, frame: pd.DataFrame) -> str:
        end, more = frame.attrs.get("end_ps", -1), frame.attrs["spells"] - 4
        return (
            "; ".join(f"{row.what} {row.state} {_when(row.from_ps, row.until_ps, end)}" for row in frame.head(4).itertuples())
            + (f"; and {more:,} more" if more > 0 else "")
            + "."
        )
