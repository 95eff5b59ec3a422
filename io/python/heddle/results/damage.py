"""What h5py, numpy and pandas raise over a damaged file, as an error that names the file and what of it cannot be read."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from heddle.results.errors import FormatError

RAISED = (OSError, RuntimeError, LookupError, ValueError, TypeError, AttributeError, OverflowError)


@contextlib.contextmanager
def reading(path: str, place: str = "") -> Iterator[None]:
    """Raises FormatError for what goes wrong in the `with` while `place` ("/message/bytes") is read.

    What names the file already is passed on: there is no such table or column, the file was closed, it may not be read.
    """
    try:
        yield
    except FormatError:
        raise
    except RAISED as error:
        said = reason(error)
        if path in said or getattr(error, "filename", None):
            raise
        what = f"{place} cannot be read" if place else "something in it is missing or does not fit"
        raise FormatError(
            f"'{path}' is damaged, or somebody has changed it: {what} ({said}); take a copy that is whole, or run again"
        ) from error


def reason(error: Exception) -> str:
    text = str(error.args[0]) if error.args else ""
    if isinstance(error, KeyError) and " " not in text:
        return f"there is no {text}"
    return text or type(error).__name__


def damaged(path: str, what: str) -> FormatError:
    """`what`: a sentence."""
    return FormatError(f"'{path}' is damaged: {what}; take a copy that is whole")
