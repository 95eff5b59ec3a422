"""heddle compare of steps: how far apart they are, from what their folders hold."""

import dataclasses
import json
import pathlib
import shutil
import tempfile
import unittest

import heddle
import heddle.step
from heddle.step.comparing import Difference, difference_of, narrower
from heddle.step.margins import Margin, of_differences
from heddle.step.parts import TRAINING
from small_steps import job, said, tree_of


class Comparing(unittest.TestCase):
    def setUp(self):
        self.place = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def compared(self, *steps):
        folders = [self.place / f"s{number}" for number in range(len(steps))]
        for folder, step in zip(folders, steps):
            folder.mkdir()
            (folder / "step.json").write_text(json.dumps(step))
        return heddle.step.compare(folders)

    def test_a_difference_spans_both_estimates_and_reaches_beyond(self):
        first, other = {"alone": 200.0, "together": 220.0}, {"alone": 210.0, "together": 216.0}
        self.assertEqual(difference_of(Margin(0.1, 0.5), 50, 0, first, other), Difference(-4 - 5 - 2, 10 + 5 + 5))
        of_network = Margin(0.0, 0.5, of_network_waits=0.2)
        self.assertEqual(difference_of(of_network, 50, 20, first, other), Difference(-4 - 4 - 2, 10 + 4 + 5))

    def test_steps_that_train_the_same_are_nearer_than_their_intervals(self):
        found = self.compared(said((1000, 1010), (900, 910)), said((1000, 1011), (900, 911), topology__ctsws=9))
        other = found.others[0]
        self.assertEqual(other.unpaired, "")
        of_waits = of_differences(job(64, 2), job(64, 2))["time"].of_network_waits * 911
        self.assertEqual(other.differences["time"], Difference(-of_waits, 1 + of_waits + 0.5))
        self.assertEqual(other.differences["computing"], Difference(0, 0))
        self.assertEqual(found.settings, {"topology.ctsws": ("18", "9")})

    def test_what_luck_or_a_congestion_control_decides_is_known_less_well(self):
        for changes in ({"job__0__qp_scaling": "round_robin"}, {"roce__congestion_control": "dcqcn"}):
            with self.subTest(changes=changes):
                found = self.compared(said((1000, 1000), (900, 900)), said((1010, 1010), (910, 910), **changes))
                off = of_differences(job(64, 2), dataclasses.replace(job(64, 2), paced=True))["time"].ps(910, 10, network_ps=910)
                self.assertEqual(found.others[0].differences["time"], Difference(10 - off, 10 + off))
                self.clear()

    def test_of_others_it_is_what_their_intervals_leave_open(self):
        far = {f"{TRAINING.replace('.', '__')}__rank_order": "tp-cp-dp-pp"}
        for changes, why in (
            ({"job__0__training__layers": 8}, "they do not train the same"),
            ({"job__0__gpus": 32}, "they do not train the same"),
            ({"job__0__gpus_per_server": 16}, "they do not train the same"),
            (far, "they do not train the same"),
            ({"simulation__seed": 2}, "they have other seeds"),
            ({"roce__mtu": "1 KiB", "dcqcn__enabled": True}, "pairs that differ in roce.mtu were not judged"),
        ):
            with self.subTest(changes=changes):
                found = self.compared(said((1000, 1010), (900, 900)), said((1000, 1000), (900, 900), **changes))
                self.assertIn(why, found.others[0].unpaired)
                self.assertEqual(found.others[0].differences["time"], Difference(700 - 1310, 1300 - 700))
                self.assertIn(f"only subtracts the two intervals: {found.others[0].unpaired}.", str(found))
                self.assertEqual(found.as_json()["more_than_first_ps"][0]["unpaired_because"], found.others[0].unpaired)
                self.clear()

    def test_of_groups_that_one_of_them_lacks_there_is_no_difference(self):
        other = said((1000, 1000), (900, 900))
        other["values_ps"]["context"] = {"low": 0, "high": 2, "alone": 1, "together": 1}
        found = self.compared(said((1000, 1000), (900, 900)), other)
        self.assertNotIn("context", found.others[0].differences)
        self.assertRegex(str(found), r"exposed communication \(context\) +- +- +0\.00 +0\.00 +- +-\n")
        self.assertIn("wait for the same groups", found.others[0].unpaired)

    def clear(self):
        for folder in self.place.iterdir():
            shutil.rmtree(folder)

    def test_says_which_takes_longer_where_it_is_known(self):
        found = self.compared(
            said((1000, 1000), (900, 900)),
            said((3000, 3000), (2900, 2900)),
            said((200, 200), (100, 100)),
            said((1000, 1000), (900, 900), job__0__qp_scaling="round_robin"),
        )
        self.assertRegex(str(found), r"B takes longer than A, by [\d.]+ to [\d.]+ % of A's time \(the mean of its estimates\)\.")
        self.assertRegex(str(found), r"C takes less than A, by [\d.]+ to [\d.]+ % of A's time \(the mean of its estimates\)\.")
        self.assertRegex(
            str(found),
            r"parts do not say which takes longer: D takes [\d.]+ % less to [\d.]+ % more than A; it has the estimates of A\.",
        )
        self.assertIn("job.0.qp_scaling  A split  B split  C split  D round_robin", str(found))

    def test_says_where_estimates_are_the_same(self):
        buffers = said((1000, 1000), (900, 900), buffer__ctsw__bytes="1 MB")
        found = self.compared(said((1000, 1000), (900, 900)), buffers)
        self.assertRegex(str(found), "more than A; it has the estimates of A")
        self.assertEqual(found.others[0].unpaired, "")
        self.clear()
        other = self.compared(said((1000, 1000), (900, 900)), said((1001, 1000), (900, 900), dcqcn__enabled=True))
        self.assertRegex(str(other), r"more than A; the estimates differ by \+0\.10 % alone, \+0\.00 % together\.")

    def test_settings_that_decide_nothing_are_left_out(self):
        one, other = said((1000, 1000), (900, 900)), said((1000, 1000), (900, 900), output__series_interval="1 us")
        self.assertIn("no setting that decides anything differs", str(self.compared(one, other)))

    def test_is_never_wider_than_what_the_intervals_leave_open(self):
        found = self.compared(said((1000, 1010), (900, 910)), said((5000, 5010), (4900, 4910), link__host_rate="200 Gb/s"))
        self.assertEqual(found.others[0].unpaired, "")
        self.assertEqual(found.others[0].differences["time"], Difference(4700 - 1310, 5310 - 700))
        self.assertEqual(narrower(Difference(0, 1), Difference(5, 6)), Difference(0, 1))  # where they leave nothing

    def test_another_routing_is_judged_with_all_that_follows_from_it(self):
        spray = said((1000, 1000), (900, 900))
        spray["config"] = tree_of({"job.0.qp_scaling": "split", "routing.policy": "spray", "roce.recovery": "selective_repeat"})
        found = self.compared(said((1000, 1000), (900, 900)), spray)
        self.assertIn("roce.reorder_window_packets", found.settings)
        self.assertEqual(found.others[0].unpaired, "")

    def test_no_step_takes_less_than_no_time(self):
        undecided = self.compared(said((10, 10), (9, 9)), said((9, 9), (8, 8), simulation__seed=2))
        self.assertIn("B takes 100.0 % less to", str(undecided))

    def test_errors(self):
        with self.assertRaisesRegex(ValueError, "is one step; name the folders of two or more"):
            self.compared(said((9, 9), (9, 9)))
        self.clear()
        with self.assertRaisesRegex(ValueError, "given twice"):
            heddle.step.compare([self.place, self.place / "." / ""])
        with self.assertRaises(FileNotFoundError):
            heddle.step.compare([self.place / "a", self.place / "b"])
        with self.assertRaisesRegex(ValueError, "not of this version"):
            self.compared(said((9, 9), (9, 9)), {**said((9, 9), (9, 9)), "format": "heddle step 2"})


if __name__ == "__main__":
    unittest.main()
