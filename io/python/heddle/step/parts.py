"""What is simulated instead of a whole step: changes to its configuration, by dotted key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from heddle.as_configured import quantity
from heddle.step.fabric import Fabric, Share, alone, of_replica, share_of, together
from heddle.step.job import Job, NotInParts
from heddle.step.model import dimensions_of
from heddle.step.stragglers import Late

TRAINING = "job.0.training"
MAX_OVERSUBSCRIBED = 2  # tests/property/step_calibration.py draws no more
HIDDEN_OF_MODELS = 4096  # the least of those that have a name
ALONE, TOGETHER = "alone", "together"
Found = TypeVar("Found")


@dataclass(frozen=True)
class Parts:
    """Of a configuration that has them. Every one is a dict of changes to it."""

    job: Job
    layer: dict[str, dict[str, Any]]  # of one stage, ALONE and, where that differs, TOGETHER; if links are not divided, of all
    pipeline: dict[str, Any]  # of one replica; what a layer takes is to be added
    late: Late  # what replicas differ in
    divided: bool  # whether TOGETHER is a stage on its part of the links
    vocabularies: float  # the step's, for one of a layer's part

    def pipelines(self, how: str) -> dict[str, dict[str, Any]]:
        """With the layer times of `how`, by name."""
        return {name: {**self.pipeline, **_of_training(late)} for name, late in self.late.changes(how, how == TOGETHER).items()}


def both_ways(found: Mapping[str, Found]) -> dict[str, Found]:
    """Of parts ALONE and TOGETHER; of a stage with nobody beside it TOGETHER is as ALONE."""
    return {**found, TOGETHER: found.get(TOGETHER, found[ALONE])}


def parts_of(tree: dict[str, Any]) -> Parts:
    """Of a configuration with every default. Raises NotInParts."""
    fabric = Fabric.of(tree["topology"])
    job = Job.of(tree, fabric.zones * fabric.gpus_per_zone)
    part = together(fabric, job)
    _check_uplinks(tree, fabric, job)
    training = tree["job"][0]["training"]
    late = Late.of(training, job)
    model = dimensions_of(training)
    small = min(model["vocabulary"], training["hidden"] or HIDDEN_OF_MODELS) or 1  # 0: the program refuses the step
    one_layer = {**_one_layer(small), **_of_training({**late.usual, **({"jitter": 0.0} if job.jitters else {})})}
    layer = {ALONE: {**_stage(job, alone(fabric, job), fabric), **one_layer}}
    if job.stages > 1:
        every_stage = {f"{TRAINING}.layers": job.stages * job.simulated_layers}  # on the whole fabric
        divided = {} if part is None else {**_stage(job, part, fabric), **_buffers(tree, share_of(fabric, job))}
        layer[TOGETHER] = {**(divided or every_stage), **one_layer}
        if layer[TOGETHER] == layer[ALONE]:
            del layer[TOGETHER]  # stages share nothing
    return Parts(job, layer, _replica(job, of_replica(fabric, job), fabric), late, part is not None, model["vocabulary"] / small)


def _of_training(changes: dict[str, Any]) -> dict[str, Any]:
    return {f"{TRAINING}.{key}": value for key, value in changes.items()}


def _check_uplinks(tree: dict[str, Any], fabric: Fabric, job: Job) -> None:
    """Sends between stages meet data-parallel traffic there, which no part shows."""
    rack_down = fabric.gpus_per_rack * _bits(tree, "host_rate")
    rack_up = fabric.uplinks_per_rtsw * _bits(tree, "rtsw_ctsw_rate")
    # Tokens, keys and values between racks meet it in every layer: with half the uplinks steps came out 2 % outside.
    across = max(job.stage_gpus, job.token_gpus) > fabric.gpus_per_rack
    uplinks = {"racks": (rack_down, rack_up, "their spines", "topology.uplinks_per_rtsw")}
    if job.far_stages and fabric.zones > 1 and job.gpus > fabric.gpus_per_zone:
        up = fabric.ctsws * fabric.uplinks_per_ctsw * _bits(tree, "ctsw_atsw_rate")
        uplinks["zones"] = (fabric.racks * rack_down, up, "other zones, in which other stages are", "topology.uplinks_per_ctsw")
    for what, (down, up, where, key) in uplinks.items():
        most, meets = (1, "tokens, or keys and values,") if across and what == "racks" else (MAX_OVERSUBSCRIBED, "stages' sends")
        if down > most * up:
            raise NotInParts(
                f"{what} have {down / up:.3g} times as much to their GPUs as to {where}. Where that is more than {most}, {meets} meet "
                f"data-parallel traffic, which no part shows; take more {key}, or `heddle run` for the whole"
            )


def _bits(tree: dict[str, Any], key: str) -> float:
    return float(quantity(tree["link"][key], "bit/s"))


def _buffers(tree: dict[str, Any], share: Share) -> dict[str, str]:
    """Of a switch whose ports share a buffer: as much of it as its part of the ports has."""
    found = {}
    for tier, parts in (("rtsw", share.rtsw), ("ctsw", share.ctsw), ("atsw", share.atsw)):
        buffer = tree["buffer"].get(tier, {})
        if parts > 1 and buffer.get("kind") == "shared" and not (tier == "atsw" and tree["topology"]["kind"] != "multi_zone"):
            found[f"buffer.{tier}.bytes"] = f"{int(quantity(buffer['bytes'], 'B')) // parts} B"
    return found


def _stage(job: Job, part: Fabric, whole: Fabric) -> dict[str, Any]:
    """A layer of one stage, some of the only one: its GPUs are all that there are, in as many servers as before."""
    return {
        **part.changes(whole),
        "job.0.gpus": job.gpus // job.stages,
        "job.0.first_gpu": job.first_gpu // job.stages,
        "job.0.gpus_per_server": job.gpus_of_stage_in_server(),
        f"{TRAINING}.pipeline_parallel": 1,
        f"{TRAINING}.layers": job.simulated_layers,
    }


def _one_layer(vocabulary: int) -> dict[str, Any]:
    """Once, and a vocabulary so small that its parameters are fewer than a layer's: two sizes say what latency is, and what bytes."""
    return {
        f"{TRAINING}.virtual_stages": 1,
        f"{TRAINING}.micro_batches": 1,
        f"{TRAINING}.iterations": 1,
        f"{TRAINING}.vocabulary": vocabulary,
    }


def _replica(job: Job, part: Fabric, whole: Fabric) -> dict[str, Any]:
    return {**part.changes(whole), "job.0.gpus": job.servers_of_replica_gpus, "job.0.first_gpu": 0}
