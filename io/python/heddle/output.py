"""Files that commands write: whole or not at all, and never over a result."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, TextIO

from heddle.output_kinds import Kind
from heddle.results.errors import os_error

SIGNATURES = {b"\x89HDF\r\n\x1a\n": "an HDF5 file, as results are", b"heddle-checkpoint\n": "a checkpoint of a run"}
STREAMS = ("/dev/std", "/dev/fd/", "/proc/")  # names of what is open already, which nothing may be put in the place of
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)

Path = str | os.PathLike[str]


def check_output(path: Path, inputs: Iterable[Path] = (), kind: Kind | None = None, force: bool = False) -> None:
    """Raises OSError and ValueError, saying what to try, when `path` cannot be written, is one of the inputs, or is a result.

    Of a `kind`: also when there is a file, unless `force` is given and the file is of that kind. None: who calls has looked.
    """
    name = os.fspath(path)
    if not name:
        raise ValueError("the output has no name; name a file")
    try:
        found = os.stat(name)
    except FileNotFoundError:
        folder = os.path.dirname(os.path.realpath(name))
        if not os.path.isdir(folder):
            raise FileNotFoundError(
                f"'{name}' cannot be written: the folder '{folder}' is not there; make it, or name another output"
            ) from None
        return
    except OSError as error:
        raise type(error)(f"'{name}' cannot be written: {error.strerror}; name another output") from None
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(f"'{name}' is a folder, which cannot be written to; name a file in it")
    for read in inputs:
        with contextlib.suppress(OSError):  # who reads it says what is wrong with it
            if os.path.samestat(found, os.stat(read)):
                raise ValueError(f"'{name}' is read for this output, and would be lost; name another output")
    if stat.S_ISREG(found.st_mode) and not is_stream(name):
        _check_content(name)
        if kind is not None:
            _check_kind(name, kind, force)


def _check_kind(name: str, kind: Kind, force: bool) -> None:
    if os.path.getsize(name) == 0:  # nothing is lost; mktemp makes such files
        return
    if not kind.made(name):
        raise FileExistsError(
            f"'{name}' is there already, and is not {kind.what}: nothing else is replaced; name another output, or remove it first"
        )
    if not force:
        raise FileExistsError(f"'{name}' is there already; --force replaces it, or name another output")


def _check_content(name: str) -> None:
    if not os.access(name, os.W_OK | os.R_OK):
        raise PermissionError(f"'{name}' is there and may not be read and written, so it is not replaced; name another output")
    with open(name, "rb") as file:
        begin = file.read(max(map(len, SIGNATURES)))
    for signature, kind in SIGNATURES.items():
        if begin.startswith(signature):
            raise ValueError(f"'{name}' is {kind}, and would be lost; name another output, or remove it first")


@contextlib.contextmanager
def open_output(path: Path, kind: Kind | None = None, force: bool = False) -> Iterator[BinaryIO]:
    """A file for writing bytes in `with`, which has its name only when it is whole; after an exception all is as it was.

    `kind` and `force` as in check_output(); a file that has come under this name meanwhile is not replaced. What is no regular file (a device, a pipe) is written to as it is; of a symbolic link, the file that it leads to.
    """
    name = os.fspath(path)
    check_output(name, (), kind, force)
    try:
        if writes_through(name):
            with os.fdopen(os.open(name, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC), "wb") as file:
                yield file
        else:
            yield from _replaced(name, os.path.realpath(name), lambda: check_output(name, (), kind, force))
    except OSError as error:
        if error.errno in NO_ROOM and error.filename is None:
            why = f"{error.strerror}, so it is not written; make room, or name another output"
            raise os_error(OSError, error.errno, name, why) from None
        raise


def _replaced(name: str, target: str, may_be_replaced: Callable[[], None]) -> Iterator[BinaryIO]:
    temporary = os.path.join(os.path.dirname(target), f".heddle_{secrets.token_hex(8)}.tmp")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    except OSError as error:
        why = f"nothing can be made in its folder ({error.strerror}); check that, or name another output"
        raise os_error(type(error), error.errno, name, why) from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            if os.path.exists(target):
                os.fchmod(descriptor, stat.S_IMODE(os.stat(target).st_mode))
            yield file
        may_be_replaced()
        try:
            os.replace(temporary, target)
        except OSError as error:
            why = f"it cannot be put in its place ({error.strerror}); name another output"
            raise os_error(type(error), error.errno, name, why) from None
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def is_stream(name: str) -> bool:
    """/dev/stdout and the like, whatever they lead to."""
    return os.path.abspath(name).startswith(STREAMS)


def writes_through(path: Path) -> bool:
    """Whether open_output() writes into what is there, instead of putting a new file in its place."""
    return os.path.exists(path) and (is_stream(os.fspath(path)) or not os.path.isfile(path))


def notices(path: Path) -> TextIO:
    """Where to say that `path` is written: not on standard output when that may be what is written."""
    return sys.stderr if writes_through(path) else sys.stdout


def message_of(error: Exception) -> str:
    """What an exception says: the file first, and no number of the system's."""
    if isinstance(error, KeyError):
        return str(error.args[0])
    if isinstance(error, OSError) and error.filename is not None:
        return f"'{os.fsdecode(error.filename)}': {error.strerror}"
    return str(error)
