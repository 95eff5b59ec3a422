"""heddle report: its numbers are those of the file, it needs nothing but itself, and it says what is not there."""

import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings

import h5py
import heddle
import html_pages
import numpy as np
import small_runs
from heddle.figures import FIGURES
from heddle.mean_interval import half_width_95
from heddle.report import write_report
from heddle.report.blocks import Column, table_of
from heddle.report.defaults import default_texts, table
from heddle.report.inputs import inputs_of
from heddle.text import size_text
from helpers import InAFolder, drawing_of, frame_of, said

MAIL_BYTES = 5_000_000
MEASURED_ON = "configs/meta_24k.toml"  # 24,576 GPUs


class Pages(unittest.TestCase):
    made = {}

    @classmethod
    def page(cls, *results):
        if results not in cls.made:
            cls.made[results] = html_pages.of(*results)
        return cls.made[results]

    def all_pages(self):
        yield "zone", self.page(small_runs.zone())
        yield "incast", self.page(small_runs.incast())
        yield "training", self.page(small_runs.training())
        yield "failures", self.page(small_runs.failures())
        yield "no series", self.page(small_runs.without_series())
        yield "killed", self.page(small_runs.killed())
        yield "sweep", self.page(small_runs.sweep())
        yield "files", self.page(small_runs.incast(), small_runs.without_series())


class Numbers(Pages):
    """Taken from the file by h5py, not by what the report uses."""

    def test_messages(self):
        page = self.page(small_runs.incast())
        with h5py.File(small_runs.incast(), "r") as file:
            columns = {name: file["message"][name][...].astype(np.int64) for name in ("posted_ps", "finish_ps", "ideal_ps")}
            goodput = file.attrs["goodput_bits_per_s"]
        times = np.sort(columns["finish_ps"] - columns["posted_ps"])
        row = next(row for row in page.table("message_percentiles") if row["what"] == "completion")
        for percent in (50, 95, 99, 99.9):
            nearest = times[int(np.ceil(percent / 100 * len(times))) - 1]
            self.assertEqual(float(row[f"p{percent:g}"]), nearest)
        self.assertEqual(int(row["slowest"]), times[-1])
        self.assertEqual(float(page.measures["completion_p99_ps"]), times[int(np.ceil(0.99 * len(times))) - 1])
        slowdown = np.sort((columns["finish_ps"] - columns["posted_ps"]) / columns["ideal_ps"])
        self.assertEqual(float(page.measures["slowdown_p99"]), slowdown[int(np.ceil(0.99 * len(times))) - 1])
        self.assertEqual(float(page.measures["goodput_bits_per_s"]), goodput)
        curve = page.csv("completion_ecdf")
        self.assertEqual(curve["completion_ps"].tolist(), times.tolist())
        self.assertEqual(curve["share"].iloc[-1], 1)

    def test_collectives(self):
        page = self.page(small_runs.zone())
        with h5py.File(small_runs.zone(), "r") as file:
            group = file["collective"]
            size, busbw, start, finish = (group[name][...] for name in ("bytes", "busbw_GBps", "start_ps", "finish_ps"))
        rows = {int(row["bytes"]): row for row in page.table("collectives")}
        self.assertEqual(set(rows), set(size.tolist()))
        for one, row in rows.items():
            self.assertEqual(int(row["times"]), 3)
            of_mean_time = 3 / (1 / busbw[size == one]).sum()
            self.assertAlmostEqual(float(row["busbw_GBps"]), of_mean_time, places=9)
            self.assertEqual(float(row["most_time_ps"]), (finish - start)[size == one].max())
        drawn = page.csv("busbw_over_time")
        self.assertTrue(np.allclose(drawn["busbw_GBps"], busbw, rtol=1e-12))
        self.assertEqual(page.csv("stragglers")["last_ps"].tolist(), (finish - start).tolist())

    def test_collectives_of_a_training_job_are_those_that_heddle_run_prints(self):
        """Its ranks come at different times: bandwidths count since the last one's entry."""
        printed = re.findall(
            r"^  job 0: (\w+) +(\w+) +([\d.]+ \w+) +(\d+) +(\d+) +[\d.]+ \w+ +([\d.]+) (\w+) +([\d.]+)$",
            small_runs.training_said(),
            re.M,
        )
        self.assertEqual(len(printed), 7)
        page = self.page(small_runs.training())
        groups = ["tensor", "pipeline", "data"]  # the program's order; then kinds, then sizes
        rows = sorted(page.table("collectives"), key=lambda row: (groups.index(row["group"]), row["kind"], int(row["bytes"])))
        self.assertEqual(len(rows), 7)
        for row, (group, kind, size, ranks, number, time, unit, busbw) in zip(rows, printed):
            self.assertEqual((row["group"], row["kind"], row["ranks"], row["times"]), (group, kind, ranks, number))
            self.assertEqual(size_text(int(row["bytes"])), size)
            self.assertIn(f">{size}<", page.text)
            self.assertEqual(f"{float(row['busbw_GBps']):.1f}", busbw)
            self.assertAlmostEqual(float(row["time_ps"]) / {"us": 1e6, "ms": 1e9}[unit] / float(time), 1, places=4)
            self.assertLessEqual(float(row["least_time_ps"]), float(row["time_ps"]))
        self.assertIn("since the last rank's entry, as heddle run prints them", page.words)
        drawn = page.csv("busbw_over_time").groupby(["group", "kind"]).busbw_GBps
        self.assertGreater(drawn.mean()["pipeline", "send"], 20, "1.2 since the first rank's entry")
        most = max(rows, key=lambda row: int(row["bytes"]))
        self.assertEqual(
            float(page.measures[f"job0.{most['kind']}.data.4ranks.{most['bytes']}B.busbw_GBps"]), float(most["busbw_GBps"])
        )
        self.assertIn("Time and bandwidth since the first rank's entry, as nccl-tests has them", self.page(small_runs.zone()).words)

    def test_links(self):
        page = self.page(small_runs.incast())
        with h5py.File(small_runs.incast(), "r") as file:
            did = {
                name: file["link"][name][...].astype(np.int64)
                for name in ("sent_bytes", "paused_ps", "pauses", "peak_queue_bytes", "ecn_marks")
            }
            src, rate = file["topology/link/src"][...], file["topology/link/bits_per_s"][...].astype(float)
            is_gpu = file["topology/node/kind"][...][src] == file["topology/node/kind"][0]
            end_ps = int(file.attrs["end_ps"])
        use = did["sent_bytes"] * 8e12 / rate / end_ps
        row = next(row for row in page.table("kinds_of_links") if row["tier"] == "endpoint>rtsw")
        self.assertEqual(int(row["links"]), is_gpu.sum())
        self.assertEqual(int(row["pauses"]), did["pauses"][is_gpu].sum())
        self.assertEqual(int(row["most_paused_ps"]), did["paused_ps"][is_gpu].max())
        self.assertAlmostEqual(float(row["mean_use"]), use[is_gpu].mean(), places=12)
        self.assertEqual(sum(int(row["paused_ps"]) for row in page.table("kinds_of_links")), did["paused_ps"].sum())
        self.assertEqual(int(page.measures["paused_ps"]), did["paused_ps"].sum())
        self.assertGreater(did["paused_ps"].sum(), 0)
        self.assertEqual(int(page.measures["peak_queue_bytes"]), did["peak_queue_bytes"].max())
        busiest = page.csv("busiest_links")
        np.testing.assert_allclose(busiest[busiest["tier"] == "endpoint>rtsw"]["use"], np.sort(use[is_gpu])[::-1][:5], rtol=1e-12)
        self.assertEqual(
            busiest["tier"].value_counts().to_dict(), dict.fromkeys(("endpoint>rtsw", "rtsw>endpoint", "rtsw>ctsw", "ctsw>rtsw"), 5)
        )
        self.assertAlmostEqual(busiest["use"].max(), use.max(), places=12)
        self.assertEqual(
            page.csv("paused_links")["paused_ps"].tolist(),
            np.sort(did["paused_ps"])[::-1][: len(page.csv("paused_links"))].tolist(),
        )
        self.assertEqual(page.csv("largest_queues")["peak_queue_bytes"].iloc[0], did["peak_queue_bytes"].max())

    def test_sums_over_time(self):
        """What figures over time draw, summed up, is the file's total."""
        page = self.page(small_runs.incast())
        with h5py.File(small_runs.incast(), "r") as file:
            tiers = [name.decode() for name in file["series/tier/tier"][...]]
            last = {name: file[f"series/tier/{name}"][-1].astype(np.int64) for name in ("sent_bytes", "paused_ps", "ecn_marks")}
            rate, links = file["series/tier/bits_per_s"][...].astype(float), file["series/tier/links"][...]
            deepest = file["series/tier/queue_bytes"][...].max(axis=0)
        for place, tier in enumerate(tiers):
            use, paused, marks = (page.csv(name) for name in ("link_use", "pause_time", "ecn"))
            np.testing.assert_allclose(
                (use[tier] * use["interval_ps"]).sum() * rate[place] / 8e12, last["sent_bytes"][place], rtol=1e-9
            )
            np.testing.assert_allclose(
                (paused[tier] * paused["interval_ps"]).sum() * links[place], last["paused_ps"][place], rtol=1e-9
            )
            np.testing.assert_allclose((marks[tier] * marks["interval_ps"]).sum() / 1e6, last["ecn_marks"][place], rtol=1e-9)
            self.assertEqual(page.csv("queue_depth")[tier].max(), deepest[place])

    def test_link_by_link_over_time(self):
        page = self.page(small_runs.incast())
        heat = page.csv("link_heat")
        with h5py.File(small_runs.incast(), "r") as file:
            time_ps = file["series/link/time_ps"][...].astype(np.int64)
            sent = file["series/link/sent_bytes"][...].astype(float)
            rate = file["topology/link/bits_per_s"][...].astype(float)
        edges = np.array([int(name.split("_")[1]) for name in heat.columns[2:]])
        kept = np.searchsorted(time_ps, edges)
        between = np.diff(sent[kept], axis=0, prepend=0) * 8e12 / rate / np.diff(edges, prepend=0)[:, np.newaxis]
        grouped = heat["links"].str.extract(r"\((\d+) links\)$")[0]
        links = grouped.fillna(1).astype(int).to_numpy()  # of a row, which shows their mean
        self.assertEqual(links.sum(), between.shape[1])
        np.testing.assert_allclose(links @ heat.iloc[:, 2:].to_numpy(), between.sum(axis=1), atol=1e-4 * links.sum())

    def test_failures_and_losses(self):
        page = self.page(small_runs.failures())
        with h5py.File(small_runs.failures(), "r") as file:
            by_cause = {name: int(file.attrs[f"drops_{name}"]) for name in ("link_down", "corrupted", "class_limit")}
            end_ps = int(file.attrs["end_ps"])
        rows = {row["cause"]: int(row["packets"]) for row in page.table("drops_by_cause")}
        self.assertGreater(by_cause["link_down"], 0)
        for cause, packets in by_cause.items():
            self.assertEqual(rows[cause.replace("_", " ")], packets)
        drawn = page.csv("drops")
        self.assertEqual(drawn["link_down"].sum(), by_cause["link_down"])
        spells = page.csv("failures").set_index("what")
        self.assertEqual(spells.loc["ctsw3: 4 cables", ["state", "from_ps", "until_ps"]].tolist(), ["down", 1_000_000_000, end_ps])
        self.assertEqual(spells.loc["rtsw2 - ctsw7", "state"], "200 Gb/s of 400 Gb/s")
        self.assertIn(f"{by_cause['link_down']:,} packets were lost as links went down", page.words)

    def test_steps(self):
        page = self.page(small_runs.training())
        with h5py.File(small_runs.training(), "r") as file:
            expected = {
                name: file["iteration"][name][...].tolist()
                for name in ("time_ps", "compute_ps", "exposed_pipeline_ps", "exposed_data_ps", "first_end_ps", "end_ps")
            }
        rows = page.table("iterations")
        for name, values in expected.items():
            self.assertEqual([float(row[name]) for row in rows], values, name)
            self.assertTrue(all(value > 0 for value in values), name)
        mean = sum(expected["time_ps"]) / len(expected["time_ps"])
        self.assertEqual(float(page.measures["job0.iteration_ps"]), mean, "of all, the first among them")

    def test_checkpoints(self):
        """How many, and how long writing took in all; of one from which a run resumed nobody knows."""
        path = pathlib.Path(small_runs.training_with_checkpoints())
        with h5py.File(path, "r") as file:
            wall_s = file["perf/checkpoint/wall_s"][...]
        row = self.page(path).table("speed")[0]
        self.assertGreater(len(wall_s), 3)
        self.assertEqual(int(row["checkpoints"]), len(wall_s))
        self.assertAlmostEqual(float(row["checkpoint_wall_s"]), wall_s.sum(), places=9)
        self.assertNotIn("How long writing took", self.page(path).words)
        resumed = small_runs.folder() / "resumed.h5"
        shutil.copy(path, resumed)
        with h5py.File(resumed, "r+") as file:
            file["perf/checkpoint/wall_s"][1] = np.nan
        page = self.page(resumed)
        self.assertAlmostEqual(float(page.table("speed")[0]["checkpoint_wall_s"]), wall_s.sum() - wall_s[1], places=9)
        self.assertIn("How long writing took is not known of 1 checkpoint, from which the run resumed.", page.words)
        self.assertNotIn("checkpoints", self.page(small_runs.training()).table("speed")[0])

    def test_checkpoints_on_the_time_line_of_failures(self):
        path = small_runs.simulate("failures_saved.h5", small_runs.FAILURES, "checkpoint.every=1 ms")
        frame = frame_of("failures", path)
        with h5py.File(path, "r") as file:
            saved = [time_ps for time_ps in file["perf/checkpoint/time_ps"][...].tolist() if time_ps <= file.attrs["end_ps"]]
        self.assertTrue(0 < len(saved) <= 100)
        canvas = drawing_of("failures", frame).canvas
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # that a layout could not be applied
            canvas.draw_without_rendering()
        axes = canvas.axes[0]
        marks = [line for line in axes.lines if line.get_label() == "a checkpoint was written"]
        self.assertEqual([line.get_xdata().tolist() for line in marks], [saved])

    def test_sweep(self):
        page = self.page(small_runs.sweep())
        rows = page.table("runs")
        self.assertEqual(len(rows), 8)
        for row in rows:
            with h5py.File(small_runs.sweep() / f"{row['run']}.h5", "r") as file:
                self.assertEqual(int(row["paused_ps"]), file["link/paused_ps"][...].sum())
                self.assertEqual(int(row["end_ps"]), file.attrs["end_ps"])
                self.assertEqual(
                    row["dcqcn.enabled"] == "true", b"enabled = true" in file["config"][()].split(b"[dcqcn]")[1].split(b"\n[")[0]
                )
        over_seeds = page.table("combinations")
        self.assertEqual([int(row["runs"]) for row in over_seeds], [2, 2, 2, 2])
        same = [float(row["end_ps"]) for row in rows if row["dcqcn.enabled"] == "false" and row["link.host_rate"] == "400 Gb/s"]
        self.assertEqual(float(over_seeds[0]["end_ps"]), np.mean(same))
        effects = {(row["axis"], row["value"]): row for row in page.table("effects")}
        self.assertEqual(
            float(effects["dcqcn.enabled", "true"]["end_ps"]),
            np.mean([float(row["end_ps"]) for row in rows if row["dcqcn.enabled"] == "true"]),
        )


class Intervals(Pages):
    def test_of_a_sample(self):
        """Against the table of Student's t: 4.30265 for 2 degrees of freedom."""
        self.assertAlmostEqual(half_width_95([1.0, 2.0, 3.0]), 4.30265 * 1 / 3**0.5, places=5)
        self.assertTrue(np.isnan(half_width_95([1.0])))

    def test_they_are_those_of_heddle_compare(self):
        page = self.page(small_runs.sweep())
        compared = small_runs.program("compare", small_runs.sweep())
        shown = re.search(r"\n  dcqcn.enabled.*\n((?:  (?:true|false) .*\n)+)", compared).group(1).splitlines()
        texts = re.findall(
            r'data-key="end_ps" data-value="[^"]*">([^<]*)<', page.text.split('id="table-combinations"')[1].split("</table>")[0]
        )
        self.assertEqual(len(texts), len(shown))
        for text, line in zip(texts, shown):
            mean, half = text.split(" +- ")
            self.assertRegex(re.sub(r" +", " ", line), re.escape(f"complete {mean} +- ") + r"[\d.]+ [pnum]?s")
            number = float(re.search(re.escape(f"{mean} +- ") + r"([\d.]+)", line).group(1))
            self.assertAlmostEqual(float(half.split()[0]), number, delta=0.01 * number)


class Configuration(Pages):
    def test_the_diff_against_defaults(self):
        rows = {row["key"]: row for row in self.page(small_runs.incast()).table("configuration")}
        self.assertEqual((rows["topology.racks"]["value"], rows["topology.racks"]["default"]), ("17", "256"))
        self.assertEqual(rows["generator.0.bytes"]["value"], "4 MiB")
        self.assertEqual(rows["generator.0.kind"]["default"], "has to be given")
        self.assertNotIn("topology.ctsws", rows, "18 is the default")

    def test_defaults_are_those_of_the_program(self):
        known = {key: None if given else text for key, text, given in table(small_runs.HEDDLE)}
        self.assertEqual(default_texts(), known, "run python3 -m heddle.report.defaults to write defaults.tsv anew")

    def test_files_of_no_sweep_say_what_differs(self):
        keys = [row["parameter"] for row in self.page(small_runs.incast(), small_runs.zone()).table("differences")]
        self.assertIn("topology.racks", keys)


class Page(Pages):
    def test_it_needs_nothing_else(self):
        for name, page in self.all_pages():
            with self.subTest(name):
                self.assertEqual(page.elements & {"iframe", "object", "embed", "audio", "video", "base", "form"}, set())
                for source, _ in page.images:
                    self.assertTrue(source.startswith("data:image/svg+xml;base64,"), source[:80])
                [script] = re.findall(r"<script>(.*?)</script>", page.text, re.S)
                self.assertEqual(page.text.count("<script"), 1)
                trusted = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
                self.assertIn(f"script-src 'sha256-{trusted}';", page.text, "nothing but the page's own script runs")
                for tag, attribute, value in page.references:
                    for url in re.findall(r"url\(\s*['\"]?([^)'\"]*)", value) if attribute == "style" else [value]:
                        self.assertRegex(url, r"^(#|data:)", f"<{tag} {attribute}>")
                self.assertNotIn("@import", page.text)
                self.assertEqual(
                    set(re.findall(r"https?://[\w./-]+", page.text)),
                    {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"},
                    "names, not addresses",
                )
                self.assertIn("default-src 'none'", page.text)
                self.assertLess(len(page.text.encode()), MAIL_BYTES)

    def test_everybody_can_read_it(self):
        for name, page in self.all_pages():
            with self.subTest(name):
                levels = [level for level, _ in page.headings]
                self.assertEqual(levels.count(1), 1)
                self.assertEqual(levels[0], 1)
                self.assertTrue(all(after <= before + 1 for before, after in zip(levels, levels[1:])), page.headings)
                self.assertEqual(len(page.identifiers), len(set(page.identifiers)), "ids are unique")
                self.assertEqual(len(page.drawings), len(page.figures))
                for role, title, description in page.drawings:
                    self.assertEqual(role, "img")
                    self.assertGreater(len(title), 5)
                    self.assertGreater(len(description), 20, title)
                linked = {value[1:] for tag, attribute, value in page.references if tag == "a" and value.startswith("#")}
                self.assertLessEqual(linked, set(page.identifiers))

    def test_a_narrow_page_has_one_column(self):
        """Also of several runs, whose rule is more specific than that of one; and long paths break."""
        style = (small_runs.ROOT / "io/python/heddle/report/templates/style.css").read_text()
        narrow = {int(width): rules for width, rules in re.findall(r"^@media \(max-width: (\d+)rem\) \{ (.*) \}$", style, re.M)}
        wide = [rules for width, rules in narrow.items() if 16 * width >= 700]
        self.assertRegex(
            " ".join(wide), r"\.first, \.first\.several, \.first\.steps \{ grid-template-columns: minmax\(0, 1fr\); \}"
        )
        self.assertGreater(style.index("@media (max-width"), style.index("\n.first.several"))
        self.assertRegex(style, r"\.checks li \{[^}]*overflow-wrap: anywhere")

    def test_every_figure_and_table_has_its_data(self):
        for name, page in self.all_pages():
            with self.subTest(name):
                names = {file.split(".")[0] for file in page.downloads}
                self.assertEqual(set(page.figures) - names, set())
                self.assertEqual({table.removeprefix("table-") for table in page.tables} - names, set())
                for figure in page.figures:
                    self.assertGreater(len(page.csv(figure)), 0, figure)

    def test_the_same_results_give_the_same_page(self):
        with tempfile.TemporaryDirectory() as folder:
            for number in range(2):
                write_report([small_runs.incast()], f"{folder}/{number}.html")
            self.assertEqual(pathlib.Path(folder, "0.html").read_bytes(), pathlib.Path(folder, "1.html").read_bytes())


class Tables(unittest.TestCase):
    def test_a_column_that_rows_have_not_is_no_dash(self):
        with self.assertRaisesRegex(KeyError, "the table x has the column 'end', which its rows have not: begin"):
            table_of("x", "", [Column("begin", "begin"), Column("end", "end")], [{"begin": "1"}])
        self.assertEqual(table_of("x", "", [Column("begin", "begin")], [{"begin": None}]).rows[0][0].text, "-")


class WhatIsMissing(Pages):
    def reasons(self, page):
        return " | ".join(f"{row['why']}: {row['what']}" for row in page.table("not_here"))

    def test_a_killed_run(self):
        page = self.page(small_runs.killed())
        self.assertIn("The run still goes on, or was killed", page.words)
        self.assertIn("partial: not sound", page.words)
        self.assertRegex(self.reasons(page), "written at its end[^|]*Bus bandwidth against size")
        self.assertIn("link_use", page.figures)
        with heddle.open(small_runs.killed()) as run:
            self.assertEqual(int(page.measures["until_ps"]), int(run.series("queue_bytes")["time_ps"][-1]))

    def test_a_killed_run_with_series_of_links(self):
        """Its links are known until the last row of the series."""
        with small_runs.LongRun(small_runs.folder() / "killed_links.h5", *small_runs.sets("output.link_series=true")) as run:
            pass
        page = self.page(run.part)
        with h5py.File(run.part, "r", libver="latest", swmr=True) as file:
            until_ps, sent = int(file["series/link/time_ps"][-1]), file["series/link/sent_bytes"][-1].astype(float)
            use = sent * 8e12 / file["topology/link/bits_per_s"][...].astype(float) / until_ps
        np.testing.assert_allclose(float(page.measures["busiest_use"]), use.max(), rtol=1e-12)
        self.assertIn("The run is not over: these are the links until", page.words)
        self.assertIn("link_matrix", page.figures)

    def test_no_series(self):
        page = self.page(small_runs.without_series())
        self.assertIn("Nothing was recorded over time", page.words)
        self.assertRegex(self.reasons(page), r"output.series_interval was 0[^|]*Link use over time")
        self.assertRegex(self.reasons(page), r"output.pfc_events was false[^|]*Who paused whom")
        self.assertIn("busiest_links", page.figures)
        self.assertNotIn("link_use", page.figures)

    def test_what_the_workload_has_not(self):
        page = self.page(small_runs.incast())
        self.assertRegex(self.reasons(page), "the workload has no collectives: [^|]*Bus bandwidth")
        self.assertNotIn("Collectives", [text for _, text in page.headings])

    def test_figures_and_reasons_together_are_all(self):
        for result in (
            small_runs.zone(),
            small_runs.incast(),
            small_runs.training(),
            small_runs.killed(),
            small_runs.without_series(),
        ):
            page = self.page(result)
            told = self.reasons(page) + page.words
            for name, figure in FIGURES.items():
                self.assertTrue(name in page.figures or figure.title in told, f"{result}: {name} is neither drawn nor explained")


class Inputs(InAFolder):
    def test_a_missing_library_is_named(self):
        for library, package in (("matplotlib", "python3-matplotlib"), ("jinja2", "python3-jinja2"), ("scipy", "python3-scipy")):
            script = (
                f"import sys; sys.modules[{library!r}] = None; from heddle.__main__ import main; sys.exit(main(['report', 'x.h5']))"
            )
            done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, f"^heddle report: .*apt-get install .*{package}")

    def test_a_damaged_file_is_refused(self):
        damaged, no = self.folder / "damaged.h5", self.folder / "no.h5"
        damaged.write_bytes(small_runs.incast().read_bytes()[:5000])
        for words, why in (
            ((damaged, "-o", self.folder / "report.html"), "^heddle report: '.*damaged.h5' cannot be read as HDF5"),
            ((no,), "no such file"),
            ((small_runs.incast(), "-o", self.folder / "none" / "report.html"), "none' is not there; make it"),
        ):
            code, _, error = said("report", *words)
            self.assertEqual(code, 2)
            self.assertRegex(error, why)
        self.assertEqual(os.listdir(self.folder), ["damaged.h5"])
        self.assertEqual(said("report", "-q", small_runs.incast(), no, "-o", self.folder / "report.html").code, 3)

    def test_a_sweep_with_runs_that_lack_their_result(self):
        copy, path = self.sweep(), self.folder / "report.html"
        (copy / "0.h5").unlink()
        (copy / "1.h5").write_bytes(b"nothing")
        code, _, error = said("report", copy, "-o", path)
        self.assertEqual(code, 3, error)
        self.assertRegex(error, "^heddle report: 0 is left out: there is no 0.h5.*\nheddle report: 1 is left out: .*\n$")
        page = html_pages.read(path)
        self.assertEqual(len(page.table("runs")), 6)
        self.assertEqual([row["run"] for row in page.table("problems")], ["0", "1"])
        self.assertIn("not sound", page.words)

    def test_one_damaged_file_does_not_take_the_others_with_it(self):
        for missing in ("message/finish_ps", "link/link", "topology/node/name", "event", "series/tier"):
            for name in "abc":
                shutil.copy(small_runs.incast(), self.folder / f"{name}.h5")
            with h5py.File(self.folder / "b.h5", "r+") as file:
                del file[missing]
            self.assertEqual([row["run"] for row in html_pages.of(self.folder).table("problems")], ["b"])
            with self.assertRaisesRegex(heddle.FormatError, "b.h5' is damaged"):
                write_report([self.folder / "b.h5"], self.folder / "alone.html")

    def test_a_table_that_is_gone_is_not_silence(self):
        """Every result has these, with no rows where nothing happened: without them "no packet was lost" would be untrue."""
        for names, told in (
            (["event", "series/tier"], "it has no /event, no /series/tier,"),
            (["event/drop"], "it has no /event/drop,"),
            (["event/pfc/time_ps"], "it has no /event/pfc/time_ps,"),
            (["collective"], "it has no /collective,"),
        ):
            path = self.folder / "without.h5"
            shutil.copy(small_runs.incast(), path)
            with h5py.File(path, "r+") as file:
                for name in names:
                    del file[name]
            for words in (
                ("report", path, "-o", self.folder / "report.html"),
                ("plot", path, "link_use", "-o", self.folder / "x.svg"),
                ("plot", path, "--list"),
            ):
                code, _, error = said(*words)
                self.assertEqual(code, 2, error)
                self.assertIn(f"without.h5' is damaged: {told}", " ".join(error.split()).replace(", which", ","))
            self.assertEqual(os.listdir(self.folder), ["without.h5"])

    def test_a_result_of_another_configuration(self):
        copy = self.sweep()
        shutil.copy(copy / "7.h5", copy / "0.h5")
        page = html_pages.of(copy)
        self.assertEqual([row["run"] for row in page.table("problems")], ["0"], "as heddle.Results leaves it out")
        self.assertIn("NOT AS CONFIGURED", page.words)
        self.assertEqual([row["run"] for row in page.table("runs")], list("1234567"))
        first = page.table("combinations")[0]
        with h5py.File(copy / "1.h5", "r") as file:
            self.assertEqual((int(first["runs"]), float(first["end_ps"])), (1, file.attrs["end_ps"]), "no mean with it")

    def test_a_sweep_has_the_axes_of_its_table(self):
        copy = self.sweep()
        table = (copy / "axes.csv").read_text()
        (copy / "axes.csv").write_text(table.replace("400 Gb/s", "0.4 Tb/s"))
        self.assertEqual({row["link.host_rate"] for row in html_pages.of(copy).table("runs")}, {"0.4 Tb/s", "100 Gb/s"})

    def test_files_have_the_letters_of_heddle_compare(self):
        files = [small_runs.incast(), small_runs.without_series()]
        letters = re.findall(r"^  (\w+)  .*\.h5 +complete$", small_runs.program("compare", *files), re.M)
        labels = [subject.name for subject in inputs_of([str(file) for file in files]).subjects]
        self.assertEqual(labels, [f"{name} {file.stem}" for name, file in zip(letters, files)])
        self.assertEqual([subject.name for subject in inputs_of(["one.h5"]).subjects], ["one"])

    def test_a_file_twice(self):
        one, link, never = (self.folder / name for name in ("a.h5", "b.h5", "never.html"))
        shutil.copy(small_runs.incast(), one)
        link.symlink_to("a.h5")
        for other, why in (
            (one, "a.h5' is given twice; name each file or folder once$"),
            (link, "b.h5' is given twice, first as '.*a.h5'"),
        ):
            code, _, error = said("report", one, other, "-o", never)
            self.assertEqual(code, 2)
            self.assertRegex(error, f"^heddle report: '.*{why}")
            self.assertFalse(never.exists())

    def test_a_folder_beside_files(self):
        with self.assertRaisesRegex(IsADirectoryError, "a report is of one folder, or of result files"):
            write_report([small_runs.incast(), small_runs.sweep()], "never.html")
        self.assertFalse(os.path.exists("never.html"))


class ALargeFabric(unittest.TestCase):
    def test_24576_gpus_with_series_of_links(self):
        """Within a minute and 2 GiB."""
        settings = ("simulation.horizon=6 us", "output.series_interval=1 us", "output.link_series=true")
        result = small_runs.simulate("large.h5", [MEASURED_ON], *settings)
        path = small_runs.folder() / "large.html"
        process = subprocess.Popen([sys.executable, "-m", "heddle", "report", "-q", result, "-o", path], cwd=small_runs.ROOT)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        self.assertLess(used.ru_utime + used.ru_stime, 60)
        self.assertLess(used.ru_maxrss, 2 << 20, "KiB")
        page = html_pages.read(path)
        self.assertLess(len(page.text.encode()), MAIL_BYTES)
        self.assertIn("link_heat", page.figures)
        self.assertIn("24,576 GPUs", page.words)
        for figure in page.figures:
            self.assertLess(len(page.csv(figure)), 12_000, f"{figure} is not bounded")


if __name__ == "__main__":
    unittest.main()
