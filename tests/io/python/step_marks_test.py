"""Variants of a step that differ in their congestion control: where switches mark nothing, they are one run."""

import pathlib
import tempfile
import unittest

import heddle
import heddle.step
from heddle.report import write_report
from heddle.step.parts import ALONE
from heddle.step.runs import Point, alike_until_a_mark
from heddle.step.variants import variants_of
from helpers import said
from small_runs import HEDDLE, sets
from small_steps import CONFIG, TINY

ON = "dcqcn.enabled"
BOTH = {ON: [False, True]}
QUIET = {**TINY, "ecn.kmin": "50 MB", "ecn.kmax": "60 MB"}
BUSY = {**TINY, "ecn.kmin": "0 B", "ecn.kmax": "1 KB", "ecn.pmax": 1.0}  # a packet that waits is marked


class Alike(unittest.TestCase):
    def alike(self, axes, changes=TINY):
        points = {number: Point(v, v.parts.layer[ALONE]) for number, v in enumerate(variants_of(CONFIG, axes, changes, HEDDLE))}
        return alike_until_a_mark(points)

    def test_in_all_but_the_congestion_control(self):
        self.assertEqual(self.alike(BOTH), {1: 0})
        self.assertEqual(self.alike({ON: [True, False]}), {0: 1})
        self.assertEqual(self.alike({**BOTH, "simulation.seed": [1, 2]}), {2: 0, 3: 1})
        self.assertEqual(self.alike({**BOTH, "dcqcn.preset": ["connectx", "hpcc"]}), {1: 0, 2: 0, 3: 0})

    def test_rates_at_which_a_gap_is_longer_than_a_packet_takes_are_not(self):
        for rate, alike in (("800 Gb/s", {1: 0}), ("300 Gb/s", {})):
            with self.subTest(rate=rate):
                self.assertEqual(self.alike(BOTH, {**TINY, "link.host_rate": rate}), alike)

    def test_switches_that_mark_otherwise_are_not(self):
        self.assertEqual(self.alike({(ON, "ecn.kmin"): [(False, "1 MB"), (True, "2 MB")]}), {})


class Steps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))

    def steps(self, axes, changes, name, **more):
        folder = self.place / name
        found = heddle.step.steps(CONFIG, axes, folder, changes, program=HEDDLE, **more)
        return found.estimates, sorted(str(path.relative_to(folder)) for path in folder.glob("*/*.h5"))

    def test_without_marks_there_is_one_run_and_it_is_that_with_the_control(self):
        (off, on), files = self.steps(BOTH, QUIET, "quiet")
        self.assertEqual(files, ["layer/0.h5", "layer/1.h5", "pipeline/0.h5", "pipeline/1.h5"])
        self.assertEqual(on.parts, off.parts)
        found = heddle.step.compare([self.place / "quiet"])
        self.assertTrue(found.as_json()["more_than_first_ps"][0]["nothing_marked"])
        self.assertIn("B has the same runs as A: no switch marks a packet in any part", str(found))
        page = self.place / "quiet.html"
        write_report([str(self.place / "quiet")], page)
        self.assertIn("B: the runs of A, as no switch marks a packet in any part", page.read_text())
        (itself,), files = self.steps(None, {**QUIET, ON: True}, "quiet_on")
        self.assertEqual([on.values, on.layers, on.job], [itself.values, itself.layers, itself.job])
        for name in files:
            with self.subTest(name=name), heddle.open(self.place / "quiet" / name) as one:
                with heddle.open(self.place / "quiet_on" / name) as other:
                    self.assertIs(other.value(ON), True)
                    self.assertEqual([one.attrs["ecn_marks"], one.attrs["end_ps"]], [0, other.attrs["end_ps"]])
                    self.assertTrue(one.messages().equals(other.messages()))
                    self.assertTrue(one.collectives().equals(other.collectives()))

    def test_with_marks_both_are_simulated(self):
        (off, on), files = self.steps(BOTH, BUSY, "busy")
        self.assertIn("layer_marked/0.h5", files)
        self.assertNotEqual(on.layers, off.layers)
        self.assertFalse(heddle.step.compare([self.place / "busy"]).others[0].nothing_marked)
        (itself,), _ = self.steps(None, {**BUSY, ON: True}, "busy_on")
        self.assertEqual([on.values, on.layers], [itself.values, itself.layers])
        again, same = self.steps(BOTH, BUSY, "busy")
        self.assertEqual([again, same], [(off, on), files])

    def test_what_a_failure_makes_switches_mark_is_simulated_with_and_without(self):
        failure = {"failures": ['node = "ctsw3", at = "1 us"']}
        changes = {**TINY, "ecn.kmin": "1500 KB", "ecn.kmax": "1600 KB"}
        (off, on), _ = self.steps(BOTH, changes, "failing", **failure)
        found = heddle.step.compare([self.place / "failing"]).others[0]
        self.assertEqual(found.nothing_marked, not (off.marked_parts or on.marked_parts))
        (itself,), _ = self.steps(None, {**changes, ON: True}, "failing_on", **failure)
        self.assertEqual([on.values, on.failures[0].longer_ps], [itself.values, itself.failures[0].longer_ps])

    def test_the_plan_says_so(self):
        code, out, err = said(
            "step", CONFIG, *sets(*(f"{key}={value}" for key, value in TINY.items())), "--axis", f"{ON}=false,true", "--plan"
        )
        self.assertEqual(code, 0, err)
        self.assertIn("alone, 2 runs: ", out)
        self.assertIn(
            "    1 of them is simulated only if switches mark packets in the run without DCQCN: else both are the same\n", out
        )
        self.assertIn("  all of it, at most: ", out)


if __name__ == "__main__":
    unittest.main()
