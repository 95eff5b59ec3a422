"""Run by python_test.cpp: what the reader says of files that are no results, that are damaged, and of wrong names."""

import os
import shutil
import sys
import warnings

import h5py
import heddle
import numpy as np

RESULT, FOLDER = sys.argv[1], sys.argv[2]


def message_of(kind, call):
    try:
        call()
    except kind as error:
        return str(error)
    raise AssertionError(f"no {kind.__name__}")


def path(name):
    return os.path.join(FOLDER, name)


def changed(name, edit):
    """A copy of the result that `edit` has changed through h5py."""
    shutil.copyfile(RESULT, path(name))
    with h5py.File(path(name), "r+") as file:
        edit(file)
    return path(name)


def check_no_files():
    os.mkfifo(path("pipe"))
    os.symlink("nowhere", path("dangling"))
    os.symlink("circle", path("circle"))
    for name, content in (("signature", b"\x89HDF\r\n\x1a\n"), ("checkpoint", b"heddle-checkpoint\n" * 99)):
        with open(path(name), "wb") as file:
            file.write(content)
    assert "it is a pipe" in message_of(OSError, lambda: heddle.open(path("pipe")))
    assert "symbolic link to 'nowhere'" in message_of(FileNotFoundError, lambda: heddle.open(path("dangling")))
    assert "in a circle" in message_of(OSError, lambda: heddle.open(path("circle")))
    assert "cannot be read as HDF5" in message_of(heddle.FormatError, lambda: heddle.open(path("signature")))
    assert "is a checkpoint" in message_of(heddle.FormatError, lambda: heddle.open(path("checkpoint")))


def check_permissions():
    if os.geteuid() == 0:
        return
    shutil.copyfile(RESULT, path("secret"))
    os.chmod(path("secret"), 0)
    assert "may not be read" in message_of(PermissionError, lambda: heddle.open(path("secret")))
    os.mkdir(path("closed"), 0)
    assert "may not be entered" in message_of(PermissionError, lambda: heddle.open(path("closed/run.h5")))


def check_flipped_bits():
    """In the headers of texts, which have no checksum."""
    with open(RESULT, "rb") as file:
        content = file.read()
    heap = content.index(b"GCOL\1\0\0\0")
    circle = content[: heap + 16] + bytes(16) + content[heap + 32 :]
    with open(path("circle.h5"), "wb") as file:
        file.write(circle)
    assert "is damaged: reading its texts is not done within 1 s" in message_of(
        heddle.FormatError, lambda: heddle.open(path("circle.h5"))
    )


def check_beside_h5py():
    for close_ours_first in (True, False):
        with h5py.File(RESULT, "r"), heddle.open(RESULT) as run:
            assert len(run.messages()) == 2
        run = heddle.open(RESULT)
        with h5py.File(RESULT, "r") as file:
            assert file.attrs["status"] == "complete"
            if close_ours_first:
                run.close()
        run.close()
    with h5py.File(RESULT, "r", libver="latest", swmr=True, locking=False), heddle.open(RESULT) as run:
        assert len(run.messages()) == 2


def check_wrong_names():
    with heddle.open(RESULT) as run:
        for name in ("links", "bits_per_s", "time_ps", "tier", None, 3):
            message = message_of(KeyError, lambda name=name: run.series(name))
            assert "it has drops, ecn_marks, paused_ps, queue_bytes, sent_bytes" in message, message
        for name in (3, None, "pfc/kind", ""):
            assert "completion, drop, failure, pfc" in message_of(KeyError, lambda name=name: run.events(name))
        assert "has no 'queue_depth/count' in /histogram" in message_of(KeyError, lambda: run.histogram("queue_depth/count"))
        assert RESULT in message_of(KeyError, lambda: run.series("drops", by="rank"))


def delete(*names):
    def edit(file):
        for name in names:
            del file[name]

    return edit


def check_changed_files():
    with heddle.open(changed("no_parameter.h5", delete("parameter", "event"))) as run:
        message = message_of(KeyError, run.parameters)
        assert "no_parameter.h5' has no 'parameter' in /" in message, message
        assert "has no /event, which every result has" in message_of(KeyError, lambda: run.events("pfc"))

    def add(file):
        file["message/mine"] = np.arange(2)
        file["message/other"] = np.arange(5)

    with heddle.open(changed("added.h5", add)) as run, warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        messages = run.messages()
        assert list(messages["mine"]) == [0, 1] and "other" not in messages and messages.attrs["units"]["mine"] == ""
        assert any("/message/other" in str(one.message) for one in said)

    def shorten(file):
        file["message/cnps"].resize((1,))

    with heddle.open(changed("short.h5", shorten)) as run:
        assert "has 1 rows in cnps, but 2 in " in message_of(heddle.FormatError, run.messages)

    def recode(file):
        file["event/pfc/kind"][0] = 99

    with heddle.open(changed("code.h5", recode)) as run:
        assert "/event/pfc/kind holds the code 99" in message_of(heddle.FormatError, lambda: run.events("pfc"))

    def restate(file):
        file.attrs["status"] = "fine"

    assert "its status is 'fine'" in message_of(heddle.FormatError, lambda: heddle.open(changed("status.h5", restate)))


check_no_files()
check_permissions()
check_flipped_bits()
check_beside_h5py()
check_wrong_names()
check_changed_files()
