"""heddle step: how far its estimates are taken to be off, and what the times of a layer say of another."""

import dataclasses
import unittest

from heddle.step.margins import Margin, bubble_ps, network_waits_ps, of_differences, of_failure, of_values
from heddle.step.reading import LayerTimes, mean_over
from small_steps import job


class Margins(unittest.TestCase):
    def test_go_by_stages_and_by_what_senders_get(self):
        one = job(64, 1)
        several, far = dataclasses.replace(one, stages=2), dataclasses.replace(one, stages=2, far_stages=True)
        of_time = [
            (of_values(each)["time"].of_network_waits, of_values(each)["time"].of_all_waits)
            for each in (
                several,
                dataclasses.replace(several, paced=True),
                dataclasses.replace(several, divides_slices=False),
                far,
                one,
                dataclasses.replace(one, divides_slices=False),
                dataclasses.replace(one, paced=True),
                dataclasses.replace(one, paced=True, divides_slices=False),
            )
        ]
        self.assertEqual(of_time[:3], 3 * [(0.12, 0.0)])
        self.assertEqual(of_time[3:], [(0.0, share) for share in (0.12, 0.08, 0.16, 0.16, 0.16)])
        for few_judged in ({"jitters": True}, {"expert_parallel": 2}, {"stage_gpus": 16}):
            self.assertEqual(of_values(dataclasses.replace(several, **few_judged))["time"].of_all_waits, 0.07)
        paced = dataclasses.replace(several, paced=True)
        pairs = (several, several), (several, paced), (paced, several), (far, far), (one, dataclasses.replace(one, paced=True))
        of_differing = [of_differences(*pair)["time"] for pair in pairs]
        self.assertEqual([each.of_network_waits for each in of_differing], [0.025, 0.05, 0.05, 0.0, 0.0])
        self.assertEqual([each.of_all_waits for each in of_differing], [0.0, 0.0, 0.0, 0.1, 0.03])
        self.assertEqual([of_failure(each).of_all_waits for each in (several, paced, far, one)], [0.012, 0.025, 0.1, 0.03])
        self.assertEqual(of_differences(several, several)["time"].of_itself, 0.5)

    def test_the_network_decides_neither_the_bubble_nor_what_stays_in_servers(self):
        four = dataclasses.replace(job(64, 4), micro_batches=6, virtual_stages=2, iterations=2)
        step = {"computing": 600.0, "tensor": 100.0, "context": 20.0, "pipeline": 200.0, "data": 30.0}
        self.assertEqual(bubble_ps(four, step), 720 / 4)
        self.assertEqual(network_waits_ps(four, step), 30 + 20)
        self.assertEqual(network_waits_ps(four, {**step, "pipeline": 10.0}), 30)
        once = dataclasses.replace(four, iterations=1)  # GPUs that end early wait for nobody
        self.assertAlmostEqual(bubble_ps(once, step), 720 / 6)
        self.assertEqual(bubble_ps(job(64, 1), step), 0)

    def test_what_gpus_compute_is_given(self):
        for stages, more in ((1, {}), (2, {}), (2, {"far_stages": True}), (1, {"paced": True})):
            self.assertEqual(of_values(dataclasses.replace(job(64, stages), **more))["computing"], Margin(0.0))


class TimesOfALayer(unittest.TestCase):
    def test_a_vocabulary_is_on_the_line_through_both_sizes(self):
        times = LayerTimes(1000, (1100, 1300), 100, (200, 220))
        self.assertEqual(times.given(min, 1, False), (1100, 200))
        self.assertEqual(times.given(min, 20, False), (1100, 2100))
        self.assertEqual(times.given(max, 20, True), (1300, 220 + 1900 * 1080 / 900))

    def test_latency_is_no_less_than_nothing_and_no_more_than_all(self):
        self.assertEqual(LayerTimes(1000, (1000,), 100, (50,)).given(max, 20, False), (1000, 2000))
        self.assertEqual(LayerTimes(1000, (1000,), 100, (2000,)).given(max, 20, False), (1000, 1000))
        self.assertEqual(LayerTimes(1000, (1000,), 1000, (1000,)).given(max, 2, False), (1000, 2000))

    def test_with_experts_the_line_is_that_of_what_else_a_layer_has(self):
        times = LayerTimes(5000, (7000,), 100, (200,), but_experts=(1000, (2000,)))
        self.assertEqual(times.given(max, 20, False), (7000, 200 + 1900 * 2))
        self.assertEqual(times.given(max, 20, True), (7000, round(200 + 1900 * 1800 / 1900)))  # half of it was for experts

    def test_of_several_layers_the_first_counts_once(self):
        self.assertEqual(mean_over(7, [1000]), 1000)  # as of a layer of one of several stages
        self.assertEqual(mean_over(3, [1000, 700, 500]), (1000 + 2 * 600) // 3)
        self.assertEqual(mean_over(10, [1000, 700, 500]), (1000 + 9 * 600) // 10)


if __name__ == "__main__":
    unittest.main()
