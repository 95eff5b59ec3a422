"""heddle step CONFIG -o FOLDER"""

from __future__ import annotations

import argparse
import json
import pathlib
import tomllib
from typing import Any


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `heddle step` takes."""
    parser.add_argument("config", metavar="CONFIG", help="a configuration (TOML) whose one job trains ([job.training])")
    parser.add_argument("-o", "--output", metavar="FOLDER", help="where the parts go; CONFIG's name with _step when not given")
    parser.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help="laid over the file; may be repeated")
    parser.add_argument("--plan", action="store_true", help="only say what would be simulated, and what that costs")
    parser.add_argument("--json", action="store_true", help="print what step.json holds, not a table")
    parser.add_argument("--jobs", metavar="N", type=int, help="parts at a time; as cores and memory allow when not given")
    parser.add_argument("-q", "--quiet", action="store_true", help="do not say how far parts are")
    parser.epilog = (
        "One layer of one stage (three of the only one) and the pipeline of one replica are simulated instead of everything, and the step "
        "comes with an interval. The same command resumes where it was stopped. io/python/heddle/step/README.md says how far off it is."
    )


def main(options: argparse.Namespace) -> int:
    """Returns the exit code. Errors are raised, and said by heddle.__main__."""
    from heddle.step import planned, step

    if options.jobs is not None and options.jobs < 1:
        raise ValueError(f"--jobs {options.jobs}: give at least 1")
    folder = options.output or f"{pathlib.Path(options.config).stem}_step"
    changes = dict(_pair(word) for word in options.set)
    if options.plan and options.json:
        raise ValueError("--plan --json: a plan is text; leave out one of them")
    if options.plan:
        print(planned(options.config, changes))
        return 0
    found = step(options.config, folder, changes, jobs=options.jobs, quiet=options.quiet)
    print(json.dumps(found.as_json(), indent=2) if options.json else f"{found}\nparts      {folder}")
    return 0


def _pair(word: str) -> tuple[str, Any]:
    """As the program takes it: a value that is no TOML is a text."""
    key, equals, text = word.partition("=")
    if not equals or not key:
        raise ValueError(f"--set {word}: write KEY=VALUE, as --set job.0.gpus=64")
    try:
        value = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return key, text
    plain = list(value) == ["value"] and isinstance(value["value"], (bool, int, float, str, list))
    return key, value["value"] if plain else text
