"""A page about one run, or about several side by side: what sections find there, and how it becomes HTML."""

from __future__ import annotations

import base64
import functools
import hashlib
import importlib.resources
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import jinja2
import pandas as pd
from markupsafe import Markup

from heddle.figures import FIGURES, Cell, Drawing, Figure
from heddle.figures.svg import inline_svg
from heddle.report.arrangement import label_of, long_frame, overlaid, panels, shared_notes
from heddle.report.blocks import Block, Picture, Section, download_frame
from heddle.report.facts import Facts
from heddle.step.comparing import Comparison, compared
from heddle.step.comparing_text import names_of
from heddle.step.seeds import Repeated
from heddle.text import letter

MAX_ALT_PANELS = 4
EMBEDDED = ("style.css", "page.js")


@dataclass
class StepsOfPage:
    """Variants of training steps (heddle.step), whose pipelines are the runs of the page; the runs of their layers; and runs of other
    seeds, which are only checked."""

    variants: list[Repeated]
    layers: list[Facts]
    others: list[Facts]

    @functools.cached_property
    def compared(self) -> Comparison:
        return compared(self.variants)

    @property
    def names(self) -> list[str]:
        """As `heddle compare` has them; of a single one none is needed."""
        return names_of(self.variants) if len(self.variants) > 1 else [""]

    @property
    def letters(self) -> list[str]:
        return [letter(place) for place in range(len(self.variants))] if len(self.variants) > 1 else [""]

    def said(self, text: Callable[[Repeated], str]) -> str:
        """What `text` says of each variant: once, or by their letters where it differs."""
        by_text: dict[str, list[str]] = {}
        for name, variant in zip(self.letters, self.variants):
            by_text.setdefault(text(variant), []).append(name)
        if len(by_text) == 1:
            return next(iter(by_text))
        return "; ".join(f"{', '.join(names)}: {said}" for said, names in by_text.items())


@dataclass
class Page:
    """What sections draw from. `problems`: runs that have no readable result, and why."""

    title: str
    runs: list[Facts]
    keys: list[str]  # of the axes, of several runs
    problems: list[tuple[str, str]] = field(default_factory=list)
    absent: list[tuple[str, str]] = field(default_factory=list)  # (title, why) of what is not shown
    subtitle: str = ""
    along: list[str] = field(default_factory=list)  # parameters that differ, but only with an axis
    steps: StepsOfPage | None = None  # where the runs are parts of steps

    @property
    def alone(self) -> bool:
        return len(self.runs) == 1

    @property
    def run(self) -> Facts:
        """The only run of a page about one."""
        return self.runs[0]

    def pictures(self, *names: str) -> list[Block]:
        """Those of the figures that the runs have data for; the others are noted as absent, with the reason."""
        found = [self._picture(name) for name in names]
        return [picture for picture in found if picture is not None]

    def _picture(self, name: str) -> Picture | None:
        figure = FIGURES[name]
        if not self.alone and figure.alone:
            self.absent.append((figure.title, "only in a report of one run"))
            return None
        having = [run for run in self.runs if name in run.frames]
        if not having:
            reasons = list(dict.fromkeys(run.lacks[name] for run in self.runs if name in run.lacks))
            self.absent.append((figure.title, "; ".join(reasons[:3]) or "no run has such data"))
            return None
        if self.alone:
            frame = self.run.frames[name]
            return self._drawn(name, [Cell("", [("", frame)])], 1, frame, frame.attrs.get("note", ""))
        arranged = (overlaid if figure.overlay else panels)(self.runs, name)
        drawn = {id(frame) for cell in arranged.cells for _, frame in cell.entries}
        frame = long_frame(self.runs, name, lambda run: id(run.frames[name]) in drawn)
        shown = [run for run in having if id(run.frames[name]) in drawn]
        noted = [(label_of(run, self.keys), run.frames[name].attrs.get("note", "")) for run in shown]
        notes = [arranged.note, *shared_notes(noted)]
        return self._drawn(name, arranged.cells, arranged.columns, frame, " ".join(note.strip() for note in notes if note))

    def _drawn(self, name, cells, columns, frame, note) -> Picture:
        figure = FIGURES[name]
        alt = figure.alt(cells[0].entries[0][1]) if self.alone else self._alt(figure, cells)
        return picture_of(name, figure.title, figure.about, alt, figure.draw(cells, columns), frame, note)

    @staticmethod
    def _alt(figure, cells: Sequence[Cell]) -> str:
        texts = [
            " ".join(filter(None, (f"{cell.title}:" if cell.title else "", f"{label}:" if label else "", figure.alt(frame))))
            for cell in cells
            for label, frame in cell.entries[:2]
        ]
        more = f" And {len(texts) - MAX_ALT_PANELS} more, in the data." if len(texts) > MAX_ALT_PANELS else ""
        return f"{len(cells)} panel{'s' * (len(cells) != 1)}. " + " ".join(texts[:MAX_ALT_PANELS]) + more


def picture_of(name: str, title: str, about: str, alt: str, drawing: Drawing, frame: pd.DataFrame, note: str = "") -> Picture:
    """A drawing with the data that it shows."""
    svg = Markup(inline_svg(drawing, f"figure-{name}", title, alt))
    return Picture(name, title, about, alt, svg, download_frame(name, frame), note)


def picture_alone(figure: Figure, frame: pd.DataFrame, note: str = "") -> Picture:
    """Of a frame that no run has by itself."""
    drawing = figure.draw([Cell("", [("", frame)])])
    return picture_of(figure.name, figure.title, figure.about, figure.alt(frame), drawing, frame, note)


def render(page: Page, first, sections: Sequence[Section], made_by: str) -> str:
    """The whole HTML. `first`: what the first screen says (heddle.report.first_screen)."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("heddle.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.tests["kind"] = lambda block, name: type(block).__name__ == name
    style, script = ((importlib.resources.files("heddle.report") / "templates" / name).read_text("utf-8") for name in EMBEDDED)
    return environment.get_template("page.html.j2").render(
        page=page,
        first=first,
        sections=sections,
        style=Markup(style),
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        made_by=made_by,
    )
