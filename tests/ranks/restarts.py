"""Runs that save themselves, are interrupted and resume: what the tests of restarts share."""

import os
import signal
import subprocess
import time
import unittest

from runs import CONFIGURATION, WORLDS, differences, launch, run, scratch_folder

OFTEN = ["--set", "checkpoint.every=20 us"]
# What a resumed run may say otherwise than the one that it is compared with.
ALLOWED = CONFIGURATION


def start(arguments, ranks=1, **options):
    command, environment = launch(arguments, ranks)
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True, **options
    )


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


def wait_for(path, process):
    while not path.exists() and process.poll() is None:
        time.sleep(0.005)


class RestartCase(unittest.TestCase):
    """A result file a.h5 with its checkpoints, in a folder of its own."""

    def setUp(self):
        self.folder = scratch_folder(self)
        self.result = self.folder / "a.h5"
        self.part = self.folder / "a.h5.part"
        self.part_new = self.folder / "a.h5.part.new"  # of a resumed run, before it takes the place of .part
        self.slots = [self.folder / f"a.h5.checkpoint_{i}" for i in (0, 1)]

    def reference(self, name, text=None):
        config = self.folder / f"{name}.toml"
        config.write_text(text or WORLDS[name])
        expected = self.folder / f"{name}.h5"
        if not expected.exists():
            run(["run", str(config), "-q", "-o", str(expected)])
        return str(config), expected

    def arguments(self, config, *more):
        return ["run", config, "-q", "-o", str(self.result), *OFTEN, *more]

    def ended(self, process, code=0):
        """(standard output, standard error) of one that start() has started."""
        output, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, code, output + errors)
        return output, errors

    def assert_same(self, expected, what=""):
        different = [d for d in differences(expected, self.result) if d not in ALLOWED]
        self.assertEqual(different, [], what)
        self.assertEqual([path.name for path in self.slots if path.exists()], [], "checkpoints of a run that has ended")

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
