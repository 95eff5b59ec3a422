"""What is simulated instead of a whole step: changes to its configuration, by dotted key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from heddle.step.fabric import Fabric, alone, of_replica, together
from heddle.step.job import Job

TRAINING = "job.0.training"
HIDDEN_OF_MODELS = 4096  # the least of those that have a name
ALONE, TOGETHER = "alone", "together"


@dataclass(frozen=True)
class Parts:
    """Of a configuration that has them. Every one is a dict of changes to it."""

    job: Job
    layer: dict[str, dict[str, Any]]  # ALONE and TOGETHER: one stage's layer; where links are not divided, a layer of every stage
    pipeline: dict[str, Any]  # of one replica; what a layer takes is to be added
    divided: bool  # whether TOGETHER is a stage on its part of the links


def parts_of(tree: dict[str, Any]) -> Parts:
    """Of a configuration with every default. Raises NotInParts."""
    fabric = Fabric.of(tree["topology"])
    job = Job.of(tree, fabric.zones * fabric.gpus_per_zone)
    part = together(fabric, job)
    one_layer = _one_layer(tree["job"][0]["training"])
    layer = {ALONE: {**_stage(job, alone(fabric, job), fabric), **one_layer}}
    if job.stages > 1:
        every_stage = {f"{TRAINING}.layers": job.stages}  # on the whole fabric
        layer[TOGETHER] = {**(every_stage if part is None else _stage(job, part, fabric)), **one_layer}
    return Parts(job, layer, _replica(job, of_replica(fabric, job), fabric), part is not None)


def _stage(job: Job, part: Fabric, whole: Fabric) -> dict[str, Any]:
    """One layer of one stage: its GPUs are all that there are, in as many servers as before."""
    return {
        **part.changes(whole),
        "job.0.gpus": job.gpus // job.stages,
        "job.0.first_gpu": job.first_gpu // job.stages,
        "job.0.gpus_per_server": job.gpus_of_stage_in_server(),
        f"{TRAINING}.pipeline_parallel": 1,
        f"{TRAINING}.layers": 1,
    }


def _one_layer(training: dict[str, Any]) -> dict[str, Any]:
    """Once, and a vocabulary so small that its parameters are fewer than a layer's: two sizes say what latency is, and what bytes."""
    small = training["hidden"] or HIDDEN_OF_MODELS
    return {
        f"{TRAINING}.virtual_stages": 1,
        f"{TRAINING}.micro_batches": 1,
        f"{TRAINING}.iterations": 1,
        f"{TRAINING}.vocabulary": min(small, training["vocabulary"] or small),
    }


def _replica(job: Job, part: Fabric, whole: Fabric) -> dict[str, Any]:
    return {**part.changes(whole), "job.0.gpus": job.servers_of_replica_gpus, "job.0.first_gpu": 0}
