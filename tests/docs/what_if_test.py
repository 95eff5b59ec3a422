"""README.md's answers are what its commands give: every sweep in it is run, and the figures beside it are compared."""

import csv
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import tempfile
import unittest

from scipy.special import stdtrit

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HEDDLE = os.environ.get("HEDDLE_BINARY", str(ROOT / "build" / "cpu" / "bin" / "heddle"))
README = (ROOT / "README.md").read_text()
BUSBW = "job0.all_reduce.64ranks.268435456B.busbw_GBps"


def rows_of(words, folder):
    """The rows of `heddle compare --csv` of the sweep that `words`, the arguments of `heddle sweep`, make in `folder`."""
    for command in ([HEDDLE, "sweep", *words, "-o", folder, "--run"], [HEDDLE, "compare", "--csv", folder]):
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            raise AssertionError(f"{shlex.join(command)} ended with {done.returncode}:\n{done.stderr}")
    return list(csv.DictReader(done.stdout.splitlines()))


class WhatIf(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory()) + "/sweep"
        self.small = re.search(r'^small="(.*)"$', README, re.M).group(1)

    def questions(self, sweep):
        """(axis, answer) of the rows of the table whose head names this sweep."""
        table = re.search(
            r"^\| what if \| `\$heddle sweep " + re.escape(sweep) + r" -o FOLDER --run` with .*\n\|.*\n((?:\|.*\n)+)", README, re.M
        )
        return re.findall(r"^\| .* \| `(--axis .*)` \| (.*) \|$", table.group(1), re.M)

    def test_seeds(self):
        sweep = re.search(r"^\$heddle sweep \$small (.*) -o policy --run$", README, re.M).group(1)
        answer = re.search(r"ECMP ([\d.]+) \+- ([\d.]+) GB/s of busbw, E-ECMP ([\d.]+) \+- ([\d.]+) \(mean", README)
        rows = rows_of(shlex.split(f"{self.small} {sweep}"), self.folder)
        found = []
        for policy in ("ecmp", "e_ecmp"):
            values = [float(row[BUSBW]) for row in rows if row["routing.policy"] == policy]
            self.assertEqual(len(values), 5)
            found += [statistics.mean(values), stdtrit(4, 0.975) * statistics.stdev(values) / 5**0.5]
        self.assertEqual([f"{value:.1f}" for value in found], list(answer.groups()))

    def test_all_reduce(self):
        questions = self.questions("$small")
        self.assertGreaterEqual(len(questions), 5)
        for number, (axis, answer) in enumerate(questions):
            with self.subTest(axis):
                rows = rows_of(shlex.split(f"{self.small} {axis}"), f"{self.folder}{number}")
                self.assertEqual(", ".join(f"{float(row[BUSBW]):.0f}" for row in rows), answer)

    def test_algorithms(self):
        job = re.search(r'^job="(.*)"$', README, re.M).group(1)
        sweep = re.search(r"^\$heddle sweep \$job (.*) -o algorithm --run$", README, re.M).group(1)
        small, large = re.search(r"^\$heddle compare algorithm +# 1 MiB: (.*) GB/s of busbw; 256 MiB: (.*)$", README, re.M).groups()
        rows = rows_of(shlex.split(f"{job} {sweep}"), self.folder)
        self.assertEqual(", ".join(f"{float(row[BUSBW.replace('268435456', '1048576')]):.1f}" for row in rows), small)
        self.assertEqual(", ".join(f"{float(row[BUSBW]):.0f}" for row in rows), large)

    def test_training(self):
        train = re.search(r'^train="(.*)"$', README, re.M).group(1)
        questions = self.questions("$train")
        self.assertGreaterEqual(len(questions), 3)
        for number, (axis, answer) in enumerate(questions):
            with self.subTest(axis):
                rows = rows_of(shlex.split(f"{train} {axis}"), f"{self.folder}{number}")
                times = [
                    ", ".join(f"{float(row[f'job0.iteration.{what}_ps']) * 1e-9:.2f}" for row in rows)
                    for what in ("time", "exposed_data")
                ]
                self.assertEqual("; ".join(times), answer)

    def test_incast(self):
        questions = self.questions("configs/incast.toml")
        self.assertGreaterEqual(len(questions), 3)
        for number, (axis, answer) in enumerate(questions):
            with self.subTest(axis):
                rows = rows_of(shlex.split(f"configs/incast.toml {axis}"), f"{self.folder}{number}")
                pauses = ", ".join(row["pfc_pauses"] for row in rows)
                ends = ", ".join(f"{int(row['completion_max_ps']) * 1e-9:.2f}" for row in rows)
                self.assertEqual(f"{pauses}; {ends}", answer)
                if axis == "--axis dcqcn.enabled=false,true":
                    off_ms, on_ms = (int(row["endpoint>rtsw.paused_ps"]) * 1e-9 for row in rows)
                    self.assertIn(f"paused for {on_ms:.1f} ms in all, not {off_ms:.1f}.", README)


if __name__ == "__main__":
    unittest.main()
