"""python3 -m heddle COMMAND ...: what heddle does with results in Python."""

import argparse
import importlib
import os
import sys
import warnings
from collections.abc import Sequence
from typing import NoReturn

from heddle.output import NO_ROOM, message_of
from heddle.program import BAD_INPUT, ProgramError
from heddle.text import printable

# Command -> (module, one line for --help, as in host/commands/python_tools.cpp). The module has add_arguments(parser) and main(options),
# which returns the exit code.
COMMANDS: dict[str, tuple[str, str]] = {
    "report": ("heddle.report.command", "one page of HTML about a run, or several side by side, that opens anywhere"),
    "trace": ("heddle.trace.command", "a run as a trace for Perfetto"),
    "plot": ("heddle.figures.command", "one figure of a run for a paper: PNG, SVG or PDF"),
    "step": ("heddle.step.command", "how long a training step takes, by its parts, with an interval"),
    "compare": ("heddle.step.compare_command", "what differs between runs, in configuration and in outcome"),
    "watch": ("heddle.watch", "how far a run or a sweep is, while it goes on"),
}


class CommandParser(argparse.ArgumentParser):
    """Says how its own command is used when an option is wrong, and what to do about a file that looks like an option."""

    words: Sequence[str] = ()  # that it parses

    def error(self, message: str) -> NoReturn:
        files = [word for word in self.words if word.startswith("-") and os.path.exists(word)]
        hint = f"; the file '{files[0]}' begins as an option does: write ./{files[0]}" if files else ""
        super().error(f"{message}{hint}; `{self.prog} --help` explains all that it takes")


def main(arguments=None):
    """Runs one command. Returns its exit code, as host/cli/README.md has them: 0 done, 1 no room or no library, 2 bad input, 3 runs
    that are not complete."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    if not arguments or arguments[0] not in COMMANDS:
        overview().parse_args(arguments)  # says what there is, and leaves
    name, *words = arguments
    module, summary = COMMANDS[name]
    os.environ["MPLBACKEND"] = "agg"  # pages and figures need no window, and matplotlib refuses a word that it does not know
    parser = CommandParser(prog=f"heddle {name}", description=summary)
    parser.words = words
    try:
        command = importlib.import_module(module)
        command.add_arguments(parser)
    except ImportError as error:  # a library is missing: the message says which, and how to install it
        print(f"heddle {name}: {error}", file=sys.stderr)
        return 1
    options = parser.parse_args(words)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _say
            warnings.filterwarnings("ignore", message="Glyph")  # a character that the figures' font has not is a box
            return command.main(options)
    except BrokenPipeError:  # who reads has gone: | head
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (OSError, ValueError, KeyError, ImportError) as error:
        print(printable(f"heddle {name}: {message_of(error)}"), file=sys.stderr)
        no_fault_of_input = isinstance(error, ImportError) or isinstance(error, OSError) and error.errno in NO_ROOM
        return 1 if no_fault_of_input else BAD_INPUT
    except ProgramError as error:  # what `heddle` said to a command that runs it
        print(printable(f"heddle {name}: {message_of(error)}"), file=sys.stderr)
        return max(1, error.exit_code)  # below 0: a signal has ended it
    except KeyboardInterrupt:
        return 130


def _say(message, *_, **__):
    print(printable(f"warning: {message}"), file=sys.stderr)


def overview() -> argparse.ArgumentParser:
    """Of all commands, for --help and for what is none of them."""
    parser = argparse.ArgumentParser(prog="heddle", description="Results of heddle as pages, pictures, traces and a live view.")
    choices = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, (_, summary) in COMMANDS.items():
        choices.add_parser(name, help=summary)
    return parser


if __name__ == "__main__":
    sys.exit(main())
