"""Words of a report: those of heddle info, and right also for one."""

import re
import subprocess
import unittest

import heddle
import pandas as pd
import small_runs
from heddle.report import first_screen
from heddle.report.facts import facts_of
from heddle.report.outcome import measures_of
from heddle.report.page import Page
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
        page = Page("x", [facts], [], [("other", "it was not run")])
        self.assertEqual(first_screen.first_screen(page).subtitle, "1 run side by side")


if __name__ == "__main__":
    unittest.main()
