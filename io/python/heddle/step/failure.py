"""A failure in a layer's collective: the words of --failure, and the changes that put it into a part."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from heddle.as_configured import quantity
from heddle.step.fabric import Fabric, Share, share_of
from heddle.step.job import Job, NotInParts

KEYS = ("node", "link", "cable", "kind", "rate", "bit_error_rate", "at", "until", "times", "period")  # of [[failure]]
KINDS = ("down", "rate", "bit_errors")
TIMES = ("at", "until", "period")
EXAMPLE = """--failure 'node = "ctsw3", at = "1 ms"'"""
AFTER = {"failures.detect": "0 s", "failures.converge": "0 s"}  # everybody routes around it from the beginning


@dataclass(frozen=True)
class Failure:
    """[[failure]] with times that count from the beginning of the collective that it meets."""

    table: dict[str, Any]

    @classmethod
    def of(cls, words: str | Mapping[str, Any]) -> Failure:
        """Of an inline table of TOML without its braces, or of a dict. Raises ValueError."""
        said = f"--failure {words}"
        try:
            table = dict(words) if isinstance(words, Mapping) else tomllib.loads(f"failure = {{ {words} }}")["failure"]
        except (tomllib.TOMLDecodeError, KeyError) as error:
            raise ValueError(f"{said}: no table of TOML ({error}); write {EXAMPLE}") from None
        unknown = [key for key in table if key not in KEYS]
        if unknown:
            raise ValueError(f"{said}: [[failure]] has no {unknown[0]}; its keys are {', '.join(KEYS)}")
        if ("node" in table) == ("link" in table):
            raise ValueError(f"{said}: give the node that fails or the link, one of them; {EXAMPLE}")
        if table.get("kind", "down") not in KINDS:
            raise ValueError(f"{said}: kind = {table['kind']!r}; take one of {', '.join(KINDS)} (the healthy step is there anyway)")
        for key in TIMES:
            if key in table and quantity(str(table[key]), "ps") is None:
                raise ValueError(f'{said}: {key} = {table[key]!r} is no time; write it as "1 ms"')
        if not isinstance(table.get("times", 1), int) or table.get("times", 1) < 1:
            raise ValueError(f"{said}: times = {table['times']!r}: give a whole number from 1 on")
        names = table.get("link", [table.get("node")])
        if not isinstance(names, list) or not all(isinstance(name, str) and _NAME.fullmatch(name) for name in names):
            raise ValueError(f"{said}: {names!r}: nodes are called gpu0, rtsw0, ctsw0, atsw0, each with its number; {EXAMPLE}")
        return cls(table)

    @property
    def kind(self) -> str:
        return self.table.get("kind", "down")

    @property
    def names(self) -> list[str]:
        return self.table.get("link", [self.table.get("node")])

    @property
    def at_ps(self) -> int:
        return self._ps("at")

    @property
    def until_ps(self) -> int:
        """0: never."""
        return self._ps("until")

    @property
    def times(self) -> int:
        """More than one: it flaps."""
        return int(self.table.get("times", 1))

    def begins_ps(self) -> list[int]:
        return [self.at_ps + number * self._ps("period") for number in range(self.times)]

    def _ps(self, key: str) -> int:
        return int(quantity(str(self.table.get(key, 0)), "ps") or 0)

    @property
    def cuts_off(self) -> bool:
        """Whether GPUs have no other way."""
        rack = len(self.names) == 1 and self.names[0].startswith("rtsw")
        return self.kind == "down" and (rack or any(name.startswith("gpu") for name in self.names))

    def stays(self, collective_ps: int) -> bool:
        """Whether collectives after one that takes so long meet it, too, and get through."""
        if self.cuts_off or self.times > 1:
            return False
        return self.until_ps == 0 or self.until_ps > collective_ps

    def __str__(self) -> str:
        what = " - ".join(self.names) + (f" (cable {self.table['cable']})" if self.table.get("cable") else "")
        how = {
            "down": "is down",
            "rate": f"is at {self.table.get('rate', '100 Gb/s')}",
            "bit_errors": f"has bit errors ({self.table.get('bit_error_rate', 1e-9):g})",
        }[self.kind]
        until = f" until {self.table['until']}" if self.until_ps else ""
        again = f", {self.times} times, every {self.table.get('period')}" if self.times > 1 else ""
        return f"{what} {how} from {self.table.get('at', '0 s')}{until}{again}"

    @property
    def folder(self) -> str:
        """A name for its runs, from the folder of a step on."""
        return "failure_" + re.sub(r"[^a-z0-9.-]+", "_", str(self).lower()).strip("_")

    def changes(self, names: list[str], start_ps: int) -> dict[str, Any]:
        """What puts it into a part where the nodes have these names and the collective begins at `start_ps`."""
        found: dict[str, Any] = {key: value for key, value in self.table.items() if key not in (*TIMES, "node", "link")}
        found |= {"link": names} if "link" in self.table else {"node": names[0]}
        found["at"] = f"{start_ps + self.at_ps} ps"
        if self.until_ps:
            found["until"] = f"{start_ps + self.until_ps} ps"
        if "period" in self.table:
            found["period"] = self.table["period"]
        return {f"failure.0.{key}": value for key, value in found.items()}

    def lasting(self, names: list[str]) -> dict[str, Any]:
        """What it leaves once everybody has noticed."""
        gone = {"failure.0.until", "failure.0.times", "failure.0.period"}
        return {**{key: v for key, v in self.changes(names, 0).items() if key not in gone}, "failure.0.at": "0 s", **AFTER}


_NAME = re.compile(r"(gpu|rtsw|ctsw|atsw)(\d+)")


@dataclass(frozen=True)
class Place:
    """Which node of a part stands for one of the whole fabric."""

    whole: Fabric
    job: Job

    def names(self, failure: Failure, part: Fabric | None) -> list[str]:
        """In a part; None: the whole fabric. Raises NotInParts for a node that the fabric or the job does not have."""
        return failure.names if part is None else [self._name(name, part) for name in failure.names]

    def times_too_much(self, failure: Failure, part: Fabric) -> int:
        """How many times as much of a stage's traffic crosses what fails in a part whose links are divided."""
        share: Share = share_of(self.whole, self.job)
        tiers = {_NAME.fullmatch(name)[1] for name in failure.names}
        if "atsw" in tiers:
            return share.ctsw if part.atsws < self.whole.atsws else 1
        return share.rtsw if "ctsw" in tiers and part.ctsws < self.whole.ctsws else 1

    def every_stage(self, failure: Failure) -> bool:
        """Whether the traffic of all stages crosses it alike."""
        if self.job.far_stages:
            return False
        tiers = {_NAME.fullmatch(name)[1] for name in failure.names}
        if "rtsw" in tiers:
            return "gpu" not in tiers and self.whole.gpus_per_rack % self.job.replica_gpus == 0
        return "gpu" not in tiers

    def _name(self, name: str, part: Fabric) -> str:
        tier, number = _NAME.fullmatch(name)[1], int(_NAME.fullmatch(name)[2])
        fabric = self.whole
        number_of = {
            "gpu": fabric.zones * fabric.gpus_per_zone,
            "rtsw": fabric.zones * fabric.racks,
            "ctsw": fabric.zones * fabric.ctsws,
            "atsw": fabric.atsws,
        }[tier]
        if number >= number_of:
            there = f"{tier}s are {tier}0 to {tier}{number_of - 1}" if number_of else f"the fabric has no {tier}s"
            raise NotInParts(f"--failure: there is no {name}; {there}")
        if tier == "gpu":
            return f"gpu{self._gpu(name, number, 1)}"
        if tier == "rtsw":
            return f"rtsw{self._gpu(name, number, fabric.gpus_per_rack) // part.gpus_per_rack}"
        if tier == "ctsw":
            zone, place = divmod(number, fabric.ctsws)
            zone = self._gpu(name, zone, fabric.gpus_per_zone) // part.gpus_per_zone
            return f"ctsw{zone * part.ctsws + place * part.ctsws // fabric.ctsws}"
        return f"atsw{number * part.atsws // fabric.atsws}"

    def _gpu(self, name: str, group: int, size: int) -> int:
        """The first GPU of the job in a group of so many, as its stage's part numbers it."""
        job = self.job
        gpu = max(group * size, job.first_gpu)
        if gpu >= min((group + 1) * size, job.first_gpu + job.gpus):
            raise NotInParts(f"--failure: no GPU of the job is at {name}, so its steps do not meet this; name another")
        if job.far_stages:
            return gpu % job.block_gpus
        return gpu // job.replica_gpus * job.stage_gpus + gpu % job.stage_gpus
