"""What a page says of one run: read in one pass, bounded, so that the file can be closed before the page is made."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from heddle.axes import Parameter, parameters_of
from heddle.collection import OVER
from heddle.figures import FIGURES, Missing
from heddle.figures.checkpoints import checkpoints
from heddle.figures.collectives import by_size
from heddle.figures.reading import end_ps, link_totals, need_whole
from heddle.figures.requests import requests
from heddle.report.outcome import Measure, measures_of
from heddle.report.soundness import Check, checks_of
from heddle.report.standouts import FRAMES, Standout, standouts_of
from heddle.results import Run
from heddle.results.fabric import evenness_of, mean_rates
from heddle.results.message_kinds import MessageKind, kinds_told_apart


@dataclass
class Facts:
    """One run. `frames` holds the table of every figure that was wanted and is there, `lacks` why others are not."""

    name: str  # as the page calls it
    path: str
    attrs: dict[str, Any]
    parameters: dict[str, Parameter]
    end_ps: int  # what the file knows last
    nodes: dict[str, int]  # by tier
    workload: str
    perf: dict[str, Any]
    checks: list[Check]
    measures: list[Measure]
    kinds: pd.DataFrame  # what links of a kind did; empty where the file does not know
    collectives: pd.DataFrame  # by kind and size; empty where there are none
    checkpoints: pd.DataFrame  # of training jobs (heddle.figures.checkpoints); empty where there are none
    message_kinds: dict[MessageKind, pd.DataFrame]  # kinds_told_apart()
    requests: pd.DataFrame  # Run.summary("request"); empty where there are none
    missing: dict[str, str]  # Run.missing()
    picture: str = ""  # of the fabric, as SVG
    axes: dict[str, str] = field(default_factory=dict)  # key -> value, as text
    frames: dict[str, pd.DataFrame] = field(default_factory=dict)
    lacks: dict[str, str] = field(default_factory=dict)
    standouts: list[Standout] = field(default_factory=list)

    @property
    def partial(self) -> bool:
        return self.attrs["status"] == "partial"

    @property
    def over(self) -> bool:
        """Whether it did what it was to do: others are in no mean."""
        return self.attrs["status"] in OVER

    def measure(self, key: str) -> Measure | None:
        return next((measure for measure in self.measures if measure.key == key), None)


def facts_of(run: Run, name: str, figures: Collection[str]) -> Facts:
    """Reads what a page says of a run; `figures` are those that it draws of it. FormatError: the file lacks a table."""
    need_whole(run)
    frames, lacks = {}, {}
    for figure in dict.fromkeys([*figures, *FRAMES]):
        try:
            frames[figure] = FIGURES[figure].data(run)
        except Missing as why:
            lacks[figure] = str(why)
    measures = measures_of(run)
    facts = Facts(
        name=name,
        path=run.path,
        attrs=run.attrs,
        parameters=parameters_of(run.parameters()),
        end_ps=end_ps(run),
        nodes=_kinds_of_nodes(run.nodes()),
        workload=run.attrs.get("title", ""),
        perf=perf_of(run),
        checks=checks_of(run),
        measures=measures,
        kinds=kinds_of(run),
        collectives=collectives_of(run),
        checkpoints=checkpoints_of(run),
        message_kinds=kinds_told_apart(run),
        requests=requests_of(run),
        missing=run.missing(),
        picture=run.picture,
        frames=frames,
        lacks=lacks,
    )
    facts.standouts = standouts_of(facts)
    for known in (facts.frames, facts.lacks):
        for figure in set(FRAMES).difference(figures):
            known.pop(figure, None)
    return facts


def _kinds_of_nodes(nodes: pd.DataFrame) -> dict[str, int]:
    """{tier: nodes}; endpoints of another fabric than that of the GPUs as "frontend.endpoint"."""
    tiers, names = nodes["tier"].astype(str), nodes["name"].astype(str)
    others = (tiers == "endpoint") & names.str.contains(".", regex=False)
    return tiers.where(~others, names.str.split(".").str[0] + "." + tiers).value_counts(sort=False).to_dict()


def collectives_of(run: Run) -> pd.DataFrame:
    """heddle.figures.collectives.by_size, or an empty frame."""
    try:
        return by_size(run)
    except Missing:
        return pd.DataFrame()


def checkpoints_of(run: Run) -> pd.DataFrame:
    """heddle.figures.checkpoints.checkpoints, or an empty frame."""
    try:
        return checkpoints(run)
    except Missing:
        return pd.DataFrame()


def requests_of(run: Run) -> pd.DataFrame:
    """heddle.figures.requests.requests, or an empty frame."""
    try:
        return requests(run)
    except Missing:
        return pd.DataFrame()


def perf_of(run: Run) -> dict[str, Any]:
    """Run.perf with `phases`, `checkpoints`, `checkpoint_wall_s` of those of which it is known, and `checkpoints_unknown`; {} without."""
    if "perf" not in run.file:
        return {}
    wall_s = run.checkpoints()["wall_s"]
    unknown = int(wall_s.isna().sum())
    took = float(wall_s.sum()) if unknown < len(wall_s) else None
    checkpoints = {"checkpoints": len(wall_s), "checkpoint_wall_s": took, "checkpoints_unknown": unknown}
    return {**run.perf, "phases": phases_of(run.phases()), **checkpoints}


def phases_of(phases: pd.DataFrame) -> dict[str, float]:
    """Wall seconds of every phase, each second in one: of the file's advance, exchange is a part."""
    took = phases.set_index("phase")["wall_s"].to_dict()
    if "advance" in took:
        took["advance"] = max(0.0, took["advance"] - took.get("exchange", 0.0))
    return took


def kinds_of(run: Run) -> pd.DataFrame:
    """What links of every kind did over the run: one row per kind, or an empty frame."""
    try:
        links = link_totals(run)
    except Missing:
        return pd.DataFrame()
    rows = []
    for tier, group in links.groupby("tier", sort=False):
        drops = sum(group[column].sum() for column in ("egress_drops", "ingress_drops", "losses") if column in group)
        rows.append(
            {
                "tier": tier,
                "links": len(group),
                "mean_use": group["use"].mean(),
                "most_use": group["use"].max(),
                **evenness_of((group["sent_bytes"] / mean_rates(group)).to_numpy()),
                "mean_paused_ps": group["paused_ps"].mean(),
                "most_paused_ps": int(group["paused_ps"].max()),
                "paused_ps": int(group["paused_ps"].sum()),
                "pauses": int(group["pauses"].sum()) if "pauses" in group else np.nan,
                "peak_queue_bytes": int(group["peak_queue_bytes"].max()),
                "ecn_marks": int(group["ecn_marks"].sum()),
                "lost": int(drops),
            }
        )
    return pd.DataFrame(rows)
