"""How tables and pages name the values of a step, and write its times."""

from __future__ import annotations

from collections.abc import Mapping

from heddle.step.job import Job
from heddle.step.reading import GROUPS
from heddle.text import counted


def label_of(value: str) -> str:
    """Of one of VALUES."""
    return f"exposed communication ({value})" if value in GROUPS else value


def ms_text(ps: float | None) -> str:
    """Milliseconds; None: there is no such time."""
    return "-" if ps is None else f"{ps / 1e9:.2f}"


def layers_text(job: Job, stages: str = "one stage") -> str:
    """What is simulated of the layers."""
    return f"{counted(job.simulated_layers, 'layer')}{f' of {stages}' if job.stages > 1 else ''}"


def margin_text(margin: Mapping[str, float]) -> str:
    """A margin as step.json has it: in per cent of what. "": there is none."""
    of = {
        "of_all_waits": "of all exposed communication",
        "of_network_waits": "of the exposed communication that the network decides",
        "of_itself": "of itself",
        "of_straggling": "of what slow GPUs and jitter add",
    }
    return " and ".join(f"{100 * margin[key]:g} % {words}" for key, words in of.items() if margin.get(key))
