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

SMALL_ZONE = ["configs/zone_quickstart.toml", "--set", "topology.racks=4", "--set", "job.0.gpus=64"]
ZONE = [
    *SMALL_ZONE,
    "--set",
    'job.0.collective.0.sizes=["1 MiB", "16 MiB"]',
    "--set",
    "job.0.collective.0.repeat=3",
]
INCAST = ["configs/incast.toml", "--set", "generator.0.bytes=4 MiB"]  # pauses begin
TRAINING = ["configs/training.toml", "--set", "job.0.training.layers=2", "--set", "job.0.training.micro_batches=2"]
LONG = [
    "configs/training.toml",
    "--set",
    "job.0.training.iterations=1000",
    "--set",
    "output.gpu_time=false",
]  # longer than any test waits


@functools.cache
def folder():
    path = tempfile.mkdtemp(prefix="heddle_python_")
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return pathlib.Path(path)


def simulate(path, arguments):
    done = subprocess.run([HEDDLE, "run", *arguments, "-q", "-o", str(path)], cwd=ROOT, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise AssertionError(f"heddle run {' '.join(arguments)} ended with {done.returncode}:\n{done.stderr}")
    return path


@functools.cache
def zone():
    """64 GPUs, three all-reduces of 1 MiB and three of 16 MiB."""
    return simulate(folder() / "zone.h5", ZONE)


@functools.cache
def incast():
    """16 messages to one receiver, with /series/link and pauses."""
    return simulate(folder() / "incast.h5", INCAST)


@functools.cache
def training():
    """Two iterations of two layers on 64 GPUs."""
    return simulate(folder() / "training.h5", TRAINING)


@functools.cache
def training_without_gpu_time():
    return simulate(folder() / "training_bare.h5", [*TRAINING, "--set", "output.gpu_time=false"])


@functools.cache
def training_with_checkpoints():
    return simulate(folder() / "training_saved.h5", [*TRAINING, "--set", "checkpoint.every=5 ms"])


@functools.cache
def training_said():
    """What heddle run prints of training()."""
    done = subprocess.run(
        [HEDDLE, "run", *TRAINING, "-o", str(folder() / "training_said.h5")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    return done.stdout


@functools.cache
def without_series():
    return simulate(
        folder() / "bare.h5",
        [*INCAST, "--set", "output.series_interval=0 s", "--set", "output.link_series=false", "--set", "output.pfc_events=false"],
    )


class LongRun:
    """A run that does not end by itself, in `with`: its .part has rows when it begins, and it is killed at the end."""

    def __init__(self, path, *arguments):
        self.result = pathlib.Path(path)
        self.part = pathlib.Path(f"{path}.part")
        self.arguments = arguments

    def __enter__(self):
        self.process = subprocess.Popen(
            [HEDDLE, "run", *LONG, "-q", "-o", str(self.result), *self.arguments],
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
