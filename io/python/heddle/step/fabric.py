"""AI Zones, and the part of them that one pipeline stage of a job has: as many racks, GPUs and links as are its own."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from heddle.step.job import Job, NotInParts

ZONES = ("ai_zone", "multi_zone")


@dataclass(frozen=True)
class Fabric:
    """The dimensions of [topology], by the names that they have there. One zone has no ATSWs: 0."""

    kind: str
    zones: int
    racks: int  # of a zone
    gpus_per_rack: int
    ctsws: int  # of a zone
    uplinks_per_rtsw: int
    atsws: int
    uplinks_per_ctsw: int

    @classmethod
    def of(cls, topology: dict) -> Fabric:
        """Of the section of a configuration with every default. Raises NotInParts for what is made of no zones."""
        kind = topology["kind"]
        if kind not in ZONES:
            raise NotInParts(
                f'topology.kind = "{kind}": which part of this fabric one pipeline stage has is known for {" and ".join(ZONES)} only; '
                "simulate the step whole (heddle run), or describe the fabric as zones"
            )
        sizes = {field.name: topology.get(field.name, 0) for field in dataclasses.fields(cls)[1:]}
        return cls(**{**sizes, "kind": kind, "zones": topology.get("zones", 1)})

    @property
    def gpus_per_zone(self) -> int:
        return self.racks * self.gpus_per_rack

    def changes(self, whole: Fabric) -> dict[str, int]:
        """Keys of a configuration in which this fabric is not `whole`."""
        return {
            f"topology.{field.name}": getattr(self, field.name)
            for field in dataclasses.fields(self)
            if getattr(self, field.name) != getattr(whole, field.name)
        }


@dataclass(frozen=True)
class Share:
    """How stages lie in racks, and how many of them share the links and buffers of a switch of each tier: those of its rack, and those in whose
    racks the links of a CTSW end."""

    gpus_in_rack: int  # of one stage, where it has any
    rtsw: int
    ctsw: int
    atsw: int


def share_of(fabric: Fabric, job: Job) -> Share:
    """Raises NotInParts where stages do not lie in racks and zones in the same way everywhere."""
    if job.far_stages:
        return _share_of_blocks(fabric, job)
    stage, replica, rack = job.stage_gpus, job.replica_gpus, fabric.gpus_per_rack
    if rack % replica == 0:
        share = Share(rack // job.stages, rtsw=job.stages, ctsw=1, atsw=job.stages)
    elif replica % rack == 0 and rack % stage == 0:
        share = Share(stage, rtsw=rack // stage, ctsw=replica // rack, atsw=rack // stage)
    elif stage % rack == 0:
        share = Share(rack, rtsw=1, ctsw=job.stages, atsw=1)
    else:
        raise NotInParts(
            f"a replica is {replica} GPUs in stages of {stage}, and a rack has {rack}: replicas lie in racks in more than one way, so none "
            "stands for the others; take a pipeline_parallel or topology.gpus_per_rack with which racks hold whole replicas, or replicas "
            "fill whole racks"
        )
    if fabric.zones > 1 and fabric.gpus_per_zone % replica != 0:
        raise NotInParts(
            f"a replica of {replica} GPUs does not go evenly into a zone of {fabric.gpus_per_zone} GPUs: some lie in two zones, so none "
            "stands for the others; change topology.racks or the stages"
        )
    return share


def _share_of_blocks(fabric: Fabric, job: Job) -> Share:
    """Of stages that have GPUs, racks, or zones of their own."""
    block, server, rack, zone = job.block_gpus, job.gpus_per_server, fabric.gpus_per_rack, fabric.gpus_per_zone
    if block % server or rack % server:
        raise NotInParts(
            f"a stage has {block} GPUs, servers {server} and racks {rack}: stages lie in servers in more than one way, so none stands for the "
            "others; take a pipeline_parallel with which stages have whole servers"
        )
    for size, what in ((rack, "rack"), (zone, "zone")) if fabric.zones > 1 else ((rack, "rack"),):
        if size % block and block % size:
            raise NotInParts(
                f"a stage has {block} GPUs and a {what} {size}: stages lie in {what}s in more than one way, so none stands for the others; "
                f"take a pipeline_parallel with which {what}s hold whole stages, or stages fill whole {what}s"
            )
    return Share(
        min(block, rack),
        rtsw=min(job.stages, max(1, rack // block)),
        ctsw=min(job.stages, max(1, zone // block)) if block > rack else 1,  # of smaller ones nothing leaves a rack
        atsw=job.stages if block > zone else 1,
    )


def alone(fabric: Fabric, job: Job) -> Fabric:
    """The GPUs of one stage with every link that its racks have: nobody else uses them."""
    share = share_of(fabric, job)
    if job.far_stages:
        racks, zones = max(1, job.block_gpus // fabric.gpus_per_rack), max(1, job.block_gpus // fabric.gpus_per_zone)
        return dataclasses.replace(fabric, zones=zones, racks=racks // zones, gpus_per_rack=share.gpus_in_rack)
    return dataclasses.replace(fabric, racks=fabric.racks // share.ctsw, gpus_per_rack=share.gpus_in_rack)


def odd_links(fabric: Fabric, job: Job) -> dict[str, int]:
    """Dimensions of which stages cannot have equal parts, and how many parts there would be."""
    share = share_of(fabric, job)
    if job.far_stages:
        return {}  # only buffers are shared
    parts = {"ctsws": share.rtsw, "uplinks_per_rtsw": share.rtsw}
    if fabric.kind == "multi_zone":
        parts |= {"atsws": share.ctsw, "uplinks_per_ctsw": share.ctsw}
    return {name: of_them for name, of_them in parts.items() if getattr(fabric, name) % of_them}


def together(fabric: Fabric, job: Job) -> Fabric | None:
    """The same GPUs with their part of the links, as when all stages use them; None where links cannot be divided so."""
    share, part = share_of(fabric, job), alone(fabric, job)
    if job.far_stages:
        return part
    if odd_links(fabric, job):
        return None
    return dataclasses.replace(
        part,
        ctsws=fabric.ctsws // share.rtsw,
        uplinks_per_rtsw=fabric.uplinks_per_rtsw // share.rtsw,
        atsws=fabric.atsws // share.ctsw,
        uplinks_per_ctsw=fabric.uplinks_per_ctsw // share.ctsw,
    )


def of_replica(fabric: Fabric, job: Job) -> Fabric:
    """As many racks, and zones, as one replica is in, or those that exchange tokens. Raises NotInParts where these lie in several ways."""
    _check_exchanges(fabric, job)
    if job.far_stages:
        return _of_blocks(fabric, job)
    racks = -(-job.servers_of_replica_gpus // fabric.gpus_per_rack)
    if fabric.kind == "ai_zone":
        return dataclasses.replace(fabric, racks=racks)
    return dataclasses.replace(fabric, racks=racks, zones=1, atsws=1, uplinks_per_ctsw=1)


def _check_exchanges(fabric: Fabric, job: Job) -> None:
    if job.exchanging_replicas == 1 and not job.wide_stages:
        return
    gpus, rack, zone = job.exchanging_gpus, fabric.gpus_per_rack, fabric.gpus_per_zone
    if (rack % gpus and gpus % rack) or (fabric.zones > 1 and zone % gpus):
        raise NotInParts(
            f"{gpus} neighbouring GPUs exchange tokens, or keys and values, and a rack has {rack}, a zone {zone}: such groups lie in racks in more "
            "than one way, or in several zones, so none stands for the others; take an expert_parallel or context_parallel with which racks hold "
            "whole groups, or groups fill whole racks of a zone"
        )


def _of_blocks(fabric: Fabric, job: Job) -> Fabric:
    """Servers of every stage, as far apart as they are."""
    in_rack = share_of(fabric, job).rtsw
    of_stage = job.part_of_stage_gpus
    racks_of_stage = -(-of_stage // fabric.gpus_per_rack)
    places = -(-job.stages // in_rack)
    places_of_zone = max(1, min(places, fabric.gpus_per_zone // (job.block_gpus * in_rack)))
    part = dataclasses.replace(
        fabric, racks=places_of_zone * racks_of_stage, gpus_per_rack=in_rack * min(of_stage, fabric.gpus_per_rack)
    )
    if fabric.kind == "ai_zone":
        return dataclasses.replace(part, racks=places * racks_of_stage)
    if places <= places_of_zone:
        return dataclasses.replace(part, zones=1, atsws=1, uplinks_per_ctsw=1)
    return dataclasses.replace(part, zones=-(-places // places_of_zone))
