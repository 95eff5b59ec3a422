"""heddle step --failure: a failure in a layer's collective, what it costs the step and a month; what is refused."""

import copy
import dataclasses
import json
import os
import pathlib
import tempfile
import unittest

import heddle.step
from heddle.report import write_report
from heddle.step.failures.counterparts import Counterparts
from heddle.step.failures.failing import NotMet, Rings, check_job
from heddle.step.failures.failure import Failure
from heddle.step.failures.month import Interruptions
from heddle.step.failures.text import failure_answer, failure_lines
from heddle.step.job import NotInParts
from heddle.step.parts import ALONE, TOGETHER
from heddle.step.reading import steps_in
from heddle.step.seeds import repeated
from helpers import said
from small_runs import HEDDLE, program, sets, simulate
from small_steps import CONFIG, TINY, fabric, job
from small_steps import said as stored

SHORT = {**TINY, "roce.timers": "short", "failures.detect": "20 us", "failures.converge": "100 us"}
SPINE = {"node": "ctsw3", "at": "10 us"}
NIC = {"node": "gpu17", "at": "10 us"}  # for ever
AMOUNTS = Interruptions(failures_per_month=10, repair_hours=2, restart_minutes=10, checkpoint_minutes=30)
PS_PER_HOUR = 3600e12


class Steps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.folder = cls.place / "step"
        cls.healthy = heddle.step.step(CONFIG, cls.folder, SHORT, program=HEDDLE)
        cls.before = cls.times()
        cls.found = cls.with_failures()
        cls.spine, cls.nic = cls.found.failures

    @classmethod
    def with_failures(cls):
        return heddle.step.step(
            CONFIG, cls.folder, SHORT, failures=[SPINE, 'node = "gpu17", at = "10 us"'], interruptions=AMOUNTS, program=HEDDLE
        )

    @classmethod
    def times(cls):
        return {path: path.stat().st_mtime_ns for path in cls.folder.glob("*/*.h5")}

    def test_the_healthy_step_is_the_same_and_is_not_simulated_again(self):
        self.assertEqual(self.found.values, self.healthy.values)
        after = self.times()
        self.assertEqual({path: after[path] for path in self.before}, self.before)
        self.assertEqual(self.with_failures().as_json(), self.found.as_json())
        self.assertEqual(self.times(), after)
        self.assertGreater(self.found.cost.simulated, self.healthy.cost.simulated)

    def test_a_part_meets_it_so_long_after_its_collective_began(self):
        for number, (how, kind) in enumerate((how, kind) for how in (ALONE, TOGETHER) for kind in ("all_gather", "reduce_scatter")):
            healthy = heddle.open(self.folder / "layer" / f"{(ALONE, TOGETHER).index(how)}.h5").collectives()
            layer = healthy[(healthy.group == "data") & (healthy.kind == kind)]
            layer = layer[layer.bytes == layer.bytes.max()]
            place = number + (how == TOGETHER)  # between them, what is left when everybody has noticed
            part = heddle.open(self.folder / self.spine.parts[place])
            self.assertEqual(int(part.value("failure.0.at")), layer.last_enter_ps.min() + 10_000_000)
            met = part.collectives()
            later = met.finish_ps - healthy.finish_ps
            self.assertEqual(self.spine.longer_ps[how][kind][-1], later[(met.group == "data") & (met.kind == kind)].max())
        after = heddle.open(self.folder / self.spine.parts[2])
        self.assertEqual([after.value(f"failures.{key}") for key in ("detect", "converge")], [0, 0])
        self.assertEqual(after.value("failure.0.at"), 0)

    def test_the_whole_with_the_failure_lies_within(self):
        whole = heddle.open(simulate(self.place / "whole.h5", [CONFIG], *_settings(SHORT)))
        rows = whole.collectives()
        rows = rows[(rows.group == "data") & (rows.kind == "reduce_scatter")]
        begins_ps = int(rows[rows.bytes == rows.bytes.max()].last_enter_ps.min())
        changes = {**SHORT, "failure.0.node": "ctsw3", "failure.0.at": f"{begins_ps + 10_000_000} ps"}
        met = heddle.open(simulate(self.place / "met.h5", [CONFIG], *_settings(changes)))
        longer = met.attrs["end_ps"] - whole.attrs["end_ps"]
        self.assertGreater(longer, 1e9)  # a timer of 4 ms
        low, high = self.spine.step_ps
        self.assertTrue(low <= longer <= high, f"{longer} of {low} to {high}")
        self.assertLess(high - low, 1.1 * self.found.values["time"].high_ps + self.spine.later_ps[1])

    def test_a_nic_that_stays_dead_ends_the_job(self):
        self.assertRegex(self.nic.ends_job, "gave up .* after 7 retransmission timeouts")
        self.assertAlmostEqual(self.nic.ends_after_ps / 4.194304e9, 8, delta=0.5)  # timers of 4.2 ms
        self.assertEqual((self.nic.step_ps, self.nic.later_ps), (None, None))
        hours = (10 + 30 / 2) / 60 + self.nic.ends_after_ps / PS_PER_HOUR
        self.assertAlmostEqual(self.nic.month["hours_lost"]["low"], 10 * hours)
        self.assertAlmostEqual(self.nic.month["gpu_hours"]["high"], 640 * hours)

    def test_a_month_counts_the_step_that_it_meets_and_those_until_it_is_repaired(self):
        slower = self.spine.later_ps[1] / (self.found.values["time"].low_ps + self.spine.later_ps[1])
        hours = self.spine.step_ps[1] / PS_PER_HOUR + 2 * slower
        self.assertAlmostEqual(self.spine.month["hours_lost"]["high"], 10 * hours)
        self.assertAlmostEqual(self.spine.month["share"]["high"], 10 * hours / 720)

    def test_file_text_comparison_and_report(self):
        (found,) = steps_in(self.folder)
        self.assertEqual(found["failures"], json.loads(json.dumps([one.as_json() for one in self.found.failures])))
        self.assertRegex(
            str(self.found), r"ctsw3 is down from 10 us; times count .*\n.*\n.*delay of the all_gather .* alone +3\.\d\d to"
        )
        self.assertRegex(str(self.found), r"together is an upper end: 2 times as much of a stage's traffic")
        self.assertRegex(str(self.found), r"ends the job after, s +0\.03")
        other = self.place / "other"
        other.mkdir(exist_ok=True)
        changed = copy.deepcopy(found)
        changed["failures"] = changed["failures"][:1]
        (other / "step.json").write_text(json.dumps(changed))
        text = str(heddle.step.compare([self.folder, other]))
        self.assertRegex(text, r"ctsw3 is down from 10 us; .*\n +A +B\n")
        self.assertRegex(text, r"gpu17 is down from 10 us; .*\n +A\n")
        self.assertEqual(len(heddle.step.compare([self.folder, other]).as_json()["steps"][0]["failures"]), 2)
        page = self.place / "page.html"
        self.assertEqual(write_report([str(self.folder)], page), page.stat().st_size)

    def test_a_damaged_file_is_refused(self):
        (found,) = steps_in(self.folder)
        for change in (
            {"name": 1},
            {"month": None},
            {"longer_ps": {"alone": []}},
            {"step_longer_ps": {"low": 1}},
            {"step_longer_ps": {"low": 1, "high": float("nan")}},
            {"ends_job_because": "x", "ends_job_after_ps": None},
            {"together_traffic_factor": "2"},
        ):
            with self.subTest(change=change), tempfile.TemporaryDirectory() as folder:
                damaged = {**found, "failures": [{**found["failures"][0], **change}]}
                pathlib.Path(folder, "step.json").write_text(json.dumps(damaged))
                with self.assertRaisesRegex(ValueError, "failures are none of a step"):
                    steps_in(folder)

    def test_one_that_no_collective_meets_is_refused_and_the_step_is_not_lost(self):
        with self.assertRaisesRegex(NotMet, r"ctsw3 is down from 1 s: the collectives of a layer take up to 0\.2\d* ms") as caught:
            heddle.step.step(CONFIG, self.folder, SHORT, failures=[{**SPINE, "at": "1 s"}, SPINE], program=HEDDLE)
        (found,) = steps_in(self.folder)
        self.assertEqual(caught.exception.steps.estimates[0].as_json()["values_ps"], found["values_ps"])
        self.assertEqual([one["name"] for one in found["failures"]], [str(Failure.of(SPINE))])

    def test_is_in_the_answer(self):
        (found,) = steps_in(self.folder)
        told = failure_answer(found["failures"])
        self.assertRegex(
            told, r"^If ctsw3 is down from .*, the step that meets it takes [\d.]+ to [\d.]+ ms longer, every other one"
        )
        hidden = {**found["failures"][0], "step_longer_ps": {"low": -1e9, "high": 4.5e12}}
        self.assertIn("takes at most 4,500 ms longer", failure_answer([hidden]))
        ended = {**found["failures"][0], "ends_job_because": "x", "ends_job_after_ps": 2 * 10**12}
        self.assertRegex(failure_answer([ended]), r"a connection fails after 2 s and ends the job\.$")


class Words(unittest.TestCase):
    def test_what_is_no_failure_is_refused(self):
        for words, why in (
            ("ctsw3", "no table of TOML"),
            ('node = "ctsw3", when = "1 ms"', "has no when; its keys are node"),
            ('at = "1 ms"', "give the node that fails or the link"),
            ('node = "ctsw3", link = ["rtsw0", "ctsw3"]', "one of them"),
            ('node = "ctsw3", kind = "none"', "the healthy step is there anyway"),
            ('node = "ctsw3", at = "soon"', "at = 'soon' is no time"),
            ('node = "spine3"', "nodes are called gpu0, rtsw0"),
            ('node = "ctsw3", times = 0', "a whole number from 1 on"),
        ):
            with self.subTest(words=words), self.assertRaisesRegex(ValueError, why):
                Failure.of(words)

    def test_texts_and_folders(self):
        for table, text, folder in (
            (SPINE, "ctsw3 is down from 10 us", "failure_ctsw3_is_down_from_10_us"),
            (
                {"link": ["rtsw2", "ctsw3"], "cable": 1, "kind": "rate", "rate": "50 Gb/s"},
                "rtsw2 - ctsw3 (cable 1) is at 50 Gb/s from 0 s",
                "failure_rtsw2_-_ctsw3_cable_1_is_at_50_gb_s_from_0_s",
            ),
            (
                {"node": "gpu1", "until": "50 us", "times": 3, "period": "1 ms"},
                "gpu1 is down from 0 s until 50 us, 3 times, every 1 ms",
                "failure_gpu1_is_down_from_0_s_until_50_us_3_times_every_1_ms",
            ),
        ):
            self.assertEqual((str(Failure.of(table)), Failure.of(table).folder), (text, folder))

    def test_whether_later_collectives_meet_it(self):
        for more, outlasts in (
            ({}, True),
            ({"until": "1 ms"}, True),
            ({"until": "10 us"}, False),
            ({"until": "1 ms", "times": 2, "period": "2 ms"}, False),
        ):
            self.assertEqual(Failure.of({"node": "ctsw0", **more}).outlasts(500_000_000), outlasts)
        self.assertFalse(Failure.of(NIC).outlasts(1))  # they get no further
        self.assertFalse(Failure.of({"node": "rtsw0"}).outlasts(1))
        self.assertTrue(Failure.of({"link": ["rtsw0", "ctsw0"]}).outlasts(1))
        self.assertTrue(Failure.of({"link": ["gpu0", "rtsw0"], "kind": "rate"}).outlasts(1))

    def test_what_is_as_bad_for_a_part(self):
        spine, errors = Failure.of(SPINE), Failure.of({"node": "ctsw3", "kind": "bit_errors", "bit_error_rate": 1e-6})
        slow = Failure.of({"node": "ctsw3", "kind": "rate"})
        self.assertEqual(spine.of_a_share(1, True, 4e11), spine)
        self.assertEqual(spine.of_a_share(2, False, 4e11), spine)  # worse
        self.assertEqual(spine.of_a_share(4, True, 4e11).table, {**SPINE, "kind": "rate", "rate": "300000000000 b/s"})
        self.assertEqual(errors.of_a_share(4, False, 4e11).table["bit_error_rate"], 2.5e-7)
        self.assertEqual(slow.of_a_share(4, True, 4e11), slow)  # as much traffic on it as when all stages share it


class Nodes(unittest.TestCase):
    """Two zones of 4 racks of 16 GPUs, 8 CTSWs each, 4 ATSWs with 4 cables from each CTSW."""

    def setUp(self):
        self.whole = fabric(2, 4, 16, 8, 4, 4)

    def names(self, job, how, *names):
        return Counterparts(self.whole, job).names(list(names), how)

    def test_racks_that_hold_replicas(self):
        two = job(128, 2)  # replicas of a rack: half a rack is of a stage
        for name, expected in (("gpu17", "gpu9"), ("gpu24", "gpu8"), ("rtsw5", "rtsw5"), ("ctsw11", "ctsw11"), ("atsw3", "atsw3")):
            self.assertEqual(self.names(two, ALONE, name), [expected])
        self.assertEqual(self.names(two, TOGETHER, "ctsw11"), ["ctsw5"])  # 4 CTSWs of a zone are a stage's part
        self.assertEqual(self.names(two, TOGETHER, "rtsw5", "ctsw15"), ["rtsw5", "ctsw7"])

    def test_replicas_of_several_racks(self):
        four = job(128, 4)  # racks of two stages, replicas of two racks
        for name, expected in (("rtsw3", "rtsw1"), ("rtsw6", "rtsw3"), ("gpu40", "gpu8"), ("ctsw8", "ctsw8")):
            self.assertEqual(self.names(four, ALONE, name), [expected])

    def test_stages_far_apart(self):
        far = dataclasses.replace(job(128, 4), far_stages=True)
        for name, expected in (("rtsw3", "rtsw1"), ("rtsw6", "rtsw0"), ("ctsw11", "ctsw3"), ("gpu127", "gpu31")):
            self.assertEqual(self.names(far, ALONE, name), [expected])

    def test_how_much_more_of_a_stage_crosses_it_where_links_are_divided(self):
        two = job(128, 2)
        place = Counterparts(self.whole, two)
        for names, factor in ((["ctsw3"], 2), (["rtsw1", "ctsw3"], 2), (["gpu3"], 1), (["atsw1"], 1)):
            self.assertEqual(place.traffic_factor(names, TOGETHER), factor)
        four = Counterparts(self.whole, job(128, 4))  # two stages in a rack, and a replica in two racks
        self.assertEqual([four.traffic_factor(names, TOGETHER) for names in (["ctsw3"], ["atsw1"], ["ctsw3", "atsw1"])], [2, 2, 4])
        self.assertEqual(place.traffic_factor(["ctsw3"], ALONE), 1)
        self.assertFalse(place.is_only_one(["ctsw3"], TOGETHER))
        self.assertTrue(Counterparts(fabric(1, 4, 16, 2, 4, 4), two).is_only_one(["ctsw1"], TOGETHER))

    def test_jobs_whose_failures_were_not_judged(self):
        for stages in (1, 2):
            wide = job(128, stages, stage_gpus=16)
            with self.assertRaisesRegex(heddle.step.NotInParts, "context parallelism over several servers was not judged"):
                check_job(wide)
        check_job(job(128, 2))

    def test_which_failures_all_stages_meet(self):
        for stages, names, every in (
            (2, ["ctsw3"], True),
            (2, ["rtsw3"], True),
            (2, ["rtsw3", "ctsw3"], True),
            (4, ["rtsw3", "ctsw3"], False),
            (2, ["gpu3", "rtsw0"], False),
            (1, ["gpu3"], True),
        ):
            self.assertEqual(Counterparts(self.whole, job(128, stages)).every_stage(names), every)

    def test_nodes_that_are_not_there(self):
        two = job(64, 2)  # of the first zone
        for name, why in (
            ("rtsw8", "rtsw0 to rtsw7"),
            ("rtsw6", "no GPU of the job is at rtsw6"),
            ("ctsw9", "no GPU of the job is at ctsw9"),
        ):
            with self.subTest(name=name), self.assertRaisesRegex(NotInParts, why):
                self.names(two, ALONE, name)


class Numbers(unittest.TestCase):
    def test_of_a_ring_what_is_late_most(self):
        healthy, met = Rings(0, 9, {1: (7, 5), 2: (7, 9), 3: (8, 9)}), Rings(0, 30, {1: (7, 25), 2: (7, 27), 3: (8, 9)})
        self.assertEqual(met.longer_ps(healthy), (0, 20))

    def test_failures_of_a_month_are_those_of_llama_3_by_gpus(self):
        self.assertAlmostEqual(Interruptions().failures(16_384), 35 * 30 / 54)
        self.assertAlmostEqual(Interruptions().failures(8_192), 35 * 15 / 54)
        self.assertEqual(Interruptions(failures_per_month=3).failures(8_192), 3)
        month = Interruptions().month(16_384, {"low": 1, "high": 1}, None, None, 10**12, 2.0)
        self.assertIsNone(month["hours_lost"])  # of a restart nothing is known
        self.assertIsNone(month["cost"])
        text = "\n".join(failure_lines([[_ended(month)]], [""]))
        self.assertIn("as many per GPU as 35 in 54 days on 16,384 GPUs (Llama 3, table 5", text)
        self.assertIn("give --restart-minutes and --checkpoint-minutes", text)

    def test_several_seeds_span_their_intervals(self):
        def seed(number, low, high, times):
            step = stored((1000, 1000), (900, 900), simulation__seed=number)
            ends = {"low": low, "high": high}
            lost = {
                **_ended(Interruptions().month(64, {"low": 1, "high": 1}, (low, high), None, 0, None)),
                "ends_job_because": None,
            }
            return {
                **step,
                "axes": {"simulation.seed": str(number)},
                "failures": [{**lost, "step_longer_ps": ends, "longer_ps": times}],
            }

        (variant,) = repeated("", [seed(1, 5, 9, {ALONE: {"all_reduce": [3, 9]}}), seed(2, 2, 7, {ALONE: {"all_reduce": [2, 7]}})])
        (found,) = variant.failures
        self.assertEqual(found["step_longer_ps"], {"low": 2, "high": 9})
        self.assertEqual(found["longer_ps"], {ALONE: {"all_reduce": [2, 3, 7, 9]}})
        self.assertAlmostEqual(found["month"]["hours_lost"]["high"], found["month"]["failures"] * 9 / PS_PER_HOUR)
        self.assertIsNone(found["later_steps_longer_ps"])
        ends = seed(3, 5, 9, {})
        ends["failures"] = [_ended(Interruptions().month(64, {"low": 1, "high": 1}, None, None, 10, None))]
        (variant,) = repeated("", [seed(1, 5, 9, {}), ends])
        self.assertIsNone(variant.failures[0]["month"]["hours_lost"], "what it costs is not known of one seed")

    def test_numbers_that_are_none(self):
        for name in ("failures_per_month", "repair_hours", "restart_minutes", "checkpoint_minutes"):
            with self.assertRaisesRegex(ValueError, f"{name} = -1: give a number above 0"):
                Interruptions(**{name: -1})


class Command(unittest.TestCase):
    def words(self, *more):
        return ["step", CONFIG, *sets(*_settings(SHORT)), *more]

    def test_the_plan_counts_what_a_failure_takes(self):
        code, out, err = said(*self.words("--failure", 'node = "ctsw3", at = "10 us"', "--plan"))
        self.assertEqual(code, 0, err)
        self.assertRegex(out, r"layers in which ctsw3 is down from 10 us: \S+ packet-hops")
        self.assertIn("alone and together, while ctsw3 is down from 10 us: ", out)

    def test_refusals_come_before_anything_is_written(self):
        for words, why in (
            (["--failure", 'node = "ctsw18"'], "there is no ctsw18; ctsws are ctsw0 to ctsw17"),
            (["--failure", 'link = ["rtsw0", "rtsw1"]'], "joined by 0 cables"),
            (["--failure", 'node = "ctsw3", kind = "rate", rate = "800 Gb/s"'], "is not below the line rate"),
            (2 * ["--failure", 'node = "ctsw3"'], "ctsw3 is down from 0 s is given twice"),
            ([w for at in ("1 ms", "1000us") for w in ("--failure", f'node = "ctsw3", at = "{at}"')], "from 1000us is given twice"),
            (["--failure", 'node = "atsw0"'], "the fabric has no atsws"),
            (["--failure", 'node = "ctsw3"', "--repair-hours", "0"], "repair_hours = 0.0: give a number above 0"),
        ):
            with self.subTest(words=words), tempfile.TemporaryDirectory() as folder:
                code, _, err = said(*self.words(*words, "-o", f"{folder}/step"))
                self.assertEqual(code, 2)
                self.assertIn(why, err)
                self.assertEqual(os.listdir(folder), [])

    def test_help_says_from_when_times_count(self):
        self.assertRegex(program("step", "--help").replace("\n", " "), r"count\s+from\s+the\s+beginning\s+of\s+that\s+collective")


def _settings(changes):
    return [f"{key}={str(value).lower() if isinstance(value, bool) else value}" for key, value in changes.items()]


def _ended(month):
    return {
        "name": "gpu0 is down",
        "month": month,
        "longer_ps": {},
        "after_ps": {},
        "step_longer_ps": None,
        "later_steps_longer_ps": None,
        "ends_job_because": "x",
        "ends_job_after_ps": 10**12,
        "together_traffic_factor": 1,
    }


if __name__ == "__main__":
    unittest.main()
