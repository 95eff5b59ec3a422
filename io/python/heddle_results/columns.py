"""From HDF5 datasets to numpy, pandas and xarray."""

import h5py
import numpy as np
import pandas as pd


def text(value):
    """A text attribute as str, whatever its width."""
    if isinstance(value, bytes):
        return value.rstrip(b"\0").decode()
    if isinstance(value, np.generic):
        return value.item()
    return value


def values(dataset):
    """All values of a dataset; texts become str, codes become categories with their names."""
    data = dataset[...]
    if data.dtype.kind == "S":
        return np.char.decode(data, "utf-8").astype(object)
    meanings = dataset.attrs.get("flag_meanings")
    if meanings is None or data.ndim != 1:
        return data
    return pd.Categorical.from_codes(data.astype(int), categories=text(meanings).split())


def table(group):
    """The columns of a group as a DataFrame.

    In the file of a run that was killed, columns can differ by a chunk of rows; the rows that all of them have count.
    """
    datasets = {name: item for name, item in group.items() if isinstance(item, h5py.Dataset)}
    rows = min(len(item) for item in datasets.values())
    frame = pd.DataFrame({name: values(datasets[name])[:rows] for name in datasets})
    frame.attrs["units"] = {name: text(datasets[name].attrs["units"]) for name in datasets}
    frame.attrs["long_name"] = {name: text(datasets[name].attrs["long_name"]) for name in datasets}
    return frame
