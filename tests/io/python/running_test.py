"""heddle.run(): runs, results, and the program's own messages."""

import contextlib
import io
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest
import warnings

import heddle
import small_runs
from heddle import program
from helpers import InAFolder, wait_until

os.environ["HEDDLE"] = small_runs.HEDDLE
INCAST = small_runs.ROOT / "configs" / "incast.toml"
SMALL = {"generator.0.bytes": "1 MiB"}


class Running(InAFolder):
    def setUp(self):
        super().setUp()
        self.result = self.folder / "a.h5"

    def test_a_file_a_dict_and_a_configuration_give_the_same(self):
        config = heddle.Config(INCAST)
        digests = set()
        for number, source in enumerate((INCAST, config, config.tree)):
            with heddle.run(source, self.folder / f"{number}.h5", SMALL) as run:
                self.assertEqual(run.attrs["status"], "complete")
                digests.add((run.attrs["digest"], run.attrs["config_hash"]))
                self.assertEqual(run.value("generator.0.bytes"), 2**20)
        self.assertEqual(len(digests), 1, digests)

    def test_the_name_of_the_result_is_that_of_the_file(self):
        with contextlib.chdir(self.folder), heddle.run(INCAST, changes=SMALL) as run:
            self.assertEqual(run.path, "incast.h5")
        with self.assertRaisesRegex(TypeError, "output='run.h5'"):
            heddle.run({"topology": {"kind": "star"}})

    def test_errors_are_the_programs(self):
        with self.assertRaises(heddle.ConfigError) as caught:
            heddle.run(INCAST, self.result, {"topology.racks": 0})
        self.assertRegex(str(caught.exception), r"^--set topology.racks=0.*out of range")
        self.assertEqual((caught.exception.exit_code, caught.exception.command[1]), (2, "run"))
        with self.assertRaisesRegex(heddle.ConfigError, '^configuration:2:8: topology.kind: "start" is not one of'):
            heddle.run({"topology": {"kind": "start"}}, self.result)
        self.assertFalse(self.result.exists())
        heddle.run(INCAST, self.result, SMALL).close()
        with self.assertRaisesRegex(heddle.ConfigError, "exists already"):
            heddle.run(INCAST, self.result, SMALL)
        heddle.run(INCAST, self.result, SMALL, force=True).close()

    def test_a_run_that_does_not_complete_is_a_result(self):
        small = {
            "generator.0.bytes": "8 MiB",
            "output.max_bytes": "1 MB",
            "output.series_interval": "100 ns",
            "output.link_series": False,
        }
        with self.assertWarnsRegex(heddle.NotComplete, "output_full: "):
            run = heddle.run(INCAST, self.result, small)
        self.assertEqual(run.attrs["status"], "output_full")
        run.close()

    def test_a_program_that_dies_is_an_error(self):
        program = self.folder / "heddle"
        program.write_text("#!/bin/sh\necho 'error: no luck' >&2\nkill -9 $$\n")
        program.chmod(0o755)
        with self.assertRaisesRegex(heddle.ProgramError, r"killed by signal 9 \(Killed\); no luck") as caught:
            heddle.run(INCAST, self.result, program=program)
        self.assertNotIsInstance(caught.exception, heddle.ConfigError)

    def test_quiet_or_not(self):
        for quiet in (True, False):
            said = io.StringIO()
            with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()) as told:
                heddle.run(INCAST, self.result, SMALL, quiet=quiet, force=True, threads=1, memory="1GiB").close()
            self.assertEqual("272 GPUs" in said.getvalue(), not quiet)
            self.assertEqual("16 of 16 complete" in told.getvalue(), not quiet)

    def test_a_launcher_stands_before_the_program(self):
        with heddle.run(INCAST, self.result, SMALL, launcher=["env", "SLURM_JOB_ID=77"]) as run:
            self.assertEqual(run.attrs["slurm_job_id"], "77")
        with self.assertRaisesRegex(FileNotFoundError, "'no_such_launcher' is no program that can be started, so nothing was run"):
            heddle.run(INCAST, self.result, SMALL, launcher=["no_such_launcher"])
        with self.assertRaisesRegex(TypeError, r"give its words: \['mpirun', '-n', '4'\]"):
            heddle.run(INCAST, self.result, SMALL, launcher="mpirun -n 4")

    def test_resume_leaves_what_ended_alone(self):
        first = heddle.run(INCAST, self.result, SMALL)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            second = heddle.run(INCAST, self.result, SMALL, resume=True)
        self.assertEqual(first.attrs["date"], second.attrs["date"])

    def test_ctrl_c_saves_and_resumes(self):
        code = (
            "import heddle\nheddle.run('configs/training.toml', '%s', {'job.0.training.iterations': 1000}, resume=True)"
            % self.result
        )
        process = subprocess.Popen([sys.executable, "-c", code], cwd=small_runs.ROOT, stderr=subprocess.PIPE, text=True)
        wait_until(pathlib.Path(f"{self.result}.part").exists)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)[1]
        self.assertIn("KeyboardInterrupt", said)
        self.assertTrue(list(self.folder.glob("a.h5.checkpoint_*")), sorted(self.folder.iterdir()))
        self.assertFalse(self.result.exists())


class Reader:
    """Who reads the terminal's end of a pipe, and leaves after one line."""

    def __init__(self):
        self.lines = []

    def write(self, line):
        if self.lines:
            raise BrokenPipeError
        self.lines.append(line)

    def flush(self):
        pass


class PassingOn(unittest.TestCase):
    def test_a_reader_that_leaves_stops_nothing(self):
        reader, kept = Reader(), []
        program._pass_on(io.StringIO("a\nb\nc\n"), kept, reader)
        self.assertEqual(kept, ["a\n", "b\n", "c\n"])
        self.assertEqual(reader.lines, ["a\n"])


if __name__ == "__main__":
    unittest.main()
