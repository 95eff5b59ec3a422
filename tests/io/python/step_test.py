"""heddle step: which parts a step has, what is refused, and that a step simulated whole lies within what its parts say."""

import contextlib
import dataclasses
import functools
import io
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest
import warnings
from unittest import mock

import heddle
import heddle.step
from heddle.__main__ import main
from heddle.report import write_report
from heddle.step.comparing import Difference, difference_of, narrower
from heddle.step.fabric import Fabric, alone, of_replica, share_of, together
from heddle.step.job import Job, NotInParts
from heddle.step.margins import Margin, of_differences, of_values
from heddle.step.parts import ALONE, TOGETHER, TRAINING, parts_of
from heddle.step.reading import FORMAT, LayerTimes, estimate_in, mean_over, step_of
from small_runs import HEDDLE, ROOT, simulate

CONFIG = str(ROOT / "configs/training.toml")
SMALL = {f"{TRAINING}.layers": 4, f"{TRAINING}.iterations": 1, "output.series_interval": "0 ps"}


def fabric(zones, racks, gpus_per_rack, ctsws, atsws, uplinks_per_ctsw):
    return Fabric("multi_zone", zones, racks, gpus_per_rack, ctsws, ctsws, atsws, uplinks_per_ctsw)


def job(gpus, stages, stage_gpus=8, server=8):
    return Job(gpus, 0, server, stages, stage_gpus, 1, 4, True)


def tree_of(changes):
    """Of the small training job with changes, every default filled in."""
    return heddle.Config(CONFIG, {**SMALL, **changes}).resolved(HEDDLE).tree


def refusal(changes):
    try:
        parts_of(tree_of(changes))
    except NotInParts as error:
        return str(error)
    raise AssertionError(f"not refused: {changes}")


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
            ({"acceleration.mode": "bounded"}, "acceleration.mode"),
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
            ({f"{TRAINING}.jitter": 0.1}, "jitter"),
            ({f"{TRAINING}.slow_ranks": [3]}, "slow_ranks"),
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
            ({f"{TRAINING}.context_parallel": 4, f"{TRAINING}.tensor_parallel": 4}, "more than a server's 8"),
            ({"topology.ctsws": 7, "topology.uplinks_per_rtsw": 7}, "2.29 times as much to their GPUs"),
            ({"link.rtsw_ctsw_rate": "100 Gb/s"}, "3.56 times as much to their GPUs"),
            ({"routing.policy": "spray"}, "selective_repeat"),
            ({"job.0.gpus": 32, "job.0.first_gpu": 8}, "first_gpu"),
            ({f"{TRAINING}.model": "mixtral_8x7b", f"{TRAINING}.expert_parallel": 2}, "expert_parallel"),
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


class Margins(unittest.TestCase):
    def test_go_by_stages_and_by_what_senders_get(self):
        one = job(64, 1)
        several, far = dataclasses.replace(one, stages=2), dataclasses.replace(one, stages=2, far_stages=True)
        of_time = [
            of_values(each)["time"].of_all_waits
            for each in (
                several,
                dataclasses.replace(several, paced=True),
                dataclasses.replace(several, divides_slices=False),
                far,
                one,
                dataclasses.replace(one, divides_slices=False),
                dataclasses.replace(one, paced=True),
                dataclasses.replace(one, paced=True, divides_slices=False),
            )
        ]
        self.assertEqual(of_time, [0.07, 0.07, 0.08, 0.12, 0.08, 0.16, 0.16, 0.16])
        paced = dataclasses.replace(several, paced=True)
        pairs = (several, several), (several, paced), (paced, several), (far, far), (one, dataclasses.replace(one, paced=True))
        self.assertEqual([of_differences(*pair)["time"].of_all_waits for pair in pairs], [0.012, 0.025, 0.025, 0.1, 0.03])
        self.assertEqual(of_differences(several, several)["time"].of_itself, 0.5)

    def test_what_gpus_compute_is_given(self):
        for stages, more in ((1, {}), (2, {}), (2, {"far_stages": True}), (1, {"paced": True})):
            self.assertEqual(of_values(dataclasses.replace(job(64, stages), **more))["computing"], Margin(0.0))


class TimesOfALayer(unittest.TestCase):
    def test_latency_is_where_the_line_begins(self):
        times = LayerTimes(1000, (1100, 1300), 100, (200, 220))
        self.assertEqual(times.given(min), (1100, 100))
        self.assertEqual(times.given(max), (1300, 100))

    def test_latency_is_no_less_than_nothing_and_no_more_than_all(self):
        self.assertEqual(LayerTimes(1000, (1000,), 100, (50,)).given(max), (1000, 0))
        self.assertEqual(LayerTimes(1000, (1000,), 100, (2000,)).given(max), (1000, 1000))
        self.assertEqual(LayerTimes(1000, (1000,), 1000, (1000,)).given(max), (1000, 0))

    def test_of_several_layers_the_first_counts_once(self):
        self.assertEqual(mean_over(7, [1000]), 1000)  # as of a layer of one of several stages
        self.assertEqual(mean_over(3, [1000, 700, 500]), (1000 + 2 * 600) // 3)
        self.assertEqual(mean_over(10, [1000, 700, 500]), (1000 + 9 * 600) // 10)


class Steps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.place.name) / "step"
        cls.found = heddle.step.step(CONFIG, cls.folder, SMALL, program=HEDDLE)
        assert "context" not in cls.found.values, "there is no such group"
        sets = [word for key, value in SMALL.items() for word in ("--set", f"{key}={value}")]
        cls.whole = heddle.open(simulate(pathlib.Path(cls.place.name) / "whole.h5", [CONFIG, *sets]))

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def test_the_whole_lies_within(self):
        truth = step_of(self.whole)
        for name, value in self.found.values.items():
            with self.subTest(value=name):
                self.assertTrue(value.holds(truth[name]), f"{truth[name]} of {value}")

    def test_computing_is_that_of_the_whole(self):
        computing = self.found.values["computing"]
        self.assertEqual(computing.low_ps, computing.high_ps)
        self.assertAlmostEqual(computing.low_ps, step_of(self.whole)["computing"])

    def test_says_what_of_the_step_was_simulated(self):
        self.assertEqual(self.found.cost.simulated, sum(int(run.attrs["packet_hops"]) for run in self.parts()))
        self.assertAlmostEqual(self.found.cost.whole / self.whole.attrs["packet_hops"], 1, delta=0.05)

    def parts(self):
        return [heddle.open(path) for path in sorted(self.folder.glob("*/*.h5"))]

    def test_the_pipeline_takes_what_rings_took(self):
        for number, (how, of) in enumerate(((ALONE, lambda times: sum(times) / len(times)), (TOGETHER, max))):
            pipeline = heddle.open(self.folder / "pipeline" / f"{number}.h5")
            for kind, key in (("all_gather", "gather"), ("reduce_scatter", "reduce")):
                self.assertEqual(pipeline.value(f"{TRAINING}.{key}"), round(of(self.found.layers[how][kind].times_ps)))

    def test_the_file_holds_what_is_returned(self):
        with open(self.folder / "step.json") as file:
            self.assertEqual(json.load(file), self.found.as_json())

    def test_a_report_shows_every_value_with_its_interval(self):
        page = self.folder.parent / "page.html"
        self.assertEqual(write_report([str(self.folder)], page), page.stat().st_size)
        text = page.read_text()
        self.assertIn("The step, by its parts", text)
        for value in self.found.values.values():
            for ps in (value.low_ps, value.high_ps, value.alone_ps, value.together_ps):
                self.assertIn(f'data-value="{ps!r}"', text)
        self.assertIn("a training step on 64 GPUs by its parts", text)
        self.assertNotIn("stands still for context", text)

    def test_what_heddle_step_has_not_written_is_refused(self):
        for text, why in (("{", "is no JSON"), ("{}", "not of this version"), ("[]", "not of this version")):
            with self.subTest(text=text), tempfile.TemporaryDirectory() as folder:
                pathlib.Path(folder, "step.json").write_text(text)
                with self.assertRaisesRegex(ValueError, why):
                    estimate_in(folder)

    def test_a_damaged_file_is_refused_with_what_is_wrong(self):
        whole = self.found.as_json()
        time = whole["values_ps"]["time"]
        for change, why in (
            ({"format": "heddle step 3"}, "not of this version"),
            ({"config": {}}, "does not say what is trained"),
            ({"job": {**whole["job"], "stages": "2"}}, "does not say what is trained"),
            ({"job": {**whole["job"], "paced": 0}}, "does not say what is trained"),
            ({"values_ps": {"time": {**time, "low": time["high"] + 1}}}, "values_ps.time is no interval around its estimates"),
            *(
                ({key: None}, f"{key} is missing")
                for key in ("gpus", "job", "values_ps", "layers_ps", "config", "packet_hops_whole")
            ),
            ({"gpus": "64"}, "gpus is missing, or of another kind"),
            ({"config": "x"}, "config is missing"),
            ({"job": {}}, "does not say what is trained"),
            ({"values_ps": {}}, "has no time"),
            ({"values_ps": {"time": time, "weather": time}}, "none of a step"),
            *(
                ({"values_ps": {"time": {**time, "alone": bad}}}, "values_ps.time is not four times")
                for bad in (None, "1", True, float("nan"), -1)
            ),
            ({"values_ps": {"time": []}}, "values_ps.time is not four times"),
            ({"layers_ps": {"alone": []}}, "layers_ps does not hold times"),
            ({"layers_ps": {"alone": {"all_gather": []}}}, "layers_ps does not hold times"),
        ):
            with self.subTest(change=change), tempfile.TemporaryDirectory() as folder:
                pathlib.Path(folder, "step.json").write_text(json.dumps({**whole, **change}))
                with self.assertRaisesRegex(ValueError, f"step.json'.*{why}.* run that again"):
                    estimate_in(folder)

    def test_the_same_again_runs_nothing_and_another_is_refused(self):
        before = {path: path.stat().st_mtime_ns for path in self.folder.glob("*/*.h5")}
        self.assertEqual(heddle.step.step(CONFIG, self.folder, SMALL, program=HEDDLE), self.found)
        self.assertEqual({path: path.stat().st_mtime_ns for path in self.folder.glob("*/*.h5")}, before)
        with self.assertRaisesRegex(FileExistsError, "of another step"):
            heddle.step.step(CONFIG, self.folder, {**SMALL, "dcqcn.enabled": True}, program=HEDDLE)

    def test_compared_with_another_by_the_program(self):
        other = pathlib.Path(self.place.name) / "other"
        changes = {**SMALL, "dcqcn.enabled": True}
        heddle.step.step(CONFIG, other, changes, program=HEDDLE)
        sets = [word for key, value in changes.items() for word in ("--set", f"{key}={str(value).lower()}")]
        truth = step_of(heddle.open(simulate(pathlib.Path(self.place.name) / "other.h5", [CONFIG, *sets])))
        said = subprocess.run([HEDDLE, "compare", self.folder, other], capture_output=True, text=True)
        self.assertEqual(said.returncode, 0, said.stderr)
        found = heddle.step.compare([self.folder, other])
        self.assertEqual(said.stdout, f"{found}\n")
        self.assertEqual(found.settings["dcqcn.enabled"], ("false", "true"))
        of_first = step_of(self.whole)
        for name, difference in found.others[0].differences.items():
            with self.subTest(value=name):
                self.assertTrue(difference.holds(truth[name] - of_first[name]), f"{truth[name] - of_first[name]} of {difference}")
        said = subprocess.run([HEDDLE, "compare", "--json", self.folder, other], capture_output=True, text=True)
        self.assertEqual(json.loads(said.stdout), json.loads(json.dumps(found.as_json())))

    def test_is_compared_with_steps_alone(self):
        begun = self.folder.parent / "begun"
        shutil.copytree(self.folder / "layer", begun / "layer")
        for words, why in (
            ([self.folder, self.folder.parent / "whole.h5"], "steps are compared with steps"),
            ([self.folder.parent / "whole.h5", self.folder], "such as .*/step/pipeline/0.h5"),
            (["--csv", self.folder, self.folder], "--csv"),
            (["--every-run", self.folder, self.folder], "--every-run"),
            ([self.folder], "heddle compare: '.*/step' is one step"),
            ([self.folder, self.folder.parent / "nothing"], "nothing': no such file or folder"),
            ([self.folder, begun], "'.*/begun' is a step that has not come to its end"),
            ([begun], "'.*/begun' is a step that has not come to its end"),
        ):
            with self.subTest(words=words):
                said = subprocess.run([HEDDLE, "compare", *words], capture_output=True, text=True)
                self.assertEqual(said.returncode, 2)
                self.assertRegex(said.stderr, why)

    def test_one_stage_whose_gradients_are_all_reduced(self):
        changes = {**SMALL, f"{TRAINING}.pipeline_parallel": 1, f"{TRAINING}.data_parallel": "all_reduce", f"{TRAINING}.layers": 2}
        found = heddle.step.step(CONFIG, pathlib.Path(self.place.name) / "one", changes, program=HEDDLE)
        self.assertEqual(found.layers[ALONE], found.layers[TOGETHER])
        self.assertEqual(set(found.layers[ALONE]), {"all_reduce"})
        self.assertNotIn("pipeline", found.values)
        self.assertGreater(found.values["data"].low_ps, 0)

    def test_stages_that_are_far_apart(self):
        changes = {**SMALL, f"{TRAINING}.rank_order": "tp-cp-dp-pp"}
        found = heddle.step.step(CONFIG, pathlib.Path(self.place.name) / "far", changes, program=HEDDLE)
        self.assertRegex(str(found), r"of its rings\)\n +all_gather")  # alone is the same as together
        self.assertRegex(str(found), r"from +to +mean ring +slowest\n")
        self.assertRegex(str(self.found), r"from +to +alone +together\n")
        sets = [word for key, value in changes.items() for word in ("--set", f"{key}={value}")]
        truth = step_of(heddle.open(simulate(pathlib.Path(self.place.name) / "far.h5", [CONFIG, *sets])))
        for name, value in found.values.items():
            with self.subTest(value=name):
                self.assertTrue(value.holds(truth[name]), f"{truth[name]} of {value}")

    def test_what_parts_change_may_be_set(self):
        changes = {**SMALL, "topology.ctsws": 9, "topology.uplinks_per_rtsw": 9, f"{TRAINING}.layers": 2, "job.0.gpus": 32}
        self.assertFalse(parts_of(tree_of(changes)).divided)  # a layer of every stage, whose number is set, too
        found = heddle.step.step(CONFIG, pathlib.Path(self.place.name) / "set", changes, program=HEDDLE)
        self.assertEqual(found.gpus, 32)
        self.assertEqual(len(found.layers[TOGETHER]["all_gather"].times_ps), 2 * len(found.layers[ALONE]["all_gather"].times_ps))

    def test_a_job_in_one_server_has_no_network(self):
        changes = {**SMALL, "job.0.gpus": 8, f"{TRAINING}.tensor_parallel": 2, f"{TRAINING}.pipeline_parallel": 2}
        place = pathlib.Path(self.place.name) / "server"
        with self.assertRaisesRegex(NotInParts, "no packet of this job leaves its servers"):
            heddle.step.step(CONFIG, place, changes, program=HEDDLE)
        self.assertFalse(place.exists())

    def test_what_is_wrong_with_the_whole_is_said_of_the_whole(self):
        with self.assertRaisesRegex(heddle.ConfigError, "60"):
            heddle.step.step(CONFIG, pathlib.Path(self.place.name) / "wrong", {**SMALL, "job.0.gpus": 60}, program=HEDDLE)

    def test_a_part_that_does_not_complete_is_an_error(self):
        def left_out(*_, **__):
            warnings.warn("run 0 has no result", heddle.LeftOut, stacklevel=2)

        with mock.patch("heddle.step.making.run_folder", left_out):
            with self.assertRaisesRegex(heddle.ProgramError, "a part of the step did not complete: run 0 has no result"):
                heddle.step.step(CONFIG, pathlib.Path(self.place.name) / "stalled", SMALL, program=HEDDLE)


@functools.cache
def whole_tree():
    return tree_of({"job.0.qp_scaling": "split"})


def said(time, data, **changes):
    """What a step.json holds of a step in which nobody waits but for data: each value as (alone, together). `changes`: TRAINING's keys
    and others with __ for the point."""
    values = {"time": time, "computing": (100, 100), "data": data}
    config = heddle.Config(whole_tree(), {key.replace("__", "."): value for key, value in changes.items()})
    return {
        "format": FORMAT,
        "gpus": config["job.0.gpus"],
        "job": dataclasses.asdict(Job.of(config.tree, 64)),
        "method": "by parts",
        "margins": {},
        "layers_ps": {},
        "packet_hops_simulated": 1,
        "packet_hops_whole": 2.0,
        "values_ps": {
            name: {"low": max(0, min(ends) - 300), "high": max(ends) + 300, "alone": ends[0], "together": ends[1]}
            for name, ends in values.items()
        },
        "config": config.tree,
    }


class Comparing(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = pathlib.Path(place.name)

    def compared(self, *steps):
        folders = [self.place / f"s{number}" for number in range(len(steps))]
        for folder, step in zip(folders, steps):
            folder.mkdir()
            (folder / "step.json").write_text(json.dumps(step))
        return heddle.step.compare(folders)

    def test_a_difference_spans_both_estimates_and_reaches_beyond(self):
        first, other = {"alone": 200.0, "together": 220.0}, {"alone": 210.0, "together": 216.0}
        self.assertEqual(difference_of(Margin(0.1, 0.5), 50, first, other), Difference(-4 - 5 - 2, 10 + 5 + 5))

    def test_steps_that_train_the_same_are_nearer_than_their_intervals(self):
        found = self.compared(said((1000, 1010), (900, 910)), said((1000, 1011), (900, 911), topology__ctsws=9))
        other = found.others[0]
        self.assertEqual(other.unpaired, "")
        of_all = of_differences(job(64, 2), job(64, 2))["time"].of_all_waits * 911
        self.assertEqual(other.differences["time"], Difference(-of_all, 1 + of_all + 0.5))
        self.assertEqual(other.differences["computing"], Difference(0, 0))
        self.assertEqual(found.settings, {"topology.ctsws": ("18", "9")})

    def test_what_luck_or_a_congestion_control_decides_is_known_less_well(self):
        for changes in ({"job__0__qp_scaling": "round_robin"}, {"roce__congestion_control": "dcqcn"}):
            with self.subTest(changes=changes):
                found = self.compared(said((1000, 1000), (900, 900)), said((1010, 1010), (910, 910), **changes))
                off = of_differences(job(64, 2), dataclasses.replace(job(64, 2), paced=True))["time"].ps(910, 10)
                self.assertEqual(found.others[0].differences["time"], Difference(10 - off, 10 + off))
                self.clear()

    def test_of_others_it_is_what_their_intervals_leave_open(self):
        far = {f"{TRAINING.replace('.', '__')}__rank_order": "tp-cp-dp-pp"}
        for changes, why in (
            ({"job__0__training__layers": 8}, "they do not train the same"),
            ({"job__0__gpus": 32}, "they do not train the same"),
            ({"job__0__gpus_per_server": 16}, "they do not train the same"),
            (far, "they do not train the same"),
            ({"simulation__seed": 2}, "pairs that differ in simulation.seed were not judged"),
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
        self.assertRegex(str(found), r"stands still for context +- +- +0\.00 +0\.00 +- +-\n")
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
        self.assertRegex(str(found), r"Parts do not say which takes longer: D may take [\d.]+ % less than A, or [\d.]+ % more ")
        self.assertIn("job.0.qp_scaling  A split  B split  C split  D round_robin", str(found))

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
        self.assertIn("may take 100.0 % less than A", str(undecided))

    def test_errors(self):
        with self.assertRaisesRegex(ValueError, "is one step; name the folders of two or more"):
            heddle.step.compare([self.place])
        with self.assertRaisesRegex(ValueError, "given twice"):
            heddle.step.compare([self.place, self.place / "." / ""])
        with self.assertRaises(FileNotFoundError):
            heddle.step.compare([self.place / "a", self.place / "b"])
        with self.assertRaisesRegex(ValueError, "not of this version"):
            self.compared(said((9, 9), (9, 9)), {**said((9, 9), (9, 9)), "format": "heddle step 2"})


class Command(unittest.TestCase):
    def words(self, *more):
        return ["step", CONFIG, *(word for key, value in SMALL.items() for word in ("--set", f"{key}={value}")), *more]

    def said(self, words):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(words)
        return code, out.getvalue(), err.getvalue()

    def test_plan_says_what_parts_cost_and_runs_nothing(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            code, out, _ = self.said(self.words("--plan"))
            self.assertEqual(code, 0)
            self.assertIn("64 GPUs: 4 replicas of 2 stages of 8 GPUs", out)
            self.assertRegex(out, r"the whole step: \S+ packet-hops, .* on a core")
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [])

    def test_table_and_json(self):
        with tempfile.TemporaryDirectory() as folder:
            place = str(pathlib.Path(folder) / "s")
            code, out, err = self.said(self.words("-q", "-o", place))
            self.assertEqual(code, 0, err)
            self.assertRegex(out, r"time +\d+\.\d\d +\d+\.\d\d")
            self.assertNotIn("context", out)  # it has no such groups
            code, again, err = self.said(self.words("-q", "-o", place, "--json"))
            self.assertEqual(code, 0, err)
            self.assertEqual(json.loads(again), json.loads((pathlib.Path(place) / "step.json").read_text()))

    def test_errors(self):
        for words, why in (
            (["step", "none.toml"], "none.toml"),
            (self.words("--set", "job.0.gpus"), "write KEY=VALUE"),
            (self.words("--jobs", "0"), "give at least 1"),
            (self.words("--plan", "--json"), "leave out one of them"),
            (self.words("--set", "job.0.gpus=2026-11-26"), "job.0.gpus"),
            (self.words("--set", "routing.policy=ecmp"), "luck decides"),
            (["compare", "a"], "heddle compare: 'a' is one step"),
        ):
            with self.subTest(words=words), tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
                code, _, err = self.said(words)
                self.assertEqual(code, 2)
                self.assertIn(why, err)
                self.assertEqual(list(pathlib.Path(folder).iterdir()), [])


if __name__ == "__main__":
    unittest.main()
