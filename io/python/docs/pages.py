"""The pages of the site: every document of the repository, what they link to, and the parameter table.

Documents keep their places, so that links between them stay as they are. A link to another file leads to a page that shows it, one
to a folder to its README or to a list of what is in it.
"""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
from collections.abc import Callable

LANGUAGES = {
    ".py": "python",
    ".toml": "toml",
    ".sh": "bash",
    ".sbatch": "bash",
    ".hpp": "cpp",
    ".cpp": "cpp",
    ".cu": "cpp",
    ".cuh": "cpp",
    ".yml": "yaml",
    ".csv": "text",
}
MAX_SHOWN_BYTES = 200_000  # of a file on a page; larger ones are copied as they are, and so are pictures
PICTURES = (".svg", ".png")
NOT_OURS = ("build", "results")  # without git: what is built
_CODE = re.compile(r"^ {0,3}(`{3,}|~{3,}).*?^ {0,3}\1[`~]*[ \t]*$|(?<!`)(`+)(?!`)(?:.(?!\n[ \t]*\n))*?(?<!`)\2(?!`)", re.M | re.S)
_LINK = re.compile(r"(!?\[[^\[\]]*\]\(\s*<?)([^\s()<>]+)(>?(?:\s+\"[^\"]*\")?\s*\))")


def documents_of(root: pathlib.Path) -> list[pathlib.Path]:
    """All Markdown files that belong to the project, relative to it: git's, or without git all but what is built or hidden."""
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"],
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode == 0:
        names = [pathlib.Path(name) for name in listed.stdout.split("\0") if name]
    else:
        names = [path.relative_to(root) for path in root.rglob("*.md")]
        names = [name for name in names if name.parts[0] not in NOT_OURS and not any(part.startswith(".") for part in name.parts)]
    return sorted(name for name in names if (root / name).is_file())


def write_pages(root: pathlib.Path, target: pathlib.Path) -> list[pathlib.Path]:
    """Writes all pages into an empty `target` and returns the documents among them. Raises FileNotFoundError for a link that leads
    nowhere."""
    documents = documents_of(root)
    shutil.rmtree(target, ignore_errors=True)
    shown: set[pathlib.Path] = set()
    for name in documents:
        page = target / name
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(with_links((root / name).read_text(), lambda link, name=name: _aim(root, name, link, shown)))
    for name in sorted(shown):
        _show(root, target, name)
    return documents


def with_links(text: str, rewrite: Callable[[str], str]) -> str:
    """The text with the targets of all links rewritten, but none in code (the text of a link may be code)."""
    blank = _CODE.sub(lambda match: re.sub(r"[^\n]", "x", match.group()), text)
    parts, end = [], 0
    for link in _LINK.finditer(blank):
        parts += [text[end : link.start(2)], rewrite(text[link.start(2) : link.end(2)])]
        end = link.end(2)
    return "".join([*parts, text[end:]])


def _aim(root: pathlib.Path, document: pathlib.Path, link: str, shown: set[pathlib.Path]) -> str:
    """Where a link of a document leads in the site; files and folders without a document are noted in `shown`."""
    name, anchor, place = link.partition("#")
    if not name or re.match(r"[a-z][a-z0-9+.-]*:", link):
        return link
    aim = pathlib.Path(os.path.normpath(document.parent / name))
    if aim.parts[:1] == ("..",) or not (root / aim).exists():
        raise FileNotFoundError(f"{document}: ({link}) leads nowhere")
    if aim.suffix == ".md":
        return link
    if (root / aim).is_dir() and (root / aim / "README.md").is_file():
        page = aim / "README.md"
    else:
        shown.add(aim)
        page = page_of(root, aim)
    return os.path.relpath(page, document.parent) + anchor + place


def page_of(root: pathlib.Path, name: pathlib.Path) -> pathlib.Path:
    """The page that shows a file or a folder."""
    if (root / name).is_dir():
        return name / "index.md"
    is_copied = name.suffix in PICTURES or (root / name).stat().st_size > MAX_SHOWN_BYTES
    return name if is_copied else name.with_name(f"{name.name}.md")


def _show(root: pathlib.Path, target: pathlib.Path, name: pathlib.Path) -> None:
    page = target / page_of(root, name)
    page.parent.mkdir(parents=True, exist_ok=True)
    source = root / name
    if source.is_dir():
        entries = sorted(
            entry.name + ("/" if entry.is_dir() else "") for entry in source.iterdir() if not entry.name.startswith(("__", "."))
        )
        page.write_text(f"# {name}/\n\nIn this folder:\n\n" + "".join(f"- `{entry}`\n" for entry in entries))
    elif page.suffix != ".md":
        shutil.copyfile(source, page)
    else:
        fence = "````"
        page.write_text(
            f"# {name}\n\n{fence}{LANGUAGES.get(name.suffix, 'text')}\n{source.read_text(errors='replace').rstrip()}\n{fence}\n"
        )
