"""The suites that may catch a fault, cheapest first, and how each says what it has found."""

import os
import pathlib
import re
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from mpi_environment import MPI_ENVIRONMENT  # noqa: E402  (found by the line above)


def run_limited(command, limit_s, **options):
    """(exit status, output) of `command`; the status is None when it did not end within `limit_s` and was killed with
    all of its processes."""
    process = subprocess.Popen(
        [str(word) for word in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
        **options,
    )
    try:
        output, _ = process.communicate(timeout=limit_s)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        return None, output
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        raise


class GoogleTests:
    """One test program, which stops at its first failure and may take `limit_s`."""

    def __init__(self, part, limit_s):
        self.name = part
        self.limit_s = limit_s
        self.targets = (f"heddle_test_{part}",)

    def run(self, clone):
        """The test that fails, or None. Raises RuntimeError when that cannot be told."""
        program = clone.program(self.targets[0])
        status, output = run_limited(
            [program, "--gtest_fail_fast", "--gtest_brief=0"],
            self.limit_s,
            cwd=clone.tree,
            env=dict(os.environ, HEDDLE_BINARY=str(clone.program("heddle"))),
        )
        if status == 0:
            return None
        failed = re.search(r"^\[  FAILED  \] (\S+?),? ", output, re.MULTILINE)
        if failed:
            return f"{self.name}: {failed[1]}"
        running = re.findall(r"^\[ RUN      \] (\S+)", output, re.MULTILINE)
        if not running:
            raise RuntimeError(f"{program.name} ran no test (exit status {status}):\n{output[-2000:]}")
        return f"{self.name}: {running[-1]} ({'did not end' if status is None else 'crashed'})"


class Exchanges:
    """Words between MPI processes, as two nodes of two ranks and as one node of three; each may take `limit_s`."""

    name = "exchange"
    targets = ("heddle_test_exchange",)

    def __init__(self, limit_s):
        self.limit_s = limit_s

    def run(self, clone):
        """What a rank finds wrong, or None."""
        for ranks, kind in ((4, "node:2"), (3, "node")):
            command = ["mpirun", "-n", ranks, clone.program(self.targets[0]), kind, "words"]
            status, output = run_limited(command, self.limit_s, cwd=clone.tree, env={**os.environ, **MPI_ENVIRONMENT})
            if status == 0:
                continue
            said = re.search(rf"^rank \d+, {kind}: (.*?)(, in round \d+)?$", output, re.MULTILINE)
            how = said[1] if said else "did not end" if status is None else "crashed"
            return f"{self.name}: {how} ({ranks} ranks, {kind})"
        return None


class RandomWorlds:
    """Engine = oracle on the worlds of seeds 1 to `worlds`, a few first and then ever more."""

    targets = ("heddle-property",)

    def __init__(self, name, worlds, *options):
        self.name = name
        self.worlds = worlds
        self.options = options

    def run(self, clone):
        """How many worlds it took until one failed, or None. Raises RuntimeError when that cannot be told."""
        first, count = 1, 4
        while first <= self.worlds:
            count = min(count, self.worlds - first + 1)
            seed = self._first_failed(clone, first, count)
            if seed is not None:
                return f"{self.name}: world {seed}"
            first, count = first + count, count * 2
        return None

    def _first_failed(self, clone, first, count):
        command = [clone.program("heddle-property"), "--worlds", count, "--first-seed", first, "--jobs", clone.jobs]
        command += [
            *self.options,
            "--failures",
            0,
            "--shrink",
            0,
            "--world-limit",
            20,
            "--quiet",
            "--failed",
            clone.tree.parent / "failed_worlds",
        ]
        status, output = run_limited(command, 60 + 10 * count, cwd=clone.tree)
        if status == 0:
            return None
        seeds = [int(seed) for seed in re.findall(r"^failed seed (\d+)$", output, re.MULTILINE)]
        if not seeds:
            raise RuntimeError(f"heddle-property names no world (exit status {status}):\n{output[-2000:]}")
        return min(seeds)


def all_suites(worlds):
    return [
        GoogleTests("kernels", 60),
        Exchanges(60),
        RandomWorlds("property", worlds),
        RandomWorlds("property, restarted", worlds // 2, "--restarts"),
        GoogleTests("partition", 300),
        GoogleTests("acceptance", 300),
        GoogleTests("theory", 300),
    ]
