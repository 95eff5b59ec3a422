"""How many instructions of a GPU a pass through a basic block of the emulation is worth.

An instruction belongs to the chain of lines that it comes from: the emulation has the same chain, if g++ has not merged it with
another. Else it goes with one or two chains that begin alike (where functions of a loop body are inlined more than once, nvcc names
the wrong loop around it), with the nearest line before it in the same inlined call, or with the call. What a chain has is
shared out among the blocks in which g++ has it, by how much of it they have.
"""

from __future__ import annotations

import bisect
import collections
import dataclasses
import re

import figures
from emulation import Block
from lines import Chain


INNER_FRAMES = 2  # fewer are too common to say which call is meant
MOST_PLACES = 2


@dataclasses.dataclass
class Weights:
    of: dict[int, float]  # by place
    exact: int = 0  # instructions whose chain the emulation has
    inner: int = 0  # that go with chains that begin alike
    near: int = 0  # that go with a line before
    call: int = 0  # that go with a call, or one around it
    lost: int = 0


class Finder:
    """The chains of the emulation that an instruction's belongs to."""

    def __init__(self, chains: set[Chain]):
        self._chains = chains
        self._lines = collections.defaultdict(list)
        self._inner: dict[Chain, set[Chain]] = collections.defaultdict(set)  # by their first frames
        for chain in chains:
            if chain:
                self._lines[chain[0][0], chain[1:]].append(chain[0][1])
            for depth in range(INNER_FRAMES, len(chain) + 1):
                self._inner[chain[:depth]].add(chain)
        for lines in self._lines.values():
            lines.sort()

    def find(self, chain: Chain) -> tuple[str, list[Chain]]:
        call = False
        while chain:
            if chain in self._chains:
                return "call" if call else "exact", [chain]
            for depth in range(len(chain) - 1, INNER_FRAMES - 1, -1):
                found = self._inner.get(chain[:depth], ())
                if 0 < len(found) <= MOST_PLACES:
                    return "inner", sorted(found)
                if found:
                    break
            (file, line), around = chain[0], chain[1:]
            lines = self._lines.get((file, around), [])
            at = bisect.bisect(lines, line)
            if at:
                return "call" if call else "near", [((file, lines[at - 1]), *around)]
            chain, call = around, True
        return "lost", []


TEAM = re.compile(r"\b\w*Block(?=[,>])")


def is_of_another(function: str, kernel: str, kernels: set[str]) -> bool:
    """Whether a function is another kernel than this one, or one for another team: this one does not pass through it."""
    name = figures.short_name(function)
    teams = set(TEAM.findall(name))
    return name in kernels - {kernel} or bool(teams) and teams.isdisjoint(TEAM.findall(kernel))


def weigh(instructions: dict[Chain, int], blocks: dict[int, Block], kernel: str = "", kernels: set[str] = frozenset()) -> Weights:
    """Of one kernel, among all `kernels`."""
    shares: dict[Chain, list[tuple[int, int]]] = collections.defaultdict(list)
    for place, block in blocks.items():
        for chain, steps in block.of.items():
            if not is_of_another(block.names[chain][-1], kernel, kernels):
                shares[chain].append((place, steps))
    finder, weights = Finder(set(shares)), Weights(collections.defaultdict(float))
    for chain, count in instructions.items():
        how, found = finder.find(chain)
        setattr(weights, how, getattr(weights, how) + count)
        places = [share for one in found for share in shares[one]]
        whole = sum(steps for _, steps in places)
        for place, steps in places:
            weights.of[place] += count * steps / whole
    weights.of = dict(weights.of)
    return weights
