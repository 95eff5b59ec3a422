"""Damage that HDF5 does not survive, found in a process of its own.

Texts lie in heaps of the file without checksums: one flipped bit there makes HDF5 loop for ever, or crash. Where there are
checksums, and the file is one that its writer has not closed, HDF5 sleeps ever longer over a wrong one.
"""

from __future__ import annotations

import faulthandler
import os
import resource
import select
import signal
import sys
import time
import warnings
from collections.abc import Callable

MAX_CPU_S = 1
MAX_ASLEEP_S = 5  # of a good file HDF5 sleeps for milliseconds
MAX_WALL_S = 60  # it waits for a disk or for a core: that says nothing about the file


def survives(read: Callable[[], object], files: int = 1) -> str | None:
    """None when a process that calls `read` (of so many files) comes to its end, also by an exception; else how it ended.

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
    ended, asleep = _wait(process, from_child)
    survived = not (ended or asleep) or (ended and os.read(from_child, 1) == b"1")
    os.close(from_child)
    if not ended:
        os.kill(process, signal.SIGKILL)
    number = _signal_that_ended(process)
    if survived:
        return None
    if asleep:
        return f"sleeps for more than {MAX_ASLEEP_S} s, as HDF5 does over a wrong checksum"
    if number == signal.SIGXCPU:
        return f"is not done within {MAX_CPU_S} s"
    return "makes HDF5 crash" + (f" ({signal.strsignal(number)})" if number else "")


def _wait(process: int, from_child: int) -> tuple[bool, bool]:
    """(it came to its end, it sleeps); neither when it is still at work after all that time."""
    end_s = time.monotonic() + MAX_WALL_S
    while time.monotonic() < end_s:
        if select.select([from_child], [], [], MAX_ASLEEP_S)[0]:
            return True, False
        if _sleeps(process):
            return False, True
    return False, False


def _sleeps(process: int) -> bool:
    """Whether it does so now and some moments later: who waits for a disk (D) or for a core (R) does not."""
    for _ in range(3):
        try:
            with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
                if file.read().rpartition(")")[2].split()[0] != "S":
                    return False
        except OSError:  # no Linux: it is not known
            return False
        time.sleep(0.1)
    return True


def _try_and_tell(read: Callable[[], object], to_parent: int, files: int) -> None:
    try:
        faulthandler.disable()
        for number in (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGABRT, signal.SIGXCPU):
            signal.signal(number, signal.SIG_DFL)
        max_cpu_s = MAX_CPU_S + files // 4  # what one of many needs is a hundredth
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (max_cpu_s, max_cpu_s + 1))
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
