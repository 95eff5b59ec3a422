"""Steps of random training jobs lie within what their parts say, and a value outside is noticed. More: step_calibration.py."""

import os
import unittest

from heddle.step.job import LAYERS_IN_A_ROW
from step_calibration import MUST_BE_WITHIN, Judged, judge, judge_difference, judge_failure, verdict
from step_changes import changed, made_even
from step_jobs import MOST_GPUS, draw, draw_deep, draw_experts, draw_failure, draw_far, draw_pair, draw_slow

os.environ.setdefault("HEDDLE", os.environ.get("HEDDLE_BINARY", ""))
SEEDS = (1, 6, 12, 13, 18, 25, 28, 29)  # cheap ones: 1 to 14 million packet-hops
FAILURES = (41, 189, 5006)  # a rack that flaps; a link without another; a NIC that flaps, of which the parts lose nothing
PAIRS, FAR, DEEP = (40306, 45157, 50031, 50057), (12010, 12012, 12026), (20004, 20200)  # likewise
SLOW, EXPERTS = (100031, 100034, 200114), (300003, 200229, 400173)


class Calibration(unittest.TestCase):
    def test_steps_lie_within_what_their_parts_say(self):
        judged = [each for seed in SEEDS for each in judge(seed, max_packet_hops=1e8)]
        text, well = verdict(judged)
        self.assertEqual({each.seed for each in judged}, set(SEEDS))
        self.assertTrue(well, text)

    def test_so_do_steps_whose_stages_are_far_apart(self):
        judged = [each for seed in FAR for each in judge(seed, 1e8, draw_far)]
        text, well = verdict(judged)
        self.assertEqual({each.seed for each in judged}, set(FAR))
        self.assertTrue(well, text)

    def test_so_do_steps_with_one_stage_of_more_layers_than_are_simulated(self):
        judged = [each for seed in DEEP for each in judge(seed, 1e8, draw_deep)]
        text, well = verdict(judged)
        self.assertEqual({each.seed for each in judged}, set(DEEP))
        self.assertTrue(well, text)
        self.assertGreater(draw_deep(DEEP[0])["job"][0]["training"]["layers"], LAYERS_IN_A_ROW)

    def test_so_do_steps_with_slow_gpus_and_experts(self):
        for of_seed, seeds in ((draw_slow, SLOW), (draw_experts, EXPERTS)):
            judged = [each for seed in seeds for each in judge(seed, 1e8, of_seed)]
            text, well = verdict(judged)
            self.assertEqual({each.seed for each in judged}, set(seeds))
            self.assertTrue(well, text)

    def test_jobs_have_as_many_gpus_as_are_asked_for(self):
        for most, least in ((MOST_GPUS, 16), (1024, MOST_GPUS + 1)):
            sizes = [
                tree["job"][0]["gpus"] for seed in range(40) for tree in (draw_slow(seed, most), draw_experts(seed, most)) if tree
            ]
            self.assertTrue(all(least <= size <= most for size in sizes), sizes)
            self.assertIn(most, sizes)

    def test_gpus_are_slow_or_jitter_and_no_longer_when_even(self):
        found = [draw_slow(seed)["job"][0]["training"] for seed in range(60)]
        keys = [frozenset(training) & {"slow_ranks", "slow_by", "jitter"} for training in found]
        self.assertEqual(
            set(keys), {frozenset(each) for each in ({"jitter"}, {"slow_ranks", "slow_by"}, {"slow_ranks", "slow_by", "jitter"})}
        )
        for training, even in zip(found, (made_even(draw_slow(seed), seed) for seed in range(60))):
            self.assertEqual(even is None, "jitter" in training)
            self.assertFalse(even and {"slow_ranks", "slow_by"} & set(even["job"][0]["training"]))

    def test_differences_lie_within_what_parts_say_of_them(self):
        judged = [each for seed in PAIRS for each in judge_difference(seed, 1e8)]
        text, well = verdict(judged)
        self.assertEqual({each.seed for each in judged}, set(PAIRS))
        self.assertTrue(well, text)

    def test_steps_with_a_failure_lie_within_what_parts_say_of_it(self):
        judged = [each for seed in FAILURES for each in judge_failure(seed, 1e8)]
        text, well = verdict(judged)
        self.assertEqual({each.seed for each in judged}, set(FAILURES))
        self.assertTrue(well, text)

    def test_failures_are_of_every_kind(self):
        drawn = [found for seed in range(60) if (found := draw_failure(seed))]
        kinds = {(found.failure.get("kind", "down"), found.failure.get("node", "link")[:4]) for found in drawn}
        self.assertLessEqual(
            {("down", "ctsw"), ("down", "link"), ("rate", "link"), ("bit_errors", "link"), ("down", "rtsw")}, kinds
        )
        self.assertTrue(any(kind.startswith("gpu") for _, kind in kinds))
        self.assertTrue({0} < {found.lasts_ps for found in drawn})
        self.assertEqual({found.kind for found in drawn}, {"all_gather", "reduce_scatter", "all_reduce"})

    def test_a_pair_differs_in_a_setting_or_two(self):
        found, settings = set(), {
            "dcqcn": "dcqcn",
            "routing": "routing",
            "roce": "routing",
            "job": "job",
            "topology": "topology",
            "link": "link",
            "buffer": "buffer",
        }
        for seed in range(100):
            one = draw_pair(seed)
            other = changed(one, seed)
            self.assertEqual(changed(one, seed), other)
            if other is None:
                continue
            differ = {settings[key] for key in other if one.get(key) != other[key]}
            self.assertIn(len(differ), (1, 2))
            found |= differ
        self.assertEqual(found, {"dcqcn", "routing", "job", "topology", "link", "buffer"})

    def test_stages_are_far_apart_where_there_are_several(self):
        found = [draw_far(seed) for seed in range(20)]
        self.assertIn(None, found)
        orders = {tree["job"][0]["training"]["rank_order"] for tree in found if tree is not None}
        self.assertEqual(orders, {"tp-cp-dp-pp"})

    def test_values_outside_are_counted(self):
        within = [Judged(seed, "time", 0.0, 0.0, 0.01) for seed in range(19)]
        self.assertTrue(verdict([*within, Judged(19, "time", 0.01, 0.01, 0.01)])[1])
        text, well = verdict([*within, Judged(19, "time", 0.01, 0.01, 0.01), Judged(20, "time", 0.02, 0.02, 0.01)])
        self.assertFalse(well, f"fewer than {MUST_BE_WITHIN}")
        self.assertIn("2.00 % (seed 20)", text)
        others = [Judged(seed, "data", 0.0, 0.0, 0.01) for seed in range(100)]
        self.assertFalse(
            verdict([*within, *others, Judged(19, "time", 0.01, 0.01, 0.01), Judged(20, "time", 0.02, 0.02, 0.01)])[1], "of times"
        )
        self.assertFalse(verdict([])[1], "nothing was judged")

    def test_a_seed_is_one_job(self):
        self.assertEqual(draw(7), draw(7))
        self.assertNotEqual(draw(7), draw(8))


if __name__ == "__main__":
    unittest.main()
