"""What is known of each fault: what this machine found, in a JSON file, and what is recorded in outcomes.tsv; tables of both."""

import dataclasses
import datetime
import hashlib
import json


class Results:
    """By the name of the fault: the identity that was tried, its catcher (None: it survived), seconds, date."""

    def __init__(self, path):
        self.path = path
        self.entries = json.loads(path.read_text()) if path.is_file() else {}

    def of(self, fault):
        """The entry of `fault` as it is written now, or None."""
        entry = self.entries.get(fault.name)
        return entry if entry is not None and entry["identity"] == fault.identity() else None

    def record(self, fault, catcher, seconds):
        self.entries[fault.name] = {
            "identity": fault.identity(),
            "catcher": catcher,
            "seconds": round(seconds, 1),
            "date": datetime.date.today().isoformat(),
        }
        self.path.write_text(json.dumps(self.entries, indent=1) + "\n")


def _catcher(entry):
    return entry["catcher"] or SURVIVES


def plain_table(faults, results):
    """Fault, seconds and catcher, a line each, of the faults that have been tried."""
    tried = [(fault, results.of(fault)) for fault in faults if results.of(fault)]
    width = max((len(fault.name) for fault, _ in tried), default=0)
    return "\n".join(f"{fault.name:{width}} {entry['seconds']:6.1f} s  {_catcher(entry)}" for fault, entry in tried)


SURVIVES = "NOTHING: it survives"
UNTRIED = "not recorded"
COLUMNS = ("fault", "what", "tried", "caught_by")


@dataclasses.dataclass(frozen=True)
class Outcome:
    """A line of outcomes.tsv. `what`: a digest of the description that was tried. `tried`: a date."""

    fault: str
    what: str
    tried: str
    caught_by: str


def digest_of(what):
    """Of a fault's description: an outcome holds while this is the same. Code moves, the fault stays."""
    return hashlib.sha256(what.encode()).hexdigest()[:8]


def read_outcomes(text):
    """The outcomes in the text of outcomes.tsv. Raises ValueError when it is not such a text."""
    lines = [tuple(line.split("\t")) for line in text.splitlines()]
    if not lines or lines[0] != COLUMNS or any(len(line) != len(COLUMNS) for line in lines):
        raise ValueError(f"outcomes.tsv must begin with the columns {', '.join(COLUMNS)} and have {len(COLUMNS)} in every line")
    return [Outcome(*line) for line in lines[1:]]


def outcomes_text(outcomes):
    """The text of outcomes.tsv."""
    return "\n".join("\t".join(line) for line in (COLUMNS, *map(dataclasses.astuple, outcomes))) + "\n"


def known(faults, results, recorded):
    """The outcome of every fault of which one is known, in order: what this machine found of the fault as it is written now, else
    what is recorded of a fault with this description."""
    by_name = {outcome.fault: outcome for outcome in recorded}
    found = []
    for fault in faults:
        what, entry, old = digest_of(fault.what), results.of(fault), by_name.get(fault.name)
        if entry is not None:
            found.append(Outcome(fault.name, what, entry["date"], _catcher(entry)))
        elif old is not None and old.what == what:
            found.append(old)
    return found


def table(faults, outcomes):
    """A Markdown document: a row for every fault, after a line that counts them. A fault without an outcome is "not recorded"."""
    by_name = {outcome.fault: outcome for outcome in outcomes}
    rows = []
    for fault in faults:
        outcome = by_name.get(fault.name)
        caught_by, tried = (outcome.caught_by, outcome.tried) if outcome else (UNTRIED, UNTRIED)
        rows.append(f"| `{fault.name}` | `{fault.file}` | {fault.what} | {caught_by} | {tried} |")
    survive = sum(outcome.caught_by == SURVIVES for outcome in outcomes)
    return "\n".join(
        (
            "# Deliberate faults, and what caught each",
            "",
            f"{len(outcomes) - survive} of {len(faults)} faults were caught, {survive} survived, "
            f"{len(faults) - len(outcomes)} are {UNTRIED}.",
            "",
            "| fault | in | what it is | caught by | tried |",
            "|---|---|---|---|---|",
            *rows,
            "",
        )
    )
