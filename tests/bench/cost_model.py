"""What a run over ranks costs: a model of one period between two exchanges. Pure functions; scaling.py feeds them.

Times are us of wall time unless a name says otherwise; loads are packets per us of simulated time on one directed link;
work is packet-hops per us of simulated time, up to one common factor.
"""

import math
from dataclasses import dataclass, replace

PACKET_BYTES = 24  # of a packet in an exchange: descriptor and arrival time (kernels/boundary/words.hpp)
RECORD_BYTES = 8  # before the packets of one link and class
# Instructions to collect a packet at one rank and to deliver it at another, over those of a packet-hop: callgrind of two
# ranks of 128 GPUs (scaling.md).
CROSSING_HOPS = 0.25


@dataclass(frozen=True)
class Fabric:
    """A Clos fabric in counts over the whole fabric: one AI Zone, or zones under ATSWs (atsws = 0: one zone)."""

    zones: int
    racks: int
    gpus_per_rack: int
    ctsws: int
    uplinks_per_rtsw: int
    atsws: int = 0
    uplinks_per_ctsw: int = 0

    @property
    def endpoints(self):
        return self.racks * self.gpus_per_rack

    def links(self):
        """Directed links by tier, as /series/tier of a result file names them."""
        up, top = self.racks * self.uplinks_per_rtsw, self.ctsws * self.uplinks_per_ctsw
        count = {"endpoint>rtsw": self.endpoints, "rtsw>endpoint": self.endpoints, "rtsw>ctsw": up, "ctsw>rtsw": up}
        return {**count, "ctsw>atsw": top, "atsw>ctsw": top} if self.atsws else count


def even_loads(fabric):
    """Loads by tier, up to a factor, when every endpoint sends equally to all others and nothing is full: what
    `heddle check --ranks` expects of a permutation."""
    others = fabric.endpoints - 1
    leaves_rack = 1 - (fabric.gpus_per_rack - 1) / others
    leaves_zone = 1 - (fabric.endpoints / fabric.zones - 1) / others
    links = fabric.links()
    up = fabric.endpoints * leaves_rack / links["rtsw>ctsw"]
    loads = {"endpoint>rtsw": 1.0, "rtsw>endpoint": 1.0, "rtsw>ctsw": up, "ctsw>rtsw": up}
    if fabric.atsws:
        top = fabric.endpoints * leaves_zone / links["ctsw>atsw"]
        loads |= {"ctsw>atsw": top, "atsw>ctsw": top}
    return loads


def measured_loads(fabric, sent_bytes, packet_hops, simulated_us, data_bytes, control_bytes):
    """Loads by tier of a run that sent so many wire bytes by tier. A result file does not count packets by tier. All tiers
    together, bytes and packet-hops tell data (data_bytes on the wire) from control packets (ACKs, CNPs), and these use
    tiers as an even load does: a full tier passes on less data, but the control packets of all of it."""
    data_hops = (sum(sent_bytes.values()) - control_bytes * packet_hops) / (data_bytes - control_bytes)
    control_hops = max(packet_hops - data_hops, 0)
    links, even = fabric.links(), even_loads(fabric)
    all_even = sum(links[tier] * even[tier] for tier in links)

    def load(tier):
        control = control_hops * links[tier] * even[tier] / all_even
        return (control + (sent_bytes[tier] - control * control_bytes) / data_bytes) / links[tier] / simulated_us

    return {tier: load(tier) for tier in links}


def vertex_work(fabric, loads):
    """Work of (a rack, a CTSW, an ATSW), as partition/cut counts it: packets sent and forwarded, at endpoints also
    received, and for every port 1/64 of a mean link."""
    links = fabric.links()
    port = sum(links[tier] * loads[tier] for tier in links) / sum(links.values()) / 64

    def total(tier):
        return links.get(tier, 0) * (loads.get(tier, 0) + port)

    rack = total("endpoint>rtsw") + 2 * total("rtsw>endpoint") + total("rtsw>ctsw") - links["rtsw>endpoint"] * port
    atsw = total("atsw>ctsw") / fabric.atsws if fabric.atsws else 0.0
    return rack / fabric.racks, (total("ctsw>rtsw") + total("ctsw>atsw")) / fabric.ctsws, atsw


@dataclass(frozen=True)
class RankShare:
    """One rank, from the table of `heddle check --ranks N`."""

    endpoints: int
    switches: int
    of_mean: float  # expected work over the mean of all ranks
    cut_links: int  # directed links that leave it


@dataclass(frozen=True)
class Division:
    """A fabric over ranks, from `heddle check --ranks N`."""

    policy: str
    period_us: float
    share: float  # of expected packet-hops that go over cut links
    cut_links: int  # directed
    ranks: tuple  # of RankShare

    def neighbours(self, rank):
        """At most so many ranks exchange with this one: one a cut cable, and no more than there are."""
        return min(len(self.ranks) - 1, self.ranks[rank].cut_links // 2)


def cut_by_tier(fabric, division):
    """Directed cut links as {"rtsw-ctsw": n, "ctsw-atsw": n}: `check` says only their sum and the share of expected
    packets on them, which two equations give back. ValueError: they do not fit a fabric and a load such as these."""
    loads, links = even_loads(fabric), fabric.links()
    if not fabric.atsws:
        return {"rtsw-ctsw": float(division.cut_links), "ctsw-atsw": 0.0}
    low, high = loads["rtsw>ctsw"], loads["ctsw>atsw"]
    expected = division.share * sum(links[tier] * loads[tier] for tier in links)
    top = (expected - division.cut_links * low) / (high - low)
    if not -0.05 * division.cut_links <= top <= 1.05 * min(division.cut_links, 2 * links["ctsw>atsw"]):
        raise ValueError(
            f"{top:.0f} of {division.cut_links} cut links between CTSWs and ATSWs: this share of packets does "
            "not fit a load of one permutation over all endpoints, which the model assumes"
        )
    top = min(max(top, 0.0), float(division.cut_links))
    return {"rtsw-ctsw": division.cut_links - top, "ctsw-atsw": top}


def cut_packets(fabric, division, loads):
    """By tier: (directed cut links, mean load of one). Every cut cable is cut in both directions."""
    by_tier = cut_by_tier(fabric, division)
    both = {
        "rtsw-ctsw": (loads["rtsw>ctsw"] + loads["ctsw>rtsw"]) / 2,
        "ctsw-atsw": (loads.get("ctsw>atsw", 0) + loads.get("atsw>ctsw", 0)) / 2,
    }
    return {tier: (by_tier[tier], both[tier]) for tier in by_tier}


def exchanged_bytes(fabric, division, loads, simulated_us, exchanges):
    """Bytes that all ranks send in so many exchanges: every crossing packet once, and one record a link and exchange, but
    for links that were silent (packets are taken to come as if by chance). Pause changes, 8 B each, are left out."""
    packets = records = 0.0
    for links, load in cut_packets(fabric, division, loads).values():
        packets += links * load * simulated_us
        records += links * (1 - math.exp(-load * simulated_us / exchanges)) * exchanges
    return PACKET_BYTES * packets + RECORD_BYTES * records


def rank_work(fabric, division, loads):
    """Work of every rank under `loads`, over the mean; `check` weighs by expected packets, which a full spine does not
    let through. A rank's ATSWs are told from its CTSWs by its expected work."""
    expected, real = vertex_work(fabric, even_loads(fabric)), vertex_work(fabric, loads)
    counts = (fabric.racks, fabric.ctsws, fabric.atsws)
    mean = sum(n * w for n, w in zip(counts, expected)) / len(division.ranks)
    work, found = [], 0
    for rank in division.ranks:
        racks = rank.endpoints // fabric.gpus_per_rack
        spines = rank.switches - racks
        atsws = 0
        if fabric.atsws:
            beyond = rank.of_mean * mean - racks * expected[0] - spines * expected[1]
            atsws = min(max(round(beyond / (expected[2] - expected[1])), 0), spines)
        found += atsws
        work.append(racks * real[0] + (spines - atsws) * real[1] + atsws * real[2])
    if abs(found - fabric.atsws) > 0.1 * fabric.atsws:
        raise ValueError(
            f"found {found} ATSWs in the ranks' expected work, but there are {fabric.atsws}: the load is not "
            "that of one permutation over all endpoints, which the model assumes"
        )
    return [w * len(work) / sum(work) for w in work]


@dataclass(frozen=True)
class Machine:
    """What a rank runs on. Everything that was not measured is named an assumption in scaling.md."""

    name: str
    message_us: float  # software, per message each way and period: send, receive
    ranks_per_node: int
    near: tuple  # inside a node: (us a message or a step of the reduction takes, GB/s of a rank)
    far: tuple  # between nodes: the same
    l3_mib: float = 32  # cache of `cores_per_l3` cores
    cores_per_l3: int = 8
    by_node: bool = False  # partition.exchange = "node", not "ranks"
    neighbour_us: float = 0.2  # by node: software, per neighbour and period, of words laid down and taken
    look_us: float = 0.02  # by node: for each rank of the node, to see how far it is

    def network(self, ranks):
        """(latency_us, gb_per_s) of a run over so many ranks: of its slowest connections."""
        return self.near if ranks <= self.ranks_per_node else self.far

    def nodes(self, ranks):
        return math.ceil(ranks / self.ranks_per_node)


# ns per packet-hop of one core by MiB of state, one thread with an L3 of 32 MiB (scaling.md).
SMALL, MIDDLE, LARGE = (3, 61.5), (20, 68.8), (1665, 221.8)
L3_MIB = 32


def cpu_hop_ns(state_mib, cache_mib):
    """ns per packet-hop. An interpolation: what fits the cache costs 61.5 to 68.8 ns (linear in the logarithm of the
    size), and the part of the state that does not fit adds what 24,576 GPUs show."""
    position = math.log(max(state_mib, SMALL[0]) / SMALL[0]) / math.log(MIDDLE[0] / SMALL[0])
    near = SMALL[1] + (MIDDLE[1] - SMALL[1]) * min(position, 1)
    far = (LARGE[1] - MIDDLE[1]) / (1 - L3_MIB / LARGE[0])
    return near + far * max(0.0, 1 - cache_mib / state_mib)


def compute_us(machine, hops, state_mib, sharing):
    """One rank's part of a period: `hops` packet-hops, with so much state of its own. sharing: ranks on the cores of one L3."""
    return hops * cpu_hop_ns(state_mib, machine.l3_mib / min(sharing, machine.cores_per_l3)) / 1000


def sending_us(machine, division, rank, sent_bytes):
    """What sending and receiving take of the core of a rank that sends so many bytes; it receives as many."""
    neighbours, n = division.neighbours(rank), len(division.ranks)
    if not machine.by_node:
        return neighbours * machine.message_us
    here, others = min(n, machine.ranks_per_node), machine.nodes(n) - 1
    carried = math.ceil(others / here)  # messages, each way, of a rank that carries most
    copies = 2 * sent_bytes / machine.near[1] / 1000
    return neighbours * machine.neighbour_us + copies + here * machine.look_us + carried * machine.message_us


def transfer_us(machine, rank_bytes):
    """On the way between ranks that send so many bytes, which the ranks' cores need not do: latency and wire."""
    n = len(rank_bytes)
    latency_us, gb_per_s = machine.network(n)
    if not machine.by_node:
        return latency_us + max(rank_bytes) / gb_per_s / 1000
    if machine.nodes(n) == 1:
        return 0.0  # copies are the cores' work
    size = machine.ranks_per_node  # and so many times the share of one rank is what a node has
    of_node = [sum(rank_bytes[first : first + size]) for first in range(0, n, size)]
    return latency_us + max(of_node) / (gb_per_s * size) / 1000


def reduction_us(machine, ranks):
    """Until all know the least of all: a message for each doubling, of ranks or of nodes."""
    latency_us, _ = machine.network(ranks)
    if not machine.by_node:
        return math.ceil(math.log2(ranks)) * latency_us
    return min(ranks, machine.ranks_per_node) * machine.look_us + math.ceil(math.log2(machine.nodes(ranks))) * latency_us


@dataclass(frozen=True)
class Prediction:
    """One line of the table; times are us of wall time a period, of the slowest rank where ranks differ."""

    ranks: int
    period_us: float  # simulated
    balance: float
    compute_us: float  # with collecting and delivering
    neighbours: int
    kb: float  # sent per exchange and rank, mean
    sending_us: float  # messages, or words laid down and taken in shared memory
    transfer_us: float  # latency and wire: hidden if not above compute_us
    reduction_us: float
    best_us: float  # transfer and reduction go on while the rank computes, and a smaller share is faster in its cache
    worst_us: float  # they wait for the rank to call MPI again, and a packet-hop costs what it costs in one rank
    idle: float  # share of a period for which the rank with least to do waits

    def speed_up(self, alone_us_per_us):
        """(worst, best) against one rank, which takes so many us per simulated us."""
        return (alone_us_per_us * self.period_us / self.worst_us, alone_us_per_us * self.period_us / self.best_us)


def alone(machine, hops_per_us, state_mib):
    """us of wall time per simulated us in one rank."""
    return compute_us(machine, hops_per_us, state_mib, 1)


def predict(machine, fabric, division, loads, hops_per_us, state_mib):
    """One period of `division`. hops_per_us: packet-hops of the whole fabric per simulated us; state_mib: of all ranks."""
    n, period = len(division.ranks), division.period_us
    work = rank_work(fabric, division, loads)
    sent_bytes = exchanged_bytes(fabric, division, loads, period, 1)
    crossing = sum(links * load * period for links, load in cut_packets(fabric, division, loads).values())

    shares = [rank.cut_links / max(division.cut_links, 1) for rank in division.ranks]

    def of(rank, own_mib, sharing):
        hops = hops_per_us * period * work[rank] / n + CROSSING_HOPS * crossing * shares[rank]
        return compute_us(machine, hops, own_mib, sharing), sending_us(machine, division, rank, sent_bytes * shares[rank])

    costs = [of(rank, state_mib / n, n) for rank in range(n)]
    busy = [compute + sending for compute, sending in costs]
    slowest = max(range(n), key=lambda rank: busy[rank])
    compute, sending = costs[slowest]
    transfer = transfer_us(machine, [sent_bytes * share for share in shares])
    reduction = reduction_us(machine, n)
    best = busy[slowest] + max(0.0, max(transfer, reduction) - compute)
    worst = max(sum(of(rank, state_mib, 1)) for rank in range(n)) + transfer + reduction
    return Prediction(
        n,
        period,
        max(work),
        compute,
        division.neighbours(slowest),
        sent_bytes / n / 1000,
        sending,
        transfer,
        reduction,
        best,
        max(best, worst),
        1 - min(busy) / best,
    )


# The machine of the committed figures; a cluster of 64-core nodes with 200 Gb/s each.
MEASURED = Machine("2 cores, shared memory", message_us=1, ranks_per_node=2, near=(1, 5), far=(2, 5), cores_per_l3=2)
CLUSTER = Machine("CPU cluster", message_us=1, ranks_per_node=64, near=(1, 5), far=(2, 25 / 64), by_node=True)
CLUSTER_BY_RANKS = replace(CLUSTER, name="CPU cluster, by ranks", by_node=False)
