"""heddle.sweep(): axes as the program's own sweep takes them, a local pool, and a job array of Slurm."""

import os
import pathlib
import sys
import tempfile
import unittest
import warnings
from unittest import mock

import heddle
import small_runs
from heddle.sweeping import axis_arguments, carry_out
from helpers import InAFolder

sys.path.insert(0, str(small_runs.ROOT / "tests" / "slurm"))
import private_slurm  # noqa: E402  (found by the line above)

os.environ["HEDDLE"] = small_runs.HEDDLE
INCAST = small_runs.ROOT / "configs" / "incast.toml"
SMALL = {"generator.0.bytes": "64 KiB"}
AXES = {"dcqcn.enabled": [True, False], "simulation.seed": range(1, 3)}


class Axes(unittest.TestCase):
    def test_as_the_program_takes_them(self):
        axes = {
            "dcqcn.enabled": [True, False],
            "simulation.seed": "1..3",
            "link.host_rate": ["400 Gb/s"],
            "ecn.kmin": ("1 MB", 5),
            ("a.b", "c.d"): [("x", 1), "both", ["y:z", 2]],
        }
        self.assertEqual(
            axis_arguments(axes),
            [
                "--axis",
                "dcqcn.enabled=true,false",
                "--axis",
                "simulation.seed=1..3",
                "--axis",
                "link.host_rate=400 Gb/s",
                "--axis",
                "ecn.kmin=1 MB,5",
                "--axis",
                'a.b+c.d=x:1,both,"y:z":2',
            ],
        )

    def test_without_values(self):
        with self.assertRaisesRegex(ValueError, "the axis simulation.seed has no values"):
            axis_arguments({"simulation.seed": []})
        with self.assertRaisesRegex(ValueError, "has 3 values for the 2 keys a, b"):
            axis_arguments({("a", "b"): [(1, 2, 3)]})
        for value in (5, True, {"a": 1}):
            with self.assertRaisesRegex(ValueError, "the axis simulation.seed has .*, which is no list of values; give one"):
                axis_arguments({"simulation.seed": value})
        for axes in ({}, ["simulation.seed=1..2"]):
            with self.assertRaisesRegex(ValueError, "give a dict of keys with their values"):
                axis_arguments(axes)


class Local(InAFolder):
    def setUp(self):
        super().setUp()
        self.folder = self.folder / "many"

    def test_runs_all_and_joins_them(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            results = heddle.sweep(INCAST, AXES, self.folder, SMALL, jobs=2)
            messages = results.messages()
        self.assertEqual(results.axes, list(AXES))
        self.assertEqual(messages.groupby(list(AXES)).size().tolist(), [16] * 4)
        self.assertEqual(set(messages["bytes"]), {65536})

    def test_a_configuration_in_memory(self):
        results = heddle.sweep(heddle.Config(INCAST, SMALL), {"simulation.seed": [5, 7]}, self.folder, where=None)
        self.assertEqual([state for state in results.runs()["state"]], ["missing", "missing"])
        results = heddle.run_folder(self.folder, jobs=1, threads=1, memory="1GiB", device="cpu")
        self.assertEqual(results.runs()["seed"].tolist(), [5, 7])

    def test_resumes_what_is_missing(self):
        heddle.sweep(INCAST, AXES, self.folder, SMALL)
        (self.folder / "2.h5").unlink()
        before = {path.name: path.stat().st_mtime_ns for path in self.folder.glob("*.h5")}
        heddle.run_folder(self.folder)
        after = {path.name: path.stat().st_mtime_ns for path in self.folder.glob("*.h5")}
        self.assertEqual({name for name in after if before.get(name) != after[name]}, {"2.h5"})

    def test_refusals_are_the_programs(self):
        with self.assertRaisesRegex(heddle.ConfigError, r"--axis simulation.seed=1..2.*: 1 is there twice"):
            heddle.sweep(INCAST, {"simulation.seed": "1..2,1"}, self.folder)
        with self.assertRaisesRegex(heddle.ConfigError, '"start" is not one of star'):
            heddle.sweep({"topology": {"kind": "start"}}, {"simulation.seed": [1]}, self.folder)
        self.assertFalse(self.folder.exists())
        with self.assertRaisesRegex(ValueError, "where='cloud'"):
            heddle.sweep(INCAST, AXES, self.folder, SMALL, where="cloud")
        self.folder.mkdir()
        with self.assertRaisesRegex(heddle.ConfigError, "force"):
            heddle.sweep(INCAST, AXES, self.folder, SMALL)

    def test_where_is_checked_before_anything_is_written(self):
        with self.assertRaisesRegex(ValueError, "where='slrm'.*nothing was written"):
            heddle.sweep(INCAST, AXES, self.folder, SMALL, where="slrm")
        self.assertEqual(os.listdir(self.folder.parent), [])

    def test_a_run_that_fails_is_missing(self):
        heddle.sweep(INCAST, AXES, self.folder, SMALL, where=None)
        (self.folder / "1.h5.part").mkdir()  # where its result is to be written
        with self.assertWarnsRegex(heddle.LeftOut, "not every run has a result"):
            results = heddle.run_folder(self.folder)
        self.assertEqual((results.runs()["problem"] == "").sum(), 3)


class FakeSlurm(InAFolder):
    """What sbatch and squeue are asked."""

    def setUp(self):
        super().setUp()
        self.folder = self.folder.resolve()
        self.enterContext(mock.patch.dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}"))
        self.heard = self.folder / "heard"
        self.program(
            "sbatch",
            f'printf "%s\\n" "$@" "HEDDLE_HOME=$HEDDLE_HOME" "HEDDLE_PROGRAM=$HEDDLE_PROGRAM" > {self.heard}\necho "41;cluster"',
        )
        self.sweep = self.folder / "many"
        heddle.sweep(INCAST, AXES, self.sweep, SMALL, where=None)

    def program(self, name, text):
        (self.folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (self.folder / name).chmod(0o755)

    def test_submits_an_array(self):
        self.assertEqual(heddle.submit(self.sweep, {"partition": "long", "mem_per_cpu": "8G", "exclusive": True}), "41")
        self.assertEqual(
            self.heard.read_text().splitlines(),
            [
                "--parsable",
                "--array=0-3",
                f"--output={self.sweep}/slurm_%A_%a.log",
                "--partition=long",
                "--mem-per-cpu=8G",
                "--exclusive",
                str(small_runs.ROOT / "slurm" / "sweep.sbatch"),
                str(self.sweep),
                f"HEDDLE_HOME={small_runs.ROOT}",
                f"HEDDLE_PROGRAM={os.path.abspath(small_runs.HEDDLE)}",
            ],
        )

    def test_submits_what_is_missing(self):
        for name in ("0.h5", "2.h5"):
            (self.sweep / name).touch()
        heddle.submit(self.sweep)
        self.assertIn("--array=1,3", self.heard.read_text())
        for name in ("1.h5", "3.h5"):
            (self.sweep / name).touch()
        with self.assertRaisesRegex(ValueError, "every run of .* has a result"):
            heddle.submit(self.sweep)

    def test_the_array_of_an_interrupted_call_is_waited_for(self):
        self.program("squeue", f'echo "$@" >> {self.folder}/asked; echo COMPLETED')
        carry_out(self.sweep, "slurm")
        self.assertEqual((self.sweep / "slurm_job").read_text(), "41")
        self.heard.unlink()
        for number in range(4):
            (self.sweep / f"{number}.h5").touch()
        carry_out(self.sweep, "slurm")
        self.assertEqual((self.folder / "asked").read_text().count("--jobs=41"), 2)
        self.assertFalse(self.heard.exists(), "nothing is missing, so nothing is submitted")

    def test_waits_until_no_task_is_left(self):
        self.program(
            "squeue",
            f"echo x >> {self.folder}/asked\nif [ $(wc -l < {self.folder}/asked) -lt 3 ]; then echo RUNNING; else echo"
            " COMPLETED; fi",
        )
        heddle.wait_for("41", poll_s=0.01)
        self.assertEqual(len((self.folder / "asked").read_text().splitlines()), 3)
        self.program("squeue", 'echo "slurm_load_jobs error: Invalid job id specified" >&2; exit 1')
        heddle.wait_for("41")
        self.program("squeue", 'echo "no controller" >&2; exit 1')
        with self.assertRaisesRegex(heddle.ProgramError, "squeue: no controller"):
            heddle.wait_for("41")

    def test_what_sbatch_refuses(self):
        self.program("sbatch", 'echo "sbatch: error: invalid partition" >&2; exit 1')
        with self.assertRaisesRegex(heddle.ProgramError, "sbatch: sbatch: error: invalid partition"):
            heddle.submit(self.sweep)

    def test_without_slurm_or_checkout(self):
        os.environ["HEDDLE_HOME"] = str(self.folder)
        with self.assertRaisesRegex(FileNotFoundError, "set HEDDLE_HOME to a checkout"):
            heddle.submit(self.sweep)
        del os.environ["HEDDLE_HOME"]
        os.environ["PATH"] = "/nowhere"
        with self.assertRaisesRegex(FileNotFoundError, "no machine of a Slurm cluster"):
            heddle.submit(self.sweep)


MISSING = private_slurm.missing_programs()


@unittest.skipIf(MISSING, f"Slurm is not installed ({', '.join(MISSING)} not found): ./bootstrap.sh deps test installs it")
class RealSlurm(unittest.TestCase):
    def test_a_sweep(self):
        scratch = self.enterContext(tempfile.TemporaryDirectory(prefix="hs_", ignore_cleanup_errors=True))
        slurm = self.enterContext(private_slurm.PrivateSlurm(scratch))
        self.enterContext(mock.patch.dict(os.environ, slurm.environment, HEDDLE_SITE="local"))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            results = heddle.sweep(INCAST, AXES, pathlib.Path(scratch) / "many", SMALL, where="slurm", slurm={"time": "5"})
            self.assertEqual(len(results.messages()), 4 * 16)
        self.assertTrue(results.runs()["slurm_job_id"].str.isdigit().all())
        self.assertEqual(len(list(results.folder.glob("slurm_*.log"))), 4)


if __name__ == "__main__":
    passed = unittest.main(exit=False).result.wasSuccessful()
    if passed and MISSING:
        print(f"skipped in part: Slurm is not installed ({', '.join(MISSING)} not found); ./bootstrap.sh deps test installs it")
    sys.exit(not passed)
