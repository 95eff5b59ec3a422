"""The comparison with htsim, with a program in its place that reads what htsim would and finishes flows at once."""

import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent / "htsim.py"
HEDDLE = os.environ["HEDDLE_BINARY"]
STAND_IN = """#!/usr/bin/python3
import sys

words = sys.argv
lines = open(words[words.index("-tm") + 1]).read().splitlines()
hosts, flows = int(words[words.index("-nodes") + 1]), lines[2:]
assert lines[:2] == [f"Nodes {hosts}", f"Connections {len(flows)}"] and len(flows) == hosts, lines[:2]
fabric = dict(line.split() for line in open(words[words.index("-topo") + 1]) if line.strip())
assert int(fabric["Nodes"]) == int(fabric["Podsize"]) == hosts, fabric
ways = [line.split()[0].split("->") for line in flows]
assert {int(src) for src, _ in ways} == {int(dst) for _, dst in ways} == set(range(hosts)), "no permutation"
for way in ways[LEFT_OUT:]:
    print("Flow", *way, "finished at 1")
"""


class Htsim(unittest.TestCase):
    def compare(self, *options, left_out=0, more=""):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "htsim_roce"
            program.write_text(STAND_IN.replace("LEFT_OUT", str(left_out)) + more)
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
            command = [sys.executable, SCRIPT, HEDDLE, program, "--repeat", "1", *options]
            return subprocess.run(command, capture_output=True, text=True, timeout=240)

    def test_hops_are_those_of_the_flows(self):
        run = self.compare("--hosts", "12", "--packets", "20")
        self.assertEqual(run.returncode, 0, run.stderr)
        rows = [line.split() for line in run.stdout.splitlines()[1:]]
        self.assertEqual([row[0] for row in rows], ["12"] * 3)
        hops = [int(row[-4]) for row in rows]
        self.assertEqual(hops[0], hops[1], run.stdout)  # the script ends where they differ
        self.assertTrue(12 * 20 * 2 * 2 < hops[0] <= 12 * 20 * 2 * 4, run.stdout)
        self.assertLess(hops[2], hops[1], "an ACK for 16 packets")
        self.assertEqual(rows[0][-2:], ["1.0", "1.0"])

    def test_flows_that_do_not_finish_are_no_result(self):
        run = self.compare("--hosts", "12", "--packets", "2", left_out=1)
        self.assertEqual(run.returncode, 1)
        self.assertIn("htsim finished 11 of 12 flows", run.stderr)

    def test_packets_that_are_sent_twice_are_no_result(self):
        run = self.compare("--hosts", "12", "--packets", "2", more="print('New: 24 Rtx: 3')")
        self.assertEqual(run.returncode, 1)
        self.assertIn("htsim sent packets twice", run.stderr)

    def test_hosts_without_leaves_are_refused(self):
        run = self.compare("--hosts", "13")
        self.assertEqual(run.returncode, 1)
        self.assertIn("--hosts 13: no leaves of equal size", run.stderr)

    def test_a_program_that_is_not_there(self):
        command = [sys.executable, SCRIPT, HEDDLE, "/nowhere/htsim_roce"]
        run = subprocess.run(command, capture_output=True, text=True, timeout=60)
        self.assertEqual(run.returncode, 1)
        self.assertIn("/nowhere/htsim_roce: there is no such program", run.stderr)


if __name__ == "__main__":
    unittest.main()
