"""Commands in Python are safe: they replace nothing that is not theirs, believe no label, and show no text that a terminal obeys."""

import gzip
import os
import subprocess
import sys
import unittest
import warnings

import h5py
import heddle
import numpy as np
import pandas as pd
import small_runs
import small_steps
from heddle.as_configured import agrees, quantity
from heddle.axes import Parameter
from heddle.figures.outcomes import draw_outcomes
from heddle.figures.svg import inline_svg
from heddle.report import write_report
from heddle.text import printable
from helpers import InAFolder, said


class Replacing(InAFolder):
    def commands(self):
        """(words, name of the output) of every command that writes a file."""
        result = small_runs.incast()
        yield ("report", "-q", result, "-o"), "page.html"
        yield ("trace", result, "--links", "0", "--to", "1 us", "-o"), "trace.json.gz"
        yield ("trace", result, "--links", "0", "--to", "1 us", "-o"), "trace.json"
        for kind in ("svg", "png", "pdf"):
            yield ("plot", result, "busiest_links", "-o"), f"figure.{kind}"
        yield ("plot", result, "busiest_links", "--force", "-o", self.folder / "x.svg", "--csv"), "data.csv"

    def test_a_file_of_somebody_else_stays(self):
        for words, name in self.commands():
            path = self.folder / name
            for content in (b"precious", gzip.compress(b"precious"), b"a,b\n1,2\n", b"<html></html>", b"\x89PNG\r\n\x1a\nprecious"):
                path.write_bytes(content)
                for force in ([], ["--force"]):
                    code, _, error = said(words[0], *force, *words[1:], path)
                    self.assertEqual(code, 2, (words, content))
                    self.assertRegex(error, f"'{path}' is there already, and is not .*: nothing else is replaced", words)
                    self.assertEqual(path.read_bytes(), content)

    def test_its_own_file_is_replaced_with_force_alone(self):
        for words, name in self.commands():
            path = self.folder / name
            with self.subTest(name):
                self.assertEqual(said(*words, path)[0], 0)
                before = path.read_bytes()
                if "--force" not in words:
                    code, _, error = said(*words, path)
                    self.assertEqual((code, path.read_bytes()), (2, before))
                    self.assertIn(f"'{path}' is there already; --force replaces it", error)
                self.assertEqual(said(words[0], "--force", *words[1:], path)[0], 0)
                self.assertEqual(path.read_bytes() if name != "page.html" else before, before)

    def test_an_empty_file_is_nobodys(self):
        path = self.folder / "page.html"
        path.touch()
        self.assertEqual(said("report", "-q", small_runs.incast(), "-o", path)[0], 0)

    def test_a_step_leaves_what_is_not_its_own(self):
        (self.folder / "step.json").write_text("x\n")
        (self.folder / ".layer").mkdir()
        with self.assertRaisesRegex(FileExistsError, "step.json' is there already, and is not what heddle step writes"):
            heddle.step.step(small_steps.CONFIG, self.folder, small_steps.SMALL, program=small_runs.HEDDLE)
        self.assertEqual((self.folder / "step.json").read_text(), "x\n")
        self.assertEqual(sorted(os.listdir(self.folder)), [".layer", "step.json"])


class Labels(InAFolder):
    """axes.csv says what a run is; the result knows it."""

    def test_an_edited_label_is_found(self):
        copy = self.sweep()
        table = copy / "axes.csv"
        table.write_text(table.read_text().replace("100 Gb/s", "999 Gb/s"))
        code, _, error = said("report", copy, "-o", self.folder / "page.html")
        self.assertEqual(code, 3)
        self.assertIn("NOT AS CONFIGURED: link.host_rate was 100 Gb/s, axes.csv says 999 Gb/s", error)
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            messages = heddle.Results(copy).messages()
        self.assertEqual(set(messages["link.host_rate"]), {"400 Gb/s"})
        self.assertIn("NOT AS CONFIGURED", str(found[0].message))

    def test_a_configuration_that_is_no_toml_is_damage(self):
        copy = self.sweep()
        of_results = {"0": b"a = ", "1": b"[" + b".".join([b"a"] * 20_000) + b"]"}
        for name, config in of_results.items():
            with h5py.File(copy / f"{name}.h5", "r+") as file:
                del file["config"]
                file["config"] = np.bytes_(config)
        (copy / "2.toml").write_text("a = ")
        problems = heddle.Results(copy).runs().set_index("run")["problem"]
        for name in of_results:
            self.assertRegex(problems[name], f"{name}.h5' is damaged.*/config cannot be read")
        self.assertRegex(problems["2"], "2.toml is no configuration")

    def test_values_are_read_as_the_program_reads_them(self):
        for text, was, expected in (
            ("64 KiB", Parameter("64 KiB", 65536, "B"), True),
            ("65536 B", Parameter("64 KiB", 65536, "B"), True),
            ("65.536 KB", Parameter("64 KiB", 65536, "B"), True),
            ("999 MiB", Parameter("64 KiB", 65536, "B"), False),
            ("400Gbps", Parameter("400 Gb/s", 4e11, "bit/s"), True),
            ("1e-3 s", Parameter("1 ms", 1e9, "ps"), True),
            ("true", Parameter("true", 1, "1"), True),
            ("true", Parameter("false", 0, "1"), False),
            ("1", Parameter("1", 1, "1"), True),
            ("0.50", Parameter("0.5", 0.5, "1"), True),
            ("2", Parameter("1", 1, "1"), False),
            ("ecmp", Parameter("ecmp", float("nan"), ""), True),
            ('"ecmp"', Parameter("e_ecmp", float("nan"), ""), False),
            ('["1 MiB", "2 MiB"]', Parameter("1 MiB, 2 MiB", float("nan"), ""), True),
            ("sizes.txt", Parameter("inputs/sizes_0123456789abcdef.txt", float("nan"), ""), None),
        ):
            self.assertEqual(agrees(text, was), expected, text)
        self.assertIsNone(quantity("5 parsecs", "ps"))


class Terminals(InAFolder):
    EVIL = "\x1b]0;x\x07"

    def test_nothing_that_a_terminal_obeys(self):
        self.assertEqual(printable("a\x1b[2J\x9b\x07\tb\nä"), "a\\x1b[2J\\x9b\\x07\\tb\nä")
        copy = self.sweep()
        table = copy / "axes.csv"
        table.write_text(table.read_text().replace("dcqcn.enabled", f"{self.EVIL}dcqcn.enabled"))
        for words in (("watch", copy, "--once"), ("report", copy, "-o", self.folder / "page.html")):
            _, out, error = said(*words)
            self.assertNotIn("\x1b", out + error, words)
        done = subprocess.run([small_runs.HEDDLE, "compare", copy], capture_output=True, text=True)
        self.assertNotIn("\x1b", done.stdout + done.stderr)
        self.assertIn("\\x1b]0;x\\x07dcqcn.enabled", done.stdout)


class Pictures(InAFolder):
    def test_dollars_are_no_mathematics(self):
        frame = pd.DataFrame({"run": ["a", "b"], "title": ["a$x_$b", "b$^$"], "status": "complete", "m": [1.0, 2.0]})
        drawing = draw_outcomes(frame, [("m", "m", "ps")], ["title"])
        self.assertIn("a$x_$b", inline_svg(drawing, "f", "t", "d"))

    def test_a_report_of_dollars(self):
        heddle.sweep(
            small_runs.ROOT / "configs/incast.toml",
            {"output.title": ["a$x_$b", "b"]},
            self.folder / "s",
            {"generator.0.bytes": "64 KiB"},
            program=small_runs.HEDDLE,
        )
        write_report([self.folder / "s"], self.folder / "page.html")

    def test_a_backend_that_is_none(self):
        done = subprocess.run(
            [sys.executable, "-m", "heddle", "plot", small_runs.incast(), "busiest_links", "-o", self.folder / "x.svg"],
            env={**os.environ, "MPLBACKEND": "x"},
            capture_output=True,
            text=True,
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
