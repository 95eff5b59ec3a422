"""Requests of clients to servers, and data that jobs read, in the file, in texts, JSON and CSV, and in reports."""

import csv
import io
import json
import pathlib
import tempfile
import unittest

import h5py
import heddle
import html_pages
import numpy as np
import small_runs
from heddle.figures import FIGURES, Missing
from heddle.results.message_kinds import kinds_told_apart, of_kind
from helpers import frame_of
from small_requests import both, cut_off, slower, two_generators
from small_runs import program


def percentile(times, percent):
    return np.sort(times)[int(np.ceil(percent / 100 * len(times))) - 1]


def of_generator(rows):
    return rows[rows["generator"] >= 0]


class Data(unittest.TestCase):
    def test_messages_know_what_they_are_for(self):
        with heddle.open(both()) as run:
            messages = run.messages()
        data = messages[messages["purpose"] == "data"]
        self.assertEqual(len(data), 2 * 4 * 3, "GPUs, iterations, chunks")
        self.assertEqual(data["bytes"].sum(), 2 * 4 * 100_000)
        self.assertEqual(set(data["job"]), {0})
        asked = messages[messages["purpose"] == "question"]
        self.assertEqual(asked["job"].value_counts().to_dict(), {0: 24, -1: 20}, "of the job, and of the generator")
        self.assertEqual(set(data["checkpoint"]), {-1})
        written = messages[messages["purpose"] == "checkpoint"]
        self.assertEqual(sorted(set(written["checkpoint"])), [0, 1])
        self.assertEqual(len(written), 40)
        self.assertEqual(set(messages[messages["purpose"] == "own"]["job"]), {-1})

    def test_kinds(self):
        with heddle.open(both()) as run:
            kinds, messages = kinds_told_apart(run), run.messages()
            counts = {kind.key: len(of_kind(messages, kind)) for kind in kinds}
        self.assertEqual(
            [kind.key for kind in kinds],
            ["gpus.lossless", "questions.gpus.lossless", "job0.checkpoints", "job0.data", "job0.questions"],
        )
        self.assertEqual(next(kind.text for kind in kinds if kind.key == "job0.data"), "data of job 0, gpus, best_effort")
        self.assertEqual(counts["job0.data"], 24)

    def test_texts(self):
        self.assertRegex(program("info", both()), r"data of job 0, gpus, best_effort +24 of 24 ")
        compared = program("compare", both(), slower())
        for of in ("messages of data, job 0: finished", "questions, gpus, lossless: finished", "messages of questions, job 0: "):
            self.assertIn(of, compared)
        kinds = json.loads(program("info", "--json", both()))["messages"]["kinds"]
        self.assertEqual([(kind["purpose"], kind["job"]) for kind in kinds[:2]], [("own", None), ("question", None)])
        (kind,) = (kind for kind in kinds if kind["purpose"] == "data")
        self.assertEqual((kind["job"], kind["checkpoints_of_job"]), (0, None))
        row = next(csv.DictReader(io.StringIO(program("compare", "--csv", both(), slower()))))
        self.assertEqual(int(row["job0.data.completion_max_ps"]), kind["completion_ps"]["max"])

    def test_a_file_of_an_earlier_version(self):
        """It knows checkpoints alone, and no requests."""
        with tempfile.TemporaryDirectory() as folder:
            old = pathlib.Path(folder, "old.h5")
            old.write_bytes(pathlib.Path(both()).read_bytes())
            with h5py.File(old, "r+") as file:
                for name in ("message/purpose", "summary/message_kind/purpose", "request", "summary/request"):
                    del file[name]
            with heddle.open(old) as run:
                self.assertEqual({kind.purpose for kind in kinds_told_apart(run)}, {"own", "checkpoint"})
                with self.assertRaisesRegex(Missing, "an earlier version"):
                    FIGURES["request_ecdf"].data(run)
            self.assertIn("checkpoints of job 0", program("info", old))
            self.assertIn("requests of generator 0", program("compare", old, both()))
            self.assertNotIn("table-requests", html_pages.of(old).tables)


class Requests(unittest.TestCase):
    def test_a_row_of_each(self):
        with heddle.open(both()) as run:
            rows, messages = of_generator(run.requests()), run.messages()
        self.assertEqual(rows["client"].tolist(), [2] * 5 + [3] * 5)
        self.assertEqual(set(rows["servers"]), {2})
        self.assertEqual(set(rows["bytes"]), {10_000})
        own = messages[messages["purpose"].isin(["own", "question"]) & (messages["job"] < 0)]
        for client, mine in rows.groupby("client"):
            asked, answered = own[own["src"] == client], own[own["dst"] == client]
            self.assertEqual(sorted(set(asked["posted_ps"])), sorted(set(mine["begin_ps"])))
            self.assertTrue(set(mine["end_ps"]) <= set(answered["received_ps"]))
            self.assertEqual(mine["end_ps"].max(), answered["received_ps"].max())
            self.assertEqual(mine["begin_ps"].iloc[2], mine["end_ps"].iloc[0], "two are under way")

    def test_a_row_of_each_read_of_a_job(self):
        """Its question, and the answer that brings the data."""
        with heddle.open(both()) as run:
            rows, messages = run.requests(), run.messages()
        rows = rows[rows["job"] == 0]
        self.assertEqual(set(rows["generator"]), {-1})
        mine = messages[messages["job"] == 0]
        asked, data = mine[mine["purpose"] == "question"], mine[mine["purpose"] == "data"]
        self.assertEqual(sorted(rows["begin_ps"]), sorted(asked["posted_ps"]))
        self.assertEqual(sorted(rows["end_ps"]), sorted(data["received_ps"]))
        self.assertEqual(sorted(rows["bytes"]), sorted(data["bytes"]))

    def test_percentiles_and_rates(self):
        with heddle.open(both()) as run:
            rows, summary = of_generator(run.requests()), of_generator(run.summary("request"))
        times = (rows["end_ps"] - rows["begin_ps"]).to_numpy()
        for row in summary.itertuples():
            self.assertEqual(row.time_ps, percentile(times, row.percent))
            self.assertEqual((row.requests, row.begun, row.ended, row.time_at_least), (10, 10, 10, 0))
        span_s = (rows["end_ps"].max() - rows["begin_ps"].min()) * 1e-12
        self.assertAlmostEqual(summary["bits_per_s"].iloc[0], 800_000 / span_s, delta=1)
        self.assertAlmostEqual(summary["requests_per_s"].iloc[0], 10 / span_s, delta=1)

    def test_run_info_and_compare(self):
        said = program("run", small_runs.folder() / "requests.toml", "-o", small_runs.folder() / "requests_said.h5")
        for text in (said, program("info", both())):
            self.assertRegex(text, r"\nrequests \(from .*\n.*requests/s +GB/s\n +generator 0 +10 +10 +[\d.]+ us ")
        with heddle.open(both()) as one, heddle.open(slower()) as other:
            p99 = [of_generator(run.summary("request")).set_index("percent")["time_ps"][99] for run in (one, other)]
        lines = program("compare", both(), slower()).splitlines()
        place = next(i for i, line in enumerate(lines) if "requests of generator 0: ended" in line)
        self.assertIn(f"({p99[1] / p99[0]:.3f}x)", lines[place + 2])

    def test_json_and_csv(self):
        with heddle.open(both()) as run:
            summary = of_generator(run.summary("request"))
        found, of_job = json.loads(program("info", "--json", both()))["requests"]
        self.assertEqual([(of["generator"], of["job"], of["requests"]) for of in (found, of_job)], [(0, None, 10), (None, 0, 24)])
        self.assertEqual(list(found["time_ps"].values()), summary["time_ps"].tolist())
        self.assertEqual(found["bits_per_s"], summary["bits_per_s"].iloc[0])
        self.assertEqual((found["requests"], found["begun"], found["ended"]), (10, 10, 10))
        row = next(csv.DictReader(io.StringIO(program("compare", "--csv", both(), slower()))))
        self.assertEqual(int(row["generator0.requests.time_p99_ps"]), found["time_ps"]["p99"])
        self.assertEqual(row["generator0.requests_ended"], "10")
        self.assertEqual(int(row["job0.requests.time_p99_ps"]), of_job["time_ps"]["p99"])

    def test_a_run_that_ends_before_its_requests(self):
        with heddle.open(cut_off()) as run:
            rows, summary = of_generator(run.requests()), of_generator(run.summary("request"))
        self.assertTrue(((rows["begin_ps"] >= 0) & (rows["end_ps"] < 0)).any())
        self.assertTrue((rows["begin_ps"] < 0).any())
        self.assertEqual(summary["begun"].iloc[0], (rows["begin_ps"] >= 0).sum())
        self.assertEqual(summary["time_at_least"].iloc[-1], 1)
        self.assertIn("curve ends below 100 %", frame_of("request_ecdf", cut_off()).attrs["note"])
        self.assertIn(">= ", program("compare", cut_off(), cut_off()))

    def test_a_sweep(self):
        folder = small_runs.folder() / "requests_sweep"
        path = small_runs.folder() / "requests.toml"
        program("sweep", path, "--axis", "generator.0.service=3 us,30 us", "-o", folder, "--run")
        self.assertIn("requests p99", program("compare", folder))


class Report(unittest.TestCase):
    def test_a_run(self):
        page = html_pages.of(both())
        with heddle.open(both()) as run:
            summary = of_generator(run.summary("request")).set_index("percent")
        row, of_job = page.table("requests")
        self.assertEqual([row["of"], of_job["of"]], ["generator 0", "data of job 0"])
        self.assertEqual(float(row["p99"]), summary["time_ps"][99])
        self.assertEqual(float(row["bits_per_s"]), summary["bits_per_s"].iloc[0])
        self.assertEqual(float(page.measures["generator0.requests.time_p99_ps"]), summary["time_ps"][99])
        self.assertIn("10 of 10 that were begun ended", page.text)
        curve = page.csv("request_ecdf")
        curve = curve[curve["kind"] == "generator 0"]
        self.assertEqual(curve["time_ps"].iloc[-1], summary["time_ps"][100])
        self.assertEqual(curve["share"].iloc[-1], 1)
        self.assertIn("data of job 0, gpus, best_effort", [kind["kind"] for kind in page.table("goodput")])

    def test_each_asker_has_a_curve(self):
        frame = frame_of("request_ecdf", two_generators())
        self.assertEqual(frame["kind"].unique().tolist(), ["generator 0", "generator 1", "data of job 0"])
        self.assertIn("generator 1: requests are answered after p50", FIGURES["request_ecdf"].alt(frame))
        page = html_pages.of(two_generators())
        self.assertEqual([row["of"] for row in page.table("requests")], ["generator 0", "generator 1", "data of job 0"])

    def test_several_runs(self):
        page = html_pages.of(both(), slower())
        self.assertEqual(len(page.table("requests")), 4)
        self.assertIn("generator0.requests.time_p99_ps", {row["measure"] for row in page.table("runs")})

    def test_a_run_without_has_none(self):
        page = html_pages.of(small_runs.incast())
        self.assertNotIn("table-requests", page.tables)


if __name__ == "__main__":
    unittest.main()
