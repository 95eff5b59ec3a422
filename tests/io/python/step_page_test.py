"""heddle report of steps by their parts: the answer, the figures and the tables say what step.json and heddle compare say."""

import unittest
from unittest import mock

import heddle.step
from heddle.figures.iterations import BUBBLE, REST
from heddle.figures.step_differences import StepDifferences, verdict_of
from heddle.figures.step_time import StepTime
from heddle.report.page import Page, StepsOfPage, picture_alone
from heddle.report.sections import step_differences, step_failures, step_quoted, step_time
from heddle.report.step_screen import answer_of, facts_of_steps, tiles_of
from heddle.step.comparing_text import answer
from heddle.step.reading import GROUPS
from heddle.step.seeds import repeated
from small_steps import said

MS = 10**9


def step(time_ms, data_ms, axes=None, **changes):
    """As small_steps.said(), in ms, of which 10 are computing."""
    found = said(tuple(ms * MS for ms in time_ms), tuple(ms * MS for ms in data_ms), **changes)
    found["values_ps"]["computing"] = dict.fromkeys(("low", "high", "alone", "together"), 10 * MS)
    return {**found, "axes": axes or {}}


def page_of(*steps):
    return Page("", [], [], steps=StepsOfPage(repeated("folder", steps), [], []))


def with_value(found, name, ps):
    found["values_ps"][name] = dict.fromkeys(("low", "high", "alone", "together"), ps)
    return found


def failure(name, longer_ms, ends_job=None):
    """What step.json says of a failure."""
    interval = longer_ms and {"low": 0.0, "high": longer_ms * MS}
    return {
        "name": name,
        "longer_ps": {},
        "after_ps": {},
        "step_longer_ps": interval,
        "later_steps_longer_ps": None,
        "ends_job_because": ends_job,
        "ends_job_after_ps": 34 * 10**12 if ends_job else None,
        "together_traffic_factor": 1,
        "month": {
            "failures": 29.17,
            "by_llama_3": True,
            "repair_hours": None,
            "hours_lost": interval and {"low": 0.0, "high": 1.0},
            "gpu_hours": interval and {"low": 0.0, "high": 64.4},
        },
        "parts": [],
    }


class FirstScreen(unittest.TestCase):
    def test_the_answer_of_one_step(self):
        steps = page_of(step((40, 50), (30, 40))).steps
        quoted = steps.variants[0].quoted
        text = answer_of(steps)
        self.assertTrue(text.startswith("A step on 64 GPUs takes 40.00 to 50.00 ms: "), text)
        self.assertIn(f"an MFU of {100 * quoted['mfu']['low']:.3g} to {100 * quoted['mfu']['high']:.3g} %", text)
        self.assertIn("A GPU computes for 20 to 25 % of it, and has exposed communication for data 60 to 100 %.", text)

    def test_the_answer_of_several_is_that_of_compare(self):
        steps = page_of(*(step((ms, ms + 1), (30, 31), {"x": str(ms)}) for ms in (40, 45, 30))).steps
        found = heddle.step.comparing.compared(steps.variants)
        self.assertEqual(answer_of(steps), answer(found))
        self.assertRegex(
            answer_of(steps), r"The largest difference: C \(x=30\) takes less than A, by .* The shortest estimate is that of C "
        )
        self.assertEqual(steps.letters, ["A", "B", "C"])
        self.assertEqual(steps.names, ["x=40", "x=45", "x=30"])
        first = page_of(*(step((ms, ms + 1), (30, 31), {"x": str(ms)}) for ms in (30, 40, 45))).steps
        self.assertIn("No estimate is shorter than that of A.", answer_of(first))
        close = page_of(*(step((ms, ms + 1), (30, 31), {"x": str(ms)}) for ms in (40, 45, 39.9))).steps
        self.assertIn("C (x=39.9), which may not be shorter than A.", answer_of(close))

    def test_tiles_are_of_the_step(self):
        steps = page_of(*(step((ms, ms + 1), (30, 31), {"x": str(ms)}) for ms in (40, 45))).steps
        tiles = {tile.key: tile for tile in tiles_of(steps)}
        self.assertEqual(
            (tiles["time"].value, tiles["time"].text, tiles["time"].more), (40 * MS - 300, "A 40.00 to 41.00", "B 45.00 to 46.00")
        )
        self.assertEqual(tiles["mfu"].value, steps.variants[0].quoted["mfu"]["low"])
        self.assertIn("waits.data.share", tiles)

    def test_what_was_run_is_of_the_whole_step(self):
        page = page_of(
            *(step((40, 41), (30, 31), {"x": text}, job__0__training__micro_batches=m) for text, m in (("1", 2), ("2", 4)))
        )
        page.runs = [mock.Mock(attrs={})]
        facts = dict(facts_of_steps(page, page.steps))
        self.assertEqual(facts["Variants"], "A x=1; B x=2")
        self.assertIn("64 (tensor 8, pipeline 2, data 4); 2 micro-batches of 1", facts["GPUs"])
        self.assertRegex(facts["A step"], r"^A: [\d,]+ tokens; B: [\d,]+ tokens$")
        self.assertEqual(facts["Seeds"], "1")


class WhereTheTimeGoes(unittest.TestCase):
    def test_the_bars_add_up_to_the_time(self):
        one = with_value(step((40, 50), (20, 24)), "pipeline", 8 * MS)
        row = step_time.frame_of(page_of(one).steps).iloc[0]
        self.assertEqual(row["time_ps"], 45 * MS)
        self.assertAlmostEqual(
            row[BUBBLE], 10 * MS / 6, delta=1, msg="two stages, four micro-batches: a quarter, of which two thirds are waited for"
        )
        self.assertAlmostEqual(row["exposed_pipeline_ps"], 8 * MS - 10 * MS / 6, delta=1)
        parts = row["compute_ps"] + row[BUBBLE] + row[REST] + sum(row[f"exposed_{group}_ps"] for group in GROUPS)
        self.assertAlmostEqual(parts, row["time_ps"], delta=1)
        self.assertEqual((row["low_ps"], row["high_ps"]), (40 * MS - 300, 50 * MS + 300))

    def test_the_bubble_has_what_is_sent_inside_servers(self):
        one = with_value(with_value(step((40, 40), (20, 20)), "pipeline", 9 * MS), "tensor", 8 * MS)
        row = step_time.frame_of(page_of(one).steps).iloc[0]
        self.assertEqual((row[BUBBLE], row["exposed_pipeline_ps"]), ((10 + 8) * MS / 6, 6 * MS))

    def test_the_bubble_is_no_more_than_what_gpus_wait_for_the_pipeline(self):
        row = step_time.frame_of(page_of(with_value(step((40, 40), (20, 20)), "pipeline", 1 * MS)).steps).iloc[0]
        self.assertEqual((row[BUBBLE], row["exposed_pipeline_ps"]), (1 * MS, 0))

    def test_a_new_group_appears_by_itself(self):
        steps = page_of(with_value(step((40, 40), (20, 20)), "expert", 2 * MS)).steps
        with mock.patch.object(step_time, "GROUPS", ("tensor", "pipeline", "data", "expert")):
            frame = step_time.frame_of(steps)
        picture = picture_alone(StepTime(), frame)
        self.assertEqual(frame["exposed_expert_ps"].iloc[0], 2 * MS)
        self.assertIn("waits for expert", picture.svg)
        self.assertIn("waits for expert 5 %", picture.alt)
        self.assertNotIn("waits for tensor", picture.svg)


class Differences(unittest.TestCase):
    def page(self):
        return page_of(*(step((ms, ms + 1), (ms - 10, ms - 9), {"x": str(ms)}) for ms in (40, 42, 90)))

    def test_the_largest_first_and_the_same_last(self):
        page = self.page()
        found = page.steps.compared
        frame = step_differences.frame_of(found, dict(zip(page.steps.letters, page.steps.names)))
        self.assertEqual(list(frame.variant), ["C"] * 3 + ["B"] * 3)
        self.assertEqual(list(frame.value[:3]), ["time of a step", "exposed communication (data)", "a GPU computes"])
        time = found.others[1].differences["time"]
        self.assertEqual(
            tuple(frame.loc[0, ["low_ps", "high_ps", "low_share"]]), (time.low_ps, time.high_ps, time.low_ps / (40.5 * MS))
        )
        self.assertEqual(list(frame.says[[0, 2]]), ["longer than A", "the same"])

    def test_an_interval_that_holds_zero_is_not_told(self):
        self.assertEqual(
            [verdict_of(*ends) for ends in ((1, 2), (-2, -1), (-1, 2), (0, 2))], ["longer", "shorter", "undecided", "undecided"]
        )

    def test_is_drawn(self):
        picture, table, *_ = step_differences.blocks(self.page())
        self.assertEqual(picture.name, StepDifferences.name)
        self.assertIn("C: time of a step", picture.svg)
        self.assertNotIn("a GPU computes", picture.svg, "which is the same in all")
        self.assertRegex(picture.alt, r"^4 differences from A: C, time of a step: \+[\d.]+ ms to \+[\d.]+ ms; ")
        self.assertEqual(len(table.rows), 6)
        self.assertEqual(step_differences.blocks(page_of(step((40, 41), (30, 31)))), [])


class Quoted(unittest.TestCase):
    def test_every_figure_of_every_variant_is_there(self):
        for number in (1, 2, 5):
            page = page_of(*(step((40 + n, 41 + n), (30, 31), {"x": str(n)}) for n in range(number)))
            table = step_quoted.blocks(page)[0]
            values = {cell.value for row in table.rows for cell in row}
            for variant in page.steps.variants:
                for ends in (variant.quoted["mfu"], variant.quoted["waits"]["data"]["share"]):
                    self.assertLessEqual({repr(ends["low"]), repr(ends["high"])}, values)
            self.assertEqual(len(table.columns), 1 + 2 * number if number < 5 else 5)
            self.assertIn("989.5 TFLOP/s and 700 W a GPU, no price", table.note)


class Failures(unittest.TestCase):
    def test_of_each_what_it_costs_the_largest_first(self):
        failures = [
            failure("a link is slow", 2),
            failure("a NIC is down", None, "queue pair 3 failed"),
            failure("a spine is down", 7),
        ]
        table, words = step_failures.blocks(page_of({**step((40, 50), (30, 40)), "failures": failures}))
        texts = [[cell.text for cell in row] for row in table.rows]
        self.assertEqual([row[0] for row in texts], ["a NIC is down", "a spine is down", "a link is slow"])
        self.assertIn("ends it after 34 s: queue pair 3 failed", texts[0])
        self.assertEqual(texts[0].count("-"), 6)
        self.assertIn("+7 ms", " ".join(texts[1]).replace("7.000 ms", "7 ms"))
        self.assertEqual(texts[1][-1], "64.4")
        self.assertIn("--restart-minutes", words.sentences[0])

    def test_none_no_section(self):
        self.assertEqual(step_failures.blocks(page_of(step((40, 50), (30, 40)))), [])


if __name__ == "__main__":
    unittest.main()
