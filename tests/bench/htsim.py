#!/usr/bin/python3
"""The same flows on the same fabric in htsim and in Heddle, in turn, one core each: how many times faster is it?

    tests/bench/htsim.py build/cpu/bin/heddle HTSIM_ROCE                     # 128 and 1,024 hosts
    tests/bench/htsim.py build/cpu/bin/heddle HTSIM_ROCE --hosts 24576 --packets 100 --repeat 1

HTSIM_ROCE: the program htsim_roce of github.com/Broadcom/csg-htsim (sim/datacenter, `make`).

Each host sends one message to another (one random cycle) through leaves and spines at 400 Gb/s, 1 us a link, an ACK for
every packet, PFC, no congestion control, ECMP: what tests/validation replays to the picosecond along htsim's own paths.
Here each simulator hashes by itself, htsim anew in every run, so that paths, and with them pauses, differ. A second row
of Heddle has the same flows with every feature on (DCQCN, ECN, ACKs in a class of their own, one for 16 packets).

Seconds are those of the whole process, set-up included, the median of its runs. Packet-hops of htsim are counted from
the flows: every data packet and its ACK pass every link of their way once, as nothing is sent twice.
"""

import argparse
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

import h5py

PAYLOAD_BYTES = 4096
HIGH_PACKETS, LOW_PACKETS = 200, 150  # of htsim's PFC
HOSTS_PER_LEAF = {128: 8, 1024: 32, 24576: 96}
END_US = 1_000_000  # far beyond what any case takes


def leaf_of(hosts):
    """Hosts of a leaf; there are as many spines."""
    per_leaf = HOSTS_PER_LEAF.get(hosts) or next(n for n in range(int(hosts**0.5), 0, -1) if hosts % n == 0)
    if per_leaf < 2 or hosts // per_leaf < 2:
        sys.exit(f"--hosts {hosts}: no leaves of equal size can be made of so many; try 128, 1024 or 24576")
    return per_leaf


def permutation(hosts, seed):
    """Whom each host sends to: one cycle through all."""
    order = list(range(hosts))
    random.Random(seed).shuffle(order)
    return {order[i - 1]: order[i] for i in range(hosts)}


def packet_hops(flows, per_leaf, packets):
    """Of data and of as many ACKs."""
    return 2 * packets * sum(2 if src // per_leaf == dst // per_leaf else 4 for src, dst in flows.items())


def htsim_files(hosts, per_leaf, flows, packets, folder):
    """The command that runs them."""
    topology, matrix = folder / "fabric.topo", folder / "flows.cm"
    topology.write_text(
        f"Nodes {hosts}\nTiers 2\nPodsize {hosts}\n\n"
        f"Tier 0\nDownlink_speed_Gbps 400\nRadix_Down {per_leaf}\nRadix_Up {per_leaf}\n"
        "Downlink_Latency_ns 1000\nSwitch_Latency_ns 0\n\n"
        f"Tier 1\nDownlink_speed_Gbps 400\nRadix_Down {hosts // per_leaf}\n"
        "Downlink_Latency_ns 1000\nSwitch_Latency_ns 0\n"
    )
    lines = [
        f"{src}->{dst} id {number} start 0 size {packets * PAYLOAD_BYTES}"
        for number, (src, dst) in enumerate(sorted(flows.items()), 1)
    ]
    matrix.write_text("\n".join([f"Nodes {hosts}", f"Connections {hosts}", *lines]) + "\n")
    options = (
        f"-nodes {hosts} -linkspeed 400000 -mtu {PAYLOAD_BYTES} -q 100000 -strat ecmp_host -paths 1 "
        f"-queue_type lossless_input -pfc_thresholds {LOW_PACKETS} {HIGH_PACKETS} -seed 13 -end {END_US}"
    )
    log = folder / "log.dat"
    return ["-topo", str(topology), "-tm", str(matrix), *options.split(), "-o", str(log)]


def heddle_config(hosts, per_leaf, flows, packets, full):
    """As TOML. `full`: every feature on; else what htsim has."""
    text = f"""
[simulation]
horizon = "{END_US} us"
[topology]
kind = "ai_zone"
racks = {hosts // per_leaf}
gpus_per_rack = {per_leaf}
ctsws = {per_leaf}
uplinks_per_rtsw = {per_leaf}
[link]
host_propagation = "1 us"
rtsw_ctsw_propagation = "1 us"
[routing]
policy = "ecmp"
[workload]
jitter_packets = 0
[output]
series_interval = "0 s"
"""
    if full:
        text += '[dcqcn]\nenabled = true\npreset = "connectx"\n'
    else:
        text += """
[roce]
data_overhead = 64
reth = 0
ack_wire = 64
ack_every = 1
ack_high_priority = false
[ecn]
enabled = false
[dcqcn]
enabled = false
[class.control]
limit = 0
[pfc]
allow_unsafe_headroom = true
"""
        for tier in ("rtsw", "ctsw"):
            text += (
                f"[buffer.{tier}]\nkind = 'static'\nbytes = '1 GB'\ncell = 64\n"
                f"xoff = {HIGH_PACKETS * PAYLOAD_BYTES + 1}\nxon = {LOW_PACKETS * PAYLOAD_BYTES - 1}\n"
            )
    for src, dst in sorted(flows.items()):
        text += f"[[message]]\nsrc = {src}\ndst = {dst}\nbytes = {packets * PAYLOAD_BYTES}\n"
    return text


def timed(command, folder):
    begin = time.perf_counter()
    run = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    seconds = time.perf_counter() - begin
    if run.returncode != 0:
        said = (run.stderr or run.stdout).strip()[-2000:]
        sys.exit(f"{' '.join(map(str, command))}\nended with exit code {run.returncode}: {said}")
    return seconds, run.stdout


def run_htsim(program, options, flows, folder):
    seconds, said = timed([program, *options], folder)  # it leaves files where it runs
    finished = said.count("finished at")
    if finished != flows:
        sys.exit(f"htsim finished {finished} of {flows} flows: what it took says nothing; is {program} htsim_roce?")
    if re.search(r"\bRtx: *[1-9]", said):
        sys.exit("htsim sent packets twice, so its packet-hops are not those of the flows: are its buffers too small?")
    return seconds


def run_heddle(program, config, flows, folder):
    """(seconds, packet-hops)"""
    result = folder / "run.h5"
    seconds, _ = timed([program, "run", config, "-q", "--force", "--threads", "1", "-o", result], folder)
    with h5py.File(result) as file:
        status, acked = file.attrs["status"], int((file["message/acked_ps"][()] >= 0).sum())
        if status != "complete" or acked != flows:
            sys.exit(f"Heddle acknowledged {acked} of {flows} flows (status {status}): what it took says nothing")
        return seconds, int(file["perf"].attrs["packet_hops"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heddle")
    parser.add_argument("htsim", metavar="HTSIM_ROCE")
    parser.add_argument("--hosts", default="128,1024", help="numbers of hosts; default: %(default)s")
    parser.add_argument("--packets", type=int, default=2500, help="of 4 KiB in each message; default: %(default)s")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each; default: %(default)s")
    arguments = parser.parse_args()
    if arguments.repeat < 1 or arguments.packets < 1:
        parser.error("--repeat and --packets are at least 1")
    for program in (arguments.heddle, arguments.htsim):
        if not os.access(program, os.X_OK):
            sys.exit(f"{program}: there is no such program; build Heddle with `cmake --build --preset cpu`, htsim with make")
    heddle, htsim = map(os.path.abspath, (arguments.heddle, arguments.htsim))
    print("  hosts  program                        seconds  packet-hops  Mhops/s  times htsim: by time, by hops/s")
    for hosts in map(int, arguments.hosts.split(",")):
        per_leaf = leaf_of(hosts)
        flows = permutation(hosts, seed=13)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            options = htsim_files(hosts, per_leaf, flows, arguments.packets, folder)
            rows = {"htsim": [], "heddle, as htsim": [], "heddle, every feature on": []}
            configs = {row: folder / f"{number}.toml" for number, row in enumerate(list(rows)[1:])}
            for row, config in configs.items():
                config.write_text(heddle_config(hosts, per_leaf, flows, arguments.packets, full="every" in row))
            hops = packet_hops(flows, per_leaf, arguments.packets)
            for _ in range(arguments.repeat):  # in turn: what else goes on falls on all alike
                rows["htsim"].append((run_htsim(htsim, options, hosts, folder), hops))
                for row, config in configs.items():
                    rows[row].append(run_heddle(heddle, config, hosts, folder))
                counted = rows["heddle, as htsim"][-1][1]
                if counted != hops:
                    sys.exit(f"Heddle counts {counted} packet-hops, not {hops}: the runs are not alike")
        peer_s, peer_hops = statistics.median(seconds for seconds, _ in rows["htsim"]), rows["htsim"][0][1]
        for row, runs in rows.items():
            seconds, hops = statistics.median(seconds for seconds, _ in runs), runs[0][1]
            by_hops = (hops / seconds) / (peer_hops / peer_s)
            print(
                f"{hosts:7}  {row:26} {seconds:11.3f} {hops:12} {hops / seconds / 1e6:8.2f} "
                f"{peer_s / seconds:16.1f} {by_hops:16.1f}"
            )


if __name__ == "__main__":
    main()
