"""Configurations: built from files, dicts and dotted keys, checked by the program itself, written as TOML.

    from heddle.config import Config

    config = Config("configs/incast.toml")
    config["dcqcn.enabled"] = True
    config["generator.0.bytes"] = "4 MiB"
    print(config.check())             # what `heddle check` says; ConfigError with its message when it cannot be run
    config.write("incast_dcqcn.toml")

    heddle.config.parameters()        # DataFrame: every parameter with default, type, range, meaning, source
"""

from __future__ import annotations

import contextlib
import copy
import json
import os
import pathlib
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, Union

from heddle.output import open_output
from heddle.program import ConfigError, ProgramError, call
from heddle.reference import parameters
from heddle.results.errors import os_error

__all__ = ["Config", "ConfigError", "parameters"]

# Names of files that a configuration reads: relative to it, so they are written anew for another folder. `*` is any number.
INPUT_FILES = (
    "topology.file",
    "routing.paths_file",
    "routing.weights_file",
    "routing.demands_file",
    "workload.flow_file",
    "generator.*.size_cdf",
    "job.*.trace.file",
    "job.*.trace.groups_file",
    "job.*.collective.*.matrix_file",
)
NAME = "configuration"  # of one that has no file, in messages


class Config:
    """A configuration in memory: what is set, without defaults.

    `source` is the path of a TOML file, a nested dict ({"job": [{"gpus": 64}]}), or another Config; `changes` are laid over it by
    dotted key, as --set does. Keys are as in `heddle config --reference`; those of lists have a number: "job.0.gpus". Values: bool,
    int, float, text with unit ("64 MiB"), list, dict. Nothing is checked before check(), write() or a run: the program does that.
    Raises OSError and ConfigError for a file that is none of TOML.
    """

    def __init__(self, source: ConfigSource | None = None, changes: Mapping[str, Any] | None = None):
        self._tree: dict[str, Any] = {}
        if isinstance(source, Config):
            self._tree = copy.deepcopy(source._tree)
        elif isinstance(source, Mapping):
            self._tree = {str(key): _plain(value) for key, value in source.items()}
        elif source is not None:
            self._tree = _read(os.fspath(source))
        self.update(changes or {})

    @property
    def tree(self) -> dict[str, Any]:
        """All that is set, as nested dicts and lists; a copy."""
        return copy.deepcopy(self._tree)

    def __getitem__(self, key: str) -> Any:
        """What is set for a dotted key. Raises KeyError for what is left at its default."""
        node: Any = self._tree
        for part in key.split("."):
            node = _child(node, part)
            if node is _NOTHING:
                raise KeyError(f"{key} is not set, so it has its default; heddle.config.parameters() lists them")
        return copy.deepcopy(node)

    def __setitem__(self, key: str, value: Any) -> None:
        """Sets a value; sections and the next element of a list are made as needed. Raises KeyError where that cannot be."""
        if not isinstance(key, str) or not all(key.split(".")):
            raise KeyError(f'{key!r} is no key of a configuration; give one with its section, as "job.0.gpus"')
        *way, last = key.split(".")
        node: Any = self._tree
        for part, after in zip(way, [*way[1:], last]):
            found = _child(node, part)
            if found is _NOTHING:
                found = [] if after.isdigit() else {}
                _put(node, part, found, key)
            node = found
        _put(node, last, _plain(value), key)

    def __delitem__(self, key: str) -> None:
        """Leaves a value, or a whole section, at its default. Raises KeyError when it is not set."""
        self[key]  # noqa: B018  (its message)
        way, _, last = key.rpartition(".")
        node: Any = self._tree
        for part in way.split(".") if way else ():
            node = _child(node, part)
        del node[int(last) if isinstance(node, list) else last]

    def __contains__(self, key: str) -> bool:
        try:
            self[key]
        except KeyError:
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        """All dotted keys that are set."""
        yield from _keys(self._tree, "")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Config) and self._tree == other._tree

    __hash__ = None  # type: ignore[assignment]

    def update(self, changes: Mapping[str, Any]) -> None:
        """Sets several dotted keys, in order."""
        for key, value in pairs_of(changes):
            self[key] = value

    def __str__(self) -> str:
        """As TOML."""
        return _toml(self._tree)

    def __repr__(self) -> str:
        return f"<heddle configuration, {sum(1 for _ in self)} values>"

    def write(
        self, path: str | os.PathLike[str], force: bool = False, program: str | os.PathLike[str] | None = None
    ) -> pathlib.Path:
        """Writes it as TOML, after the program has checked it. Names of input files become relative to the new place.

        Raises FileExistsError without `force`, ValueError over a result, OSError, and ConfigError when the program refuses it: then
        nothing is written.
        """
        target = pathlib.Path(path)
        self.resolved(program)
        text = _toml(self._with_inputs(lambda name: os.path.relpath(name, target.resolve().parent)))
        if not force and os.path.lexists(target):
            raise FileExistsError(f"'{target}' is there already; write(..., force=True) replaces it")
        with open_output(target) as file:
            file.write(text.encode())
        return target

    def check(self, program: str | os.PathLike[str] | None = None) -> str:
        """What `heddle check` says of it: sizes, memory, run time, headroom, warnings. Raises ConfigError with its message."""
        return self._call("check", program)

    def resolved(self, program: str | os.PathLike[str] | None = None) -> Config:
        """With every default filled in, by `heddle config`. Raises ConfigError with its message for what is wrong."""
        return Config(tomllib.loads(self._call("config", program)))

    def _call(self, command: str, program: str | os.PathLike[str] | None) -> str:
        with self.as_file() as path:
            try:
                return call([command, path], program).replace(path, NAME)
            except ProgramError as error:
                raise type(error)(str(error).replace(path, NAME), error.exit_code, error.command) from None

    @contextlib.contextmanager
    def as_file(self) -> Iterator[str]:
        """A file of it for a while: `with config.as_file() as path`. Names of input files in it are absolute."""
        text = _toml(self._with_inputs(os.path.abspath))
        with tempfile.TemporaryDirectory(prefix="heddle_") as folder:
            path = os.path.join(folder, f"{NAME}.toml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            yield path

    def _with_inputs(self, rewrite) -> dict[str, Any]:
        """The tree with the names of all input files rewritten."""
        result = Config(self)
        for key in self:
            if _is_input(key) and isinstance(self[key], str) and self[key]:
                result[key] = rewrite(self[key])
        return result._tree


ConfigSource = Union[str, "os.PathLike[str]", Mapping[str, Any], Config]


def pairs_of(changes: Mapping[str, Any] | None) -> list[tuple[str, Any]]:
    """Raises TypeError for changes that are no mapping."""
    if changes is not None and not isinstance(changes, Mapping):
        raise TypeError(f'changes are {changes!r}; give a dict of dotted keys with their values, as {{"dcqcn.enabled": True}}')
    return list((changes or {}).items())


def set_text(value: Any) -> str:
    """A value as --set and --axis take it: what is a plain word stays one, all else is TOML on one line."""
    value = _plain(value)
    if (
        isinstance(value, str)
        and value == value.strip()
        and value
        and ".." not in value
        and not set(value) & set("\"'\\[]{},:#=\n\t")
    ):
        try:
            tomllib.loads(f"value = {value}")
        except tomllib.TOMLDecodeError:
            return value  # the program takes what is no TOML for a text
    return _inline(value)


def _inline(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)  # TOML's basic strings have the same escapes
    if isinstance(value, list):
        return f"[{', '.join(map(_inline, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_inline(child)}" for key, child in value.items()) + "}"
    return repr(value)


def _toml(tree: dict[str, Any]) -> str:
    try:
        import tomli_w  # only who writes a configuration needs it
    except ImportError as error:
        raise ImportError(
            f"writing TOML needs tomli-w ({error}): ./bootstrap.sh deps installs it; by hand, on Debian: apt-get install "
            "python3-tomli-w (for /usr/bin/python3), elsewhere: pip install tomli-w"
        ) from error
    return tomli_w.dumps(tree)


def _read(path: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            tree = tomllib.load(file)
    except FileNotFoundError as error:
        raise os_error(FileNotFoundError, error.errno, path, "there is no such configuration; check the name") from None
    except IsADirectoryError as error:
        raise os_error(IsADirectoryError, error.errno, path, "it is a folder; give the name of a configuration (TOML)") from None
    except OSError as error:
        raise os_error(type(error), error.errno, path, f"this configuration cannot be read: {error.strerror}; check that") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not TOML, so it is no configuration: {error}; correct it there", 2, []) from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is no text, so it is no configuration (TOML); heddle.open() reads results", 2, []) from None
    base = os.path.dirname(os.path.abspath(path))
    config = Config(tree)
    return config._with_inputs(lambda name: os.path.join(base, name))


_NOTHING = object()


def _child(node: Any, part: str) -> Any:
    if isinstance(node, list):
        return node[int(part)] if part.isdigit() and int(part) < len(node) else _NOTHING
    return node.get(part, _NOTHING) if isinstance(node, dict) else _NOTHING


def _put(node: Any, part: str, value: Any, key: str) -> None:
    if isinstance(node, list):
        if not part.isdigit() or int(part) > len(node):
            have = f"has elements 0 to {len(node) - 1}" if node else "is empty"
            raise KeyError(f"{key}: the list before {part!r} {have}, so that is none of them; a new one has the number {len(node)}")
        node[int(part) : int(part) + 1] = [value]
    elif isinstance(node, dict):
        node[part] = value
    else:
        raise KeyError(f"{key}: what comes before {part!r} is a value, not a section")


def _keys(node: Any, path: str) -> Iterator[str]:
    if isinstance(node, dict) and node:
        for key, child in node.items():
            yield from _keys(child, f"{path}.{key}" if path else key)
    elif isinstance(node, list) and node and all(isinstance(child, dict) for child in node):
        for number, child in enumerate(node):
            yield from _keys(child, f"{path}.{number}")
    elif path:
        yield path


def _is_input(key: str) -> bool:
    parts = key.split(".")
    return any(
        len(parts) == len(wanted) and all(w in (part, "*") for part, w in zip(parts, wanted))
        for wanted in (name.split(".") for name in INPUT_FILES)
    )


def _plain(value: Any) -> Any:
    """Of the types that TOML has: numpy's numbers become Python's, paths become texts. Raises TypeError for all else."""
    if isinstance(value, Mapping):
        return {str(key): _plain(child) for key, child in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(child) for child in value]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "item"):  # of numpy
        return value.item()
    if isinstance(value, (str, bool, int, float)):
        return value
    raise TypeError(
        f'{value!r} cannot stand in a configuration; give a bool, a number, a text with its unit ("64 MiB"), a list or a dict'
    )
