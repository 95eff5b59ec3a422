"""Percentiles as heddle itself prints them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def percentile(values: ArrayLike, percent: float) -> float:
    """The smallest of `values` that at least `percent` % of them do not exceed (nearest rank), NaN of none.

    That is what `heddle info` and `heddle compare` print; pandas' and numpy's own percentiles interpolate. `percent`: 0 to 100, to
    three digits behind the point.
    """
    if not 0 <= percent <= 100:
        raise ValueError(f"there is no percentile {percent!r}: give a number from 0 to 100")
    data = np.asarray(values)
    if data.size == 0:
        return float("nan")
    if data.dtype.kind == "f" and np.isnan(data).any():
        return float("nan")
    rank = (data.size * round(percent * 1000) + 99_999) // 100_000  # rounded up; 99.9 / 100 is more than 0.999
    return np.sort(data, axis=None)[max(rank, 1) - 1].item()
