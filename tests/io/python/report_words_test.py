"""Words of a report: those of heddle info, and right also for one."""

import pathlib
import re
import shutil
import tempfile
import unittest
from unittest import mock

import h5py
import heddle
import html_pages
import numpy as np
import pandas as pd
import small_runs
from heddle.figures.outcomes import alt_of, draw_outcomes
from heddle.report.arrangement import SEED, shared_notes
from heddle.report.blocks import Column, table_of
from heddle.report.facts import facts_of
from heddle.report.first_screen import _span, _where
from heddle.report.shared_checks import shared_checks
from heddle.report.heading import set_by_hand, title_of
from heddle.report.inputs import Inputs, Subject
from heddle.report.outcome import Measure, measures_of
from heddle.report.outcomes_table import combinations, effects_of, with_counts
from heddle.report.soundness import Check, checks_of
from heddle.report.spread import relative_span, span_class
from heddle.report.standouts import Standout, _pauses, _uneven, of_runs, who
from heddle.text import count_text, text_of
from helpers import InAFolder


def goodput_of(path):
    with heddle.open(path) as run:
        return next(measure for measure in measures_of(run) if measure.key == "goodput_bits_per_s")


class Goodput(unittest.TestCase):
    def test_it_is_that_of_heddle_info(self):
        cut = small_runs.simulate("cut.h5", small_runs.INCAST, "simulation.horizon=100 us")
        for path, until in ((small_runs.incast(), "the last completion"), (cut, "the end of the run")):
            with self.subTest(until):
                told = re.search(r"received (.*?); goodput (.*?) in all, (from .*)", small_runs.program("info", path))
                received, rate, ending = told.groups()
                measure = goodput_of(path)
                self.assertTrue(ending.endswith(until))
                self.assertEqual(measure.title, "Goodput in all")
                self.assertEqual(measure.text, rate)
                self.assertEqual(measure.more, f"received {received}; {ending}")


class One(unittest.TestCase):
    def test_link_and_run(self):
        with heddle.open(small_runs.incast()) as run:
            facts = facts_of(run, "one", ["pause_tree"])
        tree = pd.DataFrame({"depth": [0], "what": ["gpu3"], "links_below": [1], "paused_ps": [5]})
        facts.frames["pause_tree"] = tree
        self.assertEqual([one.text for one in _pauses(facts)], ["100% of all pause time has the root cause gpu3; 1 link waited"])
        self.assertEqual(title_of(Inputs([Subject("a", "a.h5"), Subject("b", "b.h5")], None), [facts]), "1 run side by side")


class Alike(unittest.TestCase):
    """In an even fabric hundreds of links are the busiest: one name alone would send a reader after chance."""

    def test_links_that_tie(self):
        with h5py.File(small_runs.zone(), "r") as file:
            sent, src = file["link/sent_bytes"][...].astype(np.int64), file["topology/link/src"][...]
            is_gpu = file["topology/node/kind"][...][src] == file["topology/node/kind"][0]
        most = int((sent == sent.max()).sum())
        of_gpus = int((sent[is_gpu] == sent.max()).sum())
        self.assertGreater(of_gpus, 5, "more than are drawn of a kind")
        with heddle.open(small_runs.zone()) as run:
            facts = facts_of(run, "zone", ["busiest_links", "largest_queues"])
        self.assertRegex(facts.measure("busiest_use").more, rf"^gpu\d+ -> rtsw\d and {most - 1} more$")
        self.assertIn(
            f"like the last one drawn of its kind: {of_gpus - 5} links endpoint > rtsw (",
            facts.frames["busiest_links"].attrs["note"],
        )
        self.assertNotIn("rtsw > ctsw", facts.frames["busiest_links"].attrs["note"])
        self.assertNotIn(" more", facts.measure("peak_queue_bytes").more)

    def test_notes_of_several_runs(self):
        self.assertEqual(shared_notes([("a", "x."), ("b", "x.")]), ["x."])
        self.assertEqual(shared_notes([("a", "x."), ("b", ""), ("c", " y."), ("d", "x.")]), ["a; d: x.", "c: y."])
        self.assertEqual(shared_notes([("a", "x")], always_named=True), ["a: x"])
        many = shared_notes([*((f"r{place}", "x.") for place in range(9)), *((f"s{place}", f"{place}.") for place in range(9))])
        self.assertEqual(
            many, ["r0; r1; r2 and 6 more: x.", "s0: 0.", "s1: 1.", "s2: 2.", "6 more runs, which a report of fewer runs tells of"]
        )

    def test_reasons_are_those_of_their_runs(self):
        """Of several runs that lack a figure, each for its own reason."""
        page = html_pages.of(small_runs.incast(), small_runs.zone(), small_runs.without_series())
        self.assertIn("Not of B zone: no link was paused. Not of C bare: output.series_interval was 0", page.words)


class Spans(unittest.TestCase):
    def test_values_have_their_keys(self):
        told = re.findall(r"(?:least|most) with ([^;<]*)", html_pages.of(small_runs.sweep()).words)
        self.assertGreater(len(told), 3)
        for where in told:
            self.assertRegex(where, r"^(dcqcn\.enabled|link\.host_rate|link\.rtsw_ctsw_rate) = ")

    def test_combinations_that_tie(self):
        of = [("false", "1"), ("false", "2"), ("true", "1"), ("true", "2")]
        for these, expected in (
            ([of[0]], "a = false, b = 1"),
            ([of[0], of[1]], "a = false"),
            ([of[1], of[3]], "b = 2"),
            ([of[1], of[2]], "a = false, b = 2, and 1 more"),
        ):
            self.assertEqual(_where(these, of, ["a", "b"]), expected)
        self.assertEqual(_where([("x",), ("y",)], [("x",), ("y",), ("z",)], []), "x and 1 more")

    def test_equal_means_are_not_equal_runs(self):
        def runs(*values, seeds=(1, 2)):
            return [
                mock.Mock(axes={SEED: str(seed)}, measure=lambda key, value=value: mock.Mock(value=value))
                for seed, value in zip(seeds, values)
            ]

        measure = Measure("k", "t", 0, "count")
        self.assertEqual(
            _span(measure, {("1",): runs(1, 3), ("2",): runs(2, 2)}, ["a"]).more, "the same in all means over the seeds"
        )
        self.assertEqual(_span(measure, {("1",): runs(2, 2), ("2",): runs(2, 2)}, ["a"]).more, "the same in all runs")
        self.assertEqual(
            _span(measure, {("1",): runs(1, 3), ("2",): runs(4, 4)}, ["a"]).more,
            "least with a = 1; most with a = 2; means over the seeds",
        )
        self.assertEqual(_span(measure, {("1",): runs(1), ("2",): runs(4)}, ["a"]).more, "least with a = 1; most with a = 2")


class Failed(unittest.TestCase):
    """A run that did not come to its end is in no mean, and in no range."""

    @classmethod
    def setUpClass(cls):
        folder = small_runs.folder() / "with_failed"
        shutil.copytree(small_runs.sweep(), folder)
        with h5py.File(folder / "7.h5", "r+") as file:
            file.attrs["status"], file.attrs["end_ps"] = "deadlock", 1000 * file.attrs["end_ps"]
        cls.page = html_pages.of(folder)
        cls.ends = {row["run"]: int(row["end_ps"]) for row in cls.page.table("runs")}

    def test_tables_and_tiles(self):
        last = self.page.table("combinations")[-1]
        self.assertEqual((int(last["runs"]), float(last["end_ps"])), (1, self.ends["6"]))
        self.assertIn("7 of 8 ended", self.page.told)
        means = [np.mean([self.ends["0"], self.ends["1"]]), np.mean([self.ends["2"], self.ends["3"]])]
        means += [np.mean([self.ends["4"], self.ends["5"]]), self.ends["6"]]
        ends = " to ".join(text_of(end, "ps", 4) for end in (min(means), max(means)))
        self.assertIn(f"End of the run {ends} least with", self.page.told)

    def test_the_figure(self):
        frame = self.page.csv("outcomes")
        over = frame[frame["status"] == "complete"]
        alt = alt_of(frame, [("end_ps", "end", "ps")])
        self.assertEqual(
            alt,
            f"8 runs, 7 of which came to their end; end from {text_of(over['end_ps'].min(), 'ps')} to "
            f"{text_of(over['end_ps'].max(), 'ps')}.",
        )
        frame["axis"] = "a"
        points, crosses, mean = draw_outcomes(frame, [("end_ps", "end", "ps")], ["axis"]).canvas.axes[0].lines
        self.assertEqual((len(points.get_ydata()), crosses.get_ydata().tolist()), (7, [self.ends["7"]]))
        self.assertEqual(mean.get_ydata().tolist(), [over["end_ps"].mean()])
        self.assertIn("A cross is one that did not come to its end: it is in no mean.", self.page.words)

    def test_all_runs(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name in ("a.h5", "b.h5"):
            with h5py.File(shutil.copy(small_runs.incast(), folder / name), "r+") as file:
                file.attrs["status"] = "deadlock"
        words = html_pages.of(folder).words
        self.assertIn("0 of 2 ended", words)
        self.assertIn("No run came to its end, or those that did have no number in common; below is what there is.", words)

    def test_of_how_many_runs_a_mean_is(self):
        rows = {"status": "complete", "a": ["x", "x", "y", "y"], SEED: ["1", "2"] * 2, "m": [1.0, None, 2.0, 4.0], "k": 5.0}
        frame, measures = pd.DataFrame(rows), [("m", "m", "", 1), ("k", "k", "", 1)]
        columns = [Column("runs", "runs", "count"), Column("m", "m", ""), Column("k", "k", "")]
        for means in (combinations(frame, ["a"], measures), effects_of(frame, ["a"], measures)):
            table = with_counts(table_of("t", "", columns, means), means)
            self.assertEqual([[cell.text for cell in row] for row in table.rows], [["2", "1 (n = 1)", "5"], ["2", "3", "5"]])


class Unfinished(unittest.TestCase):
    """Of a run that its horizon stopped."""

    def page(self, until, what):
        path = small_runs.simulate(f"until_{until}.h5", what, f"simulation.horizon={until} us")
        return path, html_pages.of(path)

    def test_some(self):
        path, page = self.page(30_000, small_runs.TRAINING)
        with h5py.File(path, "r") as file:
            group = file["collective"]
            largest = group["bytes"][...] == group["bytes"][...].max()
            done = int((group["finish_ps"][...][largest] >= 0).sum())
            begun = len(file["iteration/end_ps"])
            steps = int((file["iteration/end_ps"][...] >= 0).sum())
        self.assertTrue(0 < done < largest.sum())
        self.assertEqual(steps, 1)
        cut_off = [key for key in page.measures if "iteration" in key or "reduce_scatter.data" in key]
        self.assertFalse(cut_off, "no headline of what was cut off")
        self.assertIn(f"{begun - steps} of {begun} iterations did not finish: means are of the {steps} that did", page.told[:9000])

    def test_what_was_not_posted_yet(self):
        config = small_runs.folder() / "later.toml"
        message = "[[message]]\nsrc = 0\ndst = 1\nbytes = 1000\n"
        config.write_text('[topology]\nkind = "star"\nhosts = 2\n' + message + message + 'post = "1 ms"\n')
        _, page = self.page(100, [str(config)])
        self.assertIn("1 of 2 messages were not posted before the run ended", page.told)
        self.assertNotIn("did not finish", page.told)

    def test_none(self):
        _, page = self.page(50, small_runs.TRAINING)
        self.assertRegex(page.words, r"None of \d iterations finished: there are no means of iterations")
        self.assertNotIn("iterations did not finish", page.words)


class WhatDiffers(InAFolder):
    """Short messages, over before DCQCN does anything: with it only notifications differ, and are told first."""

    def test_it_comes_first(self):
        axes = {"dcqcn.enabled": [False, True], SEED: [1, 2]}
        config, changes = small_runs.ROOT / "configs/incast.toml", {"generator.0.bytes": "1 MiB"}
        heddle.sweep(config, axes, self.folder / "sweep", changes, program=small_runs.HEDDLE)
        page = html_pages.of(self.folder / "sweep")
        told = page.told
        notified = [h5py.File(path, "r").attrs["cnps"] for path in sorted(self.folder.glob("sweep/*.h5"))]
        self.assertEqual(next(iter(page.measures)), "cnps")
        most = count_text(float(np.mean(notified[2:])))
        self.assertRegex(told, rf"What came out CNPs 0 to {most} least with dcqcn.enabled = false; most with dcqcn.enabled = true;")
        self.assertRegex(
            told,
            r"What stands out ECN-marked, but no congestion control listens, [\d,]+( to [\d,]+)? packets: "
            "2 of 4 runs, those with dcqcn.enabled = false ",
        )
        means = page.table("combinations")
        self.assertEqual(list(means[0])[:3], ["dcqcn.enabled", "runs", "cnps"])
        self.assertEqual([float(row["cnps"]) for row in means], [np.mean(notified[:2]), np.mean(notified[2:])])
        self.assertGreater(notified[-1], 0)

    def test_as_far_as_it_matters(self):
        def runs(*values):
            return [mock.Mock(measure=lambda key, value=value: mock.Mock(value=value)) for value in values]

        for means, span, place in (((5, 5), 0, 0), ((0, 0), 0, 0), ((0, 3), 1, 4), ((4, 5), 0.2, 3), ((999, 1000), 0.001, 1)):
            groups = {(str(number),): runs(value) for number, value in enumerate(means)}
            self.assertAlmostEqual(relative_span("k", groups), span)
            self.assertEqual(span_class(relative_span("k", groups)), place, means)

    def test_uneven_links_have_one_figure_where_both_read_the_same(self):
        for most_use, told in ((0.5, "(50.00 % to 25.00 %)"), (0.25001, "(25.00 %)")):
            kinds = pd.DataFrame({"tier": ["rtsw>ctsw"], "busiest_over_mean": [2.0], "mean_use": [0.25], "most_use": [most_use]})
            self.assertTrue(_uneven(mock.Mock(kinds=kinds))[0].text.endswith(told), told)

    def test_who(self):
        runs = [mock.Mock(axes={"a": a, "b": b}, standouts=[]) for a in "xyz" for b in "12"]
        for run, name in zip(runs, "ABCDEF"):
            run.name = name
        for these, expected in (
            (runs, "all 6 runs"),
            (runs[:2], "2 of 6 runs, those with a = x"),
            (runs[:4], "4 of 6 runs, those with a = x or y"),
            (runs[1:4:2], "2 of 6 runs, those with a = x or y, b = 2"),
            ([runs[0], runs[3], runs[4]], "3 of 6 runs: a = x, b = 1; a = y, b = 2; and 1 more"),
        ):
            self.assertEqual(who(these, runs, ["a", "b"]), expected)
        self.assertEqual(who(runs[1:3], runs, []), "2 of 6 runs: B; C")
        self.assertEqual(who([runs[0], runs[1], runs[2]], runs, ["a"]), "3 of 6 runs: a = x; a = y")
        self.assertEqual(who(runs[:2], runs[:2], ["b"]), "both runs")
        tree = pd.DataFrame({"depth": [0], "what": ["gpu3 (use 1 %, queue to 2 MB)"], "links_below": [1], "paused_ps": [5]})
        self.assertEqual(
            _pauses(mock.Mock(frames={"pause_tree": tree}))[0].short, "PFC pauses with the root cause gpu3", "alike in all runs"
        )
        for run, times in zip(runs[:2], (4.0, 6.0)):
            run.standouts = [Standout(f"it is {times} times", "It is large", times, "about {:.1f} times"), Standout("odd", "Odd")]
        self.assertEqual(
            of_runs(runs, ["a"]),
            ["It is large, about 4.0 to 6.0 times: 2 of 6 runs, those with a = x", "Odd: 2 of 6 runs, those with a = x"],
        )


class Steps(unittest.TestCase):
    def test_the_share_of_exposed_communication(self):
        """Of what GPUs compute and wait: waits of several streams may be open at once, and pass the step's time."""
        with heddle.open(small_runs.training()) as run:
            facts = facts_of(run, "training", ["iterations"])
        with h5py.File(small_runs.training(), "r") as file:
            last = {name: float(column[-1]) for name, column in file["iteration"].items()}
        waits = sum(value for name, value in last.items() if name.startswith("exposed_"))
        self.assertIn(
            f"exposed communication is {waits / (last['compute_ps'] + waits):.0%} of the time that GPUs compute or wait",
            facts.standouts[0].text,
        )


class Axes(unittest.TestCase):
    def test_what_goes_along_with_an_axis_is_none(self):
        """dcqcn.enabled sets roce.congestion_control: no two axes, whose effects nobody could tell apart."""
        few = ["configs/incast.toml", *small_runs.sets("generator.0.bytes=64 KiB")]
        page = html_pages.of(*(small_runs.simulate(f"{on}.h5", few, f"dcqcn.enabled={on}") for on in ("false", "true")))
        self.assertIn("roce.congestion_control none, dcqcn dcqcn.enabled, along with that false, true", page.told)
        self.assertNotIn("table-effects", page.tables)
        self.assertEqual([row["roce.congestion_control"] for row in page.table("standouts")], ["none", "dcqcn"])

    def test_runs_with_warnings_are_not_said_to_be_incomplete(self):
        facts = [
            mock.Mock(checks=[Check(level, "x")], attrs={"git_commit": "c"}, axes={"a": level}) for level in ("good", "warning")
        ]
        checks = shared_checks(facts, [], ["a"])
        self.assertEqual(
            checks[-1].text, "Nothing to warn of in 1 of 2 runs: complete, all work finished, no packet lost or sent again"
        )


class SentAgain(unittest.TestCase):
    def test_packets_that_overtake_cost_something(self):
        """Nothing is lost where every packet goes a way of its own, but go-back-N throws away what comes ahead."""
        sprayed = [*small_runs.SMALL_ZONE, *small_runs.sets('job.0.collective.0.sizes=["1 MiB"]', "routing.policy=spray")]
        texts = {}
        for recovery in ("go_back_n", "selective_repeat"):
            path = small_runs.simulate(f"{recovery}.h5", sprayed, f"roce.recovery={recovery}")
            with heddle.open(path) as run:
                repeated, overtaken = run.attrs["retransmits"], run.attrs["data_packets_out_of_order"]
                texts[recovery] = [check.text for check in checks_of(run)]
            if recovery == "go_back_n":
                self.assertGreater(repeated, 0)
                self.assertIn(
                    f"{repeated:,} packets were sent again though none was lost: {overtaken:,} overtook others, which go_back_n "
                    "throws away (roce.recovery = selective_repeat keeps them)",
                    texts[recovery],
                )
        self.assertIn("No packet was lost", texts["selective_repeat"])


class Heading(unittest.TestCase):
    """What the first heading says is of the file; the title of its configuration may be of another size."""

    def page(self, *results):
        page = html_pages.of(*results)
        return page.headings[0][1], page.words

    def test_a_run_that_the_command_line_made_smaller(self):
        heading, words = self.page(small_runs.zone())
        self.assertEqual(heading, "zone: 64 GPUs, 22 switches, 1 job of 6 all-reduces")
        self.assertIn(
            "titled \u201c512 GPUs, one AI Zone, all-reduce\u201d in the configuration; set on the command line: topology.racks=4, "
            'job.0.gpus=64, job.0.collective.0.sizes=["1 MiB", "16 MiB"], job.0.collective.0.repeat=3',
            words,
        )

    def test_several(self):
        heading, words = self.page(small_runs.sweep())
        self.assertEqual(heading, "sweep: 8 runs side by side")
        self.assertIn("titled \u201c16:1 incast of greedy senders\u201d in the configuration", words)
        self.assertNotIn("set on the command line", words)
        heading, words = self.page(small_runs.incast(), small_runs.zone())
        self.assertEqual(heading, "2 runs side by side")
        self.assertNotIn("titled", words)

    def test_settings_of_a_command_line(self):
        for line, expected in (
            ("heddle run a.toml --set b=1 c=2 -q --set=d=3", ["b=1", "c=2", "d=3"]),
            ("heddle run a.toml -o x=1.h5", []),
            ("heddle run --set 'b=[\"1 MiB\", 2]' a.toml", ['b=["1 MiB", 2]']),
            ("heddle run it's --set b=1", ["see the command line below"]),
            ("heddle run it's", []),
            ("", []),
        ):
            self.assertEqual(set_by_hand(line), expected, line)


if __name__ == "__main__":
    unittest.main()
