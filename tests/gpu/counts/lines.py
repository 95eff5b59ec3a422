"""Lines of the source as compilers name them, made comparable: each is the first line of its statement."""

from __future__ import annotations

import functools
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[3]
FOLDERS = ("/kernels/", "/tests/")
Chain = tuple[tuple[str, int], ...]  # file and line, and those of the calls that were inlined, the innermost first


def first_lines(text: str) -> list[int]:
    """By line, from 0 on; there is no line 0."""
    first, goes_on = [0], False
    for number, line in enumerate(text.split("\n"), 1):
        code = line.split("//")[0].strip()
        first.append(first[-1] if goes_on and code else number)
        if code:
            goes_on = not code.endswith((";", "{", "}", ":")) and not code.startswith("#")
        elif not line.strip():
            goes_on = False
    return first


@functools.cache
def first_lines_of(path: pathlib.Path) -> list[int]:
    return first_lines(path.read_text()) if path.is_file() else [0]


@functools.cache
def place_of(path: str, line: int) -> tuple[str, int]:
    """The file from a folder of the repository on, wherever a copy of it lies, and the statement's line."""
    path = str(pathlib.PurePosixPath(path))
    at = max(path.rfind(folder) for folder in FOLDERS)
    name = path[at + 1 :] if at >= 0 else path
    first = first_lines_of(ROOT / name)
    return name, first[line] if line < len(first) else line
