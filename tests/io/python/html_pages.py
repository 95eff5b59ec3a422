"""What tests read of a page of heddle report: tables with their exact values, figures, links, headings."""

import base64
import gzip
import html.parser
import io
from dataclasses import dataclass, field

import pandas as pd
import small_runs
from heddle.report import write_report


@dataclass
class Parsed:
    """`tables`: id -> rows of {key: exact value, as text}; `measures`: key -> exact value of the first screen."""

    text: str
    tables: dict = field(default_factory=dict)
    measures: dict = field(default_factory=dict)
    downloads: dict = field(default_factory=dict)  # file name -> data: link
    references: list = field(default_factory=list)  # (element, attribute, value) of everything that may load or lead somewhere
    headings: list = field(default_factory=list)  # (level, text)
    figures: list = field(default_factory=list)  # ids
    drawings: list = field(default_factory=list)  # (role, title, description) of every svg
    images: list = field(default_factory=list)  # (source, alternative text)
    elements: set = field(default_factory=set)
    identifiers: list = field(default_factory=list)
    words: str = ""

    def csv(self, name):
        """The data of a figure or table, as the link gives it."""
        file = next(file for file in self.downloads if file.split(".")[0] == name)
        data = base64.b64decode(self.downloads[file].split(",", 1)[1])
        return pd.read_csv(io.BytesIO(gzip.decompress(data) if file.endswith(".gz") else data))

    @property
    def told(self):
        """The words with single spaces between them."""
        return " ".join(self.words.split())

    def table(self, name):
        return self.tables[f"table-{name}"]


LOADING = (
    "src",
    "href",
    "xlink:href",
    "action",
    "data",
    "poster",
    "srcset",
    "background",
    "formaction",
    "ping",
    "cite",
    "manifest",
)
VOID = {"meta", "link", "br", "img", "hr", "input"}


class Reader(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.page = Parsed(text)
        self.open, self.table, self.svg = [], None, None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        page = self.page
        page.elements.add(tag)
        if "id" in attrs:
            page.identifiers.append(attrs["id"])
        page.references += [(tag, name, attrs[name]) for name in LOADING if name in attrs]
        if "style" in attrs:
            page.references.append((tag, "style", attrs["style"]))
        if "download" in attrs:
            page.downloads[attrs["download"]] = attrs["href"]
        if tag == "table":
            self.table = page.tables.setdefault(attrs["id"], [])
        elif tag == "tr" and self.table is not None:
            self.table.append({})
        elif tag in ("td", "th") and "data-key" in attrs:
            self.table[-1][attrs["data-key"]] = attrs["data-value"]
        elif "data-measure" in attrs:
            page.measures[attrs["data-measure"]] = attrs["data-value"]
        elif tag == "figure":
            page.figures.append(attrs["id"].removeprefix("plot-"))
        elif tag in ("h1", "h2", "h3", "h4"):
            page.headings.append([int(tag[1]), ""])
        elif tag == "img":
            page.images.append((attrs["src"], attrs["alt"]))
        elif tag == "svg":
            self.svg = {"role": attrs.get("role"), "labelled": attrs.get("aria-labelledby", "").split()}
        if tag == "title" and self.svg is not None and attrs.get("id") in self.svg["labelled"]:
            self.svg["title"] = ""
        if tag == "desc" and self.svg is not None:
            self.svg["desc"] = ""
        if tag not in VOID:
            self.open.append((tag, attrs.get("id")))

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if tag == "table":
            self.page.tables = {name: [row for row in rows if row] for name, rows in self.page.tables.items()}
            self.table = None
        if tag == "svg":
            self.page.drawings.append((self.svg["role"], self.svg.get("title", ""), self.svg.get("desc", "")))
            self.svg = None
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        within = [tag for tag, _ in self.open]
        if within and within[-1] in ("h1", "h2", "h3", "h4"):
            self.page.headings[-1][1] += data
        if self.svg is not None and within:
            if within[-1] == "title" and self.open[-1][1] in self.svg["labelled"]:
                self.svg["title"] += data
            if within[-1] == "desc":
                self.svg["desc"] += data
        if not {"style", "script"} & set(within):
            self.page.words += data + " "


def of(*results):
    """The page about results."""
    path = small_runs.folder() / "page.html"
    write_report(results, path, force=True)
    return read(path)


def read(path):
    with open(path, encoding="utf-8") as file:
        page = Reader(file.read()).page
    page.tables = {name: [row for row in rows if row] for name, rows in page.tables.items()}
    return page
