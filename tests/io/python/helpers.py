"""What tests of the Python package share: a folder of their own, commands run in this process, figures of results."""

import contextlib
import io
import pathlib
import shutil
import tempfile
import time
import unittest
from typing import NamedTuple

import heddle
import small_runs
from heddle.__main__ import main
from heddle.figures import FIGURES, Cell


class Said(NamedTuple):
    code: int
    out: str
    error: str


def said(*words):
    """What a command of heddle.__main__ says, and its exit code."""
    out, error = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
        code = main([str(word) for word in words])
    return Said(code, out.getvalue(), error.getvalue())


def wait_until(condition, seconds=60, every=0.1):
    """Until it is true, or the time is over: whoever waits asks for what has become of it."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(every)


def frame_of(name, result):
    """The table of a figure."""
    with heddle.open(result) as run:
        return FIGURES[name].data(run)


def drawing_of(name, *frames):
    """A figure of one table, or with a panel for each of several."""
    cells = [Cell(str(place) * (len(frames) > 1), [("", frame)]) for place, frame in enumerate(frames)]
    return FIGURES[name].draw(cells)


class InAFolder(unittest.TestCase):
    """`folder` goes with the test."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def sweep(self, name="sweep"):
        """A copy of small_runs.sweep()."""
        return pathlib.Path(shutil.copytree(small_runs.sweep(), self.folder / name))
