"""From HDF5 datasets to numpy, pandas and xarray."""

import h5py
import numpy as np
import pandas as pd

# Columns whose 64 bits are several numbers side by side: they stay as they are.
BIT_FIELDS = {"packet"}


def text(value):
    """A text attribute as str, whatever its width."""
    if isinstance(value, bytes):
        return value.rstrip(b"\0").decode()
    if isinstance(value, np.generic):
        return value.item()
    return value


def numbers(dataset):
    """All values of a numeric dataset, of a type that the usual arithmetic does not wrap around.

    The file counts in unsigned integers, whose differences wrap below 0: they become int64. Rates (bit/s) become float64,
    because their product with a time in ps passes 64 bits within microseconds.
    """
    data = dataset[...]
    if data.dtype.kind != "u" or dataset.name.rsplit("/", 1)[-1] in BIT_FIELDS:
        return data
    return data.astype(np.float64 if text(dataset.attrs.get("units", "1")) == "bit/s" else np.int64)


def names_of(codes, flag_values, flag_meanings):
    """Codes as categories with their names; a code that the file does not name is called "code N"."""
    known = dict(zip((int(value) for value in flag_values), flag_meanings.split()))
    unknown = sorted(set(np.unique(codes).tolist()) - set(known))
    known.update((code, f"code {code}") for code in unknown)
    place = np.zeros(256, dtype=np.int16)  # codes are bytes
    place[list(known)] = np.arange(len(known))
    return pd.Categorical.from_codes(place[codes], categories=list(known.values()))


def values(dataset):
    """All values of a dataset; texts become str, codes become categories with their names, numbers as in numbers()."""
    if dataset.dtype.kind == "S":
        return np.char.decode(dataset[...], "utf-8").astype(object)
    meanings = dataset.attrs.get("flag_meanings")
    if meanings is None or dataset.ndim != 1:
        return numbers(dataset)
    return names_of(dataset[...], dataset.attrs["flag_values"], text(meanings))


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
