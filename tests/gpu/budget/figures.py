"""What a compiled kernel takes, from what cuobjdump says of it."""

from __future__ import annotations

import dataclasses
import re
import subprocess

from occupancy import SYSTEM_SHARED_BYTES

NAMESPACE = "heddle::"  # kernels of others (CUB) are no concern


@dataclasses.dataclass
class Kernel:
    registers: int = 0
    stack_bytes: int = 0
    static_shared_bytes: int = 0
    spills: int = 0  # instructions that save a register to memory or get it back
    local: int = 0  # loads and stores of the stack, spills included
    generic: int = 0  # loads and stores that find out at run time which memory is meant
    generic_atomics: int = 0
    instructions: int = 0
    max_threads: int = 1024


def short_names(symbols: list[str]) -> dict[str, str]:
    """By symbol, what is ours, as short_name() has it."""
    said = subprocess.run(["c++filt"], input="\n".join(symbols), capture_output=True, text=True, check=True).stdout
    names = {}
    for symbol, name in zip(symbols, said.splitlines()):
        if name.removeprefix("void ").startswith(NAMESPACE):
            names[symbol] = short_name(name)
    return names


def short_name(name: str) -> str:
    """Of a function, without its parameters: "run_clock", "run_switches<PlainBlock, 384u>"."""
    return without_parameters(name.removeprefix("void ").replace("(anonymous namespace)::", "").replace(NAMESPACE, ""))


def without_parameters(name: str) -> str:
    depth = 0
    for at, letter in enumerate(name):
        depth += (letter == "<") - (letter == ">")
        if letter == "(" and depth == 0:
            return name[:at]
    return name


def read_resources(text: str, kernels: dict[str, Kernel]) -> None:
    """-res-usage. Its shared memory is with the system's."""
    for symbol, registers, stack, shared in re.findall(
        r"^ *Function (\S+):\s+REG:(\d+) STACK:(\d+) SHARED:(\d+)", text, re.MULTILINE
    ):
        kernel = kernels.setdefault(symbol, Kernel())
        kernel.registers, kernel.stack_bytes = int(registers), int(stack)
        kernel.static_shared_bytes = int(shared) - SYSTEM_SHARED_BYTES


def read_attributes(text: str, kernels: dict[str, Kernel]) -> None:
    """-elf: launch bounds, and which instructions are spills."""
    parts = re.split(r"^\.nv\.info\.(\S+)$", text, flags=re.MULTILINE)
    for symbol, part in zip(parts[1::2], parts[2::2]):
        part = re.split(r"^\.[a-z]", part, maxsplit=1, flags=re.MULTILINE)[0]
        kernel = kernels.setdefault(symbol, Kernel())
        kernel.spills = part.count("SpillRefill")
        bounds = re.search(r"EIATTR_MAX_THREADS\s+Format:\s*EIFMT_SVAL\s+Value:\s*0x([0-9a-f]+)", part)
        if bounds:
            kernel.max_threads = int(bounds.group(1), 16)


def read_instructions(text: str, kernels: dict[str, Kernel]) -> None:
    """-sass. Generic ones have no letter for a memory: LD, not LDG, LDS, LDL or LDC."""
    parts = re.split(r"^\s*Function : (\S+)$", text, flags=re.MULTILINE)
    for symbol, part in zip(parts[1::2], parts[2::2]):
        kernel = kernels.setdefault(symbol, Kernel())
        for opcode in re.findall(r"^\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+ +)?([A-Z0-9]+)", part, re.MULTILINE):
            kernel.instructions += opcode != "NOP"
            kernel.local += opcode in ("LDL", "STL")
            kernel.generic += opcode in ("LD", "ST")
            kernel.generic_atomics += opcode in ("ATOM", "RED")


def figures_of(tools, objects) -> dict[str, Kernel]:
    """By name, every kernel of ours."""
    kernels: dict[str, Kernel] = {}
    for file in objects:
        read_resources(tools.cuobjdump("-res-usage", file), kernels)
        read_attributes(tools.cuobjdump("-elf", file), kernels)
        read_instructions(tools.cuobjdump("-sass", file), kernels)
    names = short_names(list(kernels))
    return {name: kernels[symbol] for symbol, name in sorted(names.items(), key=lambda entry: entry[1])}
