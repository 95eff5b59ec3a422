"""heddle plot and heddle.figures: every figure draws what it has, says why it has nothing, and looks the same every time."""

import os
import pathlib
import runpy
import unittest
import xml.etree.ElementTree as ElementTree
from unittest import mock

import h5py
import heddle
import html_pages
import numpy as np
import pandas as pd
import small_checkpoints
import small_requests
import small_runs
from heddle.figures import FIGURES, Cell, Missing
from heddle.figures.completion_ecdf import CompletionEcdf
from heddle.figures.figure import Figure
from heddle.figures.outcomes import alt_of, draw_outcomes
from heddle.figures.reading import largest_of_pieces, last_rows, rows_of_pieces
from heddle.figures.style import COLOURS, KINDS, line_style
from heddle.figures.svg import inline_svg, save
from heddle.text import bytes_text, count_text, counted, rarity_text, rate_text, share_text, size_text, time_text
from heddle.trace.choice import _which
from helpers import InAFolder, drawing_of, frame_of, said, wait_until
from matplotlib.colors import Colormap, to_hex

MAX_ROWS = 5_000
SVG = "{http://www.w3.org/2000/svg}"


class EveryFigure(unittest.TestCase):
    def test_draws_what_it_has(self):
        drawn = set()
        results = (
            small_runs.zone(),
            small_runs.incast(),
            small_runs.training(),
            small_checkpoints.shared(),
            small_requests.both(),
            small_requests.by_tcp(),
        )
        for result in results:
            with heddle.open(result) as run:
                for name, figure in FIGURES.items():
                    try:
                        frame = figure.data(run)
                    except Missing as why:
                        self.assertGreater(len(str(why)), 10, name)
                        continue
                    drawn.add(name)
                    self.assertTrue(0 < len(frame) <= MAX_ROWS, f"{name}: {len(frame)} rows")
                    self.assertGreater(len(figure.alt(frame)), 20, name)
                    svg = ElementTree.fromstring(
                        inline_svg(figure.draw([Cell("", [("", frame)])]), name, figure.title, figure.alt(frame))
                    )
                    self.assertEqual(svg.find(f"{SVG}title").text, figure.title)
        without = set(FIGURES) - drawn
        self.assertLessEqual(without, {"drops", "failures", "slowdown"}, "figures that no test has drawn")

    def test_several_runs_share_scales(self):
        """Each panel is large enough for its own data, and all have the same limits."""
        frame = frame_of("queue_depth", small_runs.incast())
        small, large = frame.copy(), frame.copy()
        large[frame.columns[2:]] *= 10
        large.attrs = small.attrs = frame.attrs
        for cells in ([small, large], [large, small]):
            limits = {axes.get_ylim() for axes in drawing_of("queue_depth", *cells).canvas.axes}
            self.assertEqual(len(limits), 1)
            self.assertGreaterEqual(limits.pop()[1], large[frame.columns[2:]].to_numpy().max())

    def test_a_kind_of_link_looks_the_same_everywhere(self):
        frame = frame_of("queue_depth", small_runs.incast())
        fewer = frame.drop(columns=frame.columns[2])
        fewer.attrs = frame.attrs
        colours = []
        for one in (frame, fewer):
            axes = drawing_of("queue_depth", one).canvas.axes[0]
            colours.append({line.get_label(): line.get_color() for line in axes.lines})
        self.assertEqual(colours[1], {label: colour for label, colour in colours[0].items() if label in colours[1]})
        self.assertEqual(len(set(colours[0].values())), len(frame.columns) - 2)

    def test_a_kind_of_collective_looks_the_same_everywhere(self):
        def colour_of(handle):
            colour = handle.get_color()
            return to_hex(colour if isinstance(colour, str) else np.ravel(colour)[:4])

        looks = []
        for name in ("busbw", "busbw_over_time"):
            legend = drawing_of(name, frame_of(name, small_runs.training())).canvas.axes[0].get_legend()
            handles = legend.legend_handles if hasattr(legend, "legend_handles") else legend.legendHandles
            looks.append([(text.get_text(), colour_of(handle)) for text, handle in zip(legend.get_texts(), handles)])
        self.assertGreater(len(looks[0]), 4)
        self.assertEqual(*looks)

    def test_colours_are_not_alone(self):
        """A dash and a marker tell apart, too, what colours do."""
        for column in ("linestyle", "marker", "color"):
            self.assertEqual(len({str(line_style(place)[column]) for place in range(len(COLOURS))}), len(COLOURS), column)
        self.assertTrue(all(len(kinds) < len(COLOURS) for kinds in KINDS))

    def test_colours_of_heat_are_made_as_new_matplotlib_wants_it(self):
        """Colormap.set_under and set_bad go away: with_extremes makes a colormap that nobody changes."""
        with mock.patch.object(Colormap, "with_extremes", autospec=True, side_effect=Colormap.with_extremes) as made:
            heat = runpy.run_path(heddle.figures.style.__file__)["HEAT"]
        made.assert_called_once()
        self.assertEqual([to_hex(colour) for colour in (heat.get_under(), heat.get_bad())], ["#ebebeb", "#ffffff"])

    def test_what_is_overlaid_is_in_the_legend(self):
        frames = [frame_of("completion_ecdf", result) for result in (small_runs.incast(), small_runs.without_series())]
        drawing = FIGURES["completion_ecdf"].draw([Cell("", [("one", frames[0]), ("other", frames[1])])])
        self.assertEqual([text.get_text() for text in drawing.canvas.axes[0].get_legend().get_texts()], ["one", "other"])


class GpuTime(unittest.TestCase):
    """Of each GPU, against sums that h5py makes of /event/gpu_time."""

    def sums(self, path, from_ps, until_ps):
        """{activity: time by node} of what was within."""
        with h5py.File(path, "r", libver="latest", swmr=True) as file:
            group = file["event/gpu_time"]
            names = dict(zip(group["activity"].attrs["flag_values"], group["activity"].attrs["flag_meanings"].split()))
            rows = zip(*(group[name][...].tolist() for name in ("time_ps", "took_ps", "node", "activity")))
            found = {name: np.zeros(len(file["topology/node/node"]), dtype=np.int64) for name in names.values()}
        for time_ps, took_ps, node, activity in rows:
            found[names[activity]][node] += max(0, min(time_ps, until_ps) - max(time_ps - took_ps, from_ps))
        return found

    def assert_sums(self, path, frame, from_ps, until_ps):
        sums = self.sums(path, from_ps, until_ps)
        self.assertEqual(len(frame), 64)
        self.assertFalse(sums.pop("wait_stage").any(), "nobody waits for the stages of composed collectives in a program")
        for activity, column in {name: name.replace("wait", "exposed") + "_ps" for name in sums}.items():
            self.assertEqual(frame[column].tolist(), sums[activity][frame["node"]].tolist(), activity)
            self.assertEqual(frame[column].sum(), sums[activity].sum(), activity)
        self.assertTrue((np.diff(frame["compute_ps"]) <= 0).all())

    def test_the_last_iteration_that_ended(self):
        frame = frame_of("gpu_time", small_runs.training())
        with h5py.File(small_runs.training(), "r") as file:
            begin, end, compute = (int(file[f"iteration/{name}_ps"][-1]) for name in ("begin", "end", "compute"))
        self.assert_sums(small_runs.training(), frame, begin, end)
        self.assertAlmostEqual(frame["compute_ps"].mean() / compute, 1, places=6)
        self.assertEqual(frame.attrs["note"], "Iteration 1.")
        with mock.patch("heddle.figures.gpu_time.MAX_BARS", 10):
            note = frame_of("gpu_time", small_runs.training()).attrs["note"]
            self.assertIn("Of 64 GPUs the 5 that compute most and the 5", note)
            axes = drawing_of("gpu_time", frame).canvas.axes[0]
        self.assertEqual([label.get_text() for label in axes.get_yticklabels()], [*frame["gpu"][:5], *frame["gpu"][-5:]])

    def test_a_run_in_which_none_ended(self):
        path = small_runs.simulate("early.h5", small_runs.TRAINING, "simulation.horizon=15 ms")
        frame = frame_of("gpu_time", path)
        self.assert_sums(path, frame, 0, 15_000_000_000)
        self.assertEqual(frame.attrs["note"], "The run. What had not ended when the run did is not in it.")

    def test_a_killed_run(self):
        def has_rows():
            with h5py.File(going.part, "r", libver="latest", swmr=True) as file:
                return len(file["event/gpu_time/time_ps"]) > 0

        long = [*small_runs.TRAINING, *small_runs.sets("job.0.training.iterations=1000")]
        with small_runs.LongRun(small_runs.folder() / "killed_gpus.h5", of=long) as going:
            wait_until(has_rows, 120)
        frame = frame_of("gpu_time", going.part)
        self.assert_sums(going.part, frame, 0, int(frame["until_ps"].max()))
        page = html_pages.of(going.part)
        self.assertIn("Steps of the job", [text for _, text in page.headings])
        self.assertEqual(page.csv("gpu_time")["compute_ps"].sum(), frame["compute_ps"].sum())

    def test_without_it(self):
        for path, why in (
            (small_runs.training_without_gpu_time(), "set output.gpu_time = true"),
            (small_runs.killed(), "output.gpu_time was false; set it to true"),
            (small_runs.incast(), "the workload"),
        ):
            with self.assertRaisesRegex(Missing, why):
                frame_of("gpu_time", path)


class Scales(unittest.TestCase):
    """From 0 to above the largest marker."""

    def test_bus_bandwidth(self):
        frame = frame_of("busbw", small_runs.zone())
        bottom, top = drawing_of("busbw", frame).canvas.axes[0].get_ylim()
        self.assertEqual(bottom, 0)
        self.assertGreater(top, 1.1 * frame["most_busbw_GBps"].max())

    def test_outcomes_that_hardly_differ(self):
        frame = pd.DataFrame({"status": "complete", "axis": ["a", "b"], "value": [0.0768620, 0.0768605], "other": [1.0, 0.0]})
        for axes, most in zip(
            draw_outcomes(frame, [("value", "value", "share"), ("other", "other", "x")], ["axis"]).canvas.axes, (0.0768620, 1)
        ):
            bottom, top = axes.get_ylim()
            self.assertEqual(bottom, 0)
            self.assertTrue(1.04 * most < top < 1.3 * most, (most, top))


class Tips(unittest.TestCase):
    def test_a_shape_has_its_own_text(self):
        frame = frame_of("busiest_links", small_runs.incast())
        svg = ElementTree.fromstring(inline_svg(drawing_of("busiest_links", frame), "x", "", ""))
        tips = [title.text for title in svg.iter(f"{SVG}title")]
        self.assertEqual(len(tips), len(frame))
        self.assertEqual({tip.split(":")[0] for tip in tips}, set(frame["name"]))


class Reduced(unittest.TestCase):
    def test_no_queue_is_drawn_where_none_was(self):
        """Bursts of 10,000 rows with long silences between: each has two rows only. A piece's maximum stays within two pieces."""
        burst = np.arange(1, 10_001) * 10
        time_ps = np.concatenate([burst, burst + 10_000_000, burst + 10_300_000, [90_000_000, 90_000_010]])
        random = np.random.default_rng(1)
        queue = random.integers(0, 1_000, (len(time_ps), 2)) * (np.arange(len(time_ps)) % 5_000 < 100)[:, np.newaxis]
        for end in (10_000 - 1, 20_000 - 1, 30_000 - 1):  # silence: no queue; the row that ends it is like that which begins it
            queue[[end, end + 1]] = 0
        queue[-1] = 5_000
        kept = rows_of_pieces(time_ps, 100)
        drawn = largest_of_pieces(queue, kept)
        self.assertLessEqual(len(kept), 301)
        piece_ps = time_ps[-1] / 100
        for instant in np.union1d(time_ps, np.arange(1, time_ps[-1], 50_000)):
            shown = drawn[np.searchsorted(time_ps[kept], instant)]
            near = queue[(time_ps >= instant - 2 * piece_ps) & (time_ps <= instant + 2 * piece_ps)]
            before = queue[np.searchsorted(time_ps, instant, "right") - 1] if instant >= time_ps[0] else 0 * queue[0]
            if (np.abs(time_ps - instant) > 2 * piece_ps).all():
                self.assertEqual(shown.tolist(), before.tolist(), instant)
            else:
                self.assertTrue((shown <= near.max(axis=0)).all(), instant)
        for end in (10_000 - 1, 30_000 - 1):
            row = np.searchsorted(time_ps[kept], time_ps[end + 1])
            self.assertEqual((time_ps[kept][row], drawn[row].tolist()), (time_ps[end + 1], [0, 0]), "through the silence")
        self.assertEqual(drawn.max(axis=0).tolist(), queue.max(axis=0).tolist())

    def test_queues_of_a_file_are_not_exceeded(self):
        with heddle.open(small_runs.incast()) as run:
            series = run.series("queue_bytes")
            frame = FIGURES["queue_depth"].data(run)
        rows = series.sel(time_ps=frame["time_ps"].to_numpy()).values
        if len(frame) == len(series):
            np.testing.assert_array_equal(frame[frame.columns[2:]].to_numpy(), rows)
        piece_ps = int(series["time_ps"].values[-1]) / 240
        for time_ps, *drawn in frame.drop(columns="interval_ps").itertuples(index=False):
            near = series.values[(series["time_ps"].values <= time_ps) & (series["time_ps"].values > time_ps - 2 * piece_ps)]
            self.assertTrue((np.array(drawn) <= near.max(axis=0)).all())

    def test_last_rows_keeps_the_end(self):
        time_ps = np.arange(1, 10_001) * 1_000
        kept = last_rows(time_ps, 100)
        self.assertEqual(len(kept), 100)
        self.assertEqual(kept[-1], 9_999)
        self.assertTrue((np.diff(kept) > 0).all())
        self.assertEqual(last_rows(time_ps[:50], 100).tolist(), list(range(50)))
        uneven = np.array([1, 2, 3, 1_000_000])
        self.assertEqual(last_rows(uneven, 2).tolist(), [2, 3])

    def test_a_curve_of_many_messages_keeps_the_slowest(self):
        class Many:
            partial, attrs, file = False, {"status": "complete", "end_ps": 200_000}, {}

            def missing(self):
                return {}

            def messages(self):
                finish = np.arange(1, 200_001)
                return pd.DataFrame({"posted_ps": 0, "finish_ps": finish, "ideal_ps": -1})

            def summary(self, _):
                row = {"percent": [99.0], "completion_ps": 198_000, "completion_at_least": 0}
                return pd.DataFrame({**row, "times_the_ideal": np.nan, "ideal_at_least": 0})

        frame = CompletionEcdf().data(Many())
        self.assertLess(len(frame), 500)
        self.assertEqual(frame["completion_ps"].iloc[-3:].tolist(), [199_998, 199_999, 200_000])
        np.testing.assert_array_equal(frame["completion_ps"] / 200_000, frame["share"], "a kept point lies on the curve")
        self.assertEqual(frame.attrs["curves"][""].completion[99.0].value, 198_000)
        self.assertIn("of 200,000 points are drawn", frame.attrs["note"])


class Plot(InAFolder):
    def test_png_svg_and_pdf(self):
        begins = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
        for kind, begin in begins.items():
            path = self.folder / f"figure.{kind}"
            code, out, error = said("plot", small_runs.incast(), "busiest_links", "-o", path)
            self.assertEqual((code, error), (0, ""))
            self.assertIn("rtsw0 port 0 -> gpu0", out)
            self.assertEqual(path.read_bytes()[: len(begin)], begin)

    def test_the_same_bytes_every_time(self):
        frame = frame_of("pause_time", small_runs.incast())
        for kind in ("png", "svg", "pdf"):
            for number in range(2):
                save(drawing_of("pause_time", frame), self.folder / f"{number}.{kind}", kind)
            self.assertEqual(*(pathlib.Path(self.folder, f"{number}.{kind}").read_bytes() for number in range(2)), kind)

    def test_the_data(self):
        said("plot", small_runs.zone(), "busbw", "-o", self.folder / "b.svg", "--csv", self.folder / "b.csv")
        with h5py.File(small_runs.zone(), "r") as file:
            expected = sorted(set(file["collective/bytes"][...].tolist()))
        self.assertEqual(pd.read_csv(self.folder / "b.csv")["bytes"].tolist(), expected)

    def test_the_list(self):
        code, out, _ = said("plot", small_runs.without_series(), "--list")
        self.assertEqual(code, 0)
        lines = dict(line.split(maxsplit=1) for line in out.splitlines())
        self.assertEqual(list(lines), list(FIGURES))
        self.assertEqual(lines["busiest_links"], "Busiest links")
        self.assertRegex(lines["link_use"], "^- not in this file: output.series_interval was 0")

    def test_refusals(self):
        path = self.folder / "no.png"
        for words, why in (
            ((small_runs.without_series(), "link_use", "-o", path), "has no data for link_use: output.series_interval was 0"),
            ((small_runs.incast(), "busbandwidth"), "there is no figure 'busbandwidth'.*Figures: busbw, "),
            ((small_runs.incast(), "busbw", "-o", self.folder / "x.gif"), "ends in none of .png, .svg and .pdf"),
            ((self.folder / "no.h5", "busbw", "-o", path), "no such file"),
        ):
            code, _, error = said("plot", *words)
            self.assertEqual(code, 2)
            self.assertRegex(error, why)
        self.assertEqual(os.listdir(self.folder), [])


class Words(unittest.TestCase):
    def test_units(self):
        self.assertEqual(
            [time_text(value) for value in (5524334233, 0, -1, 999, 1_000, 12 * 10**12)],
            ["5.52433 ms", "0 ps", "-", "999 ps", "1 ns", "12 s"],
        )
        self.assertEqual([bytes_text(value) for value in (44_140_000, 0, 999)], ["44.14 MB", "0 B", "999 B"])
        self.assertEqual(
            [size_text(value) for value in (67_108_864, 1024, 1000, 262_668_288)], ["64 MiB", "1 KiB", "1 KB", "250.5 MiB"]
        )
        self.assertEqual(
            [rate_text(4e11), share_text(0.99634), count_text(1234567), count_text(float("nan"))],
            ["400 Gb/s", "99.63 %", "1,234,567", "-"],
        )
        self.assertEqual(
            [rarity_text(share) for share in (0.0123, 0, 1 / 2048, 4.84406e-07, 2e-13)],
            ["1.23 %", "0.00 %", "1 in 2,048", "1 in 2.06 million", "1 in 5 trillion"],
        )

    def test_one_is_not_several(self):
        self.assertEqual([counted(number, "link") for number in (0, 1, 2, 2000)], ["0 links", "1 link", "2 links", "2,000 links"])
        tree = pd.DataFrame({"depth": [0], "what": ["gpu3"], "links_below": [1], "paused_ps": [5_000], "pauses": [1]})
        self.assertIn("gpu3: 1 link paused for 5 ns", FIGURES["pause_tree"].alt(tree))
        self.assertTrue(alt_of(pd.DataFrame({"status": ["complete"], "value": [1.0]}), []).startswith("1 run; "))

    def test_every_so_many(self):
        """One of every 3, not every 3th."""
        with mock.patch("heddle.figures.collectives.MAX_OVER_TIME", 2):
            frame = frame_of("busbw_over_time", small_runs.zone())
        self.assertRegex(frame.attrs["note"], "2 of 6: of each line of the legend one of every 3\\.$")

    def test_no_kind_is_thinned_away(self):
        """All-gathers and reduce-scatters take turns: one of every 2 of all would draw but one of them."""
        with heddle.open(small_runs.training()) as run:
            kinds = set(run.collectives()[["kind", "group"]].astype(str).itertuples(index=False, name=None))
            with mock.patch("heddle.figures.collectives.MAX_OVER_TIME", len(run.collectives()) // 2):
                frame = FIGURES["busbw_over_time"].data(run)
        self.assertGreater(len(kinds), 4)
        self.assertEqual(set(frame[["kind", "group"]].astype(str).itertuples(index=False, name=None)), kinds)

    def test_the_links_of_a_trace(self):
        self.assertTrue(_which(0).startswith("No link was paused"))
        self.assertTrue(_which(1).startswith("The link is the one that was paused longest"))
        self.assertTrue(_which(5).startswith("Links are the 5 that"))

    def test_all_figures_explain_themselves(self):
        for name, figure in FIGURES.items():
            self.assertIsInstance(figure, Figure)
            self.assertRegex(figure.about, r"\.$", name)
            self.assertRegex(name, "^[a-z_]+$")


if __name__ == "__main__":
    unittest.main()
