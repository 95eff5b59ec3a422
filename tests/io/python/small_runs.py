"""Small results of the real program for tests: each made once per test program, in a folder that goes with it."""

import atexit
import functools
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

import heddle

ROOT = pathlib.Path(__file__).resolve().parents[3]
HEDDLE = os.environ.get("HEDDLE_BINARY", str(ROOT / "build" / "cpu" / "bin" / "heddle"))


def sets(*settings):
    """ "a=1", "b=2" -> --set a=1 --set b=2"""
    return [word for setting in settings for word in ("--set", setting)]


SMALL_ZONE = ["configs/zone_quickstart.toml", *sets("topology.racks=4", "job.0.gpus=64")]
ZONE = [*SMALL_ZONE, *sets('job.0.collective.0.sizes=["1 MiB", "16 MiB"]', "job.0.collective.0.repeat=3")]
INCAST = ["configs/incast.toml", *sets("generator.0.bytes=4 MiB")]  # pauses begin
TRAINING = ["configs/training.toml", *sets("job.0.training.layers=2", "job.0.training.micro_batches=2")]
FAILURES = ["configs/failures.toml", *sets("job.0.collective.0.repeat=2")]
# Longer than any test waits.
LONG = ["configs/training.toml", *sets("job.0.training.iterations=1000", "output.gpu_time=false")]


@functools.cache
def folder():
    path = tempfile.mkdtemp(prefix="heddle_python_")
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return pathlib.Path(path)


def simulate(path, words, *settings):
    """heddle run WORDS --set SETTING...: the path of the result, in folder() where only a name is given."""
    path = folder() / path
    program("run", *words, *sets(*settings), "-q", "-o", path)
    return path


def program(*words, code=0):
    """What the program prints; AssertionError where its exit code is another."""
    done = subprocess.run([HEDDLE, *map(str, words)], cwd=ROOT, capture_output=True, text=True, timeout=300)
    if done.returncode != code:
        raise AssertionError(f"heddle {' '.join(map(str, words))} ended with {done.returncode}:\n{done.stderr}")
    return done.stdout


@functools.cache
def zone():
    """64 GPUs, three all-reduces of 1 MiB and three of 16 MiB."""
    return simulate("zone.h5", ZONE)


@functools.cache
def incast():
    """16 messages to one receiver, with /series/link and pauses."""
    return simulate("incast.h5", INCAST)


@functools.cache
def training():
    """Two iterations of two layers on 64 GPUs."""
    return simulate("training.h5", TRAINING)


@functools.cache
def training_without_gpu_time():
    return simulate("training_bare.h5", TRAINING, "output.gpu_time=false")


@functools.cache
def training_with_checkpoints():
    return simulate("training_saved.h5", TRAINING, "checkpoint.every=5 ms")


@functools.cache
def training_said():
    """What heddle run prints of training()."""
    return program("run", *TRAINING, "-o", folder() / "training_said.h5")


@functools.cache
def failures():
    """A spine dies, a cable slows down, another loses bits."""
    return simulate("failures.h5", FAILURES)


@functools.cache
def without_series():
    without = ("output.series_interval=0 s", "output.link_series=false", "output.pfc_events=false")
    return simulate("bare.h5", INCAST, *without)


class LongRun:
    """A run that does not end by itself, in `with`: its .part has rows when it begins, and it is killed at the end."""

    def __init__(self, path, *words, of=LONG):
        self.result = pathlib.Path(path)
        self.part = pathlib.Path(f"{path}.part")
        self.words = [*of, *words]

    def __enter__(self):
        self.process = subprocess.Popen(
            [HEDDLE, "run", *self.words, "-q", "-o", str(self.result)],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            self.wait_for_rows()
        except BaseException:
            self.kill()
            raise
        return self

    def wait_for_rows(self, seconds=120):
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.process.poll() is None:
            try:
                with heddle.open(self.part) as run:
                    if run.series("queue_bytes").shape[0] > 0:
                        return
            except (OSError, ValueError):  # not there yet, or not begun
                pass
            time.sleep(0.1)
        raise AssertionError(f"{self.part} has no rows after {seconds} s; the run: {self.process.poll()}")

    def kill(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def __exit__(self, *_):
        self.kill()


@functools.cache
def killed():
    """The .part of a run that was killed."""
    with LongRun(folder() / "killed.h5") as run:
        pass
    return run.part


@functools.cache
def sweep():
    """Two axes over an incast: DCQCN off and on, and two rates of hosts and uplinks together; two seeds of each."""
    return heddle.sweep(
        ROOT / "configs" / "incast.toml",
        {
            "dcqcn.enabled": [False, True],
            ("link.host_rate", "link.rtsw_ctsw_rate"): [("400 Gb/s", "200 Gb/s"), "100 Gb/s"],
            "simulation.seed": "1..2",
        },
        folder() / "sweep",
        {"generator.0.bytes": "256 KiB"},
        program=HEDDLE,
    ).folder
