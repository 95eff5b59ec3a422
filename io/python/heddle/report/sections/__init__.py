"""The sections of a page, in their order. Each file has TITLE and blocks(page); a section without blocks is not shown.

To add one: a file beside this with TITLE and blocks(page), which returns Table, Picture, Words and Listing of heddle.report.blocks
(page.pictures("name") draws figures, and notes why one is missing), and its name in ORDER.
"""

from __future__ import annotations

import importlib

from heddle.report.blocks import Section
from heddle.report.page import Page

ORDER = (
    "by_parts",
    "comparison",
    "collectives",
    "messages",
    "steps",
    "progress",
    "links",
    "queues",
    "pfc",
    "ecn",
    "losses",
    "configuration",
    "speed",
    "absent",
)


def sections_of(page: Page) -> list[Section]:
    """The sections that have something to show."""
    found = []
    for name in ORDER:
        module = importlib.import_module(f"heddle.report.sections.{name}")
        blocks = module.blocks(page)
        if blocks:
            found.append(Section(name, module.TITLE, blocks))
    return found
