"""heddle.sweep(): many what-ifs, written and run by the program's own `sweep`, here or on a cluster."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Union

from heddle.collection import LeftOut, Results
from heddle.config import ConfigSource, set_text
from heddle.folder import entries_of
from heddle.program import NOT_COMPLETE, ProgramError, call, checkouts, error_of, find_program, simulate
from heddle.running import _as_path

Axes = Mapping[Union[str, tuple[str, ...]], Union[str, Sequence[Any]]]
ENDED = {"COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", "NODE_FAIL", "OUT_OF_MEMORY", "DEADLINE", "BOOT_FAIL"}
SUBMITTED = "slurm_job"  # in the folder of a sweep: the number of its last array


def sweep(
    config: ConfigSource,
    axes: Axes,
    folder: str | os.PathLike[str],
    changes: Mapping[str, Any] | None = None,
    *,
    where: Literal["local", "slurm"] | None = "local",
    jobs: int | None = None,
    threads: int | None = None,
    memory: str | None = None,
    device: str | None = None,
    slurm: Mapping[str, Any] | None = None,
    wait: bool = True,
    force: bool = False,
    quiet: bool = True,
    program: str | os.PathLike[str] | None = None,
) -> Results:
    """A run for every combination of values, in a folder as `heddle sweep` writes it (host/cli/SWEEPS.md), and their Results.

        heddle.sweep("configs/incast.toml", {"dcqcn.enabled": [True, False], "simulation.seed": range(1, 6)}, "many")

    axes     key -> values, or a text as --axis takes it ("1..5", "0.1..0.5:0.1"). Several keys that change together are a tuple,
             and each value then a tuple, too: {("link.host_rate", "link.rtsw_ctsw_rate"): [("400 Gb/s", "400 Gb/s"), ...]}; the
             last axis is the fastest
    changes  dotted key -> value, the same in every run
    where    "local": on this machine, `jobs` at a time (default: as cores and memory allow); "slurm": as a job array (submit());
             None: only write the configurations
    slurm    options of sbatch for "slurm": {"partition": "long", "time": "2:00:00"}
    wait     for "slurm": come back when all tasks have ended, else at once
    force    write into a folder that is there; results of other runs in it are refused

    Raises ConfigError and ProgramError with the program's own message. Runs that fail do not: they are missing in the Results,
    with a warning that says why. Ctrl-C saves what runs; run_folder() resumes it.
    """
    check_where(where)
    with _as_path(config, changes) as (path, sets):
        words = ["sweep", path, *axis_arguments(axes), *sets, "-o", os.fspath(folder), *(["--force"] if force else [])]
        call(words, program)
    how = {"jobs": jobs, "threads": threads, "memory": memory, "device": device, "quiet": quiet}
    return carry_out(folder, where, slurm=slurm, wait=wait, program=program, **how)


def check_where(where: str | None) -> None:
    """Raises ValueError for a place where nothing runs."""
    if where not in ("local", "slurm", None):
        raise ValueError(f"where={where!r}: a sweep runs 'local', on 'slurm', or not at all (None); nothing was written")


def carry_out(
    folder: str | os.PathLike[str],
    where: Literal["local", "slurm"] | None,
    *,
    slurm: Mapping[str, Any] | None = None,
    wait: bool = True,
    program: str | os.PathLike[str] | None = None,
    **how: Any,
) -> Results:
    """Runs what is missing of a sweep that is written already: `how` as run_folder() takes it, all else as sweep() does. An array that
    an interrupted call has submitted is waited for first."""
    if where == "local":
        return run_folder(folder, program=program, **how)
    note = pathlib.Path(folder) / SUBMITTED
    if where == "slurm" and wait and note.exists():
        wait_for(note.read_text("utf-8"))
    if where == "slurm" and _without_result(folder):
        job = submit(folder, slurm, program=program)
        note.write_text(job, "utf-8")
        if wait:
            wait_for(job)
    return Results(folder)


def run_folder(
    folder: str | os.PathLike[str],
    *,
    jobs: int | None = None,
    threads: int | None = None,
    memory: str | None = None,
    device: str | None = None,
    quiet: bool = True,
    program: str | os.PathLike[str] | None = None,
) -> Results:
    """Runs a sweep that is written already, on this machine: leaves alone what has ended, resumes what was begun."""
    command = [find_program(program), "sweep", os.fspath(folder), "--run"]
    for name, value in (("--jobs", jobs), ("--threads", threads), ("--memory", memory), ("--device", device)):
        command += [] if value is None else [name, str(value)]
    exit_code, said = simulate(command, quiet)
    if exit_code == NOT_COMPLETE:
        warnings.warn(said.strip(), LeftOut, stacklevel=2)
    elif exit_code != 0:
        raise error_of(exit_code, said, command)
    return Results(folder)


def submit(
    folder: str | os.PathLike[str], options: Mapping[str, Any] | None = None, program: str | os.PathLike[str] | None = None
) -> str:
    """Submits a sweep that is written already as a job array of Slurm (slurm/sweep.sbatch) and returns the number of the job.

    Only runs without a result are submitted. `options` are those of sbatch, without dashes; logs are FOLDER/slurm_JOB_TASK.log
    unless they say otherwise. The scripts are those of the checkout: $HEDDLE_HOME, that of this package, or the current folder.
    Raises FileNotFoundError without Slurm or a checkout, ValueError when every run has a result, and ProgramError with sbatch's
    message.
    """
    home, place = _home(), pathlib.Path(folder).resolve()
    missing = _without_result(place)
    if not missing:
        raise ValueError(f"every run of '{place}' has a result, so there is nothing to submit")
    tasks = ",".join(map(str, missing)) if len(missing) < len(entries_of(place)[0]) else f"0-{len(missing) - 1}"
    given = {"output": str(place / "slurm_%A_%a.log"), **(options or {})}
    words = [f"--{name.replace('_', '-')}" + ("" if value is True else f"={value}") for name, value in given.items()]
    command = ["sbatch", "--parsable", f"--array={tasks}", *words, str(home / "slurm" / "sweep.sbatch"), str(place)]
    environment = {**os.environ, "HEDDLE_HOME": str(home)}
    if program is not None or "HEDDLE" in os.environ:
        environment["HEDDLE_PROGRAM"] = find_program(program)
    return _slurm(command, environment).strip().split(";")[0]


def _without_result(folder: str | os.PathLike[str]) -> list[int]:
    return [number for number, entry in enumerate(entries_of(folder)[0]) if entry.state != "ended"]


def wait_for(job: str, poll_s: float = 5) -> None:
    """Returns when no task of this Slurm job waits or runs any more."""
    while True:
        try:
            states = _slurm(["squeue", "--noheader", "--array", "--states=all", "--format=%T", f"--jobs={job}"]).split()
        except ProgramError as error:
            if "Invalid job id" in str(error):  # Slurm has forgotten it
                return
            raise
        if set(states) <= ENDED:
            return
        time.sleep(poll_s)


def axis_arguments(axes: Axes) -> list[str]:
    """--axis arguments for the command line. Raises ValueError for an axis without values."""
    if not isinstance(axes, Mapping) or not axes:
        raise ValueError(f'axes={axes!r} are none; give a dict of keys with their values, as {{"simulation.seed": range(1, 6)}}')
    words = []
    for keys, values in axes.items():
        if not isinstance(values, str) and (not isinstance(values, Iterable) or isinstance(values, (bytes, Mapping))):
            raise ValueError(f"the axis {keys} has {values!r}, which is no list of values; give one, as [{values!r}]")
        if isinstance(keys, tuple):
            texts = values if isinstance(values, str) else ",".join(_together(keys, value) for value in values)
        else:
            texts = values if isinstance(values, str) else ",".join(set_text(value) for value in values)
        if not texts:
            raise ValueError(f"the axis {keys} has no values, so there is nothing to run; give some, or leave it out")
        words += ["--axis", f"{'+'.join(keys) if isinstance(keys, tuple) else keys}={texts}"]
    return words


def _together(keys: tuple[str, ...], value: Any) -> str:
    """One value for all keys, or one for each."""
    if isinstance(value, (tuple, list)):
        if len(value) != len(keys):
            raise ValueError(f"{value!r} has {len(value)} values for the {len(keys)} keys {', '.join(keys)}; give one for each")
        return ":".join(set_text(one) for one in value)
    return set_text(value)


def _home() -> pathlib.Path:
    places = [os.environ["HEDDLE_HOME"]] if "HEDDLE_HOME" in os.environ else checkouts()
    for place in places:
        if (pathlib.Path(place) / "slurm" / "sweep.sbatch").is_file():
            return pathlib.Path(place)
    raise FileNotFoundError(
        f"slurm/sweep.sbatch is not in {' nor in '.join(places)}; set HEDDLE_HOME to a checkout of heddle that all nodes see"
    )


def _slurm(command: list[str], environment: Mapping[str, str] | None = None) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    except FileNotFoundError:
        raise FileNotFoundError(
            f"there is no {command[0]} here, so this is no machine of a Slurm cluster; where='local' runs a sweep on it"
        ) from None
    if done.returncode != 0:
        said = done.stderr.strip() or f"it ended with exit code {done.returncode} and said nothing"
        if re.search("configuration source|contact", said):
            said += "\nso this is perhaps no machine of the cluster; where='local' runs a sweep here"
        raise ProgramError(f"{command[0]}: {said}", done.returncode, command)
    return done.stdout
