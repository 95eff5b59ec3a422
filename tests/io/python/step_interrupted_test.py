"""heddle step that is killed, or finds the disk full: the same command resumes, and what comes out is as if nothing had happened."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

from small_runs import HEDDLE, sets
from small_steps import CONFIG, TINY

STEP = [
    HEDDLE, "step", CONFIG, *sets(*(f"{key}={value}" for key, value in TINY.items())), "--axis", "dcqcn.enabled=false,true",
    "--set", "ecn.kmin=0 B", "--set", "ecn.kmax=1 KB", "--set", "ecn.pmax=1.0", "-q", "-o", "step",
]  # fmt: skip
TIMES = (0.3, 0.6, 0.85)  # of an undisturbed run's


def outcome(place):
    """What step.json says, but for how long it took."""
    text = (place / "step/step.json").read_text()
    return json.loads(text, object_hook=lambda found: {key: value for key, value in found.items() if key != "wall_s"})


def kill_session(leader):
    """The program, the sweep that it carries out, and that one's runs, which have process groups of their own."""
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            pid, fields = int(stat.parent.name), stat.read_text().rsplit(")", 1)[1].split()
            if int(fields[3]) == leader:  # proc(5): state, ppid, pgrp, session
                os.kill(pid, signal.SIGKILL)


class Interrupted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        begin = time.monotonic()
        cls.undisturbed = cls.ended(cls.folder("undisturbed"))
        cls.took_s = time.monotonic() - begin

    @classmethod
    def folder(cls, name):
        path = cls.place / name
        path.mkdir()
        return path

    @staticmethod
    def ended(place):
        """The same command again; then a page is made of it."""
        done = subprocess.run(STEP, cwd=place, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        page = subprocess.run([HEDDLE, "report", "step", "-q", "-o", "page.html"], cwd=place, capture_output=True, text=True)
        assert page.returncode == 0, page.stderr
        return outcome(place)

    def check_page(self, place):
        page = (place / "page.html").read_text()
        for step in self.undisturbed["steps"]:
            self.assertIn(f'data-value="{step["values_ps"]["time"]["high"]!r}"', page)

    def test_killed_anywhere_the_same_command_ends_with_the_same(self):
        for share in TIMES:
            with self.subTest(share=share):
                place = self.folder(f"killed_{share}")
                process = subprocess.Popen(
                    STEP, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
                )
                time.sleep(share * self.took_s)
                kill_session(process.pid)
                process.wait()
                self.assertEqual(self.ended(place), self.undisturbed)
                self.assertEqual([path.name for path in place.rglob("*.part")], [])
                self.check_page(place)

    def test_a_full_disk_is_named_and_the_same_command_resumes(self):
        for kib in (1, 64):
            with self.subTest(kib=kib):
                place = self.folder(f"full_{kib}")
                words = ["bash", "-c", f'ulimit -f {kib}; exec "$@"', "bash", *STEP]
                done = subprocess.run(words, cwd=place, capture_output=True, text=True)
                self.assertIn(done.returncode, (1, 3), done.stderr)
                self.assertRegex(done.stderr, "^heddle step: .*File too large")
                self.assertEqual(self.ended(place), self.undisturbed)

    def test_too_little_memory_is_said_before_a_part_runs(self):
        place = self.folder("failed")
        done = subprocess.run([*STEP, "--memory", "5 MB"], cwd=place, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, "^heddle step: step/layer/0.toml: memory: this configuration takes")
        self.assertEqual([path.name for path in place.rglob("*.h5")], [])


if __name__ == "__main__":
    unittest.main()
