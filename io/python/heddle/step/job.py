"""The training job of a configuration, as far as its parts depend on it; and what has no parts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from heddle.program import ConfigError


SPREADING = ("spray", "adaptive")  # every packet may take another path
IDEAL_HASH = {
    "function": ["ideal"],
    "fields": ["src_ip", "dst_ip", "ip_protocol", "l4_src_port", "l4_dst_port"],
    "seed": "per_switch",
}
LAYERS_OF_MODELS = 32  # the fewest of those that have a name
# Of a job with one stage, which is busy with one after the other: the first finds an idle network, and senders at full rate.
LAYERS_OF_ONE_STAGE = 3
FEWEST_QPS = 4  # of a connection, for e_ecmp: tests/property/step_calibration.py


class NotInParts(ConfigError):
    """A step that cannot be put together from parts; the message says why, and what to do."""

    def __init__(self, message: str):
        super().__init__(message, 2, [])


@dataclass(frozen=True)
class Job:
    """How many GPUs each division of the model has."""

    gpus: int
    first_gpu: int
    gpus_per_server: int
    stages: int
    stage_gpus: int  # of one stage of one replica: tensor_parallel x context_parallel
    iterations: int
    layers_of_stage: int  # of a model that is named, the fewest that one has
    fsdp: bool  # else only gradients travel
    far_stages: bool = False  # rank_order: a stage's replicas are neighbours, and its stages far apart; else the other way round
    divides_slices: bool = True  # over all queue pairs of a connection, which take several paths; else each slice takes one of them
    paced: bool = False  # by a congestion control

    @property
    def replica_gpus(self) -> int:
        return self.stage_gpus * self.stages

    @property
    def replicas(self) -> int:
        return self.gpus // self.replica_gpus

    @classmethod
    def of(cls, tree: dict[str, Any], fabric_gpus: int) -> Job:
        """Of a configuration with every default, on so many GPUs. Raises NotInParts."""
        jobs = tree.get("job", [])
        if len(jobs) != 1 or "training" not in jobs[0] or jobs[0]["training"]["model"] == "none":
            raise NotInParts(
                f"a step has parts when one job trains ([job.training] with a model), and here are {len(jobs)} jobs"
                f"{'' if len(jobs) != 1 else ', which does not'}; `heddle run` simulates this whole"
            )
        job, training = jobs[0], jobs[0]["training"]
        for refused in (*_refused(tree, job, training), *_few_paths(tree, job["qps_per_connection"])):
            raise NotInParts(refused)
        stage = training["tensor_parallel"] * training["context_parallel"]
        found = cls(
            gpus=job["gpus"] or fabric_gpus - job["first_gpu"],
            first_gpu=job["first_gpu"],
            gpus_per_server=job["gpus_per_server"],
            stages=training["pipeline_parallel"],
            stage_gpus=stage,
            iterations=training["iterations"],
            layers_of_stage=-(-(training["layers"] or LAYERS_OF_MODELS) // training["pipeline_parallel"]),
            fsdp=training["data_parallel"] == "fsdp",
            far_stages=training["rank_order"] == "tp-cp-dp-pp" and training["pipeline_parallel"] > 1,
            divides_slices=job["qp_scaling"] == "split",
            paced=tree["roce"]["congestion_control"] != "none",
        )
        if found.replica_gpus == 1:
            raise NotInParts(
                "every replica is one GPU, so the step has nothing but data-parallel collectives; `heddle run` simulates it whole"
            )
        if found.replicas == 1:
            raise NotInParts("there is one replica, which is what would be simulated anyway; `heddle run` does so")
        if found.far_stages and found.first_gpu:
            raise NotInParts(
                f'job.0.first_gpu = {found.first_gpu} with rank_order = "tp-cp-dp-pp": which racks a stage has is known from GPU 0 on; leave '
                "it out"
            )
        if found.first_gpu % found.replica_gpus:
            raise NotInParts(
                f"job.0.first_gpu = {found.first_gpu} is no multiple of a replica's {found.replica_gpus} GPUs, so replicas lie in racks "
                "in more than one way; leave it out, or take a multiple"
            )
        return found

    @property
    def simulated_layers(self) -> int:
        """Of a stage: one; of the only one, several, one after the other."""
        return min(LAYERS_OF_ONE_STAGE, self.layers_of_stage) if self.stages == 1 else 1

    @property
    def block_gpus(self) -> int:
        """Of one stage, of all replicas."""
        return self.gpus // self.stages

    @property
    def servers_of_replica_gpus(self) -> int:
        """GPUs of the servers that a replica is in; of several replicas, where a server has as many. Of stages far apart a server of each."""
        if self.far_stages:
            return self.stages * self.gpus_per_server
        return math.lcm(self.replica_gpus, self.gpus_per_server)

    def gpus_of_stage_in_server(self) -> int:
        """What a server has of one stage, where it has any."""
        server = self.gpus_per_server
        if self.far_stages:
            return server
        if server % self.replica_gpus == 0:
            return server // self.stages
        return min(server, self.stage_gpus)


def _refused(tree: dict[str, Any], job: dict[str, Any], training: dict[str, Any]):
    """What makes replicas, stages or layers differ, so that one does not stand for the others."""
    whole = "`heddle run` simulates the step whole"
    uneven = f"meets some GPUs and not others, so no part stands for the whole; {whole}"
    for section in ("generator", "message", "failure", "slow_receiver"):
        if tree.get(section):
            yield f"what [[{section}]] says {uneven}"
    if tree.get("workload", {}).get("flow_file"):
        yield f"what workload.flow_file says {uneven}"
    if tree.get("failures", {}).get("mtbf_hours", 0):
        yield f"failures.mtbf_hours: what fails {uneven}"
    for key in ("paths_file", "weights_file", "demands_file"):
        if tree.get("routing", {}).get(key):
            yield f"routing.{key} names nodes of the whole fabric, which a part does not have; leave it out, or {whole}"
    if tree["simulation"].get("horizon", "0 ps") != "0 ps":
        yield f'simulation.horizon = "{tree["simulation"]["horizon"]}" ends a step before it is done; add --set simulation.horizon=0'
    stage = training["tensor_parallel"] * training["context_parallel"]
    if stage > job["gpus_per_server"]:
        yield (
            f"job.0.training: tensor_parallel x context_parallel = {stage} GPUs are more than a server's {job['gpus_per_server']}, so their "
            f"traffic meets that of data parallelism in the network, which no part shows; {whole}"
        )
    if job["placement"] != "contiguous":
        yield f'job.0.placement = "{job["placement"]}": replicas lie in racks in more than one way; take "contiguous", or {whole}'
    if training["expert_parallel"] > 1:
        yield f"job.0.training.expert_parallel = {training['expert_parallel']}: replicas exchange tokens in every layer; {whole}"
    if training.get("jitter", 0) or training.get("slow_ranks", []):
        yield f"job.0.training: with jitter or slow_ranks replicas wait for the slowest of all, not for one of them; {whole}"
    if training.get("gather", "0 ps") != "0 ps" or training.get("reduce", "0 ps") != "0 ps":
        yield "job.0.training.gather and reduce are what this command finds out; leave them out"


def _few_paths(tree: dict[str, Any], qps: int):
    """Where a connection has few paths, luck decides which of them meet, and a part draws it anew."""
    routing, recovery = tree["routing"], tree["roce"]["recovery"]
    instead = "or simulate a smaller job whole, with several seeds"
    luck = "so luck decides which connections meet, and a part of the fabric has other luck than the whole: steps came out a quarter off"
    tiers = ("rtsw", "ctsw", "atsw") if tree["topology"]["kind"] == "multi_zone" else ("rtsw", "ctsw")
    for policy in dict.fromkeys(routing["policy"] if routing[tier] == "same" else routing[tier] for tier in tiers):
        if policy in SPREADING and recovery == "go_back_n":
            yield (
                f'routing: "{policy}" lets packets overtake, and with roce.recovery = "go_back_n" they are sent again, so that most of the '
                f'traffic is repeats, in a part others than in the whole; take roce.recovery = "selective_repeat", {instead}'
            )
        elif policy == "adaptive" and routing["adaptive"]["per"] != "packet":
            yield f'routing.adaptive.per = "{routing["adaptive"]["per"]}": a flow takes one path for long, {luck}; take "packet", {instead}'
        elif policy not in SPREADING and (policy != "e_ecmp" or qps < FEWEST_QPS):
            yield (
                f'routing: "{policy}"{f" with job.0.qps_per_connection = {qps}" if policy == "e_ecmp" else ""} gives a connection one path or '
                f"few, {luck}; take e_ecmp with qps_per_connection of {FEWEST_QPS} or more, {' or '.join(SPREADING)}, {instead}"
            )
        elif policy == "e_ecmp" and any(routing["hash"].get(key, usual) != usual for key, usual in IDEAL_HASH.items()):
            yield f"routing.hash: the hash of a chip sends flows on fewer paths than an ideal one, {luck}; leave routing.hash out, {instead}"
