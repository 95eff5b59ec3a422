"""heddle step: which parts a step has, and what is refused."""

import dataclasses
import unittest

import heddle
from heddle.step.fabric import share_of
from heddle.step.job import NotInParts
from heddle.step.parts import ALONE, TOGETHER, TRAINING, parts_of
from small_runs import HEDDLE, ROOT
from small_steps import CONFIG, fabric, job, tree_of


def refusal(changes):
    try:
        parts_of(tree_of(changes))
    except NotInParts as error:
        return str(error)
    raise AssertionError(f"not refused: {changes}")


class WhatHasParts(unittest.TestCase):
    def test_layers_and_a_replica(self):
        parts = parts_of(tree_of({}))
        self.assertEqual(parts.layer[ALONE]["topology.gpus_per_rack"], 8)
        self.assertEqual(parts.layer[TOGETHER]["topology.ctsws"], 9)
        self.assertEqual(parts.layer[ALONE]["job.0.gpus"], 32)
        self.assertEqual(parts.layer[ALONE][f"{TRAINING}.vocabulary"], 4096)
        self.assertEqual(parts.pipeline["job.0.gpus"], 16)

    def test_of_the_only_stage_several_layers_are_simulated(self):
        one = {f"{TRAINING}.pipeline_parallel": 1}
        for layers, simulated in ((8, 3), (3, 3), (2, 2), (0, 3)):  # 0: as the model that is named
            parts = parts_of(tree_of({**one, f"{TRAINING}.layers": layers}))
            self.assertEqual(parts.layer[ALONE][f"{TRAINING}.layers"], simulated)
        self.assertEqual(parts.job.layers_of_stage, 32)

    def test_stages_that_are_far_apart_have_racks_of_their_own(self):
        far = {f"{TRAINING}.rank_order": "tp-cp-dp-pp"}
        parts = parts_of(tree_of(far))
        self.assertEqual(parts.layer[ALONE]["topology.racks"], 2)  # of 4: 32 GPUs
        self.assertEqual(parts.layer[ALONE]["job.0.gpus"], 32)
        self.assertNotIn(TOGETHER, parts.layer)
        self.assertEqual(
            {key: parts.pipeline[key] for key in ("topology.racks", "topology.gpus_per_rack", "job.0.gpus")},
            {"topology.racks": 2, "topology.gpus_per_rack": 8, "job.0.gpus": 16},
        )
        shared = parts_of(tree_of({**far, "buffer.ctsw.kind": "shared", "buffer.ctsw.bytes": "20 MB"}))
        self.assertEqual(shared.layer[TOGETHER]["buffer.ctsw.bytes"], "10000000 B")

    def test_stages_that_are_far_apart_share_buffers_with_those_that_there_are(self):
        whole = fabric(4, 4, 32, 16, 2, 2)  # zones of 128 GPUs
        for gpus, stages, rtsw, ctsw, atsw in (
            (64, 8, 4, 1, 1),  # a quarter of a rack each
            (16, 2, 2, 1, 1),  # of four that a rack has room for, two
            (256, 4, 1, 2, 1),  # two racks each
            (128, 2, 1, 2, 1),
            (512, 4, 1, 1, 1),  # a zone each
            (512, 2, 1, 1, 2),  # two zones each
        ):
            with self.subTest(gpus=gpus, stages=stages):
                share = share_of(whole, dataclasses.replace(job(gpus, stages), far_stages=True))
                self.assertEqual((share.rtsw, share.ctsw, share.atsw), (rtsw, ctsw, atsw))

    def test_every_stage_where_links_cannot_be_divided(self):
        parts = parts_of(tree_of({"topology.ctsws": 9, "topology.uplinks_per_rtsw": 9}))
        self.assertFalse(parts.divided)
        self.assertEqual(parts.layer[TOGETHER][f"{TRAINING}.layers"], 2)
        self.assertNotIn("topology.ctsws", parts.layer[TOGETHER])

    def test_policies_of_switches_that_are_not_there_do_not_matter(self):
        self.assertTrue(parts_of(tree_of({"routing.atsw": "ecmp"})).divided)

    def test_a_zone_may_have_racks_that_the_job_does_not_fill(self):
        parts = parts_of(tree_of({"topology.racks": 5, f"{TRAINING}.pipeline_parallel": 4}))
        self.assertEqual(parts.layer[ALONE]["topology.racks"], 2)  # of 4 that are used

    def test_a_shared_buffer_is_divided_as_its_ports(self):
        parts = parts_of(tree_of({"buffer.rtsw.bytes": "20 MB"}))
        self.assertEqual(parts.layer[TOGETHER]["buffer.rtsw.bytes"], "10000000 B")
        self.assertNotIn("buffer.rtsw.bytes", parts.layer[ALONE])  # which has all links
        self.assertNotIn("buffer.ctsw.bytes", parts.layer[TOGETHER])  # of every port its own

    def test_a_replica_that_is_less_than_a_server_has_the_others_beside_it(self):
        parts = parts_of(tree_of({f"{TRAINING}.tensor_parallel": 2}))
        self.assertEqual(parts.pipeline["job.0.gpus"], 8)
        self.assertEqual(parts.layer[ALONE]["job.0.gpus_per_server"], 4)

    def test_refusals_say_why(self):
        message = {"src": 0, "dst": 1, "bytes": "1 MiB"}
        thin_zones = {
            "topology.kind": "multi_zone",
            "topology.zones": 2,
            "topology.racks": 2,
            "topology.ctsws": 8,
            "topology.uplinks_per_rtsw": 16,
            "topology.atsws": 1,
            "topology.uplinks_per_ctsw": 1,
        }
        for changes, why in (
            ({"message.0": message}, r"\[\[message\]\]"),
            ({"simulation.horizon": "1 ms"}, "--set simulation.horizon=0"),
            ({"job.0.placement": "random"}, "job.0.placement"),
            ({f"{TRAINING}.rank_order": "tp-cp-dp-pp", "job.0.first_gpu": 16, "job.0.gpus": 32}, "first_gpu"),
            ({f"{TRAINING}.rank_order": "tp-cp-dp-pp", "topology.gpus_per_rack": 24, "topology.racks": 3}, "a rack 24"),
            ({f"{TRAINING}.rank_order": "tp-cp-dp-pp", **thin_zones}, "zones have 4 times as much to their GPUs as to other zones"),
            (
                {
                    f"{TRAINING}.rank_order": "tp-cp-dp-pp",
                    f"{TRAINING}.pipeline_parallel": 4,
                    f"{TRAINING}.tensor_parallel": 4,
                    "job.0.gpus": 48,
                },
                "stages lie in servers",
            ),
            ({f"{TRAINING}.gather": "1 ms", f"{TRAINING}.reduce": "1 ms"}, "gather and reduce"),
            ({f"{TRAINING}.pipeline_parallel": 8, f"{TRAINING}.layers": 8}, "one replica"),
            ({f"{TRAINING}.pipeline_parallel": 1, f"{TRAINING}.tensor_parallel": 1}, "every replica is one GPU"),
            ({"routing.policy": "ecmp"}, "luck decides"),
            ({"job.0.qps_per_connection": 1}, "job.0.qps_per_connection = 1"),
            ({"routing.ctsw": "path_pinning"}, "path_pinning"),
            ({"routing.hash.function": "crc16"}, "routing.hash"),
            ({"routing.hash.seed": "same"}, "routing.hash"),
            (
                {"routing.policy": "adaptive", "routing.adaptive.per": "flowlet", "roce.recovery": "selective_repeat"},
                "adaptive.per",
            ),
            ({f"{TRAINING}.tensor_parallel": 16, f"{TRAINING}.pipeline_parallel": 1}, "more than a server's 8"),
            (
                {
                    f"{TRAINING}.rank_order": "tp-cp-dp-pp",
                    f"{TRAINING}.context_parallel": 4,
                    "topology.gpus_per_rack": 24,
                    "topology.racks": 8,
                    "topology.ctsws": 24,
                    "topology.uplinks_per_rtsw": 24,
                    "job.0.gpus": 192,
                },
                "32 neighbouring GPUs exchange",
            ),
            ({"topology.ctsws": 7, "topology.uplinks_per_rtsw": 7}, "2.29 times as much to their GPUs"),
            ({"link.rtsw_ctsw_rate": "100 Gb/s"}, "3.56 times as much to their GPUs"),
            ({"routing.policy": "spray"}, "selective_repeat"),
            ({"job.0.gpus": 32, "job.0.first_gpu": 8}, "first_gpu"),
            ({f"{TRAINING}.model": "mixtral_8x7b", f"{TRAINING}.expert_parallel": 4}, "all exchange tokens"),
            ({"failures.dead_fraction": 0.1}, "dead_fraction"),
            ({"failures.mtbf_hours": 1000, "failures.until": "1 ms"}, "mtbf_hours"),
        ):
            with self.subTest(changes=changes):
                self.assertRegex(refusal(changes), why)

    def test_a_fabric_without_zones_has_none(self):
        config = heddle.Config(CONFIG)
        for key in ("racks", "ctsws", "uplinks_per_rtsw"):
            del config[f"topology.{key}"]
        config.update({"topology.kind": "star", "topology.hosts": 64})
        with self.assertRaisesRegex(NotInParts, 'topology.kind = "star"'):
            parts_of(config.resolved(HEDDLE).tree)

    def test_a_job_of_collectives_has_none(self):
        with self.assertRaisesRegex(NotInParts, "one job trains"):
            parts_of(heddle.Config(str(ROOT / "configs/zone_quickstart.toml")).resolved(HEDDLE).tree)

    def test_spraying_has_when_nothing_is_sent_again_for_overtaking(self):
        self.assertTrue(parts_of(tree_of({"routing.policy": "spray", "roce.recovery": "selective_repeat"})).divided)


if __name__ == "__main__":
    unittest.main()
