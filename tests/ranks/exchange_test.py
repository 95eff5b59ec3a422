"""What ranks send each other over MPI and in shared memory comes whole, however long it is (exchange_main.cpp)."""

import os
import pathlib
import subprocess
import unittest

from runs import HEDDLE, MPIRUN, MPI_ENVIRONMENT

PROGRAM = pathlib.Path(HEDDLE).with_name("heddle_test_exchange")
# Ranks, and how they exchange: over MPI alone; as one node; as nodes of so many ranks: 2 of 2, 2 and 1, 3 and 2, 2 of
# 3, 3 of 2, 1 each; and dealt out to nodes in turn. They are up to three times as many as a small machine has cores.
WAYS = [
    *[(ranks, kind) for ranks in (2, 3, 4) for kind in ("ranks", "node", "node:2")],
    (3, "node:1"),
    (4, "dealt:2"),
    (5, "dealt:2"),
    (5, "node:3"),
    (6, "node:3"),
    (6, "node:2"),
]


@unittest.skipIf(MPIRUN is None, "mpirun is not installed")
class Exchange(unittest.TestCase):
    def found(self, ranks, kind, test):
        """What rank 0 says; all ranks must have ended well."""
        result = subprocess.run(
            [MPIRUN, "-n", str(ranks), PROGRAM, kind, test],
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, **MPI_ENVIRONMENT},
        )
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        start = f"{ranks} ranks, {kind}: "
        self.assertTrue(result.stdout.startswith(start), result.stdout)
        return result.stdout[len(start) :].strip()

    def test_every_word_of_every_length(self):
        for ranks, kind in WAYS:
            self.assertEqual(self.found(ranks, kind, "words"), "400 rounds: all words are right")

    def test_worlds_are_those_of_one_engine(self):
        for ranks, kind in ((3, "node:2"), (4, "dealt:2"), (4, "node")):
            worlds, _, text = self.found(ranks, kind, "worlds").partition(" ")
            self.assertEqual(text, "worlds are those of one engine")
            self.assertGreater(int(worlds), 10, "of 40 some have too few nodes for so many ranks")

    def test_which_way_is_chosen(self):
        found = self.found(2, "ranks", "choice")
        start = "by node (1 node); by node (1 node); rank by rank; rank by rank: ranks of one machine cannot share memory"
        self.assertTrue(found.startswith(start), found)
        self.assertRegex(found, r"refused: rank 0: shared memory of ranks: \d+ bytes cannot be had: File too large$")

    def test_who_sends_what(self):
        # 100 words to each of three neighbours
        self.assertEqual(self.found(4, "ranks", "counts"), "messages 3 3 3 3; bytes 2400 2400 2400 2400")
        self.assertEqual(self.found(4, "node", "counts"), "messages 0 0 0 0; bytes 0 0 0 0")
        # One message each way: where the two bundles begin; in each the number of pairs, two pairs and their words.
        sent = 8 * (2 + 2 * (1 + 2 + 200))
        self.assertEqual(self.found(4, "node:2", "counts"), f"messages 0 1 0 1; bytes 0 {sent} 0 {sent}")
        # Three nodes of two: two messages a node, one for each of its ranks.
        self.assertEqual(self.found(6, "node:2", "counts").partition(";")[0], "messages 1 1 1 1 1 1")


if __name__ == "__main__":
    unittest.main()
