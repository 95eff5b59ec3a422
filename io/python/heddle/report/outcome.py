"""What came out of a run, in numbers that two runs can be compared by."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import pandas as pd

from heddle.figures import Missing
from heddle.figures.checkpoints import checkpoints
from heddle.figures.collectives import LAST, by_size
from heddle.figures.completions import WORDS
from heddle.figures.iterations import GROUPS
from heddle.figures.losses import CAUSES
from heddle.figures.reading import end_ps, events, first_of, link_totals, summary
from heddle.figures.requests import requests
from heddle.results import Run
from heddle.results.askers import by_asker
from heddle.results.message_kinds import DATA, OWN, MessageKind, kinds_told_apart
from heddle.text import bytes_text, counted, rarity_text, size_text, text_of, time_text

MAX_COLLECTIVES = 6
MAX_EVENTS = 4_000_000
COMPLETION_WEIGHTS = {50.0: 2, 95.0: 3, 99.0: 1, 99.9: 3}


@dataclass
class Measure:
    """A number with its unit (heddle.text), what it is, and a few words of more."""

    key: str
    title: str
    value: float
    unit: str
    more: str = ""
    weight: int = 1  # 1: shown on the first screen; 2: of several runs a panel; 3: only in tables
    part: str = ""  # of a mean where not all finished: "3 of 5"
    at_least: bool = False  # a lower bound: what did not finish can raise it

    @property
    def text(self) -> str:
        return ">= " * self.at_least + text_of(self.value, self.unit) + f" (of {self.part})" * bool(self.part)

    @property
    def cut_off(self) -> bool:
        """The end of the run has cut off a part of what it tells of: it makes no headline, and is in no mean over runs."""
        return self.at_least or bool(self.part)


def measures_of(run: Run) -> list[Measure]:
    """In the order of their weight; of a partial run only what its file knows."""
    found: list[Measure] = []
    for part in (_steps, _checkpoints, _requests, _plans, _collectives, _messages, _goodput, _links, _sums, _so_far):
        try:
            found += part(run)
        except Missing:
            pass
    known = {measure.key for measure in found}
    return [
        measure for measure in found if measure.key.removeprefix("so_far.") not in known or not measure.key.startswith("so_far.")
    ]


def _steps(run: Run) -> list[Measure]:
    found = []
    jobs = summary(run, "iteration").to_dict("records")
    for row in jobs:
        job, ended, asked = row["job"], row["ended"], row["iterations"]
        if not ended:
            continue
        by_group = {group: float(row.get(f"exposed_{group}_ps", 0)) for group in GROUPS}
        most = max(by_group, key=lambda group: by_group[group])
        suffix = "" if len(jobs) == 1 else f", job {job}"
        part = f"{ended:,} of {asked:,}" if ended < asked else ""
        which = "the only one" if asked == 1 else f"mean of all {asked:,}" if not part else "mean of those that ended"
        standing = f"most for {most}: {time_text(by_group[most], 4)}"
        found += [
            Measure(f"job{job}.iteration_ps", f"Iteration{suffix}", float(row["time_ps"]), "ps", which, part=part),
            Measure(
                f"job{job}.exposed_ps",
                f"Exposed communication{suffix}",
                sum(by_group.values()),
                "ps",
                standing,
                part=part,
            ),
        ]
    return found


def _collectives(run: Run) -> list[Measure]:
    frame = by_size(run)
    frame = frame[frame["bytes"] > 4].nlargest(MAX_COLLECTIVES, "bytes")
    found = []
    for place, row in enumerate(frame.itertuples()):
        what = f"{row.kind.replace('_', '-')} {'' if row.group == 'all' else row.group + ' '}{size_text(row.bytes)}"
        more = f"{row.algorithm}, {row.protocol}, {row.ranks} GPUs; {time_text(row.time_ps, 4)}" + (
            f", mean of {row.times}" if row.times > 1 else ""
        )
        if row.since == LAST:
            more += "; since the last rank's entry"
        found.append(
            Measure(
                f"job{row.job}.{row.kind}.{row.group}.{row.ranks}ranks.{row.bytes}B.busbw_GBps",
                f"busbw, {what}",
                row.busbw_GBps,
                "GB/s",
                more,
                1 if place < 2 else 2,
                f"{row.times:,} of {row.number:,}" if row.times < row.number else "",
            )
        )
    return found


def _checkpoints(run: Run) -> list[Measure]:
    """Of each job the checkpoint that took longest, and what the steps around it lost."""
    frame = checkpoints(run)
    frame = frame[frame["time_ps"].notna()]
    found = []
    for job, mine in frame.groupby("job"):
        suffix = "" if frame["job"].nunique() == 1 else f", job {job}"
        worst = mine.loc[mine["time_ps"].idxmax()]
        which = "the only one" if len(mine) == 1 else f"the longest of {len(mine):,}"
        carried = f"{bytes_text(worst['bytes'])} by {worst['fabric']}, {worst['class']}: {worst['bytes_per_s'] / 1e9:.1f} GB/s"
        key = f"job{job}.checkpoint"
        found.append(Measure(f"{key}_ps", f"Checkpoint written in{suffix}", worst["time_ps"], "ps", f"{which}; {carried}"))
        found.append(Measure(f"{key}_bytes_per_s", f"Checkpoint's rate{suffix}", worst["bytes_per_s"] / 1e9, "GB/s", which, 2))
        for step, title in (("step", "Step that writes a checkpoint"), ("next_step", "Step behind a checkpoint")):
            known = mine[mine[f"{step}_ps"].notna()]
            if known.empty:
                continue
            worst = known.loc[known[f"{step}_ps"].idxmax()]
            more, share = text_of(worst[f"{step}_more_ps"], "+ps", 4), text_of(worst[f"{step}_more"], "+share")
            against = "no step is undisturbed" if more == "-" else f"{more} ({share}) against undisturbed ones"
            waits = f"; GPUs wait {time_text(worst['exposed_ps'], 4)}" if step == "step" else ""
            found.append(Measure(f"{key}_{step}_ps", f"{title}{suffix}", worst[f"{step}_ps"], "ps", against + waits))
    return found


def _messages(run: Run) -> list[Measure]:
    kinds = kinds_told_apart(run)
    if not kinds:
        return _completions(summary(run, "message"))
    return [one for kind, rows in kinds.items() for one in _completions(rows[rows["completion_ps"] >= 0], *_named(kind, kinds))]


def _named(kind: MessageKind, kinds: Collection[MessageKind]) -> tuple[str, str, int]:
    """What goes before the key of a measure, what behind its title, and its least weight. Where the workload's own messages are of one
    kind these are called as in a run without training jobs that use storage. What counts of checkpoints is the whole one, so their
    messages make no tile.
    """
    if kind.own and sum(other.own for other in kinds) == 1:
        return "", "", 1
    return f"{kind.key}.", f": {kind.name}", 1 if kind.purpose in (OWN, DATA) else 2


def _completions(rows: pd.DataFrame, before: str = "", of: str = "", least_weight: int = 1) -> list[Measure]:
    """Of all messages, or of those that _named() names."""
    found = []
    for row in rows[rows["percent"].isin(COMPLETION_WEIGHTS)].itertuples():
        finished = f"{row.finished:,} of {row.posted:,} finished"
        name, title = f"{before}completion_p{row.percent:g}_ps", f"Message completion, p{row.percent:g}{of}"
        weight, bound = max(COMPLETION_WEIGHTS[row.percent], least_weight), bool(row.completion_at_least)
        found.append(Measure(name, title, row.completion_ps, "ps", finished, weight, at_least=bound))
    for row in rows[(rows["percent"] == 99) & rows["times_the_ideal"].notna()].itertuples():
        more, bound = "times the ideal, on an idle fabric", bool(row.ideal_at_least)
        name, title = f"{before}slowdown_p99", f"Slowdown, p99{of}"
        found.append(Measure(name, title, row.times_the_ideal, "x", more, least_weight, at_least=bound))
    return found


def _goodput_of(kind: MessageKind, row: pd.Series, kinds: Collection[MessageKind]) -> Measure:
    before, of, weight = _named(kind, kinds)
    more = f"received {bytes_text(row['received_bytes'])} by {kind.fabric}, {kind.traffic_class}"
    return Measure(f"{before}goodput_bits_per_s", f"Goodput{of}", row["goodput_bits_per_s"], "bit/s", more, weight)


def _goodput(run: Run) -> list[Measure]:
    """In the words of `heddle info`; also of a run in which no message finished."""
    if kinds := kinds_told_apart(run):
        found = [_goodput_of(kind, rows.iloc[0], kinds) for kind, rows in kinds.items()]
        return [measure for measure in found if measure.value > 0]  # NaN: not known
    if not run.attrs.get("goodput_bits_per_s", 0) > 0:  # NaN: not known
        raise Missing("the goodput is not known")
    messages = run.messages()
    until = "the last completion" if (messages["finish_ps"] >= 0).all() else "the end of the run"
    more = f"received {bytes_text(run.attrs['received_bytes'])}; from the first posting to {until}"
    return [Measure("goodput_bits_per_s", "Goodput in all", run.attrs["goodput_bits_per_s"], "bit/s", more)]


def _requests(run: Run) -> list[Measure]:
    """Median and 99 % of the times of each asker's requests, and what answers came to."""
    askers = by_asker(requests(run))
    found = []
    for asker, rows in askers.items():
        of, key, first = f", {asker.name}" * (len(askers) > 1), asker.key, rows.iloc[0]
        ended = f"{int(first['ended']):,} of {int(first['begun']):,} that were begun ended"
        for row in rows[rows["percent"].isin([50.0, 99.0]) & (rows["time_ps"] >= 0)].itertuples():
            name, title, bound = f"{key}.time_p{row.percent:g}_ps", f"Requests, p{row.percent:g}{of}", bool(row.time_at_least)
            found.append(Measure(name, title, row.time_ps, "ps", ended, 1 if row.percent == 99 else 2, at_least=bound))
        if first["bits_per_s"] > 0:  # NaN: not known
            more = f"{first['requests_per_s']:,.0f} requests/s"
            found.append(Measure(f"{key}.bits_per_s", f"Answers{of}", first["bits_per_s"], "bit/s", more, 2))
    return found


def _plans(run: Run) -> list[Measure]:
    """How long after they were measured a controller's plans came into force."""
    if "plan" not in run.file:
        return []
    frame = run.plans()
    came = frame[frame["from_ps"] >= 0]
    if came.empty:
        return []
    delays_ps = (came["from_ps"] - came["measured_ps"]).sort_values()
    more = f"{len(came):,} of {len(frame):,} came into force, after at most {time_text(int(delays_ps.iloc[-1]), 4)}"
    return [Measure("plan_delay_ps", "Controller's plans, median delay", int(delays_ps.iloc[len(came) // 2]), "ps", more)]


def _links(run: Run) -> list[Measure]:
    links = link_totals(run)
    most = {column: links[column].max() for column in ("use", "paused_ps", "peak_queue_bytes")}
    by_tier = links.groupby("tier")["paused_ps"].sum()
    senders = int(by_tier[[tier for tier in by_tier.index if tier.startswith(("endpoint>", "endpoint."))]].sum())
    found = [Measure("busiest_use", "Busiest link", float(most["use"]), "share", first_of(links, "use"))]
    paused = int(links["paused_ps"].sum())
    found.append(
        Measure(
            "paused_ps",
            "Paused by PFC, all links",
            paused,
            "ps",
            f"longest: {first_of(links, 'paused_ps')}, {time_text(most['paused_ps'], 4)}" if paused else "no link was paused",
        )
    )
    found.append(Measure("senders_paused_ps", "Paused by PFC, links of NICs", senders, "ps", "links from GPUs to racks", weight=2))
    if most["peak_queue_bytes"] > 0:
        where = first_of(links, "peak_queue_bytes")
        found.append(Measure("peak_queue_bytes", "Largest queue", int(most["peak_queue_bytes"]), "B", where))
    return found


def _sums(run: Run) -> list[Measure]:
    if run.partial:
        raise Missing("sums are written at the end of the run")
    attrs = run.attrs
    lost = {cause: attrs.get(f"drops_{cause}", 0) for cause in CAUSES}
    causes = ", ".join(f"{count:,} {cause.replace('_', ' ')}" for cause, count in lost.items() if count)
    marks, data = attrs.get("ecn_marks", 0), attrs.get("data_packets_received", 0)
    per_packet = f"; marks per data packet: {rarity_text(marks / data)}" if marks and data else ""
    return [
        Measure("lost", "Packets lost", sum(lost.values()), "count", causes or "none, for any cause"),
        Measure("ecn_marks", "ECN marks", marks, "count", f"{attrs.get('cnps', 0):,} CNPs{per_packet}"),
        Measure("cnps", "CNPs", attrs.get("cnps", 0), "count", weight=2),
        Measure("pfc_pauses", "PFC pauses", attrs.get("pfc_pauses", 0), "count", weight=2),
        Measure(
            "retransmits",
            "Packets sent again",
            attrs.get("retransmits", 0),
            "count",
            counted(attrs.get("timeouts", 0), "timeout"),
            weight=1 if attrs.get("retransmits", 0) > 0 else 2,
        ),
        *([Measure("detours", "Packets that took a detour", attrs["detours"], "count")] if attrs.get("detours") else []),
        Measure("end_ps", "End of the run", attrs["end_ps"], "ps", "simulated time"),
    ]


def _so_far(run: Run) -> list[Measure]:
    """Of a run that is not over: what its events and its series tell."""
    if not run.partial:
        raise Missing("the run is over")
    until_ps = end_ps(run)
    found = [Measure("until_ps", "Known until", until_ps, "ps", "of simulated time")] if until_ps else []
    completions, _ = events(run, "completion", MAX_EVENTS)
    for kind, count in completions["kind"].value_counts(sort=False).items():
        if kind in WORDS and count:
            found.append(Measure(f"so_far.{kind}", f"{WORDS[kind]} so far".capitalize(), int(count), "count"))
    for key, title, unit in (
        ("paused_ps", "Paused by PFC so far, all links", "ps"),
        ("ecn_marks", "ECN marks so far", "count"),
        ("drops", "Packets lost so far", "count"),
    ):
        if until_ps and run.file[f"series/tier/{key}"].shape[0]:
            found.append(Measure(f"so_far.{key}", title, int(run.series(key).values[-1].sum()), unit))
    return found
