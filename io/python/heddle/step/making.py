"""heddle.step.step(): writes the parts of a step as sweeps, runs them, and puts the step together."""

from __future__ import annotations

import contextlib
import filecmp
import json
import os
import pathlib
import re
import tempfile
import tomllib
import warnings
from collections.abc import Callable, Iterator, Mapping
from statistics import fmean
from typing import Any

from heddle.collection import LeftOut
from heddle.config import Config, ConfigSource
from heddle.folder import entries_of
from heddle.output import check_output, open_output
from heddle.output_kinds import STEP
from heddle.program import ConfigError, ProgramError, call
from heddle.results import Run
from heddle.results import open as open_result
from heddle.running import _as_path, sets_of
from heddle.step.estimate import Cost, Estimate, values_of
from heddle.step.job import NotInParts
from heddle.step.parts import ALONE, TOGETHER, TRAINING, Parts, parts_of
from heddle.step.reading import ESTIMATE, LAYER, PIPELINE, LayerTimes, layer_times, step_of
from heddle.sweeping import run_folder, sweep

Program = str | os.PathLike[str] | None
Changes = Mapping[str, Any]


def step(
    config: ConfigSource,
    folder: str | os.PathLike[str],
    changes: Changes | None = None,
    *,
    jobs: int | None = None,
    quiet: bool = True,
    program: Program = None,
) -> Estimate:
    """The training step of a configuration by its parts, which are runs in `folder`; step.json there holds what comes out.

    config   path of a configuration, a nested dict, or a heddle.config.Config
    changes  dotted key -> value, laid over it
    jobs     runs at a time (default: as cores and memory allow)
    quiet    False: say how far they are, on standard error

    Parts that are there already, of the same configuration, are not run again. Raises ConfigError for what is no configuration,
    NotInParts (a ConfigError) for a step that has no parts, FileExistsError for a folder of another step, and ProgramError for a part
    that does not complete.
    """
    whole = _Whole(config, dict(changes or {}), program)
    parts = whole.parts()
    packet_hops_of_whole = whole.packet_hops()
    if packet_hops_of_whole == 0:
        raise NotInParts(
            "no packet of this job leaves its servers, so nothing of it waits for the network; `heddle run` takes seconds"
        )
    said = pathlib.Path(folder) / ESTIMATE
    if said.exists():  # the same command resumes in its folder
        check_output(said, (), STEP, force=True)
    run = _Runs(whole, pathlib.Path(folder), jobs, quiet)
    layers_of_ring = parts.job.layers_of_stage if parts.job.stages == 1 else 1
    layers = {how: layer_times(found, layers_of_ring) for how, found in run.sweep(LAYER, parts.layer).items()}
    layers.setdefault(TOGETHER, layers[ALONE])  # of one stage
    # GPUs of a server have a ring each and meet after every layer. They wait for the slowest; not at all where rings take turns at that.
    given = {ALONE: _given(layers[ALONE], fmean), TOGETHER: _given(layers[TOGETHER], max)}
    pipelines = run.sweep(PIPELINE, {how: {**parts.pipeline, **times} for how, times in given.items()})
    steps = {how: step_of(found) for how, found in pipelines.items()}
    cost = Cost(run.packet_hops, packet_hops_of_whole, run.wall_s)
    found = Estimate(whole.resolved.tree, parts.job, values_of(parts.job, steps), layers, cost)
    with open_output(said, STEP, force=True) as file:
        file.write(json.dumps(found.as_json(), indent=2).encode() + b"\n")
    return found


def planned(config: ConfigSource, changes: Changes | None = None, program: Program = None) -> str:
    """What step() would simulate, and what that costs. Raises as it does."""
    whole = _Whole(config, dict(changes or {}), program)
    parts = whole.parts()
    job = parts.job
    any_time = {f"{TRAINING}.reduce": "1 ms", **({f"{TRAINING}.gather": "1 ms"} if job.fsdp else {})}
    lines = [f"{job.gpus:,} GPUs: {job.replicas} replicas of {job.stages} stages of {job.stage_gpus} GPUs"]
    of_stage = "a layer of one stage" if job.stages > 1 else f"{job.simulated_layers} layers"
    alone = f"{of_stage}, {job.gpus // job.stages:,} GPUs, alone"
    together = (
        f"the same on its part of the {'buffers' if job.far_stages else 'links'}, as when all stages communicate"
        if parts.divided
        else "a layer of every stage: links cannot be divided evenly among stages"
    )
    what = {
        alone: parts.layer[ALONE],
        together: parts.layer.get(TOGETHER),
        "the pipeline of one replica, twice": {**parts.pipeline, **any_time},
        "the whole step": {},
    }
    lines += [f"  {name}: {whole.said(changed)}" for name, changed in what.items() if changed is not None]
    return "\n".join(lines)


def packet_hops(config: ConfigSource, changes: Changes | None = None, program: Program = None) -> float:
    """What the whole step would take, as `heddle check` says. Raises ConfigError."""
    return _Whole(config, dict(changes or {}), program).packet_hops()


def _given(times: dict[str, LayerTimes], of: Callable[[tuple[int, ...]], float]) -> dict[str, str]:
    """As the pipeline of a replica takes it."""
    given = {}
    for kind, found in times.items():
        key = f"{TRAINING}.{'gather' if kind == 'all_gather' else 'reduce'}"
        time_ps, latency_ps = found.given(of)
        given |= {key: f"{time_ps} ps", f"{key}_latency": f"{latency_ps} ps"}
    return given


class _Whole:
    """The step that is asked for: a configuration with changes."""

    def __init__(self, config: ConfigSource, changes: dict[str, Any], program: Program):
        self.config, self.changes, self.program = config, changes, program
        self.resolved = Config(tomllib.loads(self._call("config", {})))

    def parts(self) -> Parts:
        return parts_of(self.resolved.tree)

    def value(self, key: str) -> Any:
        """None for what has no effect as it is configured."""
        return self.resolved[key] if key in self.resolved else None

    def packet_hops(self, more: Changes | None = None) -> float:
        """What a run of it would take, as `heddle check` says."""
        return self._hops_in(self._call("check", dict(more or {})))

    @staticmethod
    def _hops_in(said: str) -> float:
        found = re.search(r"^cost .* (?:about|at least) (\S+) packet-hops$", said, re.MULTILINE)
        if found is None:
            raise ProgramError(f"heddle check does not say how many packet-hops this is:\n{said}", 1, [])
        return float(found[1])

    def said(self, more: Changes) -> str:
        """What it takes, in the words of `heddle check`: packet-hops, and time on one core."""
        said = self._call("check", more)
        time = re.search(r"^run time +(.*?) on one core", said, re.MULTILINE)
        return f"{self._hops_in(said):.3g} packet-hops, {time[1] if time else 'time not known'} on a core"

    def _call(self, command: str, more: Changes) -> str:
        with self.only_typed(more), _as_path(self.config, {**self.changes, **more}) as (path, sets):
            return call([command, path, *sets], self.program)

    @contextlib.contextmanager
    def only_typed(self, more: Changes) -> Iterator[None]:
        """Of a message about a part of the step: says that it is, and lists no --set that nobody has typed."""
        try:
            yield
        except ConfigError as error:
            if not more:
                raise
            typed = " ".join(sets_of(self.changes))
            said = re.sub(r"\n\(with --set .*\)$", f"\n(with {typed})" if typed else "", str(error), flags=re.DOTALL)
            raise ConfigError(f"a part of the step cannot be simulated: {said}", error.exit_code, error.command) from None


class _Runs:
    """Sweeps in a folder; counts what they took."""

    def __init__(self, whole: _Whole, place: pathlib.Path, jobs: int | None, quiet: bool):
        self._whole, self._place, self._jobs, self._quiet = whole, place, jobs, quiet
        self.packet_hops, self.wall_s = 0, 0.0
        place.mkdir(parents=True, exist_ok=True)

    def sweep(self, name: str, points: dict[str, dict[str, Any]]) -> dict[str, Run]:
        """A run for every point, by its name; those with the same values have one."""
        whole, folder = self._whole, self._place / name
        keys = tuple(dict.fromkeys(key for changes in points.values() for key in changes))
        values = {how: tuple(changes.get(key, whole.value(key)) for key in keys) for how, changes in points.items()}
        different = list(dict.fromkeys(values.values()))
        axis, fixed = _axis_of(keys, different)
        changes = {key: value for key, value in {**whole.changes, **fixed}.items() if key not in next(iter(axis))}
        with tempfile.TemporaryDirectory(prefix=".heddle_", dir=self._place) as room:
            plan = pathlib.Path(room) / name
            with whole.only_typed(fixed or axis):
                sweep(whole.config, axis, plan, changes, where=None, program=whole.program)
            _put_in_place(plan, folder)
        with warnings.catch_warnings():
            warnings.simplefilter("error", LeftOut)
            try:
                run_folder(folder, jobs=self._jobs, quiet=self._quiet, program=whole.program)
            except LeftOut as left_out:
                raise ProgramError(f"a part of the step did not complete: {left_out}", 3, []) from None
        return {how: self._opened(entries_of(folder)[0][different.index(value)].result) for how, value in values.items()}

    def _opened(self, path: pathlib.Path) -> Run:
        run = open_result(path)
        if run.attrs["status"] != "complete":
            raise ProgramError(f"'{path}': a part of the step did not complete: {run.attrs['explanation']}", 3, [])
        self.packet_hops += int(run.attrs["packet_hops"])
        self.wall_s += float(run.perf["wall_s"])
        return run


def _axis_of(keys: tuple[str, ...], points: list[tuple]) -> tuple[dict[tuple[str, ...], list[tuple]], dict[str, Any]]:
    """The keys in which points differ with their values, as an axis of a sweep, and the other keys. One point has its first key as axis."""
    columns = dict(zip(keys, zip(*points)))
    varied = [key for key, column in columns.items() if len(set(column)) > 1] or [keys[0]]
    fixed = {key: column[0] for key, column in columns.items() if key not in varied}
    return {tuple(varied): list(zip(*(columns[key] for key in varied)))}, fixed


def _put_in_place(plan: pathlib.Path, folder: pathlib.Path) -> None:
    """What was planned becomes the folder; one that is there has to be the same, and resumes."""
    if not folder.exists():
        plan.rename(folder)
        return
    names = [path.name for path in plan.iterdir()]
    _, other, missing = filecmp.cmpfiles(plan, folder, names, shallow=False)
    if other or missing:
        raise FileExistsError(f"'{folder}' is of another step, or of another version of heddle; name another folder, or delete it")
