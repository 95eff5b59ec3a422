"""tests/gpu/measure.sh without a GPU: what it refuses, and with programs that play theirs, what passes and what fails."""

import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tests" / "gpu" / "measure.sh"
STEPS = ("correct", "sanitizer", "bench", "profile", "parameters", "switches", "variants", "whole")
DIGEST = "0123456789abcdef"

# What each program says where there is a GPU and all is well.
HEDDLE = f"""
case "$1" in
  info) printf '{{"digest":"%s"}}\\n' {DIGEST} ;;
  run) echo "wall time 1.0 s" ;;
  *) echo "PASSED: all worlds" ;;
esac
"""
BENCH = f'echo "case state digest"; for c in permutation-1024-on ring-512; do echo "$c 12 1.0 {DIGEST} {DIGEST}"; done'
TEST = 'echo "[  PASSED  ] 7 tests."'
SANITIZER = 'shift 4; "$@"'


class Measure(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.out = self.folder / "out"
        for name, text in (
            ("heddle", HEDDLE),
            ("heddle-bench", BENCH),
            ("heddle_test_gpu", TEST),
            ("heddle_test_acceptance", TEST),
            ("../../path/compute-sanitizer", SANITIZER),
            ("../../path/ncu", "exit 0"),
            ("../../path/nvidia-smi", "echo one GPU"),
        ):
            self.program(name, text)

    def program(self, name, text):
        path = self.folder / "build" / "bin" / name
        for folder in (path.parent, self.folder / "path", self.folder / "build" / "bin"):
            folder.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/bash\n{text}\n")
        path.chmod(0o755)
        return str(path)

    def measure(self, *arguments, **environment):
        settings = {name: value for name, value in os.environ.items() if name != "OUT"}
        settings["PATH"] = f"{self.folder}/path:{settings['PATH']}"
        return subprocess.run(
            ["bash", str(SCRIPT), *arguments],
            capture_output=True,
            text=True,
            timeout=120,
            env={**settings, **environment},
        )

    def step(self, step, *arguments):
        return self.measure(step, "--build", str(self.folder / "build"), "--out", str(self.out), *arguments)

    def summary(self, step):
        return (self.out / step / "summary.txt").read_text()

    def test_help_names_every_step(self):
        result = self.measure("--help")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for step in STEPS:
            self.assertRegex(result.stdout, rf"(?m)^  {step} +\w")

    def test_wrong_arguments_are_refused(self):
        good = ("--build", str(self.folder / "build"), "--out", str(self.out))
        for arguments, message in (
            (good, "which step? One of: correct "),
            (("moon", *good), "there is no step 'moon'"),
            (("bench", "whole", *good), "'whole' is a second step"),
            (("bench", "--fast", *good), "'--fast' is no option"),
            (("bench", *good, "--out"), "--out needs a value"),
            (("bench", *good[:2]), "where to? Give --out FOLDER, or set OUT"),
            (("bench", *good, "--variant", "a=/bin/true"), "--variant is for step variants"),
            (("variants", *good), "give one or more --variant"),
            (("variants", *good, "--variant", "a"), "--variant a is no NAME=PROGRAM"),
            (("variants", *good, "--variant", "this=/bin/true"), "--variant this=/bin/true is no NAME=PROGRAM"),
            (("variants", *good, "--variant", "a=/no/bench"), "--variant a=/no/bench is no NAME=PROGRAM"),
            (("bench", "--build", "/no", "--out", str(self.out)), "there is no program /no/bin/heddle; build it: "),
        ):
            result = self.measure(*arguments)
            self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
            self.assertIn(f"measure.sh: {message}", result.stderr)
            self.assertIn("--help", result.stderr)
        self.assertFalse(self.out.exists())

    def test_every_step_passes_where_all_is_well(self):
        for step in STEPS:
            more = ("--variant", f"other={self.folder}/build/bin/heddle-bench") if step == "variants" else ()
            result = self.step(step, *more)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            self.assertRegex(self.summary(step), rf"measure.sh: {step} PASSED after \d+ s; .*{step}\n$")
            self.assertIn("== one_world (at most ", self.summary(step))
            self.assertLessEqual(len(list((self.out / step).iterdir())), 12, "files of a step")

    def test_the_folder_may_be_in_the_environment(self):
        result = self.measure("bench", "--build", str(self.folder / "build"), OUT=str(self.out))
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("the same bits in gpu and cpu: 2 cases", self.summary("bench"))

    def test_without_a_gpu_every_step_fails(self):
        self.program("heddle", 'echo "error: --device gpu: no usable GPU was found" >&2; exit 2')
        for step in STEPS:
            more = ("--variant", f"other={self.folder}/build/bin/heddle-bench") if step == "variants" else ()
            result = self.step(step, *more)
            self.assertEqual(result.returncode, 1, result.stdout)
            self.assertIn("no usable GPU was found", result.stdout)
            self.assertIn("so nothing was measured", self.summary(step))
            self.assertNotIn("PASSED", self.summary(step))

    def test_a_skipped_test_is_a_failure(self):
        for text in ('echo "[  SKIPPED ] 1 test, listed below:"; ' + TEST, 'echo "[  PASSED  ] 0 tests."'):
            self.program("heddle_test_gpu", text)
            for step, name in (("correct", "worlds"), ("sanitizer", "memcheck")):
                result = self.step(step)
                self.assertEqual(result.returncode, 1, result.stdout)
                self.assertRegex(self.summary(step), rf"WRONG: {name} has (skipped tests|passed no test)")

    def test_other_bits_are_a_failure(self):
        other = BENCH.replace(f"{DIGEST} {DIGEST}", f'$([[ "$*" == *gpu* ]] && echo {DIGEST} || echo f{DIGEST[1:]}) {DIGEST}')
        self.program("heddle-bench", other)
        for step, names in (("correct", "digests_gpu than in digests_cpu"), ("bench", "gpu than in cpu")):
            self.assertEqual(self.step(step).returncode, 1)
            self.assertIn(f"WRONG: other bits in {names}: permutation-1024-on ring-512", self.summary(step))
        variant = self.program("variant", BENCH.replace(DIGEST, "f" * 16))
        self.assertEqual(self.step("variants", "--variant", f"faster={variant}").returncode, 1)
        self.assertIn("WRONG: other bits in variant_this than in variant_faster: ", self.summary("variants"))
        self.program("heddle", HEDDLE.replace(DIGEST, "nothing"))
        self.assertEqual(self.step("whole").returncode, 1)
        self.assertIn("WRONG: cpu has left no result", self.summary("whole"))
        self.program("heddle", HEDDLE.replace(DIGEST, f"$([[ $3 == *cpu.h5 ]] && echo {'f' * 16} || echo {DIGEST})"))
        self.assertEqual(self.step("whole").returncode, 1)
        self.assertIn("WRONG: the digest of cpu is not that of the first", self.summary("whole"))

    def test_what_compares_nothing_is_a_failure(self):
        self.program("heddle-bench", "echo nothing")
        self.assertEqual(self.step("bench").returncode, 1)
        self.assertIn("have no case in common", self.summary("bench"))

    def test_what_fails_is_shown(self):
        self.program("heddle-bench", "echo it broke; exit 7")
        result = self.step("parameters")
        self.assertEqual(result.returncode, 1)
        self.assertIn("  | it broke\n  WRONG: parameters_1024 ended with exit code 7\n", result.stdout)

    def test_missing_tools_are_said(self):
        for name in ("compute-sanitizer", "ncu"):
            (self.folder / "path" / name).unlink()
        settings = {"CUDA_HOME": str(self.folder)}
        arguments = ("--build", str(self.folder / "build"), "--out", str(self.out))
        self.assertEqual(self.measure("profile", *arguments, **settings).returncode, 0)
        self.assertIn("ncu is not installed: there are times of kernels, but no counters", self.summary("profile"))
        self.assertEqual(self.measure("sanitizer", *arguments, **settings).returncode, 1, "it would have shown nothing")

    def test_counters_that_may_not_be_read(self):
        self.program("../../path/ncu", "echo ERR_NVGPUCTRPERM; exit 1")
        self.assertEqual(self.step("profile").returncode, 0)
        self.assertIn("counters may not be read on this machine", self.summary("profile"))


if __name__ == "__main__":
    unittest.main()
