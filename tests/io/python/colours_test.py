"""Colours of reports, measured in the pages themselves: whoever lacks a kind of cones tells series apart, and reads scales."""

import functools
import re
import unittest

import colour_vision
import numpy as np
import small_runs
from heddle.report import write_report

MIN = 20  # apart in CIE Lab, where there is no other cue
CLEARLY = 12  # with another cue, too
LEGEND = """<svg xmlns="http://www.w3.org/2000/svg"><g id="x-legend_1">
<g><path d="M 0 0 L 1 0" style="fill: none; stroke: {}; stroke-width: 1"/></g><g><text>one</text></g>
<g><path d="M 0 0 L 1 0" style="fill: none; stroke: {}; stroke-width: 1{}"/></g><g><text>other</text></g></g></svg>"""


@functools.cache
def drawings():
    """(page, figure) -> svg of reports of several kinds."""
    found = {}
    results = {
        "zone": [small_runs.zone()],
        "incast": [small_runs.incast()],
        "training": [small_runs.training()],
        "failures": [small_runs.failures()],
        "sweep": [small_runs.sweep()],
        "files": [small_runs.incast(), small_runs.without_series()],
    }
    for name, result in results.items():
        path = small_runs.folder() / f"colours_{name}.html"
        write_report(result, path)
        for figure, svg in re.findall(r'<figure id="plot-(\w+)">.*?(<svg.*?</svg>)', path.read_text(), re.S):
            found[name, figure] = svg
    return found


class Eyes(unittest.TestCase):
    """The measure itself."""

    def test_lab(self):
        """Against values of the CIE for sRGB primaries (D65)."""
        for colour, expected in (
            ((1, 0, 0), (53.24, 80.09, 67.20)),
            ((0, 1, 0), (87.73, -86.18, 83.18)),
            ((1, 1, 1), (100, 0, 0)),
            ((0, 0, 0), (0, 0, 0)),
        ):
            np.testing.assert_allclose(colour_vision.lab(colour), expected, atol=0.05)

    def test_greys_stay_grey(self):
        for eyes, matrix in colour_vision.MACHADO.items():
            np.testing.assert_allclose(matrix.sum(axis=1), 1, atol=2e-6, err_msg=eyes)

    def test_red_and_green_of_one_lightness_are_alike(self):
        self.assertLess(colour_vision.distance("#b05030", "#687020"), MIN)
        self.assertGreater(colour_vision.distance("#000000", "#ffffff"), 90)

    def test_a_bad_legend_is_found(self):
        red, green, dashes = "#b05030", "#687020", "; stroke-dasharray: 2,2"
        self.assertEqual(colour_vision.hard_to_tell(LEGEND.format(red, green, ""), MIN), [("other", "one")])
        self.assertEqual(colour_vision.hard_to_tell(LEGEND.format(red, green, dashes), MIN), [])
        self.assertEqual(colour_vision.hard_to_tell(LEGEND.format("#000000", "#56b4e9", ""), MIN), [])


class Series(unittest.TestCase):
    def test_all_can_be_told_apart(self):
        compared = 0
        for where, svg in drawings().items():
            compared += max(0, len(colour_vision.legend_of(svg)) - 1)
            self.assertEqual(colour_vision.hard_to_tell(svg, MIN), [], where)
        self.assertGreater(compared, 60, "legends with several entries")

    def test_no_two_have_nearly_one_colour(self):
        """Also where dashes differ: thin dashes are hard to see at a distance."""
        for where, svg in drawings().items():
            series = colour_vision.legend_of(svg)
            for place, one in enumerate(series):
                for other in series[:place]:
                    if one.colours != other.colours:
                        apart = min(colour_vision.distance(a, b) for a in one.colours for b in other.colours)
                        self.assertGreater(apart, CLEARLY, f"{where}: {one.label} and {other.label}")


class Scales(unittest.TestCase):
    def test_lightness_alone_orders_them_for_all_eyes(self):
        scales = {where: scale for where, svg in drawings().items() if (scale := colour_vision.scale_of(svg)) is not None}
        self.assertGreater(len(scales), 6)
        for where, scale in scales.items():
            for eyes in colour_vision.MACHADO:
                lightness = colour_vision.lab(scale, eyes)[:, 0]
                lightness = lightness if lightness[-1] > lightness[0] else lightness[::-1]  # an image may stand on its head
                self.assertGreater(np.diff(lightness).min(), -0.1, f"{where}, {eyes}: the order of some values is not to be seen")
                self.assertGreater(lightness[-1] - lightness[0], 60, f"{where}, {eyes}")


if __name__ == "__main__":
    unittest.main()
