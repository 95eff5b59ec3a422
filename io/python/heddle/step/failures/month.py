"""What a month of failures costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from heddle.step.quoting import PS_PER_HOUR

# The Llama 3 Herd of Models, table 5: of 419 unexpected interruptions, those by network switches and cables.
LLAMA_3_INTERRUPTIONS, LLAMA_3_DAYS, LLAMA_3_GPUS = 35, 54, 16_384
BY_LLAMA_3 = (
    f"as many per GPU as {LLAMA_3_INTERRUPTIONS} in {LLAMA_3_DAYS} days on {LLAMA_3_GPUS:,} GPUs (Llama 3, table 5: switches and cables. "
    "Those ended the job; failures that the job survived were not counted)"
)
DAYS = 30


@dataclass(frozen=True)
class Interruptions:
    """How often something fails, and what follows. It changes no simulation."""

    failures_per_month: float | None = None  # of the job; None: as many per GPU as Llama 3 had
    repair_hours: float | None = None  # how long a failure lasts; None: the steps after the first are not counted
    restart_minutes: float | None = None  # from the end of a job until it computes again; None: restarts are not counted
    checkpoint_minutes: float | None = None  # from one checkpoint to the next, half of which is computed again; None: likewise

    def __post_init__(self):
        for name, value in vars(self).items():
            if value is not None and not 0 < value < float("inf"):
                raise ValueError(f"{name} = {value}: give a number above 0")

    def failures(self, gpus: int) -> float:
        if self.failures_per_month is not None:
            return self.failures_per_month
        return LLAMA_3_INTERRUPTIONS / LLAMA_3_DAYS * DAYS * gpus / LLAMA_3_GPUS

    def month(
        self,
        gpus: int,
        time: Mapping[str, float],
        step_ps: tuple[float, float] | None,
        later_ps: tuple[float, float] | None,
        ends_after_ps: int,
        price: float | None,
    ) -> dict[str, Any]:
        """Hours lost in 30 days if every failure is this one and meets a collective (high), or meets no traffic (low)."""
        number = self.failures(gpus)
        if step_ps is None:
            each = self._of_restart(ends_after_ps)
        else:
            each = (0.0, step_ps[1] / PS_PER_HOUR)
            if later_ps and self.repair_hours is not None:
                slower = later_ps[0] / (time["high"] + later_ps[0]), later_ps[1] / (time["low"] + later_ps[1])
                each = tuple(lost + self.repair_hours * share for lost, share in zip(each, slower))
        hours = None if each is None else {"low": number * each[0], "high": number * each[1]}
        found = {
            "failures": number,
            "by_llama_3": self.failures_per_month is None,
            "repair_hours": self.repair_hours,
            "hours_lost": hours,
            "share": _times(hours, 1 / (DAYS * 24)),
            "gpu_hours": _times(hours, gpus),
        }
        return found if price is None else {**found, "cost": _times(found["gpu_hours"], price)}

    def _of_restart(self, ends_after_ps: int) -> tuple[float, float] | None:
        if self.restart_minutes is None or self.checkpoint_minutes is None:
            return None
        lost = ends_after_ps / PS_PER_HOUR + (self.restart_minutes + self.checkpoint_minutes / 2) / 60
        return lost, lost


def _times(ends: Mapping[str, float] | None, factor: float) -> dict[str, float] | None:
    return None if ends is None else {end: value * factor for end, value in ends.items()}
