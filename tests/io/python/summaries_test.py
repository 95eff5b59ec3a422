"""One definition of every mean and percentile: run, info, compare, report and Python say the same, and mark what the end cut off."""

import json
import pathlib
import re
import tempfile
import unittest
from unittest import mock

import h5py
import heddle
import html_pages
import numpy as np
import small_runs
import tomllib
from heddle.mean_interval import half_width_95
from heddle.report.shared_checks import with_ranges
from heddle.report.outcome import measures_of
from helpers import InAFolder, frame_of
from small_runs import program

# A rack's optic of 20 Gb/s slows the first iteration, and is gone when the second begins.
FAILING = 'failure=[{link=["rtsw0","ctsw3"], kind="rate", rate="20 Gb/s", at="1 us", until="30 ms"}]'
CUT_OFF = {"generator.0.bytes": "4 MiB", "simulation.horizon": "1350 us"}


class Iterations(unittest.TestCase):
    """A failure in the first iteration is in every mean."""

    def test_all_programs_say_the_same(self):
        failing = small_runs.simulate("failing.h5", small_runs.TRAINING, FAILING)
        good = small_runs.training()
        compared = json.loads(program("compare", "--json", good, failing))
        ratio = compared["ratio_to_the_first"]["job0.iteration.time_ps"][1]
        said = {}
        for path in (good, failing):
            with heddle.open(path) as run:
                times = run.iterations().time_ps
                mean = run.summary("iteration").time_ps[0]
                self.assertEqual(mean, times.mean(), "of all iterations, the first among them")
                measure = next(one for one in measures_of(run) if one.key == "job0.iteration_ps")
                self.assertEqual(measure.value, mean)
                said[path] = mean
        self.assertEqual([run["summary"]["iterations"][0]["time_ps"] for run in compared["runs"]], list(said.values()))
        self.assertEqual(ratio, said[failing] / said[good])
        self.assertGreater(ratio, 1.02, "the failure costs something")

    def test_what_did_not_end_is_said(self):
        cut = small_runs.simulate("cut_training.h5", small_runs.TRAINING, "simulation.horizon=30 ms")
        with heddle.open(cut) as run:
            self.assertEqual(run.summary("iteration")[["iterations", "ended"]].values.tolist(), [[2, 1]])
            measure = next(one for one in measures_of(run) if one.key == "job0.iteration_ps")
        self.assertTrue(measure.cut_off)
        self.assertIn("(of 1 of 2)", measure.text)
        self.assertRegex(program("compare", small_runs.training(), cut), r"job 0: iteration +[\d.]+ ms +[\d.]+ ms \(of 1 of 2\)\n")


class Messages(unittest.TestCase):
    """A sweep that ends at its horizon, before all messages have finished."""

    @classmethod
    def setUpClass(cls):
        cls.sweep = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory())) / "sweep"
        axes = {"dcqcn.enabled": [False, True], "simulation.seed": [1, 2, 3]}
        heddle.sweep(small_runs.ROOT / "configs/incast.toml", axes, cls.sweep, CUT_OFF, program=small_runs.HEDDLE)

    def test_compare_marks_what_is_a_lower_bound(self):
        said = program("compare", self.sweep)
        head, *rows = [line for line in said.splitlines() if "completion p50" in line or re.match(r" +(true|false) ", line)]
        self.assertIn("goodput", head)
        for row in rows:
            self.assertRegex(row, r">= [\d.]+ ms +>= [\d.]+ ms +[\d.]+ [GM]b/s \+- ")
        self.assertIn(">=: a lower bound", said)
        self.assertRegex(program("compare", self.sweep, "--every-run"), r">= [\d.]+ ms")
        self.assertIn("completion_p99_at_least", program("compare", self.sweep, "--csv").splitlines()[0])

    def test_all_programs_say_the_same(self):
        path = self.sweep / "0.h5"
        with heddle.open(path) as run:
            p99 = run.summary("message").set_index("percent").loc[99]
            messages = run.messages()
            end_ps = run.attrs["end_ps"]
            measure = next(one for one in measures_of(run) if one.key == "completion_p99_ps")
        waited = np.sort(np.where(messages.finish_ps >= 0, messages.finish_ps, end_ps) - messages.posted_ps)
        self.assertEqual(p99.completion_ps, waited[int(np.ceil(0.99 * len(waited))) - 1])
        self.assertEqual(p99.completion_at_least, 1)
        self.assertEqual((measure.value, measure.at_least), (p99.completion_ps, True))
        self.assertTrue(measure.text.startswith(">= "))
        info = json.loads(program("info", "--json", path))["messages"]
        self.assertEqual((info["completion_ps"]["p99"], info["completion_at_least"]["p99"]), (p99.completion_ps, True))
        self.assertRegex(program("info", path), r"completion .* >= ")

    def test_a_report_makes_no_headline_of_it(self):
        for results in ([self.sweep], [self.sweep / "0.h5"]):
            page = html_pages.of(*results)
            self.assertFalse([key for key in page.measures if key.startswith(("completion", "slowdown"))], page.measures)
            self.assertIn("goodput_bits_per_s", page.measures)
            self.assertTrue(">= " in page.words)

    def test_warnings_of_all_runs_are_said_once(self):
        words = html_pages.of(self.sweep).told
        self.assertEqual(words.count("did not finish: percentiles that these can raise"), 1)
        self.assertEqual(words.count("The run was stopped at its horizon"), 1)
        self.assertTrue("All 6 runs: " in words)

    def test_numbers_become_ranges(self):
        self.assertEqual(with_ranges(["9 of 1,024 at gpu3", "1,013 of 1,024 at gpu3"]), "9 to 1,013 of 1,024 at gpu3")


class Collectives(unittest.TestCase):
    def test_each_meaning_has_a_column(self):
        """Ranks of a pipeline come when their work lets them: since the first one's entry a send mostly waits."""
        with heddle.open(small_runs.training()) as run:
            every, means = run.collectives(), run.summary("collective")
        sends = every[every.group == "pipeline"]
        expected = sends.bytes * 1e3 / (sends.finish_ps - sends.last_enter_ps)
        np.testing.assert_allclose(sends.transfer_busbw_GBps, expected)
        mean = means[means.group == "pipeline"].iloc[0]
        self.assertGreater(mean.transfer_busbw_GBps, 10 * mean.busbw_GBps)
        self.assertIn(f" {mean.transfer_busbw_GBps:.1f}\n", re.search(r"job 0: pipeline .*\n", small_runs.training_said())[0])
        self.assertTrue((means.driven == 1).all())

    def test_repetitions_have_the_bandwidth_of_their_mean_time(self):
        with heddle.open(small_runs.zone()) as run:
            every, means = run.collectives(), run.summary("collective")
            shown = {one.key: one.value for one in measures_of(run)}
        for row in means.itertuples():
            alike = every[every.bytes == row.bytes]
            self.assertEqual((row.number, row.finished), (3, 3))
            self.assertAlmostEqual(row.time_ps, (alike.finish_ps - alike.start_ps).mean(), 3)
            self.assertAlmostEqual(row.busbw_GBps, row.bytes * 1e3 / row.time_ps * 2 * 63 / 64, 9)
            self.assertEqual(shown[f"job0.all_reduce.all.64ranks.{row.bytes}B.busbw_GBps"], row.busbw_GBps)


class Links(unittest.TestCase):
    def test_a_cell_of_many_links_has_their_mean_use(self):
        with heddle.open(small_runs.zone()) as run:
            links = run.links()
        few = frame_of("link_matrix", small_runs.zone())
        with mock.patch("heddle.figures.link_matrix.MAX_CELLS", 40):
            many = frame_of("link_matrix", small_runs.zone())
        self.assertLess(len(many), len(few))
        up = many[many.tier == "rtsw>ctsw"]
        use = links[links.tier == "rtsw>ctsw"].use
        self.assertLess(up.use.max(), up.busiest_use.max())
        self.assertAlmostEqual(up.busiest_use.max(), use.max())
        self.assertIn("mean use of its links", many.attrs["note"])


class EarlierVersions(InAFolder):
    def test_a_file_without_summaries_says_so(self):
        path = self.folder / "old.h5"
        path.write_bytes(small_runs.incast().read_bytes())
        with h5py.File(path, "r+") as file:
            del file["summary"]
        self.assertIn("an earlier version of heddle wrote; run again", program("info", path))
        self.assertIn("an earlier version wrote B, without percentiles and means", program("compare", small_runs.incast(), path))
        with heddle.open(path) as run, self.assertRaisesRegex(KeyError, "an earlier version of heddle wrote it; run again"):
            run.summary("message")
        self.assertIn("Means and percentiles are not shown", html_pages.of(path).words[:20_000])


class Small(unittest.TestCase):
    def test_equal_values_have_no_interval(self):
        self.assertEqual(half_width_95([0.1] * 10), 0)

    def test_columns_of_links(self):
        frame = heddle.Results([small_runs.incast(), small_runs.zone()]).links(["use"])
        self.assertEqual(frame.columns[-1], "use")
        self.assertNotIn("packets", frame)
        with self.assertRaisesRegex(KeyError, "no column 'usage'"):
            heddle.Results([small_runs.incast()]).links(["usage"])

    def test_the_version_is_that_of_the_package_and_the_program(self):
        project = tomllib.loads((small_runs.ROOT / "io/python/pyproject.toml").read_text())["project"]
        self.assertEqual(heddle.__version__, project["version"])
        self.assertIn(heddle.__version__, program("--version"))


if __name__ == "__main__":
    unittest.main()
