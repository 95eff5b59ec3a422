"""What is known of each fault, kept between runs in one JSON file, and the tables made of it."""

import dataclasses
import datetime
import json
import re


class Results:
    """By the name of the fault: the identity that was tried, its catcher (None: it survived), seconds, date."""

    def __init__(self, path):
        self.path = path
        self.entries = json.loads(path.read_text()) if path.is_file() else {}

    def of(self, fault):
        """The entry of `fault` as it is written now, or None."""
        entry = self.entries.get(fault.name)
        return entry if entry is not None and entry["identity"] == fault.identity() else None

    def caught(self, fault):
        entry = self.of(fault)
        return entry is not None and entry["catcher"] is not None

    def record(self, fault, catcher, seconds):
        self.entries[fault.name] = {
            "identity": fault.identity(),
            "catcher": catcher,
            "seconds": round(seconds, 1),
            "date": datetime.date.today().isoformat(),
        }
        self.path.write_text(json.dumps(self.entries, indent=1) + "\n")


def _catcher(entry):
    return entry["catcher"] or "NOTHING: it survives"


def plain_table(faults, results):
    """Fault, seconds and catcher, a line each, of the faults that have been tried."""
    tried = [(fault, results.of(fault)) for fault in faults if results.of(fault)]
    width = max((len(fault.name) for fault, _ in tried), default=0)
    return "\n".join(f"{fault.name:{width}} {entry['seconds']:6.1f} s  {_catcher(entry)}" for fault, entry in tried)


@dataclasses.dataclass(frozen=True)
class Row:
    """A row of FAULTS.md. `tried`: a date, or UNTRIED, as `catcher`."""

    name: str
    place: str
    what: str
    catcher: str
    tried: str

    def text(self):
        return f"| `{self.name}` | `{self.place}` | {self.what} | {self.catcher} | {self.tried} |"


UNTRIED = "not recorded"
HEAD = ("| fault | in | what it is | caught by | tried |", "|---|---|---|---|---|")
_ROW = re.compile(r"\| `([^`]+)` \| `([^`]+)` \| (.*) \| ([^|]+) \| ([^|]+) \|")


def read_table(text):
    """The rows of the table in the text of FAULTS.md. Raises ValueError when there is no table."""
    if text.count(HEAD[0]) != 1:
        raise ValueError(f"FAULTS.md must hold the head of its table once: {HEAD[0]}")
    return [Row(*match.groups()) for match in map(_ROW.fullmatch, text.split(HEAD[0])[1].splitlines()) if match]


def _row(fault, results, recorded):
    """What was found here of the fault as it is written now, else what is recorded of a fault that reads the same."""
    entry = results.of(fault)
    if entry is not None:
        return Row(fault.name, fault.file, fault.what, _catcher(entry), entry["date"])
    old = recorded.get(fault.name)
    if old is not None and old.what == fault.what:
        return dataclasses.replace(old, place=fault.file)  # code moves, the fault stays
    return Row(fault.name, fault.file, fault.what, UNTRIED, UNTRIED)


def with_table(text, faults, results):
    """The text of FAULTS.md with the table of `faults`, and before it the line that counts them."""
    recorded = {row.name: row for row in read_table(text)}
    rows = [_row(fault, results, recorded) for fault in faults]
    untried = sum(row.catcher == UNTRIED for row in rows)
    survive = sum(row.catcher.startswith("NOTHING") for row in rows)
    count = f"{len(rows) - untried - survive} of {len(rows)} faults were caught, {survive} survived, {untried} are {UNTRIED}."
    before = text.split(HEAD[0])[0].rstrip().split("\n")
    if _COUNT.fullmatch(before[-1]):
        before.pop()
    return "\n".join(("\n".join(before).rstrip(), "", count, "", *HEAD, *(row.text() for row in rows))) + "\n"


_COUNT = re.compile(r"\d+ of \d+ faults were caught, \d+ survived, \d+ are .*\.")
