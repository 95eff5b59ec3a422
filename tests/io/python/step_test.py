"""heddle step: a step simulated whole lies within what its parts say; its file, its report, its command."""

import contextlib
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest
import warnings
from unittest import mock

import h5py
import heddle
import heddle.step
import html_pages
from heddle.report import write_report
from heddle.step.job import NotInParts
from heddle.step.parts import ALONE, TOGETHER, TRAINING, parts_of
from heddle.step.reading import step_of, steps_in
from helpers import said
from small_runs import HEDDLE, program, sets, simulate
from small_steps import CONFIG, SMALL, tree_of


def settings(changes):
    """As --set takes them."""
    return [f"{key}={str(value).lower() if isinstance(value, bool) else value}" for key, value in changes.items()]


class Steps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.folder = cls.place / "step"
        cls.found = heddle.step.step(CONFIG, cls.folder, SMALL, program=HEDDLE)
        assert "context" not in cls.found.values, "there is no such group"
        cls.whole = heddle.open(simulate(cls.place / "whole.h5", [CONFIG], *settings(SMALL)))

    def test_the_whole_lies_within(self):
        truth = step_of(self.whole)
        for name, value in self.found.values.items():
            with self.subTest(value=name):
                self.assertTrue(value.holds(truth[name]), f"{truth[name]} of {value}")

    def test_computing_is_that_of_the_whole(self):
        computing = self.found.values["computing"]
        self.assertEqual(computing.low_ps, computing.high_ps)
        self.assertAlmostEqual(computing.low_ps, step_of(self.whole)["computing"])

    def test_quotes_what_the_gpus_compute(self):
        """As MFU counts operations as the program does, it is the share of the time that a GPU computes, times what kernels reach."""
        mfu, time = self.found.quoted()["mfu"], self.found.values["time"]
        computing_ps = 0.55 * self.found.values["computing"].low_ps
        self.assertAlmostEqual(mfu["low"] * time.high_ps / computing_ps, 1, places=6)
        self.assertAlmostEqual(mfu["high"] * time.low_ps / computing_ps, 1, places=6)
        self.assertRegex(str(self.found), r"MFU, % +[\d.]+ to [\d.]+\n")

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
        self.assertIn("Where the time of a step goes", text)
        for value in self.found.values.values():
            for ps in (value.low_ps, value.high_ps, value.alone_ps, value.together_ps):
                self.assertIn(f'data-value="{ps!r}"', text)
        self.assertIn("a training step on 64 GPUs by its parts", text)
        self.assertNotIn("exposed communication (context)", text)

    def test_a_report_shows_where_the_time_of_a_layer_goes(self):
        page = html_pages.of(self.folder)
        rows = {(row["run"], row["collective"]): row for row in page.table("layers")}
        for number, how in enumerate((ALONE, TOGETHER)):
            with h5py.File(self.folder / "layer" / f"{number}.h5") as file:
                full_ps = (file["link/sent_bytes"][...] * 8e12 / file["topology/link/bits_per_s"][...]).max()
                table = {key: file["collective"][key][...] for key in ("group", "kind", "bytes", "start_ps", "finish_ps")}
                attrs = {key: file["collective"][key].attrs for key in ("group", "kind")}
                codes = {key: dict(zip(said["flag_meanings"].split(), said["flag_values"])) for key, said in attrs.items()}
            data = table["group"] == codes["group"]["data"]
            for kind, times in self.found.layers[how].items():
                row = rows[how, kind.replace("_", "-")]
                mine = data & (table["kind"] == codes["kind"][kind]) & (table["bytes"] == times.bytes)
                share = table["bytes"][mine].sum() / table["bytes"][data].sum()
                parts = {key: float(row[key]) for key in ("even_ps", "uneven_ps", "latency_ps", "rest_ps")}
                self.assertEqual(int(row["time_ps"]), max(times.times_ps))
                self.assertAlmostEqual(sum(parts.values()), max(times.times_ps), delta=1)
                self.assertAlmostEqual((parts["even_ps"] + parts["uneven_ps"]) / (share * full_ps), 1, places=9)
                self.assertEqual(parts["latency_ps"], times.latency_ps(max))
                self.assertGreater(parts["rest_ps"], 0)
            ran_us = set()
            for start, finish in zip(table["start_ps"][data], table["finish_ps"][data]):
                ran_us |= set(range(int(start) // 10**6, int(finish) // 10**6))
            use = max(float(row["most_use"]) for row in page.table("layer_links") if row["run"] == how)
            self.assertAlmostEqual(use * len(ran_us) * 1e6 / full_ps, 1, places=2)

    def test_a_report_whose_layer_is_missing_says_so(self):
        folder = shutil.copytree(self.folder, self.place / "without_layer")
        (folder / "layer" / "1.h5").unlink()
        code, _, err = said("report", folder, "-o", self.place / "without_layer.html")
        self.assertEqual(code, 3)
        self.assertIn("together is left out: there is no 1.h5", err)
        page = html_pages.read(self.place / "without_layer.html")
        self.assertEqual({row["run"] for row in page.table("layers")}, {"alone"})
        self.assertIn("not sound", page.told)

    def test_what_heddle_step_has_not_written_is_refused(self):
        for text, why in (("{", "is no JSON"), ("{}", "not of this version"), ("[]", "not of this version")):
            with self.subTest(text=text), tempfile.TemporaryDirectory() as folder:
                pathlib.Path(folder, "step.json").write_text(text)
                with self.assertRaisesRegex(ValueError, why):
                    steps_in(folder)

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
            ({"parts": {}}, "parts does not name its pipelines"),
            ({"parts": {**whole["parts"], "layer": {"alone": 1}}}, "parts does not name its layers"),
            ({"steps": []}, "steps are none"),
            ({"rates": {"watts": 700}}, "rates are none of a GPU"),
            ({"rates": {**whole["rates"], "price": 0}}, "rates are none of a GPU"),
            ({"steps": [whole, {**whole, "axes": 1}]}, "axes is missing"),
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
                    steps_in(folder)

    def test_the_same_again_runs_nothing_and_another_is_refused(self):
        before = {path: path.stat().st_mtime_ns for path in self.folder.glob("*/*.h5")}
        self.assertEqual(heddle.step.step(CONFIG, self.folder, SMALL, program=HEDDLE), self.found)
        self.assertEqual({path: path.stat().st_mtime_ns for path in self.folder.glob("*/*.h5")}, before)
        with self.assertRaisesRegex(FileExistsError, "of another step"):
            heddle.step.step(CONFIG, self.folder, {**SMALL, "dcqcn.enabled": True}, program=HEDDLE)

    def test_compared_with_another_by_the_program(self):
        other = self.place / "other"
        changes = {**SMALL, "dcqcn.enabled": True}
        heddle.step.step(CONFIG, other, changes, program=HEDDLE)
        truth = step_of(heddle.open(simulate(self.place / "other.h5", [CONFIG], *settings(changes))))
        found = heddle.step.compare([self.folder, other])
        self.assertEqual(program("compare", self.folder, other), f"{found}\n")
        self.assertEqual(found.settings["dcqcn.enabled"], ("false", "true"))
        of_first = step_of(self.whole)
        for name, difference in found.others[0].differences.items():
            with self.subTest(value=name):
                self.assertTrue(difference.holds(truth[name] - of_first[name]), f"{truth[name] - of_first[name]} of {difference}")
        said_json = json.loads(program("compare", "--json", self.folder, other))
        self.assertEqual(said_json, json.loads(json.dumps(found.as_json())))
        page = html_pages.of(self.folder, other)
        self.assertIn("step, other: 2 variants of a training step on 64 GPUs by their parts", page.told)
        self.assertIn(str(found).splitlines()[0], page.told, "the answer, with the names and in the order of compare")
        time = found.others[0].differences["time"]
        row = next(row for row in page.table("differences") if row["value"] == "time of a step")
        self.assertEqual((row["variant"], float(row["low_ps"]), float(row["high_ps"])), ("B", time.low_ps, time.high_ps))
        self.assertEqual({row["run"] for row in page.table("layers")}, {f"{of} {how}" for of in "AB" for how in (ALONE, TOGETHER)})

    def test_a_report_is_of_steps_alone(self):
        for words, why in (
            ([self.folder, self.place / "whole.h5"], "whole.h5' is no step that `heddle step` has brought to its end"),
            ([self.folder, self.folder], "step' is given twice"),
        ):
            with self.subTest(words=words), self.assertRaisesRegex(ValueError, why):
                write_report(words, self.place / "none.html")

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
                done = subprocess.run([HEDDLE, "compare", *words], capture_output=True, text=True)
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr, why)

    def test_one_stage_whose_gradients_are_all_reduced(self):
        changes = {**SMALL, f"{TRAINING}.pipeline_parallel": 1, f"{TRAINING}.data_parallel": "all_reduce", f"{TRAINING}.layers": 2}
        found = heddle.step.step(CONFIG, self.place / "one", changes, program=HEDDLE)
        self.assertEqual(found.layers[ALONE], found.layers[TOGETHER])
        self.assertEqual(set(found.layers[ALONE]), {"all_reduce"})
        self.assertNotIn("pipeline", found.values)
        self.assertGreater(found.values["data"].low_ps, 0)

    def test_stages_that_are_far_apart(self):
        changes = {**SMALL, f"{TRAINING}.rank_order": "tp-cp-dp-pp"}
        found = heddle.step.step(CONFIG, self.place / "far", changes, program=HEDDLE)
        self.assertRegex(str(found), r"of its rings\)\n +all_gather")  # alone is the same as together
        self.assertRegex(str(found), r"from +to +mean ring +slowest\n")
        self.assertRegex(str(self.found), r"^A step on 64 GPUs takes [\d.]+ to [\d.]+ ms\.\n")
        self.assertRegex(str(self.found), r"from +to +alone +together\n")
        truth = step_of(heddle.open(simulate(self.place / "far.h5", [CONFIG], *settings(changes))))
        for name, value in found.values.items():
            with self.subTest(value=name):
                self.assertTrue(value.holds(truth[name]), f"{truth[name]} of {value}")

    def test_what_parts_change_may_be_set(self):
        changes = {**SMALL, "topology.ctsws": 9, "topology.uplinks_per_rtsw": 9, f"{TRAINING}.layers": 2, "job.0.gpus": 32}
        self.assertFalse(parts_of(tree_of(changes)).divided)  # a layer of every stage, whose number is set, too
        found = heddle.step.step(CONFIG, self.place / "set", changes, program=HEDDLE)
        self.assertEqual(found.gpus, 32)
        self.assertEqual(len(found.layers[TOGETHER]["all_gather"].times_ps), 2 * len(found.layers[ALONE]["all_gather"].times_ps))

    def test_a_job_in_one_server_has_no_network(self):
        changes = {**SMALL, "job.0.gpus": 8, f"{TRAINING}.tensor_parallel": 2, f"{TRAINING}.pipeline_parallel": 2}
        place = self.place / "server"
        with self.assertRaisesRegex(NotInParts, "no packet of this job leaves its servers"):
            heddle.step.step(CONFIG, place, changes, program=HEDDLE)
        self.assertFalse(place.exists())

    def test_what_is_wrong_with_the_whole_is_said_of_the_whole(self):
        with self.assertRaisesRegex(heddle.ConfigError, "60"):
            heddle.step.step(CONFIG, self.place / "wrong", {**SMALL, "job.0.gpus": 60}, program=HEDDLE)

    def test_a_part_that_does_not_complete_is_an_error(self):
        def left_out(*_, **__):
            warnings.warn("run 0 has no result", heddle.LeftOut, stacklevel=2)

        with mock.patch("heddle.sweeping.run_folder", left_out):
            with self.assertRaisesRegex(heddle.ProgramError, "a part of the step has no result, and no log says why"):
                heddle.step.step(CONFIG, self.place / "stalled", SMALL, program=HEDDLE)


class Command(unittest.TestCase):
    def words(self, *more):
        return ["step", CONFIG, *sets(*settings(SMALL)), *more]

    def test_plan_says_what_parts_cost_and_runs_nothing(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            code, out, _ = said(*self.words("--plan"))
            self.assertEqual(code, 0)
            self.assertIn("64 GPUs: 4 replicas of 2 stages of 8 GPUs", out)
            self.assertRegex(out, r"the whole step: \S+ packet-hops, .* on a core")
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [])

    def test_table_and_json(self):
        with tempfile.TemporaryDirectory() as folder:
            place = str(pathlib.Path(folder) / "s")
            code, out, err = said(*self.words("-q", "-o", place))
            self.assertEqual(code, 0, err)
            self.assertRegex(out, r"time +\d+\.\d\d +\d+\.\d\d")
            self.assertNotIn("context", out)  # it has no such groups
            code, again, err = said(*self.words("-q", "-o", place, "--json"))
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
            (["compare", "a"], "a/step.json"),
        ):
            with self.subTest(words=words), tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
                code, _, err = said(*words)
                self.assertEqual(code, 2)
                self.assertIn(why, err)
                self.assertEqual(list(pathlib.Path(folder).iterdir()), [])


if __name__ == "__main__":
    unittest.main()
