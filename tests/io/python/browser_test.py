"""Reports in a browser: nothing on the console, nothing asked of a network, all of it there for keys, ears, phones and paper."""

import base64
import functools
import gzip
import re
import unittest

import chromium
import heddle
import heddle.step
import small_runs
import small_steps
from heddle.report import write_report
from helpers import InAFolder

BAD = '<!DOCTYPE html><title>x</title><img src="http://example.invalid/x.png"><script>console.error("something is wrong")</script>'
MAIL_BYTES = 5_000_000
PHONE = 420  # px
PAPER, ACROSS = 688, 1017  # px between the margins of A4, upright and across

# What a reader can come to by Tab: what is laid out, and not in a closed <details>.
STOPS = """[...document.querySelectorAll('a[href], summary, button, input, select, textarea, [tabindex]')].filter(
  one => one.tabIndex >= 0 && one.getClientRects().length > 0
    && (!one.closest('details:not([open])') || one.matches('details > summary')))"""
SCROLLING = """[...document.querySelectorAll('body *')].filter(one => one.scrollWidth > one.clientWidth + 1 && one.tabIndex < 0
  && ['auto', 'scroll'].includes(getComputedStyle(one).overflowX) && one.getClientRects().length > 0)
  .map(one => one.outerHTML.slice(0, 80))"""
FOCUS = """(() => { const one = document.activeElement, style = getComputedStyle(one), box = one.getBoundingClientRect();
  return {place: stops.indexOf(one), line: style.outlineStyle == 'none' ? 0 : parseFloat(style.outlineWidth),
          left: box.left, right: box.right, top: box.top, bottom: box.bottom}})()"""


@functools.cache
def dcqcn():
    """Twelve runs."""
    return heddle.sweep(
        small_runs.ROOT / "configs" / "incast.toml",
        {"dcqcn.enabled": [False, True], "ecn.kmin": ["200 KB", "800 KB", "1600 KB"], "simulation.seed": "1..2"},
        small_runs.folder() / "dcqcn",
        {"generator.0.bytes": "1 MiB"},
        program=small_runs.HEDDLE,
    ).folder


@functools.cache
def steps():
    """Two variants of a training step by its parts."""
    axes = {f"{small_steps.TRAINING}.micro_batches": [2, 3]}
    heddle.step.steps(small_steps.CONFIG, axes, small_runs.folder() / "steps", small_steps.TINY, program=small_runs.HEDDLE)
    return small_runs.folder() / "steps"


RESULTS = {
    "zone": small_runs.zone,
    "incast": small_runs.incast,
    "dcqcn": dcqcn,
    "failures": small_runs.failures,
    "steps": steps,
}


@functools.cache
def page_of(name):
    path = small_runs.folder() / f"browser_{name}.html"
    write_report([RESULTS[name]()], path)
    return path


def pages():
    """name -> path of the reports that all tests here open."""
    return {name: page_of(name) for name in RESULTS}


@unittest.skipIf(chromium.PROGRAM is None, "skipped in part: chromium is not installed")
class InChromium(InAFolder):
    def test_the_test_sees_what_it_looks_for(self):
        path = self.folder / "bad.html"
        path.write_text(BAD)
        opened = chromium.Opened(path)
        self.assertEqual(opened.requests, ["http://example.invalid/x.png"])
        self.assertEqual(len(opened.console), 1, opened.console)

    def test_reports(self):
        made = {"training": small_runs.training(), "killed": small_runs.killed(), "sweep": small_runs.sweep()}
        for name, result in made.items():
            write_report([result], self.folder / f"{name}.html")
        for name, path in {**pages(), **{name: self.folder / f"{name}.html" for name in made}}.items():
            with self.subTest(name):
                opened = chromium.Opened(path)
                self.assertEqual(opened.console, [])
                self.assertEqual(opened.requests, [])
                text = path.read_text()
                self.assertEqual(opened.document.count("<svg"), text.count("<svg"))
                self.assertGreater(text.count("<svg"), 2)
                self.assertLess(path.stat().st_size, MAIL_BYTES)


@unittest.skipIf(chromium.PROGRAM is None, "skipped in part: chromium is not installed")
class ByKeys(unittest.TestCase):
    def test_tab_comes_to_everything_in_order(self):
        for name, path in pages().items():
            with self.subTest(name), chromium.Driven(path) as page:
                page.ask(f"window.stops = {STOPS}; 0")
                count = page.ask("stops.length")
                self.assertGreater(count, 20)
                for place in range(count):
                    page.press("Tab")
                    focus, what = page.ask(FOCUS), page.ask("document.activeElement.outerHTML.slice(0, 99)")
                    self.assertEqual(focus["place"], place, what)
                    self.assertGreaterEqual(focus["line"], 2, f"the focus is not to be seen: {what}")
                    self.assertTrue(
                        focus["bottom"] > 0 and focus["top"] < 900 and focus["right"] > 0 and focus["left"] < 1280,
                        f"focus off the screen: {what}",
                    )
                page.press("Tab", shift=True)
                self.assertEqual(page.ask(FOCUS)["place"], count - 2)

    def test_what_a_key_does(self):
        with chromium.Driven(page_of("zone")) as page:
            page.press("Tab")
            page.press("Enter")
            self.assertEqual(page.ask("location.hash"), "#main", "past what comes before the content")
            page.press("Tab")
            self.assertTrue(page.ask("document.querySelector('main').contains(document.activeElement)"))
            page.ask("window.fold = document.querySelector('summary'); fold.focus(); 0")
            for key, opened in (("Enter", True), (" ", False), (" ", True)):
                page.press(key)
                self.assertEqual(page.ask("fold.parentElement.open"), opened, key)
            page.press("Tab")
            self.assertTrue(page.ask("document.activeElement.matches('details pre')"), "what was folded can be scrolled by keys")

    def test_links_lead_to_headings_that_can_be_seen(self):
        with chromium.Driven(page_of("incast")) as page:
            count = page.ask("document.querySelectorAll('nav a').length")
            self.assertGreater(count, 8)
            for place in range(count):
                page.ask(f"document.querySelectorAll('nav a')[{place}].focus()")
                page.press("Enter")
                where = page.ask(
                    """(() => {const to = document.getElementById(location.hash.slice(1)); return [to.tagName,
                    to.getBoundingClientRect().top - document.querySelector('nav').getBoundingClientRect().bottom,
                    to.getBoundingClientRect().bottom - innerHeight]})()"""
                )
                self.assertEqual(where[0], "H2")
                self.assertGreaterEqual(where[1], 0, "hidden below the bar of links")
                self.assertLess(where[2], 0)

    def test_enter_brings_the_data(self):
        with chromium.Driven(page_of("incast")) as page:
            links = page.ask("[...document.querySelectorAll('a[download]')].map(one => [one.download, one.href])")
            packed = [name for name, _ in links if name.endswith(".gz")]
            self.assertTrue(packed)
            for name in (links[1][0], packed[0]):
                page.ask(f"document.querySelector('a[download=\"{name}\"]').focus()")
                page.press("Enter")
                path = page.downloads / name
                page.wait_for(path.exists, f"the download of {name}")
                expected = base64.b64decode(dict(links)[name].split(",", 1)[1])
                page.wait_for(lambda path=path, expected=expected: path.read_bytes() == expected, f"all of {name}")
                text = gzip.decompress(expected) if name.endswith(".gz") else expected
                self.assertGreater(len(text.splitlines()), 1)


@unittest.skipIf(chromium.PROGRAM is None, "skipped in part: chromium is not installed")
class ByHand(unittest.TestCase):
    """What the page's script adds, by keys."""

    ROWS = "[...document.querySelectorAll('#table-kinds_of_links tbody tr')].map(row => row.cells[{}].dataset.value)"
    HEAD = "document.querySelectorAll('#table-kinds_of_links thead th')[{}]"
    SHOWN = "[...document.querySelectorAll('#table-provenance tbody tr')].filter(row => row.getClientRects().length > 0).length"
    TICKS = """[...document.querySelectorAll('#plot-link_use [id*="-time-axis-"] text')].filter(
      one => one.getClientRects().length > 0).map(one => one.textContent.trim())"""

    def test_a_table_is_sorted(self):
        with chromium.Driven(page_of("incast")) as page:
            drawn = {column: page.ask(self.ROWS.format(column)) for column in (0, 2)}
            for column, key in ((0, str), (2, float)):  # words, and exact numbers
                page.ask(f"{self.HEAD.format(column)}.querySelector('button').focus(); 0")
                in_order = sorted(drawn[column], key=key)
                self.assertNotEqual(in_order, drawn[column])
                for pressed, sort, expected in (
                    ("Enter", "ascending", in_order),
                    (" ", "descending", in_order[::-1]),
                    ("Enter", None, drawn[column]),
                ):
                    page.press(pressed)
                    self.assertEqual(page.ask(f"{self.HEAD.format(column)}.getAttribute('aria-sort')"), sort)
                    self.assertEqual(page.ask(self.ROWS.format(column)), expected)
            for column in (2, 0):
                page.ask(f"{self.HEAD.format(column)}.querySelector('button').focus(); 0")
                page.press("Enter")
            self.assertEqual(page.ask("document.querySelectorAll('#table-kinds_of_links [aria-sort]').length"), 1)

    def test_a_long_table_is_filtered_on_the_screen_and_whole_on_paper(self):
        with chromium.Driven(page_of("incast")) as page:
            rows = page.ask("document.querySelectorAll('#table-provenance tbody tr').length")
            self.assertGreater(rows, 12)
            self.assertEqual(page.ask("document.querySelectorAll('input').length"), 1, "short tables have no filter")
            page.ask("document.querySelector('input').focus(); 0")
            page.do("Input.insertText", text="HASH workload")
            self.assertEqual(page.ask(self.SHOWN), 1)
            self.assertEqual(
                page.ask("document.querySelector('input').parentElement.querySelector('output').textContent"), f"1 of {rows} rows"
            )
            page.on_paper(PAPER)
            self.assertEqual(page.ask(self.SHOWN), rows)
            self.assertEqual(
                page.ask("[...document.querySelectorAll('.controls')].filter(one => one.getClientRects().length).length"), 0
            )

    def test_time_is_zoomed(self):
        with chromium.Driven(page_of("incast")) as page:
            drawn = page.ask(self.TICKS)
            self.assertIn("0", drawn)
            buttons = "document.querySelectorAll('#plot-link_use .controls button')"
            page.ask(f"{buttons}[0].focus(); 0")
            page.press("Enter")
            shown = page.ask("document.querySelector('#plot-link_use output').textContent")
            ends = re.fullmatch(r"([\d.]+) us to ([\d.]+) (us|ms)", shown)
            self.assertTrue(ends, shown)
            whole_us = heddle.open(small_runs.incast()).attrs["end_ps"] / 1e6
            self.assertAlmostEqual(float(ends[1]) / (whole_us / 4), 1, delta=0.02)
            self.assertAlmostEqual(float(ends[2]) * {"us": 1, "ms": 1e3}[ends[3]] / (3 * whole_us / 4), 1, delta=0.02)
            zoomed = page.ask(self.TICKS)
            self.assertNotIn("0", zoomed)
            self.assertGreater(len(zoomed), 2)
            page.ask(f"{buttons}[4].focus(); 0")
            page.press(" ")
            self.assertEqual(page.ask(self.TICKS), drawn)
            self.assertEqual(page.ask("document.querySelector('#plot-link_use output').textContent"), "")


@unittest.skipIf(chromium.PROGRAM is None, "skipped in part: chromium is not installed")
class ForEverybody(unittest.TestCase):
    def test_who_cannot_see_it(self):
        for name, path in pages().items():
            with self.subTest(name), chromium.Driven(path) as page:
                there = page.accessible()
                images = [text for role, text in there if role in ("image", "img")]
                text = path.read_text()
                self.assertEqual(len(images), text.count("<svg") + text.count("<img"))
                self.assertTrue(all(len(text) > 25 for text in images), images)
                self.assertEqual(sum(role == "graphics-symbol" for role, _ in there), 0, "shapes are not read out one by one")
                for role in ("link", "heading", "region", "columnheader", "table", "navigation"):
                    texts = [text for one, text in there if one == role]
                    self.assertTrue(texts and all(texts), f"{role} without a name: {texts}")
                self.assertEqual(page.ask("document.querySelectorAll('th:not([scope])').length"), 0)

    def test_a_phone(self):
        """Nothing makes the page itself wider than the screen; figures and tables scroll, also by keys; texts can be read."""
        for name, path in pages().items():
            with self.subTest(name), chromium.Driven(path, PHONE) as page:
                self.assertLessEqual(page.ask("document.scrollingElement.scrollWidth"), PHONE)
                self.assertEqual(page.ask(SCROLLING), [])
                self.assertTrue(page.ask("[...document.images].every(one => one.naturalWidth > 300 && one.width > 300)"))
                letters = page.ask(
                    "[...document.querySelectorAll('.drawing svg text')].map(one => one.getBoundingClientRect()).filter(box =>"
                    " box.width > box.height).map(box => box.height)"
                )
                self.assertGreater(len(letters), 20)
                self.assertGreater(min(letters), 7, "px: too small to read")
                cut = page.ask(
                    "[...document.querySelectorAll('caption span')].filter(one => one.getBoundingClientRect().right >"
                    " innerWidth).map(one => one.textContent)"
                )
                self.assertEqual(cut, [])

    def test_paper(self):
        """Nothing is cut off at the edge: tables of very many columns are printed across."""
        for name, path in pages().items():
            with self.subTest(name), chromium.Driven(path) as page:
                page.on_paper(PAPER)
                boxes = page.ask(
                    "[...document.querySelectorAll('table, figure svg, h1, .tiles, pre')].map(one => [one.id || one.tagName,"
                    " one.closest('.many') != null, one.getBoundingClientRect().right])"
                )
                self.assertGreater(len(boxes), 10)
                for what, across, right in boxes:
                    self.assertLessEqual(right, ACROSS if across else PAPER, what)
        with chromium.Driven(page_of("dcqcn")) as page:
            page.on_paper(PAPER)
            self.assertTrue(
                page.ask("document.querySelector('.many') != null && getComputedStyle(document.querySelector('.many')).page")
            )


if __name__ == "__main__":
    if chromium.PROGRAM is None:
        print("skipped in part: chromium is not installed (Debian: apt-get install chromium)")
    unittest.main()
