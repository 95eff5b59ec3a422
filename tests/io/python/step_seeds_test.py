"""heddle step and compare: steps that differ in the seed alone are one variant, and are compared seed by seed."""

import json
import pathlib
import tempfile
import unittest

import heddle.step
from heddle.step.comparing import Difference
from heddle.step.reading import FORMAT
from heddle.step.seeds import repeated, spanned
from small_steps import said

T = 4.302652729911275  # Student's t for 95 % and three values


def seeded(seed, time, dcqcn=False):
    """A step as (alone, together), from 300 ps below to 300 ps above, of which a GPU waits for all but 100 ps."""
    waits = tuple(ps - 100 for ps in time)
    return {
        **said(time, waits, simulation__seed=seed, dcqcn__enabled=dcqcn),
        "axes": {"dcqcn.enabled": str(dcqcn).lower(), "simulation.seed": str(seed)},
    }


class Seeds(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def compared(self, *steps):
        (self.folder / "step.json").write_text(json.dumps({"format": FORMAT, "steps": steps}))
        return heddle.step.compare([self.folder])

    def test_the_interval_of_a_mean(self):
        self.assertEqual(spanned([5], [7]), (5, 7))
        self.assertEqual(spanned([5, 5, 5], [7, 7, 7]), (5, 7))
        low, high = spanned([4, 5, 6], [10, 20, 30])
        self.assertAlmostEqual(low, 5 - T / 3**0.5)
        self.assertAlmostEqual(high, 20 + T * 10 / 3**0.5)

    def test_more_seeds_narrow_the_scatter_and_never_the_margin(self):
        def half(seeds):
            low, high = spanned(
                [1000 + 10 * (-1) ** seed - 300 for seed in range(seeds)], [1000 + 10 * (-1) ** seed + 300 for seed in range(seeds)]
            )
            return (high - low) / 2

        self.assertGreater(half(2), half(4))
        self.assertGreater(half(4), half(100))
        self.assertGreater(half(100), 300)

    def test_are_one_variant_in_any_order(self):
        found = self.compared(seeded(3, (1030, 1030)), seeded(1, (1010, 1010)), seeded(2, (1020, 1020)))
        self.assertEqual(found.others, ())
        self.assertEqual(found.first.seeds, (1, 2, 3))
        values = found.first.values["time"]
        self.assertEqual((values["alone"], values["together"]), (1020, 1020))
        self.assertAlmostEqual(values["low"], 720 - T * 10 / 3**0.5)
        self.assertAlmostEqual(values["high"], 1320 + T * 10 / 3**0.5)
        self.assertRegex(str(found), "^A step takes 0.00 to 0.00 ms\\.\n")
        self.assertEqual(found.as_json()["steps"][0]["seeds"], [1, 2, 3])

    def test_differences_are_taken_seed_by_seed(self):
        """What seeds have in common cancels: the steps scatter by 100 ps, the differences by 1."""
        off = [seeded(seed, (1000 + 100 * seed,) * 2) for seed in (1, 2, 3)]
        on = [seeded(seed, (1000 + 100 * seed + 49 + seed,) * 2, dcqcn=True) for seed in (1, 2, 3)]
        found = self.compared(*off, *on)
        self.assertEqual(found.others[0].unpaired, "")
        difference = found.others[0].differences["time"]
        one = [heddle.step.comparing.compared(repeated("", pair)).others[0].differences["time"] for pair in zip(off, on)]
        lows, highs = [d.low_ps for d in one], [d.high_ps for d in one]
        self.assertEqual(difference, Difference(*spanned(lows, highs)))
        self.assertTrue(difference.holds(51))
        variants = [variant.values["time"] for variant in found.variants]
        self.assertLess(difference.high_ps - difference.low_ps, (variants[1]["high"] - variants[0]["low"]) / 4)

    def test_other_seeds_are_no_pairs(self):
        found = self.compared(
            seeded(1, (1000, 1000)), seeded(2, (1010, 1010)), seeded(1, (1000, 1000), True), seeded(3, (1000, 1000), True)
        )
        self.assertEqual(found.others[0].unpaired, "they have other seeds")
        first, other = (variant.values["time"] for variant in found.variants)
        self.assertEqual(
            found.others[0].differences["time"], Difference(other["low"] - first["high"], other["high"] - first["low"])
        )

    def test_the_largest_difference_comes_first(self):
        steps = [seeded(1, (1000, 1000))]
        for slots, ps in ((4, 5000), (8, 9000), (16, 6000)):
            steps.append(
                {**said((ps, ps), (900, 900), job__0__qps_per_connection=slots), "axes": {"job.0.qps_per_connection": str(slots)}}
            )
        text = str(self.compared(*steps))
        self.assertRegex(
            text,
            r"^A step takes .* with A \(dcqcn.enabled=false\)\. The largest difference: C \(job.0.qps_per_connection=8\) takes longer",
        )
        blocks = [line for line in text.splitlines() if line.startswith("  ms ")]
        self.assertEqual([line.split(", from")[2][-5] for line in blocks], ["C", "D", "B"])


if __name__ == "__main__":
    unittest.main()
