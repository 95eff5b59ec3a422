"""The batch scripts of slurm/ under a real Slurm: a sweep as an array, its report, a run that is requeued, and the cap."""

import contextlib
import functools
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import private_slurm

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "ranks"))
from runs import CONFIGURATION, HEDDLE, MPI_ENVIRONMENT, WORLDS, differences, run  # noqa: E402  (found by the line above)

STUDY = ROOT / "configs" / "studies" / "dcqcn" / "all_to_all.toml"
SHORT_STUDY = ["topology.racks=2", "job.0.gpus=32", 'job.0.collective.0.sizes=["256 KiB"]']
JOB_ENVIRONMENT = {**MPI_ENVIRONMENT, "HEDDLE_HOME": str(ROOT), "HEDDLE_PROGRAM": HEDDLE, "HEDDLE_SITE": "local"}


def tasks_with(variable):
    """The processes of heddle that srun has started and that have "NAME=value" in their environment."""
    found = []
    mark = variable.encode()
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended, or is somebody else's
            command = (folder / "cmdline").read_bytes().split(b"\0")
            if command[:2] == [HEDDLE.encode(), b"run"] and mark in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return found


def was_signalled(pid, number):
    """A stopped process has been sent the signal; with it Slurm may wake the process, which then ends."""
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return True
    return int(re.search(r"^ShdPnd:\s*(\w+)$", status, re.MULTILINE).group(1), 16) >> (number - 1) & 1 == 1


MISSING = private_slurm.missing_programs()


@unittest.skipIf(MISSING, f"Slurm is not installed ({', '.join(MISSING)} not found): ./bootstrap.sh deps test installs it")
class Slurm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="hs_", ignore_cleanup_errors=True))
        cls.slurm = cls.enterClassContext(private_slurm.PrivateSlurm(folder))

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.addCleanup(self.slurm.end_jobs)
        self.result = self.folder / "a.h5"

    def submit(self, *arguments, **environment):
        return self.slurm.submit(*arguments, folder=self.folder, environment={**JOB_ENVIRONMENT, **environment})

    def script(self, name):
        return str(ROOT / "slurm" / f"{name}.sbatch")

    def log(self):
        return "\n".join(f"== {path.name}\n{path.read_text()}" for path in sorted(self.folder.glob("*.log")))

    def wait_for_end(self, job, state="COMPLETED"):
        self.slurm.wait(f"job {job} has ended", lambda: self.slurm.ended(job), 240)
        self.assertEqual(set(self.slurm.states(job)), {state}, self.log())

    @classmethod
    @functools.cache
    def long_run(cls):
        """A configuration that takes a second or more, so that it can be stopped before it is over, in a debug build not
        too much more; and the file of an uninterrupted run."""
        config, expected = cls.slurm.folder / "a.toml", cls.slurm.folder / "expected.h5"
        for mebibytes in (4, 16, 64, 256):
            config.write_text(WORLDS["e_ecmp_dcqcn"].replace("256 KiB", f"{mebibytes} MiB").replace("128 KiB", "4 MiB"))
            started = time.monotonic()
            run(["run", str(config), "-q", "--force", "-o", str(expected)])
            if time.monotonic() - started > 0.7:
                break
        return str(config), expected

    def stop_when_it_runs(self, result, ranks, variable):
        """Stopped, a short run takes as long as the test needs. Gives the stopped processes."""
        part = result.with_name(result.name + ".part")
        self.slurm.wait("the run has begun", part.exists, poll_s=0.005)
        pids = tasks_with(variable)
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        self.assertEqual(len(pids), ranks, self.log())
        self.assertFalse(result.exists(), "the run was over before it could be stopped")
        return pids

    def go_on_when_signalled(self, pids):
        self.slurm.wait("every rank has SIGUSR1", lambda: all(was_signalled(pid, signal.SIGUSR1) for pid in pids))
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

    def start_again(self, job):
        self.slurm.wait("the job is requeued", lambda: self.slurm.states(job) == ["PENDING"])
        # at once, not two minutes later; and with time enough to end on a busy machine
        self.slurm.call("scontrol", "update", f"JobId={job}", "StartTime=now", "TimeLimit=10")

    def test_a_sweep_and_its_report(self):
        sets = [word for text in SHORT_STUDY for word in ("--set", text)]
        axes = ["--axis", "dcqcn.enabled=true,false", "--axis", "simulation.seed=1,2"]
        run(["sweep", str(STUDY), *axes, *sets, "-o", str(self.folder / "many")])
        report = self.folder / "many" / "report.txt"

        # the last one is forgotten, and the report says so
        array = self.submit("--array=0-2", self.script("sweep"), "many")
        job = self.submit(f"--dependency=afterany:{array}", self.script("report"), "many")
        self.wait_for_end(job, "FAILED")
        self.assertEqual(self.slurm.states(array), ["COMPLETED"] * 3, self.log())
        self.assertEqual(self.slurm.show(job)["ExitCode"], "3:0", self.log())
        self.assertRegex(report.read_text(), r"MISSING .*: 3\n")
        self.assertRegex(report.read_text(), r"(?m)^ +false +1 +1 complete, 1 MISSING ")

        array = self.submit("--array=0-3", self.script("sweep"), "many")  # what is complete stays so
        job = self.submit(f"--dependency=afterany:{array}", self.script("report"), "many", "--every-run")
        self.wait_for_end(job)
        self.assertEqual(self.slurm.states(array), ["COMPLETED"] * 4, self.log())
        text = report.read_text()
        self.assertIn("4 of 4 runs have a result", text)
        for i, (enabled, seed) in enumerate((e, s) for e in ("true", "false") for s in ("1", "2")):
            self.assertRegex(text, rf"(?m)^ +{i} +{enabled} +{seed} +complete ")
        self.assertNotIn("MISSING", text)

    def test_a_run_that_meets_its_limit_resumes(self):
        config, expected = self.long_run()
        # Slurm looks every 30 s which limits are near, and signals the tasks up to 60 s earlier than asked for
        job = self.submit("--time=1", "--signal=USR1@55", "--ntasks=2", self.script("run"), config, "-o", "a.h5")
        after = self.submit(f"--dependency=afterany:{job}", "--job-name=after", "--output=%x.log", "--wrap", "ls a.h5")
        self.go_on_when_signalled(self.stop_when_it_runs(self.result, 2, f"SLURM_JOB_ID={job}"))
        self.start_again(job)
        self.wait_for_end(job)
        self.assertGreaterEqual(int(self.slurm.show(job)["Restarts"]), 1)
        log = (self.folder / f"heddle_{job}.log").read_text()
        for part in ("the run starts anew", "--resume auto resumes", "requeued for the 1. time", "resuming from"):
            self.assertIn(part, log)
        different = [d for d in differences(expected, self.result) if d not in CONFIGURATION]  # it names the file
        self.assertEqual(different, [], log)
        self.assertEqual(list(self.folder.glob("*.checkpoint_*")), [])
        self.wait_for_end(after)  # it would have found no file while the run was requeued

    def test_one_task_of_an_array_resumes(self):
        config, expected = self.long_run()
        run(["sweep", config, "--axis", "simulation.seed=2,1", "-o", str(self.folder / "many")])
        array = self.submit("--array=0-1", self.script("sweep"), "many")
        last = f"{array}_1"  # its number is the array's
        pids = self.stop_when_it_runs(self.folder / "many" / "1.h5", 1, "SLURM_ARRAY_TASK_ID=1")
        self.wait_for_end(f"{array}_0")
        self.slurm.call("scancel", "--signal=USR1", last)
        self.go_on_when_signalled(pids)
        self.start_again(last)
        self.assertEqual(self.slurm.states(f"{array}_0"), ["COMPLETED"], "only the task that was saved starts again")
        self.wait_for_end(last)
        self.assertNotIn("requeued", (self.folder / f"heddle_sweep_{array}_0.log").read_text())
        self.assertIn("resuming from", (self.folder / f"heddle_sweep_{array}_1.log").read_text())
        different = [d for d in differences(expected, self.folder / "many" / "1.h5") if d not in CONFIGURATION]
        self.assertEqual(different, [])

    def test_a_step_that_does_not_start_is_noticed(self):
        (self.folder / "a.toml").write_text(WORLDS["ecmp_pfc"])
        job = self.submit("--hold", self.script("run"), "a.toml")
        (self.slurm.folder / "pmix" / f"spmix_appdir_{os.getuid()}_{job}.0").mkdir()  # PMIx refuses: it is there already
        self.slurm.call("scontrol", "release", job)
        self.wait_for_end(job, "FAILED")
        self.assertEqual(self.slurm.show(job)["ExitCode"], "1:0", self.log())
        self.assertIn("srun has started no task", self.log())

    def test_requeueing_has_an_end(self):
        config, expected = self.long_run()
        arguments = [self.script("run"), config, "-o", "a.h5"]
        job = self.submit(*arguments, HEDDLE_MOST_RESTARTS="0")
        pids = self.stop_when_it_runs(self.result, 1, f"SLURM_JOB_ID={job}")
        self.slurm.call("scancel", "--signal=USR1", job)
        self.go_on_when_signalled(pids)
        self.wait_for_end(job, "FAILED")
        self.assertEqual(self.slurm.show(job)["ExitCode"], "75:0", self.log())
        self.assertIn("HEDDLE_MOST_RESTARTS=0), so it is not requeued again", self.log())
        job = self.submit(*arguments)
        self.wait_for_end(job)
        self.assertIn("resuming from", (self.folder / f"heddle_{job}.log").read_text())
        self.assertEqual([d for d in differences(expected, self.result) if d not in CONFIGURATION], [])

    def test_a_gpu_is_validated(self):
        """By programs that play theirs; the node of this Slurm has no GPU to be asked for."""
        programs = self.folder / "build" / "bin"
        programs.mkdir(parents=True)
        for name in ("heddle", "heddle-bench", "heddle_test_gpu", "heddle_test_acceptance"):
            (programs / name).write_text(f"#!/bin/bash\necho {name} >>{self.folder}/ran\necho '[  PASSED  ] 1 test.'\n")
            (programs / name).chmod(0o755)
        (programs / "heddle-bench").write_text(f"#!/bin/bash\necho case 12 {'0' * 16} {'1' * 16}\n")
        arguments = ("--gres=none", "--cpus-per-task=1", self.script("gpu-validate"))
        job = self.submit(*arguments, "correct", "bench", HEDDLE_PROGRAM=str(programs / "heddle"))
        self.wait_for_end(job)
        self.assertIn("all passed: correct bench", self.log())
        self.assertTrue((self.folder / f"heddle_gpu_{job}" / "bench" / "summary.txt").exists())
        (programs / "heddle_test_gpu").write_text("#!/bin/bash\necho '[  SKIPPED ] 1 test.'\n")
        job = self.submit(*arguments, HEDDLE_PROGRAM=str(programs / "heddle"))
        self.wait_for_end(job, "FAILED")
        self.assertEqual(self.slurm.show(job)["ExitCode"], "1:0", self.log())
        self.assertIn("failed: correct (of: correct sanitizer bench profile parameters switches whole)", self.log())


class Scripts(unittest.TestCase):
    """What is wrong before anything runs needs no Slurm."""

    def refused(self, script, *arguments, **environment):
        settings = {**os.environ, "SLURM_JOB_NAME": "heddle", "HEDDLE_HOME": str(ROOT), "HEDDLE_PROGRAM": HEDDLE, **environment}
        settings.setdefault("HEDDLE_SITE", "local")
        result = subprocess.run(
            ["bash", str(ROOT / "slurm" / script), *arguments], capture_output=True, text=True, timeout=30, env=settings
        )
        self.assertEqual(result.returncode, 2, result.stderr)
        return result.stderr

    def test_what_is_wrong_is_said(self):
        self.assertIn("which configuration?", self.refused("run.sbatch"))
        self.assertIn("no settings of the site 'moon'", self.refused("run.sbatch", "a.toml", HEDDLE_SITE="moon"))
        self.assertIn("no program /no/heddle", self.refused("run.sbatch", "a.toml", HEDDLE_PROGRAM="/no/heddle"))
        self.assertIn("no task of an array", self.refused("sweep.sbatch", "many"))
        self.assertIn("cannot read many/runs.txt", self.refused("sweep.sbatch", "many", SLURM_ARRAY_TASK_ID="0"))
        self.assertIn("which sweep?", self.refused("report.sbatch"))
        self.assertIn("no step 'variants' to be run here", self.refused("gpu-validate.sbatch", "variants"))
        self.assertIn("no program /no/heddle", self.refused("gpu-validate.sbatch", HEDDLE_PROGRAM="/no/heddle"))
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "runs.txt").write_text("0.toml\n1.toml\n")
            self.assertIn("submit with --array=0-1", self.refused("sweep.sbatch", folder, SLURM_ARRAY_TASK_ID="2"))
            for task in ("-1", "x"):  # -1 was the last line
                self.assertIn(
                    f"SLURM_ARRAY_TASK_ID={task} is no number of a run",
                    self.refused("sweep.sbatch", folder, SLURM_ARRAY_TASK_ID=task),
                )

    def test_nothing_is_left_on_other_nodes(self):
        """Two nodes, played by a srun that runs a task of each: each sees what lies in its /tmp afterwards."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for path, text in (
                (
                    "srun",
                    'while [[ "$1" == -* ]]; do shift; done\n' 'for node in other this; do SLURMD_NODENAME=$node "$@"; done\n',
                ),
                ("heddle", f'ls {folder}/tmp | wc -l >>{folder}/signs; echo "$@" >>{folder}/words\n'),
            ):
                (folder / path).write_text("#!/bin/bash\n" + text)
                (folder / path).chmod(0o755)
            (folder / "tmp").mkdir()
            settings = {
                **os.environ,
                "PATH": f"{folder}:{os.environ['PATH']}",
                "TMPDIR": f"{folder}/tmp",
                "SLURM_JOB_NAME": "heddle",
                "SLURMD_NODENAME": "this",
                "HEDDLE_HOME": str(ROOT),
                "HEDDLE_PROGRAM": f"{folder}/heddle",
                "HEDDLE_SITE": "local",
            }
            result = subprocess.run(
                ["bash", str(ROOT / "slurm" / "run.sbatch"), "a.toml"], capture_output=True, text=True, timeout=30, env=settings
            )
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual((folder / "signs").read_text().split(), ["0", "1"])
            self.assertEqual((folder / "words").read_text(), "run a.toml --quiet --resume auto\n" * 2)
            self.assertEqual(list((folder / "tmp").iterdir()), [])

    def test_every_setting_of_sbatch_is_explained(self):
        for path in (ROOT / "slurm").glob("*.sbatch"):
            for line in path.read_text().splitlines():
                if line.startswith("#SBATCH"):
                    self.assertRegex(line, r"^#SBATCH --\S+ +# \w", path.name)


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    if MISSING and result.wasSuccessful():  # ctest looks for these words
        print(f"skipped in part: Slurm is not installed ({', '.join(MISSING)} not found); ./bootstrap.sh deps test installs it")
    sys.exit(not result.wasSuccessful())
