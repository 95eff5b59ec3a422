"""Tables and claims of the study of placement. run.sh runs it; README.md says what comes out."""

import pathlib
import re
import subprocess

from study import Study, mean, mean_interval, select, table

POLICIES = ("contiguous", "min_cut", "random")
CONFIG = pathlib.Path(__file__).parent / "training.toml"
# The job of which the study's is an eighth: 16 stages on 24,576 GPUs in 8 zones of 192 racks, as many rings on an uplink.
WHOLE = (
    "topology.racks=192",
    "topology.atsws=24",
    "topology.uplinks_per_ctsw=24",
    "job.0.gpus=24576",
    "job.0.training.layers=16",
    "job.0.training.pipeline_parallel=16",
)
BYTES = {"B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "PB": 1e15}


def payload_between_zones(study, policy):
    """Of one iteration, by group: what `heddle check` counts for the whole job without running it."""
    keys = [argument for key in (*WHOLE, f"job.0.placement={policy}") for argument in ("--set", key)]
    said = subprocess.run([study.heddle, "check", CONFIG, *keys], capture_output=True, text=True, check=True).stdout
    rows = said.split("payload of collectives")[1].split("\n\n")[0].splitlines()[2:]
    found = {}
    for row in rows:
        group, last = re.split(r"\s{2,}", row.strip())[1], re.split(r"\s{2,}", row.strip())[-1]
        number, unit = ("0", "B") if last == "-" else last.split(" (")[0].split()
        found[group] = float(number) * BYTES[unit]
    if set(found) != {"tensor", "pipeline", "data"}:
        raise SystemExit(f"heddle check has payload of {sorted(found)}, not of tensor, pipeline and data")
    return found


def sent_between_zones(run):
    """On the wire: all that CTSWs sent to ATSWs."""
    return float(run.links("ctsw", "atsw").sent_bytes.sum())


def busiest_uplink(run):
    """The part of the run in which the busiest link between CTSWs and ATSWs carried a packet."""
    links = run.links("ctsw", "atsw")
    return float((links.sent_bytes * 8 / links.bits_per_s).max()) / (run["end_ps"] / 1e12)


def whole_job(study):
    bytes_of = {policy: payload_between_zones(study, policy) for policy in POLICIES}
    rows = [
        [policy, *(f"{of[group] / 1e9:,.0f}" for group in ("pipeline", "data")), f"{sum(of.values()) / 1e9:,.0f}"]
        for policy, of in bytes_of.items()
    ]
    table(["24,576 GPUs", "pipeline, GB", "data, GB", "between zones, GB an iteration"], rows)
    total = {policy: sum(of.values()) for policy, of in bytes_of.items()}
    study.claim(
        f"24,576 GPUs: minimum cut sends {total['random'] / total['min_cut']:.1f} times fewer bytes between zones than random",
        total["random"] > 3 * total["min_cut"],
    )
    study.claim(
        "24,576 GPUs: minimum cut sends no more between zones than servers in order", total["min_cut"] <= total["contiguous"]
    )


def steps(study):
    ordered, drawn = study.runs("ordered"), study.runs("random")
    of_policy = {policy: select(ordered, placement=policy) for policy in ("contiguous", "min_cut")} | {"random": drawn}
    rows = []
    for policy, runs in of_policy.items():

        def ms(column, runs=runs):
            return mean_interval([run[f"job0.iteration.{column}"] / 1e9 for run in runs])

        rows.append(
            [
                policy,
                mean_interval([sent_between_zones(run) / 1e9 for run in runs], "{:.0f}"),
                f"{100 * mean([busiest_uplink(run) for run in runs]):.0f} %",
                ms("time_ps"),
                ms("compute_ps"),
                ms("exposed_tensor_ps"),
                ms("exposed_pipeline_ps"),
                ms("exposed_data_ps"),
            ]
        )
    table(
        [
            "placement",
            "sent between zones, GB",
            "busiest uplink",
            "iteration, ms",
            "computes",
            "exposed: tensor",
            "pipeline",
            "data",
        ],
        rows,
    )
    sent = {policy: mean([sent_between_zones(run) for run in runs]) for policy, runs in of_policy.items()}
    step = {policy: mean([run["job0.iteration.time_ps"] for run in runs]) for policy, runs in of_policy.items()}
    study.claim(
        f"simulated: minimum cut sends {sent['random'] / sent['min_cut']:.1f} times fewer bytes between zones than random",
        sent["random"] > 3 * sent["min_cut"],
    )
    study.claim(
        f"simulated: a random placement's iteration takes {step['random'] / step['min_cut']:.2f} times as long",
        step["random"] > 1.2 * step["min_cut"],
    )
    study.claim(
        f"simulated: servers in order take {step['contiguous'] / step['min_cut']:.3f} times as long as minimum cut",
        step["contiguous"] > 0.98 * step["min_cut"],
    )


study = Study()
whole_job(study)
steps(study)
study.end()
