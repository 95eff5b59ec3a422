"""acceleration.mode = "bounded": times with their error, which holds; what says nothing with coarse packets is refused or labelled."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import heddle

# Seven senders contend for one receiver's link, twice: PFC pauses them.
CONFIG = """
[topology]
kind = "ai_zone"
racks = 2
gpus_per_rack = 8
ctsws = 2
uplinks_per_rtsw = 4
[dcqcn]
enabled = false
[[job]]
gpus = 16
gpus_per_server = 1
channels = 2
algorithm = "ring"
protocol = "simple"
qps_per_connection = 1
[[job.collective]]
kind = "all_reduce"
sizes = ["16 MiB", "32 MiB"]
[output]
series_interval = "50 us"
"""
MESSAGES = """
[topology]
kind = "star"
hosts = 8
[dcqcn]
enabled = false
[[generator]]
kind = "incast"
fan_in = 7
bytes = "2 MiB"
"""


class Bounded(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        (self.folder / "rings.toml").write_text(CONFIG, encoding="utf-8")
        (self.folder / "incast.toml").write_text(MESSAGES, encoding="utf-8")

    def heddle(self, *arguments, code=0):
        done = subprocess.run(
            [os.environ["HEDDLE_BINARY"], *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, check=False
        )
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def run_both(self, config, *more):
        self.heddle("run", config, "-o", "off.h5", *more)
        bounded = self.heddle("run", config, "-o", "bounded.h5", "--set", "acceleration.mode=bounded", *more)
        return bounded.stdout

    def test_times_of_collectives_are_within_their_estimates(self):
        said = self.run_both("rings.toml")
        self.assertIn("(+-)", said)
        self.assertIn("coarse packets of ", said)
        with heddle.open(self.folder / "off.h5") as off, heddle.open(self.folder / "bounded.h5") as bounded:
            self.assertGreater(bounded.mtus_of_packet, 1)
            self.assertEqual(off.mtus_of_packet, 1)
            self.assertEqual(len(off.estimates()), 0)
            estimates = bounded.estimates()
            self.assertEqual([str(of) for of in estimates["of"]], ["collective", "collective", "run"])
            truth, told = off.collectives(), bounded.collectives()
            for i in range(2):
                true_ps = truth["finish_ps"][i] - truth["start_ps"][i]
                self.assertAlmostEqual(told["finish_ps"][i] - told["start_ps"][i], estimates["time_ps"][i], delta=100)
                self.assertLessEqual(abs(estimates["time_ps"][i] - true_ps), estimates["error_ps"][i])
            self.assertLess(bounded.attrs["packet_hops"] * 2, off.attrs["packet_hops"])
            self.assertAlmostEqual(bounded.attrs["end_ps"], estimates["time_ps"][2], delta=100)

    def test_times_of_messages_are_within_their_estimates(self):
        self.run_both("incast.toml")
        with heddle.open(self.folder / "off.h5") as off, heddle.open(self.folder / "bounded.h5") as bounded:
            self.assertEqual(bounded.mtus_of_packet, 8)
            truth, told = off.messages(), bounded.messages()
            estimates = bounded.estimates().query("of == 'message'").set_index("id")
            self.assertEqual(len(estimates), len(truth))
            for row in truth.itertuples():
                time_ps = told["finish_ps"][row.id] - told["posted_ps"][row.id]
                self.assertLessEqual(abs(time_ps - (row.finish_ps - row.posted_ps)), estimates["error_ps"][row.id] + 100)

    def test_ranks_threads_and_resuming_change_nothing(self):
        self.heddle("run", "rings.toml", "-o", "one.h5", "--threads", "1", "--set", "acceleration.mode=bounded")
        self.heddle("run", "rings.toml", "-o", "two.h5", "--threads", "2", "--set", "acceleration.mode=bounded")
        with heddle.open(self.folder / "one.h5") as one, heddle.open(self.folder / "two.h5") as two:
            self.assertEqual(one.attrs["digest"], two.attrs["digest"])
            self.assertTrue(one.estimates().equals(two.estimates()))

    def test_info_and_compare_say_what_they_are_of(self):
        self.run_both("rings.toml")
        self.assertIn("coarse packets of ", self.heddle("info", "bounded.h5").stdout)
        self.assertNotIn("coarse packets", self.heddle("info", "off.h5").stdout)
        compared = self.heddle("compare", "off.h5", "bounded.h5").stdout
        self.assertIn("MTUs a packet, times +- ", compared)
        self.assertIn("of packets of different sizes do not compare", compared)
        told = json.loads(self.heddle("info", "--json", "bounded.h5").stdout)["coarse_packets"]
        self.assertEqual(told["collectives"]["times"], 2)
        self.assertGreater(told["collectives"]["error"]["max"], 0)
        self.assertIsNone(json.loads(self.heddle("info", "--json", "off.h5").stdout)["coarse_packets"])

    def test_another_result_than_that_of_all_packets(self):
        """So a sweep or --resume does not take one for the other."""
        self.run_both("rings.toml")
        with heddle.open(self.folder / "off.h5") as off, heddle.open(self.folder / "bounded.h5") as bounded:
            self.assertNotEqual(off.attrs["config_hash"], bounded.attrs["config_hash"])
        again = self.heddle("run", "rings.toml", "-o", "bounded.h5", "--resume", "auto", code=2)
        self.assertIn("acceleration.mode", again.stderr)

    def test_a_sweep_sees_whether_packets_are_coarse(self):
        self.heddle("sweep", "incast.toml", "--axis", "simulation.seed=1,2", "-o", "sweep", "--run")

        def compared(before, now, code):
            for config in (self.folder / "sweep").glob("*.toml"):
                text = config.read_text(encoding="utf-8")
                self.assertIn(f'mode = "{before}"', text)
                config.write_text(text.replace(f'mode = "{before}"', f'mode = "{now}"'), encoding="utf-8")
            return self.heddle("compare", "sweep", code=code)

        compared("auto", "off", 0)
        compared("off", "exact", 0)
        done = compared("exact", "bounded", 3)
        self.assertIn("acceleration.mode", done.stdout + done.stderr)

    def test_beyond_the_tolerance_is_said_last(self):
        done = self.heddle("run", "rings.toml", "--set", "acceleration.mode=bounded", "--set", "acceleration.tolerance=0.0001")
        self.assertIn("may be off by more than 0.01 % (acceleration.tolerance)", done.stdout)

    def test_what_coarse_packets_cannot_answer_is_refused(self):
        for settings, why in (
            (["routing.policy=spray"], "single packets or flowlets"),
            (["acceleration.coarse=3"], "2, 4, 8 or 16"),
            (["acceleration.coarse=16"], "can be told apart from the truth"),
            (["job.0.collective.0.sizes=['64 KiB']", "job.0.collective.0.repeat=2"], "8 at least must be left"),
        ):
            sets = [part for setting in ("acceleration.mode=bounded", *settings) for part in ("--set", setting)]
            done = self.heddle("run", "rings.toml", *sets, code=2)
            self.assertIn(why, done.stderr)
            self.assertFalse((self.folder / "rings.h5").exists())
        done = self.heddle("run", "rings.toml", "--check", "--set", "acceleration.mode=bounded", code=2)
        self.assertIn('acceleration.mode = "bounded" leaves out', done.stderr)


if __name__ == "__main__":
    unittest.main()
