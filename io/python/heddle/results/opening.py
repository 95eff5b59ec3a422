"""From a path to an open h5py.File, or to an error that says what is wrong with it."""

import errno
import os
import re
import stat

import h5py

from heddle.results.errors import FormatError
from heddle.results.trial import survives

CHECKPOINT_SEAL = b"heddle-checkpoint\n"

# The same file opened twice in one process has to be opened in the same way: first as h5py.File(path) does it, then for
# file systems without locks, then for files that their writer has not closed.
WAYS = (
    {},
    {"locking": False},
    {"libver": "latest", "swmr": True},
    {"libver": "latest", "swmr": True, "locking": False},
)
OTHER_WAY = ("SWMR read access flag", "file locking flag", "file is already open for")


def open_hdf5(path):
    """The file, open for reading and tried before. Raises OSError (missing, no permission, pipe, ...) and FormatError."""
    expect_file(path)
    if first_bytes(path).startswith(CHECKPOINT_SEAL):
        raise FormatError(
            f"'{path}' is a checkpoint, which holds the state of a run and no results; `heddle info` describes it, and the rows "
            "until then are in the .part beside it"
        )
    how = survives(lambda: read_texts(open_in_some_way(path)))
    if how is not None:
        raise FormatError(f"'{path}' is damaged: reading its texts {how}; take a copy that is whole, or run again")
    return open_in_some_way(path)


def expect_file(path):
    """Raises OSError, with what to try, for what is no file of bytes."""
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        raise type(error)(error.errno, why_no_file(path, error), path) from None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder; give the name of a result file", path)
    if not stat.S_ISREG(mode):
        kind = "a pipe" if stat.S_ISFIFO(mode) else "no ordinary file"
        raise OSError(errno.EINVAL, f"it is {kind}; write what comes out of it to a file, and give that", path)


def why_no_file(path, error):
    if error.errno == errno.ELOOP:
        return "its symbolic links lead in a circle; mend them"
    if error.errno == errno.EACCES:
        return "a folder on the way to it may not be entered; check the permissions of the folders that lead to it"
    if os.path.islink(path):
        return f"it is a symbolic link to '{os.readlink(path)}', which is not there; mend the link"
    if os.path.exists(path + ".part"):
        return "no such file (there is a .part: the run was killed or still goes on)"
    return "no such file; check the name"


def first_bytes(path):
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except PermissionError as error:
        raise PermissionError(error.errno, "it may not be read; check the permissions of the file", path) from None
    try:
        return os.read(descriptor, len(CHECKPOINT_SEAL))
    finally:
        os.close(descriptor)


def open_in_some_way(path):
    problems = []
    for way in WAYS:
        try:
            return h5py.File(path, "r", **way)
        except (OSError, RuntimeError) as error:
            problems.append(reason_of(error))
    if all(any(sign in problem for sign in OTHER_WAY) for problem in problems):
        raise OSError(
            f"'{path}' is open in this process already, in a way that HDF5 joins with no other ({problems[0]}); close it there, "
            "or open it there with h5py.File(path, 'r')"
        )
    raise FormatError(f"'{path}' cannot be read as HDF5, so it is no result of heddle, or it is damaged: {problems[-1]}")


def reason_of(error):
    """HDF5's innermost reason, without addresses of memory."""
    text = str(error)
    system = re.search(r"error message = '([^']*)'", text)
    inner = re.search(r"\((.*)\)", text, re.DOTALL)
    return system.group(1) if system else inner.group(1) if inner else text


def read_texts(file):
    """All texts that the reader may read later."""
    dict(file.attrs)

    def read(_, item):
        for name in ("units", "long_name", "flag_meanings", "lacks"):
            item.attrs.get(name)

    file.visititems(read)
