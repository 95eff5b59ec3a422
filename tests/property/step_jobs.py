"""Random training jobs of step_calibration.py, each drawn from its seed: as large jobs are laid out, and small enough to be simulated whole."""

from __future__ import annotations

import copy
import random
from dataclasses import dataclass

NIC_BYTES_PER_S = 50e9
GPUS_PER_SERVER = 8  # job.gpus_per_server
MAX_GPUS_WITH_FAILURE = 128
MIN_HIDDEN = 1024  # of draw()
MOST_GPUS = 256


def draw(seed: int, most_gpus: int = MOST_GPUS) -> dict:
    """A configuration as nested dict, of 16 GPUs or more; where more than MOST_GPUS are asked for, of more."""
    chance = random.Random(seed)
    numbers, least = ((8, 16, 32, 64), MOST_GPUS + 1) if most_gpus > MOST_GPUS else ((2, 4, 8, 16), 16)
    while True:
        tensor, context = chance.choice(((2, 1), (4, 1), (8, 1), (8, 1), (2, 2), (4, 2)))
        stages, replicas = chance.choice((1, 2, 2, 4, 4)), chance.choice(numbers)
        rack, zones = chance.choice((8, 16, 16, 32)), chance.choice((1, 1, 2, 4))
        replica = tensor * context * stages
        gpus = replica * replicas
        if least <= gpus <= most_gpus and gpus % (rack * zones) == 0 and gpus // zones % replica == 0:
            break
    policy = chance.choice(("e_ecmp", "e_ecmp", "e_ecmp", "spray", "adaptive"))
    return {
        "simulation": {"seed": chance.randrange(1000)},
        "topology": _topology(chance, zones, gpus // (rack * zones), rack),
        "routing": {"policy": policy},
        "roce": {"recovery": "go_back_n" if policy == "e_ecmp" else "selective_repeat"},
        "dcqcn": {"enabled": chance.random() < 0.3},
        "job": [
            {
                "gpus": gpus,
                "qps_per_connection": chance.choice((4, 16)),
                "qp_scaling": chance.choice(("split", "round_robin")),
                "training": _training(chance, tensor, context, stages),
            }
        ],
        "output": {"series_interval": "0 ps"},
    }


def _topology(chance: random.Random, zones: int, racks: int, rack: int) -> dict:
    uplinks = int(rack * chance.choice((0.5, 1, 1, 1.125)))
    spines = chance.choice([each for each in (uplinks, uplinks // 2, uplinks // 4) if each and uplinks % each == 0])
    sizes = {"racks": racks, "gpus_per_rack": rack, "ctsws": spines, "uplinks_per_rtsw": uplinks}
    if zones == 1:
        return {"kind": "ai_zone", **sizes}
    above = chance.choice((1, 2, 4, 8))
    atsws = chance.choice([each for each in (1, 2, 4, 8) if above % each == 0])
    return {"kind": "multi_zone", "zones": zones, **sizes, "atsws": atsws, "uplinks_per_ctsw": above}


def _training(chance: random.Random, tensor: int, context: int, stages: int) -> dict:
    chunks = chance.choice((1, 1, 2)) if stages > 1 else 1
    hidden, micro_batches = chance.choice((1024, 2048, 4096)), stages * chance.choice((1, 2, 4))
    ffn_hidden, kv_heads = hidden * chance.choice((3, 4)), chance.choice((8, 16))
    parameters = 2 * hidden**2 + 2 * hidden**2 * kv_heads // 16 + 3 * hidden * ffn_hidden
    sent_s = 2 * parameters / tensor / NIC_BYTES_PER_S  # BF16
    forward_ps = round(1e12 * sent_s * chance.choice((0.25, 0.5, 1, 2, 4)) / micro_batches)
    training = {
        "model": "custom",
        "layers": stages * chunks * chance.choice((1, 2, 3)),
        "hidden": hidden,
        "ffn_hidden": ffn_hidden,
        "attention_heads": 16,
        "kv_heads": kv_heads,
        "vocabulary": chance.choice((1000, 8000, 32000)),
        "experts": 1,
        "experts_per_token": 1,
        "sequence_length": chance.choice((512, 1024, 2048, 4096)),
        "tensor_parallel": tensor,
        "context_parallel": context,
        "pipeline_parallel": stages,
        "virtual_stages": chunks,
        "micro_batches": micro_batches,
        "forward": f"{forward_ps} ps",
        "iterations": chance.choice((1, 2)),
        "data_parallel": chance.choice(("fsdp", "fsdp", "fsdp", "fsdp", "all_reduce")),
    }
    if training["data_parallel"] == "fsdp":
        training["prefetch_layers"] = chance.choice((0, 1, 1, 2))
    return training


def draw_pair(seed: int, most_gpus: int = MOST_GPUS) -> dict:
    """The first of a pair: a job of draw(), draw_far() or draw_deep()."""
    if random.Random(f"order {seed}").random() < 0.3:
        return draw_far(seed, most_gpus) or draw_deep(seed, most_gpus) or draw(seed, most_gpus)
    return draw_deep(seed, most_gpus) or draw(seed, most_gpus)


def draw_far(seed: int, most_gpus: int = MOST_GPUS) -> dict | None:
    """The job of a seed with a stage's replicas as neighbours. None: it has one stage, or stages that share servers."""
    tree = draw(seed, most_gpus)
    job, training = tree["job"][0], tree["job"][0]["training"]
    training["rank_order"] = "tp-cp-dp-pp"
    stages = training["pipeline_parallel"]
    return tree if stages > 1 and job["gpus"] // stages % GPUS_PER_SERVER == 0 else None


def draw_deep(seed: int, most_gpus: int = MOST_GPUS) -> dict | None:
    """The job of a seed with more layers. None: it has several stages."""
    tree = draw(seed, most_gpus)
    training = tree["job"][0]["training"]
    training["layers"] = random.Random(f"layers {seed}").choice((4, 6, 8))
    return tree if training["pipeline_parallel"] == 1 else None


def draw_computing(seed: int, most_gpus: int = MOST_GPUS) -> dict | None:
    """The job of a seed whose layers compute 4 to 16 times as long. None: it has one stage."""
    tree = draw(seed, most_gpus)
    training = tree["job"][0]["training"]
    longer = random.Random(f"computing {seed}").choice((4, 8, 16))
    training["forward"] = f"{int(training['forward'].split()[0]) * longer} ps"
    return tree if training["pipeline_parallel"] > 1 else None


def draw_slow(seed: int, most_gpus: int = MOST_GPUS) -> dict:
    """A job of draw_pair() with slow GPUs, jitter, or both."""
    tree, chance = draw_pair(seed, most_gpus), random.Random(f"slow {seed}")
    training = tree["job"][0]["training"]
    slow = chance.choice((0, 0, 1, 1, 1, 2, 4))
    if slow:
        training["slow_ranks"] = sorted(chance.sample(range(tree["job"][0]["gpus"]), slow))
        training["slow_by"] = chance.choice((0.03, 0.1, 0.3, 1.0))
    if not slow or chance.random() < 0.3:
        training["jitter"] = chance.choice((0.01, 0.03, 0.1, 0.3))
    return tree


def draw_experts(seed: int, most_gpus: int = MOST_GPUS) -> dict | None:
    """A job of draw_pair() with experts; some have no tensor parallelism, as is usual then. None: its replicas are too few."""
    tree, chance = draw_pair(seed, most_gpus), random.Random(f"experts {seed}")
    job, training = tree["job"][0], tree["job"][0]["training"]
    tensor, context = training["tensor_parallel"], training["context_parallel"]
    if context * training["pipeline_parallel"] > 1 and chance.random() < 0.5:
        training["tensor_parallel"] = 1
        training["forward"] = f"{int(training['forward'].split()[0]) * tensor} ps"
    replicas = job["gpus"] // (training["tensor_parallel"] * context * training["pipeline_parallel"])
    sizes = [each for each in (2, 4, 8, 16, 32) if each < replicas * context and max(1, each // context) < replicas]
    if not sizes:
        return None
    training["expert_parallel"] = chance.choice(sizes)
    training["experts"] = training["expert_parallel"] * chance.choice((1, 1, 2))
    training["experts_per_token"] = chance.choice((1, 2, 2))
    training["ffn_hidden"] //= chance.choice((1, 2, 4))
    return tree


def draw_wide(seed: int, most_gpus: int = MOST_GPUS) -> dict | None:
    """A job of draw_pair() with context parallelism over several servers. None: its replicas are too few, or lie in two zones."""
    tree = draw_pair(seed, most_gpus)
    gpus, zones, training = tree["job"][0]["gpus"], tree["topology"].get("zones", 1), tree["job"][0]["training"]
    training["context_parallel"] *= random.Random(f"wide {seed}").choice((2, 4, 8))
    stage = training["context_parallel"] * training["tensor_parallel"]
    replica = stage * training["pipeline_parallel"]
    return tree if stage > GPUS_PER_SERVER and gpus >= 2 * replica and gpus // zones % replica == 0 else None


@dataclass
class Failing:
    """A job that trains one step, and a failure within a layer's collective of this kind that `gpu` takes part in: [[failure]] without times,
    after which share of the collective it begins, and how long it lasts (ps; 0: for ever)."""

    tree: dict
    failure: dict
    kind: str
    gpu: int
    share: float
    lasts_ps: int

    def table(self, begins_ps: int) -> dict:
        until = {"until": f"{begins_ps + self.lasts_ps} ps"} if self.lasts_ps else {}
        return {**self.failure, "at": f"{begins_ps} ps", **until}


def draw_failure(seed: int) -> Failing | None:
    """None: the job has more GPUs than are worth it."""
    tree, chance = draw_pair(seed), random.Random(f"failure {seed}")
    job, topology, training = tree["job"][0], tree["topology"], tree["job"][0]["training"]
    if job["gpus"] > MAX_GPUS_WITH_FAILURE:
        return None
    _shrink(training)
    detect_us = chance.choice((0, 20, 200))
    tree["failures"] = {"detect": f"{detect_us} us", "converge": f"{detect_us * chance.choice((1, 5))} us"}
    tree["roce"]["timers"] = chance.choice(("nccl", "short"))
    gpu = chance.randrange(job["gpus"])
    rack = gpu // topology["gpus_per_rack"]
    spine = rack // topology["racks"] * topology["ctsws"] + chance.randrange(topology["ctsws"])
    uplink = {"link": [f"rtsw{rack}", f"ctsw{spine}"]}
    failure = chance.choice(
        (
            {"node": f"ctsw{spine}"},
            uplink,
            {**uplink, "kind": "rate", "rate": chance.choice(("50 Gb/s", "100 Gb/s", "200 Gb/s"))},
            {**uplink, "kind": "bit_errors", "bit_error_rate": chance.choice((1e-8, 1e-7, 1e-6))},
            {"node": f"gpu{gpu}"},
            {"node": f"rtsw{rack}"},
        )
    )
    cuts_off = failure.get("node", "ctsw")[:4] != "ctsw"
    lasts_us = chance.choice((20, 200, 2000) if cuts_off else (0, 0, 20, 200, 2000))
    gathers = training["data_parallel"] == "fsdp" and chance.random() < 0.5
    kind = "all_gather" if gathers else "reduce_scatter" if training["data_parallel"] == "fsdp" else "all_reduce"
    return Failing(tree, failure, kind, gpu, chance.random() * 0.9, lasts_us * 10**6)


def _shrink(training: dict) -> None:
    """Makes a step short. What layers compute keeps its proportion to what they send."""
    smaller = training["hidden"] // MIN_HIDDEN
    training["hidden"], training["ffn_hidden"] = MIN_HIDDEN, training["ffn_hidden"] // smaller
    training["forward"] = f"{int(training['forward'].split()[0]) // smaller**2} ps"
    training["vocabulary"], training["sequence_length"], training["iterations"] = 1000, 512, 1
