"""io/python/README.md: its Python runs, its five questions take three lines each and have the right answers; the example runs."""

import ast
import contextlib
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import warnings

import heddle
import numpy as np
import small_runs

os.environ["HEDDLE"] = small_runs.HEDDLE
README = (small_runs.ROOT / "io" / "python" / "README.md").read_text()


def blocks(text):
    return re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)


def answer(code, run):
    """What the last line of a block gives."""
    names = {"run": run, "heddle": heddle}
    *before, last = ast.parse(code).body
    exec(compile(ast.Module(before, []), "README.md", "exec"), names)
    return eval(compile(ast.Expression(last.value), "README.md", "eval"), names)


class FiveQuestions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.questions = blocks(re.search(r"## Five questions\n(.*?)\n## ", README, re.S).group(1))
        cls.incast = cls.enterClassContext(heddle.open(small_runs.incast()))
        cls.training = cls.enterClassContext(heddle.open(small_runs.training()))

    def test_are_five_of_three_lines(self):
        self.assertEqual(len(self.questions), 5)
        for question in self.questions:
            self.assertLessEqual(len(question.splitlines()), 3, question)

    def test_p99_by_size(self):
        found = answer(self.questions[0], self.incast)
        messages = self.incast.messages()
        times = sorted((messages.finish_ps - messages.posted_ps) / 1e6)
        self.assertEqual(found.to_dict(), {4 * 2**20: times[15]}, "of 16, the 99th percentile is the last")

    def test_busiest_links(self):
        found = answer(self.questions[1], self.incast)
        self.assertEqual(len(found), 10)
        self.assertEqual(found.iloc[0][["src_name", "dst_name"]].tolist(), ["rtsw0", "gpu0"])
        self.assertEqual(found["use"].tolist(), sorted(self.incast.links()["use"])[:-11:-1])

    def test_paused_by_tier(self):
        found = answer(self.questions[2], self.incast)
        self.assertGreater(found["ctsw>rtsw"], 0)
        last = self.incast.series("paused_ps").isel(time_ps=-1)
        for tier, paused_ms in found.items():
            self.assertEqual(paused_ms, int(last.sel(tier=tier)) / 1e9)

    def test_queue_over_time(self):
        found = answer(self.questions[3], self.incast)
        series = self.incast.series("queue_bytes")
        np.testing.assert_allclose(found.to_numpy() * 1e6, series.values)
        np.testing.assert_allclose(found.index * 1e6, series["time_ps"].values)
        self.assertEqual(list(found.columns), list(series["tier"].values))

    def test_busbw_by_iteration(self):
        found = answer(self.questions[4], self.training)
        collectives, iterations = self.training.collectives(), self.training.iterations()
        self.assertEqual(found.index.tolist(), iterations["iteration"].tolist())
        self.assertEqual(set(found.columns), {"tensor", "pipeline", "data"})
        end = iterations["end_ps"].tolist()
        for number in range(len(end)):
            inside = collectives[
                (collectives.finish_ps > (end[number - 1] if number else -1)) & (collectives.finish_ps <= end[number])
            ]
            for group, busbw in found.loc[number].items():
                rows = inside[inside.group == group]
                since_last_ps = rows.finish_ps - rows.last_enter_ps
                file_ps = rows.finish_ps - rows.start_ps
                self.assertAlmostEqual(busbw / (rows.busbw_GBps * file_ps / since_last_ps).mean(), 1, 6)


class Texts(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "configs").symlink_to(small_runs.ROOT / "configs")
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)

    def test_the_first_block(self):
        names = {}
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("error")
            exec(compile(blocks(README)[0], "README.md", "exec"), names)
        self.assertEqual(len(names["many"]), 6)
        names["run"].close()

    def test_methods_that_are_named_are_there(self):
        words = re.search(r"## What a result gives\n(.*?)\n\n", README, re.S).group(1)
        named = re.findall(r"`(\w+)(?:\(.*?\))?`", words)
        self.assertGreater(len(named), 15)
        for name in named:
            self.assertTrue(hasattr(heddle.Run, name) or name == "attrs" or name == "tier", name)
        for name in re.findall(r"heddle\.(\w+)", README):
            self.assertTrue(hasattr(heddle, name), name)

    def test_the_example(self):
        code = (small_runs.ROOT / "io" / "python" / "examples" / "what_if.py").read_text()
        self.assertGreaterEqual(code.count("\n# %%\n"), 8, "cells of a notebook")
        done = subprocess.run(
            [sys.executable, "-W", "error::UserWarning", str(small_runs.ROOT / "io" / "python" / "examples" / "what_if.py")],
            capture_output=True,
            text=True,
            env={**os.environ, "TMPDIR": str(self.folder)},
            timeout=300,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"configuration can be run")
        self.assertRegex(done.stdout, r"16 messages, the last one after 1\.\d\d ms; PFC pauses: \d+")
        off, on = re.search(
            r"simulation.seed +1 +2 +3 +4 +5\ndcqcn.enabled +\nFalse +([\d.]+).*\nTrue +([\d.]+)", done.stdout
        ).groups()
        self.assertTrue(1 < float(off) < 2 and 1 < float(on) < 3, (off, on))


if __name__ == "__main__":
    unittest.main()
