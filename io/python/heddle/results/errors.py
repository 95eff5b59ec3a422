"""What can be wrong with a result file."""


class FormatError(ValueError):
    """The file is not a result of heddle, is newer than this reader, or is damaged."""
