"""Tables and claims of the study of receiver admission. run.sh runs it; README.md says what comes out."""

import heddle
from study import Study, median, select, spread, table

LINKS = {"NICs": ("gpu", "rtsw"), "RTSWs": ("rtsw", "ctsw"), "CTSWs": ("ctsw", "rtsw"), "to NICs": ("rtsw", "gpu")}
SENDERS = ["NICs", "RTSWs", "CTSWs"]  # whose ports were paused: a receiver's congestion reaches CTSWs first, NICs last


def paused(run, sender):
    """PAUSEs that the ports of such senders got, and the greatest share of the run that one of them was paused."""
    links = run.links(*LINKS[sender])
    return int(links.pauses.sum()), float(links.paused_ps.max()) / run["end_ps"]


def pauses(run, sender):
    return paused(run, sender)[0]


def cell(run, sender):
    count, share = paused(run, sender)
    return f"{count}, {100 * share:.0f} %" if count else "0"


def largest_queue(run):
    return f"{run.links().peak_queue_bytes.max() / 1e6:.1f} MB"


def wait_us(run, share):
    """Lower edge of the bin below which this share of the slices waited for their CTS."""
    with heddle.open(run.path) as result:
        waits = result.histogram("cts_wait")
    reached = waits.values.cumsum() >= share * waits.values.sum()
    return float(waits.coords["wait_ps"].values[reached.argmax()]) / 1e6


def incast_tables(study):
    rows = []
    greedy, gather = study.runs("greedy_incast"), study.runs("gather")
    for run in greedy:
        rows.append(
            [
                "greedy",
                "E-ECMP",
                run["buffer.ctsw.bytes"],
                run["generator.0.bytes"],
                *(cell(run, sender) for sender in SENDERS),
                largest_queue(run),
            ]
        )
    size = "16 MiB" if study.small else "64 MiB"
    for run in gather:
        name = "ECMP" if run["routing.policy"] == "ecmp" else "E-ECMP, 16 QPs"
        rows.append(
            ["gather", name, run["buffer.ctsw.bytes"], size, *(cell(run, sender) for sender in SENDERS), largest_queue(run)]
        )
    table(["16:1", "routing", "CTSW buffer", "each", *(f"{sender} paused" for sender in SENDERS), "largest queue"], rows)
    shallow = [run for run in greedy if run["buffer.ctsw.bytes"] == "4 MB"]
    study.claim("greedy: RTSWs pause CTSWs, whatever the CTSWs' buffers", all(pauses(run, "CTSWs") > 0 for run in greedy))
    study.claim(
        "greedy: with shallow CTSWs PFC reaches every sending NIC",
        all((run.links("gpu", "rtsw").query("messages > 0").pauses > 0).all() for run in shallow),
    )
    study.claim(
        "gather, E-ECMP with 16 QPs: nobody is paused", all(run["pfc_pauses"] == 0 for run in select(gather, policy="e_ecmp"))
    )
    study.claim(
        "gather: no NIC and no RTSW is paused, with ECMP neither",
        all(pauses(run, sender) == 0 for run in gather for sender in ("NICs", "RTSWs")),
    )

    rows = []
    levers = study.runs("gather_levers")
    for run in levers:
        admitted = 16 * 2 * run["job.0.slots"] * bytes_of(run["job.0.p2p_slice"])
        rows.append(
            [
                run["job.0.slots"],
                run["job.0.p2p_slice"],
                f"{admitted >> 20} MiB",
                *(cell(run, sender) for sender in SENDERS),
                largest_queue(run),
                run["timeouts"],
                f"{run.collective('busbw_GBps'):.1f}",
            ]
        )
    table(
        ["slots", "slice", "admitted", *(f"{sender} paused" for sender in SENDERS), "largest queue", "timeouts", "busbw, GB/s"],
        rows,
    )
    small, large = (
        [run for run in levers if (bytes_of(run["job.0.p2p_slice"]) <= 128 << 10) == is_small] for is_small in (True, False)
    )
    study.claim("with slices of 128 KiB nobody is paused", all(run["pfc_pauses"] == 0 for run in small))
    study.claim("with the largest slices PFC comes back", large[-1]["pfc_pauses"] > 0)
    study.claim(
        "fewer slots cost an incast nothing",
        min(run.collective("busbw_GBps") for run in small) > 0.99 * max(run.collective("busbw_GBps") for run in small),
    )


def bytes_of(text):
    number, unit = text.split()
    return int(number) << {"KiB": 10, "MiB": 20}[unit]


def slow_tables(study):
    nic, gpus = study.runs("slow_nic"), study.runs("slow_gpus")
    usual, slow = (select(nic, drain_rate=rate)[0] for rate in ("400 Gb/s", "100 Gb/s"))
    slow_gpus = select(gpus, copy_rate="100 GB/s")[0]
    named = {"all NICs drain 400G": usual, "one NIC drains 100G": slow, "GPUs copy 100 GB/s": slow_gpus}
    rows = [
        [
            name,
            f"{run.collective('busbw_GBps'):.0f}",
            *rates(run),
            cell(run, "to NICs"),
            *(cell(run, sender) for sender in reversed(SENDERS)),
            largest_queue(run),
        ]
        for name, run in named.items()
    ]
    switches = [f"{sender} paused" for sender in reversed(SENDERS)]
    table(
        ["all-reduce", "busbw, GB/s", "slowest NIC sends, Gb/s", "fastest", "slow NIC pauses its RTSW", *switches, "largest queue"],
        rows,
    )
    study.claim("one NIC at a quarter slows every sender of the ring alike (within 1 %)", alike(slow))
    pace = slow.collective("busbw_GBps") / (390 / 4)
    study.claim(f"to its own pace: {pace:.2f} of what 8 NICs of 100G carry", 0.95 < pace < 1.05)
    study.claim("and no switch pauses anybody", all(pauses(slow, sender) == 0 for sender in SENDERS))
    study.claim(
        "GPUs that copy a quarter of what NICs carry slow the ring likewise, and nobody pauses anybody",
        slow_gpus["pfc_pauses"] == 0 and 0.95 < slow_gpus.collective("busbw_GBps") / 100 < 1.05,
    )

    pairs = study.runs("slow_pair")
    usual, slow = (select(pairs, drain_rate=rate)[0] for rate in ("400 Gb/s", "100 Gb/s"))
    rows = [
        [
            name,
            f"{run['completion_p50_ps'] / 1e9:.2f}",
            f"{run['completion_p95_ps'] / 1e9:.2f}",
            f"{run['completion_max_ps'] / 1e9:.2f}",
            cell(run, "to NICs"),
            *(cell(run, sender) for sender in reversed(SENDERS)),
            largest_queue(run),
        ]
        for name, run in {"all NICs drain 400G": usual, "one NIC drains 100G": slow}.items()
    ]
    table(["greedy pairs", "half are done after, ms", "95 %", "all", "slow NIC pauses its RTSW", *switches, "largest queue"], rows)
    study.claim("greedy: nobody pauses anybody while all NICs are fast", usual["pfc_pauses"] == 0)
    study.claim("greedy: the slow NIC's congestion spreads to switches", pauses(slow, "CTSWs") > 0)
    study.claim(
        "greedy: pairs that have nothing to do with it take more than twice as long",
        slow["completion_p95_ps"] > 2 * usual["completion_p95_ps"],
    )


def rates(run):
    """Gb/s that the slowest and the fastest NIC sent while the run lasted."""
    sent = run.links("gpu", "rtsw").sent_bytes * 8e3 / run["end_ps"]
    return [f"{sent.min():.0f}", f"{sent.max():.0f}"]


def alike(run):
    sent = run.links("gpu", "rtsw").sent_bytes
    return sent.min() > 0.99 * sent.max()


def zone_table(study):
    runs = study.runs("zone")
    rows = []
    for gpus, kind in sorted({(run["job.0.gpus"], run["job.0.collective.0.kind"]) for run in runs}):
        ahead, among = (select(runs, gpus=gpus, kind=kind, cts_high_priority=way) for way in (True, False))
        waits = [[median(wait_us(run, share) for run in group) for group in (ahead, among)] for share in (0.5, 0.9)]
        rows.append(
            [
                gpus,
                kind.replace("_", "-"),
                *(f"{wait:.1f}" for pair in waits for wait in pair),
                *(spread(run.collective("busbw_GBps") for run in group) for group in (ahead, among)),
                *(worst(group, "RTSWs") for group in (ahead, among)),
                *(worst(group, "CTSWs") for group in (ahead, among)),
            ]
        )
        if kind == "all_to_all":
            study.claim(
                f"all-to-all on {gpus}: nine of ten slices wait three times less for CTSs that go ahead of the data",
                waits[1][0] * 3 <= waits[1][1],
            )
    table(
        [
            "GPUs",
            "collective",
            "P50 wait, us, ahead",
            "among",
            "P90 wait, us, ahead",
            "among",
            "busbw, GB/s, ahead",
            "among",
            "RTSWs paused, ahead",
            "among",
            "CTSWs paused, ahead",
            "among",
        ],
        rows,
    )
    study.claim("no CTSW ever pauses an RTSW", all(pauses(run, "RTSWs") == 0 for run in runs))
    study.claim(
        "with CTSs ahead of the data RTSWs pause no port of a CTSW for a fifth of the time",
        all(paused(run, "CTSWs")[1] < 0.2 for run in select(runs, cts_high_priority=True)),
    )


def worst(runs, sender):
    return max((cell(run, sender) for run in runs), key=lambda text: float(text.split(", ")[-1].removesuffix(" %")))


def ring_table(study):
    rows = []
    runs = study.runs("ring_levers")
    for run in runs:
        channels, slots, slice_bytes = run["job.0.channels"], run["job.0.slots"], bytes_of(run["job.0.slice"])
        per_nic = channels * slots * slice_bytes // 8
        rows.append(
            [
                channels,
                slots,
                run["job.0.slice"],
                f"{per_nic / (1 << 20):.1f} MiB",
                run["pfc_pauses"],
                largest_queue(run),
                f"{run.collective('busbw_GBps'):.0f}",
            ]
        )
    table(["channels", "slots", "slice", "admitted to a NIC", "pauses", "largest queue", "busbw, GB/s"], rows)
    study.claim("no lever makes a ring pause anybody", all(run["pfc_pauses"] == 0 for run in runs))
    usual, fewer = (select(runs, channels=16, slots=slots, slice="1 MiB")[0].collective("busbw_GBps") for slots in (4, 2))
    study.claim("two slots cost a ring more than two thirds of its busbw", fewer < 0.33 * usual)


def cts_tables(study):
    runs = study.runs("ring_chunks")
    busbw = {(run["job.0.slices_per_cts"], run["job.0.slots"]): run.collective("busbw_GBps") for run in runs}
    table(
        ["slots", "busbw, GB/s, a CTS for each slice", "for each chunk of two"],
        [[slots, *(f"{busbw[each, slots]:.0f}" for each in (1, 2))] for slots in (4, 8)],
    )
    study.claim("a CTS for two slices costs nothing", all(busbw[2, slots] > 0.99 * busbw[1, slots] for slots in (4, 8)))

    rows = []
    runs = study.runs("eager")
    for kind, size in dict.fromkeys((run["job.0.collective.0.kind"], run["job.0.collective.0.sizes"]) for run in runs):
        entered, eager = (select(runs, kind=kind, sizes=size, eager=text)[0]["end_ps"] for text in ("0 B", "1 GB"))
        rows.append(
            [
                kind.replace("_", "-"),
                size.strip('["]'),
                f"{entered / 1e9:.3f}",
                f"{eager / 1e9:.3f}",
                f"{100 * (eager / entered - 1):+.0f} %",
            ]
        )
        if kind != "all_to_all":
            study.claim(f"eager hardly helps {kind} of {size.strip('[]')} (less than 8 %)", 0.92 * entered < eager < 1.01 * entered)
    table(["20 times", "size", "CTSs when ranks enter, ms", "when slots are free", "change"], rows)
    small = select(runs, kind="all_to_all", sizes='["1 MiB"]')
    entered, eager = (select(small, eager=text)[0]["end_ps"] for text in ("0 B", "1 GB"))
    study.claim("all-to-alls of 1 MiB take a quarter less time when CTSs are sent ahead", eager < 0.75 * entered)


study = Study()
incast_tables(study)
slow_tables(study)
zone_table(study)
ring_table(study)
cts_tables(study)
study.end()
