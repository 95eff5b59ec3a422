"""A drawing as a file, or as a piece of an HTML page; the same bytes for the same drawing."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ElementTree

import matplotlib

from heddle.figures.figure import Drawing
from heddle.figures.style import PLAIN_TEXT
from heddle.output import open_output
from heddle.output_kinds import FIGURES
from heddle.text import printable

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
SHAPES = {f"{{{SVG}}}{kind}" for kind in ("path", "use", "image", "rect", "circle", "line", "polygon")}
NO_DATE = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Producer": None, "Creator": "heddle"},
    "png": {"Software": "heddle"},
}
OTHER_FONTS = ("'DejaVu Sans', sans-serif", "'DejaVu Sans', Verdana, Arial, sans-serif")  # where the reader has no DejaVu

ElementTree.register_namespace("", SVG)
ElementTree.register_namespace("xlink", XLINK)


def save(drawing: Drawing, path: str, kind: str, force: bool = False) -> None:
    """`kind`: png, svg or pdf. A figure that is there is replaced only with `force`, another file never."""
    with open_output(path, FIGURES[kind], force) as file:
        if kind == "svg":
            file.write(('<?xml version="1.0" encoding="utf-8"?>\n' + inline_svg(drawing, "figure", "", "")).encode())
            return
        content = io.BytesIO()  # who writes PDF asks where in the file it is, which a pipe cannot say
        with matplotlib.rc_context(PLAIN_TEXT):
            drawing.canvas.savefig(content, format=kind, metadata=NO_DATE[kind], facecolor="white")
        file.write(content.getvalue())


def inline_svg(drawing: Drawing, name: str, title: str, description: str) -> str:
    """An <svg> element whose ids begin with `name`, so that many can stand in one page; with tips as <title>s of shapes."""
    buffer = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": name, "svg.fonttype": "none", **PLAIN_TEXT}):
        drawing.canvas.savefig(buffer, format="svg", metadata=NO_DATE["svg"])
    root = ElementTree.fromstring(printable(buffer.getvalue().decode().replace(*OTHER_FONTS)))  # XML has no control characters
    _drop(root, f"{{{SVG}}}metadata")
    _add_tips(root, drawing.tips)
    _prefix_ids(root, name)
    width, height = (float(root.get(side, "").rstrip("pt")) for side in ("width", "height"))
    root.set("width", f"{width / 0.72:.0f}")
    root.set("height", f"{height / 0.72:.0f}")
    if title:
        _name(root, name, title, description)
    return ElementTree.tostring(root, encoding="unicode")


def _drop(root: ElementTree.Element, tag: str) -> None:
    for child in [child for child in root if child.tag == tag]:
        root.remove(child)


def _add_tips(root: ElementTree.Element, tips: dict[str, list[str]]) -> None:
    for group in root.iter(f"{{{SVG}}}g"):
        texts = tips.get(group.get("id", ""))
        if texts is None:
            continue
        defined = {shape for defs in group.iter(f"{{{SVG}}}defs") for shape in defs.iter()}
        shapes = [shape for shape in group.iter() if shape.tag in SHAPES and shape not in defined]
        if len(shapes) != len(texts):  # drawn as pixels, or parts lie outside: then no tips, rather than wrong ones
            continue
        for shape, text in zip(shapes, texts):
            tip = ElementTree.SubElement(shape, f"{{{SVG}}}title")
            tip.text = text


def _prefix_ids(root: ElementTree.Element, name: str) -> None:
    known: set[str] = set()
    for element in root.iter():
        if element.get("id", "") in known:  # two equal images: matplotlib names both after what is in them
            del element.attrib["id"]
        elif element.get("id"):
            known.add(element.attrib["id"])
    for element in root.iter():
        for key, value in list(element.attrib.items()):
            if key == "id":
                element.set(key, f"{name}-{value}")
            elif value.startswith("#") and value[1:] in known:
                element.set(key, f"#{name}-{value[1:]}")
            elif "url(#" in value:
                element.set(key, value.replace("url(#", f"url(#{name}-"))


def _name(root: ElementTree.Element, name: str, title: str, description: str) -> None:
    root.set("role", "img")
    root.set("aria-labelledby", f"{name}-title {name}-description")
    for child in root:
        if child.tag == f"{{{SVG}}}g":
            child.set("aria-hidden", "true")  # the texts of thousands of shapes; the description says what they show together
    for place, (tag, text) in enumerate((("title", title), ("desc", description))):
        element = ElementTree.Element(f"{{{SVG}}}{tag}", {"id": f"{name}-{'title' if tag == 'title' else 'description'}"})
        element.text = text
        root.insert(place, element)
