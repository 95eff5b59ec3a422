"""The basic blocks of the emulated kernels: where they are in the program, and of which lines of the source they are."""

from __future__ import annotations

import collections
import dataclasses
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "budget")]

import figures  # noqa: E402  (found by the line above)
from lines import Chain, place_of  # noqa: E402  (found by the line above)

HOOK = "__sanitizer_cov_trace_pc>"


@dataclasses.dataclass
class Block:
    steps: int = 0  # the compiler's instructions, those that only count left out
    of: collections.Counter = dataclasses.field(default_factory=collections.Counter)  # by chain
    names: dict[Chain, tuple[str, ...]] = dataclasses.field(default_factory=dict)  # functions of a chain


def instructions_of(program: pathlib.Path) -> list[tuple[int, int]]:
    """Every instruction of functions that are counted, and its block, both by address."""
    said = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], capture_output=True, text=True, check=True).stdout
    instructions: list[tuple[int, int]] = []
    block, hook = None, None
    for line in said.splitlines():
        if line.endswith(">:"):  # another function
            block, hook = None, None
            continue
        found = re.match(r" +([0-9a-f]+):\t(.*)", line)
        if not found:
            continue
        address, text = int(found.group(1), 16), found.group(2)
        if hook is not None:  # a block is known by where its hook returns to
            block = address
            instructions.append((hook, block))
            hook = None
        if HOOK in text:
            hook = address
        elif block is not None and "__tsan" not in text:
            instructions.append((address, block))
    return instructions


def read_blocks(program: pathlib.Path) -> dict[int, Block]:
    """By place, passed through or not."""
    instructions = instructions_of(program)
    blocks: dict[int, Block] = collections.defaultdict(Block)
    chains = chains_of(program, [address for address, _ in instructions])
    for (_, place), (chain, names) in zip(instructions, chains):
        block = blocks[place]
        block.steps += 1
        block.of[chain] += 1
        block.names[chain] = names
    return dict(blocks)


def chains_of(program: pathlib.Path, addresses: list[int]) -> list[tuple[Chain, tuple[str, ...]]]:
    """Of instructions: where they come from, and the functions of that."""
    command = ["addr2line", "-e", program, "-a", "-i", "-f", "-C"]
    asked = "\n".join(map(hex, addresses))
    said = subprocess.run(command, input=asked, capture_output=True, text=True, check=True).stdout.splitlines()
    found, at = [], 0
    while at < len(said):
        at += 1  # the address
        chain, names = [], []
        while at < len(said) and not said[at].startswith("0x"):
            file, _, line = said[at + 1].split(" (")[0].rpartition(":")
            chain.append(place_of(file, int(line) if line.isdigit() else 0))
            names.append(said[at])
            at += 2
        found.append((tuple(chain), tuple(names)))
    return found


def names_of(program: pathlib.Path, functions: list[int]) -> list[str]:
    """Of kernels: "run_clock", "run_switches<PlainBlock, 384u>"."""
    command = ["addr2line", "-e", program, "-f", "-C", *map(hex, functions)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[::2]
    return [figures.short_name(name) for name in said]
