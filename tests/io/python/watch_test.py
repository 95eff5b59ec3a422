"""heddle watch: what a run's files say while it goes on, after a kill, at its end; and of all runs of a sweep."""

import contextlib
import fcntl
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest
from unittest import mock

import h5py
import heddle
import small_runs
from heddle import progress
from heddle.progress import last_line, look_at
from heddle.text import bytes_text, clock_text, progress_text, seconds_in, table_text
from heddle.watch_folder import FolderWatch
from heddle.watch_text import time_text
from helpers import InAFolder, said, wait_until

os.environ["HEDDLE"] = small_runs.HEDDLE


def watch(*words):
    """(exit code, what it says) of heddle watch."""
    return said("watch", *words)[:2]


class ARun(InAFolder):
    def setUp(self):
        super().setUp()
        self.result = self.folder / "a.h5"

    def test_while_it_goes_on_and_after_a_kill(self):
        with small_runs.LongRun(self.result) as run:
            first = look_at(self.result)
            self.assertEqual(first.state, "running")
            self.assertRegex(first.writer, rf"process {run.process.pid} on ")
            self.assertLess(first.elapsed_s, 120)
            code, said = watch(run.part, "--once")
            self.assertEqual(code, 0)
            self.assertRegex(
                said,
                r"a.h5  running for 0:\d\d \(process \d+ on .*\)\n(share not known yet|\d+ % of about \d+ M packet-hops; about"
                r" [\d:]+ left).*\n.* simulated, .* a minute.*\ntier +links"
                r" +queued",
            )
            self.assertRegex(said, r"endpoint>rtsw +64 .* +\d+ +0\n")
            wait_until(lambda: look_at(self.result).time_ps > first.time_ps)
            now = look_at(self.result)
            self.assertGreater(now.time_ps, first.time_ps)
            with heddle.open(run.part) as part:  # read a moment later, so perhaps further
                self.assertLessEqual(now.time_ps, int(part.series("queue_bytes")["time_ps"][-1]))
        self.assertEqual(look_at(self.result).state, "killed")
        code, said = watch(self.result)
        self.assertEqual(code, 3)
        self.assertRegex(said, r"^\d\d:\d\d:\d\d a.h5: killed: nobody writes it any more")
        self.assertEqual(said.count("\n"), 1, "one line without a terminal")
        with heddle.open(run.part) as part:
            series = part.all_series()
            killed = look_at(self.result)
            for name in ("queue_bytes", "paused_ps", "ecn_marks"):
                self.assertEqual(killed.tiers[name].tolist(), series[name].values[-1].tolist())

    def test_that_saved_itself(self):
        with small_runs.LongRun(self.result, "--resume", "auto") as run:
            run.process.send_signal(signal.SIGTERM)
            self.assertEqual(run.process.wait(60), 75)
            self.assertEqual(look_at(self.result).state, "saved")
            self.assertIn("--resume auto resumes", watch(run.part, "--once")[1])

    def test_that_has_ended(self):
        code, said = watch(small_runs.incast())
        self.assertEqual(code, 0)
        self.assertRegex(
            said, r"incast.h5: complete; 16 of 16 messages; [\d.]+ ms simulated; nothing queued; paused: ctsw>rtsw [\d.]+ ms\n"
        )
        look = look_at(small_runs.incast())
        with heddle.open(small_runs.incast()) as run:
            self.assertEqual(look.time_ps, run.attrs["end_ps"])
            self.assertEqual(
                dict(zip(look.tiers["tier"], look.tiers["paused_ps"])), run.links().groupby("tier")["paused_ps"].sum().to_dict()
            )

    def test_without_series(self):
        """What the file does not have is "-", no 0; what /link has of a run that is over is said."""
        tiers = look_at(small_runs.without_series()).tiers
        with heddle.open(small_runs.without_series()) as run:
            links = run.links().groupby("tier")[["paused_ps", "ecn_marks"]].sum()
        self.assertGreater(links["paused_ps"].sum(), 0)
        for name in links:
            self.assertEqual(dict(zip(tiers["tier"], tiers[name])), links[name].to_dict())
        self.assertTrue(tiers["queue_bytes"].isna().all())
        self.assertEqual(tiers["drops"].tolist(), [0] * 4)
        self.assertRegex(watch(small_runs.without_series(), "--once")[1], r"\nctsw>rtsw +\d+ +- +[\d.]+ ms +\d+ +0\n")
        self.assertRegex(watch(small_runs.without_series())[1], r"queued: -; paused: ctsw>rtsw [\d.]+ ms\n")
        shutil.copy(small_runs.without_series(), self.folder / "b.h5")
        self.assertRegex(watch(self.folder, "--once")[1], r"\nb +complete +[\d.]+ ms +- +[\d.]+ ms\n")

    def test_without_series_that_was_killed(self):
        part = shutil.copy(small_runs.without_series(), f"{self.result}.part")
        with h5py.File(part, "r+") as file:
            file.attrs["status"] = "partial"
            file["link/ingress_drops"][0] = 1
        self.assertRegex(watch(self.result, "--once")[1], r"\nctsw>rtsw +\d+ +- +- +- +-\n")
        self.assertRegex(watch(self.result)[1], "queued: -; paused: -\n")
        with h5py.File(part, "r+") as file:
            file.attrs["status"] = "complete"
        os.rename(part, self.result)
        self.assertTrue(look_at(self.result).tiers["drops"].isna().all(), "of which kind of link it is the file does not say")

    def test_that_writes_over_an_older_result(self):
        shutil.copy(small_runs.incast(), self.result)
        self.assertEqual(look_at(self.result).state, "ended")
        with small_runs.LongRun(self.result, "--force"):
            self.assertEqual(look_at(self.result).state, "running")
        self.assertEqual(look_at(self.result).state, "killed", "the older one is still there, but it is not this run's")

    def test_that_is_not_there(self):
        code, _, error = said("watch", self.result, "--once")
        self.assertEqual(code, 2)
        self.assertRegex(error, "heddle watch: .*there is neither this file nor its .part")
        self.assertEqual(look_at(self.result).state, "missing")

    def test_that_is_no_result(self):
        for make, why in (
            (lambda: self.result.write_text("no HDF5"), "cannot be read as HDF5"),
            (lambda: h5py.File(self.result, "w").close(), "is an HDF5 file, but not a result of heddle"),
        ):
            make()
            for words in (("--once",), ()):
                code, out, error = said("watch", self.result, *words)
                self.assertEqual((code, out), (2, ""))
                self.assertRegex(error, f"^heddle watch: '.*a.h5' {why}")

    @contextlib.contextmanager
    def locked(self):
        """As by a process that has begun."""
        with open(f"{self.result}.lock", "w") as lock:
            lock.write("process 1 on here, since 2026-01-01T00:00:00Z\n")
            lock.flush()
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def test_that_has_no_rows_yet(self):
        pathlib.Path(f"{self.result}.part").write_bytes(b"")
        self.assertEqual(look_at(self.result).state, "unreadable")
        with self.locked():
            look = look_at(self.result)
        self.assertEqual((look.state, look.writer), ("starting", "process 1 on here"))

    def test_that_is_set_up(self):
        """Its lock is all that there is."""
        with self.locked():
            self.assertEqual(look_at(self.result).state, "starting")
            self.assertEqual(watch(self.result, "--once"), (0, "a.h5  starting: there is nothing to read yet\n"))
            shutil.copy(small_runs.incast(), self.result)
            self.assertEqual(look_at(self.result).state, "ended", "it is leaving")
            os.utime(self.result, (0, 0))
            self.assertEqual(look_at(self.result).state, "starting", "the result is an older one")
        self.result.unlink()
        code, said = watch(self.result)
        self.assertEqual(code, 3)
        self.assertIn("there is no result: the run was refused, or has failed", said)

    def test_asking_takes_no_lock_from_anybody(self):
        lock = pathlib.Path(f"{self.result}.lock")
        self.assertEqual(progress.lock_of(self.result), (False, "", 0))
        self.assertFalse(lock.exists(), "and leaves none")

    def from_the_file_alone(self):
        """As before the run says for the first time how far it is."""
        return look_at(self.result, log=os.devnull)

    def test_collectives_that_all_ranks_have_finished(self):
        many = small_runs.sets('job.0.collective.0.sizes=["1 KiB","2 KiB"]', "job.0.collective.0.repeat=50000")
        with small_runs.LongRun(self.result, of=[*small_runs.SMALL_ZONE, *many]) as run:
            wait_until(lambda: self.from_the_file_alone().done[:1] not in ([], ["at least 0 of 100000 collectives"]))
        told = self.from_the_file_alone().done
        with heddle.open(run.part) as part:
            events = part.events("completion")
        done = (events[events["kind"] == "rank_finished"].groupby("id").size() == 64).sum()
        self.assertGreater(done, 10)
        self.assertEqual(told, [f"at least {done} of 100000 collectives"])

    def test_collectives_of_which_the_file_does_not_say_whose_they_are(self):
        """Of training jobs and traces: nothing is guessed."""
        with small_runs.LongRun(self.result):
            self.assertEqual(self.from_the_file_alone().done, [])


class Log(InAFolder):
    """The share and the time left come from what the run itself says, where that is kept."""

    def setUp(self):
        super().setUp()
        self.path = self.folder / "a.log"

    def test_lines_of_heddle_run(self):
        self.path.write_text(
            "512 GPUs; about 44 M packet-hops\n11 % of about 44 M packet-hops, 1 of 6 collectives, about 0:19 left; 1 ms simulated,"
            " 3.00 M packet-hops/s, 0:02 elapsed\n34 % of about 44 M packet-hops, 5 of 6 collectives, 3 of 9 messages, about"
            " 1:00:09 left; 3.53 ms simulated, 3.81 M packet-hops/s, 0:05 elapsed\n"
        )
        log = last_line(self.path)
        self.assertEqual((log.share, log.of, log.packet_hops_per_s), (0.34, "about 44 M packet-hops", 3.81e6))
        self.assertEqual(log.done, ["5 of 6 collectives", "3 of 9 messages"])
        self.assertAlmostEqual(log.left_s, 3609, delta=5)
        self.assertIsNone(last_line(self.path, since_s=time.time() + 60), "it is of an earlier attempt")
        self.path.write_text("55 % of the horizon, at most 0:10 left; 3 ms simulated, 3.81 M packet-hops/s, 0:05 elapsed\n")
        self.assertEqual((last_line(self.path).share, last_line(self.path).of), (0.55, "the horizon"))
        self.path.write_text(
            "more than the 44 M packet-hops foreseen, time left unknown; 9 ms simulated, 3.00 M packet-hops/s, 1:05 elapsed\n"
        )
        self.assertEqual((last_line(self.path).share, last_line(self.path).left_s), (None, None))
        self.path.write_text("nothing\n")
        self.assertIsNone(last_line(self.path))
        self.assertIsNone(last_line(self.path.with_name("none")))

    def test_beside_a_run(self):
        with small_runs.LongRun(self.path.with_suffix(".h5")) as run:
            self.path.write_text(
                "34 % of about 44 M packet-hops, about 0:59 left; 3.53 ms simulated, 3.81 M packet-hops/s, 0:05 elapsed\n"
            )
            os.kill(run.process.pid, signal.SIGSTOP)  # so that it says nothing in its .lock
            lock = pathlib.Path(f"{run.result}.lock")
            lock.write_text(lock.read_text().splitlines()[0] + "\n")
            self.assertRegex(watch(run.part, "--once")[1], r"34 % of about 44 M packet-hops; about 0:5\d left")
            other = self.path.with_name("other")
            other.write_text(
                "77 % of about 44 M packet-hops, about 0:09 left; 3.53 ms simulated, 3.81 M packet-hops/s, 0:05 elapsed\n"
            )
            self.assertIn("77 %", watch(run.part, "--once", "--log", other)[1])

    def test_of_a_real_run(self):
        """That the pattern above is what the program writes, in a log and, also when it is quiet, in its .lock."""
        with open(self.path, "wb") as log:
            process = subprocess.Popen(
                [small_runs.HEDDLE, "run", *small_runs.LONG, "-o", str(self.path.with_suffix(".h5"))],
                cwd=small_runs.ROOT,
                stdout=log,
                stderr=log,
            )
        try:
            wait_until(lambda: last_line(self.path) is not None, 90)
            log = look_at(self.path.with_suffix(".h5"), log=self.path).log
        finally:
            process.kill()
            process.wait()
        self.assertIsNotNone(log, self.path.read_text())
        self.assertLess(log.share, 0.5)
        self.assertRegex(log.of, r"about \d+ M packet-hops")
        self.assertRegex(log.done[0], r"^\d+ of \d+ collectives$")
        self.assertGreater(log.left_s, 0)
        with small_runs.LongRun(self.path.with_name("quiet.h5")) as run:
            wait_until(lambda: look_at(run.result).log is not None, 30)
            look = look_at(run.result)
            self.assertRegex(look.log.of, r"about \d+ M packet-hops")
            self.assertRegex(look.log.done[0], r"^\d+ of \d+ collectives$")
            self.assertGreater(look.log.packet_hops_per_s, 0)
            self.assertRegex(watch(run.part, "--once")[1], r"0(\.\d+)? % of about \d+ M packet-hops; about [\d:]+ left")

    def test_a_horizon_says_the_share(self):
        result = self.path.with_suffix(".h5")
        with small_runs.LongRun(result, *small_runs.sets("simulation.horizon=10 s")) as run:
            said = watch(run.part, "--once")[1]
        self.assertRegex(said, r"\d+ % of the horizon; about [\d:]+ left")


class ASweep(InAFolder):
    def setUp(self):
        super().setUp()
        self.folder = self.sweep("many")

    def test_that_is_complete(self):
        code, said = watch(self.folder)
        self.assertEqual((code, said.count("\n")), (0, 1))
        self.assertIn("many: 8 runs: 8 complete\n", said)
        self.assertEqual(watch(self.folder, "--once")[0], 0)
        (self.folder / "1.h5").unlink()
        code, said = watch(self.folder, "--once")
        self.assertEqual(code, 3)
        self.assertIn("1 missing", said)

    def test_that_goes_on(self):
        (self.folder / "1.h5").unlink()
        (self.folder / "3.h5").unlink()
        (self.folder / "4.h5").write_text("no HDF5")
        with small_runs.LongRun(self.folder / "3.h5"):
            code, said = watch(self.folder, "--once")
        self.assertEqual(code, 3, "a run is missing that nobody is at work on, and one is unreadable")
        self.assertRegex(said, r"many: 8 runs: 5 complete, (1 missing, 1 running, 1 unreadable|.*); about [\d:]+ left\n")
        lines = {line.split()[0]: line for line in said.splitlines()[2:]}
        self.assertRegex(lines["3"], r"dcqcn.enabled=false link.host_rate=100 Gb/s .*simulation.seed=2 +running")
        self.assertRegex(lines["1"], "missing")
        self.assertRegex(lines["4"], "unreadable")
        self.assertRegex(lines["0"], r"complete +[\d.]+ us")

    def test_that_has_failed_runs(self):
        (self.folder / "4.h5").write_text("no HDF5")
        code, said = watch(self.folder)
        self.assertEqual(code, 3)
        self.assertRegex(said, "nothing goes on any more, and not complete are: 1 unreadable; what is unreadable has to be removed")

    def test_of_more_runs_than_lines(self):
        (self.folder / "6.h5").unlink()
        one = FolderWatch(str(self.folder))
        one.look()
        screen = one.screen(7)
        self.assertEqual(len(screen), 7, screen)
        self.assertEqual([line.split()[0] for line in screen[2:5]], ["0", "1", "6"], "what is missing is before what is complete")
        self.assertEqual(screen[-2], "... and 5 more")
        self.assertRegex(screen[-1], "^no run goes on; watching for 10:00 more")

    def test_runs_that_have_ended_are_read_once(self):
        one = FolderWatch(str(self.folder))
        with mock.patch("heddle.watch_folder.look_at", side_effect=look_at) as asked:
            one.look()
            one.look()
        self.assertEqual(asked.call_count, 8)

    def test_a_folder_of_nothing(self):
        empty = self.folder.parent / "empty"
        empty.mkdir()
        code, _, error = said("watch", empty)
        self.assertEqual(code, 2)
        self.assertIn("holds no result files", error)

    def test_a_folder_that_is_no_sweep_has_no_queue(self):
        plain = self.folder.parent / "plain"
        plain.mkdir()
        shutil.copy(small_runs.incast(), plain / "a.h5")
        shutil.copy(small_runs.killed(), plain / "b.h5.part")
        watched = FolderWatch(str(plain), give_up_s=600)
        watched.look()
        self.assertTrue(watched.over(), "nobody will begin a run of it")
        self.assertEqual(watch(plain)[0], 3)


class ALeftSweep(InAFolder):
    """Runs are missing or were killed, and perhaps nobody runs them any more."""

    def setUp(self):
        super().setUp()
        self.folder = self.sweep("many")
        (self.folder / "1.h5").unlink()
        (self.folder / "3.h5").unlink()
        shutil.copy(small_runs.killed(), self.folder / "3.h5.part")

    def test_ends_and_says_how_it_goes_on(self):
        code, said = watch(self.folder, "--give-up", "0")
        self.assertEqual((code, said.count("\n")), (3, 1))
        self.assertRegex(
            said,
            "8 runs: 6 complete, 1 missing, 1 killed; nothing goes on any more, and not complete are: 1 missing, 1 killed; "
            f"`heddle sweep {self.folder} --run` does what is missing",
        )
        (self.folder / "3.h5.part").unlink()  # of another run
        small_runs.program("sweep", self.folder, "--run")
        self.assertEqual(watch(self.folder)[0], 0, "as it said")

    def test_is_watched_for_a_while(self):
        begin = time.monotonic()
        code, said = watch(self.folder, "--give-up", "2 s", "--interval", "0.2")
        self.assertEqual(code, 3)
        self.assertGreaterEqual(time.monotonic() - begin, 2)
        first, *_, last = said.splitlines()
        self.assertRegex(first, r"no run goes on; watching for 0:02 more without a change, as some may wait in a queue \(--give-up")
        self.assertIn("nothing goes on any more", last)

    def test_any_change_is_waited_on(self):
        one, now = FolderWatch(str(self.folder), give_up_s=60), [1000.0]
        with mock.patch("heddle.watch_folder.time.monotonic", lambda: now[0]):

            def over_at(seconds):
                now[0] = 1000.0 + seconds
                one.look()
                return one.over()

            self.assertFalse(over_at(0) or over_at(59))
            shutil.copy(self.folder / "0.h5", self.folder / "1.h5")
            self.assertFalse(over_at(70) or over_at(129))
            os.utime(self.folder / "3.log")  # it says something
            self.assertFalse(over_at(140) or over_at(199))
            self.assertTrue(over_at(201))

    def test_between_two_runs_of_a_sweep(self):
        """Nothing runs just now, and the next run is about to begin."""
        one = FolderWatch(str(self.folder), give_up_s=0)
        descriptor = os.open(self.folder, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        one.look()
        self.assertFalse(one.over())
        self.assertEqual(one.what_next(), "")
        patient = FolderWatch(str(self.folder), give_up_s=600)
        patient.look()
        os.close(descriptor)
        patient.look()
        self.assertTrue(patient.over(), "it was seen to end, so nothing is to come")

    def test_a_sweep_at_work_is_seen(self):
        """That its lock is the one that is asked for, and that asking all the time does not keep it from beginning."""
        (self.folder / "3.h5.part").unlink()  # of another run
        process = subprocess.Popen([small_runs.HEDDLE, "sweep", str(self.folder), "--run"], stdout=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        wait_until(lambda: progress.sweep_runs(self.folder) or process.poll() is not None, 30, every=0)
        code, said = watch(self.folder, "--interval", "0.1", "--give-up", "0")
        self.assertEqual(code, 0, f"it was not seen before it ended with {process.poll()}: {said}")
        self.assertIn("8 runs: 8 complete", said)
        self.assertEqual(process.wait(30), 0)
        self.assertFalse(progress.sweep_runs(self.folder))


class Terminal(InAFolder):
    def test_is_rewritten_until_the_end(self):
        with small_runs.LongRun(self.folder / "a.h5") as run:
            master, slave = pty.openpty()
            process = subprocess.Popen(
                [sys.executable, "-m", "heddle", "watch", run.part, "--interval", "0.3"],
                stdout=slave,
                stderr=slave,
                stdin=subprocess.DEVNULL,
                env={**os.environ, "COLUMNS": "60", "LINES": "20"},
            )
            os.close(slave)
            said = b""
            while said.count(b"\x1b[") < 6:  # three times
                said += os.read(master, 4096)
            run.kill()
            with contextlib.suppress(OSError):  # the terminal closes with the process
                while chunk := os.read(master, 4096):
                    said += chunk
            os.close(master)
        self.assertEqual(process.wait(30), 3)
        text = said.decode()
        self.assertRegex(text, r"\x1b\[\d+F\x1b\[J")
        self.assertIn("killed: nobody writes it", text)
        self.assertTrue(all(len(line) < 60 for line in re.split(r"\r?\n|\x1b\[\d*[FJ]", text)), "cut to the terminal")


class Words(unittest.TestCase):
    def test_quantities(self):
        self.assertEqual([time_text(t) for t in (-1, 0, 999, 3_530_000_000, 2e12)], ["never", "0 ps", "999 ps", "3.53 ms", "2 s"])
        self.assertEqual([bytes_text(b) for b in (0, 1500, 13_904_384)], ["0 B", "1.5 KB", "13.9 MB"])
        self.assertEqual([clock_text(s) for s in (9, 69, 3723)], ["0:09", "1:09", "1:02:03"])
        self.assertEqual(progress_text(0.999), "99 %")

    def test_tables_without_empty_columns(self):
        self.assertEqual(table_text(["a", "b", "c"], [["x", "", "1"], ["yy", "", "22"]]), ["a    c", "x    1", "yy  22"])

    def test_times_of_a_clock(self):
        self.assertEqual([seconds_in(text) for text in ("10 min", "90 s", "1.5h", "0")], [600, 90, 5400, 0])

    def test_options_that_cannot_be(self):
        file, folder = str(small_runs.incast()), str(small_runs.sweep())
        for words, expected in (
            ((file, "--interval", "0"), "a time above 0 is needed"),
            ((file, "--interval", "inf"), "at most a day"),
            ((file, "--give-up", "1 s"), "--give-up is for folders"),
            ((folder, "--log", "x"), "--log is for a single run"),
            ((folder, "--give-up", "10"), "--give-up: '10' is no time of a clock; give a number with s, min or h"),
        ):
            with self.subTest(words):
                code, _, error = said("watch", *words)
                self.assertEqual(code, 2)
                self.assertIn(expected, error)


if __name__ == "__main__":
    unittest.main()
