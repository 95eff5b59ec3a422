"""What the live view says of one run."""

from __future__ import annotations

from heddle.progress import Look
from heddle.text import bytes_text, clock_text, progress_text, unknown
from heddle.text import time_text as exact_time_text

COMPLETE = ("complete", "horizon")


def time_text(time_ps: float) -> str:
    return "-" if unknown(time_ps) else exact_time_text(time_ps, 4, never="never")


def number_text(number: float) -> str:
    return "-" if unknown(number) else str(int(number))


def importance(look: Look) -> int:
    """What goes on first, then what went wrong, what waits, and what is complete."""
    if look.state in ("running", "starting"):
        return 0
    return 3 if look.state == "ended" and look.status in COMPLETE else 2 if look.state == "missing" else 1


def word_of(look: Look) -> str:
    """complete, stalled, ..., running, starting, killed, saved, unreadable, missing."""
    return look.status if look.state == "ended" else look.state


def state_text(look: Look) -> str:
    text = {
        "killed": "killed: nobody writes it any more, and there is no checkpoint to resume from",
        "saved": "saved: nobody writes it now; the same command with --resume auto resumes from its checkpoint",
        "starting": "starting: there is nothing to read yet",
        "unreadable": f"cannot be read: {look.problem}",
        "missing": "its .part has gone, and there is no result: the run was refused, or has failed",
    }.get(look.state, word_of(look))
    if look.state == "running" and look.elapsed_s is not None:
        text += f" for {clock_text(look.elapsed_s)}"
    return text + (f": {look.explanation}" if look.state == "ended" and look.explanation else "")


def progress_parts(look: Look, first: Look | None) -> tuple[list[str], list[str]]:
    """(share, time left, what is done), (simulated time, its speed, packet-hops a second)."""
    how_far, how_fast = [], []
    if look.state == "running":
        share = look.share()
        how_far.append("share not known yet" if share is None else f"{progress_text(share[0])} of {share[1]}")
        left_s = left_of(look, first)
        how_far += [] if left_s is None else [f"about {clock_text(left_s)} left"]
    if look.time_ps >= 0:
        speed = speed_of(look, first)
        how_fast.append(f"{time_text(look.time_ps)} simulated" + ("" if speed is None else f", {time_text(speed * 60)} a minute"))
    if look.log is not None and look.state == "running":
        how_fast.append(f"{look.log.packet_hops_per_s / 1e6:.2f} M packet-hops/s")
    return [*how_far, *look.done], how_fast


def short_progress(look: Look) -> str:
    share = look.share()
    if look.state != "running" or share is None:
        return time_text(look.time_ps) if look.time_ps >= 0 else "starting"
    left_s = left_of(look, None)
    return progress_text(share[0]) + ("" if left_s is None else f", {clock_text(left_s)} left")


def speed_of(look: Look, first: Look | None) -> float | None:
    """Simulated picoseconds a second of wall time: since the first look, or on the average of this process run."""
    if look.state != "running":
        return None
    if first is not None and look.time_ps > first.time_ps and look.at_s > first.at_s:
        return (look.time_ps - first.time_ps) / (look.at_s - first.at_s)
    if look.resumed or not look.elapsed_s:
        return None
    return look.time_ps / look.elapsed_s


def left_of(look: Look, first: Look | None) -> float | None:
    if look.log is not None and look.log.left_s is not None:
        return look.log.left_s
    speed = speed_of(look, first)
    if look.horizon_ps <= 0 or not speed or look.time_ps < 0:
        return None
    return max(0.0, look.horizon_ps - look.time_ps) / speed


def tiers_line(look: Look) -> str:
    """Queues and pauses that are not 0, by tier."""
    if look.tiers.empty:
        return ""
    said = []
    for what, text, column in (("queued", bytes_text, "queue_bytes"), ("paused", time_text, "paused_ps")):
        found = [f"{row.tier} {text(getattr(row, column))}" for row in look.tiers.itertuples() if getattr(row, column) > 0]
        nothing = f"{what}: -" if look.tiers[column].isna().any() else f"nothing {what}"
        said.append(f"{what}: {', '.join(found)}" if found else nothing)
    return "; ".join(said)


def total_text(look: Look, column: str) -> str:
    """A counter of all kinds of links together; "" where the run cannot be read yet."""
    text = bytes_text if column == "queue_bytes" else time_text
    return "" if look.tiers.empty else text(look.tiers[column].sum(skipna=False))
