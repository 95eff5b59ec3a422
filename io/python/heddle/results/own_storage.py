"""Whether all that a result file shows lies in the file itself, and is there.

HDF5 follows links to other files, reads rows from any file that a dataset names, and makes up rows that were never written: a result
from a stranger could show what lies on this machine, or fill its memory. io/results/own_storage.cpp does the same for the program.
"""

from __future__ import annotations

import math
import os

import h5py
from h5py import h5d, h5l, h5o, h5z

from heddle.results.errors import FormatError

MAX_EXPANSION = 1040  # deflate makes of a byte at most 1,032 (zlib's technical notes)
FREE_BYTES = 1 << 20  # what is smaller may be unwritten: rows that a run has made room for when it was killed
FILTERS = (h5z.FILTER_DEFLATE, h5z.FILTER_SHUFFLE, h5z.FILTER_FLETCHER32)


def refuse_foreign_storage(file: h5py.File, path: str) -> None:
    """Reads no row. Raises FormatError for a file with a link that is none to an object of its own, a dataset stored elsewhere or by a
    filter that results do not have, or one that claims more rows than its bytes can hold."""
    file_bytes = os.path.getsize(path)
    stored_bytes = 0

    links: list[tuple[bytes, int]] = []
    file.id.links.visit(lambda name, info: links.append((name, info.type)), info=True)  # h5py lets nothing be raised in it
    for name, kind in links:
        place = "/" + name.decode("utf-8", "replace")
        if kind != h5l.TYPE_HARD:
            raise _elsewhere(path, place, "is a link to somewhere else")
        item = h5o.open(file.id, name)
        if not isinstance(item, h5d.DatasetID):
            continue
        stored = _stored_bytes(item, path, place)
        stored_bytes += stored
        claimed = math.prod(item.shape or ()) * item.dtype.itemsize
        if claimed > MAX_EXPANSION * stored + FREE_BYTES or stored_bytes > file_bytes:
            raise FormatError(
                f"'{path}' is damaged, or somebody has changed it: {place} claims {claimed} B, which its {stored} B in the file "
                "cannot hold; take a copy that is whole, or run again"
            )


def _stored_bytes(dataset: h5d.DatasetID, path: str, place: str) -> int:
    properties = dataset.get_create_plist()
    if properties.get_layout() == h5d.VIRTUAL:
        raise _elsewhere(path, place, "takes its rows from other datasets")
    if properties.get_external_count():
        raise _elsewhere(path, place, "has its rows in another file")
    for number in range(properties.get_nfilters()):
        code = properties.get_filter(number)[0]
        if code not in FILTERS:
            raise FormatError(
                f"'{path}' is damaged, or somebody has changed it: {place} needs the filter {code} to be read; take a copy that is whole"
            )
    return dataset.get_storage_size()


def _elsewhere(path: str, place: str, what: str) -> FormatError:
    return FormatError(
        f"'{path}' cannot be read: {place} {what}, so it would show what lies outside of this file; no run writes that: do not trust "
        "this file, and take one that `heddle run` wrote"
    )
