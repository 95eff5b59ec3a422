"""The list of faults fits the engine as it is: every old text occurs exactly once. And a list that does not is refused."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from faults import FaultError, check_faults, read_faults

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
