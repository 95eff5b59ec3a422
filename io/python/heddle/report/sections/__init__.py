"""The sections of a page, in their order. Each file has TITLE and blocks(page); a section without blocks is not shown.

To add one: a file beside this with TITLE and blocks(page), which returns Table, Picture, Words and Listing of heddle.report.blocks
(page.pictures("name") draws figures, and notes why one is missing), and its name in ORDER.
"""

from __future__ import annotations

import importlib

from heddle.report.blocks import Section
from heddle.report.page import Page

STEPS = ("step_time", "step_differences", "step_quoted", "step_failures", "step_layer", "step_rests")
ORDER = (
    *STEPS,
    "comparison",
    "collectives",
    "messages",
    "requests",
    "steps",
    "checkpoints",
    "progress",
    "fabric",
    "links",
    "queues",
    "pfc",
    "ecn",
    "losses",
    "configuration",
    "speed",
    "absent",
)
# Of a step's pipelines: they differ in what layers take, end as it does, and have only a part of its fabric.
NOT_OF_PARTS = ("comparison", "progress", "fabric")


def sections_of(page: Page) -> list[Section]:
    """The sections that have something to show."""
    found = []
    of_steps = page.steps is not None
    for name in ORDER if not of_steps else [name for name in ORDER if name not in NOT_OF_PARTS]:
        module = importlib.import_module(f"heddle.report.sections.{name}")
        blocks = module.blocks(page)
        if blocks:
            whose = "Pipeline: " if of_steps and name not in STEPS else ""
            found.append(Section(name, f"{whose}{module.TITLE}", blocks))
    return found
