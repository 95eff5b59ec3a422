"""Heddle from Python: results as tables.

    import heddle

    run = heddle.open("run.h5")   # also "run.h5.part" of a run that was killed or still goes on
    run.collectives()             # pandas.DataFrame, units in .attrs["units"]

What a result offers stands in `heddle.results`.
"""

from heddle.results import FormatError, Run, open, percentile, to_frame, to_xarray

__all__ = ["FormatError", "Run", "open", "percentile", "to_frame", "to_xarray"]
