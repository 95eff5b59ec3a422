"""A run that was killed goes on from its checkpoint to the file that an uninterrupted run leaves."""

import collections
import os
import pathlib
import random
import resource
import signal
import subprocess
import threading
import time
import unittest

import h5py

from runs import CONFIGURATION, MPIRUN, WORLDS, differences, launch, run, scratch_folder

SEEDS = int(os.environ.get("HEDDLE_KILLED_RUNS", "50"))
# Kills that must hit something, of about 1.4 per run: at most half of what is usually seen.
LEAST_PER_RUN = {"between checkpoints": 0.4, "gone on from a checkpoint": 0.25, "readable .part": 0.4, ".tmp left": 0.05}
OFTEN = ["--set", "checkpoint.every=20 us"]
# What a run that goes on may say otherwise than the one that it is compared with.
ALLOWED = CONFIGURATION


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
""" + "".join(f'[[message]]\nsrc = {src}\ndst = 0\nbytes = "400 MB"\n' for src in range(1, 9))


def start(arguments, ranks=1, **options):
    command, environment = launch(arguments, ranks)
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
                            start_new_session=True, **options)


def ranks_of(launcher):
    """The processes that mpirun has started."""
    try:
        with open(f"/proc/{launcher.pid}/task/{launcher.pid}/children") as file:
            return [int(word) for word in file.read().split()]
    except FileNotFoundError:
        return []


def kill(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def number_of(path):
    """Tells a file from one that takes its place; None: there is none."""
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return None


def wait_for(path, process):
    while not path.exists() and process.poll() is None:
        time.sleep(0.005)


class Restart(unittest.TestCase):
    def setUp(self):
        self.folder = scratch_folder(self)
        self.result = self.folder / "a.h5"
        self.part = self.folder / "a.h5.part"
        self.part_new = self.folder / "a.h5.part.new"  # of a run that goes on, before it takes the place of .part
        self.slots = [self.folder / f"a.h5.checkpoint_{i}" for i in (0, 1)]

    def reference(self, name, text=None):
        config = self.folder / f"{name}.toml"
        config.write_text(text or WORLDS[name])
        expected = self.folder / f"{name}.h5"
        if not expected.exists():
            result = run(["run", str(config), "-q", "-o", str(expected)])
            self.assertEqual(result.returncode, 0, result.stderr)
        return str(config), expected

    def arguments(self, config, *more):
        return ["run", config, "-q", "-o", str(self.result), *OFTEN, *more]

    def assert_same(self, expected, what=""):
        different = [d for d in differences(expected, self.result) if d not in ALLOWED]
        self.assertEqual(different, [], what)
        self.assertEqual([path.name for path in self.slots if path.exists()], [], "checkpoints of a run that has ended")

    def assert_readable(self, seen):
        """Nothing that a kill leaves of a result file makes `heddle info` crash; it may be torn, and is refused then."""
        for path in (self.part, self.part_new):
            if not path.exists():
                continue
            result = run(["info", str(path)])
            self.assertIn(result.returncode, (0, 2), f"{path.name}: {result.returncode}\n{result.stderr}")
            if result.returncode == 2:
                self.assertRegex(result.stderr, "^error: cannot (read|open|get)")
            else:  # or all but renamed
                self.assertRegex(result.stdout, r"(?m)^ +status +(partial: killed|complete at)")
            seen[f"{'readable' if result.returncode == 0 else 'torn'} {path.suffix}"] += 1
        seen[".tmp left"] += any(self.folder.glob("a.h5.checkpoint_[01].*.tmp"))

    def interrupted(self, config):
        """A run that has written two checkpoints and was killed."""
        for _ in range(10):  # it may be over before it can be killed
            process = start(self.arguments(config, "--force"))
            for slot in self.slots:
                wait_for(slot, process)
            process.kill()
            process.communicate()
            if all(path.exists() for path in self.slots):
                return
        self.fail("the run is always over too soon")

    def numbers(self):
        return number_of(self.part), [number_of(path) for path in self.slots]

    def wait_until_it_writes(self, process, before):
        """A run that goes on puts another .part in the place of the one that was there."""
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
        # what goes on has less to do
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
            result = run(self.arguments(config, "--resume", "auto"), chance.choice(several))  # it may have ended
            self.assertEqual(result.returncode, 0, f"seed {seed}: {result.stderr}")
            seen["gone on from a checkpoint"] += "going on from" in result.stderr
            self.assert_same(expected, f"seed {seed}")
            self.result.unlink()
        print(f"{SEEDS} runs, kills: {dict(seen)}")
        if SEEDS >= 20:  # a test whose kills all miss proves nothing
            for what, least in LEAST_PER_RUN.items():
                self.assertGreaterEqual(seen[what], least * SEEDS, f"{what}: {dict(seen)}")

    def test_a_damaged_checkpoint_is_passed_over(self):
        config, expected = self.reference("ecmp_pfc")
        self.interrupted(config)
        newest = max(self.slots, key=lambda path: path.stat().st_mtime_ns)
        content = bytearray(newest.read_bytes())
        content[len(content) // 2] ^= 4
        newest.write_bytes(content)
        result = run(self.arguments(config, "--resume", "auto"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(newest.name, result.stderr)
        self.assertIn("going on from", result.stderr)
        self.assert_same(expected)

    def test_when_none_is_good_nothing_is_run(self):
        config, _ = self.reference("ecmp_pfc")
        self.interrupted(config)
        self.slots[0].write_text("nothing")
        self.slots[1].write_bytes(self.slots[1].read_bytes()[:-100])
        before = self.part.read_bytes()
        result = run(self.arguments(config, "--resume", "auto"))
        self.assertEqual(result.returncode, 2, result.stderr)
        for slot in self.slots:
            self.assertIn(slot.name, result.stderr)
        self.assertEqual(self.part.read_bytes(), before)

    def test_another_configuration_is_refused(self):
        config, _ = self.reference("ecmp_pfc")
        self.interrupted(config)
        result = run(self.arguments(config, "--resume", "auto", "--set", "simulation.seed=17"))
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("the configuration has changed since: simulation.seed was 1 and is 17 now\n", result.stderr)
        result = run(self.arguments(config, "--resume", str(self.slots[0]), "--set", "output.link_series=false"))
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("[output]", result.stderr)
        self.assertIn(": output.link_series was true and is false now; give", result.stderr)
        pfc = ["--set", "output.pfc_file=p", "--set", "output.title=a"]
        result = run(self.arguments(config, "--resume", str(self.slots[0]), *pfc))
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn(": output.pfc_file was '' and is 'p' now; give", result.stderr)

    def test_another_input_file_is_refused(self):
        flows = self.folder / "flows.txt"
        flows.write_text("2\n0 1 3 100 4000000 0.0\n2 3 3 100 4000000 0.0\n")
        config = self.folder / "flows.toml"
        config.write_text(WORLDS["ecmp_pfc"] + '[workload]\nflow_file = "flows.txt"\n')
        self.interrupted(str(config))
        flows.write_text("1\n0 1 3 100 4000000 0.0\n")
        result = run(self.arguments(str(config), "--resume", "auto"))
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("what is in the input file has changed since: workload.flow_file", result.stderr)

    def history(self):
        """Of the newest checkpoint: sittings, and ns of wall time and of the engine."""
        return max(tuple(int(word) for word in h5py.File(slot)["run"][:3]) for slot in self.slots)

    def test_wall_time_and_speed_are_of_all_sittings(self):
        config, expected = self.reference("e_ecmp_dcqcn")
        self.interrupted(config)
        sittings, wall_ns, advance_ns = self.history()
        self.assertEqual(sittings, 1)
        self.assertGreater(wall_ns, advance_ns)
        started = time.monotonic()
        result = run(self.arguments(config, "--resume", "auto"))
        elapsed_s = time.monotonic() - started
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("in 2 sittings", result.stdout)
        self.assert_same(expected)
        with h5py.File(self.result) as file:
            perf = dict(file["perf"].attrs)
            phases = dict(zip(file["perf/phase/phase"][()], file["perf/phase/wall_s"][()]))
        self.assertEqual(perf["sittings"], 2)
        self.assertGreater(perf["wall_s"], wall_ns * 1e-9)
        self.assertLess(perf["wall_s"], wall_ns * 1e-9 + elapsed_s)
        self.assertGreater(phases[b"advance"], advance_ns * 1e-9)
        self.assertAlmostEqual(phases[b"advance"] + phases[b"observe"], perf["wall_s"])
        self.assertAlmostEqual(perf["packet_hops_per_s"] * perf["wall_s"] / perf["packet_hops"], 1)
        self.assertIn("resumed 1 time from a checkpoint", run(["info", str(self.result)]).stdout)

    def test_a_run_that_mostly_saves_says_so(self):
        config = str(self.folder / "long.toml")
        pathlib.Path(config).write_text(WORLDS["ecmp_pfc"].replace("KiB", "MiB"))  # far longer than the test
        result = run(["run", config, "-q", "-o", str(self.result), "--set", "checkpoint.every=1 ns"])
        self.assertEqual(result.returncode, 2, result.stderr)
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
        result = run(self.arguments(config, "--resume", "auto", "--set", "simulation.seed=17"))
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("holds what another run has written", result.stderr)

    def test_no_checkpoint_is_lost_by_oversight(self):
        config, expected = self.reference("ecmp_pfc")
        self.interrupted(config)
        for _ in ("as it was left", "without its .part"):
            result = run(self.arguments(config))
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn("go on with it (--resume auto)", result.stderr)
            self.part.unlink(missing_ok=True)
        result = run(self.arguments(config, "--resume", "auto"))
        self.assertEqual(result.returncode, 2, "the rows are gone: " + result.stderr)
        self.assertIn(self.part.name, result.stderr)
        result = run(self.arguments(config, "--force"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_same(expected)

    def test_sigusr1_saves_and_leaves(self):
        for ranks in (1, 2) if MPIRUN else (1,):
            config, expected = self.reference("e_ecmp_dcqcn")
            process = start(["run", config, "-q", "-o", str(self.result)], ranks)
            wait_for(self.part, process)
            process.send_signal(signal.SIGUSR1)
            output, errors = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 75, output + errors)
            self.assertIn("--resume auto", output)
            self.assertEqual(sum(path.exists() for path in self.slots), 1)
            result = run(["run", config, "-q", "-o", str(self.result), "--resume", "auto"], 3 - ranks)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assert_same(expected, f"{ranks} ranks")
            self.result.unlink()

    def long_reference(self):
        """A run that can be met under way also when it goes on."""
        config, expected = self.folder / "long.toml", self.folder / "long.h5"
        config.write_text(WORLDS["e_ecmp_dcqcn"].replace("256 KiB", "16 MiB").replace("128 KiB", "8 MiB"))
        self.assertEqual(run(["run", str(config), "-q", "-o", str(expected)]).returncode, 0)
        return ["run", str(config), "-q", "-o", str(self.result)], expected

    def ended_by(self, number, arguments):
        before = self.part.stat().st_ino if self.part.exists() else None
        process = start(arguments)
        wait_for(self.part, process)
        while self.part.exists() and self.part.stat().st_ino == before and process.poll() is None:  # it begins to go on
            time.sleep(0.001)
        process.send_signal(number)
        output, errors = process.communicate(timeout=120)
        return process.returncode, output + errors

    def test_who_wants_to_go_on_is_saved(self):
        command, expected = self.long_reference()
        for number in (signal.SIGTERM, signal.SIGINT):
            code, said = self.ended_by(number, [*command, "--set", "checkpoint.every_wall=1000 s"])
            self.assertEqual(code, 75, said)
            code, said = self.ended_by(number, [*command, "--resume", "auto"])  # without [checkpoint]
            self.assertEqual(code, 75, said)
            result = run([*command, "--resume", "auto"])
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("going on from", result.stderr)
            self.assert_same(expected)
            self.result.unlink()

    def test_what_was_interrupted_is_run_anew(self):
        command, expected = self.long_reference()
        code, said = self.ended_by(signal.SIGINT, command)
        self.assertEqual(code, 3, said)
        self.assertIn("there is no checkpoint", said)
        self.assertEqual(run(command).returncode, 2, "without --resume it is kept")
        result = run([*command, "--resume", "auto"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("has the status interrupted: it is replaced", result.stderr)
        self.assert_same(expected)

    def test_a_full_result_file_is_gone_on_with(self):
        config, expected = self.folder / "long.toml", self.folder / "long.h5"
        config.write_text(WORLDS["ecmp_pfc"].replace("256 KiB", "2 MiB").replace("20 us", "100 ns"))
        self.assertEqual(run(["run", str(config), "-q", "-o", str(expected)]).returncode, 0)
        command = ["run", str(config), "-q", "-o", str(self.result), "--set", "checkpoint.every=30 us"]
        result = run([*command, "--set", "output.max_bytes=1 MB"])
        self.assertEqual(result.returncode, 3, result.stdout + result.stderr)
        self.assertIn("status output_full", result.stdout)
        self.assertIn("the checkpoints of", result.stdout)
        self.assertTrue(self.result.exists() and not self.part.exists())
        result = run([*command, "--resume", "auto"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("going on from", result.stderr)
        self.assert_same(expected)

    def test_memory_used_up_is_no_end(self):
        config, expected = self.folder / "greedy.toml", self.folder / "greedy.h5"
        message = '[[message]]\nsrc = %d\ndst = 7\nbytes = "200 MB"\n'  # nothing pauses them
        world = "[topology]\nkind = 'star'\nhosts = 8\n[class.lossless]\npfc = false\n"
        config.write_text(world + message % 0 + message % 5)
        self.assertEqual(run(["run", str(config), "-q", "-o", str(expected)]).returncode, 0)
        command = ["run", str(config), "-q", "-o", str(self.result), "--set", "checkpoint.every=500 us"]
        result = run([*command, "--memory", "1100KB"])
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn("status error", result.stdout)
        result = run([*command, "--resume", "auto"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("going on from", result.stderr)
        self.assert_same(expected)

    @unittest.skipIf(MPIRUN is None, "mpirun is not installed")
    def test_memory_used_up_by_another_rank_is_not_saved(self):
        """The second checkpoint is due at the end of the tick in which it happens, when other ranks do not know of it."""
        config, expected = self.folder / "far.toml", self.folder / "far.h5"
        config.write_text(FAR)
        self.assertEqual(run(["run", str(config), "-q", "-o", str(expected)]).returncode, 0)
        command = ["run", str(config), "-q", "-o", str(self.result)]
        result = run([*command, "--memory", "4MB"], 2)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        with h5py.File(self.result) as file:
            end_ps = int(file.attrs["end_ps"])
        self.assertGreater(end_ps, 100_000_000)
        for ranks in (2, 1):
            saving = [*command, "--set", f'checkpoint.every="{(end_ps + TICK_PS) // 2} ps"']
            result = run([*saving, "--force", "--memory", "4MB"], 2)
            self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
            self.assertIn("status error", result.stdout)
            self.assertEqual([slot.name for slot in self.slots if slot.exists()], [self.slots[0].name])
            result = run([*saving, "--resume", "auto", "--memory", "400MB"], ranks)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            self.assertIn("going on from", result.stderr)
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
            second = run(self.arguments(config, *more))
            self.assertEqual(second.returncode, 2, second.stdout + second.stderr)
            self.assertIn(f"another run is writing it (process {process.pid} on ", second.stderr)
        self.assertEqual(self.part.stat().st_ino, before)
        process.send_signal(signal.SIGCONT)
        output, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, output + errors)
        self.assert_same(expected)
        self.assertFalse(lock.exists())

    def test_a_lock_that_was_left_stops_nobody(self):
        config, expected = self.reference("ecmp_pfc")
        self.interrupted(config)
        self.assertTrue((self.folder / "a.h5.lock").exists())
        result = run(self.arguments(config, "--resume", "auto"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_same(expected)
        self.assertFalse((self.folder / "a.h5.lock").exists())

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
        output, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 1, output + errors)
        self.assertIn("a.h5.part", errors)
        self.assertTrue(self.part.exists() and not self.result.exists())
        exports.mkdir()
        result = run(command)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("going on from", result.stderr)
        self.assertGreater((exports / "fct.txt").stat().st_size, 0)
        self.assert_same(expected)

    def test_what_is_complete_is_left_alone(self):
        config, _ = self.reference("ecmp_pfc")
        resume = self.arguments(config, "--resume", "auto")
        self.assertEqual(run(resume).returncode, 0)
        before = self.result.read_bytes()
        for ranks in (1, 2) if MPIRUN else (1,):
            result = run(resume, ranks)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("nothing is left to do", result.stdout)
        for key, why in (("simulation.seed=17", "of another run"), ("output.link_series=false", "output.link_series: true")):
            result = run([*resume, "--set", key])
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(why, result.stderr)
        self.assertEqual(self.result.read_bytes(), before)
        self.result.write_bytes(before[:1000])
        result = run(resume)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("remove it", result.stderr)

    def test_a_damaged_part_is_explained(self):
        config, _ = self.reference("ecmp_pfc")
        self.interrupted(config)
        self.part.write_bytes(b"\0" * self.part.stat().st_size)
        result = run(self.arguments(config, "--resume", "auto"))
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("holds the rows that the run had written until its checkpoint", result.stderr)

    def start_without_room(self, config, ranks=1):
        """Goes on where the result file has room, but no checkpoint."""
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
        config.write_text(WORLDS["ecmp_pfc"].replace("racks = 8", "racks = 32").replace("link_series = true", ""))
        self.assertEqual(run(["run", str(config), "-q", "-o", str(expected)]).returncode, 0)
        for ranks in (1, 2) if MPIRUN else (1,):
            self.result.unlink(missing_ok=True)
            self.interrupted(str(config))
            self.assertGreater(min(path.stat().st_size for path in self.slots), 1.2 * expected.stat().st_size)
            process = self.start_without_room(str(config), ranks)
            output, errors = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0, output + errors)
            self.assertEqual(errors.count("no checkpoint is made"), 1, errors)
            self.assertIn("warning: cannot", errors)
            self.assertIn("the run goes on without it", errors)
            self.assert_same(expected)
            self.assertEqual(list(self.folder.glob("*.tmp")), [])

    def test_a_full_disk_leaves_the_checkpoint_before(self):
        # a larger fabric, whose state takes more than its result file
        larger = WORLDS["ecmp_pfc"].replace("racks = 8", "racks = 32").replace("link_series = true", "link_series = false")
        config, expected = self.reference("larger", larger)
        self.interrupted(config)
        before = [path.read_bytes() for path in self.slots]
        process = self.start_without_room(config)
        process.send_signal(signal.SIGUSR1)  # it is to be left with a checkpoint, which cannot be written
        output, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 1, output + errors)
        self.assertIn("no checkpoint is made", errors)
        self.assertIn("the same command with --resume auto goes on", errors)
        self.assertEqual(list(self.folder.glob("*.tmp")), [])
        self.assertEqual([path.read_bytes() for path in self.slots], before)
        result = run(self.arguments(config, "--resume", "auto"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_same(expected)

    def test_what_cannot_be_asked_for(self):
        config, _ = self.reference("ecmp_pfc")
        result = run(self.arguments(config, "--resume", "auto", "--check"))
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("--check", result.stderr)
        result = run(self.arguments(config, "--resume", str(self.folder / "none")))
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("none", result.stderr)


if __name__ == "__main__":
    unittest.main()
