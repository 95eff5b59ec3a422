"""`mpirun -n N heddle run` leaves the file that `heddle run` leaves, and says once what is wrong."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import time
import unittest
from unittest import mock

import h5py

from runs import CONFIGURATION, HEDDLE, INCAST, MPIRUN, MPI_ENVIRONMENT, WORLDS, differences, run, run_together, scratch_folder


# How a run can end, by its status: a world, and the exit code.
SMALL = """
[topology]
kind = "ai_zone"
racks = 4
gpus_per_rack = 2
ctsws = 2
uplinks_per_rtsw = 2
"""
ENDS = {
    "qp_failed": (
        SMALL
        + """
[roce]
rto = "20 us"
rto_tries = 2
[class.best_effort]
limit = "100 B"
[[generator]]
kind = "permutation"
bytes = "8 MiB"
[[message]]
src = 0
dst = 7
bytes = "64 KiB"
class = "best_effort"
""",
        3,
    ),
    "horizon": (
        WORLDS["ecmp_pfc"]
        + """
[simulation]
horizon = "33333333 ps"
""",
        0,
    ),
}


# Two messages milliseconds apart, links that fail between and after them, and a row every microsecond.
IDLE = """
[topology]
kind = "ai_zone"
racks = 2
gpus_per_rack = 4
ctsws = 2
uplinks_per_rtsw = 2
[dcqcn]
enabled = false
[[message]]
src = 0
dst = 5
bytes = "64 KiB"
[[message]]
src = 2
dst = 6
bytes = "64 KiB"
post = "5 ms"
[[failure]]
link = ["rtsw0", "ctsw0"]
at = "2.0005 ms"
until = "2.3 ms"
[[failure]]
link = ["rtsw1", "ctsw1"]
at = "9 ms"
until = "9.001 ms"
[output]
series_interval = "1 us"
"""


def processor_s(pid):
    """What a process has used of processors so far."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@unittest.skipIf(MPIRUN is None, "mpirun is not installed")
class Ranks(unittest.TestCase):
    def setUp(self):
        self.folder = scratch_folder(self)

    def configuration(self, text):
        path = self.folder / "world.toml"
        path.write_text(text)
        return str(path)

    def test_files_are_equal(self):
        for name, text in WORLDS.items():
            config = self.configuration(text)
            alone = self.folder / "alone.h5"
            result = run(["run", config, "-q", "--force", "-o", str(alone)])
            for ranks, policy, exchange in ((2, "metis", "ranks"), (3, "blocks", "auto"), (8, "metis", "node")):
                together = self.folder / "together.h5"
                sets = ["--set", f"partition.policy={policy}", "--set", f"partition.exchange={exchange}"]
                result = run(["run", config, *sets, "-q", "--force", "-o", str(together)], ranks)
                self.assertEqual(result.stdout.count("status complete"), 1, result.stdout)
                different = [d for d in differences(alone, together) if d not in CONFIGURATION]  # it names both
                self.assertEqual(different, [], f"{name} in {ranks} ranks")
                with h5py.File(together) as file:
                    self.assertEqual(file.attrs["ranks"], ranks)
                    self.assertGreater(file["perf"].attrs["exchanges"], 10)
                    self.assertGreater(file["perf"].attrs["exchanged_bytes"], 10_000)

    def test_idle_time(self):
        """One process counts instants at which nothing changes all at once, ranks go through them one by one: also where a link
        fails in between, and behind the end of the work."""
        config = self.configuration(IDLE)
        alone, together = self.folder / "alone.h5", self.folder / "together.h5"
        for path, ranks in ((alone, 1), (together, 2)):
            run(["run", config, "-q", "--force", "-o", str(path)], ranks)
        self.assertEqual(differences(alone, together), [])
        with h5py.File(alone) as file:
            self.assertLess(file["series/tier/time_ps"].shape[0], 300)
            instants = file.attrs["end_ps"] // 1_000_000 + 1  # the end is one, too
            links = file["series/tier/links"][:]
            self.assertEqual(list(file["histogram/queue_depth/count"][:].sum(axis=1)), list(links * instants))

    def test_which_exchange_is_said(self):
        config = self.configuration(WORLDS["ecmp_pfc"])
        end = ["--force", "-o", str(self.folder / "x.h5")]
        for exchange, said in (("auto", "by node (1 node)"), ("node", "by node (1 node)"), ("ranks", "rank by rank")):
            result = run(["run", config, "--set", f"partition.exchange={exchange}", *end], 2)
            self.assertIn(f"; exchange {said}; ", result.stderr)
        self.assertNotIn("exchange", run(["run", config, *end]).stderr, "of one process there is none")

    def test_ends_are_those_of_one_process(self):
        for status, (text, code) in ENDS.items():
            config = self.configuration(text)
            alone, together = self.folder / "alone.h5", self.folder / "together.h5"
            one = run(["run", config, "-q", "--force", "-o", str(alone)], code=code)
            self.assertIn(f"status {status}", one.stdout)
            for ranks in (2, 3):
                run(["run", config, "-q", "--force", "-o", str(together)], ranks, code=code)
                self.assertEqual(differences(alone, together), [], f"{status} in {ranks} ranks")

    def test_memory_used_up_on_one_rank_ends_all(self):
        greedy = '[[message]]\nsrc = %d\ndst = 7\nbytes = "10 GB"\n'  # nothing pauses them
        config = self.configuration(
            SMALL + "[class.lossless]\npfc = false\n[buffer.ctsw]\nkind = 'shared'\n" + greedy % 0 + greedy % 5
        )
        result = run(["run", config, "-q", "--memory", "37MB", "-o", str(self.folder / "x.h5")], 2, code=1)
        self.assertIn("the memory for queued packets is exhausted", result.stdout + result.stderr)

    def test_ctrl_c_ends_all_in_order(self):
        config = self.configuration(WORLDS["ecmp_pfc"].replace("KiB", "MiB"))
        part, whole = self.folder / "x.h5.part", self.folder / "x.h5"
        command = [MPIRUN, "-n", "2", HEDDLE, "run", config, "-q", "-o", str(whole)]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **MPI_ENVIRONMENT}
        ) as process:
            while not part.exists() and process.poll() is None:
                time.sleep(0.01)
            ranks = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            # The file is there as soon as rank 0 is set up; the other one may still be: it is when it has worked on.
            begun = processor_s(ranks[1])
            while processor_s(ranks[1]) < begun + 0.3 and process.poll() is None:
                time.sleep(0.01)
            os.kill(int(ranks[1]), signal.SIGINT)  # one of them is enough
            output, _ = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 3, output)
        self.assertIn("status interrupted", output)
        with h5py.File(whole) as file:
            self.assertEqual(file.attrs["status"], "interrupted")

    def test_what_is_wrong_is_said_once(self):
        config = self.configuration(WORLDS["ecmp_pfc"])
        result = run(["run", config, "-q", "--set", "topology.racks=nine", "-o", str(self.folder / "x.h5")], 3, code=2)
        self.assertEqual(result.stderr.count("error:"), 1, result.stderr)
        self.assertIn("topology.racks", result.stderr)

    def test_wrong_arguments_are_said_once(self):
        config = self.configuration(WORLDS["ecmp_pfc"])
        for arguments, message in (
            (["run", config, "--thread", "2"], "is no option of it"),
            (["rum", config], "is no subcommand"),
            (["run"], "CONFIG is required"),
        ):
            result = run(arguments, 3, code=2)
            self.assertEqual(result.stderr.count(message), 1, result.stderr)
        # of one rank only: the others do not wait for it
        good = ["run", config, "-q", "-o", self.folder / "x.h5"]
        result = run_together(good, [*good, "--thread", "2"], [*good, "--thread", "2"], code=2)
        self.assertEqual(result.stderr.count("is no option of it"), 1, result.stderr)
        self.assertFalse((self.folder / "x.h5.part").exists())

    def test_more_ranks_than_racks_are_refused(self):
        config = self.configuration("[topology]\nkind = 'star'\nhosts = 4\n" + INCAST.replace("24", "3"))
        result = run(["run", config, "-q", "-o", str(self.folder / "x.h5")], 2, code=2)
        self.assertIn("2 ranks", result.stderr)

    def refused(self, first, second, *more):
        """What is said of one rank with each of two configurations, the second with more arguments."""
        end = ["-q", "-o", self.folder / "x.h5"]
        return run_together(["run", first, *end], ["run", second, *end, *more], code=2)

    def test_ranks_with_different_configurations_are_refused(self):
        first = self.configuration(WORLDS["ecmp_pfc"])
        other = self.folder / "other.toml"
        other.write_text(WORLDS["ecmp_pfc"].replace("256 KiB", "255 KiB"))
        result = self.refused(first, other)
        self.assertEqual(result.stderr.count("error:"), 1, result.stderr)
        self.assertIn("rank 1 was not given what rank 0 was", result.stderr)
        self.assertIn("generator[0].bytes: '256 KiB' on rank 0, '255 KiB' there", result.stderr)
        self.assertFalse((self.folder / "x.h5.part").exists())

    def test_ranks_with_different_arguments_are_refused(self):
        config = self.configuration(WORLDS["ecmp_pfc"])
        for argument, named in (
            (["--set", "checkpoint.every=50us"], "checkpoint.every: "),
            (["--set", "output.series_interval=50us"], "output.series_interval: "),
            (["--resume", "auto"], "--resume: no on rank 0, auto there"),
        ):
            self.assertIn(named, self.refused(config, config, *argument).stderr)
        result = run_together(*(["run", config, "-q", "-o", self.folder / name] for name in ("x.h5", "y.h5")), code=2)
        self.assertIn("-o: ", result.stderr)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["world.toml"])

    def test_what_one_rank_finds_wrong_is_said(self):
        result = self.refused(self.configuration(WORLDS["ecmp_pfc"]), self.folder / "missing.toml")
        self.assertEqual(result.stderr.count("error:"), 1, result.stderr)
        self.assertIn("missing.toml: cannot open", result.stderr)

    def test_checking_is_refused(self):
        config = self.configuration(WORLDS["ecmp_pfc"])
        result = run(["run", config, "-q", "--check", "-o", str(self.folder / "x.h5")], 2, code=2)
        self.assertIn("use one rank", result.stderr)

    def test_a_rank_that_is_killed_ends_all(self):
        config = self.configuration(WORLDS["ecmp_pfc"].replace("KiB", "MiB"))
        part = self.folder / "x.h5.part"
        command = [MPIRUN, "-n", "3", HEDDLE, "run", config, "-q", "-o", str(self.folder / "x.h5")]
        environment = {**os.environ, **MPI_ENVIRONMENT}
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment) as process:
            for _ in range(600):
                if part.exists():
                    break
                time.sleep(0.1)
            ranks = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            self.assertEqual(len(ranks), 3)
            os.kill(int(ranks[1]), signal.SIGKILL)
            self.assertNotEqual(process.wait(timeout=60), 0)
        self.assertFalse((self.folder / "x.h5").exists())
        run(["info", str(part)])  # what was written can be read

    def test_what_simulates_nothing_is_done_once(self):
        config = self.configuration(WORLDS["ecmp_pfc"])
        alone, several = run(["check", config]), run(["check", config], 3)
        said = [re.sub(r"^memory .*", "", each.stdout, flags=re.MULTILINE) for each in (alone, several)]  # as measured
        self.assertEqual((several.returncode, said[1]), (0, said[0]), several.stderr)
        script = f"{HEDDLE} run {config} -q -o {self.folder}/x.h5 >/dev/null && {HEDDLE} info {self.folder}/x.h5"
        command, environment = [MPIRUN, "-n", "2", "sh", "-c", script], {**os.environ, **MPI_ENVIRONMENT}
        both = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
        self.assertEqual((both.returncode, both.stdout.count("status")), (0, 1), both.stderr)
        result = run(["info", str(self.folder / "none.h5")], 2, code=2)
        self.assertEqual(result.stderr.count("error:"), 1, result.stderr)

    def test_different_commands_are_refused(self):
        config = self.configuration(WORLDS["ecmp_pfc"])
        for first, second in (("run", "check"), ("check", "run"), ("config", "check")):
            with contextlib.chdir(self.folder):
                result = run_together([first, config], [second, config], code=2)
            self.assertEqual(result.stderr.count("error:"), 1, result.stderr)
            self.assertIn(f"rank 0 was told to {first}, rank 1 to {second}", result.stderr)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["world.toml"])

    def test_srun_without_mpi_is_refused(self):
        config = self.configuration(WORLDS["ecmp_pfc"])
        with mock.patch.dict(os.environ, SLURM_STEP_NUM_TASKS="4"):
            result = run(["run", config, "-q", "-o", str(self.folder / "x.h5")], code=2)
        self.assertIn("srun has started 4 tasks, but MPI joins 1", result.stderr)


if __name__ == "__main__":
    unittest.main()
