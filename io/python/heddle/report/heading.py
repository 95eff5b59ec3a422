"""What a page is called: what the file says of itself. The configuration's own title stays when sizes change, so it is quoted."""

from __future__ import annotations

import re
import shlex

from heddle.axes import NONE
from heddle.figures.figure import shortened
from heddle.report.facts import Facts
from heddle.report.inputs import Inputs
from heddle.text import counted

MAX_SET = 6
MAX_LETTERS = 60  # of one setting


def title_of(inputs: Inputs, runs: list[Facts]) -> str:
    """ "zone: 64 GPUs, 22 switches, 1 job of 6 all-reduces", or "sweep: 12 runs side by side"."""
    if inputs.steps is not None:
        gpus = dict.fromkeys(f"{number:,}" for number in sorted(variant.gpus for variant in inputs.steps.variants))
        several = len(inputs.steps.variants) > 1
        which = f"{len(inputs.steps.variants)} variants of a training step" if several else "a training step"
        on = " to ".join(list(gpus)[:: max(1, len(gpus) - 1)])
        return f"{inputs.folder}: {which} on {on} GPUs by {'their' if several else 'its'} parts"
    if len(inputs.subjects) == 1:
        return f"{runs[0].name}: {description_of(runs[0])}"
    side_by_side = f"{counted(len(runs), 'run')} side by side"
    return f"{inputs.folder}: {side_by_side}" if inputs.folder else side_by_side


def description_of(run: Facts) -> str:
    """What the program wrote of fabric and workload as it simulated them."""
    return re.sub(r"^packet-level simulation of ", "", run.workload) or "a run"


def subtitle_of(runs: list[Facts]) -> str:
    """output.title where all have the same, as a quotation; and of one run what its command line set. Empty: neither."""
    titles = {run.parameters.get("output.title", NONE).text for run in runs}
    title = titles.pop() if len(titles) == 1 else ""
    found = [f"titled \u201c{title}\u201d in the configuration"] if title else []
    settings = set_by_hand(runs[0].attrs.get("command_line", "")) if len(runs) == 1 else []
    if settings:
        more = f" and {len(settings) - MAX_SET} more" if len(settings) > MAX_SET else ""
        shown = ", ".join(shortened(setting, MAX_LETTERS) for setting in settings[:MAX_SET])
        found.append(f"set on the command line: {shown}{more}")
    return "; ".join(found)


def set_by_hand(command_line: str) -> list[str]:
    """What follows --set: ["job.0.gpus=64"]."""
    try:
        words = shlex.split(command_line)
    except ValueError:
        return ["see the command line below"] if "--set" in command_line else []
    found, within = [], False
    for word in words:
        if word.startswith("-"):
            within = word == "--set"
            found += [word.removeprefix("--set=")] if word.startswith("--set=") else []
        elif within and "=" in word:
            found.append(word)
        else:
            within = False
    return found
