"""The list of faults fits the engine as it is: every old text occurs exactly once; a list that does not is refused.
outcomes.tsv holds what is known of these faults, and the table of it has a row for every one."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from faults import Fault, FaultError, check_faults, read_faults
from results import SURVIVES, UNTRIED, Outcome, Results, digest_of, known, outcomes_text, read_outcomes, table

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

ENTRY = """
[[fault]]
name = "{name}"
what = "a test"
file = "kernels/x.hpp"
old = "{old}"
new = "{new}"
"""


class TheList(unittest.TestCase):
    def test_fits_the_engine(self):
        faults = read_faults()
        self.assertGreaterEqual(len(faults), 24)
        self.assertEqual(check_faults(faults, ROOT), [])

    def test_has_outcomes_of_these_faults_alone_and_none_survives(self):
        outcomes = read_outcomes((ROOT / "tests" / "mutation" / "outcomes.tsv").read_text())
        what = {fault.name: digest_of(fault.what) for fault in read_faults()}
        stale = [outcome.fault for outcome in outcomes if what.get(outcome.fault) != outcome.what]
        self.assertEqual(stale, [], "these faults are gone or have another description: mutation.py --record leaves them out")
        self.assertEqual(len({outcome.fault for outcome in outcomes}), len(outcomes), "one outcome a fault")
        self.assertEqual([outcome.fault for outcome in outcomes if outcome.caught_by == SURVIVES], [], "a test is missing")


class TheOutcomes(unittest.TestCase):
    def setUp(self):
        self.results = Results(pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "results.json")
        self.faults = [Fault(name, f"what {name} is", "kernels/new.hpp", "a < b", "a <= b") for name in ("one", "two", "three")]
        self.old = [
            Outcome("two", digest_of("what two is"), "2000-01-01", "property: world 7"),
            Outcome("three", digest_of("something else"), "2000-01-01", "property: world 8"),
        ]

    def test_take_what_was_found_here_and_keep_what_is_recorded(self):
        self.results.record(self.faults[0], "kernels: Ring.Test", 1)
        outcomes = known(self.faults, self.results, self.old)
        self.assertEqual([(o.fault, o.caught_by) for o in outcomes], [("one", "kernels: Ring.Test"), ("two", "property: world 7")])
        self.assertEqual(read_outcomes(outcomes_text(outcomes)), outcomes)
        text = table(self.faults, outcomes)
        self.assertIn("2 of 3 faults were caught, 0 survived, 1 are not recorded.\n", text)
        self.assertIn("| `two` | `kernels/new.hpp` | what two is | property: world 7 | 2000-01-01 |\n", text)
        self.assertIn(f"| `three` | `kernels/new.hpp` | what three is | {UNTRIED} | {UNTRIED} |\n", text)

    def test_new_results_replace_recorded_ones_and_show_survivors(self):
        self.results.record(self.faults[1], None, 1)
        outcomes = known(self.faults, self.results, self.old)
        self.assertEqual([(o.fault, o.caught_by) for o in outcomes], [("two", SURVIVES)])
        self.assertIn("0 of 3 faults were caught, 1 survived, 2 are", table(self.faults, outcomes))

    def test_refuse_a_file_that_is_none(self):
        for text in ("", "# Title\n", "fault\twhat\ttried\tcaught_by\none\tx\n"):
            with self.assertRaises(ValueError):
                read_outcomes(text)


class AListThatIsWrong(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.root / "kernels").mkdir()
        (self.root / "kernels" / "x.hpp").write_text("a < b; c < d; c < d;\n")

    def problems(self, text):
        (self.root / "list.toml").write_text(text)
        return "\n".join(check_faults(read_faults(self.root), self.root))

    def test_a_good_one_has_no_problem(self):
        self.assertEqual(self.problems(ENTRY.format(name="good", old="a < b", new="a <= b")), "")

    def test_old_text_is_gone_or_there_twice(self):
        self.assertIn("occurs 0 times", self.problems(ENTRY.format(name="gone", old="b < a", new="b <= a")))
        self.assertIn("occurs 2 times", self.problems(ENTRY.format(name="twice", old="c < d", new="c <= d")))

    def test_changes_nothing_or_no_engine_file(self):
        self.assertIn("are the same", self.problems(ENTRY.format(name="same", old="a < b", new="a < b")))
        other = ENTRY.format(name="other", old="a < b", new="a > b")
        self.assertIn("no part of the engine", self.problems(other.replace("kernels/", "host/")))
        self.assertIn("there is no file", self.problems(other.replace("x.hpp", "y.hpp")))

    def test_names_and_keys(self):
        one = ENTRY.format(name="one", old="a < b", new="a > b")
        for text in (one + one, one.replace('what = "a test"', ""), one + 'more = "key"\n', "[[fault"):
            with self.assertRaises(FaultError):
                self.problems(text)


if __name__ == "__main__":
    unittest.main()
