"""How far off the mean of some values is."""

from __future__ import annotations

import math
from collections.abc import Sequence


def half_width_95(values: Sequence[float]) -> float:
    """Half of the mean's 95 % confidence interval as `heddle compare` prints it, t(0.975, n - 1) s / sqrt(n); NaN: fewer than two."""
    count = len(values)
    if count < 2:
        return math.nan
    from scipy.special import stdtrit  # only where there is a scatter

    mean = values[0] + sum(value - values[0] for value in values) / count  # of equal values that value, to the last bit
    deviation = math.sqrt(sum((value - mean) ** 2 for value in values) / (count - 1))
    return float(stdtrit(count - 1, 0.975)) * deviation / math.sqrt(count)
