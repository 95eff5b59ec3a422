"""Damage that HDF5 does not survive, found in a process of its own.

Texts lie in heaps of the file without checksums: one flipped bit there makes HDF5 loop for ever, or crash.
"""

from __future__ import annotations

import faulthandler
import os
import resource
import select
import signal
import sys
import warnings
from collections.abc import Callable

MOST_CPU_S = 1
MOST_WALL_S = 60  # it sleeps: that says nothing about the file


def survives(read: Callable[[], object], files: int = 1) -> str | None:
    """None when a process that calls `read` (of so many files) comes to its end, else how it ended. Exceptions of `read` do not count.

    None also where no second process can be had, and under MPI, whose network cards write into the memory of this one.
    """
    if "mpi4py.MPI" in sys.modules:
        return None
    from_child, to_parent = os.pipe()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # other threads: the child uses nothing of theirs
            process = os.fork()
    except OSError:
        os.close(from_child)
        os.close(to_parent)
        return None
    if process == 0:
        _try_and_tell(read, to_parent, files)
    os.close(to_parent)
    ready, _, _ = select.select([from_child], [], [], MOST_WALL_S)
    survived = not ready or os.read(from_child, 1) == b"1"
    os.close(from_child)
    if not ready:
        os.kill(process, signal.SIGKILL)
    number = _signal_that_ended(process)
    if survived:
        return None
    if number == signal.SIGXCPU:
        return f"is not done within {MOST_CPU_S} s"
    return "makes HDF5 crash" + (f" ({signal.strsignal(number)})" if number else "")


def _try_and_tell(read: Callable[[], object], to_parent: int, files: int) -> None:
    try:
        faulthandler.disable()
        for number in (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGABRT, signal.SIGXCPU):
            signal.signal(number, signal.SIG_DFL)
        most_cpu_s = MOST_CPU_S + files // 4  # what one of many needs is a hundredth
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (most_cpu_s, most_cpu_s + 1))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        read()
    except BaseException:  # said by who reads it next
        pass
    os.write(to_parent, b"1")
    os._exit(0)


def _signal_that_ended(process: int) -> int:
    try:
        return max(0, -os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
    except ChildProcessError:  # SIGCHLD is ignored here
        return 0
