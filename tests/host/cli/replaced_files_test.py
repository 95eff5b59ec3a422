"""No command replaces a file that it did not make without --force, and --force replaces only what the same command makes."""

import pathlib
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from program import HEDDLE, ProgramTest  # noqa: E402  (found by the line above)

HPCC = (
    "TOPOLOGY_FILE topology.txt\nFLOW_FILE flow.txt\nHAS_WIN 0\nCC_MODE 0\nKMIN_MAP 1 100000000000 400\n"
    "KMAX_MAP 1 100000000000 1600\nPMAX_MAP 1 100000000000 0.2\n"
)
AXES = ["sweep", "star.toml", "--axis", "simulation.seed=1,2", "-o", "fo"]


class SweepFolders(ProgramTest):
    def test_force_replaces_nothing_but_sweeps(self):
        for name in ("0.toml", "7.toml", "runs.txt", "axes.csv", "0.log"):
            self.write(f"fo/{name}", "precious\n")
            said = self.heddle(*AXES, "--force", code=2)
            self.assertIn(f"fo/{name}: is there already", said)
            self.assertEqual(self.read(f"fo/{name}"), "precious\n")
            self.assertEqual([path.name for path in (self.folder / "fo").iterdir()], [name])
            (self.folder / "fo" / name).unlink()
        self.heddle(*AXES, "--force")

    def test_force_replaces_sweeps_and_empty_files(self):
        self.heddle(*AXES)
        self.write("fo/1.toml", "")
        self.write("fo/notes.txt", "precious")
        self.heddle(*AXES, "--force", "--run")
        self.heddle("sweep", "star.toml", "--axis", "simulation.seed=1,2,3", "-o", "fo", "--force")
        self.assertTrue((self.folder / "fo" / "2.toml").exists())
        self.assertEqual(self.read("fo/notes.txt"), "precious")

    def test_inputs_that_are_no_copies_stay(self):
        self.write("flows.txt", "1\n0 1 3 100 5000 0.0\n")
        words = [*AXES, "--set", "workload.flow_file=flows.txt"]
        self.heddle(*words)
        (copy,) = (self.folder / "fo" / "inputs").iterdir()
        copy.write_text("precious")
        self.assertIn("it is no copy of", self.heddle(*words, "--force", code=2))
        self.assertEqual(copy.read_text(), "precious")


class ResultFiles(ProgramTest):
    def begun(self, *words):
        """A run of some hours."""
        run = subprocess.Popen(
            [HEDDLE, "run", "star.toml", "--set", 'message.0.bytes="1 TB"', "-o", "a.h5", "-q", *words],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.addCleanup(run.kill)
        for _ in range(600):
            if (self.folder / "a.h5.part").exists():
                return run
            time.sleep(0.05)
        self.fail("it has not begun")

    def ended(self, run):
        run.send_signal(signal.SIGTERM)
        said, _ = run.communicate(timeout=120)
        return run.returncode, said

    def test_what_came_to_the_name_meanwhile_stays(self):
        run = self.begun()
        self.write("a.h5", "precious")
        code, said = self.ended(run)
        self.assertEqual(code, 1, said)
        self.assertIn("a file has come to the name 'a.h5' while the run went on, and it is not replaced", said)
        self.assertEqual(self.read("a.h5"), "precious")
        self.assertIn("interrupted", self.heddle("info", "a.h5.part"))

    def test_force_looks_again_at_the_end(self):
        self.heddle("run", "star.toml", "-q", "-o", "a.h5")
        run = self.begun("--force")
        self.write("a.h5", "precious")
        code, said = self.ended(run)
        self.assertEqual(code, 1, said)
        self.assertEqual(self.read("a.h5"), "precious")

    def test_force_replaces_results(self):
        self.heddle("run", "star.toml", "-q", "-o", "a.h5")
        code, said = self.ended(self.begun("--force"))
        self.assertEqual(code, 3, said)
        self.assertIn("interrupted", self.heddle("info", "a.h5"))

    def test_a_foreign_part_stays(self):
        self.write("a.h5.part", "precious")
        self.assertIn("a.h5.part", self.heddle("run", "star.toml", "-q", "-o", "a.h5", "--force", code=2))
        self.assertEqual(self.read("a.h5.part"), "precious")

    def test_exports_that_came_meanwhile_stay(self):
        run = self.begun("--set", "output.fct_file=fct.txt")
        self.write("fct.txt", "precious")
        self.write("fct.txt.tmp", "precious, too")
        code, said = self.ended(run)
        self.assertEqual(code, 1, said)
        self.assertIn("a file has come to the name 'fct.txt'", said)
        self.assertEqual(self.read("fct.txt"), "precious")
        self.assertEqual(self.read("fct.txt.tmp"), "precious, too")
        self.assertEqual(sorted(p.name for p in self.folder.glob("fct*")), ["fct.txt", "fct.txt.tmp"])


class Imports(ProgramTest):
    def test_a_draft_of_somebody_else_stays(self):
        self.write("topology.txt", "3 1 2\n0\n0 1 100Gbps 1us 0\n0 2 100Gbps 1us 0\n")
        self.write("flow.txt", "1\n1 2 3 100 4096 0\n")
        self.write("config.txt", HPCC)
        self.write("config.toml.tmp", "precious")
        self.heddle("import", "hpcc", "config.txt")
        self.assertEqual(self.read("config.toml.tmp"), "precious")
        self.assertIn("already", self.heddle("import", "hpcc", "config.txt", code=2))
        self.heddle("import", "hpcc", "config.txt", "--force")
        self.assertEqual(sorted(p.name for p in self.folder.glob("config.toml*")), ["config.toml", "config.toml.tmp"])


if __name__ == "__main__":
    unittest.main()
