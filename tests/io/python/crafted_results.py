"""Result files as somebody with bad intentions, or a broken disk, would make them: each by its number, the same every time.

Most come of random edits of a good file, as those of tests/fuzz/result_edits.hpp, which here also change values and reach all tables; the
first few show what lies outside of the file, claim what they do not hold, or are built in circles.
"""

from __future__ import annotations

import pathlib
import random
import shutil

import h5py
import numpy as np

SECRET = "what-lies-on-this-machine"
COUNT = 342
HUGE_ROWS = 1 << 34
BOMB_ROWS = 3_000_000
EXTREMES = [0, 1, -1, 2, 255, 2**31 - 1, 2**32 - 1, 2**53, 2**62, 2**63 - 1, -(2**63)]
ATTRIBUTES = [
    b"",
    b"\xff\xfe",
    "x" * 30_000,
    -1,
    2**62,
    np.nan,
    [1, 2, 3],
    "partial",
    "complete",
    "horizon",
    "stalled",
    "\x1b]0;x\x07",
]
WORDS = [b"", b"\0", b"\xff", "\x1b[2J".encode(), b"$x$", b"<script>", b"a\nb", "ä".encode()]


def craft(number: int, good: pathlib.Path, path: pathlib.Path, secret: pathlib.Path, pipe: pathlib.Path) -> str:
    """Makes the file of that number, and says what was done. `secret`: a file that must not be seen; `pipe`: one that nobody may open."""
    shutil.copy(good, path)
    draw = random.Random(number)
    with h5py.File(path, "r+") as file:
        if number < len(SPECIAL):
            name, edit = list(SPECIAL.items())[number]
            edit(file, secret, pipe)
            return name
        done = []
        for _ in range(draw.randint(1, 3)):
            edit = draw.choice(EDITS)
            name = draw.choice(datasets_of(file))
            try:
                edit(file, name, draw)
            except (KeyError, ValueError, TypeError, OSError, RuntimeError, OverflowError) as error:  # HDF5 would not have that
                done.append(f"({edit.__name__} {name}: {error})"[:80])
                continue
            done.append(f"{edit.__name__} {name}")
        return "; ".join(done)


def declared_bytes(path: pathlib.Path) -> int:
    """What all tables of the file would take as the file has them."""
    found = 0

    def add(_: str, item: object) -> None:
        nonlocal found
        if isinstance(item, h5py.Dataset):
            found += item.size * item.dtype.itemsize if item.size else 0

    with h5py.File(path, "r") as file:
        file.visititems(add)
    return found


def datasets_of(file: h5py.File) -> list[str]:
    found: list[str] = []
    file.visititems(lambda name, item: found.append(name) if isinstance(item, h5py.Dataset) else None)
    return found


def replaced(file: h5py.File, name: str, data: object = None, **options: object) -> h5py.Dataset:
    """A dataset of that name with the attributes of the one that was there."""
    attributes = dict(file[name].attrs)
    del file[name]
    made = file.create_dataset(name, data=data, **options)
    for key in ("units", "long_name", "flag_values", "flag_meanings"):
        if key in attributes:
            made.attrs[key] = attributes[key]
    return made


SPECIAL = {}  # by name; the first of EDITS has the number after the last of these


def special(edit):
    SPECIAL[edit.__name__.replace("_", " ")] = edit
    return edit


# What shows something from outside of the file.
@special
def names_from_outside(file, secret, pipe):
    rows = len(file["topology/node/name"])
    replaced(
        file,
        "topology/node/name",
        shape=(rows,),
        dtype=f"S{max(1, len(SECRET) // rows)}",
        external=[(str(secret), 0, h5py.h5f.UNLIMITED)],
    )


@special
def config_from_outside(file, secret, pipe):
    replaced(file, "config", shape=(1,), dtype=f"S{len(SECRET)}", external=[(str(secret), 0, len(SECRET))])


@special
def column_from_a_pipe(file, secret, pipe):
    rows = len(file["link/packets"])
    replaced(file, "link/packets", shape=(rows,), dtype="u8", external=[(str(pipe), 0, 8 * rows)])


@special
def external_link(file, secret, pipe):
    del file["topology/node/name"]
    file["topology/node/name"] = h5py.ExternalLink(str(secret), "/topology/node/name")


@special
def external_group(file, secret, pipe):
    del file["topology"]
    file["topology"] = h5py.ExternalLink(str(secret), "/topology")


@special
def external_link_to_a_pipe(file, secret, pipe):
    del file["message"]
    file["message"] = h5py.ExternalLink(str(pipe), "/message")


@special
def soft_link(file, secret, pipe):
    del file["link/packets"]
    file["link/packets"] = h5py.SoftLink("/link/sent_bytes")


@special
def soft_link_in_a_circle(file, secret, pipe):
    del file["link"]
    file["link"] = h5py.SoftLink("/link")


@special
def virtual(file, secret, pipe):
    rows = len(file["link/packets"])
    layout = h5py.VirtualLayout(shape=(rows,), dtype="u8")
    layout[:] = h5py.VirtualSource(str(secret), "x", shape=(rows,))
    del file["link/packets"]
    file.create_virtual_dataset("link/packets", layout)


@special
def virtual_of_a_pipe(file, secret, pipe):
    layout = h5py.VirtualLayout(shape=(4,), dtype="u8")
    layout[:] = h5py.VirtualSource(str(pipe), "x", shape=(4,))
    file.create_virtual_dataset("series/tier/more", layout)


# What claims more than it holds, or never ends.
@special
def rows_that_nobody_wrote(file, secret, pipe):
    replaced(file, "topology/node/name", shape=(HUGE_ROWS,), dtype="S40", chunks=(1 << 20,), compression="gzip")


@special
def a_table_that_nobody_wrote(file, secret, pipe):
    for name in list(file["event/completion"]):
        replaced(
            file, f"event/completion/{name}", shape=(1 << 27,), dtype=file[f"event/completion/{name}"].dtype, chunks=(1 << 20,)
        )


@special
def a_bomb(file, secret, pipe):
    for name in list(file["event/pfc"]):
        column = file[f"event/pfc/{name}"]
        replaced(file, f"event/pfc/{name}", np.zeros(BOMB_ROWS, column.dtype), chunks=(1 << 18,), compression="gzip")


@special
def a_wide_text(file, secret, pipe):
    replaced(file, "config", shape=(), dtype="S268435455")


@special
def a_circle_of_groups(file, secret, pipe):
    file["series/again"] = file["series"]
    file["link/root"] = file["/"]


@special
def many_groups(file, secret, pipe):
    for number in range(3000):
        file.create_group(f"event/g{number}")


@special
def deep_groups(file, secret, pipe):
    group = file
    for _ in range(600):
        group = group.create_group("g")


CONFIGURATIONS = {
    "a deep list": b"a = " + b"[" * 60_000 + b"]" * 60_000,
    "deep tables": b"[" + b".".join([b"a"] * 1_000) + b"]\nb = 1\n",
    "very deep tables": b"[" + b".".join([b"a"] * 20_000) + b"]\nb = 1\n",
    "deep inline tables": b"b = " + b"[{" + b" = [{".join([b".".join([b"a"] * 30)] * 200) + b" = 1" + b"}]" * 200,
    "a long key": b"[" + b"a" * 100_000 + b"]\n" + b"".join(b"b%d = 1\n" % i for i in range(5_000)),
    "many keys": b"".join(b"a%d=1\n" % i for i in range(390_000)),
    "long values": b"".join(b"a%d=1\n" % i for i in range(20_000)) + b'b="' + b"x" * 1_000_000 + b'"\n',
}
for _name, _text in CONFIGURATIONS.items():
    SPECIAL[f"a configuration of {_name}"] = lambda file, *_, text=_text: replaced(file, "config", np.bytes_(text))


@special
def a_configuration_of_many_values(file, secret, pipe):
    text = b"x = [" + b"1," * (6 << 20) + b"]\n"
    replaced(file, "config", np.array([text]), shape=(1,), dtype=f"S{len(text)}", chunks=(1,), compression="gzip")


@special
def long_meanings(file, secret, pipe):
    for name in datasets_of(file):
        if name.startswith("collective/"):
            replaced(file, name, np.zeros(30_000, file[name].dtype))
    for name in ("kind", "algorithm", "protocol"):
        file[f"collective/{name}"].attrs["flag_meanings"] = " ".join(
            ["x" * 20_000] * len(file[f"collective/{name}"].attrs["flag_values"])
        )


@special
def links_that_repeat(file, secret, pipe):
    for name in datasets_of(file):
        if name.startswith("topology/link/"):
            replaced(file, name, np.resize(file[name][...], 100_000))


@special
def numbers_for_names(file, secret, pipe):
    replaced(file, "series/tier/tier", np.arange(len(file["series/tier/tier"])))


@special
def several_values_for_a_sum(file, secret, pipe):
    file.attrs["ecn_marks"] = [1, 2, 3]


@special
def several_values_for_a_time(file, secret, pipe):
    file["perf"].attrs["wall_s"] = [1.0, 2.0, 3.0]


@special
def a_text_for_a_sum(file, secret, pipe):
    file.attrs["ecn_marks"] = "partial"


@special
def late_series(file, secret, pipe):
    for by in ("tier", "link"):
        if f"series/{by}" in file:
            times = file[f"series/{by}/time_ps"]
            times[...] = np.linspace(0, 2**62, len(times)).astype(np.int64)


@special
def a_late_end(file, secret, pipe):
    file.attrs["end_ps"] = np.int64(2**62)


@special
def nodes_without_end(file, secret, pipe):
    file["topology/node/ports"][...] = 2**32 - 1
    file["topology/node/zone"][...] = np.arange(len(file["topology/node/zone"]), dtype=np.uint32) * 97_000_001


@special
def links_to_nowhere(file, secret, pipe):
    file["topology/link/dst"][...] = 2**32 - 1


ELSEWHERE = range(10)  # of these
# /config is a text that the commands in Python do not take apart
OF_CONFIGURATIONS = {number for number, name in enumerate(SPECIAL) if name.startswith("a configuration of")}


EDITS = []


def random_edit(weight=1):
    """One of those of which others are made."""

    def register(edit):
        EDITS.extend([edit] * weight)
        return edit

    return register


@random_edit()
def removed(file, name, draw):
    del file[name if draw.random() < 0.7 else name.rpartition("/")[0] or name]


@random_edit(weight=2)
def extreme_values(file, name, draw):
    item = file[name]
    if item.dtype.kind in "iuf" and item.size:
        values = item[...]
        flat = values.reshape(-1)
        for _ in range(draw.choice([1, 3, flat.size])):
            chosen = draw.choice([*EXTREMES, *([np.nan, np.inf, -np.inf, 1e300] if item.dtype.kind == "f" else [])])
            flat[draw.randrange(flat.size)] = (
                np.array(chosen, dtype=float if item.dtype.kind == "f" else object).astype(item.dtype, casting="unsafe")
                if item.dtype.kind == "f"
                else np.array([chosen % 2 ** (8 * item.dtype.itemsize)], dtype=np.uint64).astype(item.dtype)[0]
            )
        item[...] = values


@random_edit()
def one_extreme_value(file, name, draw):
    item = file[name]
    if item.dtype.kind in "iu" and item.size:
        chosen = draw.choice(EXTREMES) % 2 ** (8 * item.dtype.itemsize)
        item[...] = np.full(item.shape, np.uint64(chosen)).astype(item.dtype)


@random_edit()
def other_words(file, name, draw):
    item = file[name]
    if item.dtype.kind == "S" and item.size and item.shape:
        item[draw.randrange(len(item))] = np.bytes_(draw.choice(WORDS)[: item.dtype.itemsize])


@random_edit()
def other_type(file, name, draw):
    shape = file[name].shape
    kind = draw.choice(["u1", "i8", ">u8", "f2", "f8", "S1", "S40", "?", "c16", h5py.string_dtype(), h5py.ref_dtype])
    replaced(file, name, shape=shape, dtype=kind)


@random_edit()
def other_shape(file, name, draw):
    shape = tuple(draw.randint(0, 12) for _ in range(draw.randint(0, 3)))
    replaced(file, name, np.zeros(shape, file[name].dtype))


@random_edit()
def other_rows(file, name, draw):
    item = file[name]
    rows = draw.choice([0, 1, 2, 1000])
    replaced(file, name, np.resize(item[...], (rows, *item.shape[1:])) if item.shape and item.size else np.zeros(rows, item.dtype))


@random_edit()
def other_rows_of_a_table(file, name, draw):
    group = name.rpartition("/")[0]
    rows = draw.choice([0, 1, 1000, 100_000])
    for column in [name for name, item in file[group].items() if isinstance(item, h5py.Dataset) and item.ndim == 1]:
        item = file[f"{group}/{column}"]
        replaced(file, f"{group}/{column}", np.resize(item[...], rows) if item.size else np.zeros(rows, item.dtype), chunks=True)


@random_edit()
def huge(file, name, draw):
    shape = (draw.randint(1 << 29, 1 << 40), *file[name].shape[1:])
    replaced(file, name, shape=shape, dtype=file[name].dtype, chunks=(1,) * len(shape))


@random_edit(weight=2)
def other_attribute(file, name, draw):
    where = draw.choice(["/", "/perf", "/summary", name])
    owner = file[where]
    if len(owner.attrs):
        owner.attrs[draw.choice(sorted(owner.attrs))] = draw.choice(ATTRIBUTES)


@random_edit()
def lost_attribute(file, name, draw):
    owner = file[draw.choice(["/", "/perf", name])]
    if len(owner.attrs):
        del owner.attrs[draw.choice(sorted(owner.attrs))]


@random_edit()
def other_codes(file, name, draw):
    coded = [name for name in datasets_of(file) if "flag_values" in file[name].attrs]
    owner = file[draw.choice(coded)]
    owner.attrs["flag_values"] = draw.choice([np.zeros(3, "u1"), np.arange(256, dtype="u1"), np.array([-1, 300]), np.zeros(0), "x"])


@random_edit()
def a_group_instead(file, name, draw):
    del file[name]
    file.create_group(name)


@random_edit()
def a_dataset_instead(file, name, draw):
    group = name.rpartition("/")[0]
    if group:
        del file[group]
        file[group] = np.arange(3)


@random_edit()
def swapped(file, name, draw):
    other = draw.choice(datasets_of(file))
    file.move(name, "swap")
    file.move(other, name)
    file.move("swap", other)


@random_edit()
def shuffled(file, name, draw):
    item = file[name]
    if item.shape and item.size:
        values = item[...]
        np.random.default_rng(draw.randrange(1 << 30)).shuffle(values)
        item[...] = values
