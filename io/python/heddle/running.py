"""heddle.run(): a simulation from Python."""

from __future__ import annotations

import contextlib
import os
import pathlib
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from heddle.config import NAME, Config, ConfigSource, pairs_of, set_text
from heddle.program import NOT_COMPLETE, ProgramError, error_of, find_program, simulate
from heddle.results import Run
from heddle.results import open as open_result


class NotComplete(UserWarning):
    """A run stalled, deadlocked, lost a queue pair, was interrupted or filled its file: its result is there, and says so."""


def run(
    config: ConfigSource,
    output: str | os.PathLike[str] | None = None,
    changes: Mapping[str, Any] | None = None,
    *,
    force: bool = False,
    resume: bool = False,
    threads: int | None = None,
    device: str | None = None,
    memory: str | None = None,
    launcher: Sequence[str] = (),
    quiet: bool = True,
    program: str | os.PathLike[str] | None = None,
) -> Run:
    """Runs a simulation to its end and returns its opened result.

    config    path of a configuration, a nested dict, or a heddle.config.Config
    output    the result file; without it, of a path, its name with .h5 in the current folder
    changes   dotted key -> value, laid over it: {"dcqcn.enabled": True, "link.host_rate": "200 Gb/s"}
    force     overwrite an existing result
    resume    resume from a checkpoint where there is one; leave the result alone when it is there and came to its end
    threads, device ("auto", "cpu", "gpu"), memory ("6GiB")   as `heddle run` takes them
    launcher  words before the program: ["mpirun", "-n", "4"]
    quiet     False: say how far it is, on standard error
    program   which program; default: $HEDDLE, PATH, then the checkout's build/cpu/bin/heddle

    Raises ConfigError (bad configuration, input or output: nothing was written) and ProgramError with the program's own message,
    and FileNotFoundError when there is no program. A run that did not complete (exit code 3) is a result, too: it is returned with
    the warning NotComplete, and run.attrs["status"] says which it is.
    """
    if isinstance(launcher, str):
        raise TypeError(f"launcher={launcher!r} is one text; give its words: {launcher.split()}")
    words = [*launcher, find_program(program), "run"]
    options: list[str] = []
    for flag, given in (("--force", force), ("--quiet", quiet)):
        options += [flag] if given else []
    for name, value in (
        ("--resume", "auto" if resume else None),
        ("--threads", threads),
        ("--device", device),
        ("--memory", memory),
    ):
        options += [] if value is None else [name, str(value)]
    with _as_path(config, changes) as (path, sets):
        target = pathlib.Path(output) if output is not None else _default_output(config)
        return _simulated([*words, path, *sets, "-o", os.fspath(target), *options], target, quiet)


def _simulated(command: list[str], target: pathlib.Path, quiet: bool) -> Run:
    exit_code, said = simulate(command, quiet)
    if exit_code not in (0, NOT_COMPLETE):
        raise error_of(exit_code, said, command)
    result = open_result(target)
    if exit_code == NOT_COMPLETE:
        warnings.warn(f"{target}: {result.attrs['status']}: {result.attrs['explanation']}", NotComplete, stacklevel=3)
    return result


@contextlib.contextmanager
def _as_path(config: ConfigSource, changes: Mapping[str, Any] | None):
    """(path, --set arguments): a file is used as it is, so that the result says what was run, and messages name its lines."""
    if isinstance(config, (str, os.PathLike)):
        yield os.fspath(config), sets_of(changes)
        return
    with Config(config, changes).as_file() as path:
        try:
            yield path, []
        except ProgramError as error:
            raise type(error)(str(error).replace(path, NAME), error.exit_code, error.command) from None


def sets_of(changes: Mapping[str, Any] | None) -> list[str]:
    """--set arguments for the command line."""
    return [word for key, value in pairs_of(changes) for word in ("--set", f"{key}={set_text(value)}")]


def _default_output(config: ConfigSource) -> pathlib.Path:
    if isinstance(config, (str, os.PathLike)):
        return pathlib.Path(f"{pathlib.Path(config).stem}.h5")
    raise TypeError("this configuration has no file, so its result has no name; say where it is to go: output='run.h5'")
