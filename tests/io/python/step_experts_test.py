"""heddle step: replicas that exchange tokens are simulated together, and a layer's experts with what else it has."""

import dataclasses
import json
import pathlib
import tempfile
import unittest

import heddle.step
import pandas
from heddle.step.experts import units_of
from heddle.step.fabric import of_replica
from heddle.step.job import NotInParts
from heddle.step.margins import of_values
from heddle.step.parts import ALONE, TOGETHER, TRAINING, parts_of
from heddle.step.reading import step_of
from small_runs import HEDDLE, simulate
from small_steps import CONFIG, TINY, fabric, job, said, tree_of
from step_test import settings

EXPERTS = {f"{TRAINING}.experts": 4, f"{TRAINING}.experts_per_token": 2, f"{TRAINING}.expert_parallel": 2}


def with_experts(expert_parallel, gpus=64, stages=2, **more):
    return dataclasses.replace(job(gpus, stages, **more), expert_parallel=expert_parallel)


class Parts(unittest.TestCase):
    def test_replicas_that_exchange_tokens_are_neighbours_of_data_and_context_parallelism(self):
        for experts, contexts, replicas in ((1, 1, 1), (4, 1, 4), (2, 2, 1), (8, 2, 4), (2, 4, 1), (4, 6, 2)):
            with self.subTest(experts=experts, contexts=contexts):
                each = dataclasses.replace(with_experts(experts), context_parallel=contexts)
                self.assertEqual(each.exchanging_replicas, replicas)

    def test_the_pipeline_has_all_that_exchange_tokens(self):
        self.assertEqual(with_experts(2).servers_of_replica_gpus, 32)
        self.assertEqual(with_experts(2, stage_gpus=2).servers_of_replica_gpus, 8)  # a server has two replicas
        far = dataclasses.replace(with_experts(4, stage_gpus=4), far_stages=True)
        self.assertEqual((far.part_of_stage_gpus, far.servers_of_replica_gpus, far.part_replicas), (16, 32, 4))
        parts = parts_of(tree_of(EXPERTS))
        self.assertEqual((parts.pipeline["job.0.gpus"], parts.pipeline["topology.racks"]), (32, 2))

    def test_layers_follow_each_other_as_tokens_meet_what_the_next_one_gathers(self):
        parts = parts_of(tree_of(EXPERTS))
        self.assertEqual(parts.layer[ALONE][f"{TRAINING}.layers"], 2)  # a stage has 4 / 2
        odd = {f"{TRAINING}.tensor_parallel": 4, f"{TRAINING}.layers": 0, "topology.ctsws": 9, "topology.uplinks_per_rtsw": 9}
        several = parts_of(tree_of({**EXPERTS, **odd}))
        self.assertEqual(several.layer[TOGETHER][f"{TRAINING}.layers"], 6)  # 3 of each stage
        self.assertIn(
            "2 layers of one stage, 32 GPUs, alone", heddle.step.plan(CONFIG, None, {**TINY, **EXPERTS, f"{TRAINING}.layers": 4})
        )

    def test_far_stages_have_racks_for_all_that_exchange_tokens(self):
        whole = fabric(4, 8, 16, 18, 2, 2)  # zones of 128 GPUs
        for gpus, stages, experts, replica in (
            (512, 4, 2, (4, 1, 16)),  # a zone each, of which a rack
            (512, 4, 4, (4, 2, 16)),  # two racks
            (512, 8, 4, (4, 4, 16)),  # half a zone each
            (128, 4, 2, (1, 4, 16)),  # one zone for all
            (64, 8, 1, (1, 4, 16)),  # two stages in a rack
        ):
            with self.subTest(gpus=gpus, stages=stages, experts=experts):
                of_one = of_replica(whole, dataclasses.replace(with_experts(experts, gpus, stages), far_stages=True))
                self.assertEqual((of_one.zones, of_one.racks, of_one.gpus_per_rack), replica)

    def test_context_parallelism_over_several_servers_meets_what_is_gathered_too(self):
        wide = {f"{TRAINING}.context_parallel": 2, f"{TRAINING}.layers": 8}
        parts = parts_of(tree_of(wide))
        self.assertEqual(parts.layer[ALONE][f"{TRAINING}.layers"], 3)
        self.assertEqual((parts.pipeline["job.0.gpus"], parts.pipeline["topology.racks"]), (32, 2))
        far = parts_of(tree_of({**wide, f"{TRAINING}.rank_order": "tp-cp-dp-pp"}))
        self.assertEqual((far.pipeline["job.0.gpus"], far.pipeline["topology.racks"]), (32, 2))
        narrow, margins = (of_values(dataclasses.replace(job(64, 2), stage_gpus=gpus)) for gpus in (8, 16))
        self.assertGreater(margins["context"].of_all_waits, narrow["context"].of_all_waits)
        self.assertEqual(margins["time"].of_all_waits, 0.07)

    def test_what_lies_in_several_ways_is_refused(self):
        for each in (with_experts(3, 96), with_experts(16, 512)):  # 48 GPUs over racks of 32; 256 over zones of 128
            with self.assertRaisesRegex(NotInParts, "neighbouring GPUs exchange tokens"):
                of_replica(fabric(4, 4, 32, 16, 2, 2), each)
        with self.assertRaisesRegex(NotInParts, "all exchange tokens with each other"):
            parts_of(tree_of({**EXPERTS, f"{TRAINING}.expert_parallel": 4}))
        with self.assertRaisesRegex(NotInParts, "no multiple of the 32 GPUs"):
            parts_of(tree_of({**EXPERTS, "job.0.first_gpu": 16, "topology.racks": 8, "job.0.gpus": 64}))

    def test_what_crosses_racks_with_fewer_uplinks_than_gpus_is_refused(self):
        few = {"topology.uplinks_per_rtsw": 12, "topology.ctsws": 12}
        for crossing in (EXPERTS, {f"{TRAINING}.context_parallel": 4, f"{TRAINING}.pipeline_parallel": 1}):
            with self.assertRaisesRegex(NotInParts, "1.33 times .* more than 1, tokens, or keys and values, meet"):
                parts_of(tree_of({**crossing, **few}))
        parts_of(tree_of({**EXPERTS, **few, f"{TRAINING}.tensor_parallel": 4}))  # in a rack
        parts_of(tree_of({f"{TRAINING}.context_parallel": 2, f"{TRAINING}.pipeline_parallel": 1, **few}))  # likewise

    def test_slow_gpus_hold_back_all_that_exchange_tokens_with_them(self):
        late = parts_of(tree_of({**EXPERTS, f"{TRAINING}.slow_ranks": [17, 40, 50]})).late  # replicas 1; 2, 3
        self.assertEqual(late.slow, {"slow_ranks": [8, 18]})  # of the second pair
        self.assertEqual(late.latest, {"slow_ranks": [8, 17, 18]})
        self.assertEqual(late.weight, 3 / (2 * 2))


class Units(unittest.TestCase):
    def test_a_gpu_waits_for_the_later_of_a_layers_two_rings(self):
        ranks = pandas.DataFrame(
            [(0, node) for node in range(4)] + [(1, 0), (1, 2), (2, 1), (2, 3)], columns=["communicator", "node"]
        )
        rows = pandas.DataFrame(
            [
                (0, "all_gather", 50, 0, 10),  # the vocabulary
                (0, "all_gather", 100, 10, 40),
                (0, "all_gather", 100, 50, 70),
                (1, "all_gather", 30, 5, 60),
                (1, "all_gather", 30, 60, 65),
                (2, "all_gather", 30, 5, 30),
                (2, "all_gather", 30, 45, 90),
            ],
            columns=["communicator", "kind", "bytes", "last_enter_ps", "finish_ps"],
        )
        found = units_of(rows, ranks)
        layers = found[found.bytes == 130].set_index("communicator")
        self.assertEqual(list(layers.last_enter_ps[1]), [10, 60])
        self.assertEqual(list(layers.finish_ps[1]), [60, 70])
        self.assertEqual(list(layers.finish_ps[2]), [40, 90])
        self.assertEqual(list(layers.but_experts[1]), [100, 100])
        self.assertEqual(list(layers.but_experts_ps[1]), [30, 20])
        self.assertEqual(sorted(found[found.bytes == 50].communicator), [1, 2])


class Margins(unittest.TestCase):
    def test_the_next_stage_waits_for_tokens_that_are_late(self):
        for stages, later in ((2, {"time", "pipeline", "expert"}), (1, {"time", "expert"})):
            in_server, without, across = (
                of_values(with_experts(number, stages=stages, stage_gpus=gpus)) for number, gpus in ((2, 2), (1, 8), (2, 8))
            )
            self.assertEqual(in_server["pipeline"], without["pipeline"])
            self.assertEqual({name for name in across if across[name].of_all_waits > without[name].of_all_waits}, later)


class Compared(unittest.TestCase):
    def test_pairs_with_experts_are_subtracted(self):
        with tempfile.TemporaryDirectory() as folder:
            for seed in (1, 2):
                place = pathlib.Path(folder, str(seed))
                place.mkdir()
                step = said(
                    (1000, 1010),
                    (500, 510),
                    dcqcn__enabled=seed == 2,
                    **{key.replace(".", "__"): of for key, of in EXPERTS.items()},
                )
                (place / "step.json").write_text(json.dumps(step))
            other = heddle.step.compare([pathlib.Path(folder, seed) for seed in "12"]).others[0]
        self.assertEqual(other.unpaired, "pairs with experts, or with context parallelism over several servers, were not judged")


class Steps(unittest.TestCase):
    def test_the_whole_lies_within(self):
        changes = {**TINY, **EXPERTS}
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            found = heddle.step.step(CONFIG, place / "parts", changes, program=HEDDLE)
            truth = step_of(heddle.open(simulate(place / "whole.h5", [CONFIG], *settings(changes))))
        self.assertGreater(truth["expert"], 0)
        for value, interval in found.values.items():
            with self.subTest(value=value):
                self.assertTrue(interval.holds(truth[value]), f"{truth[value]} of {interval}")


if __name__ == "__main__":
    unittest.main()
