"""Which attributes and datasets of a result are texts and which numbers: one that is something else was changed by somebody."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import h5py

from heddle.results.damage import damaged

TEXT_ATTRIBUTES = frozenset(
    "Conventions build command_line config_hash date devices digest explanation format git_commit hosts slurm_job_id software "
    "software_version status title topology_hash workload_hash".split()
)
NUMBER_ATTRIBUTES = frozenset(
    "cnps data_packets_duplicate data_packets_out_of_order data_packets_received detours drops_class_limit drops_corrupted "
    "drops_headroom_overrun drops_link_down drops_no_route drops_pool_overflow drops_watchdog ecn_marks end_ps flowlet_collisions "
    "flowlets format_version git_dirty goodput_bits_per_s horizon_ps largest_reordering_packets packet_hops path_changes pfc_pauses "
    "pfc_resumes ranks received_bytes retransmits seed series_interval_ps threads tick_ps timeouts "
    "exchanged_bytes exchanges memory_bytes packet_hops_per_s sittings wall_s".split()  # of /perf
)
TEXT_DATASETS = frozenset(
    "/config /histogram/pause_length/tier /histogram/queue_depth/tier /job/rank/name /parameter/key /parameter/text /parameter/unit "
    "/perf/phase/phase /series/tier/tier /topology/node/name".split()
)


def expect_kinds(path: str, place: str, attributes: Mapping[str, Any]) -> None:
    """Raises FormatError for a known attribute that is not a single value of its kind."""
    for name, value in attributes.items():
        if name in TEXT_ATTRIBUTES and not isinstance(value, str):
            raise damaged(path, f"the attribute {name} of {place} is no text")
        if name in NUMBER_ATTRIBUTES and not isinstance(value, (int, float)):
            raise damaged(path, f"the attribute {name} of {place} is no number")


def expect_kind(dataset: h5py.Dataset) -> None:
    """Raises FormatError for a dataset of heddle's (others have no unit) that is a text and should be a number, or the reverse."""
    path, kind = dataset.file.filename, dataset.dtype.kind
    if dataset.name in TEXT_DATASETS:
        if kind != "S":
            raise damaged(path, f"{dataset.name} holds no texts")
    elif kind not in "iuf" and "units" in dataset.attrs:
        raise damaged(path, f"{dataset.name} holds no numbers")
