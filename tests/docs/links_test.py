"""Every link of every Markdown file leads somewhere, and no comment or message names a document that is not there."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from documents import anchors, dead_links, dead_names, files_of

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class TheProject(unittest.TestCase):
    def setUp(self):
        self.files = files_of(ROOT)
        self.assertGreater(sum(path.suffix == ".md" for path in self.files), 20, "the search finds the documents")

    def test_has_no_dead_link(self):
        self.assertEqual(dead_links(self.files, ROOT), [])

    def test_names_no_document_that_is_not_there(self):
        make_some_up = (pathlib.Path(__file__).resolve(), ROOT / "tests" / "docs" / "site_test.py")
        files = [path for path in self.files if path not in make_some_up]
        others = [
            "doc/PERFORMANCE.md",
            "build/ci/FAULTS.md",
            "build/ci/ledger/ledger.md",
            "ledger.md",
            "configs/PARAMETERS.md",
            "index.md",
        ]  # of nccl-tests; what .ci/run --full and the ledger make; of the site, which io/python/docs makes
        self.assertEqual(dead_names(files, ROOT, others), [])


class ATreeThatIsWrong(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()
        (self.root / "sub").mkdir()
        (self.root / "sub" / "READ.md").write_text(
            "# The `/event/pfc` of it, 2 times\n## Twice\n## Twice\n```\n# no heading\n```\n"
        )
        (self.root / "code.cpp").write_text("// \n")

    def links(self, text):
        (self.root / "top.md").write_text(text)
        return dead_links(files_of(self.root), self.root)

    def test_good_links(self):
        self.assertEqual(
            self.links(
                "# A b\n[x](sub/READ.md) [y](sub) [z](sub/READ.md#twice-1) [w](#a-b) [v](https://x.y/#z)\n"
                '[t](code.cpp "title") [u](sub/READ.md#the-eventpfc-of-it-2-times)\n\n[r]: sub/READ.md\n'
            ),
            [],
        )

    def test_dead_files_and_anchors(self):
        for target, why in (
            ("gone.md", "no such file"),
            ("sub/READ.md#thrice", "no heading"),
            ("#nowhere", "no heading"),
            ("sub/READ.md#no-heading", "no heading"),
            ("sub/READ.md#twice-2", "no heading"),
            ("code.cpp#L1", "not of a Markdown"),
            ("../x.md", "out of the repository"),
            ("/etc/passwd", "out of the repository"),
        ):
            with self.subTest(target):
                found = self.links(f"# A\n\nSee [there]({target}).\n")
                self.assertEqual(len(found), 1, found)
                self.assertTrue(found[0].startswith(f"top.md:3: ({target})") and why in found[0], found)
                self.assertEqual(len(self.links(f"# A\n\n[r]: {target}\n")), 1)

    def test_two_on_a_line_and_a_wrapped_one(self):
        self.assertEqual(len(self.links("[a](gone1) and [b](gone2), [a text\nof two lines](gone3)\n")), 3)

    def test_code_holds_no_links(self):
        self.assertEqual(self.links("`[x](gone)` and\n```\n[x](gone)\n```\n    \n"), [])

    def test_names_of_documents(self):
        (self.root / "sub" / "code.py").write_text("# READ.md, sub/READ.md, and READ.md.txt or *.md are fine\n")
        self.assertEqual(dead_names(files_of(self.root), self.root), [])
        (self.root / "sub" / "code.py").write_text("x\n# see sub/GONE.md.\n")
        self.assertEqual(dead_names(files_of(self.root), self.root), ["sub/code.py:2: there is no sub/GONE.md"])

    def test_anchors(self):
        self.assertEqual(anchors("# `a`, `b`!\n# [Link](x.md) & more\n"), {"a-b", "link--more"})


if __name__ == "__main__":
    unittest.main()
