"""The list of faults: small changes of the engine's text that some test must notice."""

import dataclasses
import hashlib
import pathlib
import tomllib

LISTS = pathlib.Path(__file__).resolve().parent / "faults"
FIELDS = ("name", "what", "file", "old", "new")
ENGINE = ("kernels/", "partition/exchange/", "partition/cut/", "host/scenario/controller/")


class FaultError(Exception):
    """A fault that cannot be tried as it is written."""


@dataclasses.dataclass(frozen=True)
class Fault:
    """In `file` (a path from the repository's root), `old`, which occurs exactly once, becomes `new`."""

    name: str
    what: str
    file: str
    old: str
    new: str

    def changed(self, text):
        """`text`, the content of the file, with the fault in it. Raises FaultError when `old` is not there once."""
        found = text.count(self.old)
        if found != 1:
            raise FaultError(
                f"fault {self.name}: its old text occurs {found} times in {self.file} and must occur exactly once, or "
                f"nobody knows what is being tried. The engine has changed: adapt the old text, or replace the fault"
            )
        return text.replace(self.old, self.new)

    def identity(self):
        """A digest of what the fault changes: a result holds for this text only."""
        return hashlib.sha256("\0".join((self.file, self.old, self.new)).encode()).hexdigest()[:16]


def read_faults(folder=LISTS):
    """All faults of all lists in `folder`, in order of list and place. Raises FaultError when a list is not one."""
    faults = []
    for path in sorted(folder.glob("*.toml")):
        try:
            content = tomllib.loads(path.read_text())
        except tomllib.TOMLDecodeError as error:
            raise FaultError(f"{path.name}: no TOML ({error})") from error
        for number, entry in enumerate(content.get("fault", []), 1):
            if sorted(entry) != sorted(FIELDS) or not all(isinstance(value, str) for value in entry.values()):
                raise FaultError(
                    f"{path.name}: [[fault]] number {number} has the keys {', '.join(sorted(entry))}; "
                    f"a fault has {', '.join(FIELDS)}, each a text"
                )
            faults.append(Fault(**entry))
    names = [fault.name for fault in faults]
    for name in names:
        if names.count(name) != 1:
            raise FaultError(f"fault {name}: {names.count(name)} faults have this name, so --only cannot tell them apart")
    return faults


def check_faults(faults, root):
    """What is wrong with `faults` for the tree at `root`, a line each; empty when every one can be tried."""
    problems = []
    for fault in faults:
        path = root / fault.file
        if not fault.file.startswith(ENGINE):
            problems.append(f"fault {fault.name}: {fault.file} is no part of the engine ({' or '.join(ENGINE)})")
        elif not path.is_file():
            problems.append(f"fault {fault.name}: there is no file {fault.file}; it was moved or removed")
        elif fault.old == fault.new:
            problems.append(f"fault {fault.name}: old and new text are the same, so nothing would be tried")
        else:
            try:
                fault.changed(path.read_text())
            except FaultError as error:
                problems.append(str(error))
    return problems
