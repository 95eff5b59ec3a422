"""instructions.sh, with a program in valgrind's place that says what callgrind would."""

import os
import pathlib
import stat
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent / "instructions.sh"
VALGRIND = """#!/usr/bin/python3
import sys

options = dict(word.partition("=")[::2] for word in sys.argv if word.startswith("--"))
us = int(sys.argv[sys.argv.index("--end-us") + 1])
name = sys.argv[sys.argv.index("--repeat") - 1]
counts = {"Ir": 1000 + 50 * us}
if options.get("--cache-sim") == "yes":
    assert options["--D1"] == "32768,8,64" and options["--LL"] == "1048576,16,64", options
    counts.update(Dr=7, Dw=7, I1mr=7, D1mr=9 + 3 * us, D1mw=5 + us, ILmr=7, DLmr=3 * us // 10, DLmw=2 * us // 10)
with open(options["--log-file"], "w") as log:
    print("==1== Events    :", *counts, file=log)
    print("==1== Collected :", *counts.values(), file=log)
print(name, 100 + 2 * us)
"""


class Instructions(unittest.TestCase):
    def count(self, *words):
        with tempfile.TemporaryDirectory() as folder:
            valgrind = pathlib.Path(folder) / "valgrind"
            valgrind.write_text(VALGRIND)
            valgrind.chmod(valgrind.stat().st_mode | stat.S_IXUSR)
            env = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
            return subprocess.run([SCRIPT, *words], capture_output=True, text=True, env=env, timeout=60)

    def test_the_difference_of_two_horizons(self):
        run = self.count("heddle-bench", "ring-512", "20", "30")
        self.assertEqual(run.stdout, "ring-512: 25.0 instructions per packet-hop (500 instructions, 20 hops)\n", run.stderr)

    def test_what_leaves_the_caches(self):
        run = self.count("--cache", "heddle-bench", "ring-512", "20", "30")
        self.assertEqual(
            run.stdout.splitlines()[1:],
            ["ring-512: 2.00 misses per packet-hop beyond L1, which are 128 bytes; 0.250 beyond L2, 16.0 bytes"],
            run.stderr,
        )

    def test_horizons_the_wrong_way_round_are_an_error(self):
        run = self.count("heddle-bench", "ring-512", "30", "20")
        self.assertEqual(run.returncode, 1)
        self.assertIn("'ring-512' made no more packet-hops until 20 us than until 30 us", run.stderr)


if __name__ == "__main__":
    unittest.main()
