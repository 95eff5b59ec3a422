"""Builds the documentation as a site: FOLDER/site/index.html. ./bootstrap.sh docs runs it.

    python3 io/python/docs/build_site.py --program build/cpu/bin/heddle build/docs
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import venv

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(HERE), str(HERE.parent)]

import pages  # noqa: E402  (found by the line above)
import parameter_page  # noqa: E402

from heddle.config import parameters  # noqa: E402

PARAMETERS = "configs/PARAMETERS.md"
# The menu: the first two, then what a reader does, in this order; all other documents are under "All documents", by folder.
FIRST = ["README.md", "configs/TUTORIAL.md"]
MENU = {
    "Configure": ["configs/README.md", PARAMETERS, "io/formats/IMPORT.md", "io/formats/README.md"],
    "Run": ["host/cli/README.md", "host/cli/SWEEPS.md", "host/cli/LONG_RUNS.md", "slurm/README.md", "tests/bench/scaling.md"],
    "Results": ["io/README.md", "io/python/README.md", "io/RESULT_FILE.md", "io/JSON.md"],
    "Studies": ["configs/studies/README.md"],
    "The model": ["kernels/MODEL.md", "tests/README.md", "tests/validation/README.md"],
    "Change it": ["CONTRIBUTING.md", "CHANGELOG.md"],
}


def menu_of(documents: list[str]) -> list:
    """mkdocs' nav; studies below their list, the rest by folder."""
    named = {*FIRST, *(name for names in MENU.values() for name in names)}
    nav: list = list(FIRST)
    for title, names in MENU.items():
        below = [name for name in documents if title == "Studies" and name.startswith("configs/studies/") and name not in named]
        nav.append({title: [*names, *below]})
        named.update(below)
    rest: dict[str, list[str]] = {}
    for name in documents:
        if name not in named:
            rest.setdefault(name.split("/")[0], []).append(name)
    return [*nav, {"All documents": [{folder: names} for folder, names in sorted(rest.items())]}]


def program_of_mkdocs(folder: pathlib.Path) -> pathlib.Path:
    """mkdocs in a venv in `folder`, made when it is not there, or of other requirements. Raises CalledProcessError."""
    requirements, mark = HERE / "requirements.txt", folder / "requirements.txt"
    if not mark.is_file() or mark.read_text() != requirements.read_text():
        venv.create(folder, clear=True, with_pip=True)
        subprocess.run([folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--requirement", requirements], check=True)
        mark.write_text(requirements.read_text())
    return folder / "bin" / "mkdocs"


def build(folder: pathlib.Path, program: str) -> pathlib.Path:
    """Writes pages and site below `folder` and returns the first page."""
    source, site = folder / "pages", folder / "site"
    documents = [name.as_posix() for name in pages.write_pages(ROOT, source)]
    (source / PARAMETERS).write_text(parameter_page.page_of(parameters(program)))
    shutil.copyfile(HERE / "extra.css", source / "extra.css")
    settings = (HERE / "mkdocs.yml").read_text()
    for key, value in (("docs_dir", str(source)), ("site_dir", str(site)), ("nav", menu_of(documents))):
        settings += f"{key}: {json.dumps(value)}\n"  # JSON is YAML
    (folder / "mkdocs.yml").write_text(settings)
    subprocess.run(
        [program_of_mkdocs(folder / "venv"), "build", "--strict", "--quiet", "--config-file", folder / "mkdocs.yml"],
        check=True,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )
    return site / "index.html"


def main() -> int:
    parser = argparse.ArgumentParser(description="Builds the documentation as a site.")
    parser.add_argument("folder", metavar="FOLDER", help="where it is built; FOLDER/site is the site")
    parser.add_argument("--program", required=True, help="heddle, which says what its parameters are")
    options = parser.parse_args()
    folder = pathlib.Path(options.folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        print(f"written: {build(folder, options.program)}")
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        print(f"build_site.py: {error}; the site was not built", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
