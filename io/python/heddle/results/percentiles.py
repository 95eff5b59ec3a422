"""Percentiles as heddle itself prints them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def percentile(values: ArrayLike, percent: float) -> float:
    """The smallest of `values` that at least `percent` % of them do not exceed (nearest rank), NaN of none.

    That is what `heddle info` and `heddle compare` print; pandas' and numpy's own percentiles interpolate. `percent`: 0 to 100.
    """
    if not 0 <= percent <= 100:
        raise ValueError(f"there is no percentile {percent!r}: give a number from 0 to 100")
    data = np.asarray(values)
    if data.size == 0:
        return float("nan")
    return np.quantile(data, percent / 100, method="inverted_cdf").item()
