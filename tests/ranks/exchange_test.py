"""What ranks send each other over MPI comes whole, however long it is (exchange_main.cpp)."""

import os
import pathlib
import subprocess
import unittest

from runs import HEDDLE, MPIRUN, MPI_ENVIRONMENT

PROGRAM = pathlib.Path(HEDDLE).with_name("heddle_test_exchange")


@unittest.skipIf(MPIRUN is None, "mpirun is not installed")
class Exchange(unittest.TestCase):
    def test_every_word_of_every_length(self):
        for ranks in (2, 3, 4):
            result = subprocess.run(
                [MPIRUN, "-n", str(ranks), PROGRAM],
                capture_output=True,
                text=True,
                timeout=120,
                env={**os.environ, **MPI_ENVIRONMENT},
            )
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            self.assertIn(f"{ranks} ranks, 400 rounds: all words are right", result.stdout)


if __name__ == "__main__":
    unittest.main()
