"""python3 -m heddle COMMAND ...: what heddle does with results in Python."""

import argparse
import importlib
import os
import sys

from heddle.output import NO_ROOM
from heddle.program import BAD_INPUT

# Command -> (module, one line for --help). The module has add_arguments(parser) and main(options), which returns the exit code.
COMMANDS: dict[str, tuple[str, str]] = {
    "report": ("heddle.report.command", "one HTML page about a result, or about several side by side"),
    "trace": ("heddle.trace.command", "a result as a trace that Perfetto opens: GPUs, collectives, links, failures"),
    "plot": ("heddle.figures.command", "one figure of a result as PNG, SVG or PDF"),
    "watch": ("heddle.watch", "how far a run, or all runs of a sweep, are: progress, speed, time left, queues, pauses"),
}


def main(arguments=None):
    """Runs one command. Returns its exit code, as host/cli/README.md has them: 0 done, 1 no room or no library, 2 bad input, 3 runs that
    are not complete."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    parser = argparse.ArgumentParser(prog="heddle", description="Results of heddle as pages, pictures, traces and a live view.")
    choices = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, (module, summary) in COMMANDS.items():
        command = choices.add_parser(name, help=summary, description=summary)
        if arguments[:1] == [name]:  # the others' modules need not be read
            try:
                importlib.import_module(module).add_arguments(command)
            except ImportError as error:  # a library is missing: the message says which, and how to install it
                print(f"heddle {name}: {error}", file=sys.stderr)
                return 1
    options = parser.parse_args(arguments)
    try:
        return importlib.import_module(COMMANDS[options.command][0]).main(options)
    except BrokenPipeError:  # who reads has gone: | head
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (OSError, ValueError, KeyError) as error:
        print(f"heddle {options.command}: {error.args[0] if isinstance(error, KeyError) else error}", file=sys.stderr)
        return 1 if isinstance(error, OSError) and error.errno in NO_ROOM else BAD_INPUT
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
