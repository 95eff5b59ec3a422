"""Checkpoints of training jobs in compare, info, JSON, CSV and reports: apart from the workload's own messages."""

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
from heddle.figures import FIGURES
from heddle.report.outcome import measures_of
from helpers import frame_of
from small_checkpoints import frontend, shared, without
from small_runs import program


def row_of(text, name):
    """The cells of the last row of that name, split at two spaces."""
    rows = [line for line in text.splitlines() if line.strip().startswith(name)]
    return [cell for cell in rows[-1].strip().split("  ") if cell]


class TheFile(unittest.TestCase):
    def test_messages_know_their_checkpoint(self):
        with h5py.File(shared()) as file:
            job, number = file["message/job"][...], file["message/checkpoint"][...]
            self.assertEqual(np.unique(job, return_counts=True)[1].tolist(), [5, 40], "ten chunks of two GPUs, twice")
            self.assertEqual([(number == k).sum() for k in (-1, 0, 1)], [5, 20, 20])
            for k in (0, 1):
                self.assertEqual(file["training_checkpoint/begin_ps"][k], file["message/posted_ps"][...][number == k].min())
                self.assertEqual(file["training_checkpoint/end_ps"][k], file["message/acked_ps"][...][number == k].max())

    def test_a_summary_of_each_kind(self):
        with heddle.open(shared()) as run:
            rows, messages = run.summary("message_kind"), run.messages()
        kinds = rows[["job", "fabric", "class"]].drop_duplicates().values.tolist()
        self.assertEqual(kinds, [[-1, "gpus", "lossless"], [-1, "gpus", "best_effort"], [0, "gpus", "best_effort"]])
        for (job, name), mine in rows.groupby(["job", "class"], observed=True):
            of = messages[(messages["job"] == job) & (messages["class"] == name)]
            times = np.sort(of["finish_ps"] - of["posted_ps"])
            for row in mine.itertuples():
                self.assertEqual(row.completion_ps, times[int(np.ceil(row.percent / 100 * len(times))) - 1])
            span_ps = of["finish_ps"].max() - of["posted_ps"].min()
            self.assertAlmostEqual(mine["goodput_bits_per_s"].iloc[0], of["bytes"].sum() * 8e12 / span_ps, delta=1)

    def test_what_steps_lost(self):
        with heddle.open(shared()) as run:
            written, steps = run.training_checkpoints(), run.iterations()
        self.assertEqual(written["iteration"].tolist(), [1, 3])
        self.assertEqual(written["step_ps"].tolist(), steps["time_ps"].iloc[[1, 3]].tolist())
        self.assertEqual(written["next_step_ps"].tolist(), [steps["time_ps"][2], -1])
        self.assertEqual(written["exposed_ps"].tolist(), steps["exposed_storage_ps"].iloc[[1, 3]].tolist())
        self.assertGreater(written["end_ps"][0], steps["end_ps"][1], "so the third step is disturbed")
        self.assertEqual(written["undisturbed_step_ps"][0], steps["time_ps"][0])
        self.assertEqual(set(written["servers"]), {3})

    def test_another_fabric(self):
        with heddle.open(frontend()) as run:
            self.assertEqual(set(run.training_checkpoints()["fabric"]), {"frontend"})
            self.assertEqual(set(run.messages()["fabric"]), {"frontend"})


class Compare(unittest.TestCase):
    def test_checkpoints(self):
        text = program("compare", without(), shared(), frontend())
        rows = {name: row_of(text, name) for name in ("job 0, checkpoint 1", "storage servers", "written", "time", "rate")}
        self.assertEqual(
            [cell.strip() for cell in rows["job 0, checkpoint 1"][1:]], ["-", "gpus, best_effort", "frontend, best_effort"]
        )
        self.assertEqual([cell.strip() for cell in rows["storage servers"][1:]], ["-", "3", "2"])
        self.assertEqual([cell.strip() for cell in rows["written"][1:]], ["-", "800 KB", "800 KB"])
        self.assertRegex(rows["rate"][2].strip(), r"^[\d.]+ GB/s$")
        self.assertRegex(text, r"its step, iteration 3 +[\d.]+ us +[\d.]+ us \([\d.]+x\) +[\d.]+ us \([\d.]+x\)\n")
        self.assertRegex(text, r"more than undisturbed ones +- +\+[\d.]+ us \(\+[\d.]+ %\)")

    def test_times_of_two_runs_are_compared(self):
        text = program("compare", shared(), frontend())
        with heddle.open(shared()) as one, heddle.open(frontend()) as other:
            times = [run.training_checkpoints().eval("end_ps - begin_ps")[1] for run in (one, other)]
        cells = [line for line in text.splitlines() if line.startswith("    time ")]
        self.assertIn(f"({times[1] / times[0]:.3f}x)", cells[1])

    def test_messages_of_checkpoints_have_rows_of_their_own(self):
        text = program("compare", without(), shared())
        outcome = text[text.index("\noutcome") :]
        for name in (
            "messages, gpus, lossless: finished",
            "messages, gpus, best_effort: finished",
            "messages of checkpoints, job 0: finished",
        ):
            self.assertIn(f"  {name}", outcome)
        self.assertEqual(row_of(outcome, "messages, gpus, lossless")[-1].strip(), "4 of 4")
        self.assertEqual(row_of(outcome, "messages of checkpoints")[-1].strip(), "40 of 40")
        self.assertNotIn("\n  messages finished", outcome, "no row mixes them")
        self.assertEqual(outcome.count("    goodput "), 3)

    def test_messages_of_one_kind_have_one_row(self):
        text = program("compare", small_runs.incast(), small_runs.incast())
        self.assertIn("\n  messages finished", text)
        self.assertIn("\n  goodput ", text)
        self.assertNotIn("checkpoint", text[text.index("\niterations") if "\niterations" in text else text.index("\noutcome") :])

    def test_json_and_csv(self):
        with heddle.open(shared()) as run:
            kinds, written = run.summary("message_kind"), run.training_checkpoints()
        said = json.loads(program("info", "--json", shared()))
        found = said["messages"]["kinds"]
        self.assertEqual([kind["checkpoints_of_job"] for kind in found], [None, None, 0])
        self.assertEqual(found[2]["completion_ps"]["max"], kinds["completion_ps"].iloc[-1])
        self.assertEqual(found[2]["goodput_bits_per_s"], kinds["goodput_bits_per_s"].iloc[-1])
        for key in ("servers", "fabric", "class", "iteration", "exposed_ps", "step_ps", "undisturbed_step_ps"):
            self.assertEqual([row[key] for row in said["training_checkpoints"]], written[key].tolist(), key)
        self.assertIsNone(said["training_checkpoints"][1]["next_step_ps"])
        rows = list(csv.DictReader(io.StringIO(program("compare", "--csv", without(), shared()))))
        self.assertEqual(rows[0]["job0.checkpoint1.time_ps"], "")
        self.assertEqual(int(rows[1]["job0.checkpoint1.time_ps"]), (written["end_ps"] - written["begin_ps"])[1])
        self.assertEqual(int(rows[1]["job0.checkpoints.completion_max_ps"]), kinds["completion_ps"].iloc[-1])
        self.assertEqual(int(rows[1]["gpus.lossless.completion_max_ps"]), kinds["completion_ps"].iloc[4])

    def test_info_and_run(self):
        text = program("info", shared())
        self.assertRegex(text, r"checkpoints of job 0, gpus, best_effort +40 of 40 ")
        self.assertRegex(text, r"own messages, gpus, lossless +4 of 4 ")
        path = small_runs.folder() / "checkpoint_shared.toml"
        said = program("run", path, "-o", small_runs.folder() / "checkpoint_said.h5")
        self.assertRegex(
            said, r"messages +checkpoints of job 0, gpus, best_effort: 40 of 40 complete; FCT p50 .*, goodput [\d.]+ Gb/s\n"
        )


class Report(unittest.TestCase):
    def test_a_table_of_checkpoints(self):
        page = html_pages.of(shared())
        with heddle.open(shared()) as run:
            written = run.training_checkpoints()
        rows = page.table("checkpoints")
        self.assertEqual(len(rows), 2)
        for row, of in zip(rows, written.itertuples()):
            self.assertEqual((row["fabric"], row["class"]), ("gpus", "best_effort"))
            self.assertEqual(float(row["bytes"]), of.bytes)
            self.assertEqual(float(row["time_ps"]), of.end_ps - of.begin_ps)
            self.assertAlmostEqual(float(row["rate_GBps"]), of.bytes / (of.end_ps - of.begin_ps) * 1e3)
            self.assertEqual(float(row["step_ps"]), of.step_ps)
            self.assertAlmostEqual(float(row["step_more"]), of.step_ps / of.undisturbed_step_ps - 1)
        self.assertEqual(rows[1]["next_step_ps"], "", "there is none")
        self.assertIn("checkpoints", page.figures)
        times = (written["end_ps"] - written["begin_ps"]).tolist()
        self.assertEqual(float(page.measures["job0.checkpoint_ps"]), max(times))

    def test_messages_of_checkpoints_are_apart(self):
        page = html_pages.of(shared())
        with heddle.open(shared()) as run:
            rows = run.summary("message_kind")
        said = {row["what"]: float(row["p99"]) for row in page.table("message_percentiles")}
        for (job, name), mine in rows.groupby(["job", "class"], observed=True):
            whose = "own messages" if job < 0 else "checkpoints of job 0"
            p99 = mine[mine["percent"] == 99].iloc[0]
            self.assertEqual(said[f"{whose}, gpus, {name}: completion"], p99["completion_ps"])
        self.assertEqual([row["kind"] for row in page.table("goodput")][2], "checkpoints of job 0, gpus, best_effort")
        self.assertEqual(float(page.table("goodput")[2]["rate"]), rows["goodput_bits_per_s"].iloc[-1])
        self.assertNotIn("goodput_bits_per_s", page.measures, "no tile mixes them")
        self.assertEqual(set(page.csv("completion_ecdf")["kind"]), {row["kind"] for row in page.table("goodput")})

    def test_several_runs(self):
        page = html_pages.of(without(), shared(), frontend())
        self.assertEqual([row["fabric"] for row in page.table("checkpoints")], ["gpus", "gpus", "frontend", "frontend"])
        self.assertEqual(len(page.table("goodput")), 4)
        measures = {row["measure"] for row in page.table("runs")}
        self.assertIn("job0.checkpoint_step_ps", measures)

    def test_a_run_without_has_none(self):
        page = html_pages.of(small_runs.incast())
        self.assertNotIn("table-checkpoints", page.tables)
        self.assertNotIn("table-goodput", page.tables)
        self.assertIn("goodput_bits_per_s", page.measures)

    def test_a_file_of_an_earlier_version(self):
        """It knows no kinds, and of checkpoints their times alone."""
        with tempfile.TemporaryDirectory() as folder:
            old = pathlib.Path(folder, "old.h5")
            old.write_bytes(pathlib.Path(shared()).read_bytes())
            with h5py.File(old, "r+") as file:
                del file["summary/message_kind"]
                for name in ("checkpoint", "fabric", "class"):
                    del file[f"message/{name}"]
                for name in (
                    "servers",
                    "fabric",
                    "class",
                    "iteration",
                    "exposed_ps",
                    "step_ps",
                    "next_step_ps",
                    "undisturbed_step_ps",
                ):
                    del file[f"training_checkpoint/{name}"]
            with heddle.open(old) as run:
                keys = [measure.key for measure in measures_of(run)]
            self.assertIn("job0.checkpoint_ps", keys)
            self.assertIn("goodput_bits_per_s", keys)
            self.assertGreater(len(frame_of("completion_ecdf", old)), 0)
            text = program("compare", old, shared())
            self.assertRegex(text, r"\n +rate +[\d.]+ GB/s +[\d.]+ GB/s \(1.000x\)\n")


class Figure(unittest.TestCase):
    def test_which_steps_overlap_a_checkpoint(self):
        frame = frame_of("checkpoints", shared())
        steps = frame[frame["what"] == "steps"]
        self.assertEqual([kind == "step" for kind in steps["kind"]], [True, False, False, False])
        self.assertEqual((frame["what"] == "checkpoint").sum(), 2)
        self.assertIn("3 of 4 steps write or overlap one", FIGURES["checkpoints"].alt(frame))


if __name__ == "__main__":
    unittest.main()
