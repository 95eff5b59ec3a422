"""Between pandas and xarray, with units and long names kept."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr


DEFAULTS = {"units": "1", "long_name": ""}


def to_xarray(frame: pd.DataFrame) -> xr.Dataset:
    """A table as a Dataset of one dimension, every variable with its `units` and `long_name` in attrs.

    The dimension is the first column where that names every row once (`id`, `link`, `time_ps`...), else `row`. Categories become
    str. To have several dimensions: frame.set_index(["bytes", "simulation.seed"])["busbw_GBps"].to_xarray().
    """
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"a table (DataFrame) is needed, and this is a {type(frame).__name__}")
    if frame.columns.empty:
        return xr.Dataset()
    first = frame.columns[0]
    dimension = first if frame[first].is_unique else "row"
    variables = {}
    for name in frame.columns:
        column = frame[name]
        data = column.astype(object) if isinstance(column.dtype, pd.CategoricalDtype) else column
        variables[name] = (dimension, np.asarray(data), _attributes(frame, name))
    return xr.Dataset(variables)


def to_frame(data: xr.DataArray | xr.Dataset) -> pd.DataFrame:
    """A series, a histogram or a Dataset of them as a long table: a column per dimension, coordinate and variable.

    Units stand in DataFrame.attrs["units"], as those of all tables. A DataArray without a name becomes the column `value`.
    """
    if not isinstance(data, (xr.DataArray, xr.Dataset)):
        raise TypeError(f"a DataArray or Dataset is needed, as series() gives them, and this is a {type(data).__name__}")
    dataset = data.to_dataset(name=data.name or "value") if isinstance(data, xr.DataArray) else data
    frame = dataset.to_dataframe().reset_index()
    frame.attrs = {
        kind: {str(name): dataset[name].attrs.get(kind, DEFAULTS[kind]) for name in frame.columns if name in dataset.variables}
        for kind in ("units", "long_name")
    }
    return frame


def _attributes(frame: pd.DataFrame, name: str) -> dict[str, str]:
    return {kind: frame.attrs[kind][name] for kind in ("units", "long_name") if name in frame.attrs.get(kind, {})}
