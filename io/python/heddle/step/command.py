"""heddle step CONFIG -o FOLDER"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import shlex
import sys
import tomllib
from typing import Any

from heddle.step.estimate import Steps
from heddle.step.failures.failing import NotMet
from heddle.step.failures.month import Interruptions
from heddle.step.quoting import H100_W, Rates

HOW = ("jobs", "threads", "memory", "device")  # options that `heddle sweep --run` has, too

PART_OF = "HEDDLE_PART_OF"  # as host/cli/sweep/run.cpp reads it

INTERRUPTIONS = {  # fields of heddle.step.Interruptions
    "failures_per_month": "failures of the job in 30 days; Llama 3's per GPU (35 in 54 days on 16,384 GPUs) when not given",
    "repair_hours": "how long a failure without until lasts, for the cost of a month",
    "restart_minutes": "from the end of a job until it computes again, for the cost of a month",
    "checkpoint_minutes": "from one checkpoint to the next, for the same",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `heddle step` takes."""
    parser.add_argument("config", metavar="CONFIG", help="a configuration (TOML) whose one job trains ([job.training])")
    parser.add_argument("-o", "--output", metavar="FOLDER", help="where the parts go; CONFIG's name with _step when not given")
    parser.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help="laid over the file; may be repeated")
    parser.add_argument(
        "--axis", metavar="KEY=VALUES", action="append", default=[], help="variants, as `heddle sweep` takes them; may be repeated"
    )
    parser.add_argument("--plan", action="store_true", help="only say what would be simulated, and what that costs")
    parser.add_argument("--json", action="store_true", help="print what step.json holds, not a table")
    parser.add_argument("--jobs", metavar="N", type=int, help="parts at a time; as cores and memory allow when not given")
    parser.add_argument(
        "--threads", metavar="N", type=int, help="of each part; as `heddle sweep` takes it, and so are the next two"
    )
    parser.add_argument("--memory", metavar="SIZE", help="what each part may use: 6GiB")
    parser.add_argument("--device", choices=("auto", "cpu", "gpu"), help="where parts run")
    parser.add_argument(
        "--peak-tflops", metavar="N", type=float, help="of a GPU, for MFU; as configured, or an H100's 989.5, when not given"
    )
    parser.add_argument(
        "--watts", metavar="N", type=float, default=H100_W, help="of a GPU, for the energy (%(default)g: an H100 SXM's)"
    )
    parser.add_argument("--price", metavar="N", type=float, help="of a GPU-hour; without it no cost is said")
    parser.add_argument(
        "--failure",
        metavar="TABLE",
        action="append",
        default=[],
        help="a failure in a layer's collective, by the keys of [[failure]]; at and until count from the beginning of that collective: "
        '\'node = "ctsw3", at = "1 ms"\'; may be repeated, for several failures one by one',
    )
    for name, text in INTERRUPTIONS.items():
        parser.add_argument(f"--{name.replace('_', '-')}", metavar="N", type=float, help=text)
    parser.add_argument(
        "--slurm", action="store_true", help="run the parts as job arrays; sbatch takes its options from SBATCH_..."
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="do not say how far parts are")
    parser.epilog = (
        "One layer of one stage (three of the only one) and the pipeline of one replica are simulated instead of everything, and the step "
        "comes with an interval. The same command resumes where it was stopped. io/python/heddle/step/README.md says how far off it is."
    )


def main(options: argparse.Namespace) -> int:
    """Returns the exit code. Errors are raised, and said by heddle.__main__."""
    from heddle.step import plan, steps

    for name in ("jobs", "threads"):
        if getattr(options, name) is not None and getattr(options, name) < 1:
            raise ValueError(f"--{name} {getattr(options, name)}: give at least 1")
    folder = options.output or f"{pathlib.Path(options.config).stem}_step"
    changes = dict(_pair(word) for word in options.set)
    if options.plan and options.json:
        raise ValueError("--plan --json: a plan is text; leave out one of them")
    axes = _axes(options.axis)
    rates = Rates(options.peak_tflops, options.watts, options.price)
    if options.plan:
        print(plan(options.config, axes, changes, failures=options.failure))
        return 0
    interruptions = Interruptions(**{name: getattr(options, name) for name in INTERRUPTIONS})
    where, how = "slurm" if options.slurm else "local", {name: getattr(options, name) for name in HOW}
    failing = {"failures": options.failure, "interruptions": interruptions}
    os.environ[PART_OF] = shlex.join(["heddle", *sys.argv[1:]])  # what sweeps of parts say when they are stopped

    def say(found: Steps) -> None:
        print(json.dumps(found.as_json(), indent=2) if options.json else f"{found}\nparts      {folder}")

    try:
        say(steps(options.config, axes, folder, changes, where=where, rates=rates, quiet=options.quiet, **failing, **how))
    except NotMet as error:
        say(error.steps)
        raise
    return 0


def _axes(words: list[str]) -> dict[str, str]:
    axes: dict[str, str] = {}
    for word in words:
        key, equals, values = word.partition("=")
        if not equals or not key:
            raise ValueError(f"--axis {word}: write KEY=VALUE,VALUE,..., as --axis dcqcn.enabled=false,true")
        if key in axes:
            raise ValueError(f"--axis {word}: there are two axes of {key}; give all values in one")
        axes[key] = values
    return axes


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
