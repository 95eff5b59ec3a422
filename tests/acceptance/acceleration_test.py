"""acceleration.mode = "exact": the result file is that of a run in which everything was simulated, rows of series in skips too."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import h5py
import numpy as np

import heddle

# Two messages at line rate, four to a server's switch: nobody meets anybody, and rows lie in the middle of periods.
CONFIG = """
[topology]
kind = "star"
hosts = 4
[dcqcn]
enabled = false
[roce]
ack_high_priority = true
[[generator]]
kind = "permutation"
bytes = "40 MB"
[output]
series_interval = "7 us"
link_series = true
"""
# Two racks that touch nothing in common.
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
[[message]]
src = 9
dst = 13
bytes = "40 MB"
"""
# How the run was made and went, not what it found.
BESIDE = ("config", "parameter", "perf", "acceleration")


def run(folder, name, *arguments, config="two.toml"):
    """The result file of a run in `folder`, and what it printed."""
    path = pathlib.Path(folder) / f"{name}.h5"
    done = subprocess.run(
        [os.environ["HEDDLE_BINARY"], "run", config, "-o", path, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return path, done


class Acceleration(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        for name, text in (("two.toml", CONFIG), ("apart.toml", APART)):
            (pathlib.Path(self.folder) / name).write_text(text, encoding="utf-8")

    def test_every_table_is_that_of_a_run_that_simulates_all(self):
        plain, first = run(self.folder, "plain", "--set", "acceleration.mode=off")
        exact, second = run(self.folder, "exact", "--set", "acceleration.mode=exact")
        self.assertEqual((first.returncode, second.returncode), (0, 0), first.stderr + second.stderr)
        self.assertIn("that repeat what was simulated, to the picosecond", second.stdout)
        with h5py.File(plain) as a, h5py.File(exact) as b:
            self.assertEqual(a.attrs["digest"], b.attrs["digest"])
            names = []
            a.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None)
            compared = [name for name in names if name.split("/")[0] not in BESIDE]
            self.assertGreater(len(compared), 30)
            self.assertGreater(len(a["series/link/time_ps"]), 100)
            for name in compared:
                np.testing.assert_array_equal(a[name][()], b[name][()], err_msg=name)

    def test_skips_are_in_the_file(self):
        exact, done = run(self.folder, "exact", "--set", "acceleration.mode=exact")
        self.assertEqual(done.returncode, 0, done.stderr)
        with heddle.open(exact) as result:
            skips = result.skips()
            self.assertGreater(len(skips), 0)
            self.assertTrue((skips["to_ps"] - skips["from_ps"] == skips["period_ps"] * skips["repetitions"].astype(np.int64)).all())
            self.assertGreater(int(skips["packet_hops"].sum()) * 2, int(result.file.attrs["packet_hops"]))

    def test_a_run_that_simulates_all_has_none(self):
        for words, config in (
            (("--set", "acceleration.mode=off"), "two.toml"),
            (("--check",), "two.toml"),
            ((), "apart.toml"),
        ):
            plain, done = run(self.folder, "plain", "--force", *words, config=config)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("repeat what was simulated", done.stdout)
            with heddle.open(plain) as result:
                self.assertEqual(len(result.skips()), 0)

    def test_left_to_itself_a_run_skips_what_repeats_itself(self):
        auto, done = run(self.folder, "auto")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("that repeat what was simulated, to the picosecond", done.stdout)
        with heddle.open(auto) as result:
            self.assertEqual(result.value("acceleration.mode"), "auto")
            self.assertGreater(len(result.skips()), 0)

    def test_jobs_apart_are_skipped_where_that_is_asked_for(self):
        _, done = run(self.folder, "apart", "--set", "acceleration.mode=exact", config="apart.toml")
        self.assertIn("that repeat what was simulated, to the picosecond", done.stdout)
        checks = {
            mode: subprocess.run(
                [os.environ["HEDDLE_BINARY"], "check", "apart.toml", "--set", f"acceleration.mode={mode}"],
                cwd=self.folder,
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            for mode in ("auto", "exact", "off")
        }
        self.assertRegex(checks["auto"], r"exact +2 parts of the workload .*: with acceleration.mode = .exact., on CPUs")
        self.assertRegex(checks["exact"], r"exact +2 parts of the workload .*: on CPUs")
        self.assertNotIn("parts of the workload", checks["off"])

    def test_a_full_file_ends_a_long_skip(self):
        """Of a second of simulated time a row every 7 us would be 140,000."""
        path, done = run(self.folder, "full", "--set", "generator.0.bytes=50 GB", "--set", "output.max_bytes=1 MB")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("status output_full", done.stdout)
        with heddle.open(path) as result:
            self.assertGreater(len(result.skips()), 0)
            self.assertLess(len(result.series("queue_bytes")), 20000)

    def test_only_who_asked_for_it_is_told_that_nothing_repeats_itself(self):
        short = ("--set", "generator.0.bytes=4 KB", "--force")
        self.assertNotIn("skipped", run(self.folder, "short", *short)[1].stdout)
        self.assertIn("skipped nothing", run(self.folder, "short", *short, "--set", "acceleration.mode=exact")[1].stdout)

    def test_what_follows_every_tick_is_refused(self):
        _, done = run(self.folder, "refused", "--set", "acceleration.mode=exact", "--check")
        self.assertEqual(done.returncode, 2)
        self.assertIn('acceleration.mode = "off"', done.stderr)


if __name__ == "__main__":
    unittest.main()
