"""What colours look like to eyes that lack one kind of cones, how far apart they are then, and which colours a drawing uses."""

import base64
import io
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.image import imread

SVG, XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
# Machado, Oliveira and Fernandes, A Physiologically-based Model for Simulation of Color Vision Deficiency, IEEE Transactions on
# Visualization and Computer Graphics 15(6), 2009: the matrices of severity 1.0, for linear RGB.
MACHADO = {
    "all cones": np.eye(3),
    "protanopia": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
    "deuteranopia": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]),
    "tritanopia": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]),
}
# sRGB (IEC 61966-2-1) to CIE XYZ, and its white, D65.
XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]])
WHITE = XYZ @ np.ones(3)


def lab(colours, eyes="all cones"):
    """CIE L*, a*, b* of sRGB colours [..., 3] from 0 to 1, as those eyes see them."""
    colours = np.asarray(colours, dtype=float)
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    seen = np.clip(linear @ MACHADO[eyes].T, 0, 1) @ XYZ.T / WHITE
    f = np.where(seen > (6 / 29) ** 3, np.cbrt(seen), seen / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], axis=-1)


def distance(one, other):
    """The least distance in CIE Lab (1976) of two colours over all kinds of eyes; about 2 is what can be told apart at all."""
    return min(float(np.linalg.norm(lab(to_rgb(one), eyes) - lab(to_rgb(other), eyes))) for eyes in MACHADO)


@dataclass(frozen=True)
class Series:
    """An entry of a legend: its colours, and what else tells it from others: dashes, shapes of markers, patterns of areas."""

    label: str
    colours: frozenset
    cues: frozenset


def legend_of(svg):
    """The Series of a drawing's legend, in its order."""
    root = ElementTree.fromstring(svg)
    by_id = {element.get("id"): element for element in root.iter() if element.get("id")}
    legends = [group for group in root.iter(f"{SVG}g") if re.search(r"(^|-)legend_\d+$", group.get("id", ""))]
    found, colours, cues = [], set(), set()
    for group in (child for legend in legends for child in legend):
        label = group.find(f".//{SVG}text")
        if label is not None:
            found.append(Series(label.text, frozenset(colours), frozenset(cues)))
            colours, cues = set(), set()
            continue
        for shape in group.iter():
            if "style" in shape.attrib:
                _look_at(shape, by_id, colours, cues)
    return found


def _look_at(shape, by_id, colours, cues):
    style = dict(re.findall(r"([\w-]+): ([^;]+)", shape.get("style")))
    for key in ("fill", "stroke"):
        value = style.get(key, "none")
        if value.startswith("url(#"):
            pattern = by_id[value[5:-1]]
            colours |= {part.get("fill") for part in pattern.iter(f"{SVG}rect")}
            cues |= {("pattern", " ".join(part.get("d").split())) for part in pattern.iter(f"{SVG}path")}
        elif value not in ("none", "#ffffff"):
            colours.add(value)
    if "stroke-dasharray" in style:
        cues.add(("dashes", style["stroke-dasharray"]))
    if shape.tag == f"{SVG}use":
        cues.add(("marker", " ".join(by_id[shape.get(f"{XLINK}href")[1:]].get("d").split())))


def hard_to_tell(svg, least):
    """Pairs of a legend that no cue tells apart, and whose colours some eyes see less than `least` apart."""
    series = legend_of(svg)
    return [
        (one.label, other.label)
        for place, one in enumerate(series)
        for other in series[:place]
        if one.cues == other.cues and min(distance(a, b) for a in one.colours for b in other.colours) < least
    ]


def scale_of(svg):
    """The colours of the drawing's scale from one end to the other [n, 3]; None without one."""
    for image in ElementTree.fromstring(svg).iter(f"{SVG}image"):
        pixels = imread(io.BytesIO(base64.b64decode(image.get(f"{XLINK}href").split(",", 1)[1])), format="png")
        high, wide = pixels.shape[:2]
        column = pixels[:, wide // 2]
        column = column[column[:, 3] == 1, :3]
        if high > 8 * wide and len(column):
            return column
    return None
