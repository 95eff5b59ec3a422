"""The variants of a step: one configuration with each combination of the axes' values."""

from __future__ import annotations

import contextlib
import functools
import pathlib
import re
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from heddle.config import Config, ConfigSource
from heddle.folder import entries_of
from heddle.program import ConfigError, call
from heddle.running import _as_path, sets_of
from heddle.step.job import NotInParts
from heddle.step.parts import Parts, parts_of
from heddle.sweeping import Axes, sweep

Program = str | pathlib.Path | None
Changes = Mapping[str, Any]


class Variant:
    """A configuration with changes, which all variants share, and what axes.csv says of this one."""

    def __init__(self, config: ConfigSource, changes: Changes, axes: Mapping[str, str], program: Program = None):
        self.config, self.changes, self.axes, self.program = config, dict(changes), dict(axes), program
        with self.named(), _as_path(config, changes) as (path, sets):
            texts = [word for key, text in axes.items() for word in ("--set", f"{key}={text}")]
            self.resolved = Config(tomllib.loads(call(["config", path, *sets, *texts], program)))
        self.values = {key: self.resolved[key] for key in axes}

    @property
    def name(self) -> str:
        """ "dcqcn.enabled=true simulation.seed=2"; "": there are no axes."""
        return " ".join(f"{key}={text}" for key, text in self.axes.items())

    @functools.cached_property
    def parts(self) -> Parts:
        """Raises NotInParts."""
        with self.named():
            return parts_of(self.resolved.tree)

    def part(self, more: Changes) -> Config:
        """A part of it, which differs in `more`, with every default. Raises ConfigError."""
        return Config(tomllib.loads(self.said("config", more)))

    def said(self, command: str, more: Changes) -> str:
        """What the program prints about a part."""
        with self.only_typed(bool(more)), self.named(), _as_path(self.config, {**self.changes, **self.values, **more}) as (
            path,
            sets,
        ):
            return call([command, path, *sets], self.program)

    @contextlib.contextmanager
    def named(self) -> Iterator[None]:
        """Messages say of which of several variants they are."""
        try:
            yield
        except NotInParts as error:
            raise type(error)(f"{self.name}: {error}" if self.axes else str(error)) from None
        except ConfigError as error:
            raise ConfigError(f"{self.name}: {error}" if self.axes else str(error), error.exit_code, error.command) from None

    @contextlib.contextmanager
    def only_typed(self, of_part: bool) -> Iterator[None]:
        """A message about a part of the step says that it is, and lists no --set that nobody has typed."""
        try:
            yield
        except ConfigError as error:
            if not of_part:
                raise
            typed = " ".join(sets_of(self.changes))
            said = re.sub(r"\n\(with --set .*\)$", f"\n(with {typed})" if typed else "", str(error), flags=re.DOTALL)
            raise ConfigError(f"a part of the step cannot be simulated: {said}", error.exit_code, error.command) from None


def variants_of(config: ConfigSource, axes: Axes | None, changes: Changes | None, program: Program = None) -> list[Variant]:
    """Of no axes one. Raises ConfigError for axes and values that `heddle sweep` refuses, in its words."""
    typed = dict(changes or {})
    if not axes:
        return [Variant(config, typed, {}, program)]
    with tempfile.TemporaryDirectory(prefix="heddle_") as room:
        folder = pathlib.Path(room) / "variants"
        sweep(config, axes, folder, typed, where=None, program=program)
        return [Variant(config, typed, entry.axes, program) for entry in entries_of(folder)[0]]
