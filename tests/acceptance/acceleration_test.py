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
# How the run was made and went, not what it found.
BESIDE = ("config", "parameter", "perf", "acceleration")


def run(folder, name, *arguments):
    """The result file of a run in `folder`, and what it printed."""
    path = pathlib.Path(folder) / f"{name}.h5"
    done = subprocess.run(
        [os.environ["HEDDLE_BINARY"], "run", "two.toml", "-o", path, *arguments],
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
        (pathlib.Path(self.folder) / "two.toml").write_text(CONFIG, encoding="utf-8")

    def test_every_table_is_that_of_a_run_that_simulates_all(self):
        plain, first = run(self.folder, "plain")
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
        plain, done = run(self.folder, "plain")
        self.assertNotIn("repeat what was simulated", done.stdout)
        with heddle.open(plain) as result:
            self.assertEqual(len(result.skips()), 0)

    def test_what_follows_every_tick_is_refused(self):
        _, done = run(self.folder, "refused", "--set", "acceleration.mode=exact", "--check")
        self.assertEqual(done.returncode, 2)
        self.assertIn('acceleration.mode = "off"', done.stderr)


if __name__ == "__main__":
    unittest.main()
