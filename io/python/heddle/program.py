"""The program `heddle`: where it is, and what it says when it refuses."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence

BAD_INPUT = 2  # host/cli/exit_codes.hpp
NOT_COMPLETE = 3


class ProgramError(RuntimeError):
    """The program ended with an error. str() is its own message; `exit_code` what host/cli/README.md lists, `command` its words."""

    def __init__(self, message: str, exit_code: int, command: Sequence[str]):
        super().__init__(message)
        self.exit_code = exit_code
        self.command = list(command)


class ConfigError(ProgramError, ValueError):
    """The program refuses a configuration, an input file or an argument: nothing was written."""


def find_program(program: str | os.PathLike[str] | None = None) -> str:
    """The path of the program: `program`, else $HEDDLE, else the one that this package was installed with, else `heddle` in PATH,
    else build/cpu/bin/heddle of the checkout.

    The checkout is the one that this package lies in, or the current folder. Raises FileNotFoundError that says where it was looked
    for.
    """
    installed = os.path.join(prefix(), "bin", "heddle") if prefix() else ""
    for name, said_by in ((program, "program="), (os.environ.get("HEDDLE"), "$HEDDLE")):
        if name:
            found = shutil.which(os.fspath(name))
            if found is None:
                raise FileNotFoundError(
                    f"{said_by}{': ' if said_by[0] == '$' else ''}'{os.fspath(name)}' is no program that can be started; "
                    "./bootstrap.sh build makes build/cpu/bin/heddle"
                )
            return os.path.abspath(found)
    built = [os.path.join(folder, "build", "cpu", "bin", "heddle") for folder in checkouts()]
    for name in (installed, "heddle", *built):
        found = shutil.which(name) if name else None
        if found is not None:
            return os.path.abspath(found)
    raise FileNotFoundError(
        f"the program heddle is neither in PATH nor {' nor '.join(built)}; build it (./bootstrap.sh build), and name it by "
        "program='...' or in the environment's HEDDLE"
    )


def prefix() -> str:
    """Where this package was installed with the program (PREFIX/share/heddle/python); "": it lies elsewhere."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    place = os.path.join("share", "heddle", "python")
    return folder[: -len(place)].rstrip(os.sep) if folder.endswith(os.sep + place) else ""


def checkouts() -> list[str]:
    """Folders that may be a checkout: that of this package, and the current one."""
    own = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    return list(dict.fromkeys([own, os.getcwd()]))


def call(arguments: Sequence[str], program: str | os.PathLike[str] | None = None, cwd: str | None = None) -> str:
    """What the program prints on standard output. Raises ConfigError and ProgramError with its message."""
    command = [find_program(program), *arguments]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", cwd=cwd, check=False)
    if done.returncode != 0:
        raise error_of(done.returncode, done.stderr, command)
    return done.stdout


def simulate(command: Sequence[str], quiet: bool) -> tuple[int, str]:
    """Runs `command` to its end: (exit code, what it said on standard error). Unless `quiet`, everything is also said here.

    Ctrl-C here asks the program to stop, which saves what it can, and is raised when it has; a second one ends it at once.
    """
    if shutil.which(command[0]) is None:
        raise FileNotFoundError(f"'{command[0]}' is no program that can be started, so nothing was run; check its name and PATH")
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        process_group=0,
    )
    said: dict[str, list[str]] = {"out": [], "err": []}
    readers = [
        threading.Thread(target=_pass_on, args=(process.stdout, said["out"], None if quiet else sys.stdout)),
        threading.Thread(target=_pass_on, args=(process.stderr, said["err"], None if quiet else sys.stderr)),
    ]
    for reader in readers:
        reader.start()
    interrupted = False
    while process.poll() is None:
        try:
            process.wait()
        except KeyboardInterrupt:  # the first and, if need be, the second one
            interrupted = True
            process.send_signal(signal.SIGINT)
    for reader in readers:
        reader.join()
    if interrupted:
        raise KeyboardInterrupt(message_in("".join(said["err"])))
    return process.returncode, "".join(said["err"])


def error_of(exit_code: int, said: str, command: Sequence[str]) -> ProgramError:
    """The exception for an exit code, with the message among what was said."""
    message = message_in(said)
    if exit_code < 0:
        message = f"heddle was killed by signal {-exit_code} ({signal.strsignal(-exit_code)}){'; ' + message if message else ''}"
    kind = ConfigError if exit_code == BAD_INPUT else ProgramError
    return kind(message or f"heddle ended with exit code {exit_code} and said nothing", exit_code, command)


def message_in(said: str) -> str:
    """From the last line that begins an error on, without that word; else all."""
    lines = said.strip().splitlines()
    first = max((number for number, line in enumerate(lines) if line.startswith("error: ")), default=None)
    return "\n".join(lines if first is None else lines[first:]).removeprefix("error: ")


def _pass_on(stream, kept: list[str], to) -> None:
    for line in stream:
        kept.append(line)
        if to is None:
            continue
        try:
            to.write(line)
            to.flush()
        except BrokenPipeError:  # nobody reads on, as behind `| head`; the program is not to wait for that
            to = None
    stream.close()
