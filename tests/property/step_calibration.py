"""Random training jobs that are small enough to be simulated whole: does the step lie within what its parts say?

    python3 tests/property/step_calibration.py --jobs 200          # HEDDLE names the program
    python3 tests/property/step_calibration.py --jobs 200 --pairs  # each with a setting or two changed, too: does the difference?
    python3 tests/property/step_calibration.py --jobs 200 --far    # stages far apart: rank_order = "tp-cp-dp-pp"
    python3 tests/property/step_calibration.py --jobs 200 --deep   # one stage of 4 to 8 layers, of which fewer are simulated
    python3 tests/property/step_calibration.py --jobs 200 --failures  # each with a failure in a layer's collective: how much longer?
    python3 tests/property/step_calibration.py --jobs 200 --slow   # slow GPUs, jitter; with --pairs also: what do they cost?
    python3 tests/property/step_calibration.py --jobs 200 --computing  # jobs that mostly compute, as large ones do
    python3 tests/property/step_calibration.py --jobs 200 --experts --most-gpus 1024

Every job is drawn from its seed, as large jobs are laid out: racks and zones, spread evenly over their paths (what `heddle step` refuses
is not drawn), of which layers compute a quarter of to four times what their parameters take on a NIC. 95 % of the times, and of all values, must lie within.
"""

from __future__ import annotations

import argparse
import copy
import functools
import pathlib
import random
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import heddle
import heddle.step
from heddle.step.parts import ALONE
from heddle.step.reading import step_of

NIC_BYTES_PER_S = 50e9
GPUS_PER_SERVER = 8  # job.gpus_per_server
MUST_BE_WITHIN = 0.95
MAX_GPUS_WITH_FAILURE = 128
MIN_HIDDEN = 1024  # of draw()
MOST_GPUS = 256


@dataclass
class Judged:
    """One value of one step: how far outside of its interval it is, how far from both estimates, and half the interval; of the time."""

    seed: int
    value: str
    outside: float
    beyond: float
    half: float


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


CHANGES = (_other_dcqcn, _other_dcqcn, _other_routing, _other_queue_pairs, _other_uplinks, _other_rates)


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


def made_even(tree: dict, _: int) -> dict | None:
    """The same job without slow GPUs. None: it has jitter, with which steps are no pair."""
    new = copy.deepcopy(tree)
    training = new["job"][0]["training"]
    for key in ("slow_ranks", "slow_by"):
        training.pop(key, None)
    return None if "jitter" in training else new


def judge(seed: int, max_packet_hops: float, of_seed: Callable[[int], dict | None] = draw) -> list[Judged]:
    """Of every value that the step has. Empty where there is none, or for a step that takes more packet-hops."""
    tree = of_seed(seed)
    if tree is None:
        return []
    config = heddle.Config(tree)
    if heddle.step.packet_hops(config) > max_packet_hops:
        return []
    with tempfile.TemporaryDirectory(prefix="heddle_step_") as folder:
        found, truth = _both_ways(config, pathlib.Path(folder))
    return [
        _judged(seed, name, truth[name], (value.low_ps, value.high_ps), (value.alone_ps, value.together_ps), truth["time"])
        for name, value in found.values.items()
        if truth[name] > 0 and not _is_given(name, value.low_ps, value.high_ps)
    ]


def draw_pair(seed: int, most_gpus: int = MOST_GPUS) -> dict:
    """The first of a pair: a job of draw(), draw_far() or draw_deep()."""
    if random.Random(f"order {seed}").random() < 0.3:
        return draw_far(seed, most_gpus) or draw_deep(seed, most_gpus) or draw(seed, most_gpus)
    return draw_deep(seed, most_gpus) or draw(seed, most_gpus)


def judge_difference(
    seed: int,
    max_packet_hops: float,
    of_seed: Callable[[int], dict | None] = draw_pair,
    change: Callable[[dict, int], dict | None] = changed,
) -> list[Judged]:
    """Of the differences that changed settings make to every value. Empty for steps that take more packet-hops."""
    one = of_seed(seed)
    other = None if one is None else change(one, seed)
    if one is None or other is None:
        return []
    configs = [heddle.Config(tree) for tree in (one, other)]
    if any(heddle.step.packet_hops(config) > max_packet_hops for config in configs):
        return []
    with tempfile.TemporaryDirectory(prefix="heddle_step_") as folder:
        places = [pathlib.Path(folder, name) for name in ("one", "other")]
        (first, truth), (second, truth_of_second) = (_both_ways(config, place) for config, place in zip(configs, places))
        compared = heddle.step.compare([place / "parts" for place in places]).others[0]
    if compared.unpaired:
        raise AssertionError(f"seed {seed}: {compared.unpaired}; CHANGES and JUDGED of heddle.step.comparing do not agree")
    return [
        _judged(
            seed,
            name,
            truth_of_second[name] - truth[name],
            (difference.low_ps, difference.high_ps),
            [getattr(second.values[name], how) - getattr(first.values[name], how) for how in ("alone_ps", "together_ps")],
            truth["time"],
        )
        for name, difference in compared.differences.items()
        if not _is_given(name, difference.low_ps, difference.high_ps)
    ]


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


def judge_failure(seed: int, max_packet_hops: float) -> list[Judged]:
    """How much longer a step takes with a failure. Empty for steps that take more packet-hops, and where no collective in the whole lasts until
    the failure begins."""
    drawn = draw_failure(seed)
    if drawn is None:
        return []
    config = heddle.Config(drawn.tree)
    if heddle.step.packet_hops(config) > max_packet_hops:
        return []
    with tempfile.TemporaryDirectory(prefix="heddle_step_") as name:
        place = pathlib.Path(name)
        healthy, _ = _both_ways(config, place)
        times = healthy.layers[ALONE][drawn.kind].times_ps
        at_ps = int(drawn.share * sum(times) / len(times))
        whole = heddle.open(place / "whole.h5")
        begins_ps = _begins_ps(whole, drawn, at_ps, random.Random(f"moment {seed}"))
        if begins_ps is None:
            return []
        cost = heddle.step.step(config, place / "parts", failures=[drawn.table(at_ps)], jobs=1).failures[0]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", heddle.NotComplete)
            met = heddle.run(config, place / "met.h5", {"failure": [drawn.table(begins_ps + at_ps)]}, threads=1)
    if met.attrs["status"] == "qp_failed" or cost.ends_job:
        agree = met.attrs["status"] == "qp_failed" and bool(cost.ends_job)
        return [Judged(seed, "time", outside=0.0 if agree else 1.0, beyond=0.0, half=0.0)]
    healthy_ps, met_ps = float(whole.attrs["end_ps"]), float(met.attrs["end_ps"])
    delays = [ps[-1] for kinds in cost.longer_ps.values() for ps in kinds.values()]
    return [_judged(seed, "time", met_ps - healthy_ps, cost.step_ps, [0.0, *delays], healthy_ps)]


def _begins_ps(whole: heddle.Run, drawn: Failing, at_ps: int, chance: random.Random) -> int | None:
    """When one of the collectives begins that the failure is to meet, and that take longer than `at_ps`."""
    ranks = whole.communicators()
    ours = set(ranks[(ranks.node == drawn.gpu) & (ranks.group == "data")].communicator)
    rows = whole.collectives()
    rows = rows[rows.communicator.isin(ours) & (rows.kind == drawn.kind)]
    rows = rows[(rows.bytes == rows.bytes.max()) & (rows.finish_ps - rows.last_enter_ps > at_ps)]
    return int(chance.choice(sorted(rows.last_enter_ps))) if len(rows) else None


def _is_given(name: str, low_ps: float, high_ps: float) -> bool:
    """What GPUs compute that are equally fast, which no simulation finds out."""
    return name == "computing" and low_ps == high_ps


def _both_ways(config: heddle.Config, place: pathlib.Path) -> tuple[heddle.step.Estimate, dict[str, float]]:
    """A step by its parts and simulated whole."""
    place.mkdir(exist_ok=True)
    found = heddle.step.step(config, place / "parts", jobs=1)
    return found, step_of(heddle.run(config, place / "whole.h5", threads=1))


def _judged(
    seed: int, name: str, truth: float, interval: tuple[float, float], estimates: Sequence[float], step_ps: float
) -> Judged:
    outside, beyond = (_distance(truth, *ends) for ends in (interval, (min(estimates), max(estimates))))
    return Judged(seed, name, outside / step_ps, beyond / step_ps, (interval[1] - interval[0]) / 2 / step_ps)


def _distance(value: float, low: float, high: float) -> float:
    return max(0.0, low - value, value - high)


def verdict(judged: list[Judged]) -> tuple[str, bool]:
    """A table (but for `within` in parts of the step's time), and whether enough lie within: of the steps' times, and of all values together."""
    lines = ["value      number   within          worst outside  beyond both estimates: median, 95 %  half of the interval, median"]
    for name in dict.fromkeys(each.value for each in judged):
        of_value = [each for each in judged if each.value == name]
        within = sum(each.outside == 0 for each in of_value) / len(of_value)
        worst = max(of_value, key=lambda each: each.outside)
        half, beyond = (sorted(getattr(each, what) for each in of_value) for what in ("half", "beyond"))
        middle, most = len(of_value) // 2, min(len(of_value) - 1, int(MUST_BE_WITHIN * len(of_value)))
        where = f" (seed {worst.seed})" if worst.outside else ""
        lines.append(
            f"{name:<10} {len(of_value):>6}  {100 * within:5.1f} %  {f'{100 * worst.outside:.2f} %{where}':>21}  "
            f"{f'{100 * beyond[middle]:.2f} %, {100 * beyond[most]:.2f} %':>35}  {100 * half[middle]:26.2f} %"
        )
    times = [each for each in judged if each.value == "time"]
    enough = [sum(each.outside == 0 for each in some) >= MUST_BE_WITHIN * len(some) > 0 for some in (times, judged)]
    return "\n".join(lines), all(enough)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=50, help="how many seeds (50)")
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--most-packet-hops", type=float, default=5e7, help="larger steps are left out (5e7)")
    parser.add_argument(
        "--most-gpus",
        type=int,
        default=MOST_GPUS,
        help=f"of a job ({MOST_GPUS}); where that is more, no job has fewer than {MOST_GPUS}",
    )
    parser.add_argument("--pairs", action="store_true", help="judge the differences that a changed setting or two make")
    kinds = parser.add_mutually_exclusive_group()
    for kind, what in (
        (draw_far, "stages are far apart"),
        (draw_deep, "one stage has more layers"),
        (draw_computing, "layers compute 4 to 16 times as long"),
        (draw_slow, "GPUs are slow, or late by chance"),
        (draw_experts, "replicas exchange tokens"),
        (draw_wide, "context parallelism crosses the network"),
    ):
        name = kind.__name__.removeprefix("draw_")
        kinds.add_argument(f"--{name}", dest="kind", action="store_const", const=kind, help=f"jobs in which {what}")
    kinds.add_argument("--failures", action="store_true", help="judge how much longer a step takes with a failure in it")
    options = parser.parse_args()
    of_seed = functools.partial(options.kind or (draw_pair if options.pairs else draw), most_gpus=options.most_gpus)
    judged: list[Judged] = []
    for seed in range(options.first_seed, options.first_seed + options.jobs):
        if options.failures:
            judged += judge_failure(seed, options.most_packet_hops)
        elif options.pairs:
            change = made_even if options.kind is draw_slow else changed
            judged += judge_difference(seed, options.most_packet_hops, of_seed, change)
        else:
            judged += judge(seed, options.most_packet_hops, of_seed)
        print(f"\r{seed - options.first_seed + 1} of {options.jobs}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    text, well = verdict(judged)
    print(text)
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
