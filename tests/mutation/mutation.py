#!/usr/bin/env python3
"""Makes small deliberate faults in a copy of the engine, one at a time, and tells which test notices each of them.

Exit codes: 0 every fault was caught; 1 one survived, or could not be built or judged; 2 the list or the command line is
wrong. tests/mutation/README.md says how to add a fault.
"""

import argparse
import os
import pathlib
import sys
import time

from clone import BuildError, Clone
from faults import FaultError, check_faults, read_faults
from results import SURVIVES, Results, known, outcomes_text, plain_table, read_outcomes, table
from suites import all_suites

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OUTCOMES = pathlib.Path(__file__).resolve().parent / "outcomes.tsv"


def arguments():
    parser = argparse.ArgumentParser(prog="mutation.py", description=__doc__.split("\n\n")[0])
    parser.add_argument("--only", metavar="NAME", action="append", help="only this fault (may be given again)")
    parser.add_argument("--new", action="store_true", help="only faults of which no test is known that notices them")
    parser.add_argument("--list", action="store_true", help="check and print the list, try nothing")
    parser.add_argument(
        "--table", metavar="FILE", nargs="?", const="-", help="write what caught each fault (default: print it), try nothing"
    )
    parser.add_argument("--record", action="store_true", help="write the results so far into outcomes.tsv, try nothing")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="parallel jobs (default: one per core)")
    parser.add_argument("--worlds", type=int, default=2000, metavar="N", help="random worlds a fault must survive (2000)")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build" / "mutation", help="where to work (build/mutation)")
    options = parser.parse_args()
    if options.jobs < 1 or options.worlds < 1:
        parser.error("--jobs and --worlds take a number of at least 1")
    if (options.table or options.record) and (options.only or options.new or options.list):
        parser.error("--table and --record are of all faults, so they go without --only, --new and --list")
    return options


def chosen(faults, options, outcomes):
    unknown = set(options.only or ()) - {fault.name for fault in faults}
    if unknown:
        raise FaultError(f"there is no fault {', '.join(sorted(unknown))}; --list shows them")
    chosen = [fault for fault in faults if not options.only or fault.name in options.only]
    caught = {outcome.fault for outcome in outcomes if outcome.caught_by != SURVIVES}
    return [fault for fault in chosen if not options.new or fault.name not in caught]


def say(text):
    print(text, flush=True)


def unchanged_tree_passes(clone, suites, worlds, mark):
    """Builds and runs everything without a fault: a test that fails then catches nothing. Done once per tree."""
    clone.build(*(target for suite in suites for target in suite.targets))
    passed = f"{clone.digest()} with {worlds} worlds"
    if mark.is_file() and mark.read_text() == passed:
        return True
    for suite in suites:
        start = time.monotonic()
        failed = suite.run(clone)
        if failed is not None:
            say(f"without any fault {failed} fails, so it cannot tell a fault from none; mend that first")
            return False
        say(f"without a fault: {suite.name} passes in {time.monotonic() - start:.0f} s")
    mark.write_text(passed)
    return True


def catcher_of(fault, clone, suites):
    """What notices `fault` first, or None."""
    with clone.with_fault(fault):
        for suite in suites:
            clone.build(*suite.targets)
            found = suite.run(clone)
            if found is not None:
                return found
    return None


def try_all(faults, results, options):
    options.folder.mkdir(parents=True, exist_ok=True)
    clone = Clone(ROOT, options.folder, options.jobs)
    clone.refresh()
    suites = all_suites(options.worlds)
    if not unchanged_tree_passes(clone, suites, options.worlds, options.folder / "unchanged_passes"):
        return 1
    survivors, broken = [], []
    began = time.monotonic()
    for fault in faults:
        start = time.monotonic()
        try:
            catcher = catcher_of(fault, clone, suites)
        except (BuildError, RuntimeError) as error:
            broken.append(fault.name)
            say(f"{fault.name}: cannot be judged: {error}")
            continue
        results.record(fault, catcher, time.monotonic() - start)
        if catcher is None:
            survivors.append(fault.name)
        say(f"{fault.name}: {catcher or 'SURVIVES'} ({time.monotonic() - start:.0f} s)")
    say(f"\n{plain_table(faults, results)}\n")
    caught = len(faults) - len(survivors) - len(broken)
    say(f"{caught} of {len(faults)} faults caught in {(time.monotonic() - began) / 60:.0f} minutes")
    if survivors:
        say(
            f"no test notices: {', '.join(survivors)}. Either a fault changes nothing that can be seen (replace it), or "
            "a test is missing (write it)"
        )
    if broken:
        say(f"could not be judged (above): {', '.join(broken)}")
    return 1 if survivors or broken else 0


def main():
    options = arguments()
    try:
        faults = read_faults()
        problems = check_faults(faults, ROOT)
        if problems:
            raise FaultError("\n".join(problems))
        results = Results(options.folder / "results.json")
        outcomes = known(faults, results, read_outcomes(OUTCOMES.read_text()))
        if options.table or options.record:
            if options.record:
                OUTCOMES.write_text(outcomes_text(outcomes))
            if options.table == "-":
                print(table(faults, outcomes), end="")
            elif options.table:
                pathlib.Path(options.table).write_text(table(faults, outcomes))
            return 0
        faults = chosen(faults, options, outcomes)
        if options.list:
            for fault in faults:
                print(f"{fault.name}\n    {fault.file}: {fault.what}")
            return 0
    except (FaultError, OSError, ValueError) as error:
        print(f"mutation.py: {error}", file=sys.stderr)
        return 2
    return try_all(faults, results, options)


if __name__ == "__main__":
    sys.exit(main())
