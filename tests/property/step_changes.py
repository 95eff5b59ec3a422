"""What one of a pair of steps has that the other has not: the settings that step_calibration.py changes, drawn from the pair's seed."""

from __future__ import annotations

import copy
import random

# A port's part of a switch's shared buffer: of Tomahawk 5 (165.2 MiB for 128 ports of 400G, FBOSS), and half of it
PORT_BUFFER_BYTES = (1_350_000, 675_000)
RTSW_BUFFERS = ("64 MiB", "173224755 B")  # of Tomahawk 3 and 5 (FBOSS: 64 and 165.2 MiB); not set, it is that of Tomahawk 4


def changed(tree: dict, seed: int) -> dict | None:
    """The configuration of a seed with one or two other settings, as who compares fabrics would choose them. None: there is no such fabric, or
    nothing is left that differs."""
    chance = random.Random(f"change {seed}")
    new = copy.deepcopy(tree)
    for change in chance.sample(CHANGES, chance.choice((1, 1, 1, 2))):
        if not change(new, chance):
            return None
    return new if new != tree else None


def _other_dcqcn(tree: dict, _: random.Random) -> bool:
    tree["dcqcn"]["enabled"] = not tree["dcqcn"]["enabled"]
    return True


def _other_routing(tree: dict, chance: random.Random) -> bool:
    policy = chance.choice([each for each in ("e_ecmp", "spray", "adaptive") if each != tree["routing"]["policy"]])
    tree["routing"]["policy"] = policy
    tree["roce"]["recovery"] = "go_back_n" if policy == "e_ecmp" else "selective_repeat"
    return True


def _other_queue_pairs(tree: dict, chance: random.Random) -> bool:
    job = tree["job"][0]
    if chance.random() < 0.5:
        job["qps_per_connection"] = {4: 16, 16: 4}[job["qps_per_connection"]]
    else:
        job["qp_scaling"] = {"split": "round_robin", "round_robin": "split"}[job["qp_scaling"]]
    return True


def _other_uplinks(tree: dict, _: random.Random) -> bool:
    topology = tree["topology"]
    halve = topology["uplinks_per_rtsw"] >= topology["gpus_per_rack"]
    for key in ("uplinks_per_rtsw", "ctsws"):
        topology[key] = topology[key] // 2 if halve else topology[key] * 2
    uplinks, spines = topology["uplinks_per_rtsw"], topology["ctsws"]
    return spines >= 1 and uplinks % spines == 0 and uplinks * 2 >= topology["gpus_per_rack"]


def _other_rates(tree: dict, chance: random.Random) -> bool:
    rate = chance.choice(("200 Gb/s", "800 Gb/s"))
    tiers = ("host", "rtsw_ctsw", "ctsw_atsw") if tree["topology"]["kind"] == "multi_zone" else ("host", "rtsw_ctsw")
    tree["link"] = {f"{tier}_rate": rate for tier in tiers}
    return True


def _other_buffers(tree: dict, chance: random.Random) -> bool:
    """Spines with a shared buffer instead of 500 MB a port, or racks' switches of another generation."""
    topology = tree["topology"]
    if chance.random() < 0.2:
        tree["buffer"] = {"rtsw": {"bytes": chance.choice(RTSW_BUFFERS)}}
        return True
    racks, above = topology["racks"], topology.get("uplinks_per_ctsw", 0)
    ports = {"ctsw": racks * topology["uplinks_per_rtsw"] // topology["ctsws"] + above}
    if above and chance.random() < 0.5:
        ports["atsw"] = topology["zones"] * topology["ctsws"] * above // topology["atsws"]
    of_port = chance.choice(PORT_BUFFER_BYTES)
    tree["buffer"] = {tier: {"kind": "shared", "bytes": f"{count * of_port} B"} for tier, count in ports.items()}
    return True


CHANGES = (_other_dcqcn, _other_dcqcn, _other_routing, _other_queue_pairs, _other_uplinks, _other_rates, _other_buffers)


def made_even(tree: dict, _: int) -> dict | None:
    """The same job without slow GPUs. None: it has jitter, with which steps are no pair."""
    new = copy.deepcopy(tree)
    training = new["job"][0]["training"]
    for key in ("slow_ranks", "slow_by"):
        training.pop(key, None)
    return None if "jitter" in training else new
