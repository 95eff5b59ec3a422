"""A run that ended early, by a signal or for want of memory or disk, resumes to the file that it would have left."""

import pathlib
import resource
import signal
import threading
import time
import unittest

import h5py

from restarts import RestartCase, ranks_of, start, wait_for
from runs import MPIRUN, WORLDS, run

TICK_PS = 1 << 19  # the largest
# Eight senders 5 ms away from a switch that lies in another rank.
FAR = """
[simulation]
horizon = "2 ms"
[topology]
kind = "ai_zone"
racks = 9
gpus_per_rack = 1
ctsws = 1
uplinks_per_rtsw = 1
[link]
rtsw_ctsw_propagation = "5 ms"
[roce]
rto = "10 s"
[workload]
jitter_packets = 0
[buffer.ctsw]
kind = "shared"
[class.lossless]
pfc = false
""" + "".join(
    f'[[message]]\nsrc = {src}\ndst = 0\nbytes = "400 MB"\n' for src in range(1, 9)
)


class EndedBySignal(RestartCase):
    def test_sigusr1_saves_and_leaves(self):
        command, expected = self.long_reference()
        for ranks in (1, 2) if MPIRUN else (1,):
            process = start(command, ranks)
            wait_for(self.part, process)
            process.send_signal(signal.SIGUSR1)
            output, errors = self.ended(process, 75)
            self.assertIn("--resume auto", output)
            self.assertEqual(sum(path.exists() for path in self.slots), 1)
            run([*command, "--resume", "auto"], 3 - ranks)
            self.assert_same(expected, f"{ranks} ranks")
            self.result.unlink()

    def long_reference(self):
        """A run that can be met under way also when it is resumed."""
        config, expected = self.folder / "long.toml", self.folder / "long.h5"
        config.write_text(WORLDS["e_ecmp_dcqcn"].replace("256 KiB", "16 MiB").replace("128 KiB", "8 MiB"))
        run(["run", str(config), "-q", "-o", str(expected)])
        return ["run", str(config), "-q", "-o", str(self.result)], expected

    def ended_by(self, number, arguments):
        before = self.part.stat().st_ino if self.part.exists() else None
        process = start(arguments)
        wait_for(self.part, process)
        while self.part.exists() and self.part.stat().st_ino == before and process.poll() is None:  # it begins to resume
            time.sleep(0.001)
        process.send_signal(number)
        output, errors = process.communicate(timeout=120)
        return process.returncode, output + errors

    def test_who_wants_to_resume_is_saved(self):
        command, expected = self.long_reference()
        for number in (signal.SIGTERM, signal.SIGINT):
            code, said = self.ended_by(number, [*command, "--set", "checkpoint.every_wall=1000 s"])
            self.assertEqual(code, 75, said)
            code, said = self.ended_by(number, [*command, "--resume", "auto"])  # without [checkpoint]
            self.assertEqual(code, 75, said)
            result = run([*command, "--resume", "auto"])
            self.assertIn("resuming from", result.stderr)
            self.assert_same(expected)
            self.result.unlink()

    def test_what_was_interrupted_is_run_anew(self):
        command, expected = self.long_reference()
        code, said = self.ended_by(signal.SIGINT, command)
        self.assertEqual(code, 3, said)
        self.assertIn("there is no checkpoint", said)
        run(command, code=2)  # without --resume it is kept
        result = run([*command, "--resume", "auto"])
        self.assertIn("has the status interrupted: it is replaced", result.stderr)
        self.assert_same(expected)

    def test_a_run_that_mostly_saves_says_so(self):
        config = str(self.folder / "long.toml")
        pathlib.Path(config).write_text(WORLDS["ecmp_pfc"].replace("KiB", "MiB"))  # far longer than the test
        result = run(["run", config, "-q", "-o", str(self.result), "--set", "checkpoint.every=1 ns"], code=2)
        self.assertIn("is less than simulation.epoch", result.stderr)
        process = start(["run", config, "-q", "-o", str(self.result), "--set", "checkpoint.every=600 ns"])
        patience = threading.Timer(60, process.kill)
        patience.start()
        said = process.stderr.readline()
        patience.cancel()
        process.terminate()  # it saves once more and leaves
        _, more = process.communicate(timeout=120)
        self.assertRegex(said, 'warning: .* checkpoints took .* set checkpoint.every to ".*" or more')
        self.assertNotIn("checkpoints took", more)
        for slot in self.slots:
            slot.unlink()
        result = run(self.arguments(config, "--resume", "auto", "--set", "simulation.seed=17"), code=2)
        self.assertIn("holds what another run has written", result.stderr)


class OutOfRoom(RestartCase):
    def test_a_full_result_file_is_resumed(self):
        config, expected = self.folder / "long.toml", self.folder / "long.h5"
        config.write_text(WORLDS["ecmp_pfc"].replace("256 KiB", "2 MiB").replace("20 us", "100 ns"))
        run(["run", str(config), "-q", "-o", str(expected)])
        command = ["run", str(config), "-q", "-o", str(self.result), "--set", "checkpoint.every=10 us"]
        result = run([*command, "--set", "output.max_bytes=1.1 MB"], code=3)
        self.assertIn("status output_full", result.stdout)
        self.assertIn("the checkpoints of", result.stdout)
        self.assertTrue(self.result.exists() and not self.part.exists())
        result = run([*command, "--resume", "auto"])
        self.assertIn("resuming from", result.stderr)
        self.assert_same(expected)

    def test_memory_used_up_is_no_end(self):
        config, expected = self.folder / "greedy.toml", self.folder / "greedy.h5"
        message = '[[message]]\nsrc = %d\ndst = 7\nbytes = "200 MB"\n'  # nothing pauses them
        world = "[topology]\nkind = 'star'\nhosts = 8\n[class.lossless]\npfc = false\n"
        config.write_text(world + message % 0 + message % 5)
        run(["run", str(config), "-q", "-o", str(expected)])
        command = ["run", str(config), "-q", "-o", str(self.result), "--set", "checkpoint.every=500 us"]
        result = run([*command, "--memory", "35500KB"], code=1)
        self.assertIn("status error", result.stdout)
        result = run([*command, "--resume", "auto"])
        self.assertIn("resuming from", result.stderr)
        self.assert_same(expected)

    @unittest.skipIf(MPIRUN is None, "mpirun is not installed")
    def test_memory_used_up_by_another_rank_is_not_saved(self):
        """The second checkpoint is due at the end of the tick in which it happens, when other ranks do not know of it."""
        config, expected = self.folder / "far.toml", self.folder / "far.h5"
        rows = f'[output]\nseries_interval = "{TICK_PS} ps"\n'  # so that no rank goes through several ticks by itself
        config.write_text(FAR + rows)
        run(["run", str(config), "-q", "-o", str(expected)])
        command = ["run", str(config), "-q", "-o", str(self.result)]
        result = run([*command, "--memory", "39MB"], 2, code=1)
        with h5py.File(self.result) as file:
            end_ps = int(file.attrs["end_ps"])
        self.assertGreater(end_ps, 100_000_000)
        for ranks in (2, 1):
            saving = [*command, "--set", f'checkpoint.every="{(end_ps + TICK_PS) // 2} ps"']
            result = run([*saving, "--force", "--memory", "39MB"], 2, code=1)
            self.assertIn("status error", result.stdout)
            self.assertEqual([slot.name for slot in self.slots if slot.exists()], [self.slots[0].name])
            result = run([*saving, "--resume", "auto", "--memory", "400MB"], ranks)
            self.assertIn("resuming from", result.stderr)
            self.assert_same(expected)

    def test_an_export_that_fails_costs_nothing(self):
        config, expected = self.reference("e_ecmp_dcqcn")
        exports = self.folder / "exports"
        exports.mkdir()
        command = self.arguments(config, "--set", f"output.fct_file={exports}/fct.txt", "--resume", "auto")
        process = start(command)
        self.addCleanup(process.kill)
        wait_for(self.slots[0], process)
        process.send_signal(signal.SIGSTOP)
        exports.rmdir()
        process.send_signal(signal.SIGCONT)
        output, errors = self.ended(process, 1)
        self.assertIn("a.h5.part", errors)
        self.assertTrue(self.part.exists() and not self.result.exists())
        exports.mkdir()
        result = run(command)
        self.assertIn("resuming from", result.stderr)
        self.assertGreater((exports / "fct.txt").stat().st_size, 0)
        self.assert_same(expected)

    def start_without_room(self, config, ranks=1):
        """Resumes where the result file has room, but no checkpoint."""
        limit = min(path.stat().st_size for path in self.slots) * 95 // 100  # the result file is smaller than that
        lock = self.folder / "a.h5.lock"
        lock.unlink()
        process = start(self.arguments(config, "--resume", "auto"), ranks)
        wait_for(lock, process)  # MPI has its files by now, and nothing else is written yet
        for pid in [process.pid] if ranks == 1 else ranks_of(process):
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (limit, limit))
        return process

    def test_a_checkpoint_that_does_not_fit_the_disk_ends_no_run(self):
        config, expected = self.folder / "large.toml", self.folder / "large.h5"  # the state, not the result
        config.write_text(WORLDS["ecmp_pfc"].replace("racks = 8", "racks = 64").replace("link_series = true", ""))
        run(["run", str(config), "-q", "-o", str(expected)])
        for ranks in (1, 2) if MPIRUN else (1,):
            self.result.unlink(missing_ok=True)
            self.interrupted(str(config))
            self.assertGreater(min(path.stat().st_size for path in self.slots), 1.15 * expected.stat().st_size)
            process = self.start_without_room(str(config), ranks)
            output, errors = self.ended(process)
            self.assertEqual(errors.count("no checkpoint is made"), 1, errors)
            self.assertIn("warning: cannot", errors)
            self.assertIn("the run goes on without it", errors)
            self.assert_same(expected)
            self.assertEqual(list(self.folder.glob("*.tmp")), [])

    def test_a_full_disk_leaves_the_checkpoint_before(self):
        # a larger fabric, whose state takes more than its result file
        larger = WORLDS["ecmp_pfc"].replace("racks = 8", "racks = 64").replace("link_series = true", "link_series = false")
        config, expected = self.reference("larger", larger)
        self.interrupted(config)
        before = [path.read_bytes() for path in self.slots]
        process = self.start_without_room(config)
        process.send_signal(signal.SIGUSR1)  # it is to be left with a checkpoint, which cannot be written
        output, errors = self.ended(process, 1)
        self.assertIn("no checkpoint is made", errors)
        self.assertIn("the same command with --resume auto resumes", errors)
        self.assertEqual(list(self.folder.glob("*.tmp")), [])
        self.assertEqual([path.read_bytes() for path in self.slots], before)
        run(self.arguments(config, "--resume", "auto"))
        self.assert_same(expected)


if __name__ == "__main__":
    unittest.main()
