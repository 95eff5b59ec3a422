"""acceleration.mode = "exact" in several ranks: they find what repeats together, and leave the file of a run that simulates all."""

import unittest

import heddle

from runs import CONFIGURATION, MPIRUN, differences, run, scratch_folder

# Two messages from rack to rack that meet nobody; racks are dealt out to ranks.
PAIRS = """
[topology]
kind = "ai_zone"
racks = 4
gpus_per_rack = 4
ctsws = 2
uplinks_per_rtsw = 4
[routing]
policy = "path_pinning"
[dcqcn]
enabled = false
[[message]]
src = 0
dst = 4
bytes = "40 MB"
[[message]]
src = 9
dst = 13
bytes = "40 MB"
[output]
series_interval = "70 us"
link_series = true
"""

# In one rack a message that meets nobody; in the other an all-to-all, whose packets meet at the same instant all the time.
APART = """
[topology]
kind = "ai_zone"
racks = 2
gpus_per_rack = 8
ctsws = 2
uplinks_per_rtsw = 2
[dcqcn]
enabled = false
[[message]]
src = 0
dst = 4
bytes = "40 MB"
[[job]]
gpus = 8
first_gpu = 8
gpus_per_server = 1
[[job.collective]]
kind = "all_to_all"
sizes = ["1 MiB"]
repeat = 20
[output]
series_interval = "170 us"
link_series = true
"""


def found_otherwise(path_a, path_b):
    """What differs, but for how the runs were made."""
    return [line for line in differences(path_a, path_b) if line not in CONFIGURATION and "acceleration/skips" not in line]


@unittest.skipIf(MPIRUN is None, "mpirun is not installed")
class SkippingRanks(unittest.TestCase):
    def test_files_are_those_of_a_run_that_simulates_all(self):
        folder = scratch_folder(self)
        config = folder / "pairs.toml"
        config.write_text(PAIRS)
        plain = folder / "plain.h5"
        self.assertEqual(run(["run", str(config), "-q", "-o", str(plain)]).returncode, 0)
        for ranks, policy in ((1, "blocks"), (2, "metis"), (3, "blocks"), (4, "blocks")):
            with self.subTest(ranks=ranks):
                exact = folder / f"exact{ranks}.h5"
                sets = ["--set", "acceleration.mode=exact", "--set", f"partition.policy={policy}"]
                result = run(["run", str(config), *sets, "-q", "-o", str(exact)], ranks)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(found_otherwise(plain, exact), [])
                with heddle.open(exact) as done, heddle.open(plain) as all_of_it:
                    self.assertEqual(done.attrs["digest"], all_of_it.attrs["digest"])
                    self.assertGreater(int(done.skips()["packet_hops"].sum()) * 2, done.attrs["packet_hops"])

    def test_jobs_that_touch_nothing_in_common_skip_apart(self):
        folder = scratch_folder(self)
        config = folder / "apart.toml"
        config.write_text(APART)
        plain = folder / "plain.h5"
        self.assertEqual(run(["run", str(config), "-q", "-o", str(plain)]).returncode, 0)
        exactly = ["--set", "acceleration.mode=exact"]
        self.assertIn("2 parts of the workload touch nothing in common", run(["check", str(config), *exactly]).stdout)
        for ranks, sets in (
            (1, []),
            (1, ["--threads", "2"]),
            (1, ["--set", "checkpoint.every=300 us"]),
            (2, ["--set", "partition.policy=blocks"]),
            (3, ["--set", "partition.policy=blocks"]),
        ):
            with self.subTest(ranks=ranks, sets=sets):
                exact = folder / "exact.h5"
                result = run(["run", str(config), *exactly, *sets, "-q", "--force", "-o", str(exact)], ranks)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn("that repeat what was simulated", result.stdout)
                other = [line for line in found_otherwise(plain, exact) if "perf/checkpoint" not in line]
                self.assertEqual(other, [])
                with heddle.open(exact) as done:
                    self.assertEqual(len(set(done.skips()["part"])), 1)  # of two, one has nothing to skip

    def test_little_memory_does_for_one_engine(self):
        folder = scratch_folder(self)
        config = folder / "apart.toml"
        config.write_text(APART)
        digests = []
        for mode in ("off", "exact"):
            path = folder / f"{mode}.h5"
            result = run(["run", str(config), "--set", f"acceleration.mode={mode}", "--memory", "2MB", "-q", "-o", str(path)])
            self.assertEqual(result.returncode, 0, result.stderr)
            with heddle.open(path) as done:
                digests.append(done.attrs["digest"])
        self.assertEqual(digests[0], digests[1])

    def test_coarse_packets_say_the_same_in_several_ranks(self):
        folder = scratch_folder(self)
        config = folder / "pairs.toml"
        config.write_text(PAIRS)
        files = {}
        for ranks in (1, 2):
            files[ranks] = folder / f"bounded{ranks}.h5"
            result = run(["run", str(config), "-q", "--set", "acceleration.mode=bounded", "-o", str(files[ranks])], ranks)
            self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(found_otherwise(files[1], files[2]), [])
        with heddle.open(files[2]) as several:
            self.assertEqual(len(several.estimates()), 3)


if __name__ == "__main__":
    unittest.main()
