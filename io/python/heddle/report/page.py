"""A page about one run, or about several side by side: what sections find there, and how it becomes HTML."""

from __future__ import annotations

import importlib.resources
from collections.abc import Sequence
from dataclasses import dataclass, field

import jinja2
from markupsafe import Markup

from heddle.figures import FIGURES, Cell
from heddle.figures.svg import inline_svg
from heddle.report.arrangement import label_of, long_frame, overlaid, panels, shared_notes
from heddle.report.blocks import Block, Picture, Section, download_frame
from heddle.report.facts import Facts
from heddle.step.seeds import Repeated

MAX_ALT_PANELS = 4


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
    variants: list[Repeated] = field(default_factory=list)  # of a training step (heddle.step), where the runs are parts of it

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
        svg = inline_svg(figure.draw(cells, columns), f"figure-{name}", figure.title, alt)
        return Picture(name, figure.title, figure.about, alt, Markup(svg), download_frame(name, frame), note)

    @staticmethod
    def _alt(figure, cells: Sequence[Cell]) -> str:
        texts = [
            " ".join(filter(None, (f"{cell.title}:" if cell.title else "", f"{label}:" if label else "", figure.alt(frame))))
            for cell in cells
            for label, frame in cell.entries[:2]
        ]
        more = f" And {len(texts) - MAX_ALT_PANELS} more, in the data." if len(texts) > MAX_ALT_PANELS else ""
        return f"{len(cells)} panel{'s' * (len(cells) != 1)}. " + " ".join(texts[:MAX_ALT_PANELS]) + more


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
    style = (importlib.resources.files("heddle.report") / "templates" / "style.css").read_text("utf-8")
    return environment.get_template("page.html.j2").render(
        page=page, first=first, sections=sections, style=Markup(style), made_by=made_by
    )
