"""What tells explicit messages apart: whose they are, which fabric carries them, and in which class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from heddle.results.run import Run


@dataclass(frozen=True)
class MessageKind:
    """`job`: whose checkpoints; -1: the workload sends them for itself."""

    job: int
    fabric: str
    traffic_class: str

    @property
    def of_checkpoints(self) -> bool:
        return self.job >= 0

    @property
    def key(self) -> str:
        """ "job0.checkpoints" or "frontend.best_effort", as columns of `heddle compare --csv` begin."""
        return f"job{self.job}.checkpoints" if self.of_checkpoints else f"{self.fabric}.{self.traffic_class}"

    @property
    def text(self) -> str:
        """ "checkpoints of job 0, frontend, best_effort", as `heddle info` has it."""
        whose = f"checkpoints of job {self.job}" if self.of_checkpoints else "own messages"
        return f"{whose}, {self.fabric}, {self.traffic_class}"

    @property
    def name(self) -> str:
        """What it is called in several runs: a job's checkpoints are compared, whatever carries them."""
        return f"checkpoints of job {self.job}" if self.of_checkpoints else self.text


def kinds_told_apart(run: Run) -> dict[MessageKind, pd.DataFrame]:
    """The rows of Run.summary("message_kind") by kind; {} where one kind can stand for all: there is no other, and it is not of
    checkpoints. {}, too, while the run is partial, and for a file of an earlier version, which knows no kinds."""
    if "summary/message_kind" not in run.file:
        return {}
    rows = run.summary("message_kind")
    kinds = {
        MessageKind(int(job), str(fabric), str(traffic_class)): group
        for (job, fabric, traffic_class), group in rows.groupby(["job", "fabric", "class"], sort=False, observed=True)
    }
    return kinds if len(kinds) > 1 or any(kind.of_checkpoints for kind in kinds) else {}


def of_kind(messages: pd.DataFrame, kind: MessageKind) -> pd.DataFrame:
    """The rows of Run.messages() of a kind."""
    is_it = (messages["job"] == kind.job) & (messages["fabric"] == kind.fabric) & (messages["class"] == kind.traffic_class)
    return messages[is_it]
