"""Instructions of the kernels, sm_90, by the lines of the source that they come from.

nvcc unrolls loops, so that a line of a loop has several copies of its instructions, of which a pass through the loop executes one.
How many there are, its line information does not say. So the kernels are compiled once more, from a copy of the sources in
which no loop may be unrolled.
"""

from __future__ import annotations

import collections
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "budget")]

import figures  # noqa: E402  (found by the line above)
import toolkit  # noqa: E402
from lines import Chain, place_of  # noqa: E402

LOOP = re.compile(r"^(\s*(?:\} )?(?:else )?(?:if \(.*\) )?)((?:for|while) \(.*)$")


def without_unrolling(text: str) -> str:
    """Every line stays the line that it is."""
    lines = []
    for line in text.split("\n"):
        loop = LOOP.match(line)
        ends_do = line.lstrip().startswith("} while")
        lines.append(f'{loop.group(1)}_Pragma("unroll 1") {loop.group(2)}' if loop and not ends_do else line)
    return "\n".join(lines)


def compile_kernels(source: str = "kernels/backends/gpu/cuda.cu", root: pathlib.Path = toolkit.ROOT) -> pathlib.Path:
    """A cubin, in build/cuda/counts. Raises CalledProcessError."""
    folder = toolkit.BUILD / "counts"
    fresh = {
        path.relative_to(root): without_unrolling(path.read_text())
        for path in sorted((root / "kernels").rglob("*"))
        if path.suffix in (".hpp", ".cuh", ".cu")
    }
    cubin, mark = folder / "kernels.cubin", folder / "sources.txt"
    all_text = "".join(f"{path}\n{text}" for path, text in fresh.items())
    if cubin.is_file() and mark.is_file() and mark.read_text() == all_text:
        return cubin
    shutil.rmtree(folder, ignore_errors=True)
    for path, text in fresh.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    options = "-cubin -O3 -arch=sm_90 -std=c++20 --expt-relaxed-constexpr --extended-lambda -lineinfo -DHEDDLE_WITH_CUDA=1"
    command = [toolkit.nvcc(), *options.split(), "-I", folder, "-x", "cu", folder / source, "-o", cubin]
    subprocess.run(command, check=True, capture_output=True, text=True)
    mark.write_text(all_text)
    return cubin


def chains_of(text: str) -> dict[str, collections.Counter]:
    """What nvdisasm -gi says: by kernel, how many instructions a chain has."""
    kernels: dict[str, collections.Counter] = {}
    counter, said, chain = collections.Counter(), [], ()
    for line in text.splitlines():
        place = re.match(r'\s*//## File "([^"]*)", line (\d+)', line)
        if place:
            said.append(place_of(place.group(1), int(place.group(2))))
        elif line.startswith(".text."):
            counter, said, chain = kernels.setdefault(line[6:].rstrip(":"), collections.Counter()), [], ()
        elif re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+(?!\s|NOP)", line):
            if said:
                chain, said = tuple(said), []
            counter[chain] += 1
    short = figures.short_names(list(kernels))
    return {short[symbol]: chains for symbol, chains in kernels.items() if symbol in short}


def read_chains(cubin: pathlib.Path) -> dict[str, dict[Chain, int]]:
    return chains_of(toolkit.Tools().nvdisasm("-c", "-gi", cubin))
