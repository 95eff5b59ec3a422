"""The checks of several runs as one list: what differs in numbers alone is said once, with the runs of which it is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from heddle.report.arrangement import label_of
from heddle.report.facts import Facts
from heddle.report.soundness import LEVELS, Check, Level
from heddle.text import counted

NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?!\w)")  # that stands alone: not a part of a name


def shared_checks(runs: Sequence[Facts], problems: Sequence[tuple[str, str]], keys: list[str]) -> list[Check]:
    """The checks of all runs, those that differ in numbers alone together; those of runs without a result first."""
    found = [Check("error", f"{name}: {why}") for name, why in problems]
    by_words: dict[tuple[Level, str], list[tuple[Facts, str]]] = {}
    for run in runs:
        for check in run.checks:
            if check.level != "good":
                by_words.setdefault((check.level, NUMBER.sub("#", check.text)), []).append((run, check.text))
    for (level, _), said in by_words.items():
        these = [run for run, _ in said]
        text = with_ranges([text for _, text in said])
        who = (
            ("Both runs" if len(these) == 2 else f"All {len(these)} runs")
            if len(these) == len(runs)
            else ", ".join(label_of(run, keys) for run in these[:3]) + (f" and {len(these) - 3} more" if len(these) > 3 else "")
        )
        found.append(Check(level, f"{who}: {text}"))
    if len({run.attrs.get("git_commit") for run in runs}) > 1:
        found.append(Check("warning", "The runs were made by different programs (git_commit), so not only the axes differ"))
    good = sum(all(check.level == "good" for check in run.checks) for run in runs)
    if good:
        found.append(
            Check(
                "good",
                f"Nothing to warn of in {good} of {counted(len(runs), 'run')}: complete, all work finished, no packet lost or sent again",
            )
        )
    return sorted(found, key=lambda check: LEVELS.index(check.level))


def with_ranges(texts: list[str]) -> str:
    """One of several texts that differ in numbers alone: "3 of 5" and "4 of 5" make "3 to 4 of 5"."""
    columns = list(zip(*(NUMBER.findall(text) for text in texts)))
    ordered = [sorted(set(column), key=lambda number: float(number.replace(",", ""))) for column in columns]
    ranges = iter([" to ".join(dict.fromkeys((column[0], column[-1]))) for column in ordered])
    return NUMBER.sub(lambda _: next(ranges), texts[0])
