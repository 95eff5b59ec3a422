"""heddle step: tokens/s, MFU, GPU-hours and energy are counted as the program counts, and have the interval of what they come from."""

import dataclasses
import re
import unittest

from heddle.step.job import Job
from heddle.step.model import MODELS, flops_per_token, tokens_of
from heddle.step.parts import TRAINING
from heddle.step.quoting import Rates, quoted, quoted_lines
from helpers import said as told
from small_runs import program, sets
from small_steps import CONFIG, said, tree_of

WHOLE = {f"{TRAINING}.layers": 0, f"{TRAINING}.pipeline_parallel": 1, f"{TRAINING}.micro_batches": 1, "job.0.gpus": 16}
SIZES = {"layers": 3, "hidden": 2048, "ffn_hidden": 4096, "attention_heads": 16, "kv_heads": 4, "vocabulary": 5000}
CUSTOM = {f"{TRAINING}.{name}": size for name, size in SIZES.items()}


class Counting(unittest.TestCase):
    def test_operations_are_those_that_take_the_gpus_their_time(self):
        """`heddle check` says how long a GPU computes: operations of a step / (GPUs x peak x efficiency)."""
        for changes in (
            *({f"{TRAINING}.model": name} for name in MODELS if name != "custom"),
            {f"{TRAINING}.model": "custom", **CUSTOM},
        ):
            with self.subTest(changes=changes):
                changes = {**WHOLE, **changes}
                check = program("check", CONFIG, *sets(*(f"{key}={value}" for key, value in changes.items())))
                number, unit = re.search(r"a GPU computes ([\d.]+) (s|ms|us) to \1 \2 in each", check).groups()
                computing_s = float(number) * {"s": 1, "ms": 1e-3, "us": 1e-6}[unit]
                tree = tree_of(changes)
                training = tree["job"][0]["training"]
                flops = tokens_of(training, Job.of(tree, 64)) * flops_per_token(training)
                self.assertAlmostEqual(flops / (16 * 989.5e12 * 0.55) / computing_s, 1, delta=0.002)

    def test_of_llama_3_405b(self):
        """6 x 405 x 10^9 parameters, and 4 % for causal attention to 8,192 tokens."""
        training = {**tree_of({})["job"][0]["training"], "model": "llama3_405b", "layers": 0, "sequence_length": 8192}
        self.assertAlmostEqual(flops_per_token(training) / (6 * 405e9), 1.04, delta=0.01)


class Quoting(unittest.TestCase):
    def setUp(self):
        self.said = said((10**12, 10**12), (5 * 10**11, 5 * 10**11))  # a second on 64 GPUs
        self.said["values_ps"] = {"time": {"low": 5 * 10**11, "high": 10**12}, "data": {"low": 10**11, "high": 2 * 10**11}}

    def quoted(self, **rates):
        return quoted(self.said["config"], Job(**self.said["job"]), self.said["values_ps"], Rates(**rates))

    def test_figures_have_the_interval_of_what_they_come_from(self):
        found = self.quoted(watts=500, price=3, peak_tflops=100)
        tokens = 4 * 4 * 4096  # of replicas, each 4 micro-batches
        self.assertEqual(found["tokens"], tokens)
        self.assertEqual(found["tokens_per_s"], {"low": tokens, "high": 2 * tokens})
        busy = tokens * found["flops_per_token"] / (64 * 100e12)
        self.assertAlmostEqual(found["mfu"]["low"], busy)
        self.assertAlmostEqual(found["mfu"]["high"], 2 * busy)
        self.assertAlmostEqual(found["gpu_hours_per_step"]["high"], 64 / 3600)
        self.assertAlmostEqual(found["kwh_per_step"]["high"], 64 / 3600 / 2)
        self.assertAlmostEqual(found["cost_per_step"]["low"], 64 / 3600 / 2 * 3)
        self.assertAlmostEqual(found["gpu_hours_per_1e12_tokens"]["high"], 64 / 3600 * 1e12 / tokens)
        data = found["waits"]["data"]
        self.assertEqual(data["share"], {"low": 0.1, "high": 0.4})
        self.assertAlmostEqual(data["gpu_hours_per_1e12_tokens"]["low"], 6.4 / 3600 * 1e12 / tokens)
        self.assertAlmostEqual(data["kwh_per_1e12_tokens"]["low"], 3.2 / 3600 * 1e12 / tokens)
        self.assertNotIn("tensor", found["waits"])

    def test_the_peak_is_the_configured_one_and_there_is_no_price(self):
        found = self.quoted()
        self.assertEqual((found["peak_tflops"], found["watts"], found["price_per_gpu_hour"]), (989.5, 700, None))
        self.assertNotIn("cost_per_step", found)
        self.said["config"]["job"][0]["training"]["peak_tflops"] = 400
        self.assertEqual(self.quoted()["peak_tflops"], 400)
        del self.said["config"]["job"][0]["training"]["peak_tflops"]  # forward is measured
        self.assertEqual(self.quoted()["peak_tflops"], 989.5)

    def test_what_may_take_no_time_has_no_bound(self):
        self.said["values_ps"]["time"]["low"] = 0
        found = self.quoted()
        self.assertIsNone(found["tokens_per_s"]["high"])
        self.assertIsNone(found["mfu"]["high"])
        self.assertEqual(found["waits"]["data"]["share"]["high"], 1)
        self.assertRegex("\n".join(quoted_lines([found], [""])), r"tokens a second +65,536 to \?\n")

    def test_a_table_of_several(self):
        lines = quoted_lines([self.quoted(), self.quoted(price=2, watts=1000)], ["A", "B"])
        self.assertRegex(lines[0], r"^a step +A +B$")
        self.assertRegex("\n".join(lines), r"cost of a step, as --price +- +0.0178 to 0.0356\n")
        self.assertIn("700/1000 W a GPU", lines[-1])

    def test_tables_of_many_fit_a_terminal(self):
        lines = quoted_lines([self.quoted()] * 6, list("ABCDEF"))
        self.assertEqual([line.split()[2:] for line in lines if line.startswith("a step ")], [list("ABCD"), list("EF")])
        self.assertLess(max(map(len, lines[:-1])), 132)

    def test_rates_that_are_none(self):
        for rates in ({"watts": 0}, {"price": -1}, {"peak_tflops": float("inf")}, {"watts": float("nan")}, {"watts": None}):
            with self.subTest(rates=rates), self.assertRaisesRegex(ValueError, "give a number above 0"):
                Rates(**rates)
        code, _, err = told("step", CONFIG, "--watts", "-5", "--plan")
        self.assertEqual(code, 2)
        self.assertIn("watts = -5.0: give a number above 0", err)
        self.assertEqual(dataclasses.asdict(Rates()), {"peak_tflops": None, "watts": 700.0, "price": None})


if __name__ == "__main__":
    unittest.main()
