"""What Markdown files point to: links and anchors as GitHub resolves them, and names of documents in other files."""

import re
import subprocess

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,}).*?^ {0,3}\1[`~]*[ \t]*$", re.M | re.S)
_CODE = re.compile(r"(`+)(?!`)[^`]*(?:`(?!\1)[^`]*)*?\1(?!`)")
_INLINE = re.compile(r"!?\[[^\[\]]*\]\(\s*<?([^\s()<>]*)>?(?:\s+\"[^\"]*\")?\s*\)")
_REFERENCE = re.compile(r"^ {0,3}\[[^\]]+\]:\s*<?(\S+?)>?(?:\s+\".*\")?\s*$", re.M)
_HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$", re.M)
_DOCUMENT = re.compile(r"(?<![\w./*{}-])((?:[\w.-]+/)*[A-Za-z][\w-]*\.md)\b(?!\.\w|/)")
_TEXT = {".hpp", ".cpp", ".cu", ".cuh", ".py", ".sh", ".sbatch", ".toml", ".txt", ".cmake", ".in", ".json", ".yml", ".md", ""}


def _blank(match):
    """As many lines of nothing, so that positions keep their line."""
    return "\n" * match.group().count("\n")


def anchors(text):
    """The anchors of all headings: lower case, no punctuation, blanks as hyphens, -1, -2 for equal ones."""
    seen, found = {}, set()
    for match in _HEADING.finditer(_FENCE.sub(_blank, text)):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", match.group(1))
        name = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        number = seen.get(name, 0)
        seen[name] = number + 1
        found.add(name if number == 0 else f"{name}-{number}")
    return found


def links(text):
    """(line, target) of every link that is not in code."""
    text = _CODE.sub(lambda match: "`" + _blank(match), _FENCE.sub(_blank, text))
    for pattern in (_INLINE, _REFERENCE):
        for match in pattern.finditer(text):
            yield text.count("\n", 0, match.start()) + 1, match.group(1)


def problem(path, target, root):
    """What is wrong with a link in the file `path` of the tree at `root`, or None."""
    if re.match(r"[a-z][a-z0-9+.-]*:", target):
        return None  # another site: nothing here can say
    name, _, anchor = target.partition("#")
    aim = (path.parent / name).resolve() if name else path.resolve()
    if name.startswith("/") or not aim.is_relative_to(root.resolve()):
        return "leads out of the repository"
    if not aim.exists():
        return "there is no such file"
    if not anchor and name:
        return None
    if aim.suffix != ".md":
        return "an anchor, but not of a Markdown file"
    if anchor not in anchors(aim.read_text()):
        return f"{aim.relative_to(root.resolve())} has no heading of that name"
    return None


def dead_links(files, root):
    """A line of text for every dead link of the Markdown files among `files`."""
    found = []
    for path in files:
        if path.suffix != ".md":
            continue
        for line, target in links(path.read_text()):
            why = problem(path, target, root)
            if why is not None:
                found.append(f"{path.relative_to(root)}:{line}: ({target}): {why}")
    return found


def dead_names(files, root, of_others=()):
    """A line of text for every name of a document, as in `see io/README.md`, that is not there: with folders, from the root of
    the repository or from a folder above the file that names it; without, anywhere. CHANGELOG.md may name what is gone."""
    documents = {path.name for path in files if path.suffix == ".md"}
    found = []
    for path in files:
        if path.suffix not in _TEXT or path.name == "CHANGELOG.md":
            continue
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        above = [path.parent, *path.parent.parents]
        places = above[: above.index(root) + 1]
        for match in _DOCUMENT.finditer(text):
            name = match.group(1)
            known = any((place / name).is_file() for place in places) if "/" in name else name in documents
            if not known and name not in of_others:
                found.append(f"{path.relative_to(root)}:{text.count(chr(10), 0, match.start()) + 1}: there is no {name}")
    return found


def files_of(root):
    """The files that belong to the project: git's, or without git all but what is built or hidden."""
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True
    )
    if listed.returncode == 0:
        files = [root / name for name in listed.stdout.split("\0") if name]
    else:
        files = [
            path
            for path in root.rglob("*")
            if not {"build", "results"} & set(path.relative_to(root).parts)
            and not any(part.startswith(".") for part in path.relative_to(root).parts)
        ]
    return sorted(path for path in files if path.is_file() and not path.is_symlink())
