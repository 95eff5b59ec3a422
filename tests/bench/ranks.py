#!/usr/bin/python3
"""Wall time of `heddle run` in 1 rank and in several, in turn, and what the exchange between them takes.

    tests/bench/ranks.py build/cpu/bin/heddle                     # 1,024 and 24,576 GPUs, 1 and 2 ranks
    tests/bench/ranks.py build/cpu/bin/heddle --gpus 24576 --ranks 1,2,4,8 --repeat 5

The fastest run of each number of ranks counts. Run it on a machine that has a core for every rank and nothing else to do.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import h5py

ZONE = "[topology]\nkind = 'ai_zone'\nracks = {racks}\ngpus_per_rack = 16\nctsws = 18\nuplinks_per_rtsw = 18\n"
PODS = (
    "[topology]\nkind = 'multi_zone'\nzones = 8\nracks = 192\ngpus_per_rack = 16\nctsws = 18\n"
    "uplinks_per_rtsw = 18\natsws = 28\nuplinks_per_ctsw = 28\n"
)
# As permutation-N-on of cases.cpp.
LOAD = (
    "[simulation]\nepoch = '655360 ps'\nhorizon = '{horizon_us} us'\n[routing]\npolicy = 'e_ecmp'\n"
    "[dcqcn]\nenabled = true\npreset = 'connectx'\n[output]\nseries_interval = '0 s'\n"
    "[workload]\nqps_per_pair = 16\n"
    "[[generator]]\nkind = 'permutation'\nhosts = 0\nbytes = '4 MiB'\nmessages = 16\n"
)
HORIZONS_US = {1024: 300, 24576: 60}


def configuration(gpus):
    fabric = PODS if gpus == 24576 else ZONE.format(racks=gpus // 16)
    return fabric + LOAD.format(horizon_us=HORIZONS_US[gpus])


def measure(program, config, ranks, exchange, folder):
    """(seconds in the engine, seconds waiting for others, packet-hops, exchanges, bytes, digest)"""
    result = folder / "run.h5"
    command = [program, "run", str(config), "-q", "--force", "-o", str(result), "--set", f"partition.exchange={exchange}"]
    if ranks > 1:
        command = ["mpirun", "--allow-run-as-root", "--bind-to", "core", "-n", str(ranks), *command]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "OMPI_MCA_btl": "self,vader"})
    with h5py.File(result) as file:
        perf = file["perf"]
        wall_s = dict(zip((name.decode() for name in perf["phase/phase"][()]), perf["phase/wall_s"][()]))
        return (
            wall_s["advance"],
            wall_s.get("exchange", 0.0),
            int(perf.attrs["packet_hops"]),
            int(perf.attrs["exchanges"]),
            int(perf.attrs["exchanged_bytes"]),
            file.attrs["digest"],
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--gpus", default="1024,24576")
    parser.add_argument("--ranks", default="1,2")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--exchange", default="auto", help="partition.exchange: auto, node or ranks")
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)
    counts = [int(word) for word in arguments.ranks.split(",")]
    print("   GPUs  ranks   engine s  speed-up  Mhops/s  waiting  exchanges  KB per exchange and rank")
    with tempfile.TemporaryDirectory() as folder:
        for gpus in (int(word) for word in arguments.gpus.split(",")):
            config = pathlib.Path(folder) / "case.toml"
            config.write_text(configuration(gpus))
            best, digests = {}, set()
            for _ in range(arguments.repeat):  # in turn: what else goes on falls on all alike
                for ranks in counts:
                    run = measure(program, config, ranks, arguments.exchange, pathlib.Path(folder))
                    digests.add(run[-1])
                    best[ranks] = min(best.get(ranks, run), run)
            if len(digests) != 1:
                sys.exit(f"{gpus} GPUs: results differ between ranks, so their times mean nothing: {digests}")
            for ranks, (engine_s, wait_s, hops, exchanges, exchanged, _) in best.items():
                each_kb = exchanged / max(exchanges, 1) / ranks / 1000
                print(
                    f"{gpus:7} {ranks:6} {engine_s:10.3f} {best[counts[0]][0] / engine_s:9.2f} "
                    f"{hops / engine_s / 1e6:8.1f} {wait_s / engine_s:8.1%} {exchanges:10} {each_kb:10.1f}"
                )


if __name__ == "__main__":
    main()
