"""Who makes requests: generators of the configuration, and training jobs, for their data."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True)
class Asker:
    """A generator, or a training job; the other is -1."""

    generator: int
    job: int

    @property
    def name(self) -> str:
        """ "generator 0" or "data of job 0", as `heddle info` has it."""
        return f"generator {self.generator}" if self.job < 0 else f"data of job {self.job}"

    @property
    def key(self) -> str:
        """ "generator0.requests" or "job0.requests", as columns of `heddle compare --csv` begin."""
        return f"generator{self.generator}.requests" if self.job < 0 else f"job{self.job}.requests"


def by_asker(rows: pd.DataFrame) -> dict[Asker, pd.DataFrame]:
    """Rows of Run.requests() or Run.summary("request"), in their order. A file of an earlier version knows generators alone."""
    known = rows if "job" in rows else rows.assign(job=-1)
    groups = known.groupby(["generator", "job"], sort=False)
    return {Asker(int(generator), int(job)): group for (generator, job), group in groups}
