"""Figures of rates: what stands still is drawn as 0, and what is drawn are exact means."""

import pathlib
import tempfile
import unittest
from unittest import mock

import h5py
import heddle
import numpy as np
import small_runs
from heddle.figures import FIGURES
from heddle.figures import heat, reading
from helpers import frame_of


class Silences(unittest.TestCase):
    """A training job, in which the network waits while GPUs compute."""

    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.result = small_runs.simulate(folder / "t.h5", small_runs.TRAINING, "output.link_series=true")
        with h5py.File(cls.result, "r") as file:
            cls.series = {
                by: (file[f"series/{by}/time_ps"][...].astype(np.int64), file[f"series/{by}/sent_bytes"][...].astype(np.int64))
                for by in ("tier", "link")
            }
        time_ps = cls.series["tier"][0]
        assert len(time_ps) > 2 * reading.MAX_INSTANTS, "so many rows that they are thinned"

    def silences(self, by, most):
        """(begin, end) of stretches longer than a piece of the figure in which nothing was sent by any link."""
        time_ps, sent = self.series[by]
        still = (np.diff(time_ps) > time_ps[-1] / most) & ~np.diff(sent, axis=0).any(axis=1)
        found = [(time_ps[row], time_ps[row + 1]) for row in np.flatnonzero(still)]
        self.assertGreater(len(found), 1, "the run has silences")
        return found

    def check(self, until_ps, use, silences):
        for begin, end in silences:
            inside = use[(until_ps > begin) & (until_ps <= end)]
            self.assertEqual(until_ps[(until_ps >= begin) & (until_ps <= end)].tolist(), [begin, end])
            self.assertFalse(inside.any(), f"the silence from {begin} to {end} is drawn as 0")

    def test_use_of_kinds(self):
        with heddle.open(self.result) as run:
            frame = FIGURES["link_use"].data(run)
            counter = run.series("sent_bytes")
        self.assertLess(len(frame), counter.shape[0], "thinned")
        until_ps, use = frame["time_ps"].to_numpy(), frame.iloc[:, 2:].to_numpy()
        self.check(until_ps, use, self.silences("tier", reading.MAX_INSTANTS))
        drawn = np.cumsum(use * frame[["interval_ps"]].to_numpy() * counter["bits_per_s"].values / 8e12, axis=0)
        rows = np.searchsorted(counter["time_ps"].values, until_ps)
        np.testing.assert_allclose(drawn, counter.values[rows], rtol=1e-9, err_msg="means are exact")
        self.assertLessEqual(len(frame), 3 * reading.MAX_INSTANTS + 1)

    def test_use_of_links(self):
        frame = frame_of("link_heat", self.result)
        until_ps = np.array([int(name.split("_")[1]) for name in frame.columns[2:]])
        self.assertLess(len(until_ps), len(self.series["link"][0]), "thinned")
        self.check(until_ps, frame.iloc[:, 2:].to_numpy(dtype=float).T, self.silences("link", heat.MAX_INSTANTS))

    def test_marks(self):
        with mock.patch.object(reading.rows_of_pieces, "__defaults__", (60,)), heddle.open(self.result) as run:
            frame = FIGURES["ecn"].data(run)
            marks = run.series("ecn_marks").values[-1].astype(float)
        drawn = (frame.iloc[:, 2:].to_numpy() * frame[["interval_ps"]].to_numpy() / 1e6).sum(axis=0)
        np.testing.assert_allclose(drawn, marks)
        self.check(frame["time_ps"].to_numpy(), frame.iloc[:, 2:].to_numpy(), self.silences("tier", 60))


if __name__ == "__main__":
    unittest.main()
