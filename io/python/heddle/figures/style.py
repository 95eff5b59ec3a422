"""How all figures look: colours that the colour-blind tell apart, and a dash and a marker beside every colour."""

from __future__ import annotations

from contextlib import contextmanager

import matplotlib
from matplotlib.colors import LinearSegmentedColormap

matplotlib.use("agg")  # no window system
import matplotlib.pyplot as plt  # noqa: E402

# Okabe and Ito (2008), but their yellow, which white paper swallows.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (1, 1)))
MARKERS = "osD^vPX"
HATCHES = ("", "////", "\\\\\\\\", "xxxx", "----", "||||", "++++")  # of lines: dots make files large
GREY = "#595959"
ALERT = "#B3261E"
PAPER = {"facecolor": "white", "edgecolor": "none"}  # of a box behind a text

# Light to dark, so that what is busy stands out on white: cividis with an almost white foot; what is 0 is grey.
_CIVIDIS = matplotlib.colormaps["cividis_r"]
_AT = (0, 0.25, 0.5, 0.75, 1)
HEAT = LinearSegmentedColormap.from_list(
    "heat", [(0.0, (0.984, 0.973, 0.902)), *((0.06 + 0.94 * at, _CIVIDIS(0.04 + 0.96 * at)[:3]) for at in _AT)]
).with_extremes(under="#EBEBEB", bad="white")
NOTHING = 1e-9  # what is less than this share is drawn as 0

PLAIN_TEXT = {"text.parse_math": False}  # a "$" in a name or an axis' value is a dollar sign
SETTINGS = {
    "svg.fonttype": "none",  # texts stay texts: to be found, read aloud and printed sharp
    **PLAIN_TEXT,
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 9,
    "axes.edgecolor": GREY,
    "axes.labelcolor": "#222222",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.6,
    "lines.markersize": 5,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "xtick.color": "#333333",
    "ytick.color": "#333333",
    "hatch.linewidth": 0.6,
    "figure.dpi": 100,
    "savefig.dpi": 150,
    "image.interpolation": "nearest",
}


def line_style(place: int) -> dict:
    """Colour, dash and marker of the place-th thing in a figure, from 0."""
    return {
        "color": COLOURS[place % len(COLOURS)],
        "linestyle": DASHES[place % len(DASHES)],
        "marker": MARKERS[place % len(MARKERS)],
    }


def bar_style(place: int) -> dict:
    """Colour and hatch of the place-th kind of bar."""
    return {
        "facecolor": COLOURS[place % len(COLOURS)],
        "hatch": HATCHES[place % len(HATCHES)],
        "edgecolor": "white",
        "linewidth": 0.4,
    }


# A kind of link looks the same in all figures.
LADDERS = (("endpoint", "rtsw", "ctsw", "atsw"), ("endpoint", "leaf", "spine", "core"))  # tiers, from the GPUs up
KINDS = tuple([kind for low, high in zip(ladder, ladder[1:]) for kind in (f"{low}>{high}", f"{high}>{low}")] for ladder in LADDERS)


def place_of_tier(tier: str) -> int:
    """Where a kind of link stands in the order of colours. Kinds of another fabric, "endpoint>frontend.leaf", stand behind all of the
    first one in the same order; those of no known tiers share the last place."""
    own = ">".join(name.split(".")[-1] if not name.split(".")[-1].isdigit() else name for name in tier.split(">"))
    behind = len(KINDS[0]) if own != tier else 0
    return next((behind + kinds.index(own) for kinds in KINDS if own in kinds), 2 * len(KINDS[0]))


def top_of_scale(shares) -> float:
    """Where a scale of colours ends: 10, 25, 50 or 100 %, whatever holds the largest of the shares."""
    most = max((float(share) for share in shares), default=1)
    return next((top for top in (0.1, 0.25, 0.5) if most <= top), 1.0)


@contextmanager
def house_style():
    """The settings of this file for what is drawn within."""
    with plt.rc_context(SETTINGS):
        yield
