"""A small training job whose step has parts, and fabrics and jobs without a file."""

import heddle
from heddle.step.fabric import Fabric
from heddle.step.job import Job
from heddle.step.parts import TRAINING
from small_runs import HEDDLE, ROOT

CONFIG = str(ROOT / "configs/training.toml")
SMALL = {f"{TRAINING}.layers": 4, f"{TRAINING}.iterations": 1, "output.series_interval": "0 ps"}


def fabric(zones, racks, gpus_per_rack, ctsws, atsws, uplinks_per_ctsw):
    return Fabric("multi_zone", zones, racks, gpus_per_rack, ctsws, ctsws, atsws, uplinks_per_ctsw)


def job(gpus, stages, stage_gpus=8, server=8):
    return Job(gpus, 0, server, stages, stage_gpus, 1, 4, True)


def tree_of(changes):
    """Of the small training job with changes, every default filled in."""
    return heddle.Config(CONFIG, {**SMALL, **changes}).resolved(HEDDLE).tree
