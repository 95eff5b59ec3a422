"""The table that heddle_gpu_counts prints."""

from __future__ import annotations

import dataclasses
import pathlib
import subprocess

WARP_LANES, SECTOR_BYTES = 32, 32


@dataclasses.dataclass
class Access:
    warps: int
    lanes: int
    critical: tuple[float, float]  # cycles of the blocks' longest paths, by both sets of latencies
    sectors: list[int]  # by use: of every execution by a warp
    of_block: list[int]  # those that its block had not used so in the launch
    of_tick: list[int]  # those that no block had in the tick


@dataclasses.dataclass
class Chain:
    block: int
    barriers: int
    instructions: float
    cycles: tuple[float, float]


@dataclasses.dataclass
class Kernel:
    function: int
    stream: int
    threads: int
    shared_bytes: int
    launches: int
    blocks: int
    passes: dict[int, tuple[int, int]] = dataclasses.field(default_factory=dict)  # by basic block: warps, lanes
    critical: dict[int, tuple[float, float]] = dataclasses.field(default_factory=dict)  # likewise, as in Access
    accesses: dict[int, Access] = dataclasses.field(default_factory=dict)
    chains: list[Chain] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Table:
    compiler: str = ""
    ticks: int = 0
    hops: int = 0
    kernels: list[Kernel] = dataclasses.field(default_factory=list)

    def places(self) -> set[int]:
        return {place for kernel in self.kernels for place in kernel.passes}


def parse(text: str) -> Table:
    table = Table()
    for row in (line.split("\t") for line in text.splitlines()):
        what, words = row[0], row[1:]
        if what == "compiler":
            table.compiler = words[0]
            continue
        if what in ("ticks", "hops"):
            setattr(table, what, int(words[0]))
            continue
        if what == "kernel":
            table.kernels.append(Kernel(int(words[1], 16), *(int(word) for word in words[2:])))
            continue
        kernel = table.kernels[int(words[0])]
        if what == "block":
            kernel.passes[int(words[1], 16)] = int(words[2]), int(words[3])
            kernel.critical[int(words[1], 16)] = float(words[4]), float(words[5])
        elif what == "access":
            x = [int(word) for word in words[2:]]
            kernel.accesses[int(words[1], 16)] = Access(x[0], x[1], (x[2], x[3]), x[4:7], x[7:10], x[10:13])
        elif what == "chain":
            kernel.chains.append(Chain(int(words[1]), int(words[2]), float(words[3]), (float(words[4]), float(words[5]))))
        else:
            raise ValueError(f"heddle_gpu_counts: '{what}' is no row that is known")
    return table


def run(program: pathlib.Path, case: str, from_us: float, ticks: int, *more: str) -> Table:
    command = [program, case, "--from-us", str(from_us), "--ticks", str(ticks), *more]
    return parse(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
