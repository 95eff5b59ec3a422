"""What tells explicit messages apart: what they are for, which fabric carries them, and in which class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from heddle.results.run import Run

OWN, CHECKPOINT, DATA = "own", "checkpoint", "data"  # of the flag_meanings of `purpose`
TITLES = {
    OWN: "own messages",
    CHECKPOINT: "checkpoints",
    DATA: "data",
    "question": "questions",
    "report": "reports",
    "route": "routes",
}


@dataclass(frozen=True)
class MessageKind:
    """`purpose` as in /message; "own": the workload sends them for itself. `job`: the training job that they are for, -1: none."""

    purpose: str
    job: int
    fabric: str
    traffic_class: str

    @property
    def own(self) -> bool:
        return self.purpose == OWN

    @property
    def key(self) -> str:
        """ "job0.checkpoints", "frontend.best_effort" or "questions.frontend.best_effort", as columns of `heddle compare --csv`
        begin."""
        if self.job >= 0:
            return f"job{self.job}.{TITLES[self.purpose]}"
        return f"{'' if self.own else TITLES[self.purpose] + '.'}{self.fabric}.{self.traffic_class}"

    @property
    def text(self) -> str:
        """ "checkpoints of job 0, frontend, best_effort", as `heddle info` has it."""
        whose = TITLES[self.purpose] + f" of job {self.job}" * (self.job >= 0)
        return f"{whose}, {self.fabric}, {self.traffic_class}"

    @property
    def name(self) -> str:
        """What it is called in several runs: a job's checkpoints are compared, and its data, whatever carries them."""
        return self.text if self.job < 0 else f"{TITLES[self.purpose]} of job {self.job}"


def kinds_told_apart(run: Run) -> dict[MessageKind, pd.DataFrame]:
    """The rows of Run.summary("message_kind") by kind; {} where one kind can stand for all: there is no other, and it is the
    workload's own. {}, too, while the run is partial, and for a file of an earlier version, which knows no kinds."""
    if "summary/message_kind" not in run.file:
        return {}
    rows = with_purpose(run.summary("message_kind"))
    kinds = {
        MessageKind(str(purpose), int(job), str(fabric), str(traffic_class)): group
        for (purpose, job, fabric, traffic_class), group in rows.groupby(
            ["purpose", "job", "fabric", "class"], sort=False, observed=True
        )
    }
    return kinds if len(kinds) > 1 or not all(kind.own for kind in kinds) else {}


def with_purpose(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with `purpose`, which a file of an earlier version lacks: it knows checkpoints alone."""
    return rows if "purpose" in rows else rows.assign(purpose=np.where(rows["job"] < 0, OWN, CHECKPOINT))


def of_kind(messages: pd.DataFrame, kind: MessageKind) -> pd.DataFrame:
    """The rows of Run.messages() of a kind."""
    known = with_purpose(messages)
    is_it = (known["purpose"] == kind.purpose) & (known["job"] == kind.job)
    return messages[is_it & (known["fabric"] == kind.fabric) & (known["class"] == kind.traffic_class)]
