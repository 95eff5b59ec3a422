"""configs/TUTORIAL.md: every command of it is run, in order, in one shell, and prints what the tutorial shows."""

import contextlib
import gzip
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "slurm"))
import private_slurm  # noqa: E402  (found by the line above)

HEDDLE = os.environ.get("HEDDLE_BINARY", str(ROOT / "build" / "cpu" / "bin" / "heddle"))
TUTORIAL = (ROOT / "configs" / "TUTORIAL.md").read_text()
MISSING = private_slurm.missing_programs()


def blocks(text):
    """(language, content) of all fenced blocks, in order; "slurm" where a comment says that it needs that."""
    found = re.findall(r"^(<!-- needs Slurm -->\n)?```(\w*)\n(.*?)^```$", text, re.M | re.S)
    return [("slurm" if comment else language, content) for comment, language, content in found]


def words(line):
    return " ".join(line.split())


def lines_missing(shown, said):
    """The lines of a text block that the output has not, whatever the blanks; a line may be the beginning of one."""
    have = [words(line) for line in said.splitlines()]
    return [line for line in shown.splitlines() if not any(one.startswith(words(line)) for one in have)]


class Tutorial(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """A folder that looks like the repository after ./bootstrap.sh run."""
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="ht_", ignore_cleanup_errors=True)))
        for name in ("configs", "slurm", "io"):
            (cls.folder / name).symlink_to(ROOT / name)
        (cls.folder / "build" / "cpu" / "bin").mkdir(parents=True)
        (cls.folder / "build" / "cpu" / "bin" / "heddle").symlink_to(HEDDLE)
        cls.environment = {name: value for name, value in os.environ.items() if not name.startswith(("HEDDLE", "PYTHONPATH"))}
        cls.environment["PYTHONDONTWRITEBYTECODE"] = "1"

    def shell(self, script, environment=None):
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=500,
            stdin=subprocess.DEVNULL,
            env={**self.environment, **(environment or {})},
        )
        self.assertEqual(done.returncode, 0, f"{script}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def test_every_command(self):
        setup, python = "", ""
        counts = {"sh": 0, "text": 0, "python": 0, "slurm": 0, "sql": 0}
        said = ""
        for number, (info, content) in enumerate(blocks(TUTORIAL)):
            counts[info] += 1
            with self.subTest(block=number, info=info):
                if info == "text":
                    self.assertEqual(lines_missing(content, said), [], said)
                elif info == "python":
                    self.assertLessEqual(len(content.splitlines()), 3)
                    python += content
                elif info == "slurm":
                    self.slurm(setup, content)
                elif info == "sql":
                    said = self.query(content)
                else:
                    said = self.shell(setup + content)
                    # variables stay; what was run is not run again
                    setup += "".join(line + "\n" for line in content.splitlines() if re.match(r"(export )?[A-Za-z_]+=", line))
        self.assertIn("$python\n", "".join(content for info, content in blocks(TUTORIAL) if info == "sh"))
        self.assertGreaterEqual(counts["sh"], 11)
        self.assertGreaterEqual(counts["text"], 5)
        self.assertEqual(counts["python"], 7, "five questions, what they are asked of, and a sweep")
        self.assertEqual((counts["slurm"], counts["sql"]), (1, 1))
        with self.subTest("Python"):
            script = self.folder / "questions.py"
            script.write_text("import warnings\nwarnings.simplefilter('error')\n" + python)
            said = self.shell(f"{setup}$python questions.py")
            self.assertRegex(said, r"4194304 +[\d.]+\n", "the only size")
            self.assertRegex(said, r"rtsw0 +0 +gpu0 +0\.9\d+")
            self.assertRegex(said, r"ctsw>rtsw +[1-9]")
            self.assertRegex(said, r"time_us")
            self.assertRegex(said, r"group +tensor +data +pipeline *\n0 +\d.*\n1 +\d")
            self.assertRegex(said, r"16 +3\.0 +214\.8")
        with self.subTest("what the report leaves"):
            for name in ("incast.html", "dcqcn.html", "queue_depth.svg", "training.json.gz"):
                self.assertGreater((self.folder / "results" / "tutorial" / name).stat().st_size, 5000)

    def query(self, question):
        """What Perfetto's table of slices answers, by SQLite, whose SQL Perfetto has; its times are in nanoseconds."""
        with gzip.open(self.folder / "results" / "tutorial" / "training.json.gz") as file:
            events = json.load(file)["traceEvents"]
        with contextlib.closing(sqlite3.connect(":memory:")) as database:
            database.execute("create table slice (name text, category text, dur integer)")
            rows = [(event["name"], event["cat"], round(event["dur"] * 1000)) for event in events if event["ph"] == "X"]
            database.executemany("insert into slice values (?, ?, ?)", rows)
            return "\n".join(f"{name} {value:.2f}" for name, value in database.execute(question))

    def slurm(self, setup, content):
        """With Slurm installed, all of it under one of this test's own; else what it names is there, and bash understands it."""
        if MISSING:
            for name in re.findall(r"slurm/[\w./]+", content):
                self.assertTrue((ROOT / name).is_file(), name)
            done = subprocess.run(["bash", "-n"], input=content, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            return
        with tempfile.TemporaryDirectory(prefix="hs_", ignore_cleanup_errors=True) as scratch, private_slurm.PrivateSlurm(
            scratch
        ) as slurm:
            said = self.shell(setup + content + "echo job $array\n", slurm.environment)
            job = re.search(r"^job (\d+)$", said, re.M).group(1)
            report = re.search(r"Submitted batch job (\d+)", said).group(1)
            for number in (job, report):
                slurm.wait(f"job {number} has ended", lambda number=number: slurm.ended(number), 120)
                self.assertEqual(set(slurm.states(number)), {"COMPLETED"})
        folder = self.folder / "results" / "tutorial" / "dcqcn"
        self.assertIn("10 of 10 runs have a result", (folder / "report.txt").read_text())
        for result in folder.glob("*.h5"):  # so that the next command has something to do
            result.unlink()


class Blocks(unittest.TestCase):
    def test_are_found(self):
        text = "```sh\na\n```\nx\n<!-- needs Slurm -->\n```sh\nb\nc\n```\n```text\nd\n```\n"
        self.assertEqual(blocks(text), [("sh", "a\n"), ("slurm", "b\nc\n"), ("text", "d\n")])

    def test_of_text_are_looked_for_line_by_line(self):
        self.assertEqual(lines_missing("a  b\nc 1", "x\n a b more\nc 2\n"), ["c 1"])


if __name__ == "__main__":
    passed = unittest.main(exit=False).result.wasSuccessful()
    if passed and MISSING:
        print(f"skipped in part: Slurm is not installed ({', '.join(MISSING)} not found); ./bootstrap.sh deps test installs it")
    sys.exit(not passed)
