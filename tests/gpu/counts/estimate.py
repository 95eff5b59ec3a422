"""How fast the GPU backend would be on a Hopper GPU: an estimate from counts, never measured. Needs nvcc, no GPU.

    python3 tests/gpu/counts/estimate.py [--case permutation-1024-on] [--lines 20]
"""

from __future__ import annotations

import argparse
import collections
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "budget")]

import budget  # noqa: E402  (found by the line above)
import emulation  # noqa: E402
import machine  # noqa: E402
import sass  # noqa: E402
import table  # noqa: E402
import toolkit  # noqa: E402
import weights  # noqa: E402
from counts import PROGRAM, ROOT  # noqa: E402

# Case, from when on (us), ticks counted, aim in G packet-hops/s. 24,576 GPUs take some minutes and 4 GiB.
CASES = {
    "permutation-24576-on": (400, 1, 8.0),
    "permutation-1024-on": (400, 4, 1.0),
    "ring-24576": (300, 4, None),
    "ring-512": (2000, 32, None),
}
READ, WRITTEN, UPDATED = range(3)


class Model:
    """The compiled kernels: what a pass through a basic block of the emulation is worth on a GPU."""

    def __init__(self, program: pathlib.Path, cubin: pathlib.Path):
        self.program = program
        self.blocks = emulation.read_blocks(program)
        chains = sass.read_chains(cubin)
        self.of_kernel = {name: weights.weigh(chains[name], self.blocks, set(chains) - {name}) for name in chains}

    def write(self, file: pathlib.Path) -> None:
        """One weight for each place; a function that two kernels call has that of the larger."""
        merged: dict[int, float] = {}
        for one in self.of_kernel.values():
            for place, x in one.of.items():
                merged[place] = max(merged.get(place, 0), x)
        file.write_text("".join(f"{place:x} {x:.4f}\n" for place, x in merged.items()))

    def instructions(self, kernel: table.Kernel, name: str, of: int = 0) -> float:
        """Of warps; of = 1: of lanes."""
        of_place = self.of_kernel[name].of
        return sum(passes[of] * of_place.get(place, 0) for place, passes in kernel.passes.items())

    def by_frame(self, kernel: table.Kernel, name: str, frame) -> collections.Counter:
        """Warp instructions by what `frame` says of a chain and its functions."""
        sums: collections.Counter = collections.Counter()
        of_place = self.of_kernel[name].of
        for place, (warps, _) in kernel.passes.items():
            block = self.blocks[place]
            for chain, steps in block.of.items():
                for key in frame(chain, block.names[chain]):
                    sums[key] += warps * of_place.get(place, 0) * steps / block.steps
        return sums


def count(model: Model, case: str) -> table.Table:
    from_us, ticks, _ = CASES[case]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "weights.txt"
        model.write(file)
        latencies = ",".join(guess.latencies() for guess in machine.GUESSES)
        return table.run(model.program, case, from_us, ticks, "--weights", str(file), "--latencies", latencies)


def launches_of(counted: table.Table, names: list[str], registers: dict[str, int], guess: int) -> list[list[machine.Launch]]:
    """By tick, its launches but the clock, in their order."""
    ticks: list[list[machine.Launch]] = [[] for _ in range(counted.ticks)]
    for kernel, name in zip(counted.kernels, names):
        if name == "run_clock":
            continue
        for tick in range(kernel.launches):
            blocks = kernel.blocks // kernel.launches
            chains = kernel.chains[tick * blocks : (tick + 1) * blocks]
            cycles = [chain.cycles[guess] for chain in chains]
            ticks[tick].append(machine.Launch(registers[name], kernel.threads, 144, kernel.shared_bytes, cycles))
    return ticks


def label(kernel: table.Kernel, name: str) -> str:
    if name != "run_switches":
        return name.removeprefix("run_")
    return "small switches" if kernel.stream == 0 else "big switches"


def device_bytes(kernel: table.Kernel) -> tuple[float, float]:
    """Read and written by the device as a whole, each sector once in a tick."""
    sums = [sum(access.of_tick[use] for access in kernel.accesses.values()) for use in range(3)]
    return table.SECTOR_BYTES * (sums[READ]), table.SECTOR_BYTES * (sums[WRITTEN] + sums[UPDATED])


def print_counts(model: Model, counted: table.Table, names: list[str]) -> None:
    print("| kernel | blocks | warp instructions per hop | useful lanes, % | read past L1, B/hop | written, B/hop | chain, us |")
    print("|---|---|---|---|---|---|---|")
    for kernel, name in zip(counted.kernels, names):
        warps, lanes = model.instructions(kernel, name), model.instructions(kernel, name, of=1)
        read = table.SECTOR_BYTES * sum(access.of_block[READ] for access in kernel.accesses.values())
        written = table.SECTOR_BYTES * sum(
            access.sectors[WRITTEN] + access.sectors[UPDATED] for access in kernel.accesses.values()
        )
        longest = [max(chain.cycles[guess] for chain in kernel.chains) for guess in range(2)]
        print(
            f"| {label(kernel, name)} | {kernel.blocks // kernel.launches} | {warps / counted.hops:.1f} | "
            f"{100 * lanes / table.WARP_LANES / max(warps, 1):.0f} | {read / counted.hops:.0f} | {written / counted.hops:.0f} | "
            f"{machine.us(longest[0]):.0f} to {machine.us(longest[1]):.0f} |"
        )


def print_estimate(model: Model, counted: table.Table, names: list[str], registers: dict[str, int], aim: float | None) -> None:
    hops = counted.hops / counted.ticks
    instructions = sum(model.instructions(kernel, name) for kernel, name in zip(counted.kernels, names)) / counted.ticks
    moved = sum(sum(device_bytes(kernel)) for kernel in counted.kernels) / counted.ticks
    print(f"\n{hops:,.0f} packet-hops a tick; {moved / hops:.0f} B/hop from and to device memory, at least\n")
    print("| | issue, us | device memory, us | chains, us | clock, us | launches, host, us | tick, us | G packet-hops/s |")
    print("|---|---|---|---|---|---|---|---|")
    for number, guess in enumerate(machine.GUESSES):
        issue, memory = machine.issue_us(instructions, guess.ipc), machine.memory_us(moved)
        ticks = launches_of(counted, names, registers, number)
        chains = sum(machine.chain_us(launches) for launches in ticks) / len(ticks)
        clock = sum(
            machine.us(chain.cycles[number])
            for kernel, name in zip(counted.kernels, names)
            if name == "run_clock"
            for chain in kernel.chains
        ) / counted.ticks
        fixed = machine.LAUNCH_US + machine.HOST_US
        tick = max(issue, memory, chains) + clock + fixed
        print(
            f"| {guess.name} | {issue:.1f} | {memory:.1f} | {chains:.1f} | {clock:.1f} | {fixed:.1f} | {tick:.1f} | "
            f"**{hops / tick / 1e3:.2f}**{f', aim {aim:g}' if aim else ''} |"
        )


def phase(chain, names):
    """The outermost frame of a chain that says what is done, as the files of the rooms are called."""
    for (file, _), name in zip(reversed(chain), reversed(names)):
        room = file.rpartition("/")[2]
        if room not in ("ticks.cuh", "tick.hpp", "block.cuh", "switch_pass.hpp", "switch_site.hpp", "endpoint_pass.hpp"):
            return (f"{room}: {name.split('(')[0].rpartition('::')[2].split('<')[0]}",)
    return (f"{chain[0][0].rpartition('/')[2]}:{chain[0][1]}",)


def line(chain, names):
    return (":".join(map(str, chain[0])),)


def print_costs(model: Model, counted: table.Table, names: list[str], most: int) -> None:
    for what, frame in (("by part", phase), ("by line", line)):
        print(f"\nwarp instructions per packet-hop, {what}:")
        for kernel, name in zip(counted.kernels, names):
            for key, x in model.by_frame(kernel, name, frame).most_common(most):
                print(f"  {x / counted.hops:6.2f}  {label(kernel, name)}  {key}")
    print("\nbytes read past L1 per packet-hop, by line:")
    for kernel, name in zip(counted.kernels, names):
        sums: collections.Counter = collections.Counter()
        for place, access in kernel.accesses.items():
            sums[place] += table.SECTOR_BYTES * access.of_block[READ]
        found = sums.most_common(most)
        lines = emulation.lines_of(model.program, [place for place, _ in found])
        for (_, x), where in zip(found, lines):
            print(f"  {x / counted.hops:6.2f}  {label(kernel, name)}  {where}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Estimates how fast the GPU backend would be, from counts.")
    parser.add_argument("--case", choices=CASES, action="append", help="default: 1,024 GPUs and the small ring")
    parser.add_argument("--lines", type=int, default=0, metavar="N", help="the N costliest parts and lines, too")
    options = parser.parse_args()
    if not PROGRAM.is_file():
        print(f"estimate.py: {PROGRAM} is not built: cmake --build --preset cpu --target heddle_gpu_counts", file=sys.stderr)
        return 1
    if toolkit.nvcc() is None:
        print("estimate.py: there is no nvcc, and what a line of source is on a GPU only it says", file=sys.stderr)
        return 1
    try:
        model = Model(PROGRAM, sass.compile_kernels())
        registers = {name: x for (name, figure), x in budget.read_budget()[1].items() if figure == "registers"}
        for case in options.case or ("permutation-1024-on", "ring-512"):
            counted = count(model, case)
            names = emulation.names_of(PROGRAM, [kernel.function for kernel in counted.kernels])
            from_us, ticks, aim = CASES[case]
            print(f"\n## {case}, {counted.ticks} ticks some time after {from_us} us\n")
            print_counts(model, counted, names)
            print_estimate(model, counted, names, registers, aim)
            if options.lines:
                print_costs(model, counted, names, options.lines)
    except subprocess.CalledProcessError as error:
        print(f"estimate.py: {error}\n{error.stdout or ''}{error.stderr or ''}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
