"""Whether a run can be relied on: what went wrong first, then what has to be known, then what is in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from heddle.figures.reading import end_ps, posted
from heddle.results import Run
from heddle.text import time_text

Level = Literal["error", "warning", "good"]
LEVELS: tuple[Level, ...] = ("error", "warning", "good")
ENDED_BADLY = {
    "stalled": "The run stalled: nothing could move any more although work was left",
    "deadlock": "The run ended in a deadlock of paused queues",
    "qp_failed": "A queue pair failed, which ended the run",
    "error": "The run ended with an error",
    "interrupted": "The run was interrupted",
    "output_full": "The run ended because the file reached output.max_bytes",
}
LOST = {
    "headroom_overrun": "packets of lossless classes were lost because the PFC headroom is too small; "
    "heddle check prints what each link needs",
    "pool_overflow": "packets were lost because a shared buffer was full; lower alpha or the headrooms, or enlarge buffer.*.bytes",
    "watchdog": "packets of lossless classes were dropped by the PFC watchdog: "
    "their queues had been paused for longer than pfc.watchdog",
}
MAY_BE_LOST = {
    "no_route": "packets had no route",
    "link_down": "packets were lost as links went down",
    "corrupted": "packets were lost to bit errors",
    "class_limit": "packets of lossy classes were dropped at their limit",
}
GIVEN = "Data-parallel collectives were not simulated"
NO_SERIES = "Nothing was recorded over time"
OF_METHOD = (GIVEN, NO_SERIES)  # how checks begin that are no news of a part of a step: heddle step wants it so


@dataclass
class Check:
    """A sentence and how bad it is."""

    level: Level
    text: str


def checks_of(run: Run) -> list[Check]:
    """The worst first."""
    found = [*_end(run), *_version(run), *_work(run), *_given(run), *_losses(run), *_origin(run)]
    return sorted(found, key=lambda check: LEVELS.index(check.level))


def _end(run: Run) -> list[Check]:
    status, why = run.attrs["status"], run.attrs.get("explanation", "")
    behind = f": {why}" if why else ""
    if status == "complete":
        return [Check("good", f"The run is complete, after {time_text(run.attrs['end_ps'])} of simulated time")]
    if status == "partial":
        until = end_ps(run)
        known = f"its file tells of the first {time_text(until)}" if until else "its file has no instant yet"
        return [Check("error", f"The run still goes on, or was killed: {known}, and lacks what is written at the end")]
    if status == "horizon":
        return [Check("warning", f"The run was stopped at its horizon, {time_text(run.attrs['end_ps'])}{behind}")]
    return [Check("error", ENDED_BADLY[status] + behind)]


def _version(run: Run) -> list[Check]:
    lacks = run.missing().get("/summary", "")
    return [Check("warning", f"Means and percentiles are not shown: {lacks}")] if lacks and not run.partial else []


def _work(run: Run) -> list[Check]:
    if run.partial:
        return []
    found = []
    messages = posted(run)
    later, known = len(run.messages()) - len(messages), "messages"
    if later > 0:
        known = "messages that were posted"
        found.append(Check("warning", f"{later:,} of {later + len(messages):,} messages were not posted before the run ended"))
    for one, what, frame, column in (
        ("message", known, messages, "finish_ps"),
        ("collective", "collectives", run.collectives(), "finish_ps"),
        ("iteration", "iterations", run.iterations(), "end_ps"),
    ):
        if frame.empty:
            continue
        done = int((frame[column] >= 0).sum())
        if done == len(frame):
            found.append(Check("good", f"All {done:,} {what} finished" if done > 1 else f"The only {one} finished"))
        elif done == 0:
            none = f"None of {len(frame):,} {what} finished" if len(frame) > 1 else f"The only {one} did not finish"
            lacks = "their percentiles are lower bounds" if one == "message" else f"there are no means of {what}"
            found.append(Check("warning", f"{none}: {lacks}"))
        else:
            rest = (
                "percentiles that these can raise are lower bounds (>=)"
                if one == "message"
                else f"means are of the {done:,} that did"
            )
            found.append(Check("warning", f"{len(frame) - done:,} of {len(frame):,} {what} did not finish: {rest}"))
    return found


def _given(run: Run) -> list[Check]:
    """What a training job was told, and has not simulated."""
    rows = run.parameters()
    given = rows[rows.key.str.endswith((".training.gather", ".training.reduce")) & (rows.number > 0)]
    if given.empty:
        return []
    times = ", ".join(f"{row.key} = {row.text}" for row in given.itertuples())
    return [Check("warning", f"{GIVEN}, but took given times: {times}")]


def _losses(run: Run) -> list[Check]:
    if run.partial:
        return []
    counts = {cause: run.attrs.get(f"drops_{cause}", 0) for cause in (*LOST, *MAY_BE_LOST)}
    found = [Check("error", f"{counts[cause]:,} {text}") for cause, text in LOST.items() if counts[cause]]
    found += [Check("warning", f"{counts[cause]:,} {text}") for cause, text in MAY_BE_LOST.items() if counts[cause]]
    return found or [_sent_again(run) or Check("good", "No packet was lost")]


def _sent_again(run: Run) -> Check | None:
    """Packets that were repeated although none was lost: what they cost is in every time."""
    repeated = run.attrs.get("retransmits", 0)
    if not repeated:
        return None
    overtaken, timeouts = run.attrs.get("data_packets_out_of_order", 0), run.attrs.get("timeouts", 0)
    if overtaken and run.value("roce.recovery") == "go_back_n":
        why = f"{overtaken:,} overtook others, which go_back_n throws away (roce.recovery = selective_repeat keeps them)"
    else:
        why = f"{overtaken:,} came out of order, and ACKs came too late for {timeouts:,} timeouts"
    return Check("warning", f"{repeated:,} packets were sent again though none was lost: {why}")


def _origin(run: Run) -> list[Check]:
    found = []
    if run.attrs.get("git_dirty"):
        found.append(
            Check(
                "warning",
                f"The program was built from sources that differ from commit {run.attrs.get('git_commit', '')[:12]}: nobody "
                "else can build it from that",
            )
        )
    if run.value("pfc.allow_unsafe_headroom") is True:
        found.append(Check("warning", "pfc.allow_unsafe_headroom is true: headroom may be too small for lossless classes"))
    if run.attrs.get("series_interval_ps", 0) <= 0:
        found.append(Check("warning", f"{NO_SERIES} (output.series_interval = 0)"))
    return found
