"""`heddle report`, `plot`, `trace` and `watch` start what io/python has."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from small_runs import HEDDLE, ROOT, incast


def heddle(*words, **variables):
    environment = {**os.environ, **variables}
    environment.pop("PYTHONPATH", None)  # the program finds the package beside itself
    return subprocess.run([HEDDLE, *map(str, words)], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)


class Commands(unittest.TestCase):
    def test_report_is_written(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "report.html"
            done = heddle("report", incast(), "-o", page)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("<html", page.read_text()[:2000])

    def test_watch_says_how_far_it_is(self):
        done = heddle("watch", "--once", incast())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("complete", done.stdout)

    def test_options_are_those_of_python(self):
        for command in ("report", "plot", "trace", "watch"):
            done = heddle(command, "--help")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"usage: heddle {command}", done.stdout)
            self.assertIn(f"\n  {command} ", heddle("--help").stdout)

    def test_exit_codes_come_back(self):
        done = heddle("plot", incast(), "no_such_figure")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no figure 'no_such_figure'", done.stderr)

    def test_what_is_missing_is_named(self):
        done = heddle("report", "x.h5", HEDDLE_PYTHON="/nowhere/python3")
        self.assertEqual(done.returncode, 2)
        self.assertIn("/nowhere/python3 cannot be started", done.stderr)
        with tempfile.TemporaryDirectory() as folder:  # an environment without any library
            subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
            done = heddle("report", "x.h5", VIRTUAL_ENV=folder)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, "^error: heddle report is written in Python, and .* lacks h5py, numpy, pandas, xarray: install")

    def test_nothing_of_the_current_folder_is_run(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "heddle.py").write_text("raise SystemExit(77)")
            pathlib.Path(folder, "secrets.py").write_text("raise SystemExit(78)")
            done = subprocess.run([pathlib.Path(ROOT, HEDDLE), "watch", "--once", incast()], cwd=folder, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
