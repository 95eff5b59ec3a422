"""Which node of a part stands for a node of the whole fabric."""

from __future__ import annotations

import re
from dataclasses import dataclass

from heddle.step.fabric import Fabric, alone, share_of, together
from heddle.step.job import Job, NotInParts
from heddle.step.parts import ALONE
from heddle.step.variants import Variant

NODE = re.compile(r"(gpu|rtsw|ctsw|atsw)(\d+)")


@dataclass(frozen=True)
class Counterparts:
    """Stages are alike, so the part of any stage that a node serves has a counterpart of that node."""

    whole: Fabric
    job: Job

    @classmethod
    def of(cls, variant: Variant) -> Counterparts:
        return cls(Fabric.of(variant.resolved.tree["topology"]), variant.parts.job)

    def names(self, names: list[str], how: str) -> list[str]:
        """In the part ALONE or TOGETHER. Raises NotInParts for a node that the fabric or the job does not have."""
        part = self._part(how)
        return names if part is None else [self._name(name, part) for name in names]

    def traffic_factor(self, names: list[str], how: str) -> int:
        """A part whose links are divided has fewer of them: how many times as much of the stage's traffic crosses one of these nodes, or the
        link between them, as in the whole fabric."""
        part, share, tiers = self._part(how), share_of(self.whole, self.job), _tiers(names)
        if part is None:
            return 1
        spines = share.rtsw if "ctsw" in tiers and part.ctsws < self.whole.ctsws else 1
        return spines * (share.ctsw if "atsw" in tiers and part.atsws < self.whole.atsws else 1)

    def is_only_one(self, names: list[str], how: str) -> bool:
        """Whether a part whose links are divided has no other node beside the counterpart of the failing spine."""
        part, tiers = self._part(how), _tiers(names)
        return part is not None and (part.atsws if "atsw" in tiers else part.ctsws) == 1

    def every_stage(self, names: list[str]) -> bool:
        """Whether all stages send the same traffic across these nodes."""
        tiers = _tiers(names)
        if self.job.stages == 1:
            return True
        if self.job.far_stages or "gpu" in tiers:
            return False
        return "rtsw" not in tiers or self.whole.gpus_per_rack % self.job.replica_gpus == 0

    def _part(self, how: str) -> Fabric | None:
        """None: links cannot be divided, so all stages are simulated on the whole fabric."""
        return alone(self.whole, self.job) if how == ALONE else together(self.whole, self.job)

    def _name(self, name: str, part: Fabric) -> str:
        whole, (tier, number) = self.whole, _split(name)
        nodes = {
            "gpu": whole.zones * whole.gpus_per_zone,
            "rtsw": whole.zones * whole.racks,
            "ctsw": whole.zones * whole.ctsws,
            "atsw": whole.atsws,
        }[tier]
        if number >= nodes:
            there = f"{tier}s are {tier}0 to {tier}{nodes - 1}" if nodes else f"the fabric has no {tier}s"
            raise NotInParts(f"--failure: there is no {name}; {there}")
        if tier == "gpu":
            return f"gpu{self._gpu(name, number, 1)}"
        if tier == "rtsw":
            return f"rtsw{self._gpu(name, number, whole.gpus_per_rack) // part.gpus_per_rack}"
        if tier == "ctsw":
            zone, place = divmod(number, whole.ctsws)
            zone = self._gpu(name, zone, whole.gpus_per_zone) // part.gpus_per_zone
            return f"ctsw{zone * part.ctsws + place * part.ctsws // whole.ctsws}"
        return f"atsw{number * part.atsws // whole.atsws}"

    def _gpu(self, name: str, group: int, size: int) -> int:
        """The job's first GPU among those of a rack or zone (`group`, of `size` GPUs): its number in the part of its stage."""
        job = self.job
        gpu = max(group * size, job.first_gpu)
        if gpu >= min((group + 1) * size, job.first_gpu + job.gpus):
            raise NotInParts(f"--failure: no GPU of the job is at {name}, so its steps do not meet this; name another")
        if job.far_stages:
            return gpu % job.block_gpus
        return gpu // job.replica_gpus * job.stage_gpus + gpu % job.stage_gpus


def _split(name: str) -> tuple[str, int]:
    tier, number = NODE.fullmatch(name).groups()
    return tier, int(number)


def _tiers(names: list[str]) -> set[str]:
    return {_split(name)[0] for name in names}
