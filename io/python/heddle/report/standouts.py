"""What an architect would be told first of a run: where it was congested, uneven, late or lossy."""

from __future__ import annotations

from heddle.figures import FIGURES
from heddle.figures.iterations import GROUPS
from heddle.report.facts import Facts
from heddle.text import counted, share_text, size_text, time_text

MOST = 6
UNEVEN = 1.5  # busiest over mean, of links between switches
LATE = 0.1  # of a collective's time, between its first and its last rank


def standouts_of(run: Facts) -> list[str]:
    """Sentences, at most MOST; empty where nothing stands out."""
    found: list[str] = []
    for part in (_steps, _failures, _pauses, _uneven, _stragglers, _tail, _deaf):
        found += part(run)
    return found[:MOST]


def root_causes(run: Facts) -> list[tuple[str, int, int]]:
    """(what, links paused because of it, time paused in all, ps) of every root cause of pauses that is known."""
    if "pause_tree" not in run.frames:
        return []
    tree = run.frames["pause_tree"]
    return [(row.what, row.links_below, row.paused_ps) for row in tree[tree["depth"] == 0].itertuples()]


def _steps(run: Facts) -> list[str]:
    if "iterations" not in run.frames:
        return []
    last = run.frames["iterations"].iloc[-1]
    by_group = {group: last[f"exposed_{group}_ps"] for group in GROUPS}
    most = max(by_group, key=lambda group: by_group[group])
    share = sum(by_group.values()) / max(last["time_ps"], 1)
    return (
        [
            f"Of the last iteration GPUs stand still for collectives for {share:.0%}, most of it for {most}: "
            f"{time_text(by_group[most], 4)}"
        ]
        if share > 0.01
        else []
    )


def _failures(run: Facts) -> list[str]:
    if "failures" not in run.frames:
        return []
    return [FIGURES["failures"].alt(run.frames["failures"]).rstrip(".")]


def _pauses(run: Facts) -> list[str]:
    causes = root_causes(run)
    in_all = max(sum(paused_ps for _, _, paused_ps in causes), 1)
    told = [
        f"{paused_ps / in_all:.0%} of all pause time has the root cause {what}; {counted(links, 'link')} waited"
        for what, links, paused_ps in causes[:2]
    ]
    roots = run.frames["pause_tree"].attrs.get("roots", 0) if causes else 0
    return told if roots <= 3 else [f"PFC pauses have {roots} root causes; of the largest: {told[0]}"]


def _uneven(run: Facts) -> list[str]:
    if run.kinds.empty:
        return []
    between = run.kinds[
        ~run.kinds["tier"].str.contains("endpoint") & (run.kinds["busiest_over_mean"] > UNEVEN) & (run.kinds["mean_use"] > 0.01)
    ]
    if between.empty:
        return []
    worst = between.loc[between["busiest_over_mean"].idxmax()]
    return [
        f"Uneven: the busiest link {worst['tier'].replace('>', ' > ')} carried {worst['busiest_over_mean']:.1f} times the mean "
        f"of its kind ({share_text(worst['most_use'])} to {share_text(worst['mean_use'])})"
    ]


def _stragglers(run: Facts) -> list[str]:
    if "stragglers" not in run.frames:
        return []
    frame = run.frames["stragglers"]
    worst = frame.loc[(frame["spread_ps"] / frame["last_ps"]).idxmax()]
    share = worst["spread_ps"] / worst["last_ps"]
    if share < LATE:
        return []
    return [
        f"Stragglers: in {str(worst['kind']).replace('_', '-')} of {size_text(worst['bytes'])} the last rank ended "
        f"{time_text(worst['spread_ps'], 3)} after the first, {share:.0%} of its time"
    ]


def _tail(run: Facts) -> list[str]:
    if "completion_ecdf" not in run.frames:
        return []
    percentiles = run.frames["completion_ecdf"].attrs["percentiles"]
    ratio = percentiles[99.9] / max(percentiles[50.0], 1)
    return [f"A long tail: p99.9 of message completion is {ratio:.1f} times the median"] if ratio > 3 else []


def _deaf(run: Facts) -> list[str]:
    control = run.parameters.get("roce.congestion_control")
    marks = run.attrs.get("ecn_marks", 0)
    if (
        run.partial
        or 100 * marks < run.attrs.get("data_packets_received", 0)
        or not marks
        or control is None
        or control.text != "none"
    ):
        return []
    return [f"{marks:,} packets were ECN-marked, but no congestion control listens (roce.congestion_control = none)"]
