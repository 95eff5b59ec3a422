"""--failure: a failure in a layer's collective, and the settings that put it into a part."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from heddle.as_configured import quantity
from heddle.step.failures.counterparts import NODE

KEYS = ("node", "link", "cable", "kind", "rate", "bit_error_rate", "at", "until", "times", "period")  # of [[failure]]
KINDS = ("down", "rate", "bit_errors")
BIT_ERROR_RATE = 1e-9  # default of [[failure]]
TIMES = ("at", "until", "period")
EXAMPLE = """--failure 'node = "ctsw3", at = "1 ms"'"""
CONVERGED = {"failures.detect": "0 s", "failures.converge": "0 s"}  # all switches route around the failure at once


@dataclass(frozen=True)
class Failure:
    """A table of [[failure]] whose times count from the beginning of a collective."""

    table: dict[str, Any]

    @classmethod
    def of(cls, words: str | Mapping[str, Any]) -> Failure:
        """`words`: an inline table of TOML without braces, or a dict. Raises ValueError."""
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
        if not isinstance(names, list) or not all(isinstance(name, str) and NODE.fullmatch(name) for name in names):
            raise ValueError(f"{said}: {names!r}: nodes are called gpu0, rtsw0, ctsw0, atsw0, each with its number; {EXAMPLE}")
        return cls(table)

    def is_same(self, other: Failure) -> bool:
        """However the times are written."""
        return self._in_ps() == other._in_ps()

    def _in_ps(self) -> dict[str, Any]:
        return {**self.table, **{key: self._ps(key) for key in TIMES}}

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
        """0: the failure never ends."""
        return self._ps("until")

    @property
    def times(self) -> int:
        """More than 1: the link flaps."""
        return int(self.table.get("times", 1))

    def begins_ps(self) -> list[int]:
        return [self.at_ps + number * self._ps("period") for number in range(self.times)]

    def _ps(self, key: str) -> int:
        return int(quantity(str(self.table.get(key, 0)), "ps") or 0)

    @property
    def cuts_off(self) -> bool:
        """Whether some GPUs have no path left."""
        rack = len(self.names) == 1 and self.names[0].startswith("rtsw")
        return self.kind == "down" and (rack or any(name.startswith("gpu") for name in self.names))

    def outlasts(self, collective_ps: int) -> bool:
        """Whether later collectives run on what the failure leaves, when the collective that it meets takes `collective_ps`."""
        if self.cuts_off or self.times > 1:
            return False
        return self.until_ps == 0 or self.until_ps > collective_ps

    def __str__(self) -> str:
        what = " - ".join(self.names) + (f" (cable {self.table['cable']})" if self.table.get("cable") else "")
        how = {
            "down": "is down",
            "rate": f"is at {self.table.get('rate', '100 Gb/s')}",
            "bit_errors": f"has bit errors ({self.table.get('bit_error_rate', BIT_ERROR_RATE):g})",
        }[self.kind]
        until = f" until {self.table['until']}" if self.until_ps else ""
        again = f", {self.times} times, every {self.table.get('period')}" if self.times > 1 else ""
        return f"{what} {how} from {self.table.get('at', '0 s')}{until}{again}"

    @property
    def folder(self) -> str:
        """Where its runs go, in the folder of a step."""
        return "failure_" + re.sub(r"[^a-z0-9.-]+", "_", str(self).lower()).strip("_")

    def of_a_share(self, factor: int, is_only_one: bool, line_rate_bits_per_s: float) -> Failure:
        """In a part where `factor` times as much traffic crosses what fails as in the whole fabric: the failure that is as bad for the part as this
        one is for the whole. If there is none, this one, which is worse."""
        if factor > 1 and self.kind == "bit_errors":
            return Failure({**self.table, "bit_error_rate": self.table.get("bit_error_rate", BIT_ERROR_RATE) / factor})
        if factor > 1 and self.kind == "down" and is_only_one:
            return Failure({**self.table, "kind": "rate", "rate": f"{line_rate_bits_per_s * (factor - 1) / factor:.0f} b/s"})
        return self

    def changes(self, names: list[str], start_ps: int) -> dict[str, Any]:
        """Settings of a part whose nodes have these `names`, and whose collective begins at `start_ps`."""
        found: dict[str, Any] = {key: value for key, value in self.table.items() if key not in (*TIMES, "node", "link")}
        found |= {"link": names} if "link" in self.table else {"node": names[0]}
        found["at"] = f"{start_ps + self.at_ps} ps"
        if self.until_ps:
            found["until"] = f"{start_ps + self.until_ps} ps"
        if "period" in self.table:
            found["period"] = self.table["period"]
        return {f"failure.0.{key}": value for key, value in found.items()}

    def lasting(self, names: list[str]) -> dict[str, Any]:
        """Settings of a part in which all switches have routed around the failure."""
        gone = {"failure.0.until", "failure.0.times", "failure.0.period"}
        return {**{key: v for key, v in self.changes(names, 0).items() if key not in gone}, "failure.0.at": "0 s", **CONVERGED}
