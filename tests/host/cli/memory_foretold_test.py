"""What `heddle check` foretells of memory, against the most that runs took: never below it, and at most a quarter above."""

import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from program import HEDDLE, ROOT, ProgramTest  # noqa: E402  (found by the line above)

UNITS = {"B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}
MAX_ABOVE = 1.25

# A process counts what the one that started it had taken until then, so a small one starts what is measured.
MEASURE = """
import os, sys
child = os.fork()
if child == 0:
    log = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.execv(sys.argv[2], sys.argv[2:])
_, status, usage = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss)
"""

TRAINING = str(ROOT / "configs" / "training.toml")
SMALL_TRAINING = """
[topology]
kind = "star"
hosts = 8
[[job]]
gpus_per_server = 1
[job.training]
model = "custom"
layers = 2
hidden = 256
ffn_hidden = 512
attention_heads = 4
kv_heads = 4
vocabulary = 1000
sequence_length = 64
pipeline_parallel = 2
iterations = 20000
"""
PACKETS = """
[topology]
kind = "ai_zone"
racks = 32
ctsws = 4
uplinks_per_rtsw = 8
[dcqcn]
enabled = false
[simulation]
horizon = "100 us"
[workload]
qps_per_pair = 4
[[generator]]
kind = "permutation"
bytes = "128 KiB"
messages = 40
"""


def goal(ranks, rounds):
    """Every rank sends to the next, and computes when it has received."""
    yield f"num_ranks {ranks}"
    for rank in range(ranks):
        yield f"rank {rank} {{"
        for i in range(rounds):
            yield f"s{i}: send 4096b to {(rank + 1) % ranks} tag 1"
            yield f"r{i}: recv 4096b from {(rank - 1) % ranks} tag 1"
            yield f"c{i}: calc 1000"
            yield f"c{i} requires r{i}"
            yield f"c{i} requires s{i}"
            if i != 0:
                yield f"s{i} requires c{i - 1}"
        yield "}"


def flows(count, hosts):
    yield str(count)
    for i in range(count):
        src = i * 7919 % hosts
        yield f"{src} {(src + 1 + i * 104729 % (hosts - 1)) % hosts} 3 100 {(1000, 4000, 20000)[i % 3]} {i * 1e-8:.8f}"


class MemoryForetold(ProgramTest):
    def run_measured(self, words, code=0):
        """The most memory that it took, bytes, and what it said."""
        log = self.folder / "log.txt"
        measured = subprocess.run(
            [sys.executable, "-S", "-c", MEASURE, log, HEDDLE, *words], cwd=self.folder, capture_output=True, check=True
        )
        ended, kib = (int(word) for word in measured.stdout.split())
        said = log.read_text()
        self.assertEqual(ended, code, f"{words}\n{said}")
        return kib * 1024, said

    def foretold(self, said):
        found = re.search(r"^memory +about ([0-9.]+) ([KMGT]?B)", said, re.MULTILINE)
        self.assertIsNotNone(found, said)
        return float(found[1]) * UNITS[found[2]]

    def expect_foretold(self, config, *sets, at_once=()):
        """`at_once`: what ends the run soon without changing what it takes."""
        arguments = [config, *(word for one in sets for word in ("--set", one))]
        of_check, said = self.run_measured(["check", *arguments])
        ends = [word for one in at_once for word in ("--set", one)]
        of_run, _ = self.run_measured(["run", *arguments, *ends, "-q", "-o", "a.h5"])
        foretold = self.foretold(said)
        self.assertGreaterEqual(foretold, of_run, said)
        self.assertLessEqual(foretold, MAX_ABOVE * of_run, said)
        return of_check, of_run, foretold

    def test_iterations_of_training(self):
        # a result of each collective is made whether it was simulated or not
        of_check, _, foretold = self.expect_foretold(
            TRAINING, "job.0.training.iterations=600", at_once=['simulation.horizon="1 us"']
        )
        self.assertLessEqual(of_check, foretold / 2, "check itself")

    def test_iterations_of_a_few_gpus(self):
        self.write("few.toml", SMALL_TRAINING)
        self.expect_foretold("few.toml", at_once=['simulation.horizon="1 us"'])

    def test_a_goal_schedule(self):
        self.write("ring.goal", "\n".join(goal(16, 2000)) + "\n")
        self.write(
            "goal.toml",
            '[topology]\nkind = "star"\nhosts = 16\n[[job]]\ngpus_per_server = 1\n[job.trace]\nformat = "goal"\nfile = "ring.goal"\n',
        )
        self.expect_foretold("goal.toml")

    def test_flows_of_hpcc(self):
        self.write("flows.txt", "\n".join(flows(300_000, 64)) + "\n")
        self.write("flows.toml", '[topology]\nkind = "star"\nhosts = 64\n[workload]\nflow_file = "flows.txt"\n')
        self.expect_foretold("flows.toml")

    def test_an_all_to_all_that_is_made_as_it_is_used(self):
        self.write(
            "pairs.toml",
            '[topology]\nkind = "ai_zone"\nracks = 16\nctsws = 4\n[[job]]\ngpus = 256\n[[job.collective]]\n'
            'kind = "all_to_all"\nsizes = ["128 KiB"]\n',
        )
        self.expect_foretold("pairs.toml")

    def test_packets_that_queue(self):
        self.write("packets.toml", PACKETS)
        self.expect_foretold("packets.toml")

    def test_the_limit_holds_before_anything_is_taken(self):
        self.write("flows.txt", "\n".join(flows(300_000, 64)) + "\n")
        self.write("flows.toml", '[topology]\nkind = "star"\nhosts = 64\n[workload]\nflow_file = "flows.txt"\n')
        iterations = ["--set", "job.0.training.iterations=3000"]
        for words, limit in ((["run", TRAINING, *iterations], 200), (["run", "flows.toml"], 60)):
            taken, said = self.run_measured([*words, "-q", "-o", "a.h5", "--memory", f"{limit}MB"], code=2)
            self.assertIn(f"but the run may use {limit} MB (--memory {limit}MB)", said)
            self.assertLess(taken, limit * 1e6, said)

    def test_inputs_are_refused_before_they_are_read(self):
        ranks = 1024
        self.write("m.txt", "\n".join(" ".join("01"[(i + j) % 2] for j in range(ranks)) for i in range(ranks)) + "\n")
        self.write(
            "m.toml",
            f'[topology]\nkind = "star"\nhosts = {ranks}\n[[job]]\ngpus_per_server = 1\n[[job.collective]]\n'
            'kind = "all_to_all_v"\nmatrix_file = "m.txt"\n',
        )
        taken, said = self.run_measured(["run", "m.toml", "-q", "-o", "a.h5", "--memory", "40MB"], code=2)
        self.assertIn('job[0].collective[0].matrix_file = "m.txt"', said)
        self.assertLess(taken, 40e6, said)

    def test_the_limit_is_that_of_the_whole_process(self):
        self.write("packets.toml", PACKETS)
        limit = 50
        taken, said = self.run_measured(["run", "packets.toml", "-q", "-o", "a.h5", "--memory", f"{limit}MB"], code=1)
        self.assertIn("--memory SIZE", said)
        self.assertLess(taken, limit * 1e6, said)


class AddressSpace(ProgramTest):
    def test_less_of_it_than_the_machine_has_memory(self):
        for limit_kib in (2_000_000, 16_000_000):
            self.shell(f'ulimit -v {limit_kib}; "$heddle" run star.toml -q -o a.h5 --force')

    def test_too_little_of_it_names_the_remedy(self):
        said = self.shell('ulimit -v 2000000; "$heddle" run star.toml -q -o a.h5 --memory 4GB', code=1)
        self.assertIn("--memory SIZE must stay well below that", said)


if __name__ == "__main__":
    unittest.main()
