"""The picture of the fabric, as `heddle run` has stored it."""

from __future__ import annotations

import base64
import html
import re

from heddle.report.blocks import Image

TITLE = "Fabric"
PICTURE = "Picture of the fabric"
MARK = '<svg xmlns="http://www.w3.org/2000/svg"'  # kSvgMark of host/check/drawing/svg.hpp
MAX_LETTERS = 100_000  # heddle's own have less than 30,000
EARLIER = "an earlier version of heddle wrote the file, without it; heddle check CONFIG --draw FILE.svg makes it"
SEVERAL = "the runs have different fabrics; a report of one run shows its own"
FOREIGN = "what the file has in its place is no picture by heddle"


def blocks(page):
    """One picture of all runs; where they have several fabrics none, as each would need a page's width."""
    svgs = {run.picture for run in page.runs}
    why = EARLIER if "" in svgs else SEVERAL if len(svgs) > 1 else "" if is_picture(page.runs[0].picture) else FOREIGN
    if why:
        page.absent.append((PICTURE, why))
        return []
    return [image_of(page.runs[0].picture)]


def is_picture(svg: str) -> bool:
    return svg.startswith(MARK) and len(svg) <= MAX_LETTERS


def image_of(svg: str) -> Image:
    """Its description is the alternative text."""
    described = re.search(r"<desc>([^<]*)</desc>", svg)
    alt = html.unescape(described[1]) if described else PICTURE
    return Image(PICTURE, alt, "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode())
