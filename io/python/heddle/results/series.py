"""Counters over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import h5py
import numpy as np
import xarray as xr

from heddle.results.columns import numbers, text, values
from heddle.results.damage import damaged, reading

if TYPE_CHECKING:
    from heddle.results.run import Run

BLOCK_BYTES = 32 << 20  # of the rows that are held while some links are picked out of them


def quantities_of(group: h5py.Group) -> list[str]:
    """What is counted in /series/tier or /series/link."""
    return sorted(name for name in group if getattr(group[name], "ndim", 0) == 2)


def read_series(run: Run, group: h5py.Group, quantity: str, by: str, links: Sequence[int] | None) -> xr.DataArray:
    """Run.series() of a quantity that is known to be there. Raises ValueError for links that are not there."""
    with reading(run.path, f"{group.name}/{quantity}"):
        return _read_series(run, group, quantity, by, links)


def _read_series(run: Run, group: h5py.Group, quantity: str, by: str, links: Sequence[int] | None) -> xr.DataArray:
    dataset = group[quantity]
    time_ps = group["time_ps"][: _rows(run, dataset, len(group["time_ps"]))]
    if dataset.shape[1] != len(group[by]):
        raise damaged(
            run.path, f"{dataset.name} has {dataset.shape[1]} columns, and there are {len(group[by])} in {group.name}/{by}"
        )
    chosen = None if links is None else _chosen(run, links, dataset.shape[1])
    return xr.DataArray(
        _columns(dataset, len(time_ps), chosen),
        dims=("time_ps", by),
        coords={"time_ps": ("time_ps", time_ps, _texts(group["time_ps"])), **_coordinates(run, group, by, chosen)},
        name=quantity,
        attrs=_texts(dataset),
    )


def _rows(run: Run, dataset: h5py.Dataset, instants: int) -> int:
    """How many rows count; a run that goes on, or was killed, can have written more of one dataset than of another."""
    if dataset.shape[0] != instants and not run.partial:
        raise damaged(run.path, f"{dataset.name} has {dataset.shape[0]} rows of {instants} instants")
    return min(dataset.shape[0], instants)


def _chosen(run: Run, links: Sequence[int], count: int) -> np.ndarray:
    try:
        chosen = np.asarray(links, dtype=np.int64)
    except (ValueError, TypeError, OverflowError):
        raise ValueError(
            f"links={links!r} are no ids of links of '{run.path}', which are 0 to {count - 1}, as in links()"
        ) from None
    for link in chosen[(chosen < 0) | (chosen >= count)][:1]:
        raise ValueError(f"'{run.path}' has no link {link}; ids of links are 0 to {count - 1}, as in links()")
    return chosen


def utilisation_of(sent_bytes: xr.DataArray) -> xr.DataArray:
    """Run.utilisation() from the series of sent bytes."""
    interval_ps = np.diff(sent_bytes["time_ps"].values, prepend=0)
    could_bytes = interval_ps[:, np.newaxis] * sent_bytes["bits_per_s"].values / 8e12
    used_bytes = np.diff(sent_bytes.values, axis=0, prepend=0)
    share = np.divide(used_bytes, could_bytes, out=np.full(could_bytes.shape, np.nan), where=could_bytes > 0)
    result = sent_bytes.copy(data=share).rename("utilisation")
    result = result.assign_coords(interval_ps=("time_ps", interval_ps, {"units": "ps", "long_name": "since the row before"}))
    result.attrs = {"units": "1", "long_name": "share of the line rate that was used since the row before"}
    return result


def _texts(dataset: h5py.Dataset) -> dict[str, str]:
    return {name: text(dataset.attrs[name]) for name in ("units", "long_name") if name in dataset.attrs}


def _coordinates(run: Run, group: h5py.Group, by: str, chosen: np.ndarray | None) -> dict:
    pick = slice(None) if chosen is None else chosen
    coords = {by: values(group[by])[pick]}
    if by == "tier":
        coords["links"] = (by, numbers(group["links"]), _texts(group["links"]))
        coords["bits_per_s"] = (by, numbers(group["bits_per_s"]), _texts(group["bits_per_s"]))
        return coords
    links, names = run.file["topology/link"], values(run.file["topology/node/name"])
    coords["src"] = (by, names[links["src"][...][pick]])
    coords["dst"] = (by, names[links["dst"][...][pick]])
    coords["bits_per_s"] = (by, numbers(links["bits_per_s"])[pick], _texts(links["bits_per_s"]))
    return coords


def _columns(dataset: h5py.Dataset, rows: int, chosen: np.ndarray | None) -> np.ndarray:
    """The first rows of all columns or of the chosen ones, of which no more than a block of rows is held at a time."""
    if chosen is None:
        return numbers(dataset)[:rows]
    result = np.empty((rows, len(chosen)), dtype=np.int64)
    step = max(1, BLOCK_BYTES // (8 * max(1, dataset.shape[1])))
    for first in range(0, rows, step):
        result[first : first + step] = dataset[first : min(first + step, rows)][:, chosen]
    return result
