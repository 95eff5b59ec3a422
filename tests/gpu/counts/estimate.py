"""How fast the GPU backend would be on a Hopper GPU: an estimate from counts, never measured. Needs nvcc, no GPU.

    python3 tests/gpu/counts/estimate.py [--case permutation-1024-on] [--lines 20]
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
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
from counts import KERNELS, PROGRAM  # noqa: E402
from lines import Chain  # noqa: E402

# From when on (us), ticks before counting, ticks counted, aim in G packet-hops/s. 24,576 GPUs take some minutes and 4 GiB.
CASES = {
    "permutation-24576-on": (400, 32, 1, 8.0),
    "permutation-1024-on": (400, 128, 4, 1.0),
    "ring-24576": (90, 16, 6, None),
    "ring-512": (2000, 128, 32, None),
}
READ, WRITTEN, UPDATED = range(3)


@dataclasses.dataclass
class Share:
    """What a chain of lines has of all that a kernel does."""

    chain: Chain
    names: tuple[str, ...]
    warp_instructions: float
    bytes_read: float  # past the L1
    critical: tuple[float, float]  # cycles of the blocks' longest paths, by both guesses


class Model:
    """The compiled kernels: what a pass through a basic block of the emulation is worth on a GPU."""

    def __init__(self, program: pathlib.Path, cubin: pathlib.Path):
        self.program = program
        self.blocks = emulation.read_blocks(program)
        chains = sass.read_chains(cubin)
        self.of_kernel = {name: weights.weigh(chains[name], self.blocks, name, set(chains)) for name in chains}

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

    def shares(self, kernel: table.Kernel, name: str) -> list[Share]:
        """What is done, by chain."""
        of_place, shares = self.of_kernel[name].of, []
        for place, (warps, _) in kernel.passes.items():
            block = self.blocks.get(place, emulation.Block())
            for chain, steps in block.of.items():
                part = steps / block.steps
                cycles = [x * part for x in kernel.critical[place]]
                shares.append(Share(chain, block.names[chain], warps * of_place.get(place, 0) * part, 0, cycles))
        chains = emulation.chains_of(self.program, [place - 1 for place in kernel.accesses])  # after the hook's call
        for access, (chain, names) in zip(kernel.accesses.values(), chains):
            shares.append(Share(chain, names, 0, table.SECTOR_BYTES * access.of_block[READ], access.critical))
        return shares


def count(model: Model, case: str) -> table.Table:
    from_us, settling, ticks, _ = CASES[case]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "weights.txt"
        model.write(file)
        latencies = ",".join(guess.latencies() for guess in machine.GUESSES)
        more = ("--settling-ticks", str(settling), "--weights", str(file), "--latencies", latencies)
        return table.run(model.program, case, from_us, ticks, *more)


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
    if not name.startswith("run_switches"):
        return name.removeprefix("run_").split("<")[0]
    return "small switches" if kernel.stream == 0 else "big switches"


def device_bytes(kernel: table.Kernel) -> tuple[float, float]:
    """Read and written by the device as a whole, each sector once in a tick."""
    sums = [sum(access.of_tick[use] for access in kernel.accesses.values()) for use in range(3)]
    return table.SECTOR_BYTES * (sums[READ]), table.SECTOR_BYTES * (sums[WRITTEN] + sums[UPDATED])


def print_counts(model: Model, counted: table.Table, names: list[str]) -> None:
    print(
        "| kernel | blocks | scratch, B | warp instructions per hop | useful lanes, % | read past L1, B/hop | written, B/hop | chain, us |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for kernel, name in zip(counted.kernels, names):
        warps, lanes = model.instructions(kernel, name), model.instructions(kernel, name, of=1)
        read = table.SECTOR_BYTES * sum(access.of_block[READ] for access in kernel.accesses.values())
        written = table.SECTOR_BYTES * sum(access.sectors[WRITTEN] + access.sectors[UPDATED] for access in kernel.accesses.values())
        scratch = kernel.shared_bytes or ("in device memory" if name.startswith("run_switches") else "")
        longest = [max(chain.cycles[guess] for chain in kernel.chains) for guess in range(2)]
        print(
            f"| {label(kernel, name)} | {kernel.blocks // kernel.launches} | {scratch} | {warps / counted.hops:.1f} | "
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
        clock = (
            sum(
                machine.us(chain.cycles[number])
                for kernel, name in zip(counted.kernels, names)
                if name == "run_clock"
                for chain in kernel.chains
            )
            / counted.ticks
        )
        fixed = machine.LAUNCH_US + machine.HOST_US
        tick = max(issue, memory, chains) + clock + fixed
        print(
            f"| {guess.name} | {issue:.1f} | {memory:.1f} | {chains:.1f} | {clock:.1f} | {fixed:.1f} | {tick:.1f} | "
            f"**{hops / tick / 1e3:.2f}**{f', aim {aim:g}' if aim else ''} |"
        )


# Files whose functions only call what others do.
FRAMES = ("ticks.cuh", "tick.hpp", "block.cuh", "switch_pass.hpp", "switch_context.hpp", "endpoint_pass.hpp")


def part_of(share: Share) -> str:
    """The outermost function that does something."""
    for (file, _), name in zip(reversed(share.chain), reversed(share.names)):
        room = file.rpartition("/")[2]
        if room not in FRAMES:
            return f"{room}, {function_of(name)}"
    return line_of(share)


def function_of(name: str) -> str:
    """ "serve" of "heddle::EgressService<heddle::Block>::serve<...>(long, ...)"."""
    plain, depth = "", 0
    for letter in name.replace("operator()", "call").split("{lambda")[0]:
        depth += (letter in "<(") - (letter in ">)")
        if depth == 0 and letter not in ">)":
            plain += letter
    return plain.replace(" const", "").strip(": ").split(" ")[-1].rpartition("::")[2] or name


def line_of(share: Share) -> str:
    return " < ".join(f"{file.rpartition('/')[2]}:{line}" for file, line in share.chain[:2])


def print_costs(model: Model, counted: table.Table, names: list[str], most: int) -> None:
    for kernel, name in zip(counted.kernels, names):
        shares = model.shares(kernel, name)
        for what, unit, of in (
            ("path", "% of the blocks' longest paths, optimistic", lambda share: share.critical[0]),
            ("path", "% of the blocks' longest paths, pessimistic", lambda share: share.critical[1]),
            ("instructions", "warp instructions per packet-hop", lambda share: share.warp_instructions),
            ("read", "bytes read past L1 per packet-hop", lambda share: share.bytes_read),
        ):
            for by, key in (("part", part_of), ("line", line_of)):
                sums: collections.Counter = collections.Counter()
                for share in shares:
                    sums[key(share)] += of(share)
                whole = sum(sums.values()) / 100 if what == "path" else counted.hops
                print(f"\n{label(kernel, name)}, {unit}, by {by}:")
                for where, x in sums.most_common(most):
                    print(f"  {x / max(whole, 1):6.2f}  {where}")


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
        for name in KERNELS:
            w = model.of_kernel[name]
            print(
                f"{name}: {w.exact} instructions have a chain of the emulation; {w.inner} begin like one, {w.near} go with a line "
                f"before, {w.call} with a call around them, {w.lost} with nothing"
            )
        registers = {name: x for (name, figure), x in budget.read_budget()[1].items() if figure == "registers"}
        for case in options.case or ("permutation-1024-on", "ring-512"):
            counted = count(model, case)
            names = emulation.names_of(PROGRAM, [kernel.function for kernel in counted.kernels])
            from_us, settling, ticks, aim = CASES[case]
            print(f"\n## {case}, {ticks} ticks from {from_us} us and {settling} ticks on\n")
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
