"""What a run does not resume from, and what it must not overwrite: it says why and leaves the files alone."""

import signal
import unittest

from restarts import RestartCase, start, wait_for
from runs import MPIRUN, WORLDS, run


class RefusedRestart(RestartCase):
    def test_when_none_is_good_nothing_is_run(self):
        config, _ = self.reference("ecmp_pfc")
        self.interrupted(config)
        self.slots[0].write_text("nothing")
        self.slots[1].write_bytes(self.slots[1].read_bytes()[:-100])
        before = self.part.read_bytes()
        result = run(self.arguments(config, "--resume", "auto"), code=2)
        for slot in self.slots:
            self.assertIn(slot.name, result.stderr)
        self.assertEqual(self.part.read_bytes(), before)

    def test_a_damaged_part_is_explained(self):
        config, _ = self.reference("ecmp_pfc")
        self.interrupted(config)
        self.part.write_bytes(b"\0" * self.part.stat().st_size)
        result = run(self.arguments(config, "--resume", "auto"), code=2)
        self.assertIn("holds the rows that the run had written until its checkpoint", result.stderr)

    def test_another_configuration_is_refused(self):
        config, _ = self.reference("ecmp_pfc")
        self.interrupted(config)
        result = run(self.arguments(config, "--resume", "auto", "--set", "simulation.seed=17"), code=2)
        self.assertIn("the configuration has changed since: simulation.seed was 1 and is 17 now\n", result.stderr)
        result = run(self.arguments(config, "--resume", str(self.slots[0]), "--set", "output.link_series=false"), code=2)
        self.assertIn("[output]", result.stderr)
        self.assertIn(": output.link_series was true and is false now; give", result.stderr)
        pfc = ["--set", "output.pfc_file=p", "--set", "output.title=a"]
        result = run(self.arguments(config, "--resume", str(self.slots[0]), *pfc), code=2)
        self.assertIn(": output.pfc_file was '' and is 'p' now; give", result.stderr)

    def test_another_input_file_is_refused(self):
        flows = self.folder / "flows.txt"
        flows.write_text("2\n0 1 3 100 4000000 0.0\n2 3 3 100 4000000 0.0\n")
        config = self.folder / "flows.toml"
        config.write_text(WORLDS["ecmp_pfc"] + '[workload]\nflow_file = "flows.txt"\n')
        self.interrupted(str(config))
        flows.write_text("1\n0 1 3 100 4000000 0.0\n")
        result = run(self.arguments(str(config), "--resume", "auto"), code=2)
        self.assertIn("what is in the input file has changed since: workload.flow_file", result.stderr)

    def test_no_checkpoint_is_lost_by_oversight(self):
        config, expected = self.reference("ecmp_pfc")
        self.interrupted(config)
        for _ in ("as it was left", "without its .part"):
            result = run(self.arguments(config), code=2)
            self.assertIn("resume from it (--resume auto)", result.stderr)
            self.part.unlink(missing_ok=True)
        result = run(self.arguments(config, "--resume", "auto"), code=2)
        self.assertIn(self.part.name, result.stderr)
        result = run(self.arguments(config, "--force"))
        self.assert_same(expected)

    def test_one_run_at_a_time(self):
        config, expected = self.reference("e_ecmp_dcqcn")
        process = start(self.arguments(config, "--resume", "auto"))
        self.addCleanup(process.kill)  # it would stay stopped
        wait_for(self.part, process)
        process.send_signal(signal.SIGSTOP)
        lock = self.folder / "a.h5.lock"
        self.assertTrue(lock.exists())
        before = self.part.stat().st_ino
        for more in (["--resume", "auto"], ["--force"]):
            second = run(self.arguments(config, *more), code=2)
            self.assertIn(f"another run is writing it (process {process.pid} on ", second.stderr)
        self.assertEqual(self.part.stat().st_ino, before)
        process.send_signal(signal.SIGCONT)
        output, errors = self.ended(process)
        self.assert_same(expected)
        self.assertFalse(lock.exists())

    def test_what_is_complete_is_left_alone(self):
        config, _ = self.reference("ecmp_pfc")
        resume = self.arguments(config, "--resume", "auto")
        run(resume)
        before = self.result.read_bytes()
        for ranks in (1, 2) if MPIRUN else (1,):
            result = run(resume, ranks)
            self.assertIn("nothing is left to do", result.stdout)
        for key, why in (("simulation.seed=17", "of another run"), ("output.link_series=false", "output.link_series: true")):
            result = run([*resume, "--set", key], code=2)
            self.assertIn(why, result.stderr)
        self.assertEqual(self.result.read_bytes(), before)
        self.result.write_bytes(before[:1000])
        result = run(resume, code=2)
        self.assertIn("remove it", result.stderr)

    def test_what_cannot_be_asked_for(self):
        config, _ = self.reference("ecmp_pfc")
        result = run(self.arguments(config, "--resume", "auto", "--check"), code=2)
        self.assertIn("--check", result.stderr)
        result = run(self.arguments(config, "--resume", str(self.folder / "none")), code=2)
        self.assertIn("none", result.stderr)


if __name__ == "__main__":
    unittest.main()
