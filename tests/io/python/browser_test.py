"""Reports in a browser: nothing on the console, nothing asked of a network, all figures there."""

import pathlib
import tempfile
import unittest

import chromium
import small_runs
from heddle.report import write_report

BAD = '<!DOCTYPE html><title>x</title><img src="http://example.invalid/x.png"><script>console.error("something is wrong")</script>'


@unittest.skipIf(chromium.PROGRAM is None, "skipped in part: chromium is not installed")
class InChromium(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_the_test_sees_what_it_looks_for(self):
        path = self.folder / "bad.html"
        path.write_text(BAD)
        opened = chromium.Opened(path)
        self.assertEqual(opened.requests, ["http://example.invalid/x.png"])
        self.assertEqual(len(opened.console), 1, opened.console)

    def test_reports(self):
        for name, results in {"zone": [small_runs.zone()], "incast": [small_runs.incast()], "training": [small_runs.training()], "killed": [small_runs.killed()],
                              "sweep": [small_runs.sweep()]}.items():
            with self.subTest(name):
                path = self.folder / f"{name}.html"
                write_report(results, path)
                opened = chromium.Opened(path)
                self.assertEqual(opened.console, [])
                self.assertEqual(opened.requests, [])
                text = path.read_text()
                self.assertEqual(opened.document.count("<svg"), text.count("<svg"))
                self.assertGreater(text.count("<svg"), 2)


if __name__ == "__main__":
    if chromium.PROGRAM is None:
        print("skipped in part: chromium is not installed (Debian: apt-get install chromium)")
    unittest.main()
