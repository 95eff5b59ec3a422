"""What each GPU of a training job or a trace did: computing, and its exposed communication by parallel group."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from heddle.figures.figure import Drawing, Entries, Figure, Missing, name_rows, noted
from heddle.figures.iterations import GROUPS, LABELS, stacked
from heddle.figures.reading import end_ps
from heddle.figures.units import ticks
from heddle.results import Run
from heddle.text import counted, time_text
from heddle.trace.events import blocks

MAX_BARS = 64
MAX_ROWS = 4_096
COMPUTE = "compute_ps"
PARTS = {"compute": COMPUTE, **{f"wait_{group}": f"exposed_{group}_ps" for group in GROUPS}}  # by activity
WHOLE = "the run"


class GpuTime(Figure):
    name = "gpu_time"
    title = "What each GPU did"
    about = (
        "Computing, and exposed communication of each parallel group, from the first GPU's begin of the job's last iteration "
        "that ended to the last one's end; of a run in which none ended, from its start to its end. GPUs begin at different "
        "instants, so a bar may hold the last of the iteration before, or the first of the next."
    )
    alone = True

    def data(self, run: Run) -> pd.DataFrame:
        """One row per GPU, what computes most first: job, node, gpu, of, from_ps, until_ps, compute_ps and exposed_<group>_ps."""
        if "gpu_time" not in run.event_kinds:
            lacks = run.missing()
            no_job = "" if run.partial else lacks.get("/iteration")
            raise Missing(lacks.get("/event/gpu_time") or no_job or "output.gpu_time was false; set it to true")
        frame = windows(run)
        row_of = np.full(len(run.nodes()), -1)
        row_of[frame["node"]] = np.arange(len(frame))
        from_ps, until_ps = frame["from_ps"].to_numpy(), frame["until_ps"].to_numpy()
        took_ps = {activity: np.zeros(len(frame), dtype=np.int64) for activity in PARTS}
        for block in blocks(run, "gpu_time", ("time_ps", "node", "activity", "took_ps")):
            rows = row_of[block["node"]]
            block, rows = block[rows >= 0], rows[rows >= 0]
            begin = np.maximum(block["time_ps"] - block["took_ps"], from_ps[rows])
            inside = (np.minimum(block["time_ps"], until_ps[rows]) - begin).clip(lower=0).to_numpy()
            for activity, total in took_ps.items():
                mine = (block["activity"] == activity).to_numpy()
                np.add.at(total, rows[mine], inside[mine])
        for activity, column in PARTS.items():
            frame[column] = took_ps[activity]
        if not frame[list(PARTS.values())].to_numpy().any():
            raise Missing("no GPU had computed or waited for any time when the file was written")
        frame = frame.sort_values(["job", COMPUTE, "node"], ascending=[True, False, True]).reset_index(drop=True)
        return self._bounded(frame, run)

    @staticmethod
    def _bounded(frame: pd.DataFrame, run: Run) -> pd.DataFrame:
        gpus, note = len(frame), ""
        if gpus > MAX_BARS:
            note = f"Of {gpus:,} GPUs the {MAX_BARS // 2} that compute most and the {MAX_BARS // 2} that compute least are drawn"
            note += f"; the data have {MAX_ROWS // 2:,} of each." if gpus > MAX_ROWS else "; the data have all."
        waits = frame[list(PARTS.values())[1:]].sum(axis=1)
        open_end = run.attrs["status"] != "complete" and (frame["of"] == WHOLE).any()
        shown = noted(
            extremes(frame, MAX_ROWS),
            f"{' and '.join(frame['of'].unique()[:3])}.".capitalize(),
            note,
            "What had not ended when the run did is not in it." if open_end else "",
        )
        shown.attrs["gpus"] = gpus
        shown.attrs["ranges"] = [(int(part.min()), int(part.max())) for part in (frame[COMPUTE], waits)]
        return shown

    def height(self, frame: pd.DataFrame) -> float:
        return 1.2 + 0.13 * max(min(len(frame), MAX_BARS), 6)

    def draw_in(self, axes: Axes, entries: Entries, drawing: Drawing) -> None:
        frame = extremes(entries[0][1], MAX_BARS)
        stacked(axes, frame, LABELS, 0.8, drawing, lambda row, part: f"{row.gpu}: {part}")
        several = frame["job"].nunique() > 1
        names = [f"job {row.job}, " * several + row.gpu for row in frame.itertuples()]
        name_rows(axes, names, fontsize=6 if len(frame) > 24 else 8)
        axes.set_xlabel("time of a GPU")
        ticks(axes.xaxis, "ps")

    def alt(self, frame: pd.DataFrame) -> str:
        computing, waits = (" to ".join(time_text(end, 4) for end in ends) for ends in frame.attrs["ranges"])
        return f"{counted(frame.attrs['gpus'], 'GPU')}: computing from {computing}, and exposed communication from {waits}."


def windows(run: Run) -> pd.DataFrame:
    """job, node and gpu of every rank of a job, and of, from_ps and until_ps: its job's last iteration that ended, or the run."""
    ranks = run.job_ranks().drop_duplicates("node")
    done = run.iterations().query("end_ps >= 0")
    last = done.loc[done.groupby("job")["iteration"].idxmax()].set_index("job") if len(done) else done.set_index("job")
    frame = pd.DataFrame({"job": ranks["job"], "node": ranks["node"], "gpu": ranks["name"].astype(str)}).reset_index(drop=True)
    known = frame["job"].isin(last.index).to_numpy()
    many = frame["job"].nunique() > 1
    of = {job: f"iteration {row.iteration}" + f" of job {job}" * many for job, row in zip(last.index, last.itertuples())}
    frame["of"] = frame["job"].map(of).fillna(WHOLE)
    frame["from_ps"] = np.where(known, frame["job"].map(last["begin_ps"]).fillna(0), 0).astype(np.int64)
    frame["until_ps"] = np.where(known, frame["job"].map(last["end_ps"]).fillna(0), end_ps(run)).astype(np.int64)
    return frame


def extremes(frame: pd.DataFrame, most: int) -> pd.DataFrame:
    """Of a longer frame the `most` / 2 GPUs that compute most, and as many that compute least, in the order in which they are."""
    if len(frame) <= most:
        return frame
    order = frame.sort_values([COMPUTE, "node"], ascending=[False, True]).index
    return frame.loc[sorted([*order[: most // 2], *order[-(most // 2) :]])].reset_index(drop=True)
