"""What the kernels of the GPU backend do per packet-hop, on the emulated GPU, against tests/gpu/counts/counts.tsv.

    python3 tests/gpu/counts/counts.py             # compares
    python3 tests/gpu/counts/counts.py --update    # writes the budget anew
"""

from __future__ import annotations

import argparse
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import emulation  # noqa: E402  (found by the line above)
import table  # noqa: E402

ROOT = HERE.parents[2]
PROGRAM = pathlib.Path(os.environ.get("HEDDLE_GPU_COUNTS", ROOT / "build" / "cpu" / "bin" / "heddle_gpu_counts"))
BUDGET = HERE / "counts.tsv"
COMMAND = "python3 tests/gpu/counts/counts.py --update"
# Case, from when on (us), ticks: settled queues; a ring, in which few have something to do; queues, marks and pauses.
CASES = (("permutation-128-on", 400, 4), ("ring-512", 2000, 64), ("incast-1024", 200, 4))
# All cases are plain runs.
KERNELS = {
    "run_switches<PlainBlock, 384u>": "switches",
    "run_switches<PlainBlock, 256u>": "switches",
    "run_endpoints<PlainBlock>": "endpoints",
}
Figures = dict[tuple[str, str, str], float]  # by case, kernel and figure
# More of these is worse; of useful lanes, fewer. All but these are per packet-hop of the whole case.
USEFUL = "useful lanes, %"


def figures_of(counted: table.Table, names: list[str], steps: dict[int, int]) -> dict[tuple[str, str], float]:
    """By kernel and figure. `steps`: by place, the instructions of a basic block. Small and big switches together.

    A block that ends its function by jumping to the hook has none left, and is found at the place of its caller.
    """
    sums: dict[tuple[str, str], float] = {}
    for kernel, name in zip(counted.kernels, names):
        if name not in KERNELS:
            continue
        on_device = [access for access in kernel.accesses.values() if sum(access.sectors) != 0]
        read, written, updated = range(3)
        for figure, x in (
            ("warps", sum(warps * steps.get(place, 0) for place, (warps, _) in kernel.passes.items())),
            ("lanes", sum(lanes * steps.get(place, 0) for place, (_, lanes) in kernel.passes.items())),
            ("accesses", sum(access.warps for access in on_device)),
            ("read", table.SECTOR_BYTES * sum(access.of_block[read] for access in on_device)),
            ("written", table.SECTOR_BYTES * sum(access.sectors[written] + access.sectors[updated] for access in on_device)),
        ):
            key = KERNELS[name], figure
            sums[key] = sums.get(key, 0) + x
    figures = {}
    for kernel in dict.fromkeys(kernel for kernel, _ in sums):
        warps, lanes = sums[kernel, "warps"], sums[kernel, "lanes"]
        figures[kernel, "warp steps"] = warps / counted.hops
        figures[kernel, USEFUL] = 100 * lanes / table.WARP_LANES / warps
        figures[kernel, "warp accesses to device memory"] = sums[kernel, "accesses"] / counted.hops
        figures[kernel, "bytes read past L1, at least"] = sums[kernel, "read"] / counted.hops
        figures[kernel, "bytes written"] = sums[kernel, "written"] / counted.hops
    return figures


def measure(program: pathlib.Path = PROGRAM) -> tuple[str, Figures]:
    """The compiler, and all figures. Raises CalledProcessError."""
    tables = {case: table.run(program, case, from_us, ticks) for case, from_us, ticks in CASES}
    steps = {place: block.steps for place, block in emulation.read_blocks(program).items()}
    figures: Figures = {}
    for case, counted in tables.items():
        names = emulation.names_of(program, [kernel.function for kernel in counted.kernels])
        for (kernel, figure), x in figures_of(counted, names, steps).items():
            figures[case, kernel, figure] = x
    return counted.compiler, figures


def complaints(figures: Figures, budget: Figures) -> list[str]:
    """A hundredth more is let pass; a tenth less is to be kept."""
    said = []
    for key in sorted(figures.keys() | budget.keys()):
        case, kernel, figure = key
        what = f"{case}, {kernel}: {figure}"
        if key not in budget or key not in figures:
            said.append(f"{what} is {'new' if key in figures else 'gone'}; write the budget anew: {COMMAND}")
            continue
        x, most = figures[key], budget[key]
        change = (most - x if figure == USEFUL else x - most) / most if most else float(x != most)
        if change > 0.01:
            said.append(
                f"{what}: {x:.2f} a packet-hop, budget {most:.2f}. Find what in the kernel made it so (estimate.py --lines); "
                f"if it is worth it, write the budget anew and say why in the commit: {COMMAND}"
            )
        elif change < -0.1:
            said.append(f"{what}: {x:.2f} a packet-hop, far better than its budget of {most:.2f}: keep it so, with {COMMAND}")
    return said


def read_budget() -> tuple[str, Figures]:
    first, *lines = BUDGET.read_text().splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")][1:]
    return first.removeprefix("# g++ "), {(case, kernel, figure): float(x) for case, kernel, figure, x in rows}


def write_budget(compiler: str, figures: Figures) -> None:
    rows = [f"{case}\t{kernel}\t{figure}\t{x:.3f}\n" for (case, kernel, figure), x in figures.items()]
    head = f"# g++ {compiler}\n# Per packet-hop. Written by {COMMAND}\ncase\tkernel\tfigure\tbudget\n"
    BUDGET.write_text(head + "".join(rows))


def main() -> int:
    parser = argparse.ArgumentParser(description="Compares what kernels do per packet-hop with their budget.")
    parser.add_argument("--update", action="store_true", help="write the budget anew instead")
    options = parser.parse_args()
    if not PROGRAM.is_file():
        print(f"counts.py: {PROGRAM} is not built: cmake --build --preset cpu --target heddle_gpu_counts", file=sys.stderr)
        return 1
    try:
        compiler, figures = measure()
    except subprocess.CalledProcessError as error:
        print(f"counts.py: {error}\n{error.stdout or ''}{error.stderr or ''}", file=sys.stderr)
        return 1
    if options.update:
        write_budget(compiler, figures)
        print(f"written: {BUDGET.relative_to(ROOT)}")
        return 0
    budgeted, budget = read_budget()
    for key, x in figures.items():
        print("\t".join(key) + f"\t{x:.3f}\t{budget.get(key, '-')}")
    if budgeted != compiler:
        print(f"counts.py: the budget is of g++ {budgeted}, this is {compiler}: they may differ", file=sys.stderr)
    said = complaints(figures, budget)
    print("\n".join(said), file=sys.stderr)
    return int(bool(said))


if __name__ == "__main__":
    sys.exit(main())
