"""When training jobs wrote checkpoints, and the steps that ran meanwhile."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from heddle.figures.figure import Drawing, Entries, Figure, Missing, name_rows, noted
from heddle.figures.iterations import steps
from heddle.figures.reading import need
from heddle.figures.style import bar_style
from heddle.figures.timeline import time_axis, with_marks
from heddle.results import Run
from heddle.text import bytes_text, time_text

MAX_CHECKPOINTS = 20
MAX_STEPS = 200
UNDISTURBED, DISTURBED, WRITTEN = "step", "step that writes or overlaps a checkpoint", "checkpoint is written"
STYLES = {UNDISTURBED: 4, DISTURBED: 1, WRITTEN: 0}  # bar_style()


def checkpoints(run: Run) -> pd.DataFrame:
    """Run.training_checkpoints() with time_ps, bytes_per_s, next_more_ps and step_more_ps: how much longer than an undisturbed step.
    NaN is what is not known: what has not ended, and what a file of an earlier version lacks. Raises Missing."""
    need(run, "/iteration")
    if "training_checkpoint" not in run.file or (frame := run.training_checkpoints()).empty:
        raise Missing("no training job writes checkpoints (job.training.checkpoint)")
    for column in ("begin_ps", "end_ps", "step_ps", "next_step_ps", "undisturbed_step_ps", "exposed_ps", "iteration", "servers"):
        known = frame[column] if column in frame else pd.Series(-1, index=frame.index)
        frame[column] = known.where(known >= 0).astype(float)
    for column in ("fabric", "class"):
        frame[column] = frame[column].astype(str) if column in frame else "-"
    frame["time_ps"] = frame["end_ps"] - frame["begin_ps"]
    frame["bytes_per_s"] = frame["bytes"] / frame["time_ps"] * 1e12
    for step in ("step", "next_step"):
        frame[f"{step}_more_ps"] = frame[f"{step}_ps"] - frame["undisturbed_step_ps"]
        frame[f"{step}_more"] = frame[f"{step}_more_ps"] / frame["undisturbed_step_ps"]
    return frame


def overlapped(step, written: pd.DataFrame) -> bool:
    """Whether a checkpoint is written while a step of /iteration runs, or at its end."""
    begin_ps, end_ps = step.end_ps - step.time_ps, step.end_ps
    own = (written["job"] == step.job) & (written["iteration"] == step.iteration)
    return bool((own | ((written["begin_ps"] < end_ps) & ~(written["end_ps"] <= begin_ps))).any())


class Checkpoints(Figure):
    name = "checkpoints"
    title = "Checkpoints, and the steps meanwhile"
    about = (
        "A checkpoint is written from its first message posted to its last one acknowledged. A step is from the last GPU's end of the "
        "step before to that of its own."
    )
    share_y = False

    def data(self, run: Run) -> pd.DataFrame:
        written, done = checkpoints(run), steps(run)
        rows = [
            ["steps", step.job, step.iteration, DISTURBED if overlapped(step, written) else UNDISTURBED, begin_ps, step.end_ps, 0]
            for step in done.head(MAX_STEPS).itertuples()
            if (begin_ps := step.end_ps - step.time_ps) >= 0
        ]
        until_ps = max(run.attrs["end_ps"], 0)
        begun = written[written["begin_ps"].notna()]
        rows += [
            ["checkpoint", row.job, row.checkpoint, WRITTEN, row.begin_ps, row.end_ps if row.end_ps >= 0 else until_ps, row.bytes]
            for row in begun.head(MAX_CHECKPOINTS).itertuples()
        ]
        frame = pd.DataFrame(rows, columns=["what", "job", "number", "kind", "begin_ps", "end_ps", "bytes"])
        frame = frame.astype({"begin_ps": "int64", "end_ps": "int64", "bytes": "int64"})
        note = f"{len(written) - len(begun)} checkpoints were not begun. " * (len(begun) < len(written))
        note += "What was not written goes to the end of the run. " * int(begun["end_ps"].isna().any())
        note += f"The first {MAX_STEPS} of {len(done):,} steps. " * (len(done) > MAX_STEPS)
        note += f"The first {MAX_CHECKPOINTS} of {len(begun):,} checkpoints." * (len(begun) > MAX_CHECKPOINTS)
        return with_marks(noted(frame, note.strip()), run)

    def height(self, frame: pd.DataFrame) -> float:
        return 1.2 + 0.32 * max(frame[["what", "job"]].drop_duplicates().shape[0], 2) + 0.2 * (frame["what"] == "checkpoint").sum()

    def draw_in(self, axes: Axes, entries: Entries, drawing: Drawing) -> None:
        frame = entries[0][1]
        several = frame["job"].nunique() > 1
        names: list[str] = []
        for kind, style in STYLES.items():
            rows = frame[frame["kind"] == kind]
            places = []
            for row in frame.itertuples():
                name = f"job {row.job}, " * several + ("steps" if row.what == "steps" else f"checkpoint {row.number}")
                if name not in names:
                    names.append(name)
                if row.kind == kind:
                    places.append(names.index(name))
            bars = axes.barh(
                places, rows["end_ps"] - rows["begin_ps"], left=rows["begin_ps"], height=0.7, label=kind, **bar_style(style)
            )
            for bar, row in zip(bars, rows.itertuples()):
                took = time_text(row.end_ps - row.begin_ps)
                drawing.tip(
                    bar,
                    [
                        f"step {row.number}: {took}"
                        if row.what == "steps"
                        else f"checkpoint {row.number}: {bytes_text(row.bytes)} in {took}"
                    ],
                )
        name_rows(axes, names)
        time_axis(axes, frame)

    def alt(self, frame: pd.DataFrame) -> str:
        written = frame[frame["what"] == "checkpoint"]
        texts = [
            f"checkpoint {row.number} of job {row.job} was written from {time_text(row.begin_ps, 4)} to {time_text(row.end_ps, 4)}"
            for row in written.head(3).itertuples()
        ]
        overlap = frame[frame["kind"] == DISTURBED]
        return f"{'; '.join(texts) or 'No checkpoint was begun'}; {len(overlap)} of {(frame['what'] == 'steps').sum()} steps write or overlap one.".capitalize()
