"""Heddle from Python: simulations, sweeps, and results as tables.

    import heddle

    run = heddle.run("configs/incast.toml", "incast.h5", {"dcqcn.enabled": True})
    run = heddle.open("incast.h5")   # also "incast.h5.part" of a run that was killed or still goes on
    run.messages()                   # pandas.DataFrame, units in .attrs["units"]

    many = heddle.sweep("configs/incast.toml", {"dcqcn.enabled": [True, False], "simulation.seed": range(1, 6)}, "many")
    many = heddle.Results("many")    # hundreds of files, joined by their axes
    many.messages()                  # one DataFrame

    heddle.step.step("configs/training.toml", "step")  # how long a training step of thousands of GPUs is, by its parts

What a result offers stands in heddle.results.Run, configurations in heddle.config. io/python/README.md shows more.
"""

from heddle import config, step
from heddle.collection import LeftOut, Results
from heddle.config import Config
from heddle.program import ConfigError, ProgramError, find_program
from heddle.results import FormatError, Run, open, percentile, to_frame, to_xarray
from heddle.running import NotComplete, run
from heddle.sweeping import run_folder, submit, sweep, wait_for

__version__ = "0.1.0"  # that of pyproject.toml and of the program

__all__ = [
    "Config",
    "ConfigError",
    "FormatError",
    "LeftOut",
    "NotComplete",
    "ProgramError",
    "Results",
    "Run",
    "config",
    "find_program",
    "open",
    "percentile",
    "run",
    "run_folder",
    "step",
    "submit",
    "sweep",
    "to_frame",
    "to_xarray",
    "wait_for",
]
