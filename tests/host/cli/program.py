"""The program in a folder of a test's own, for tests of the command line that need no C++."""

import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
HEDDLE = os.environ.get("HEDDLE_BINARY", str(ROOT / "build" / "cpu" / "bin" / "heddle"))
STAR = '[topology]\nkind = "star"\nhosts = 4\n[[message]]\nsrc = 0\ndst = 1\nbytes = "64 KiB"\n'


class ProgramTest(unittest.TestCase):
    """star.toml is a configuration of 4 hosts and one message."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.write("star.toml", STAR)

    def write(self, name, text):
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text)

    def read(self, name):
        return (self.folder / name).read_text()

    def heddle(self, *words, code=0, **environment):
        """What it says, on both streams."""
        done = subprocess.run(
            [HEDDLE, *words],
            cwd=self.folder,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )
        self.assertEqual(done.returncode, code, f"{words}\n{done.stdout}")
        return done.stdout

    def shell(self, line, code=0):
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=self.folder,
            env={**os.environ, "heddle": HEDDLE},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.assertEqual(done.returncode, code, f"{line}\n{done.stdout}")
        return done.stdout
