"""Links with the names of their ends and what they did, and how evenly they were used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from heddle.results.columns import table, values
from heddle.results.damage import damaged, reading

if TYPE_CHECKING:
    from heddle.results.run import Run


def links_of(run: Run) -> pd.DataFrame:
    """Run.links()."""
    with reading(run.path, "/topology or /link"):
        return _links_of(run)


def _expect_row_numbers(run: Run, table_name: str) -> int:
    """How many links a table has. Raises FormatError where its column `link` does not number its rows, as ids of links do."""
    ids = run.file[f"{table_name}/link"][...]
    if ids.ndim != 1 or not np.array_equal(ids, np.arange(len(ids))):
        raise damaged(run.path, f"{table_name}/link does not number the rows")
    return len(ids)


def _links_of(run: Run) -> pd.DataFrame:
    count = _expect_row_numbers(run, "/topology/link")
    if "link" in run.file and _expect_row_numbers(run, "/link") not in (0, count):  # none while the run is partial
        raise damaged(run.path, f"/link does not have the {count} rows of /topology/link")
    links = table(run._member("topology", "link"))
    names, tiers = values(run.file["topology/node/name"]), np.asarray(values(run.file["topology/node/tier"]), dtype=object)
    units = {**links.attrs["units"], "src_name": "1", "dst_name": "1", "tier": "1"}
    long_names = {**links.attrs["long_name"], "src_name": "name of src", "dst_name": "name of dst", "tier": "kind of link"}
    links["src_name"], links["dst_name"] = names[links["src"]], names[links["dst"]]
    links["tier"] = _ends(links, "src", tiers) + ">" + _ends(links, "dst", tiers)
    if "link" in run.file and len(run.file["link/link"]) != 0:
        did = table(run.file["link"])
        units.update(did.attrs["units"], use="1")
        long_names.update(did.attrs["long_name"], use="share of the run's time in which it sent")
        links = links.merge(did, on="link")
        known = run.attrs["end_ps"] > 0 and run.attrs["status"] != "stalled"
        could_bytes = mean_rates(links) * (run.attrs["end_ps"] / 8e12)
        links["use"] = (links["sent_bytes"] / could_bytes).clip(upper=1) if known else np.nan
    links.attrs = {"units": units, "long_name": long_names}
    return links


def mean_rates(links: pd.DataFrame) -> pd.Series:
    """[link] bit/s that its use is related to; a file of an earlier version knows nominal rates alone."""
    return links["mean_bits_per_s" if "mean_bits_per_s" in links else "bits_per_s"]


def _ends(links: pd.DataFrame, end: str, tiers: np.ndarray) -> np.ndarray:
    """[link] the tier of its source or destination; of NICs with several ports with the port, "endpoint.1"."""
    at = tiers[links[end]]
    is_nic = at == "endpoint"
    port = links[f"{end}_port"].to_numpy()
    if not is_nic.any() or port[is_nic].max() == 0:
        return at
    return np.where(is_nic, at + "." + port.astype(str).astype(object), at)


def evenness_of(load: np.ndarray) -> dict[str, float]:
    """busiest_over_mean and jain_index: 1 where all links carried alike, NaN where nothing was sent."""
    if load.sum() <= 0:
        return {"busiest_over_mean": np.nan, "jain_index": np.nan}
    return {"busiest_over_mean": load.max() / load.mean(), "jain_index": load.sum() ** 2 / (len(load) * (load**2).sum())}


def balance_of(links: pd.DataFrame) -> pd.DataFrame:
    """Run.balance() from Run.links()."""
    if "sent_bytes" not in links:
        return pd.DataFrame()
    load = links["sent_bytes"] / mean_rates(links)
    rows = {}
    for name, of_kind in links.groupby("tier"):
        row = {"links": len(of_kind), **evenness_of(load[of_kind.index].to_numpy())}
        for percent in (0, 10, 50, 90, 100):
            row[f"use_p{percent}"] = np.quantile(of_kind["use"], percent / 100, method="inverted_cdf")
        for what in ("qps", "messages"):
            known = what in of_kind and (of_kind[what] >= 0).all()
            row[f"mean_{what}"] = of_kind[what].mean() if known else np.nan
            row[f"most_{what}"] = of_kind[what].max() if known else np.nan
        rows[name] = row
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("kind")
