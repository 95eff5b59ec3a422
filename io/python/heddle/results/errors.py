"""What can be wrong with a file, and how it is said."""

from __future__ import annotations


class FormatError(ValueError):
    """The file is not a result of heddle, is newer than this reader, or is damaged."""


def os_error(kind: type[OSError], number: int | None, path: str, why: str) -> OSError:
    """An error of that kind and number whose text is `why` with the file, where Python would say "[Errno 2] why: 'file'"."""
    error = kind(f"'{path}': {why}")
    error.errno = number
    return error
