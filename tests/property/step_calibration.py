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
from step_changes import changed, made_even
from step_jobs import (
    MOST_GPUS,
    Failing,
    draw,
    draw_computing,
    draw_deep,
    draw_experts,
    draw_failure,
    draw_far,
    draw_pair,
    draw_slow,
    draw_wide,
)

MUST_BE_WITHIN = 0.95


@dataclass
class Judged:
    """One value of one step: how far outside of its interval it is, how far from both estimates, and half the interval; of the time."""

    seed: int
    value: str
    outside: float
    beyond: float
    half: float


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
        raise AssertionError(
            f"seed {seed}: {compared.unpaired}; step_changes.CHANGES and heddle.step.comparing.JUDGED do not agree"
        )
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
    refused = 0
    change = made_even if options.kind is draw_slow else changed
    for seed in range(options.first_seed, options.first_seed + options.jobs):
        try:
            if options.failures:
                judged += judge_failure(seed, options.most_packet_hops)
            elif options.pairs:
                judged += judge_difference(seed, options.most_packet_hops, of_seed, change)
            else:
                judged += judge(seed, options.most_packet_hops, of_seed)
        except heddle.step.NotInParts:  # draw_far() does not know all that `heddle step` refuses
            refused += 1
        print(f"\r{seed - options.first_seed + 1} of {options.jobs}", end="", file=sys.stderr, flush=True)
    print(f"\n{refused} that heddle step refuses are left out" if refused else "", file=sys.stderr)
    text, well = verdict(judged)
    print(text)
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
