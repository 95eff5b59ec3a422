"""Words of a report: those of heddle info, and right also for one."""

import re
import subprocess
import unittest

import heddle
import html_pages
import pandas as pd
import small_runs
from heddle.report import write_report
from heddle.report.facts import facts_of
from heddle.report.heading import set_by_hand, title_of
from heddle.report.inputs import Inputs, Subject
from heddle.report.outcome import measures_of
from heddle.report.standouts import _pauses

UNFINISHED = [*small_runs.INCAST, "--set", "simulation.horizon=100 us"]


def goodput_of(path):
    with heddle.open(path) as run:
        return next(measure for measure in measures_of(run) if measure.key == "goodput_bits_per_s")


class Goodput(unittest.TestCase):
    def test_it_is_that_of_heddle_info(self):
        cut = small_runs.simulate(small_runs.folder() / "cut.h5", UNFINISHED)
        for path, until in ((small_runs.incast(), "the last completion"), (cut, "the end of the run")):
            with self.subTest(until):
                said = subprocess.run([small_runs.HEDDLE, "info", path], capture_output=True, text=True, check=True).stdout
                received, rate, ending = re.search(r"received (.*?); goodput (.*?) in all, (from .*)", said).groups()
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
        self.assertEqual(_pauses(facts), ["100% of all pause time has the root cause gpu3; 1 link waited"])
        self.assertEqual(title_of(Inputs([Subject("a", "a.h5"), Subject("b", "b.h5")], None), [facts]), "1 run side by side")


class Heading(unittest.TestCase):
    """What the first heading says is of the file; the title of its configuration may be of another size."""

    def page(self, *results):
        path = small_runs.folder() / "heading.html"
        write_report(results, path)
        page = html_pages.read(path)
        return page.headings[0][1], page.words

    def test_a_run_that_the_command_line_made_smaller(self):
        heading, words = self.page(small_runs.zone())
        self.assertEqual(heading, "zone: 64 GPUs, 22 switches, 1 job of 6 all-reduces")
        self.assertIn("titled \u201c512 GPUs, one AI Zone, all-reduce\u201d in the configuration; set on the command line: topology.racks=4, "
                      'job.0.gpus=64, job.0.collective.0.sizes=["1 MiB", "16 MiB"], job.0.collective.0.repeat=3', words)

    def test_several(self):
        heading, words = self.page(small_runs.sweep())
        self.assertEqual(heading, "sweep: 8 runs side by side")
        self.assertIn("titled \u201c16:1 incast of greedy senders\u201d in the configuration", words)
        self.assertNotIn("set on the command line", words)
        heading, words = self.page(small_runs.incast(), small_runs.zone())
        self.assertEqual(heading, "2 runs side by side")
        self.assertNotIn("titled", words)

    def test_settings_of_a_command_line(self):
        for line, expected in (("heddle run a.toml --set b=1 c=2 -q --set=d=3", ["b=1", "c=2", "d=3"]), ("heddle run a.toml -o x=1.h5", []),
                               ("heddle run --set 'b=[\"1 MiB\", 2]' a.toml", ['b=["1 MiB", 2]']), ("heddle run it's --set b=1", ["see the command line below"]),
                               ("heddle run it's", []), ("", [])):
            self.assertEqual(set_by_hand(line), expected, line)


if __name__ == "__main__":
    unittest.main()
