"""The picture of the fabric: the program stores it in the result, Python reads it, and reports show it or say why not."""

import base64
import html
import re
import shutil
import unittest

import h5py
import heddle
import html_pages
import numpy as np
import small_runs
from heddle.report.sections.fabric import EARLIER, FOREIGN, SEVERAL
from helpers import InAFolder


def stored(path):
    with h5py.File(path, "r") as file:
        return file["topology/picture"][()].decode()


def shown(page):
    """The pictures on a page, as SVG."""
    kind = "data:image/svg+xml;base64,"
    return [base64.b64decode(source.removeprefix(kind)).decode() for source, _ in page.images if source.startswith(kind)]


class Picture(InAFolder):
    def changed(self, picture):
        """A copy of a result with another picture; None: with none."""
        copy = self.folder / "copy.h5"
        shutil.copy(small_runs.incast(), copy)
        with h5py.File(copy, "r+") as file:
            del file["topology/picture"]
            if picture is not None:
                file["topology/picture"] = picture
        return copy

    def test_is_that_of_check_but_for_its_title(self):
        drawn = self.folder / "drawn.svg"
        small_runs.program("check", *small_runs.ZONE, "--draw", drawn)
        with heddle.open(small_runs.zone()) as run:
            self.assertEqual(run.picture, stored(small_runs.zone()))
            self.assertEqual(run.picture, drawn.read_text().replace("zone_quickstart", "ai_zone"))
        self.assertIn(">4 RTSWs<", stored(small_runs.zone()))

    def test_of_a_torus_has_its_rows(self):
        torus = {"kind": "torus", "torus": {"columns": 3, "rows": 4}}
        message = {"src": 0, "dst": 1, "bytes": 4096}
        heddle.run({"topology": torus, "message": [message]}, self.folder / "torus.h5", program=small_runs.HEDDLE, quiet=True)
        svg = stored(self.folder / "torus.h5")
        self.assertIn(">torus, 3 columns x 4 rows of leaves, all rings<", svg)
        self.assertIn(">row 3<", svg)

    def test_is_on_the_page_of_a_run(self):
        page = html_pages.of(small_runs.zone())
        svg = stored(small_runs.zone())
        self.assertEqual(shown(page), [svg])
        self.assertEqual(page.images[0][1], html.unescape(re.search("<desc>(.*)</desc>", svg)[1]))
        self.assertIn("64 endpoints", page.images[0][1])
        self.assertIn([2, "Fabric"], page.headings)

    def test_of_equal_fabrics_is_shown_once(self):
        page = html_pages.of(small_runs.incast(), small_runs.without_series())
        self.assertEqual(shown(page), [stored(small_runs.incast())])

    def absent(self, why, *results):
        page = html_pages.of(*results)
        self.assertEqual(page.images, [])
        self.assertNotIn([2, "Fabric"], page.headings)
        reasons = {row["why"]: row["what"] for row in page.table("not_here")}
        self.assertIn("Picture of the fabric", reasons[why])

    def test_of_other_fabrics_is_said_to_be_elsewhere(self):
        self.absent(SEVERAL, small_runs.incast(), small_runs.zone())

    def test_of_an_earlier_version_is_said_to_lack(self):
        copy = self.changed(None)
        with heddle.open(copy) as run:
            self.assertEqual(run.picture, "")
        self.absent(EARLIER, copy)
        self.absent(EARLIER, copy, small_runs.incast())

    def test_of_somebody_else_is_not_shown(self):
        self.absent(FOREIGN, self.changed(np.bytes_(b"<html><script>alert(1)</script></html>")))
        self.absent(FOREIGN, self.changed(np.bytes_(stored(small_runs.incast()).encode() + b"x" * 100_000)))

    def test_that_is_no_text_is_damage(self):
        for wrong in (7, np.arange(3)):
            with heddle.open(self.changed(wrong)) as run, self.assertRaisesRegex(
                heddle.FormatError, "/topology/picture cannot be read"
            ):
                run.picture


if __name__ == "__main__":
    unittest.main()
