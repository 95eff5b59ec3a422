"""What is known of each fault, kept between runs in one JSON file, and the tables made of it."""

import datetime
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


def markdown_table(faults, results):
    """The table of tests/README.md. Raises ValueError when a fault has no result."""
    missing = [fault.name for fault in faults if results.of(fault) is None]
    if missing:
        raise ValueError(f"these faults were not tried as they are written now: {', '.join(missing)}; try them first")
    entries = [results.of(fault) for fault in faults]
    caught = sum(entry["catcher"] is not None for entry in entries)
    dates = sorted({entry["date"] for entry in entries})
    minutes = sum(entry["seconds"] for entry in entries) / 60
    lines = [
        f"{caught} of {len(faults)} faults caught (`./bootstrap.sh mutation`, {' to '.join(dict.fromkeys((dates[0], dates[-1])))}, "
        f"{minutes:.0f} minutes of building and testing):",
        "",
        "| fault | in `kernels/` | what it is | caught by |",
        "|---|---|---|---|",
    ]
    for fault, entry in zip(faults, entries):
        place = fault.file.removeprefix("kernels/")
        lines.append(f"| `{fault.name}` | `{place}` | {fault.what} | {_catcher(entry)} |")
    return "\n".join(lines)
