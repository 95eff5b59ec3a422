"""A small training job whose step has parts; fabrics and jobs without a file; steps that nobody has simulated."""

import dataclasses
import functools

import heddle
from heddle.step.fabric import Fabric
from heddle.step.job import Job
from heddle.step.parts import TRAINING
from heddle.step.quoting import Rates
from heddle.step.reading import FORMAT
from small_runs import HEDDLE, ROOT

CONFIG = str(ROOT / "configs/training.toml")
SMALL = {f"{TRAINING}.layers": 4, f"{TRAINING}.iterations": 1, "output.series_interval": "0 ps"}

# A model so small that its parts take moments.
TINY = {
    **SMALL,
    **{f"{TRAINING}.{name}": size for name, size in (("layers", 2), ("hidden", 1024), ("ffn_hidden", 2048), ("vocabulary", 4096))},
    **{f"{TRAINING}.{name}": size for name, size in (("attention_heads", 8), ("sequence_length", 512))},
}


def fabric(zones, racks, gpus_per_rack, ctsws, atsws, uplinks_per_ctsw):
    return Fabric("multi_zone", zones, racks, gpus_per_rack, ctsws, ctsws, atsws, uplinks_per_ctsw)


def job(gpus, stages, stage_gpus=8, server=8):
    return Job(gpus, 0, server, stages, stage_gpus, 1, 4, True)


def tree_of(changes):
    """Of the small training job with changes, every default filled in."""
    return heddle.Config(CONFIG, {**SMALL, **changes}).resolved(HEDDLE).tree


@functools.cache
def whole_tree():
    return tree_of({"job.0.qp_scaling": "split"})


def said(time, data, **changes):
    """What a step.json holds of a step in which nobody waits but for data: each value as (alone, together). `changes`: TRAINING's keys
    and others with __ for the point."""
    values = {"time": time, "computing": (100, 100), "data": data}
    config = heddle.Config(whole_tree(), {key.replace("__", "."): value for key, value in changes.items()})
    return {
        "format": FORMAT,
        "axes": {},
        "parts": {"layer": {"alone": "layer/0.h5"}, "pipeline": {"alone": "pipeline/0.h5", "together": "pipeline/1.h5"}},
        "gpus": config["job.0.gpus"],
        "job": dataclasses.asdict(Job.of(config.tree, 64)),
        "method": "by parts",
        "margins": {},
        "marked_parts": [],
        "rates": dataclasses.asdict(Rates()),
        "layers_ps": {},
        "packet_hops_simulated": 1,
        "packet_hops_whole": 2.0,
        "values_ps": {
            name: {"low": max(0, min(ends) - 300), "high": max(ends) + 300, "alone": ends[0], "together": ends[1]}
            for name, ends in values.items()
        },
        "config": config.tree,
    }
