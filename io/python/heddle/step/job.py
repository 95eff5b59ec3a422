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
LAYERS_IN_A_ROW = 3
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
    context_parallel: int = 1
    expert_parallel: int = 1
    slow_gpus: int = 0
    jitters: bool = False  # computations take longer by chance
    virtual_stages: int = 1
    micro_batches: int = 1

    @property
    def uneven(self) -> bool:
        """Whether replicas wait for others that compute longer."""
        return self.slow_gpus > 0 or self.jitters

    @property
    def bubble_share(self) -> float:
        """How long a GPU waits while the pipeline fills and drains, in parts of what all its micro-batches take. In a single iteration a GPU that
        has ended waits for nobody: half of the backward passes of the bubble, which take two thirds of it, are no wait in the mean.
        """
        whole = (self.stages - 1) / (self.virtual_stages * self.micro_batches)
        return whole * (1 if self.iterations > 1 else 2 / 3)

    @property
    def replica_gpus(self) -> int:
        return self.stage_gpus * self.stages

    @property
    def replicas(self) -> int:
        return self.gpus // self.replica_gpus

    @property
    def exchanging_replicas(self) -> int:
        """Neighbours that send each other tokens, and nobody else any; without experts one."""
        return self.expert_parallel // math.gcd(self.expert_parallel, self.context_parallel)

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
            context_parallel=training["context_parallel"],
            expert_parallel=training["expert_parallel"],
            slow_gpus=len(set(training.get("slow_ranks", []))),
            jitters=training["jitter"] > 0,
            virtual_stages=training["virtual_stages"],
            micro_batches=training["micro_batches"],
        )
        if found.replica_gpus == 1:
            raise NotInParts(
                "every replica is one GPU, so the step has nothing but collectives of all of them; `heddle run` simulates it whole"
            )
        if found.replicas == found.exchanging_replicas:
            raise NotInParts(
                "there is one replica, or all exchange tokens with each other, which is what would be simulated anyway; `heddle run` does so"
            )
        if found.far_stages and found.first_gpu:
            raise NotInParts(
                f'job.0.first_gpu = {found.first_gpu} with rank_order = "tp-cp-dp-pp": which racks a stage has is known from GPU 0 on; leave '
                "it out"
            )
        if found.first_gpu % found.exchanging_gpus:
            raise NotInParts(
                f"job.0.first_gpu = {found.first_gpu} is no multiple of the {found.exchanging_gpus} GPUs of a replica, or of those that exchange "
                "tokens, so these lie in racks in more than one way; leave it out, or take a multiple"
            )
        return found

    @property
    def simulated_layers(self) -> int:
        """Of a stage: one; of the only one, and where what else is sent meets what the next layer gathers, several, one after the other."""
        several = self.stages == 1 or self.expert_parallel > 1 or self.wide_stages
        return min(LAYERS_IN_A_ROW, self.layers_of_stage) if several else 1

    @property
    def block_gpus(self) -> int:
        """Of one stage, of all replicas."""
        return self.gpus // self.stages

    @property
    def exchanging_gpus(self) -> int:
        """Of the replicas that exchange tokens; of stages far apart, of each."""
        return self.exchanging_replicas * (self.stage_gpus if self.far_stages else self.replica_gpus)

    @property
    def part_of_stage_gpus(self) -> int:
        """Of the servers that these are in; of stages far apart, of each."""
        return math.lcm(self.exchanging_gpus, self.gpus_per_server)

    @property
    def token_gpus(self) -> int:
        """Neighbours that hold all who send each other tokens; 0: nobody does."""
        if self.expert_parallel == 1:
            return 0
        return self.exchanging_gpus if self.exchanging_replicas > 1 else self.stage_gpus

    @property
    def wide_stages(self) -> bool:
        """Whether context parallelism crosses the network."""
        return self.stage_gpus > self.gpus_per_server

    @property
    def servers_of_replica_gpus(self) -> int:
        """GPUs of the servers that a replica is in; of several replicas, where they exchange tokens, or a server has as many."""
        return self.part_of_stage_gpus * (self.stages if self.far_stages else 1)

    def place_of(self, rank: int) -> tuple[int, int, int]:
        """Replica, stage, and which GPU of that."""
        outer, gpu = divmod(rank, self.stage_gpus)
        return (outer % self.replicas, outer // self.replicas, gpu) if self.far_stages else (*divmod(outer, self.stages), gpu)

    def rank_in_part(self, replica: int, stage: int, gpu: int) -> int:
        """Where as many replicas are as are simulated."""
        outer = replica + self.part_replicas * stage if self.far_stages else stage + self.stages * replica
        return outer * self.stage_gpus + gpu

    @property
    def part_replicas(self) -> int:
        return self.servers_of_replica_gpus // self.replica_gpus

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
    if tree.get("fabric"):
        yield "a [[fabric]] beside that of the GPUs carries nothing of a step, and parts have none; leave it out, with what it carries"
    if training.get("checkpoint", {}).get("every", 0):
        yield f"parts of a step write no checkpoint: set job.0.training.checkpoint.every = 0, or {whole}"
    for section in ("generator", "message", "failure", "slow_receiver"):
        if tree.get(section):
            yield f"what [[{section}]] says {uneven}"
    if tree.get("workload", {}).get("flow_file"):
        yield f"what workload.flow_file says {uneven}"
    for key in ("dead_fraction", "mtbf_hours"):
        if tree.get("failures", {}).get(key, 0):
            yield f"failures.{key}: what fails {uneven}"
    for key in ("paths_file", "weights_file", "demands_file"):
        if tree.get("routing", {}).get(key):
            yield f"routing.{key} names nodes of the whole fabric, which a part does not have; leave it out, or {whole}"
    if tree["simulation"].get("horizon", "0 ps") != "0 ps":
        yield f'simulation.horizon = "{tree["simulation"]["horizon"]}" ends a step before it is done; add --set simulation.horizon=0'
    if training["tensor_parallel"] > job["gpus_per_server"]:
        yield (
            f"job.0.training.tensor_parallel = {training['tensor_parallel']}: more than a server's {job['gpus_per_server']} GPUs, so its "
            f"traffic meets that of data parallelism in the network, and how much that delays was not judged; {whole}"
        )
    if job["placement"] != "contiguous":
        yield f'job.0.placement = "{job["placement"]}": replicas lie in racks in more than one way; take "contiguous", or {whole}'
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
