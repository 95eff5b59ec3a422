"""Reads the result files of heddle into pandas and xarray.

    import heddle

    run = heddle.open("run.h5")          # also "run.h5.part" of a run that was killed or still goes on
    run.attrs["status"]                  # "complete", "horizon", ..., "partial"
    run.messages()                       # DataFrame, one row per message
    run.collectives()                    # DataFrame, one row per collective
    run.links()                          # DataFrame, one row per directed link: bytes, pauses, largest queue, ...
    run.events("pfc")                    # DataFrame, one row per event
    run.series("queue_bytes", by="tier") # DataArray [time_ps, tier]
    run.utilisation(by="tier")           # DataArray [time_ps, tier]: share of the line rate, 0 to 1

A file can be open here and in h5py.File(path, "r") at once. The percentiles of `heddle info` are nearest ranks:
numpy.quantile(values, 0.99, method="inverted_cdf"), where pandas by itself would interpolate.

Times are integer picoseconds and -1 means never. Counts are int64 and rates float64, so that differences and products do
not wrap around. Units stand in DataFrame.attrs["units"] and DataArray.attrs["units"].
The layout of the file is described in io/RESULT_FILE.md.
"""

try:
    import h5py  # noqa: F401
    import pandas  # noqa: F401
    import xarray  # noqa: F401
except ImportError as error:
    raise ImportError(
        f"heddle needs h5py, pandas and xarray ({error}): ./bootstrap.sh deps installs them; by hand, on Debian: apt-get "
        "install python3-h5py python3-pandas python3-xarray (for /usr/bin/python3)"
    ) from error

from heddle.results.convert import to_frame, to_xarray
from heddle.results.errors import FormatError
from heddle.results.percentiles import percentile
from heddle.results.run import Run, open

__all__ = ["FormatError", "Run", "open", "percentile", "to_frame", "to_xarray"]
