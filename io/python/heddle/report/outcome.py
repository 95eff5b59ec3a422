"""What came out of a run, in numbers that two runs can be compared by."""

from __future__ import annotations

from dataclasses import dataclass

from heddle.figures import Missing
from heddle.figures.collectives import LAST, by_size
from heddle.figures.completion_ecdf import finished_times
from heddle.figures.completions import WORDS
from heddle.figures.iterations import GROUPS, steps
from heddle.figures.reading import end_ps, events, first_of, link_totals
from heddle.results import Run
from heddle.results.percentiles import percentile
from heddle.text import bytes_text, counted, size_text, text_of, time_text

MOST_COLLECTIVES = 6
MOST_EVENTS = 4_000_000
ALIKE = ["job", "kind", "group", "ranks", "bytes"]
STOPPED = "before the run stopped"
LOSSES = ("class_limit", "headroom_overrun", "pool_overflow", "watchdog", "link_down", "corrupted", "no_route")


@dataclass
class Measure:
    """A number with its unit (heddle.text), what it is, and a few words of more."""

    key: str
    title: str
    value: float
    unit: str
    more: str = ""
    weight: int = 1  # 1: shown on the first screen; 2: of several runs a panel; 3: only in tables
    limit: str = ""  # of what part it is where not all finished: "before the run stopped"

    @property
    def text(self) -> str:
        return text_of(self.value, self.unit)


def measures_of(run: Run) -> list[Measure]:
    """In the order of their weight; of a partial run only what its file knows."""
    found: list[Measure] = []
    for part in (_steps, _collectives, _messages, _goodput, _links, _sums, _so_far):
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
    for job, frame in steps(run).groupby("job"):
        rows = frame[frame["iteration"] > 0] if len(frame) > 1 else frame
        which = "mean of all but the first" if len(frame) > 1 else "the only one"
        time_ps = float(rows["time_ps"].mean())
        exposed = float(rows[[f"exposed_{group}_ps" for group in GROUPS]].sum(axis=1).mean())
        by_group = {group: float(rows[f"exposed_{group}_ps"].mean()) for group in GROUPS}
        most = max(by_group, key=lambda group: by_group[group])
        every = run.iterations()
        suffix = "" if every["job"].nunique() == 1 else f", job {job}"
        begun = int((every["job"] == job).sum())
        limit = STOPPED if len(frame) < begun else ""
        if limit:
            which = (
                f"{which}; {len(frame):,} of {begun:,} finished" if len(frame) > 1 else f"the only one that finished, of {begun:,}"
            )
        found += [
            Measure(f"job{job}.iteration_ps", f"Iteration{suffix}", time_ps, "ps", which, limit=limit),
            Measure(
                f"job{job}.exposed_ps",
                f"Exposed communication{suffix}",
                exposed,
                "ps",
                f"most for {most}: {time_text(by_group[most], 4)}",
                limit=limit,
            ),
        ]
    return found


def _collectives(run: Run) -> list[Measure]:
    frame = by_size(run)
    frame = frame[frame["bytes"] > 4].nlargest(MOST_COLLECTIVES, "bytes")
    every = run.collectives()[ALIKE].astype({"kind": str, "group": str}).value_counts()
    finished = by_size(run).groupby(ALIKE)["times"].sum()
    found = []
    for place, row in enumerate(frame.itertuples()):
        alike = tuple(getattr(row, column) for column in ALIKE)
        limit = STOPPED if finished[alike] < every[alike] else ""
        what = f"{row.kind.replace('_', '-')} {'' if row.group == 'all' else row.group + ' '}{size_text(row.bytes)}"
        more = f"{row.algorithm}, {row.protocol}, {row.ranks} GPUs; {time_text(row.time_ps, 4)}" + (
            f", mean of {row.times}" if row.times > 1 else ""
        )
        if row.since == LAST:
            more += "; since the last rank's entry"
        if limit:
            more = f"{finished[alike]:,} of {every[alike]:,} finished; {more}"
        found.append(
            Measure(
                f"job{row.job}.{row.kind}.{row.group}.{row.ranks}ranks.{row.bytes}B.busbw_GBps",
                f"busbw, {what}",
                row.busbw_GBps,
                "GB/s",
                more,
                1 if place < 2 else 2,
                limit,
            )
        )
    return found


def _messages(run: Run) -> list[Measure]:
    times_ps, _ = finished_times(run)
    messages = run.messages()
    found = [
        Measure(
            f"completion_p{percent:g}_ps",
            f"Message completion, p{percent:g}",
            percentile(times_ps, percent),
            "ps",
            f"{len(times_ps):,} of {len(messages):,} finished",
            1 if percent == 99 else 2 if percent == 50 else 3,
        )
        for percent in (50, 95, 99, 99.9)
    ]
    known = messages[(messages["finish_ps"] >= 0) & (messages["ideal_ps"] > 0)]
    if len(known):
        slowdown = percentile((known["finish_ps"] - known["posted_ps"]) / known["ideal_ps"], 99)
        found.append(Measure("slowdown_p99", "Slowdown, p99", slowdown, "x", "times the ideal, on an idle fabric"))
    return found


def _goodput(run: Run) -> list[Measure]:
    """In the words of `heddle info`; also of a run in which no message finished."""
    if not run.attrs.get("goodput_bits_per_s", 0) > 0:  # NaN: not known
        raise Missing("the goodput is not known")
    messages = run.messages()
    until = "the last completion" if (messages["finish_ps"] >= 0).all() else "the end of the run"
    more = f"received {bytes_text(run.attrs['received_bytes'])}; from the first posting to {until}"
    return [Measure("goodput_bits_per_s", "Goodput in all", run.attrs["goodput_bits_per_s"], "bit/s", more)]


def _links(run: Run) -> list[Measure]:
    links = link_totals(run)
    most = {column: links[column].max() for column in ("use", "paused_ps", "peak_queue_bytes")}
    by_tier = links.groupby("tier")["paused_ps"].sum()
    senders = int(by_tier[[tier for tier in by_tier.index if tier.startswith("endpoint>")]].sum())
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
    lost = {cause: attrs.get(f"drops_{cause}", 0) for cause in LOSSES}
    causes = ", ".join(f"{count:,} {cause.replace('_', ' ')}" for cause, count in lost.items() if count)
    return [
        Measure("lost", "Packets lost", sum(lost.values()), "count", causes or "none, for any cause"),
        Measure("ecn_marks", "ECN marks", attrs.get("ecn_marks", 0), "count", f"{attrs.get('cnps', 0):,} CNPs"),
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
        Measure("end_ps", "End of the run", attrs["end_ps"], "ps", "simulated time"),
    ]


def _so_far(run: Run) -> list[Measure]:
    """Of a run that is not over: what its events and its series tell."""
    if not run.partial:
        raise Missing("the run is over")
    until_ps = end_ps(run)
    found = [Measure("until_ps", "Known until", until_ps, "ps", "of simulated time")] if until_ps else []
    completions, _ = events(run, "completion", MOST_EVENTS)
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
