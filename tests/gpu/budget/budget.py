"""What the kernels of the GPU backend take on sm_90, against tests/gpu/budget/budget.tsv. Needs nvcc, but no GPU.

    python3 tests/gpu/budget/budget.py             # compares
    python3 tests/gpu/budget/budget.py --update    # writes the budget anew
"""

from __future__ import annotations

import argparse
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import occupancy  # noqa: E402  (found by the line above)
import toolkit  # noqa: E402
from figures import Kernel, figures_of  # noqa: E402

BUDGET, LAUNCHES = HERE / "budget.tsv", HERE / "launches.tsv"
COMMAND = "python3 tests/gpu/budget/budget.py --update"
COUNTS = ("spills", "local", "generic", "generic_atomics", "instructions")  # any change moves them a little
EXACT = ("registers", "stack_bytes", "static_shared_bytes")
RESIDENT = "resident blocks"  # the one that must not be lower
Figures = dict[tuple[str, str], int]  # by kernel and figure


def rows_of(path: pathlib.Path) -> list[list[str]]:
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return [line.split("\t") for line in lines[1:]]


def all_figures(kernels: dict[str, Kernel], launches: list[list[str]]) -> Figures:
    """Those of kernels, and how many blocks of each launch are resident. Raises ValueError when a launch cannot be."""
    figures: Figures = {}
    shapes = {name: [(kernel.max_threads, 0)] for name, kernel in kernels.items()}
    for name, threads, dynamic_bytes in launches:
        of_name = [kernel for kernel in kernels if kernel == name or kernel.startswith(name + "<")]
        if not of_name:
            raise ValueError(f"launches.tsv: no kernel is called {name}; there are {', '.join(kernels)}")
        for kernel in of_name:
            if int(threads) > kernels[kernel].max_threads:
                raise ValueError(f"launches.tsv: {kernel} takes at most {kernels[kernel].max_threads} threads, not {threads}")
            shapes[kernel] = [shape for shape in shapes[kernel] if shape[1] != 0] + [(int(threads), int(dynamic_bytes))]
    for name, kernel in kernels.items():
        for figure in EXACT + COUNTS:
            figures[name, figure] = getattr(kernel, figure)
        for threads, dynamic_bytes in shapes[name]:
            blocks = occupancy.resident_blocks(kernel.registers, threads, kernel.static_shared_bytes, dynamic_bytes)
            figures[name, f"{RESIDENT}, {threads} threads, {dynamic_bytes} B"] = blocks
    return figures


def budget_of(figures: Figures) -> Figures:
    """What they are, with room for a twentieth in counts."""
    return {key: x + x // 20 if key[1] in COUNTS else x for key, x in figures.items()}


def complaints(figures: Figures, budget: Figures) -> list[str]:
    said = []
    for key in sorted(figures.keys() | budget.keys()):
        name, figure = key
        if key not in budget:
            said.append(f"{name}: {figure} is {figures[key]} and has no budget; write one: {COMMAND}")
        elif key not in figures:
            said.append(f"{name}: {figure} has a budget, but is there no more; write the budget anew: {COMMAND}")
        else:
            x, most = figures[key], budget[key]
            worse, better = (x < most, x > most) if figure.startswith(RESIDENT) else (x > most, x + max(8, most // 5) < most)
            if worse:
                said.append(
                    f"{name}: {figure} is {x}, budget {most}. Find what in the kernel made it so; if it is worth it (measure it on "
                    f"a GPU), write the budget anew and say why in the commit: {COMMAND}"
                )
            elif better:
                said.append(f"{name}: {figure} is {x}, far better than its budget of {most}: keep it so, with {COMMAND}")
    return said


def read_budget() -> tuple[str, Figures]:
    """The release of nvcc, and the budget."""
    release = BUDGET.read_text().splitlines()[0].removeprefix("# nvcc ")
    return release, {(name, figure): int(budget) for name, figure, budget in rows_of(BUDGET)}


def write_budget(release: str, figures: Figures) -> None:
    rows = [f"{name}\t{figure}\t{x}\n" for (name, figure), x in budget_of(figures).items()]
    BUDGET.write_text(f"# nvcc {release}\n# Written by {COMMAND}\nkernel\tfigure\tbudget\n" + "".join(rows))


def measure() -> Figures:
    """Compiles what is not up to date, and has pip fetch what reads it. Raises CalledProcessError."""
    tools = toolkit.Tools()
    return all_figures(figures_of(tools, toolkit.kernel_objects()), rows_of(LAUNCHES))


def main() -> int:
    parser = argparse.ArgumentParser(description="Compares what kernels take with their budget.")
    parser.add_argument("--update", action="store_true", help="write the budget anew instead")
    options = parser.parse_args()
    compiler = toolkit.nvcc()
    if compiler is None:
        print(
            "budget.py: nvcc is neither in $CUDA_HOME/bin nor /usr/local/cuda/bin nor PATH, so nothing is measured", file=sys.stderr
        )
        return 1
    try:
        figures = measure()
    except subprocess.CalledProcessError as error:
        print(f"budget.py: {error}\n{error.stdout or ''}{error.stderr or ''}", file=sys.stderr)
        return 1
    release = toolkit.version_of(compiler)
    if options.update:
        write_budget(release, figures)
        print(f"written: {BUDGET.relative_to(toolkit.ROOT)}")
        return 0
    budgeted, budget = read_budget()
    for (name, figure), x in figures.items():
        print(f"{name}\t{figure}\t{x}\t{budget.get((name, figure), '-')}")
    if budgeted != release:
        print(f"budget.py: the budget is of nvcc {budgeted}, this is {release}: they may differ", file=sys.stderr)
    said = complaints(figures, budget)
    print("\n".join(said), file=sys.stderr)
    return int(bool(said))


if __name__ == "__main__":
    sys.exit(main())
