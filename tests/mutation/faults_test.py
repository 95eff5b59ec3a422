"""The list of faults fits the engine as it is: every old text occurs exactly once; a list that does not is refused.
FAULTS.md has a row for every fault, and keeps what is known."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from faults import Fault, FaultError, check_faults, read_faults
from results import HEAD, UNTRIED, Results, Row, read_table, with_table

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

    def test_has_a_row_for_each_in_the_table(self):
        rows = read_table((ROOT / "tests" / "mutation" / "FAULTS.md").read_text())
        self.assertEqual(
            [(row.name, row.place, row.what) for row in rows],
            [(fault.name, fault.file, fault.what) for fault in read_faults()],
            "tests/mutation/mutation.py --table writes the rows that differ",
        )
        self.assertEqual([row.name for row in rows if row.catcher.startswith("NOTHING")], [], "a test is missing")


class TheTable(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.results = Results(pathlib.Path(folder.name) / "results.json")
        self.faults = [Fault(name, f"what {name} is", "kernels/new.hpp", "a < b", "a <= b") for name in ("one", "two", "three")]
        self.old = "# Title\n\nProse.\n\n" + "\n".join(
            (
                *HEAD,
                Row("two", "kernels/old.hpp", "what two is", "property: world 7", "2000-01-01").text(),
                Row("three", "kernels/new.hpp", "something else", "property: world 8", "2000-01-01").text(),
                "",
            )
        )

    def test_takes_what_was_found_here_and_keeps_what_is_known(self):
        self.results.record(self.faults[0], "kernels: Ring.Test", 1)
        text = with_table(self.old, self.faults, self.results)
        one, two, three = read_table(text)
        self.assertEqual((one.catcher, one.place), ("kernels: Ring.Test", "kernels/new.hpp"))
        self.assertEqual((two.catcher, two.tried, two.place), ("property: world 7", "2000-01-01", "kernels/new.hpp"))
        self.assertEqual((three.catcher, three.tried), (UNTRIED, UNTRIED), "the text of a fault that has changed")
        self.assertIn("Prose.\n\n2 of 3 faults were caught, 0 survived, 1 are not recorded.\n\n|", text)
        self.assertEqual(with_table(text, self.faults, self.results), text)

    def test_new_results_replace_old_rows_and_show_survivors(self):
        self.results.record(self.faults[1], None, 1)
        text = with_table(self.old, self.faults, self.results)
        self.assertTrue(read_table(text)[1].catcher.startswith("NOTHING"))
        self.assertIn("0 of 3 faults were caught, 1 survived, 2 are", text)

    def test_refuses_a_file_without_a_table(self):
        with self.assertRaises(ValueError):
            with_table("# Title\n", self.faults, self.results)


class AListThatIsWrong(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
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
