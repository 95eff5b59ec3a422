"""Crafted result files: no hang, no traceback, no memory beyond what they declare, and no local file that is read through them.

HEDDLE_CRAFTED=342 tries all of them with every command (an hour of one core); without it a part of them, with fewer.
"""

import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time
import unittest

import crafted_results
import small_runs

ALL = int(os.environ.get("HEDDLE_CRAFTED", "0"))
NUMBERS = range(ALL) if ALL else [*range(len(crafted_results.SPECIAL)), *range(40, crafted_results.COUNT, 60)]
MAX_CPU_S = 5.0  # more than the good file takes
MAX_WALL_S = 60.0  # a machine may have other work
FREE_BYTES = 96 << 20  # that a command may take beside the tables: other figures, other messages
PYTHON = ("report", "trace", "plot")


class Ended:
    """A command that has ended: what it said, and what it took."""

    def __init__(self, words, max_wall_s=MAX_WALL_S):
        # What lies in a pipe that nobody writes would be waited for: nobody may open it.
        with tempfile.TemporaryFile() as said:
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=said, stderr=said, cwd=small_runs.ROOT)
            self.hangs = False
            end_s = time.monotonic() + max_wall_s
            while True:
                ended, status, used = os.wait4(process.pid, os.WNOHANG)
                if ended:
                    break
                if time.monotonic() > end_s:
                    self.hangs = True
                    process.kill()
                    _, status, used = os.wait4(process.pid, 0)
                    break
                time.sleep(0.01)
            process.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            self.said = said.read()
        self.code = process.returncode
        self.cpu_s = used.ru_utime + used.ru_stime
        self.bytes = used.ru_maxrss * 1024


class Crafted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.good = small_runs.simulate(cls.folder / "good.h5", ["configs/incast.toml"], "generator.0.bytes=256 KiB")
        cls.secret, cls.pipe = cls.folder / "secret", cls.folder / "pipe"
        cls.secret.write_text(crafted_results.SECRET * 100)
        os.mkfifo(cls.pipe)
        cls.usual = {name: Ended(words) for name, words in cls.commands(cls.good, cls.folder)}
        for name, ended in cls.usual.items():
            assert ended.code == 0, (name, ended.said)

    @classmethod
    def commands(cls, path, out):
        """(name, words) of every command that reads a result."""
        yield "info", [small_runs.HEDDLE, "info", str(path)]
        yield "compare", [small_runs.HEDDLE, "compare", str(cls.good), str(path)]
        for name in PYTHON if ALL else PYTHON[:1]:
            more = ["--list"] if name == "plot" else ["--force", "-o", str(out / f"out.{name}")]
            yield name, [sys.executable, "-m", "heddle", name, str(path), *more]

    def test_each(self):
        for number in NUMBERS:
            path = self.folder / f"{number}.h5"
            done = crafted_results.craft(number, self.good, path, self.secret, self.pipe)
            declared = crafted_results.declared_bytes(path) if number not in crafted_results.ELSEWHERE else 0
            for name, words in self.commands(path, self.folder):
                if not ALL and name in PYTHON and number in crafted_results.OF_CONFIGURATIONS:
                    continue
                with self.subTest(number=number, done=done, command=name):
                    self.check(number, name, words, declared)
            path.unlink()

    def check(self, number, name, words, declared):
        usual, ended = self.usual[name], Ended(words)
        said = ended.said.decode("utf-8", "replace")
        self.assertFalse(ended.hangs, f"after {MAX_WALL_S} s: {said}")
        self.assertIn(ended.code, (0, 2), said)
        self.assertNotIn("Traceback", said)
        self.assertNotIn("\x1b", said)
        self.assertLessEqual(ended.cpu_s, usual.cpu_s + MAX_CPU_S)
        self.assertLessEqual(ended.bytes, usual.bytes + 4 * declared + FREE_BYTES, said)
        if number in crafted_results.ELSEWHERE:
            self.assertEqual(ended.code, 2, "nothing of a file that shows others is believed")
        self.assertNotIn(crafted_results.SECRET[:8], said)
        for written in self.folder.glob("out.*"):
            self.assertNotIn(crafted_results.SECRET[:8].encode(), written.read_bytes(), name)
            written.unlink()


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    unittest.main()
