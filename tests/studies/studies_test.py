"""Every study of configs/studies in its small form: its run.sh ends well, which means that every claim of its report holds."""

import os
import pathlib
import subprocess
import sys
import tempfile
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
STUDIES = ROOT / "configs" / "studies"
HEDDLE = os.environ.get("HEDDLE_BINARY", str(ROOT / "build" / "cpu" / "bin" / "heddle"))


def run_study(name, *arguments):
    environment = {**os.environ, "HEDDLE_PYTHON": sys.executable}
    return subprocess.run(
        [STUDIES / name / "run.sh", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=300, env=environment
    )


def uplinks_for_downlinks(config):
    """How much a rack's uplinks carry in a configuration, in units of what its NICs do."""
    tree = tomllib.loads(config.read_text())
    up, down = tree["topology"]["uplinks_per_rtsw"], tree["topology"]["gpus_per_rack"]
    rate_up, rate_down = (float(tree["link"][key].split()[0]) for key in ("rtsw_ctsw_rate", "host_rate"))
    return up * rate_up / (down * rate_down)


class Studies(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.names = sorted(path.name for path in STUDIES.iterdir() if path.is_dir() and not path.name.startswith("_"))
        self.assertGreaterEqual(len(self.names), 7)

    def test_small_forms(self):
        for name in self.names:
            with self.subTest(name):
                done = run_study(name, HEDDLE, str(self.folder / name), "--small")
                self.assertEqual(done.returncode, 0, f"{done.stdout}\n{done.stderr[-3000:]}")
                self.assertIn("claims hold", done.stdout)
                self.assertNotIn("FAILS", done.stdout)
                others = [path.name for path in (STUDIES / name).iterdir() if path.suffix not in (".md", ".toml", ".sh", ".py")]
                self.assertEqual(others, [], "a study writes nothing beside itself")

    def test_each_is_described(self):
        overview = (STUDIES / "README.md").read_text()
        for name in self.names:
            with self.subTest(name):
                text = (STUDIES / name / "README.md").read_text()
                self.assertIn(f"configs/studies/{name}/run.sh build/cpu/bin/heddle", text)
                self.assertIn("\n## What was checked\n", text)
                self.assertIn(f"({name}/README.md)", overview)

    def test_begun_study_resumes_and_tells_a_false_claim(self):
        folder = self.folder / "dcqcn"
        self.assertEqual(run_study("dcqcn", HEDDLE, str(folder), "--small").returncode, 0)
        for sweep, ratio in {
            "all_reduce": 1.125,
            "zone_all_reduce": 2,
            "zone_all_to_all": 2,
            "planned_all_to_all": 2,
            "over_all_to_all": 0.5,
        }.items():
            with self.subTest(sweep):
                self.assertEqual(uplinks_for_downlinks(min((folder / sweep).glob("*.toml"))), ratio)
        (folder / "all_reduce" / "00.h5").rename(folder / "all_reduce" / "01.h5")  # off stands for strict: not as configured
        done = run_study("dcqcn", HEDDLE, str(folder), "--small")
        self.assertNotEqual(done.returncode, 0, "a run of another configuration is no result")

    def test_results_of_another_version_are_refused(self):
        folder = self.folder / "dcqcn"
        self.assertEqual(run_study("dcqcn", HEDDLE, str(folder), "--small").returncode, 0)
        planned = folder / "all_reduce" / "00.toml"
        planned.write_text(planned.read_text().replace("seed = 1", "seed = 2"))
        done = run_study("dcqcn", HEDDLE, str(folder), "--small")
        self.assertEqual(done.returncode, 2)
        self.assertIn("another version of the study", done.stderr)

    def test_uplinks_of_the_200g_zone(self):
        # Meta, SIGCOMM 2024: 1:1, twice the capacity (1:2) in the next two, 1:1.125; all for NICs of 200G
        for stage, ratio in {1: 1, 2: 2, 3: 2, 4: 1.125}.items():
            with self.subTest(stage):
                self.assertEqual(uplinks_for_downlinks(ROOT / "configs" / "history" / f"stage{stage}.toml"), ratio)

    def test_wrong_arguments(self):
        for arguments in ((), (HEDDLE, "--smal"), (HEDDLE, "a", "b")):
            with self.subTest(arguments):
                done = run_study("dcqcn", *arguments)
                self.assertEqual(done.returncode, 2)
                self.assertIn("run.sh HEDDLE [OUT_FOLDER] [--small]", done.stderr)
        done = run_study("dcqcn", "no/such/heddle", str(self.folder / "never"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no program no/such/heddle", done.stderr)
        self.assertFalse((self.folder / "never").exists())


class Claims(unittest.TestCase):
    def end_of(self, *claims):
        code = "from study import Study\ns = Study(['heddle', 'out', 'small'])\n"
        code += "".join(f"s.claim('x', {claim})\n" for claim in claims) + "s.end()\n"
        environment = {**os.environ, "PYTHONPATH": str(STUDIES)}
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env=environment)

    def test_one_that_fails_fails_the_study(self):
        self.assertEqual(self.end_of(True, True).returncode, 0)
        done = self.end_of(True, False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILS: x\n1 of 2 claims hold", done.stdout)
        self.assertEqual(self.end_of("float('nan') > 1").returncode, 1)

    def test_a_study_has_to_claim_something(self):
        self.assertNotEqual(self.end_of().returncode, 0)


if __name__ == "__main__":
    unittest.main()
