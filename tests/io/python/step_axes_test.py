"""heddle step --axis: variants whose equal parts are simulated once, here and as arrays of Slurm; what is refused; the plan."""

import json
import os
import pathlib
import shutil
import tempfile
import unittest
from unittest import mock

import heddle
import heddle.step
from heddle.report import write_report
from heddle.step.expenses import Expense, expense_in
from heddle.step.parts import ALONE, TRAINING
from heddle.step.runs import Point, planned
from heddle.step.variants import variants_of
from helpers import InAFolder, said
from small_runs import HEDDLE, ROOT, program, sets
from small_steps import CONFIG, TINY

MICRO_BATCHES = {f"{TRAINING}.micro_batches": [2, 3]}  # a layer has one of its own


def variants(axes, changes=TINY):
    return variants_of(CONFIG, axes, changes, HEDDLE)


def alone(axes):
    """How many runs the layers alone of all variants are, in how many sweeps."""
    found, _ = planned({number: Point(v, v.parts.layer[ALONE]) for number, v in enumerate(variants(axes))})
    return len(found), sum(len(sweep.runs) for sweep in found)


class Variants(unittest.TestCase):
    def test_every_combination_with_every_default(self):
        found = variants({"dcqcn.enabled": "false,true", ("topology.ctsws", "topology.uplinks_per_rtsw"): [(18, 18), (9, 18)]})
        self.assertEqual([v.axes["dcqcn.enabled"] for v in found], ["false", "false", "true", "true"])
        self.assertEqual([v.resolved["topology.ctsws"] for v in found], [18, 9, 18, 9])
        self.assertEqual(found[3].name, "dcqcn.enabled=true topology.ctsws=9 topology.uplinks_per_rtsw=18")
        self.assertEqual([v.name for v in variants(None)], [""])

    def test_equal_parts_are_one_run(self):
        self.assertEqual(alone(MICRO_BATCHES), (1, 1))
        self.assertEqual(alone({**MICRO_BATCHES, "dcqcn.enabled": [False, True]}), (1, 2))
        self.assertEqual(alone({"simulation.seed": "1..3"}), (1, 3))

    def test_what_has_no_effect_in_a_variant_is_not_set_there(self):
        self.assertEqual(alone({f"{TRAINING}.data_parallel": "fsdp,all_reduce"}), (1, 2))
        both = variants({f"{TRAINING}.data_parallel": "fsdp,all_reduce"})
        times = {f"{TRAINING}.reduce": "1 ms"}
        points = {0: Point(both[0], {**times, f"{TRAINING}.gather": "1 ms"}), 1: Point(both[1], times)}
        found, places = planned(points)
        self.assertEqual([f"{TRAINING}.gather" in sweep.keys for sweep in found], [True, False])
        self.assertEqual(places, {0: (0, 0), 1: (1, 0)})

    def test_refusals_name_the_variant(self):
        found = variants({"routing.policy": "e_ecmp,ecmp"})
        self.assertTrue(found[0].parts.divided)
        with self.assertRaisesRegex(heddle.step.NotInParts, "^routing.policy=ecmp: routing: .*luck decides"):
            found[1].parts  # noqa: B018


class Steps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.folder = cls.place / "steps"
        cls.found = heddle.step.steps(CONFIG, MICRO_BATCHES, cls.folder, TINY, program=HEDDLE)

    @staticmethod
    def times(folder):
        return {path: path.stat().st_mtime_ns for path in folder.glob("*/*.h5")}

    def test_what_variants_share_is_simulated_once(self):
        names = sorted(str(path.relative_to(self.folder)) for path in self.times(self.folder))
        self.assertEqual(names, [*(f"layer/{n}.h5" for n in range(2)), *(f"pipeline/{n}.h5" for n in range(4))])
        simulated = sum(int(heddle.open(path).attrs["packet_hops"]) for path in self.times(self.folder))
        self.assertEqual(self.found.cost.simulated, simulated)
        self.assertGreater(sum(found.cost.simulated for found in self.found.estimates), simulated)

    def test_a_variant_is_what_a_step_of_it_is(self):
        one = heddle.step.step(CONFIG, self.place / "one", {**TINY, f"{TRAINING}.micro_batches": 3}, program=HEDDLE)
        self.assertEqual(one.values, self.found.estimates[1].values)
        self.assertEqual(one.layers, self.found.estimates[1].layers)
        self.assertEqual(one.job, self.found.estimates[1].job)

    def test_runs_what_is_missing_and_nothing_else(self):
        folder = pathlib.Path(shutil.copytree(self.folder, self.place / "resumed"))
        before = self.times(folder)
        (folder / "pipeline" / "2.h5").unlink()
        again = heddle.step.steps(CONFIG, MICRO_BATCHES, folder, TINY, program=HEDDLE)
        self.assertEqual({path.name for path, at in self.times(folder).items() if at != before[path]}, {"2.h5"})
        self.assertEqual([found.values for found in again.estimates], [found.values for found in self.found.estimates])
        others = {f"{TRAINING}.micro_batches": [2, 4], "simulation.seed": [1, 2]}
        with self.assertRaisesRegex(FileExistsError, "of another step"):
            heddle.step.steps(CONFIG, others, folder, TINY, program=HEDDLE)

    def test_the_program_compares_the_variants_of_a_folder(self):
        text = program("compare", self.folder)
        self.assertEqual(text, f"{heddle.step.compare([self.folder])}\n")
        self.assertRegex(
            text, r"^A step takes [\d.]+ to [\d.]+ ms with A \(job.0.training.micro_batches=2\)\. B \(.*=3\) takes longer than A"
        )
        found = json.loads(program("compare", "--json", self.folder))
        self.assertEqual([step["axes"] for step in found["steps"]], [{f"{TRAINING}.micro_batches": text} for text in "23"])

    def test_a_report_shows_every_variant_and_the_difference(self):
        page = self.place / "page.html"
        write_report([str(self.folder)], page)
        text = page.read_text()
        self.assertIn("2 variants of a training step on 64 GPUs", text)
        for found in self.found.estimates:
            self.assertIn(f'data-value="{found.values["time"].high_ps!r}"', text)
        difference = heddle.step.compare([self.folder]).others[0].differences["time"]
        self.assertIn(f'data-value="{difference.low_ps!r}"', text)

    def test_the_command_says_and_leaves_the_same(self):
        words = [word for key, value in TINY.items() for word in ("--set", f"{key}={value}")]
        code, out, err = said("step", CONFIG, *words, "--axis", f"{TRAINING}.micro_batches=2,3", "-q", "-o", self.folder)
        self.assertEqual(code, 0, err)
        self.assertEqual(out, f"{self.found}\nparts      {self.folder}\n")


class OnSlurm(InAFolder):
    """With programs of Slurm's names that run an array at once."""

    def test_two_arrays_and_nothing_again(self):
        self.folder = self.folder.resolve()
        heard = self.folder / "heard"
        for name, text in {
            "sbatch": f'echo "$@" >> {heard}; for folder; do :; done; {HEDDLE} sweep "$folder" --run >/dev/null; echo 41',
            "squeue": f'echo squeue >> {heard}; echo "Invalid job id specified" >&2; exit 1',
        }.items():
            (self.folder / name).write_text(f"#!/bin/sh\n{text}\n")
            (self.folder / name).chmod(0o755)
        slurm = {"where": "slurm", "slurm": {"partition": "long"}, "program": HEDDLE}
        place = self.folder / "steps"
        with mock.patch.dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}", HEDDLE_HOME=str(ROOT)):
            found = heddle.step.steps(CONFIG, MICRO_BATCHES, place, TINY, **slurm)
            lines = heard.read_text().splitlines()
            self.assertEqual([line.split()[-1] for line in lines], [f"{place}/layer", "squeue", f"{place}/pipeline", "squeue"])
            self.assertIn("--array=0-3", lines[2])
            self.assertIn("--partition=long", lines[2])
            heard.write_text("")
            again = heddle.step.steps(CONFIG, MICRO_BATCHES, place, TINY, **slurm)
            self.assertEqual(again.estimates, found.estimates)
            self.assertNotIn("--array", heard.read_text())
            (place / "pipeline" / "1.h5").unlink()
            (self.folder / "sbatch").write_text("#!/bin/sh\necho 42\n")  # an array whose tasks leave nothing
            with self.assertRaisesRegex(heddle.ProgramError, "pipeline/1.h5': a part of the step has no result"):
                heddle.step.steps(CONFIG, MICRO_BATCHES, place, TINY, **slurm)


class Command(unittest.TestCase):
    def words(self, *more):
        return ["step", CONFIG, *sets(*(f"{key}={value}" for key, value in TINY.items())), *more]

    def test_the_plan_counts_what_is_shared_once(self):
        code, out, err = said(*self.words("--axis", f"{TRAINING}.micro_batches=2,3", "--axis", "simulation.seed=1,2", "--plan"))
        self.assertEqual(code, 0, err)
        self.assertIn("64 GPUs: 4 replicas of 2 stages of 8 GPUs\n4 variants", out)
        self.assertIn("1 layer of one stage, 32 GPUs, alone, 2 runs for 4 parts: ", out)
        self.assertRegex(out, r"the pipeline of one replica, .*, 8 runs: ")
        hops = [float(line.split(": ")[1].split()[0]) for line in out.splitlines() if "packet-hops" in line]
        self.assertAlmostEqual(hops[3] / sum(hops[:3]), 1, delta=0.01)
        self.assertGreater(hops[4], hops[3])

    def test_a_plan_refuses_what_the_steps_would(self):
        code, _, err = said(*self.words("--set", "job.0.gpus_per_server=64", "--plan"))
        self.assertEqual(code, 2)
        self.assertIn("no packet of this job leaves its servers", err)

    def test_refusals_come_before_anything_is_written(self):
        for words, why in (
            (["--axis", "dcqcn.enabled"], "write KEY=VALUE,VALUE"),
            (["--axis", "simulation.seed=1..2", "--axis", "simulation.seed=3"], "there are two axes of simulation.seed"),
            (
                ["--axis", "simulation.seed=1..2,1"],
                "--axis simulation.seed=1..2,1: 1 is there twice, so two runs would be the same",
            ),
            (["--axis", "job.0.gpus=64,60"], "run 1: job.0.gpus=60"),
            (["--axis", f"{TRAINING}.layers=2,4"], f"--set {TRAINING}.layers=2: --axis"),
            (["--axis", "routing.policy=e_ecmp,ecmp"], "routing.policy=ecmp: routing:"),
            (["--axis", "simulation.seed=1,2", "--slurm", "--jobs", "2"], "on Slurm an array has"),
            (["--threads", "0"], "give at least 1"),
        ):
            with self.subTest(words=words), tempfile.TemporaryDirectory() as folder:
                code, _, err = said(*self.words(*words, "-o", f"{folder}/steps"))
                self.assertEqual(code, 2)
                self.assertIn(why, err)
                self.assertEqual(os.listdir(folder), [])


class Expenses(unittest.TestCase):
    def test_of_what_check_says(self):
        said_of = (
            "memory     about 1.831 GB, up to 78.79 GB if: 336.9 MB\n"
            "cost       325.8 TB of payload, {} packet-hops\n"
            "run time   {} on one core\n"
            "{}"
            "slurm      #SBATCH --ntasks=1 --mem-per-cpu=4G{}   (for slurm/run.sbatch)\n"
        )
        on_gpu = "           some 3 min on a GPU (an H200)\n"
        for hops, time, core_s, limit, minutes in (
            ("about 3.49e+11", "some 47 hours, at least 13 hours", 47 * 3600, " --time=3-22:01:00", 94 * 60 + 1),
            ("at least 3.49e+11", "at least 3 min", 180, " --time=00:07:00", 7),
            ("about 3.49e+11", "about 7 s", 7, " --time=00:02:00", 2),
            ("about 3.49e+11", "less than a second", 0.5, " --time=00:02:00", 2),
            ("about 3.49e+11", "not known; its packets alone take 3 s", None, "", 0),
        ):
            with self.subTest(time=time):
                gpu_s = None if core_s is None else 180
                expected = Expense(3.49e11, core_s, gpu_s, 1.831e9, hops.startswith("at least"), (4, minutes))
                self.assertEqual(expense_in(said_of.format(hops, time, on_gpu if gpu_s else "", limit)), expected)
        for wrong in ("cost much", said_of.replace("slurm", "else").format("about 1", "about 7 s", "", "")):
            with self.assertRaisesRegex(heddle.ProgramError, "does not say"):
                expense_in(wrong)
        with self.assertRaisesRegex(heddle.ProgramError, "not understood"):
            expense_in(said_of.format("about 1", "more than a year", "", ""))

    def test_together(self):
        both = Expense(1e6, 100.0, 10.0, 3e6, slurm=(4, 5)) + Expense(2e6, 7300.0, 190.0, 2e6, slurm=(1, 250))
        self.assertEqual(str(both), "3e+06 packet-hops, some 2 hours on a core, some 3 min on a GPU, 3 MB")
        self.assertEqual(both.slurm_text, "#SBATCH --ntasks=1 --mem-per-cpu=4G --time=04:10:00")
        self.assertIn("time not known", str(both + Expense(1, None, None, 1)))


if __name__ == "__main__":
    unittest.main()
