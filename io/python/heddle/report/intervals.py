"""Confidence intervals of means, as `heddle compare` prints them: t(0.975, n - 1) s / sqrt(n)."""

from __future__ import annotations

import math
from collections.abc import Sequence

# Student's t for 95 %, two-sided, of 1 to 10 degrees of freedom.
T_95 = (12.7062, 4.30265, 3.18245, 2.77645, 2.57058, 2.44691, 2.36462, 2.30600, 2.26216, 2.22814)
Z_95 = 1.959964


def student_t_95(degrees: int) -> float:
    """Beyond the table by the expansion in 1/degrees (Abramowitz and Stegun, 26.7.5): exact to four digits there."""
    if degrees <= len(T_95):
        return T_95[degrees - 1]
    z = Z_95
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / degrees ** (place + 1) for place, term in enumerate(terms))


def half_width_95(values: Sequence[float]) -> float:
    """Half of the 95 % confidence interval of the mean; NaN of fewer than two values."""
    count = len(values)
    if count < 2:
        return math.nan
    mean = values[0] + sum(value - values[0] for value in values) / count  # of equal values that value, to the last bit
    deviation = math.sqrt(sum((value - mean) ** 2 for value in values) / (count - 1))
    return student_t_95(count - 1) * deviation / math.sqrt(count)
