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

# Four racks that touch nothing in common, so that each of two ranks has two.
FOUR = """
[topology]
kind = "ai_zone"
racks = 4
gpus_per_rack = 4
ctsws = 2
uplinks_per_rtsw = 2
[dcqcn]
enabled = false
[roce]
rto = "400 us"
rto_tries = 2
[class.best_effort]
limit = "100 B"
[[message]]
src = 0
dst = 1
bytes = "100 MB"
[[message]]
src = 4
dst = 5
bytes = "80 MB"
[[message]]
src = 8
dst = 9
bytes = "90 MB"
[[message]]
src = 12
dst = 14
bytes = "8 KB"
post = "500 us"
[output]
series_interval = "0 ps"
"""

# A packet takes 100 ns, so that the period divides the interval of the rows.
EVEN = """
[topology]
kind = "ai_zone"
racks = 2
gpus_per_rack = 2
ctsws = 2
uplinks_per_rtsw = 2
[dcqcn]
enabled = false
[roce]
mtu = "4898 B"
ack_every = 1
[[message]]
src = 0
dst = 2
bytes = "20 MB"
[output]
series_interval = "10 us"
"""

# All racks with traffic go to one rank, spines to another.
SPINES_ELSEWHERE = """
[topology]
kind = "ai_zone"
racks = 4
gpus_per_rack = 4
ctsws = 4
uplinks_per_rtsw = 4
[[job]]
gpus = 8
[[job.collective]]
kind = "all_reduce"
sizes = ["1 MB"]
[[message]]
src = 1
dst = 5
bytes = "1 MB"
[output]
series_interval = "10 us"
"""


def found_otherwise(path_a, path_b):
    """What differs, but for how the runs were made."""
    return [line for line in differences(path_a, path_b) if line not in CONFIGURATION and "acceleration/skips" not in line]


@unittest.skipIf(MPIRUN is None, "mpirun is not installed")
class SkippingRanks(unittest.TestCase):
    def simulated(self, text, sets=()):
        """A configuration, and the file of a run that simulates all of it."""
        folder = scratch_folder(self)
        config, plain = folder / "world.toml", folder / "plain.h5"
        config.write_text(text)
        self.assertEqual(run(["run", str(config), *sets, "-q", "-o", str(plain)]).returncode, 0)
        return config, plain

    def skipped(self, config, plain, ranks, sets=()):
        """The file of a run in `ranks` that skips what repeats, which is as `plain`."""
        exact = plain.with_name(f"exact{ranks}.h5")
        result = run(["run", str(config), *sets, "--set", "acceleration.mode=exact", "-q", "-o", str(exact)], ranks)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(found_otherwise(plain, exact), [])
        return exact

    def test_files_are_those_of_a_run_that_simulates_all(self):
        config, plain = self.simulated(PAIRS)
        for ranks, policy in ((1, "blocks"), (2, "metis"), (3, "blocks"), (4, "blocks")):
            with self.subTest(ranks=ranks):
                exact = self.skipped(config, plain, ranks, ["--set", f"partition.policy={policy}"])
                with heddle.open(exact) as done, heddle.open(plain) as all_of_it:
                    self.assertEqual(done.attrs["digest"], all_of_it.attrs["digest"])
                    self.assertGreater(int(done.skips()["packet_hops"].sum()) * 2, done.attrs["packet_hops"])

    def test_jobs_that_touch_nothing_in_common_skip_apart(self):
        config, plain = self.simulated(APART)
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
                exact = plain.with_name("exact.h5")
                result = run(["run", str(config), *exactly, *sets, "-q", "--force", "-o", str(exact)], ranks)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn("that repeat what was simulated", result.stdout)
                other = [line for line in found_otherwise(plain, exact) if "perf/checkpoint" not in line]
                self.assertEqual(other, [])
                with heddle.open(exact) as done:
                    self.assertEqual(len(set(done.skips()["part"])), 1)  # of two, one has nothing to skip

    def test_rows_of_the_series_lie_in_what_is_skipped(self):
        rows = ["--set", "output.series_interval=10 us"]  # of a period of some 25 us
        config, plain = self.simulated(APART, rows)
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                exact = self.skipped(config, plain, ranks, [*rows, "--set", "partition.policy=blocks"])
                with heddle.open(exact) as done:
                    self.assertGreater(int(done.skips()["packet_hops"].sum()) * 10, done.attrs["packet_hops"])

    def test_all_rows_at_the_start_of_a_period(self):
        """A packet of 100 ns, so that the period divides the rows' interval: nothing else stops within the period that is simulated."""
        config, plain = self.simulated(EVEN)
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                exact = self.skipped(config, plain, ranks)
                with heddle.open(exact) as done:
                    self.assertGreater(int(done.skips()["packet_hops"].sum()) * 2, done.attrs["packet_hops"])

    def test_one_job_over_several_racks_is_not_apart_from_its_spines(self):
        config, plain = self.simulated(SPINES_ELSEWHERE)
        for ranks in (2, 3):
            with self.subTest(ranks=ranks):
                self.skipped(config, plain, ranks)

    def four_racks(self, folder, name, sets, status):
        """The file of a run that simulates all, and those of 1 to 4 ranks that need not."""
        config = folder / "four.toml"
        config.write_text(FOUR)
        files = {}
        for ranks, mode in ((1, "off"), (1, "exact"), (2, "exact"), (3, "exact"), (4, "exact")):
            files[ranks, mode] = folder / f"{name}_{mode}{ranks}.h5"
            how = ["--set", f"acceleration.mode={mode}", "--set", "partition.policy=blocks", *sets]
            result = run(["run", str(config), *how, "-q", "-o", str(files[ranks, mode])], ranks)
            self.assertEqual(result.returncode, 0 if status == "complete" else 3, result.stderr)
        plain = files.pop((1, "off"))
        for file in files.values():
            self.assertEqual(found_otherwise(plain, file), [])
            with heddle.open(file) as done, heddle.open(plain) as all_of_it:
                for name in ("digest", "end_ps", "status"):
                    self.assertEqual(done.attrs[name], all_of_it.attrs[name])
                self.assertEqual(done.attrs["status"], status)
        return files

    def test_each_rank_has_several_that_touch_nothing_in_common(self):
        for ranks, file in self.four_racks(scratch_folder(self), "skip", [], "complete").items():
            with self.subTest(ranks=ranks), heddle.open(file) as done:
                self.assertGreater(int(done.skips()["packet_hops"].sum()) * 4, done.attrs["packet_hops"])

    def test_a_queue_pair_that_fails_in_one_ends_all_at_that_instant(self):
        # a packet finds no room, is sent again, and no more; with traffic that may be dropped nothing is skipped
        self.four_racks(scratch_folder(self), "fail", ["--set", "message.3.class=best_effort"], "qp_failed")

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
