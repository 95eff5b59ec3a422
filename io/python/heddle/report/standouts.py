"""What an architect would be told first of a run: where it was congested, uneven, late or lossy."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from heddle.figures import FIGURES
from heddle.figures.iterations import GROUPS, last_text
from heddle.text import counted, share_text, size_text, text_of, time_text

if TYPE_CHECKING:
    from heddle.report.facts import Facts

MAX = 6
MAX_NAMED = 2  # runs, and values of an axis
FRAMES = ("iterations", "failures", "pause_tree", "stragglers", "completion_ecdf")  # the figures whose tables are looked at
UNEVEN = 1.5  # busiest over mean, of links between switches
LATE = 0.1  # of a collective's time, between its first and its last rank


@dataclass
class Standout:
    """A sentence of one run; and what of it can be said of several: `short`, with the least and the most of `value`."""

    text: str
    short: str
    value: float = 0.0
    form: str = ""  # of a value, for format(); empty where there is none


def standouts_of(run: Facts) -> list[Standout]:
    """At most MAX; empty where nothing stands out."""
    return _of_parts(run, _steps, _checkpoints, _failures, _pauses, _uneven, _stragglers, _tail, _deaf)


def of_network(run: Facts) -> list[Standout]:
    """Likewise, of a layer of a step: it is no step itself, and some of its collectives are small on purpose."""
    return _of_parts(run, _failures, _pauses, _uneven, _deaf)


def _of_parts(run: Facts, *parts: Callable[[Facts], list[Standout]]) -> list[Standout]:
    return [one for part in parts for one in part(run)][:MAX]


def of_runs(runs: Sequence[Facts], keys: Sequence[str]) -> list[str]:
    """What stands out in any of several runs, with the runs; what stands out in most of them first."""
    by_short: dict[str, list[tuple[Facts, Standout]]] = {}
    for run in runs:
        firsts: dict[str, Standout] = {}
        for one in run.standouts:
            firsts.setdefault(one.short, one)
        for short, one in firsts.items():
            by_short.setdefault(short, []).append((run, one))
    told = []
    for short, found in sorted(by_short.items(), key=lambda item: -len(item[1])):
        values = sorted(one.value for _, one in found)
        form = found[0][1].form
        before, number, behind = re.match(r"(.*?)(\{.*\}|$)(.*)", form).groups()
        range_of = " to ".join(dict.fromkeys(number.format(value) for value in (values[0], values[-1])))
        told.append(f"{short}{', ' * bool(form)}{before}{range_of}{behind}: {who([run for run, _ in found], runs, keys)}")
    left = len(told) - MAX
    return told[:MAX] + ([f"And {left} more, each in no more runs than these"] if left > 0 else [])


def who(these: Sequence[Facts], runs: Sequence[Facts], keys: Sequence[str]) -> str:
    """ "6 of 12 runs, those with dcqcn.enabled = false": by the values that they, and no others, have; else by names."""
    if len(these) == len(runs):
        return "both runs" if len(runs) == 2 else f"all {len(runs)} runs"
    values = {key: list(dict.fromkeys(run.axes.get(key, "") for run in these)) for key in keys}
    asked = {key: mine for key, mine in values.items() if len(mine) < len({run.axes.get(key, "") for run in runs})}
    alike = sum(all(run.axes.get(key, "") in mine for key, mine in asked.items()) for run in runs)
    count = f"{len(these)} of {len(runs)} runs"
    if asked and alike == len(these) and all(len(mine) <= MAX_NAMED for mine in asked.values()):
        return f"{count}, those with " + ", ".join(f"{key} = {' or '.join(mine)}" for key, mine in asked.items())
    names = [", ".join(f"{key} = {run.axes[key]}" for key in keys if key in run.axes) or run.name for run in these]
    names = list(dict.fromkeys(names))
    return f"{count}: {'; '.join(names[:MAX_NAMED])}" + (f"; and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else "")


def root_causes(run: Facts) -> list[tuple[str, int, int]]:
    """(what, links paused because of it, time paused in all, ps) of every root cause of pauses that has a row of its own."""
    rows = _root_rows(run)
    own = rows[: len(rows) - 1] if len(rows) and rows.attrs.get("left_roots", 0) else rows
    return [(row.what, row.links_below, row.paused_ps) for row in own.itertuples()]


def _root_rows(run: Facts) -> pd.DataFrame:
    """Of the tree of pauses; the last may stand for all root causes that have none."""
    tree = run.frames.get("pause_tree", pd.DataFrame({"depth": []}))
    return tree[tree["depth"] == 0]


def _steps(run: Facts) -> list[Standout]:
    """Of the job with the largest share of exposed communication in its last iteration."""
    if "iterations" not in run.frames:
        return []
    jobs = run.frames["iterations"].attrs["last"]
    last = max(jobs, key=_exposed_share)
    by_group = {group: last[f"exposed_{group}_ps"] for group in GROUPS}
    most = max(by_group, key=lambda group: by_group[group])
    share = _exposed_share(last)
    if share <= 0.01:
        return []
    return [
        Standout(
            f"In {last_text(last, len(jobs) > 1)} exposed communication is {share:.0%} of the time that GPUs compute or wait, most "
            f"of it for {most}: {time_text(by_group[most], 4)}",
            f"Exposed communication in the last iteration, most of it for {most}",
            share,
            "{:.0%} of the time that GPUs compute or wait",
        )
    ]


def _exposed_share(step: dict[str, Any]) -> float:
    """Waits of several streams may be open at once, so parts of a step may pass its time: a share is of all parts together."""
    exposed = sum(step[f"exposed_{group}_ps"] for group in GROUPS)
    return exposed / max(step["compute_ps"] + exposed, 1)


def _checkpoints(run: Facts) -> list[Standout]:
    """Of the checkpoint by which a step lost the largest share of its time."""
    if run.checkpoints.empty or run.checkpoints["step_more"].isna().all():
        return []
    worst = run.checkpoints.loc[run.checkpoints["step_more"].idxmax()]
    told = [
        f"The step that writes checkpoint {worst['checkpoint']:.0f} of job {worst['job']:.0f} takes "
        f"{time_text(worst['step_ps'], 4)}, {text_of(worst['step_more_ps'], '+ps', 4)} ({text_of(worst['step_more'], '+share')}) against undisturbed ones"
    ]
    if not np.isnan(worst["next_step_more"]):
        told.append(
            f"the step behind it {text_of(worst['next_step_more_ps'], '+ps', 4)} ({text_of(worst['next_step_more'], '+share')})"
        )
    form = "{:+.1%} of an undisturbed step"
    return [Standout("; ".join(told), "A step that writes a checkpoint takes longer", worst["step_more"], form)]


def _failures(run: Facts) -> list[Standout]:
    if "failures" not in run.frames:
        return []
    return [Standout(FIGURES["failures"].alt(run.frames["failures"]).rstrip("."), "Cables were down, slow or lost bits")]


def _pauses(run: Facts) -> list[Standout]:
    causes = root_causes(run)
    in_all = max(int(_root_rows(run)["paused_ps"].sum()), 1) if causes else 1
    told = [
        Standout(
            f"{paused_ps / in_all:.0%} of all pause time has the root cause {what}; {counted(links, 'link')} waited",
            f"PFC pauses with the root cause {what.split(' (')[0]}",
            paused_ps / in_all,
            "{:.0%} of all pause time",
        )
        for what, links, paused_ps in causes[:2]
    ]
    roots = run.frames["pause_tree"].attrs.get("roots", 0) if causes else 0
    if roots <= 3:
        return told
    text = f"PFC pauses have {roots} root causes; of the largest: {told[0].text}"
    return [Standout(text, "PFC pauses of many root causes", roots, "{:,} of them")]


def _uneven(run: Facts) -> list[Standout]:
    if run.kinds.empty:
        return []
    between = run.kinds[
        ~run.kinds["tier"].str.contains("endpoint") & (run.kinds["busiest_over_mean"] > UNEVEN) & (run.kinds["mean_use"] > 0.01)
    ]
    if between.empty:
        return []
    worst = between.loc[between["busiest_over_mean"].idxmax()]
    kind = worst["tier"].replace(">", " > ")
    most, mean = share_text(worst["most_use"]), share_text(worst["mean_use"])
    return [
        Standout(
            f"Uneven: the busiest link {kind} carried {worst['busiest_over_mean']:.1f} times the mean "
            f"of its kind ({most if most == mean else f'{most} to {mean}'})",
            f"Uneven links {kind}",
            worst["busiest_over_mean"],
            "the busiest {:.1f} times the mean",
        )
    ]


def _stragglers(run: Facts) -> list[Standout]:
    if "stragglers" not in run.frames:
        return []
    frame = run.frames["stragglers"]
    worst = frame.loc[(frame["spread_ps"] / frame["last_ps"]).idxmax()]
    share = worst["spread_ps"] / worst["last_ps"]
    if share < LATE:
        return []
    what = f"{str(worst['kind']).replace('_', '-')} of {size_text(worst['bytes'])}"
    return [
        Standout(
            f"Stragglers: in {what} the last rank ended {time_text(worst['spread_ps'], 3)} after the first, {share:.0%} of its time",
            f"Stragglers in {what}",
            share,
            "the last rank after the first by {:.0%} of its time",
        )
    ]


def _tail(run: Facts) -> list[Standout]:
    if "completion_ecdf" not in run.frames:
        return []
    told = []
    for kind, curve in run.frames["completion_ecdf"].attrs["curves"].items():
        percentiles = curve.completion
        if not percentiles or percentiles[99.9].at_least or percentiles[50.0].at_least:
            continue
        ratio = percentiles[99.9].value / max(percentiles[50.0].value, 1)
        if ratio <= 3:
            continue
        of = f" of {kind}" if kind else ""
        text = f"A long tail: p99.9 of message completion{of} is {ratio:.1f} times the median"
        told.append(Standout(text, f"A long tail{of}", ratio, "p99.9 of message completion {:.1f} times the median"))
    return told


def _deaf(run: Facts) -> list[Standout]:
    control = run.parameters.get("roce.congestion_control")
    marks = run.attrs.get("ecn_marks", 0)
    transports = (run.parameters.get(f"class.{name}.transport") for name in ("lossless", "best_effort"))
    if (
        run.partial
        or any(transport is not None and transport.text == "tcp" for transport in transports)  # which listens to its marks
        or 100 * marks < run.attrs.get("data_packets_received", 0)
        or not marks
        or control is None
        or control.text != "none"
    ):
        return []
    return [
        Standout(
            f"{marks:,} packets were ECN-marked, but no congestion control listens (roce.congestion_control = none)",
            "ECN-marked, but no congestion control listens",
            marks,
            "{:,} packets",
        )
    ]
