"""What each command writes, told from the beginning of a file: --force replaces nothing else."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass

HEAD_BYTES = 1 << 16
TRACE_BEGINS = b'{"displayTimeUnit":"ns","traceEvents":[\n'
PNG_MARK = b"tEXtSoftware\0heddle"


@dataclass(frozen=True)
class Kind:
    """`what`: with its article; `is_this`: of the first bytes of a file."""

    what: str
    is_this: Callable[[bytes], bool]

    def made(self, path: str) -> bool:
        """Whether the file there is of this kind. Raises OSError."""
        with open(path, "rb") as file:
            return self.is_this(file.read(HEAD_BYTES))


def csv_like(header: str) -> Kind:
    """Data of a figure: tables whose first two columns are those of `header`."""

    def is_this(head: bytes) -> bool:
        line = unpacked(head).split(b"\n", 1)[0].decode("utf-8", "replace")
        return line.split(",")[:2] == header.split(",")[:2]

    return Kind("a table of this figure", is_this)


def unpacked(head: bytes) -> bytes:
    """The beginning of what may be compressed."""
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(head, HEAD_BYTES)
    except zlib.error:
        return head


PAGE = Kind("a page of heddle report", lambda head: b'<meta name="generator" content="heddle' in head)
TRACE = Kind("a trace of heddle trace", lambda head: unpacked(head).startswith(TRACE_BEGINS))
STEP = Kind("what heddle step writes", lambda head: head.lstrip().startswith(b"{") and b'"format": "heddle step ' in head)
FIGURES = {
    "svg": Kind("a figure of heddle plot", lambda head: head.startswith(b"<?xml") and b' id="figure-' in head),
    "png": Kind("a figure of heddle plot", lambda head: head.startswith(b"\x89PNG") and PNG_MARK in head),
    "pdf": Kind("a figure of heddle plot", lambda head: head.startswith(b"%PDF") and b"/Creator (heddle)" in head),
}
