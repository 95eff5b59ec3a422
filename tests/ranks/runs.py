"""Small worlds, `heddle run` alone and under mpirun, and what differs between two result files."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest.mock

import h5py
import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import mpi_environment  # noqa: E402  (found by the line above)

HEDDLE = os.environ["HEDDLE_BINARY"]
MPIRUN = shutil.which("mpirun")
MPI_ENVIRONMENT = {
    **mpi_environment.MPI_ENVIRONMENT,
    # Open MPI and its plugins leak; a program built with AddressSanitizer would end with its exit code for that. Leaks of
    # ours are found by every run of one rank.
    "ASAN_OPTIONS": ":".join(filter(None, [os.environ.get("ASAN_OPTIONS"), "detect_leaks=0"])),
}
# How a run was made may differ; what it found may not.
PROVENANCE = {"command_line", "date", "ranks", "hosts", "threads", "slurm_job_id"}
SCALES = {"DIMENSION_LIST", "REFERENCE_LIST"}  # references into the file itself

ZONE = """
[topology]
kind = "ai_zone"
racks = 8
gpus_per_rack = 4
ctsws = 4
uplinks_per_rtsw = 4
[routing]
policy = "%s"
[dcqcn]
enabled = %s
[buffer.rtsw]
kind = "shared"
alpha = 0.0625
[output]
series_interval = "20 us"
link_series = true
pfc_events = true
"""
INCAST = """
[[generator]]
kind = "incast"
fan_in = 24
target = 1
bytes = "256 KiB"
[[generator]]
kind = "permutation"
bytes = "128 KiB"
"""
JOB = """
[[job]]
gpus = 32
gpus_per_server = 4
[[job.collective]]
kind = "all_reduce"
sizes = ["1 MiB"]
"""
TRAINING = """
gpu_time = true
[[job]]
gpus = 32
gpus_per_server = 4
[job.training]
model = "custom"
hidden = 256
ffn_hidden = 512
attention_heads = 8
kv_heads = 4
vocabulary = 512
layers = 2
sequence_length = 128
tensor_parallel = 4
pipeline_parallel = 2
micro_batches = 2
iterations = 1
"""
WORLDS = {
    "ecmp_pfc": ZONE % ("ecmp", "false") + INCAST,
    "e_ecmp_dcqcn": ZONE % ("e_ecmp", "true") + INCAST,
    "all_reduce": ZONE % ("e_ecmp", "false") + JOB,
    "training": ZONE % ("e_ecmp", "false") + TRAINING,
}


def scratch_folder(test):
    """A folder for the files of this test, and for those that mpirun leaves in TMPDIR when it is killed."""
    folder = test.enterContext(tempfile.TemporaryDirectory())
    test.enterContext(unittest.mock.patch.dict(os.environ, TMPDIR=folder))
    return pathlib.Path(folder)


def launch(arguments, ranks=1):
    """The command that runs heddle in so many ranks, and its environment."""
    if ranks == 1:
        return [HEDDLE, *arguments], dict(os.environ)
    return [MPIRUN, "-n", str(ranks), HEDDLE, *arguments], {**os.environ, **MPI_ENVIRONMENT}


def run(arguments, ranks=1, code=0):
    """What became of heddle in so many ranks. AssertionError where its exit code is another (None: it may be any)."""
    return _ended(*launch(arguments, ranks), code)


def run_together(*commands, code=0):
    """run() of one rank for each of several commands of heddle."""
    words = [word for arguments in commands for word in (":", "-n", "1", HEDDLE, *arguments)]
    return _ended([MPIRUN, *words[1:]], {**os.environ, **MPI_ENVIRONMENT}, code)


def _ended(command, environment, code):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=240, env=environment)
    if code is not None and done.returncode != code:
        raise AssertionError(f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


# What names the configuration of a run, whose [partition], [checkpoint] and file names may differ between equal runs.
CONFIGURATION = ("dataset config", "dataset parameter/text", "dataset parameter/number")


def same(a, b):
    a, b = numpy.asarray(a), numpy.asarray(b)
    return numpy.array_equal(a, b, equal_nan=a.dtype.kind == "f" and b.dtype.kind == "f")


def differences(path_a, path_b):
    found = []
    with h5py.File(path_a) as a, h5py.File(path_b) as b:
        names, others = [], []
        a.visit(names.append)
        b.visit(others.append)
        found += [f"{name} is in one file only" for name in set(names) ^ set(others)]
        for name in ["/", *(name for name in names if name in others and not name.startswith("perf"))]:
            for key in (set(a[name].attrs) | set(b[name].attrs)) - PROVENANCE - SCALES:
                if not same(a[name].attrs.get(key), b[name].attrs.get(key)):
                    found.append(f"attribute {key} of {name}: {a[name].attrs.get(key)} and {b[name].attrs.get(key)}")
            if isinstance(a[name], h5py.Dataset) and not same(a[name][()], b[name][()]):
                found.append(f"dataset {name}")
    return found
