"""heddle step: replicas wait for those with slow GPUs, and for those that are late by chance."""

import dataclasses
import json
import pathlib
import tempfile
import unittest

import heddle.step
from heddle.step.job import Job
from heddle.step.margins import of_differences, of_values
from heddle.step.parts import ALONE, TOGETHER, TRAINING, parts_of
from heddle.step.reading import step_of
from heddle.step.stragglers import Late, step_of_all
from small_runs import HEDDLE, simulate
from small_steps import CONFIG, TINY, job, said, tree_of
from step_test import settings

SLOW = {f"{TRAINING}.slow_ranks": [17]}  # of 64: replica 1, stage 0


def late_of(changes):
    tree = tree_of(changes)
    return parts_of(tree).late


class Places(unittest.TestCase):
    def test_every_rank_has_one(self):
        near = job(64, 4, stage_gpus=4)
        for each in (near, dataclasses.replace(near, far_stages=True)):
            with self.subTest(far=each.far_stages):
                places = [each.place_of(rank) for rank in range(64)]
                self.assertEqual(
                    set(places), {(replica, stage, gpu) for replica in range(4) for stage in range(4) for gpu in range(4)}
                )
                self.assertEqual(places[:4], [(0, 0, 0), (0, 0, 1), (0, 0, 2), (0, 0, 3)])
                in_part = [each.rank_in_part(*place) for place in places if place[0] < each.part_replicas]
                self.assertEqual(sorted(in_part), list(range(each.part_replicas * each.replica_gpus)))

    def test_neighbours_are_those_of_the_rank_order(self):
        near = job(64, 4, stage_gpus=4)
        far = dataclasses.replace(near, far_stages=True)
        self.assertEqual((near.place_of(4), far.place_of(4)), ((0, 1, 0), (1, 0, 0)))
        self.assertEqual((near.rank_in_part(0, 1, 0), far.rank_in_part(0, 1, 0)), (4, 8))  # two replicas in a server


class Pipelines(unittest.TestCase):
    def test_one_slow_gpu_takes_one_more_with_each_time_of_a_layer(self):
        parts = parts_of(tree_of(SLOW))
        for how in (ALONE, TOGETHER):
            self.assertEqual(list(parts.pipelines(how)), [how, f"{how}, slow"])
            usual, slow = parts.pipelines(how).values()
            self.assertEqual(slow[f"{TRAINING}.slow_ranks"], [1])
            self.assertEqual(usual[f"{TRAINING}.slow_by"], 0)
        self.assertEqual(parts.layer[ALONE][f"{TRAINING}.slow_by"], 0)
        self.assertEqual(parts.late.weight, 1 / 4)  # of the replicas

    def test_all_replicas_of_a_server_are_slow_in_the_part(self):
        small = {f"{TRAINING}.tensor_parallel": 2}
        self.assertEqual(late_of({**small, f"{TRAINING}.slow_ranks": [7]}).slow, {"slow_ranks": [3, 7]})

    def test_slow_gpus_in_several_replicas_are_bounded_by_one_that_has_all(self):
        late = late_of({f"{TRAINING}.slow_ranks": [17, 40, 41, 60]})  # replica 1: stage 0; 2: 1, twice; 3: 1
        self.assertEqual(late.slow, {"slow_ranks": [8, 9]})
        self.assertEqual(late.latest, {"slow_ranks": [1, 8, 9, 12]})
        self.assertEqual(late.weight, 4 / (2 * 4))
        most_stages = late_of({f"{TRAINING}.slow_ranks": [16, 17, 18, 32, 40]})
        self.assertEqual(most_stages.slow, {"slow_ranks": [0, 8]})

    def test_chance_adds_at_most_all_of_the_jitter(self):
        parts = parts_of(tree_of({f"{TRAINING}.jitter": 0.25}))
        self.assertEqual(list(parts.pipelines(ALONE)), [ALONE])
        self.assertEqual(list(parts.pipelines(TOGETHER)), [TOGETHER, f"{TOGETHER}, latest"])
        self.assertEqual(parts.late.latest, {"jitter": 0.0, "efficiency": 0.55 / 1.25})
        self.assertEqual(parts.layer[ALONE][f"{TRAINING}.jitter"], 0)
        timed = {f"{TRAINING}.jitter": 0.25, f"{TRAINING}.forward": "1 ms", **SLOW, f"{TRAINING}.slow_by": 0.5}
        self.assertEqual(late_of(timed).latest, {"slow_ranks": [1], "jitter": 0.0, "forward": "1250000000 ps", "slow_by": 0.4})

    def test_a_plan_names_them_and_counts_their_pipelines(self):
        for changes, words, runs in (
            (SLOW, "GPUs, 1 slow GPU", 4),
            ({f"{TRAINING}.jitter": 0.1}, "GPUs, with jitter", 3),
            ({f"{TRAINING}.jitter": 0.1, f"{TRAINING}.slow_ranks": [1, 40]}, "GPUs, 2 slow GPUs, with jitter", 5),
        ):
            with self.subTest(words):
                text = heddle.step.plan(CONFIG, {"simulation.seed": [1, 2]}, {**TINY, **changes}, program=HEDDLE)
                self.assertRegex(text, f"{words}\n")
                self.assertRegex(text, f"also of the latest replica, {2 * runs} runs")

    def test_even_replicas_have_none(self):
        self.assertEqual(late_of({}), Late())


class Means(unittest.TestCase):
    def step(self, time, computing, pipeline, data):
        return {"time": time, "computing": computing, "pipeline": pipeline, "data": data}

    def test_others_wait_for_the_slow_replica_in_data(self):
        usual, slow = self.step(100, 60, 20, 18), self.step(130, 70, 40, 18)  # 2 of the rest
        found = step_of_all(ALONE, {ALONE: usual, f"{ALONE}, slow": slow}, 0.25)
        self.assertEqual(found, self.step(130, 62.5, 25, 70 + 40 + 18 - 62.5 - 25))

    def test_what_chance_adds_is_waited_for_too(self):
        usual, latest = self.step(100, 60, 20, 18), self.step(108, 66, 22, 18)
        self.assertEqual(step_of_all(TOGETHER, {TOGETHER: usual, f"{TOGETHER}, latest": latest}, 0), self.step(108, 60, 20, 26))
        self.assertIs(step_of_all(ALONE, {ALONE: usual}, 0), usual)


class Compared(unittest.TestCase):
    def test_with_and_without_slow_gpus_are_a_pair(self):
        even = said((1000, 1010), (500, 510))
        slow = said((1100, 1111), (600, 611), **{"job__0__training__slow_ranks": [3], "job__0__training__slow_by": 0.2})
        with tempfile.TemporaryDirectory() as folder:
            for name, each in (("even", even), ("slow", slow)):
                place = pathlib.Path(folder, name)
                place.mkdir()
                (place / "step.json").write_text(json.dumps(each))
            other = heddle.step.compare([pathlib.Path(folder, name) for name in ("even", "slow")]).others[0]
        self.assertEqual(other.unpaired, "")
        jobs = Job(**even["job"]), Job(**slow["job"])
        margin = of_differences(*jobs, only_slow=True)["time"]
        self.assertLess(margin.of_itself, of_differences(*jobs)["time"].of_itself)
        self.assertAlmostEqual(other.differences["time"].low_ps, 100 - margin.ps(611, 100))
        self.assertAlmostEqual(other.differences["time"].high_ps, 101 + margin.ps(611, 101))

    def test_what_was_not_judged_is_subtracted(self):
        key = "job__0__training__"
        slow = {f"{key}slow_ranks": [3], f"{key}slow_by": 0.2}
        for one, other in (({}, {f"{key}jitter": 0.1}), (slow, {**slow, "dcqcn__enabled": True})):
            with tempfile.TemporaryDirectory() as folder:
                for name, changes in (("one", one), ("other", other)):
                    place = pathlib.Path(folder, name)
                    place.mkdir()
                    (place / "step.json").write_text(json.dumps(said((1000, 1010), (500, 510), **changes)))
                found = heddle.step.compare([pathlib.Path(folder, name) for name in ("one", "other")]).others[0]
            self.assertTrue(found.unpaired)
            self.assertEqual(found.differences["time"].high_ps, 1010 + 300 - (1000 - 300))


class Margins(unittest.TestCase):
    def test_what_chance_does_to_some_gpus_it_does_not_do_to_all(self):
        even = job(64, 2)
        before = of_values(even)
        uneven = of_values(dataclasses.replace(even, jitters=True))
        self.assertEqual(of_values(even), before)
        self.assertEqual(uneven["time"].of_all_waits, 0.07)
        self.assertGreater(uneven["computing"].ps(0, 0, 100), 0)
        self.assertGreater(uneven["data"].ps(0, 0, 100), 0)
        slow = dataclasses.replace(even, slow_gpus=1)
        self.assertEqual(of_differences(even, even)["computing"].of_itself, 0)
        self.assertGreater(of_differences(even, slow)["computing"].of_itself, 0)


class Steps(unittest.TestCase):
    def test_the_whole_lies_within(self):
        for name, changes in (
            ("slow", {**SLOW, f"{TRAINING}.slow_by": 0.5}),
            ("several", {f"{TRAINING}.slow_ranks": [17, 60], f"{TRAINING}.jitter": 0.1}),
        ):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                changes = {**TINY, **changes}
                place = pathlib.Path(folder)
                found = heddle.step.step(CONFIG, place / "parts", changes, program=HEDDLE)
                truth = step_of(heddle.open(simulate(place / "whole.h5", [CONFIG], *settings(changes))))
                for value, interval in found.values.items():
                    with self.subTest(value=value):
                        self.assertTrue(interval.holds(truth[value]), f"{truth[value]} of {interval}")


if __name__ == "__main__":
    unittest.main()
