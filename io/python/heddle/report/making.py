"""From result files to the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from importlib import metadata

from heddle.as_configured import why_not_as_configured
from heddle.axes import NONE, differing
from heddle.figures import FIGURES
from heddle.report.arrangement import MAX_LINES, MAX_PANELS, SEED
from heddle.report.facts import Facts, facts_of
from heddle.report.first_screen import first_screen
from heddle.report.heading import subtitle_of, title_of
from heddle.report.inputs import Inputs, inputs_of
from heddle.report.layers import add_layer
from heddle.report.page import Page, StepsOfPage, render
from heddle.report.read_once import ReadOnce
from heddle.report.sections import sections_of
from heddle.report.step_inputs import StepInputs
from heddle.report.subjects import Subject
from heddle.results import FormatError, Run
from heddle.results.damage import reading
from heddle.results.opening import BATCH, survivors

OF_EVERY_RUN = ("pause_tree",)  # drawn of one run only, but its root causes are told of each
MAX_DIFFERING = 3  # of files that are of no sweep: more make no axes
MAX_ALONG = 3

More = Callable[[Facts, Run], None]


def make_report(results: Sequence[str]) -> tuple[str, list[tuple[str, str]]]:
    """The HTML about result files, or about a folder of them; and the runs that are left out, each with the reason."""
    inputs = inputs_of(results)
    alone = len(inputs.subjects) == 1
    figures = list(FIGURES) if alone else [name for name, figure in FIGURES.items() if not figure.alone or name in OF_EVERY_RUN]
    runs, problems = read(inputs.subjects, figures, forgiving=not alone)
    if not runs:
        raise ValueError(
            "none of the runs has a result that can be read: " + "; ".join(f"{name}: {why}" for name, why in problems[:3])
        )
    keys, along = axes_of(inputs, runs)
    page = Page(title_of(inputs, runs), runs, keys, problems, subtitle=subtitle_of(runs), along=along)
    if inputs.steps is not None:
        page.steps = steps_of(inputs.steps, problems)
    sections = sections_of(page)
    return render(page, first_screen(page), sections, made_by()), problems


def steps_of(inputs: StepInputs, problems: list[tuple[str, str]]) -> StepsOfPage:
    """What a page of steps needs beside the pipelines. Adds to `problems` the parts that cannot be read."""
    means = {layer.subject.name: layer.layers for layer in inputs.layers}
    layers, no_layers = read(
        [layer.subject for layer in inputs.layers], OF_EVERY_RUN, True, lambda facts, run: add_layer(facts, run, means[facts.name])
    )
    others, no_others = read(inputs.others, (), True)
    problems += no_layers + no_others
    return StepsOfPage(inputs.variants, layers, others)


def read(
    subjects: Sequence[Subject], figures: Sequence[str], forgiving: bool, more: More | None = None
) -> tuple[list[Facts], list[tuple[str, str]]]:
    """The runs that can be read, with what `more` adds; of the others why not. Not forgiving: the first that cannot be read is raised."""
    runs: list[Facts] = []
    problems: list[tuple[str, str]] = []
    alike: Counter[tuple[str, ...]] = Counter()  # runs by their axes but the seed
    good: set[str] = set()
    for place, subject in enumerate(subjects):
        if place % BATCH == 0:
            good = survivors([one.path for one in subjects[place : place + BATCH] if not one.problem])
        if subject.problem and forgiving:
            problems.append((subject.name, subject.problem))
            continue
        try:
            values = tuple(value for key, value in subject.axes.items() if key != SEED)
            drawn = (
                (alike[values] < MAX_LINES and len({*alike, values}) <= MAX_PANELS * MAX_LINES)
                if subject.axes
                else len(runs) < MAX_LINES * MAX_PANELS
            )
            runs.append(read_one(subject, figures if drawn else OF_EVERY_RUN, subject.path in good, more))
            alike[values] += 1
        except NotAsConfigured as why:
            problems.append((subject.name, str(why)))
        except (FormatError, OSError) as error:
            if not forgiving:
                raise
            problems.append((subject.name, str(error)))
    return runs, problems


class NotAsConfigured(Exception):
    """The result under a name of a sweep is of another configuration, so it is no point on the sweep's axes."""


def read_one(subject: Subject, figures: Sequence[str], tried: bool, more: More | None = None) -> Facts:
    """Raises NotAsConfigured, FormatError and OSError. `tried`: the file's texts can be read."""
    with ReadOnce(subject.path, tried) as run:
        with reading(subject.path):
            wrong = why_not_as_configured(run, subject.entry) if subject.entry else ""
        if wrong:
            raise NotAsConfigured(wrong)
        with reading(subject.path):
            facts = facts_of(run, subject.name, figures)
            if more is not None:
                more(facts, run)
    facts.axes = dict(subject.axes)
    return facts


def axes_of(inputs: Inputs, runs: list[Facts]) -> tuple[list[str], list[str]]:
    """A sweep's axes; of other files the few parameters that differ, which then become the runs' axes; and those that go along.

    A parameter that tells the same runs apart as one before it is no axis of its own: dcqcn.enabled sets roce.congestion_control.
    """
    if inputs.keys is not None:
        return inputs.keys, []
    first: dict[tuple[int, ...], str] = {}
    along: list[str] = []
    for key in differing([run.parameters for run in runs]):
        texts = [run.parameters.get(key, NONE).text for run in runs]
        kept = first.setdefault(tuple(texts.index(text) for text in texts), key)
        along += [key] if kept != key else []
    keys = list(first.values())
    if len(runs) == 1 or not 1 <= len(keys) <= MAX_DIFFERING or len(along) > MAX_ALONG:
        return [], []
    for run in runs:
        run.axes = {key: run.parameters.get(key, NONE).text for key in keys}
    return keys, along


def made_by() -> str:
    try:
        return f"heddle {metadata.version('heddle')}"
    except metadata.PackageNotFoundError:
        return "heddle"
