"""heddle step: which part of the fabric a part of a step runs on."""

import dataclasses
import unittest

from heddle.step.fabric import alone, of_replica, together
from heddle.step.job import NotInParts
from small_steps import fabric, job


class PartOfTheFabric(unittest.TestCase):
    def test_is_that_of_the_study_of_llama_405b(self):  # configs/studies/llama_step, worked out by hand
        for gpus, stages, whole, by_itself, with_all in (
            (16384, 16, (8, 128, 16, 18, 16, 16), (8, 16, 8, 18, 16, 16), (8, 16, 8, 9, 2, 2)),
            (512, 4, (2, 16, 16, 18, 2, 2), (2, 8, 8, 18, 2, 2), (2, 8, 8, 9, 1, 1)),
            (1024, 4, (2, 32, 16, 18, 4, 4), (2, 16, 8, 18, 4, 4), (2, 16, 8, 9, 2, 2)),
        ):
            with self.subTest(gpus=gpus):
                self.assertEqual(alone(fabric(*whole), job(gpus, stages)), fabric(*by_itself))
                self.assertEqual(together(fabric(*whole), job(gpus, stages)), fabric(*with_all))

    def test_keeps_what_a_gpu_has_of_every_tier(self):
        whole = fabric(4, 16, 16, 8, 8, 8)
        for stages, stage_gpus in ((2, 8), (4, 8), (8, 8), (2, 4), (4, 4), (2, 16), (4, 16), (2, 2), (1, 8)):
            with self.subTest(stages=stages, stage_gpus=stage_gpus):
                part = together(whole, job(1024, stages, stage_gpus))
                gpus, all_gpus = part.zones * part.gpus_per_zone, whole.zones * whole.gpus_per_zone
                self.assertEqual(gpus * stages, all_gpus)
                self.assertEqual(
                    part.zones * part.racks * part.uplinks_per_rtsw * stages, whole.zones * whole.racks * whole.uplinks_per_rtsw
                )
                self.assertEqual(part.ctsws * part.uplinks_per_ctsw * stages, whole.ctsws * whole.uplinks_per_ctsw)

    def test_of_stages_that_are_far_apart(self):
        whole = fabric(4, 8, 16, 18, 2, 2)  # zones of 128 GPUs
        for gpus, stages, alone_zones, alone_racks, replica in (
            (512, 4, 1, 8, (4, 1, 8)),  # a zone each: servers in four zones
            (512, 2, 2, 8, (2, 1, 8)),  # two zones each
            (512, 8, 1, 4, (4, 2, 8)),  # half a zone each
            (128, 4, 1, 2, (1, 4, 8)),  # one zone for all
            (64, 8, 1, 1, (1, 4, 16)),  # half a rack each
        ):
            with self.subTest(gpus=gpus, stages=stages):
                far = dataclasses.replace(job(gpus, stages), far_stages=True)
                part, of_one = alone(whole, far), of_replica(whole, far)
                self.assertEqual((part.zones, part.racks, part.gpus_per_rack), (alone_zones, alone_racks, min(16, gpus // stages)))
                self.assertEqual((of_one.zones, of_one.racks, of_one.gpus_per_rack), replica)
                self.assertEqual(together(whole, far), part)

    def test_is_not_there_where_links_cannot_be_divided(self):
        self.assertIsNone(together(fabric(2, 16, 16, 9, 2, 2), job(512, 2)))  # 9 spines, two stages in a rack
        self.assertIsNone(together(fabric(2, 16, 16, 18, 2, 1), job(512, 4)))  # 1 uplink, a replica in two racks

    def test_is_refused_where_stages_lie_in_more_than_one_way(self):
        with self.assertRaisesRegex(NotInParts, "replicas lie in racks in more than one way"):
            alone(fabric(2, 16, 12, 18, 2, 2), job(384, 2))
        with self.assertRaisesRegex(NotInParts, "does not go evenly into a zone"):
            alone(fabric(2, 3, 16, 18, 2, 2), job(96, 4))

    def test_of_a_replica_is_its_racks(self):
        replica = of_replica(fabric(8, 128, 16, 18, 16, 16), job(16384, 16))
        self.assertEqual((replica.zones, replica.racks, replica.gpus_per_rack), (1, 8, 16))
        one_server = of_replica(dataclasses.replace(fabric(1, 4, 16, 18, 0, 0), kind="ai_zone"), job(64, 2, 2))
        self.assertEqual(one_server.racks, 1)


if __name__ == "__main__":
    unittest.main()
