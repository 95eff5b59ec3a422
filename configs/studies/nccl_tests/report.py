"""Tables and claims of the study of nccl-tests. run.sh runs it; README.md says what comes out."""

import heddle
from study import Study, table

LAUNCH_US, P2P_US = 6.6, 25.0  # collective.launch_latency, p2p_latency
NVLINK_US = 0.8  # collective.nvlink_latency
CHANNEL_GBPS, CHANNELS, P2P_CHANNELS = (
    {"ll": 14.0, "ll128": 18.35, "simple": 20.7},
    16,
    2,
)  # collective.channel_rate; NCCL's numbers
PROXY_US, SERVICE_US = 1.0, 0.5  # roce.proxy_latency, proxy_service
FLAGS = {"ll": 2.0, "ll128": 16 / 15, "simple": 1.0}  # bytes on the wire of one of data
PACKET_BYTES, HEADER_BYTES = 4096, 102  # roce.mtu, roce.data_overhead; MODEL.md, 9.1
SERVER, SERVERS = 8, 2  # GPUs and NICs of a server
KINDS = ("all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce", "all_to_all", "gather", "scatter", "send_recv")


def results(run):
    """{bytes: (time in us, busbw in GB/s)} of the run's collectives."""
    found = {}
    for column in run:
        if column.endswith(".time_ps") and column.startswith("job0.") and run[column] != "":
            size = int(column.split(".")[-2].removesuffix("B"))
            found[size] = (run[column] / 1e6, run[column.removesuffix("time_ps") + "busbw_GBps"])
    return dict(sorted(found.items()))


def wire_us(run, *path, bytes_on_wire=130):
    """Along links between nodes of these names, such as gpu, rtsw, gpu: pipelines, cables, the packet itself on every link."""
    links = [run.links(*pair).iloc[0] for pair in zip(path, path[1:])]
    return sum(float(link.lambda_ps) / 1e6 + bytes_on_wire * 8e6 / float(link.bits_per_s) for link in links)


def floors(run):
    """Least times, from the path of the data that comes last. A network hop is the sender's proxy and the wire. A sender is
    done when the proxy has seen the acknowledgement of its last slice."""
    wire = wire_us(run, "gpu", "rtsw", "gpu")
    hop, acknowledged = PROXY_US + wire, wire + PROXY_US
    ring = LAUNCH_US + NVLINK_US + 13 * NVLINK_US + 2 * hop + acknowledged  # a credit of NVLink; 15 hops, the last over the network
    chain = LAUNCH_US + NVLINK_US + 14 * NVLINK_US + hop  # the last GPU is in the other server
    up = 7 * NVLINK_US + hop + NVLINK_US  # a server's chain, over the network to the second GPU of the root's server, to the first
    tree = LAUNCH_US + NVLINK_US + 2 * up
    start, across = LAUNCH_US + P2P_US + PROXY_US, SERVER * P2P_CHANNELS  # a GPU's connections to the other server

    def posted(events):  # so many CTSs or slices of one proxy, up to the last one's wire
        return start + (events - 1) * SERVICE_US + wire

    return {
        "all_reduce": tree,
        "broadcast": chain,
        **dict.fromkeys(("all_gather", "reduce_scatter", "reduce"), ring),
        "all_to_all": posted(2 * across) + acknowledged,  # a CTS and a slice for each
        "gather": posted(across) + wire + acknowledged,  # the root's CTSs, and the slice for the last of them
        "scatter": posted(across) + acknowledged,
        "send_recv": posted(P2P_CHANNELS) + wire + acknowledged,
    }


def floor_of_many(run, servers):
    """A tree over so many servers, in different racks: the first hop waits for its CTS, the last for its acknowledgement."""
    wire = wire_us(run, "gpu", "rtsw", "ctsw", "rtsw", "gpu")
    depth = servers.bit_length() - 1  # of a power of two: one server at the root, the others below it in halves
    hops = 2 * depth  # up and down, each but the last followed by NVLink to the GPU that sends on
    credit = PROXY_US + wire
    return LAUNCH_US + credit + hops * wire + (hops - 1) * (PROXY_US + NVLINK_US) + wire + PROXY_US


def ring_plateau(run, moves, copies, protocol="simple"):
    """busbw that the NICs of a server allow its rings, and that their channels do, which copy a chunk more often than it moves."""
    return min(SERVER * nic_GBps(run) / FLAGS[protocol], CHANNELS * CHANNEL_GBPS[protocol] * moves / copies)


def nic_GBps(run):
    """Payload that a NIC carries."""
    return float(run.links("gpu", "rtsw").bits_per_s.iloc[0]) / 8e9 * PACKET_BYTES / (PACKET_BYTES + HEADER_BYTES)


def plateaus(run):
    """busbw that NICs and channels allow, with the part of the data that crosses between servers; none of NVLS."""
    nic, ranks = nic_GBps(run), SERVER * SERVERS
    ring, chain = ring_plateau(run, ranks - 1, ranks), ring_plateau(run, 1, 1)
    root = (ranks - 1) / SERVER * nic  # the root's one NIC carries what the 8 GPUs of the other server send or get
    return {
        "all_gather": ring,
        "reduce_scatter": ring,
        "broadcast": chain,
        "reduce": chain,
        "all_to_all": root,
        "gather": root,
        "scatter": root,
        "send_recv": min(nic, P2P_CHANNELS * CHANNEL_GBPS["simple"]),
    }


def words(size):
    for power, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if size >= 1 << power:
            return f"{size >> power} {unit}"
    return f"{size} B"


def by_kind(study):
    runs = {run["job.0.collective.0.kind"]: run for run in study.runs("all")} | {"all_reduce": study.runs("all_reduce")[0]}
    found = {kind: results(runs[kind]) for kind in KINDS}
    sizes = list(found["all_reduce"])
    names = [kind.replace("_", "-") for kind in KINDS]
    print("\nTime, us:")
    table(["size", *names], [[words(size), *(f"{found[kind][size][0]:.1f}" for kind in KINDS)] for size in sizes])
    print("busbw, GB/s:")
    table(["size", *names], [[words(size), *(f"{found[kind][size][1]:.2f}" for kind in KINDS)] for size in sizes])
    floor, plateau = floors(runs["all_reduce"]), plateaus(runs["all_reduce"])
    rows = []
    for kind, name in zip(KINDS, names):
        first, last = found[kind][sizes[0]][0], found[kind][sizes[-1]][1]
        high = plateau.get(kind)
        rows.append([name, f"{first:.2f}", f"{floor[kind]:.2f}", f"{last:.1f}", f"{high:.1f}" if high else ""])
        study.claim(f"{name}: {first:.2f} us of 8 B are its floor, {floor[kind]:.2f}", abs(first / floor[kind] - 1) < 0.02)
        margin = 0.35 if study.small else 0.04
        if high and not (study.small and kind in ("broadcast", "reduce")):  # 128 MiB are far from the plateau of these chains
            study.claim(
                f"{name}: {last:.1f} GB/s of {words(sizes[-1])} are within {100 * margin:.0f} % below its plateau, {high:.1f}",
                high * (1 - margin) < last < high * 1.001,
            )
        times = [found[kind][size][0] for size in sizes]
        study.claim(
            f"{name}: a larger size never takes less than 0.8 of a smaller one's time",
            all(later > 0.8 * sooner for sooner, later in zip(times, times[1:])),
        )
    table(["collective", "8 B, us", "floor by formula", f"{words(sizes[-1])}, GB/s", "plateau by formula"], rows)


def by_way(study):
    runs = {(run["job.0.algorithm"], run["job.0.protocol"]): run for run in study.runs("ways")}
    found = {way: results(run) for way, run in runs.items()}
    chosen = results(study.runs("all_reduce")[0])
    sizes = list(next(iter(found.values())))
    rows = [
        [words(size), *(f"{found[way][size][0]:.1f}" for way in found), f"{chosen[size][0]:.1f}" if size in chosen else ""]
        for size in sizes
    ]
    table(["all-reduce, us", *(f"{algorithm} {protocol}" for algorithm, protocol in found), "auto"], rows)
    last = sizes[-1]
    for protocol in FLAGS:
        busbw, hops = found["ring", protocol][last][1], SERVER * SERVERS - 1
        plateau = ring_plateau(runs["ring", protocol], 2 * hops, 2 * hops + 1, protocol)
        study.claim(f"ring {protocol}: {busbw:.1f} GB/s are at most its plateau, {plateau:.1f}", busbw < plateau * 1.001)
    first = sizes[0]
    study.claim(
        "8 B: LL before LL128 before simple, for both",
        all(found[a, "ll"][first][0] < found[a, "ll128"][first][0] < found[a, "simple"][first][0] for a in ("ring", "tree")),
    )
    study.claim(
        "8 B: trees before rings", all(found["tree", p][first][0] < found["ring", p][first][0] for p in ("ll", "ll128", "simple"))
    )
    study.claim(
        "largest, rings: simple before LL128 before LL",
        found["ring", "simple"][last][0] < found["ring", "ll128"][last][0] < found["ring", "ll"][last][0],
    )
    worst = max(chosen[size][0] / min(times[size][0] for times in found.values()) for size in sizes if size in chosen)
    study.claim(f"auto takes at most {worst:.2f} times what the best takes", worst < 2)


def many(study):
    run = study.runs("many")[0]
    found = results(run)
    with heddle.open(run.path) as result:
        ways = {int(row.bytes): f"{row.algorithm} {row.protocol}" for row in result.collectives().itertuples()}
    sizes = list(found)
    table(
        ["512 GPUs", "by", "time, us", "busbw, GB/s"],
        [[words(size), ways[size], f"{found[size][0]:.1f}", f"{found[size][1]:.2f}"] for size in sizes],
    )
    first, floor = found[sizes[0]][0], floor_of_many(run, 512 // SERVER)
    study.claim(f"512 GPUs: {first:.2f} us of 8 B are the floor, {floor:.2f}", abs(first / floor - 1) < 0.02)


study = Study()
by_kind(study)
by_way(study)
many(study)
study.end()
