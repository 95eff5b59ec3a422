#!/usr/bin/python3
"""How far one run goes over ranks: the tables of scaling.md.

    tests/bench/scaling.py build/cpu/bin/heddle configs/zone_4096.toml
    tests/bench/scaling.py build/cpu/bin/heddle 1024 --verify 2,3,4,8                  # the permutation of ranks.py
    tests/bench/scaling.py build/cpu/bin/heddle 24576 --keep results/                  # keeps the run in one rank

One run in one rank gives what flows (packet-hops, bytes per tier, size of the state), `heddle check --ranks N` gives the
cut, cost_model.py does the rest. --verify runs so many ranks (more than cores do: only counts are looked at) and sets
bytes and exchanges against the model. The load must be one permutation over all endpoints of an ai_zone or multi_zone.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import replace

import h5py

import cost_model as model
import ranks

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from mpi_environment import MPI_ENVIRONMENT  # noqa: E402  (found by the line above)

UNITS_US = {"ps": 1e-6, "ns": 1e-3, "us": 1, "ms": 1e3}


def parse_check(text):
    """The Division that `heddle check --ranks N` prints. ValueError: it is not such a text."""
    number = r"([\d.e+]+)"
    policy = re.search(r"^ranks +\d+ by (\w+)", text, re.M)
    cut = re.search(rf"^cut +(\d+) of \d+ directed links; {number} %", text, re.M)
    period = re.search(rf"^exchange +every {number} (\w+), {number} ticks of {number} (\w+)", text, re.M)
    rows = re.findall(rf"^ +\d+ +(\d+) +(\d+) +{number} +{number} +(\d+)$", text, re.M)
    if not (policy and cut and period and rows):
        raise ValueError("no division over ranks in this output of heddle check:\n" + text[-2000:])
    return model.Division(
        policy[1],
        float(period[1]) * UNITS_US[period[2]],
        float(cut[2]) / 100,
        int(cut[1]),
        tuple(model.RankShare(int(e), int(s), float(m), int(c)) for e, s, _, m, c in rows),
    )


def divide(program, config, count, policy, *arguments):
    """The Division over `count` ranks; None: there are more ranks than racks and other switches."""
    done = subprocess.run(
        [program, "check", str(config), "--ranks", str(count), "--partition", policy, *arguments], capture_output=True, text=True
    )
    if done.returncode == 2 and f"partition: {count} ranks for " in done.stderr:
        return None
    if done.returncode != 0:
        sys.exit(done.stderr)
    return parse_check(done.stdout)


def run(program, config, count, result, *arguments):
    """heddle run in `count` ranks, into the file `result`."""
    command = [program, "run", str(config), "-q", "--force", "-o", str(result), *arguments]
    if count > 1:
        command = ["mpirun", "-n", str(count), *command]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, **MPI_ENVIRONMENT})


def fabric_of(config):
    """The Fabric of a resolved configuration (dataset /config)."""
    t = config["topology"]
    zones = t["zones"] if t["kind"] == "multi_zone" else 1
    fabric = model.Fabric(zones, zones * t["racks"], t["gpus_per_rack"], zones * t["ctsws"], t["uplinks_per_rtsw"])
    if t["kind"] == "ai_zone":
        return fabric
    if t["kind"] != "multi_zone":
        sys.exit(f"the model knows fabrics of kind ai_zone and multi_zone, and this is {t['kind']}")
    return replace(fabric, atsws=t["atsws"], uplinks_per_ctsw=t["uplinks_per_ctsw"])


def bytes_of(text):
    """Bytes that a resolved configuration means by "4 KiB"."""
    number, unit = text.split()
    return float(number) * {"B": 1, "KB": 1000, "KiB": 1024, "MB": 1e6, "MiB": 2**20}[unit]


def read_run(path):
    """(Fabric, loads, packet-hops per us, MiB of state, simulated us) of a result file with /series."""
    with h5py.File(path) as file:
        config = tomllib.loads(file["config"][()].decode())
        fabric, roce = fabric_of(config), config["roce"]
        simulated_us, hops = file.attrs["end_ps"] / 1e6, int(file.attrs["packet_hops"])
        tier = file["series/tier"]
        sent = dict(zip((name.decode() for name in tier["tier"][()]), tier["sent_bytes"][-1].tolist()))
        loads = model.measured_loads(
            fabric,
            sent,
            hops,
            simulated_us,
            bytes_of(roce["mtu"]) + bytes_of(roce["data_overhead"]),
            (bytes_of(roce["ack_wire"]) + bytes_of(roce["cnp_wire"])) / 2,
        )
        return fabric, loads, hops / simulated_us, file["perf"].attrs["memory_bytes"] / 2**20, simulated_us


def measured(path):
    """(bytes sent by all ranks, exchanges) of a result file."""
    with h5py.File(path) as file:
        return int(file["perf"].attrs["exchanged_bytes"]), int(file["perf"].attrs["exchanges"])


def verify(program, config, counts, sets, one_rank, folder):
    fabric, loads, _, _, simulated_us = one_rank
    print("\n| ranks | bytes sent, measured | model | off | exchanges, measured | horizon / period |\n|---|---|---|---|---|---|")
    for count in counts:
        division = divide(program, config, count, "metis", *sets)
        run(program, config, count, folder / "ranks.h5", "--set", "partition.policy=metis", *sets)
        sent, exchanges = measured(folder / "ranks.h5")
        periods = simulated_us / division.period_us
        told = model.exchanged_bytes(fabric, division, loads, simulated_us, periods)
        print(f"| {count} | {sent:,} | {told:,.0f} | {told / sent - 1:+.1%} | {exchanges} | {periods:.0f} |")


def pair(a, b, form):
    low, high = format(min(a, b), form), format(max(a, b), form)
    return low if low == high else f"{low} to {high}"


def cpu_table(machine, by_ranks, one_rank, divisions):
    fabric, loads, hops_per_us, state_mib, _ = one_rank
    base = model.alone(machine, hops_per_us, state_mib)
    print(f"\n{machine.name}; one rank: {base:,.0f} us per simulated us\n")
    print(
        "| ranks | cut by | period us | balance | compute us | neighbours | sending us | KB | transfer us | reduction us "
        "| us per simulated us | speed-up | efficiency | rank by rank: sending us | speed-up |\n" + "|---" * 15 + "|"
    )
    for division in divisions:
        p = model.predict(machine, fabric, division, loads, hops_per_us, state_mib)
        worst, best = p.speed_up(base)
        old = model.predict(by_ranks, fabric, division, loads, hops_per_us, state_mib)
        hidden = "" if p.transfer_us <= p.compute_us else " (shows)"
        print(
            f"| {p.ranks:,} | {division.policy} | {p.period_us:.3f} | {p.balance:.2f} | {p.compute_us:,.0f} | {p.neighbours} "
            f"| {p.sending_us:.0f} | {p.kb:.1f} | {p.transfer_us:.0f}{hidden} | {p.reduction_us:.0f} "
            f"| {pair(p.best_us / p.period_us, p.worst_us / p.period_us, ',.0f')} | {pair(worst, best, '.3g')} "
            f"| {pair(worst / p.ranks, best / p.ranks, '.0%')} | {old.sending_us:.0f} | {pair(*old.speed_up(base), '.3g')} |"
        )


def best_division(program, config, count, sets, one_rank):
    """Of both policies the one that the model finds faster; None: too many ranks."""
    fabric, loads, hops_per_us, state_mib, _ = one_rank
    both = [divide(program, config, count, policy, *sets) for policy in ("blocks", "metis")]
    return min(
        (d for d in both if d),
        default=None,
        key=lambda d: model.predict(model.CLUSTER, fabric, d, loads, hops_per_us, state_mib).worst_us,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("config", help="a configuration, or 1024 or 24576: the permutations of ranks.py")
    parser.add_argument("--ranks", default="2,4,8,16,32,64,128,256,512,1024,1536")
    parser.add_argument("--verify", default="", help="ranks to run, such as 2,3,4,8")
    parser.add_argument("--set", action="append", default=[], help="key=value, laid over the configuration")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the result of one rank; used again where it is there")
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)
    with tempfile.TemporaryDirectory() as temporary:
        folder, config = pathlib.Path(temporary), pathlib.Path(arguments.config)
        if arguments.config.isdigit():
            config = folder / f"permutation_{arguments.config}.toml"
            config.write_text(ranks.configuration(int(arguments.config)))
        sets = [word for assignment in arguments.set for word in ("--set", assignment)]
        result = (arguments.keep or folder) / f"{config.stem}.h5"
        if not result.exists():
            run(program, config, 1, result, "--set", 'output.series_interval="10 us"', *sets)
        one_rank = read_run(result)
        fabric, loads, hops_per_us, state_mib, simulated_us = one_rank
        print(
            f"{fabric.endpoints} GPUs, {simulated_us:.0f} us: {hops_per_us:,.0f} packet-hops per us, {state_mib:.0f} MiB of "
            "state; packets per us and link: " + ", ".join(f"{tier} {load:.2f}" for tier, load in loads.items())
        )

        if two := divide(program, config, 2, "metis", *sets):
            p = model.predict(model.MEASURED, fabric, two, loads, hops_per_us, state_mib)
            base = model.alone(model.MEASURED, hops_per_us, state_mib)
            print(
                f"2 ranks on the machine of measured.md: speed-up {pair(*p.speed_up(base), '.2f')}, waiting {p.idle:.1%}, "
                f"{p.kb:.1f} KB per period and rank"
            )
        if arguments.verify:
            verify(program, config, map(int, arguments.verify.split(",")), sets, one_rank, folder)
        divisions = [best_division(program, config, int(n), sets, one_rank) for n in arguments.ranks.split(",")]
        if known := [division for division in divisions if division]:
            cpu_table(model.CLUSTER, model.CLUSTER_BY_RANKS, one_rank, known)


if __name__ == "__main__":
    main()
