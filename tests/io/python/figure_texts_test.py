"""What figures say in words: of all that there is, also where only a part is drawn."""

import unittest
from unittest import mock

import h5py
import heddle
import numpy as np
import pandas as pd
import small_runs
from heddle.figures import FIGURES, Missing
from heddle.figures.collectives import finished
from heddle.figures.gpu_time import PARTS, extremes
from heddle.figures.heat import mean_use
from heddle.figures.iterations import GROUPS, REST, Iterations
from heddle.figures.outcomes import note_of
from heddle.figures.pause_causes import paused_times
from heddle.report.facts import kinds_of, perf_of, phases_of
from heddle.report.standouts import _steps
from heddle.text import text_of, time_text
from helpers import frame_of


def data_and_text(name, path):
    frame = frame_of(name, path)
    return frame, FIGURES[name].alt(frame)


class Heat(unittest.TestCase):
    def test_intervals_count_by_their_length(self):
        frame = pd.DataFrame(
            {"tier": "a>b", "links": ["x", "y"], "until_10_ps": [1.0, 0.0], "until_20_ps": [1.0, 0.1], "until_1000_ps": [0.1, 0.5]}
        )
        np.testing.assert_allclose(mean_use(frame), [0.118, 0.491])
        self.assertRegex(FIGURES["link_heat"].alt(frame), r"the busiest is y \(49%\)\.$")

    def test_the_mean_is_that_of_the_whole_run(self):
        with mock.patch("heddle.figures.heat.MAX_ROWS", 10_000):
            frame, _ = data_and_text("link_heat", small_runs.incast())
        with heddle.open(small_runs.incast()) as run:
            links = run.links()
            by_kind = pd.concat([rows for _, rows in links.groupby("tier", sort=False)])
        np.testing.assert_allclose(mean_use(frame), by_kind["use"], atol=1e-4)


def steps(job, times_ps):
    """As iterations.steps() has them; in the k-th exposed communication is k % of the time."""
    number = np.arange(len(times_ps))
    frame = pd.DataFrame({"job": job, "iteration": number, "time_ps": times_ps, "first_end_ps": 0, "end_ps": 1})
    frame = frame.assign(**{f"exposed_{group}_ps": 0.0 for group in GROUPS})
    frame["exposed_data_ps"] = frame["time_ps"] * number / 100
    frame["compute_ps"] = frame["most_compute_ps"] = frame["time_ps"] - frame["exposed_data_ps"]
    return frame.assign(**{REST: 0.0})


class Steps(unittest.TestCase):
    """The last iteration is the last one, also where it is not drawn, and of the job whose it is."""

    @staticmethod
    def told(*jobs):
        found = pd.concat(jobs, ignore_index=True)
        found.attrs["note"] = ""
        with mock.patch("heddle.figures.iterations.steps", return_value=found):
            frame = Iterations().data(None)
        return frame, Iterations().alt(frame), _steps(mock.Mock(frames={"iterations": frame}))[0].text

    def test_of_one_job(self):
        frame, text, standout = self.told(steps(0, np.arange(1000, 1060)))
        self.assertEqual(len(frame), 40)
        self.assertTrue(text.startswith("The last of 60 iterations took 1.059 ns, of which"), text)
        self.assertTrue(standout.startswith("In the last of 60 iterations exposed communication is 59% of"), standout)

    def test_of_several(self):
        _, text, standout = self.told(steps(0, np.full(30, 1000)), steps(3, np.full(3, 2000)))
        self.assertRegex(
            text,
            "^The last of 30 iterations of job 0 took 1 ns, .*; the last of 3 iterations of job 3 took 2 ns, of which GPUs computed "
            "1.96 ns",
        )
        self.assertTrue(standout.startswith("In the last of 30 iterations of job 0 exposed communication is 29% of"))


class Bins(unittest.TestCase):
    def test_what_no_sample_reaches(self):
        """The longest pause is below what is told, and above the edge before."""
        _, text = data_and_text("pause_lengths", small_runs.incast())
        with heddle.open(small_runs.incast()) as run:
            counts = run.histogram("pause_length").sel(tier="ctsw>rtsw")
            last = int(np.flatnonzero(counts.values)[-1])
            edges = counts["pause_ps"].values
        self.assertIn(f"below {text_of(int(edges[last + 1]), 'ps', 4)} ctsw to rtsw", text)

    def test_queues_that_nobody_looked_at(self):
        with self.assertRaisesRegex(Missing, "output.series_interval was 0"):
            frame_of("queue_histogram", small_runs.without_series())

    def test_the_last_bin_has_no_end(self):
        frame = pd.DataFrame({"tier": "a>b", "pause_ps": [0, 1000], "below": [1000, -1], "count": 1, "share_at_least": 1.0})
        self.assertEqual(FIGURES["pause_lengths"].alt(frame), "Lengths of pauses: 1 ns and more a to b.")


class MeanUse(unittest.TestCase):
    def test_links_count_alike(self):
        """Also those of two rates, as in heddle info."""
        links = pd.DataFrame({"tier": "a>b", "bits_per_s": [8e11, 2e11], "sent_bytes": [0, 100], "use": [0.0, 0.4]})
        links[["paused_ps", "peak_queue_bytes", "ecn_marks"]] = 0
        links.attrs["until_ps"] = 10_000
        with mock.patch("heddle.report.facts.link_totals", return_value=links):
            kinds = kinds_of(None)
        self.assertAlmostEqual(kinds["mean_use"][0], 0.2)


class Phases(unittest.TestCase):
    def test_every_second_is_in_one(self):
        phases = pd.DataFrame({"phase": ["advance", "observe", "exchange"], "wall_s": [5.0, 1.0, 3.5]})
        self.assertEqual(phases_of(phases), {"advance": 1.5, "observe": 1.0, "exchange": 3.5})
        self.assertEqual(phases_of(phases[:2]), {"advance": 5.0, "observe": 1.0})
        with heddle.open(small_runs.zone()) as run:
            self.assertAlmostEqual(sum(perf_of(run)["phases"].values()), run.perf["wall_s"])


class WhatIsNotDrawn(unittest.TestCase):
    """Counts and ranges are of all."""

    def test_collectives(self):
        with heddle.open(small_runs.zone()) as run:
            busbw = finished(run)["busbw_GBps"]
        with mock.patch("heddle.figures.collectives.MAX_OVER_TIME", 2):
            frame, text = data_and_text("busbw_over_time", small_runs.zone())
        self.assertEqual(len(frame), 2)
        self.assertEqual(text, f"6 collectives over time, with bus bandwidths from {busbw.min():.2f} to {busbw.max():.2f} GB/s.")

    def test_gpus(self):
        whole, text = data_and_text("gpu_time", small_runs.training())
        with mock.patch("heddle.figures.gpu_time.MAX_ROWS", 2):
            frame, of_fewer = data_and_text("gpu_time", small_runs.training())
        self.assertEqual((len(whole), len(frame)), (64, 2))
        self.assertEqual(of_fewer, text)
        waits = whole[list(PARTS.values())[1:]].sum(axis=1)
        self.assertIn(f"exposed communication from {time_text(waits.min(), 4)} to {time_text(waits.max(), 4)}.", text)

    def test_gpus_of_several_jobs(self):
        """Of all together those that compute most and least, not of the first job and the last."""
        frame = pd.DataFrame({"job": [0, 0, 0, 1, 1, 1], "node": range(6), "compute_ps": [9, 5, 1, 8, 5, 2]})
        self.assertEqual(extremes(frame, 4)["node"].tolist(), [0, 2, 3, 5])
        self.assertIs(extremes(frame, 6), frame)

    def test_outcomes(self):
        frame = pd.DataFrame({"status": "complete", "a": range(20), "b": [str(place % 9) for place in range(20)], "m": range(20)})
        self.assertEqual(note_of(frame, [("m", "m", "")], ["a", "b"]), "Of 9 combinations of b the first 7 are drawn.")
        self.assertEqual(note_of(frame[:7], [("m", "m", "")], ["a", "b"]), "")
        self.assertEqual(note_of(frame, [("m", "m", "")] * 13, ["a"]), "Of 13 measures that differ the first 12 are drawn.")

    def test_links(self):
        _, text = data_and_text("link_matrix", small_runs.incast())
        with mock.patch("heddle.figures.link_matrix.MAX_CELLS", 1):
            frame, of_fewer = data_and_text("link_matrix", small_runs.incast())
        self.assertIn("busiest_src", frame)
        self.assertEqual(of_fewer, text)

    def test_spells(self):
        frame = pd.DataFrame({"what": [f"cable {place}" for place in range(9)], "state": "down", "from_ps": 0, "until_ps": 5})
        with mock.patch("heddle.figures.losses.spells", return_value=(frame, "")), mock.patch("heddle.figures.losses.MAX_ROWS", 6):
            drawn, text = data_and_text("failures", small_runs.incast())
        self.assertEqual(len(drawn), 6)
        self.assertRegex(text, "; and 5 more\\.$")


class PausesThatHaveNotEnded(unittest.TestCase):
    def test_they_count(self):
        """Those of a run that stalled are in its file; else until the last decision."""
        with heddle.open(small_runs.incast()) as run, h5py.File(small_runs.incast(), "r") as file:
            links, link = run.links(), int(file["link/paused_ps"][...].argmax())
            paused = (np.array([10, 20, 25, 40]), np.array([link, link, link, 0]), np.array([1, 0, 1, 1], bool), np.zeros(4, int))
            with mock.patch.dict(run.attrs, status="stalled"):
                self.assertEqual(paused_times(run, paused, links)[link], file["link/paused_ps"][link])
        without = links.drop(columns="paused_ps")
        with mock.patch("heddle.figures.pause_causes.link_totals", side_effect=Missing("no totals")):
            self.assertEqual(dict(paused_times(None, paused, without)), {link: 25, 0: 0})


if __name__ == "__main__":
    unittest.main()
