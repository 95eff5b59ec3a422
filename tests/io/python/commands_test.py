"""`heddle report`, `plot`, `trace`, `step` and `watch` start what io/python has."""

import contextlib
import io
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from heddle.__main__ import COMMANDS, main
from helpers import InAFolder, said
from small_runs import HEDDLE, ROOT, incast


def heddle(*words, **variables):
    environment = {**os.environ, **variables}
    environment.pop("PYTHONPATH", None)  # the program finds the package beside itself
    return subprocess.run([HEDDLE, *map(str, words)], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)


class Commands(InAFolder):
    def test_report_is_written(self):
        page = self.folder / "report.html"
        done = heddle("report", incast(), "-o", page)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("<html", page.read_text()[:2000])

    def test_watch_says_how_far_it_is(self):
        done = heddle("watch", "--once", incast())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("complete", done.stdout)

    def test_options_are_those_of_python(self):
        for command in ("report", "plot", "trace", "step", "watch"):
            done = heddle(command, "--help")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"usage: heddle {command}", done.stdout)
            self.assertIn(f"\n  {command} ", heddle("--help").stdout)

    def test_summaries_are_those_of_the_program(self):
        told = " ".join(heddle("--help").stdout.split())
        for command, (_, summary) in COMMANDS.items():
            self.assertIn(f" {command} {summary} ", told + " ")

    def test_a_wrong_option_shows_how_the_command_is_used(self):
        for command in COMMANDS.keys() - {"compare"}:  # whose options the program reads itself
            done = heddle(command, "--wrong", incast())
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, rf"^usage: heddle {command} \[-h\]")
            self.assertIn(f"heddle {command}: error: unrecognized arguments: --wrong; `heddle {command} --help`", done.stderr)

    def test_the_program_hands_on_what_stands_behind_dashes(self):
        done = heddle("report", "-o", self.folder / "page.html", "--", "-missing.h5")
        self.assertEqual(done.returncode, 2)
        self.assertIn("heddle report: ", done.stderr)
        self.assertIn("-missing.h5", done.stderr)
        self.assertNotIn("usage", done.stderr)

    def test_a_file_that_looks_like_an_option(self):
        shutil.copy(incast(), self.folder / "-x.h5")
        with contextlib.chdir(self.folder):
            code, out, _ = said("watch", "--once", "--", "-x.h5")
            self.assertEqual(code, 0)
            self.assertIn("-x.h5  complete", out)
            with contextlib.redirect_stderr(io.StringIO()) as error, self.assertRaises(SystemExit) as left:
                main(["watch", "-x.h5"])
            self.assertEqual(left.exception.code, 2)
            self.assertIn("'-x.h5' begins as an option does: write ./-x.h5", error.getvalue())

    def test_what_is_no_command(self):
        for words, expected in ((["repot"], "invalid choice: 'repot' (choose from 'report', "), ([], "required: COMMAND")):
            with contextlib.redirect_stderr(io.StringIO()) as error, self.assertRaises(SystemExit):
                main(words)
            self.assertIn(expected, error.getvalue())

    def test_a_file_that_is_not_there(self):
        for words in (["plot", "no.h5", "queue_depth"], ["trace", "no.h5"], ["report", "no.h5"]):
            self.assertEqual(heddle(*words).stderr, f"heddle {words[0]}: 'no.h5': no such file; check the name\n")

    def test_exit_codes_come_back(self):
        done = heddle("plot", incast(), "no_such_figure")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no figure 'no_such_figure'", done.stderr)

    def test_what_is_missing_is_named(self):
        done = heddle("report", "x.h5", HEDDLE_PYTHON="/nowhere/python3")
        self.assertEqual(done.returncode, 2)
        self.assertIn("/nowhere/python3 cannot be started", done.stderr)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", self.folder], check=True)  # without any library
        done = heddle("report", "x.h5", VIRTUAL_ENV=str(self.folder))
        self.assertEqual(done.returncode, 2)
        why = "^error: heddle report is written in Python, and .* lacks h5py, numpy, pandas, xarray: install"
        self.assertRegex(done.stderr, why)

    def test_nothing_of_the_current_folder_is_run(self):
        for number, name in enumerate(("heddle.py", "secrets.py")):
            (self.folder / name).write_text(f"raise SystemExit({77 + number})")
        command = [pathlib.Path(ROOT, HEDDLE), "watch", "--once", incast()]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
