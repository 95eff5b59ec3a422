"""From a path to an open h5py.File, or to an error that says what is wrong with it."""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import re
import stat
from collections.abc import Sequence
from typing import Any

import h5py
import numpy as np
from h5py import h5a, h5d, h5o

from heddle.results.errors import FormatError, os_error
from heddle.results.own_storage import refuse_foreign_storage
from heddle.results.trial import survives

BATCH = 32  # files that one process tries
TEXTS = (b"units", b"long_name", b"flag_meanings", b"lacks")
CHECKPOINT_SEAL = b"heddle-checkpoint\n"

SUPERBLOCK = b"\x89HDF\r\n\x1a\n\3"  # of version 3, whose flags say whether a writer has closed the file
OPEN_FLAGS_AT, OPEN_FLAGS = 11, 0b101  # a writer has it open; as SWMR

# The same file opened twice in one process has to be opened in the same way: first as h5py.File(path) does it, then for
# file systems without locks.
WAYS: tuple[dict[str, Any], ...] = ({}, {"locking": False})
# Then for files that their writer has not closed. Of no others: HDF5 then takes each wrong checksum for one that is being written,
# and sleeps ever longer until it is right.
WAYS_OF_OPEN_FILES: tuple[dict[str, Any], ...] = tuple({"libver": "latest", "swmr": True, **way} for way in WAYS)
OTHER_WAY = ("SWMR read access flag", "file locking flag", "file is already open for")


def open_hdf5(path: str, tried: bool = False) -> h5py.File:
    """The file, open for reading and tried before. Raises OSError (missing, no permission, pipe, ...) and FormatError."""
    expect_result(path)
    if not tried:
        how = survives(lambda: try_texts([path]))
        if how is not None:
            raise FormatError(f"'{path}' is damaged: reading its texts {how}; take a copy that is whole, or run again")
    return open_in_some_way(path)


def survivors(paths: list[str]) -> set[str]:
    """Those of these files whose texts can be read, tried by one process for many: a process takes longer than a file.

    What is not among them is damaged, missing or no result: open_hdf5 says so.
    """
    found: set[str] = set()
    for first in range(0, len(paths), BATCH):
        batch = paths[first : first + BATCH]
        if survives(functools.partial(try_texts, batch), len(batch)) is None:
            found.update(batch)
        else:
            found.update(path for path in batch if survives(functools.partial(try_texts, [path])) is None)
    return found


def try_texts(paths: Sequence[str]) -> None:
    """Reads all texts; what HDF5 itself refuses is said by who opens the file next."""
    for path in paths:
        with contextlib.suppress(OSError, RuntimeError, ValueError, KeyError), open_in_some_way(path) as file:
            read_texts(file)


def expect_result(path: str) -> None:
    """Raises OSError and FormatError for what is no HDF5 file at first sight."""
    expect_file(path)
    if first_bytes(path).startswith(CHECKPOINT_SEAL):
        raise FormatError(
            f"'{path}' is a checkpoint, which holds the state of a run and no results; `heddle info` describes it, and the rows "
            "until then are in the .part beside it"
        )


def expect_file(path: str) -> None:
    """Raises OSError, with what to try, for what is no file of bytes."""
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        raise os_error(type(error), error.errno, path, why_no_file(path, error)) from None
    if stat.S_ISDIR(mode):
        raise os_error(IsADirectoryError, errno.EISDIR, path, why_folder(path))
    if not stat.S_ISREG(mode):
        kind = "a pipe" if stat.S_ISFIFO(mode) else "no ordinary file"
        raise os_error(OSError, errno.EINVAL, path, f"it is {kind}; write what comes out of it to a file, and give that")


def why_folder(path: str) -> str:
    sweep = os.path.isfile(os.path.join(path, "runs.txt"))
    return "it is a folder; give " + (
        "one of the results in it, or in Python heddle.Results(folder)" if sweep else "the name of a result file"
    )


def why_no_file(path: str, error: OSError) -> str:
    if error.errno == errno.ELOOP:
        return "its symbolic links lead in a circle; mend them"
    if error.errno == errno.EACCES:
        return "a folder on the way to it may not be entered; check the permissions of the folders that lead to it"
    if os.path.islink(path):
        return f"it is a symbolic link to '{os.readlink(path)}', which is not there; mend the link"
    if os.path.exists(path + ".part"):
        return "no such file (there is a .part: the run was killed or still goes on)"
    return "no such file; check the name"


def first_bytes(path: str) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except PermissionError as error:
        raise os_error(PermissionError, error.errno, path, "it may not be read; check the permissions of the file") from None
    try:
        return os.read(descriptor, max(len(CHECKPOINT_SEAL), OPEN_FLAGS_AT + 1))
    finally:
        os.close(descriptor)


def open_in_some_way(path: str) -> h5py.File:
    problems = []
    for ways in (WAYS, WAYS_OF_OPEN_FILES):
        if ways is WAYS_OF_OPEN_FILES and not (may_be_open(path) or any(map(is_of_other_way, problems))):
            break
        for way in ways:
            try:
                file = h5py.File(path, "r", **way)
            except (OSError, RuntimeError) as error:
                problems.append(reason_of(error))
                continue
            return _only_its_own(file, path)
    if all(map(is_of_other_way, problems)):
        raise OSError(
            f"'{path}' is open in this process already, in a way that HDF5 joins with no other ({problems[0]}); close it there, "
            "or open it there with h5py.File(path, 'r')"
        )
    raise FormatError(
        f"'{path}' cannot be read as HDF5, so it is no result of heddle, or it is damaged: {in_words(path, problems[-1])}"
    )


def _only_its_own(file: h5py.File, path: str) -> h5py.File:
    try:
        refuse_foreign_storage(file, path)
    except FormatError:
        file.close()
        raise
    except (OSError, RuntimeError, ValueError, KeyError, TypeError, OverflowError) as error:
        file.close()
        raise FormatError(
            f"'{path}' is damaged: its objects cannot be listed: {reason_of(error)}; take a copy that is whole"
        ) from error
    return file


def in_words(path: str, problem: str) -> str:
    """What HDF5 says of a file that it does not open, and what to try."""
    ends = re.search(r"truncated file: eof = (\d+), .*stored_eof = (\d+)", problem)
    if ends:
        return f"it ends after {int(ends[1]):,} of its {int(ends[2]):,} bytes; copy it again, or run again"
    if os.path.getsize(path) == 0:
        return "it is empty; wait until the run has begun, or run again"
    if not first_bytes(path).startswith(SUPERBLOCK[:-1]):
        return "it does not begin as such files do; give a file that `heddle run` has written"
    return f"{problem}; take a copy that is whole, or run again"


def may_be_open(path: str) -> bool:
    """Whether its writer may not have closed it: it goes on, or was killed."""
    begin = first_bytes(path)
    return path.endswith(".part") or (begin.startswith(SUPERBLOCK) and bool(begin[OPEN_FLAGS_AT] & OPEN_FLAGS))


def is_of_other_way(problem: str) -> bool:
    return any(sign in problem for sign in OTHER_WAY)


def reason_of(error: Exception) -> str:
    """HDF5's innermost reason, without addresses of memory."""
    text = str(error)
    system = re.search(r"error message = '([^']*)'", text)
    inner = re.search(r"\((.*)\)", text, re.DOTALL)
    return system.group(1) if system else inner.group(1) if inner else text


def read_texts(file: h5py.File) -> None:
    """All texts that the reader may read later, without what makes h5py's own attributes slow.

    Of a file that its writer has not closed also the first and the last row of everything, and where all chunks between them are:
    over what is damaged there HDF5 would sleep. The rows themselves have no checksums.
    """
    dict(file.attrs)
    of_open_file = file.swmr_mode

    def read(name: bytes) -> None:
        item = h5o.open(file.id, name)
        for text in TEXTS:
            if h5a.exists(item, text):
                attribute = h5a.open(item, text)
                attribute.read(np.empty(attribute.shape, dtype=attribute.dtype))
        if of_open_file and isinstance(item, h5d.DatasetID) and item.shape and item.shape[0]:
            dataset = h5py.Dataset(item)
            for row in (0, -1):
                dataset[row]
            if dataset.chunks is not None:
                item.get_num_chunks()  # goes through all of their index

    file.id.links.visit(read)
