"""A run that was killed resumes from its checkpoint to the file that an uninterrupted run leaves."""

import collections
import os
import random
import subprocess
import time
import unittest

import h5py
import numpy

from restarts import RestartCase, kill, ranks_of, start, wait_for
from runs import MPIRUN, WORLDS, run

SEEDS = int(os.environ.get("HEDDLE_KILLED_RUNS", "50"))
# Kills that must hit something, of about 1.4 per run: at most half of what is usually seen.
MIN_PER_RUN = {"between checkpoints": 0.4, "resumed from a checkpoint": 0.25, "readable .part": 0.4, ".tmp left": 0.05}


def number_of(path):
    """Tells a file from one that takes its place; None: there is none."""
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return None


class KilledAtAnyMoment(RestartCase):
    def assert_readable(self, seen):
        """Nothing that a kill leaves of a result file makes `heddle info` crash; it may be torn, and is refused then."""
        for path in (self.part, self.part_new):
            if not path.exists():
                continue
            result = run(["info", str(path)], code=None)
            self.assertIn(result.returncode, (0, 2), f"{path.name}: {result.returncode}\n{result.stderr}")
            if result.returncode == 2:
                self.assertRegex(result.stderr, "^error: cannot (read|open|get)")
            else:  # or all but renamed
                self.assertRegex(result.stdout, r"(?m)^ +status +(partial: killed|complete at)")
            seen[f"{'readable' if result.returncode == 0 else 'torn'} {path.suffix}"] += 1
        seen[".tmp left"] += any(self.folder.glob("a.h5.checkpoint_[01].*.tmp"))

    def numbers(self):
        return number_of(self.part), [number_of(path) for path in self.slots]

    def wait_until_it_writes(self, process, before):
        """A resumed run puts another .part in the place of the one that was there."""
        while process.poll() is None and not self.part_new.exists() and self.numbers()[0] in (None, before[0]):
            time.sleep(0.001)

    def wait_for_a_checkpoint(self, process, before):
        while process.poll() is None and self.numbers()[1] == before[1]:
            time.sleep(0.001)

    def taken_s(self, config, ranks):
        """How long an uninterrupted run takes to its end, from the beginning of its file and from its first checkpoint."""
        before = self.numbers()
        process = start(self.arguments(config), ranks)
        self.wait_until_it_writes(process, before)
        begun = time.monotonic()
        self.wait_for_a_checkpoint(process, before)
        saved = time.monotonic()
        wait_for(self.result, process)
        end = time.monotonic()
        process.communicate()
        self.assertEqual(process.returncode, 0)
        self.result.unlink()
        return end - begun, end - saved

    def kill_at_random(self, chance, config, ranks, taken_s):
        self.part_new.unlink(missing_ok=True)  # of the kill before; the run would remove it
        before = self.numbers()
        process = start(self.arguments(config, "--resume", "auto"), ranks)
        from_begin_s, from_checkpoint_s = taken_s
        longest_s = from_begin_s
        moment = chance.random()
        if moment < 0.6:
            self.wait_for_a_checkpoint(process, before)
            longest_s = from_checkpoint_s
        elif moment < 0.9:  # else wherever it is: MPI may not even have started
            self.wait_until_it_writes(process, before)
        # a resumed run has less to do
        time.sleep(chance.uniform(0, longest_s if before[0] is None else longest_s / 2))
        of_launcher = ranks_of(process)
        if ranks > 1 and chance.random() < 0.5:
            kill([chance.choice(of_launcher)] if of_launcher else [])  # mpirun ends the others
        else:
            kill([*of_launcher, process.pid])
        try:
            process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            self.fail("mpirun did not notice that a rank was killed")

    def moment(self):
        if self.result.exists():
            return "after the end"
        return "between checkpoints" if any(path.exists() for path in self.slots) else "before the first checkpoint"

    def test_killed_at_any_moment(self):
        several = (1, 2, 3) if MPIRUN else (1,)
        seen, taken_s = collections.Counter(), {}
        for seed in range(SEEDS):
            chance = random.Random(seed)
            name = sorted(WORLDS)[seed % len(WORLDS)]
            config, expected = self.reference(name)
            for _ in range(chance.randint(1, 2)):
                if self.result.exists():
                    break
                ranks = chance.choice(several)
                if (name, ranks) not in taken_s and not self.part.exists():
                    taken_s[name, ranks] = self.taken_s(config, ranks)
                self.kill_at_random(chance, config, ranks, taken_s.get((name, ranks), (0.2, 0.1)))
                seen[self.moment()] += 1
                self.assert_readable(seen)
            result = run(self.arguments(config, "--resume", "auto"), chance.choice(several), code=None)  # it may have ended
            self.assertEqual(result.returncode, 0, f"seed {seed}: {result.stderr}")
            seen["resumed from a checkpoint"] += "resuming from" in result.stderr
            self.assert_same(expected, f"seed {seed}")
            self.result.unlink()
        print(f"{SEEDS} runs, kills: {dict(seen)}")
        if SEEDS >= 20:  # a test whose kills all miss proves nothing
            for what, least in MIN_PER_RUN.items():
                self.assertGreaterEqual(seen[what], least * SEEDS, f"{what}: {dict(seen)}")


class WhatAKillLeaves(RestartCase):
    def test_a_damaged_checkpoint_is_passed_over(self):
        config, expected = self.reference("ecmp_pfc")
        self.interrupted(config)
        newest = max(self.slots, key=lambda path: path.stat().st_mtime_ns)
        content = bytearray(newest.read_bytes())
        content[len(content) // 2] ^= 4
        newest.write_bytes(content)
        result = run(self.arguments(config, "--resume", "auto"))
        self.assertIn(newest.name, result.stderr)
        self.assertIn("resuming from", result.stderr)
        self.assert_same(expected)

    def history(self):
        """Of the newest checkpoint: process runs, and ns of wall time and of the engine."""
        return max(tuple(int(word) for word in h5py.File(slot)["run"][:3]) for slot in self.slots)

    def test_wall_time_and_speed_are_of_all_process_runs(self):
        config, expected = self.reference("e_ecmp_dcqcn")
        self.interrupted(config)
        process_runs, wall_ns, advance_ns = self.history()
        self.assertEqual(process_runs, 1)
        self.assertGreater(wall_ns, advance_ns)
        started = time.monotonic()
        result = run(self.arguments(config, "--resume", "auto"))
        elapsed_s = time.monotonic() - started
        self.assertIn("in 2 process runs", result.stdout)
        self.assert_same(expected)
        with h5py.File(self.result) as file:
            perf = dict(file["perf"].attrs)
            phases = dict(zip(file["perf/phase/phase"][()], file["perf/phase/wall_s"][()]))
            saved_ps, saved_s = (file[f"perf/checkpoint/{name}"][()] for name in ("time_ps", "wall_s"))
        self.assertEqual(perf["sittings"], 2)
        self.assertGreater(perf["wall_s"], wall_ns * 1e-9)
        self.assertLess(perf["wall_s"], wall_ns * 1e-9 + elapsed_s)
        self.assertGreater(phases[b"advance"], advance_ns * 1e-9)
        self.assertAlmostEqual(phases[b"advance"] + phases[b"observe"], perf["wall_s"])
        self.assertAlmostEqual(perf["packet_hops_per_s"] * perf["wall_s"] / perf["packet_hops"], 1)
        self.assertEqual(saved_ps.tolist(), [20_000_000 * (i + 1) for i in range(len(saved_ps))], "each once, of both process runs")
        self.assertEqual(numpy.isnan(saved_s).sum(), 1, "the time is unknown only of the one that it resumed from")
        self.assertIn("resumed 1 time from a checkpoint", run(["info", str(self.result)]).stdout)

    def test_a_lock_that_was_left_stops_nobody(self):
        config, expected = self.reference("ecmp_pfc")
        self.interrupted(config)
        self.assertTrue((self.folder / "a.h5.lock").exists())
        run(self.arguments(config, "--resume", "auto"))
        self.assert_same(expected)
        self.assertFalse((self.folder / "a.h5.lock").exists())


if __name__ == "__main__":
    unittest.main()
