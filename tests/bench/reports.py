#!/usr/bin/python3
"""What reading results costs: wall time and largest memory of `heddle report`, and of one table of many runs.

    tests/bench/reports.py build/cpu/bin/heddle                       # in a folder that goes afterwards
    tests/bench/reports.py build/cpu/bin/heddle --keep results/       # keeps what it simulates, and takes what is there
    tests/bench/reports.py build/cpu/bin/heddle --runs 30 --repeat 1

The large file is meta_24k.toml (24,576 GPUs) for some us, with the series of every link; the many are a sweep of incast.toml. Each
step is a process of its own, the fastest of several counts. Memory is that of the process, as the system has it (ru_maxrss).
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
LARGE = ["configs/meta_24k.toml", "--set", "output.series_interval=1 us", "--set", "output.link_series=true"]
MESSAGES = ["--set", "generator.0.bytes=16 KiB", "--set", "generator.0.messages=64"]  # 1,024 in every run
TABLE = "import heddle, sys; table = heddle.Results(sys.argv[1]).messages(); print(f'{len(table):,} rows')"


def simulate_large(program, path, horizon):
    """One result with an instant of /series/link every us."""
    if not path.exists():
        subprocess.run(
            [program, "run", *LARGE, "--set", f"simulation.horizon={horizon}", "-q", "-o", path],
            cwd=ROOT,
            check=True,
            stdout=subprocess.DEVNULL,
        )


def simulate_many(program, folder, runs):
    """A sweep: DCQCN off and on, three ECN thresholds, seeds."""
    axes = [
        "--axis",
        "dcqcn.enabled=false,true",
        "--axis",
        "ecn.kmin=200 KB,400 KB,800 KB",
        "--axis",
        f"simulation.seed=1..{runs // 6}",
    ]
    if not folder.exists():
        subprocess.run(
            [program, "sweep", "configs/incast.toml", *MESSAGES, *axes, "-o", folder, "--run"],
            cwd=ROOT,
            check=True,
            stdout=subprocess.DEVNULL,
        )


def measure(arguments, repeat):
    """(wall seconds, processor seconds, MiB, what it printed) of the fastest of several processes of Python."""
    found = []
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "io" / "python")}
    for _ in range(repeat):
        begin = time.monotonic()
        process = subprocess.Popen([sys.executable, *map(str, arguments)], env=environment, stdout=subprocess.PIPE, text=True)
        said = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"{' '.join(map(str, arguments))} ended with {process.returncode}")
        found.append((time.monotonic() - begin, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, said.strip()))
    return min(found)


def size_of(path):
    files = [path] if path.is_file() else [file for file in path.glob("*.h5")]
    return sum(file.stat().st_size for file in files)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=300, help="of the sweep, in sixes")
    parser.add_argument("--horizon", default="50 us", help="of the large run")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--keep", metavar="FOLDER", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.runs < 6 or arguments.runs % 6:
        parser.error("--runs is a multiple of 6")
    program = os.path.abspath(arguments.program)
    with tempfile.TemporaryDirectory() as own:
        folder = (arguments.keep or pathlib.Path(own)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        large, many, page = folder / "large.h5", folder / f"sweep{arguments.runs}", folder / "report.html"
        simulate_large(program, large, arguments.horizon)
        simulate_many(program, many, arguments.runs)
        steps = (
            ("report, 24,576 GPUs", large, ["-m", "heddle", "report", "--force", large, "-o", page]),
            (f"report, {arguments.runs} runs", many, ["-m", "heddle", "report", "--force", many, "-o", page]),
            (f"messages(), {arguments.runs} runs", many, ["-c", TABLE, many]),
        )
        print(f"{'step':24} {'read MB':>8} {'wall s':>8} {'cpu s':>8} {'MiB':>7}  makes")
        for name, source, command in steps:
            wall_s, cpu_s, mib, said = measure(command, arguments.repeat)
            made = re.search(r"[\d.,]+ (MB|rows)", said)[0]
            print(f"{name:24} {size_of(source) / 1e6:8.1f} {wall_s:8.2f} {cpu_s:8.2f} {mib:7.0f}  {made}")


if __name__ == "__main__":
    main()
