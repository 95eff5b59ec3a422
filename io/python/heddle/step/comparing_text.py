"""The text of `heddle compare` of steps: the answer, each variant's time, and the differences, the largest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heddle.step.comparing import Compared, Comparison
from heddle.step.failures.text import failure_answer, failure_lines
from heddle.step.parts import ALONE, TOGETHER
from heddle.step.quoting import quoted_lines
from heddle.step.reading import VALUES
from heddle.step.seeds import Repeated
from heddle.step.wording import label_of, ms_text
from heddle.text import letter, table_text


NOTHING_MARKED = "no switch marks a packet in any part, so the congestion control does nothing"
UNDECIDED = "The interval contains zero, so parts do not say which takes longer"


def lines_of(found: Comparison) -> Iterator[str]:
    yield answer(found)
    yield ""
    yield from _variant_lines(found.variants)
    if len({variant.folder for variant in found.variants}) > 1:
        yield ""
        yield from _setting_lines(found.settings)
    yield ""
    yield from quoted_lines([variant.quoted for variant in found.variants], list(map(letter, range(len(found.variants)))))
    failures = [variant.failures for variant in found.variants]
    if any(failures):
        yield ""
        yield from failure_lines(failures, list(map(letter, range(len(failures)))))
    for name, other in by_size(found):
        yield ""
        yield from _beside_lines(found.first, other, name)


def by_size(found: Comparison) -> list[tuple[str, Compared]]:
    """All but the first by their letters, the largest difference of the time first."""

    def size_ps(named: tuple[str, Compared]) -> float:
        time = named[1].differences["time"]
        return abs(time.low_ps + time.high_ps)

    return sorted(zip(map(letter, range(1, 1 + len(found.others))), found.others), key=size_ps, reverse=True)


def answer(found: Comparison) -> str:
    """What most people ask: how long is a step, and what changes it most."""
    time = found.first.values["time"]
    step = f"A step takes {ms_text(time['low'])} to {ms_text(time['high'])} ms"
    if not found.others:
        return f"{step}."
    name, most = by_size(found)[0]
    names = names_of(found.variants)
    verdict = _verdict(found.first, most, f"{name} ({names[found.variants.index(most.variant)]})")
    several = len(found.others) > 1
    largest = "The largest difference: " if several and not verdict.startswith(UNDECIDED) else ""
    failing = f" In A: {failure_answer(found.first.failures)}" if found.first.failures else ""
    return f"{step} with A ({names[0]}). {largest}{verdict}{f' {_shortest(found, names)}' if several else ''}{failing}"


def _shortest(found: Comparison, names: list[str]) -> str:
    """Which of several variants has the shortest estimate, and whether its interval says that it is shorter than the first."""
    place = min(range(len(names)), key=lambda place: _middle_ps(found.variants[place]))
    if place == 0:
        return "No estimate is shorter than that of A."
    sure = found.others[place - 1].differences["time"].high_ps < 0
    return (
        f"The shortest estimate is that of {letter(place)} ({names[place]}){'' if sure else ', which may not be shorter than A'}."
    )


def _middle_ps(variant: Repeated) -> float:
    time = variant.values["time"]
    return (time[ALONE] + time[TOGETHER]) / 2


def names_of(variants: Sequence[Repeated]) -> list[str]:
    """The title of each; of several folders with its folder."""
    alone = len({variant.folder for variant in variants}) < 2
    return [title_of(each) if alone or not each.axes else f"{title_of(each)} in {each.folder}" for each in variants]


def title_of(variant: Repeated) -> str:
    """Its settings; without axes its folder."""
    return " ".join(f"{key}={text}" for key, text in variant.axes.items()) or variant.folder


def _variant_lines(variants: tuple[Repeated, ...]) -> list[str]:
    folders = {variant.folder for variant in variants}
    rows = []
    for place, variant in enumerate(variants):
        seeds = str(len(variant.seeds)) if any(len(each.seeds) > 1 for each in variants) else ""
        time = variant.values["time"]
        folder = variant.folder if len(folders) > 1 else ""
        rows.append(
            [
                letter(place),
                folder,
                title_of(variant) if variant.axes else "",
                f"{variant.gpus:,}",
                seeds,
                ms_text(time["low"]),
                ms_text(time["high"]),
            ]
        )
    return table_text(["", "folder", "variant", "GPUs", "seeds", "time, ms: from", "to"], rows, left=3)


def _setting_lines(settings: dict[str, tuple[str, ...]]) -> Iterator[str]:
    if not settings:
        yield "no setting that decides anything differs"
        return
    wide = max(len(key) for key in settings)
    for key, values in settings.items():
        yield f"{key:<{wide}}  {'  '.join(f'{letter(place)} {value}' for place, value in enumerate(values))}"


def _beside_lines(first: Repeated, other: Compared, name: str) -> Iterator[str]:
    yield f"  {'ms':<32} {'A, from':>11} {'to':>11} {f'{name}, from':>11} {'to':>11} {f'{name} - A, from':>13} {'to':>11}"
    for value in VALUES:
        ends = [each.values.get(value) for each in (first, other.variant)]
        if ends == [None, None]:
            continue
        cells = "".join(
            f" {ms_text(of_step['low']):>11} {ms_text(of_step['high']):>11}" if of_step else f" {'-':>11} {'-':>11}"
            for of_step in ends
        )
        difference = other.differences.get(value)
        apart = (difference.low_ps, difference.high_ps) if difference else (None, None)
        yield f"  {label_of(value):<32}{cells} {ms_text(apart[0]):>13} {ms_text(apart[1]):>11}"
    yield _verdict(first, other, name)
    if other.unpaired:
        yield f"{name} - A only subtracts the two intervals: {other.unpaired}."
    if other.nothing_marked:
        yield f"{name} has the same runs as A: {NOTHING_MARKED}."


def _verdict(first: Repeated, other: Compared, name: str) -> str:
    time, middle_ps = other.differences["time"], _middle_ps(first)
    if middle_ps == 0:
        return f"A takes no time, so there is no share of it that {name} could take more or less."
    low, high = max(-100.0, 100 * time.low_ps / middle_ps), 100 * time.high_ps / middle_ps
    if low > 0:
        return f"{name} takes longer than A, by {low:.1f} to {high:.1f} % of A's time (the mean of its estimates)."
    if high < 0:
        return f"{name} takes less than A, by {-high:.1f} to {-low:.1f} % of A's time (the mean of its estimates)."
    may = f"{UNDECIDED}: {name} takes {abs(low):.1f} % less to {high:.1f} % more than A"
    if _same_estimates(first, other):
        return f"{may}; it has the estimates of A."
    ratios = ((how, other.variant.values["time"][how] / max(first.values["time"][how], 1)) for how in (ALONE, TOGETHER))
    return f"{may}; the estimates differ by {', '.join(f'{100 * (ratio - 1):+.2f} % {how}' for how, ratio in ratios)}."


def _same_estimates(first: Repeated, other: Compared) -> bool:
    """Whether what differs has changed none of the values that parts have."""
    both = (first.values, other.variant.values)
    return both[0].keys() == both[1].keys() and all(
        both[0][v][how] == both[1][v][how] for v in both[0] for how in (ALONE, TOGETHER)
    )
