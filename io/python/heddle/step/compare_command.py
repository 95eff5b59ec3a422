"""heddle compare FOLDER FOLDER ... of steps; the program compares everything else itself."""

from __future__ import annotations

import argparse
import json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What it takes."""
    parser.description = (
        "How far apart training steps are (heddle step). Results and sweeps are compared by the program of that name."
    )
    parser.add_argument("steps", metavar="FOLDER", nargs="+", help="of steps: what `heddle step` has left")
    parser.add_argument("--json", action="store_true", help="one line of JSON; io/JSON.md documents the keys")


def main(options: argparse.Namespace) -> int:
    """Returns the exit code. Errors are raised, and said by heddle.__main__."""
    from heddle.step import compare

    found = compare(options.steps)
    print(json.dumps(found.as_json()) if options.json else found)
    return 0
