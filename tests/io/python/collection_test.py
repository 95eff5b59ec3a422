"""heddle.Results: many files joined by their axes; what is missing is said; every file is opened once."""

import csv
import os
import shutil
import sys
import unittest
import warnings
from unittest import mock

import h5py
import heddle
import numpy as np
import pandas as pd
import small_runs
from heddle import folder as folders
from heddle.results import opening
from helpers import InAFolder

os.environ["HEDDLE"] = small_runs.HEDDLE


class Counted(InAFolder):
    """Counts how often files are opened in this process."""

    def setUp(self):
        super().setUp()
        original, self.opened = opening.open_in_some_way, []
        counting = lambda path: self.opened.append(os.path.basename(path)) or original(path)  # noqa: E731
        self.enterContext(mock.patch.object(opening, "open_in_some_way", counting))


class ASweep(Counted):
    def test_axes_are_columns(self):
        results = heddle.Results(small_runs.sweep())
        self.assertEqual(results.axes, ["dcqcn.enabled", "link.host_rate", "link.rtsw_ctsw_rate", "simulation.seed"])
        self.assertEqual(self.opened, [], "nothing is read before it is asked for")
        messages = results.messages()
        self.assertEqual(len(messages), 8 * 16)
        self.assertEqual(messages["dcqcn.enabled"].dtype, bool)
        self.assertEqual(messages["simulation.seed"].dtype.kind, "i")
        self.assertEqual(set(messages["link.host_rate"]), {"400 Gb/s", "100 Gb/s"})
        self.assertEqual(set(messages["link.host_rate (bit/s)"]), {4e11, 1e11})
        self.assertEqual(messages.attrs["units"]["link.host_rate (bit/s)"], "bit/s")
        self.assertEqual(messages.attrs["units"]["finish_ps"], "ps")
        self.assertEqual(list(messages.attrs["units"]), list(messages.columns))

    def test_rows_are_those_of_each_file(self):
        messages = heddle.Results(small_runs.sweep()).messages()
        with open(small_runs.sweep() / "axes.csv", newline="") as file:
            for row in csv.DictReader(file):
                with heddle.open(small_runs.sweep() / row["result"]) as run:
                    own = messages[messages["run"] == row["result"].removesuffix(".h5")]
                    self.assertEqual(own["finish_ps"].tolist(), run.messages()["finish_ps"].tolist())
                    self.assertEqual(set(own["dcqcn.enabled"]), {row["dcqcn.enabled"] == "true"})
                    self.assertEqual(set(own["simulation.seed"]), {run.attrs["seed"]})
                    self.assertEqual(set(own["link.host_rate (bit/s)"]), {run.value("link.host_rate")})

    def test_every_file_is_opened_once(self):
        results = heddle.Results(small_runs.sweep())
        results.messages(["bytes", "finish_ps"])
        self.assertEqual(sorted(self.opened), [f"{n}.h5" for n in range(8)])
        self.opened.clear()
        results.links()
        self.assertEqual(sorted(self.opened), [f"{n}.h5" for n in range(8)])

    def test_only_some_columns(self):
        messages = heddle.Results(small_runs.sweep()).messages(["bytes", "finish_ps"])
        self.assertEqual(list(messages.columns)[-2:], ["bytes", "finish_ps"])

    def test_other_tables(self):
        results = heddle.Results(small_runs.sweep())
        balance = results.balance()
        self.assertEqual(len(balance), 8 * 4)
        self.assertIn("kind", balance)
        series = results.series("queue_bytes")
        with heddle.open(small_runs.sweep() / "3.h5") as run:
            self.assertEqual(len(series[series["run"] == "3"]), run.series("queue_bytes").size)
        self.assertEqual(len(results.links()), 8 * 1156)
        self.assertEqual(results.events("completion")["kind"].dtype.name, "category")
        self.assertTrue(results.iterations().empty)
        with self.assertRaisesRegex(KeyError, "has no 'nothing' in /event; it has completion"):
            results.events("nothing")
        ends = results.collect(lambda run: run.attrs["end_ps"])
        self.assertEqual(ends["value"].tolist(), results.runs()["end_ps"].tolist())
        two = results.collect(lambda run: {"a": 1, "status": run.attrs["status"]})
        self.assertEqual(list(two.columns)[-2:], ["a", "status"])
        self.assertEqual([run.attrs["seed"] for run in results], [1, 2] * 4)

    def test_a_part_of_it(self):
        results = heddle.Results(small_runs.sweep())
        some = results.where({"dcqcn.enabled": True, "link.host_rate": "400 Gb/s"})
        self.assertEqual(some.runs()["run"].tolist(), ["4", "5"])
        self.assertEqual(len(results.where({"link.host_rate (bit/s)": [1e11, 4e11], "simulation.seed": range(2, 9)})), 4)
        self.assertEqual(len(some.where(lambda axes: axes["simulation.seed"] == 2).messages()), 16)
        with self.assertRaisesRegex(KeyError, "there is no axis 'seed'; these are: dcqcn.enabled"):
            results.where({"seed": 1})
        with self.assertWarnsRegex(heddle.LeftOut, "no run has simulation.seed = 3; there are 1, 2"):
            self.assertEqual(len(results.where({"simulation.seed": 3})), 0)
        with self.assertRaisesRegex(ValueError, r"give a list of names, as \['bytes'\]"):
            results.messages("bytes")

    def test_axes_become_dimensions(self):
        links = heddle.Results(small_runs.sweep()).where({"link.host_rate": "400 Gb/s"}).balance()
        grid = links.set_index(["dcqcn.enabled", "simulation.seed", "kind"])["busiest_over_mean"].to_xarray()
        self.assertEqual(grid.shape, (2, 2, 4))


class WhatIsMissing(Counted):
    def test_is_said(self):
        folder = self.sweep()
        (folder / "2.h5").unlink()
        (folder / "3.h5").write_text("no HDF5")
        shutil.copy(folder / "0.h5", folder / "5.h5")  # in the wrong place
        (folder / "6.h5").unlink()
        shutil.copy(small_runs.killed(), folder / "6.h5.part")
        results = heddle.Results(folder)
        with self.assertWarnsRegex(
            heddle.LeftOut, r"4 of 8 runs are left out \(2: no result yet; 3: .*; \.\.\.\); \.runs\(\) lists them"
        ) as said:
            messages = results.messages()
        self.assertEqual(os.path.basename(said.filename), "collection_test.py", "the warning is about who asked")
        self.assertEqual(set(messages["run"]), {"0", "1", "4", "7"})
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            runs = results.runs().set_index("run")
        self.assertEqual(runs["state"].tolist(), ["ended", "ended", "missing", "ended", "ended", "ended", "partial", "ended"])
        self.assertRegex(runs.loc["3", "problem"], "cannot be read as HDF5")
        self.assertRegex(
            runs.loc["5", "problem"], r"NOT AS CONFIGURED: link.rtsw_ctsw_rate|NOT AS CONFIGURED: .* was .*, .*5.toml says"
        )
        self.assertRegex(runs.loc["6", "problem"], "partial=True")
        self.assertEqual(runs.loc["0", "problem"], "")
        self.assertEqual(runs.loc["0", "status"], "complete")
        self.assertEqual(runs.loc["2", "simulation.seed"], 1, "axes are known without a result")

    def test_partial_files_on_request(self):
        folder = self.sweep()
        (folder / "6.h5").rename(folder / "6.h5.part")
        with self.assertWarns(heddle.LeftOut):
            self.assertEqual(len(heddle.Results(folder).messages()), 7 * 16)
        self.assertEqual(len(heddle.Results(folder, partial=True).messages()), 8 * 16)

    def test_runs_that_did_not_complete(self):
        folder = self.sweep()
        full = {
            "generator.0.bytes": "8 MiB",
            "output.max_bytes": "1 MB",
            "output.series_interval": "100 ns",
            "output.link_series": False,
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            other = heddle.run(small_runs.ROOT / "configs" / "incast.toml", self.folder / "full.h5", full)
        other.close()
        results = heddle.Results([*sorted(folder.glob("*.h5")), self.folder / "full.h5"])
        with self.assertWarnsRegex(
            heddle.LeftOut, r"1 of 9 runs did not complete \(.*full: output_full\).*\.over\(\) leaves them out"
        ):
            self.assertEqual(len(results.messages()), 9 * 16)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual(len(results.over().messages()), 8 * 16)

    def test_a_damaged_file_does_not_take_others_with_it(self):
        folder = self.sweep()
        content = (folder / "1.h5").read_bytes()
        heap = content.index(b"GCOL\1\0\0\0")
        (folder / "1.h5").write_bytes(content[: heap + 16] + bytes(16) + content[heap + 32 :])
        with self.assertWarnsRegex(heddle.LeftOut, "1 of 8 runs are left out .*damaged"):
            self.assertEqual(len(heddle.Results(folder).messages()), 7 * 16)

    def test_a_damaged_table_does_not_take_others_with_it(self):
        folder = self.sweep()
        with h5py.File(folder / "1.h5", "r+") as file:
            del file["message/finish_ps"]
        results = heddle.Results(folder)
        with self.assertWarnsRegex(heddle.LeftOut, "1 of 8 runs are left out .*/message has no column finish_ps"):
            self.assertEqual(len(results.messages()), 7 * 16)
        self.assertIn("finish_ps", results.runs().set_index("run")["problem"]["1"])

    def test_a_column_that_there_is_none_of(self):
        with self.assertRaisesRegex(KeyError, "no column 'byte' in /message; it has .*bytes"):
            heddle.Results(self.sweep()).messages(["byte"])


class Folders(Counted):
    def test_other_files_are_joined_by_the_parameters_that_differ(self):
        folder = self.sweep()
        (folder / "axes.csv").unlink()
        results = heddle.Results(folder)
        messages = results.messages()
        self.assertEqual(sorted(self.opened), [f"{n}.h5" for n in range(8)], "once each, for parameters and messages")
        self.assertEqual(
            set(results.axes),
            {"simulation.seed", "link.host_rate", "link.rtsw_ctsw_rate", "dcqcn.enabled", "roce.congestion_control"},
            "the last one follows from dcqcn.enabled",
        )
        self.assertEqual(set(messages["link.rtsw_ctsw_rate (bit/s)"]), {2e11, 1e11})
        before = heddle.Results(small_runs.sweep()).messages()
        pd.testing.assert_frame_equal(before, messages[before.columns])

    def test_a_list_of_files_of_different_worlds(self):
        results = heddle.Results([small_runs.zone(), small_runs.incast()])
        self.assertIn("topology.racks", results.axes)
        self.assertEqual(len(results.collectives()), 6)
        self.assertEqual(results.runs()["run"].tolist(), ["zone", "incast"])
        self.assertEqual(results.where({"topology.racks": 4}).runs()["run"].tolist(), ["zone"])

    def test_no_folder_and_nothing_in_it(self):
        with self.assertRaisesRegex(NotADirectoryError, "no such folder"):
            heddle.Results(self.folder / "none")
        with self.assertRaisesRegex(NotADirectoryError, r"heddle.open\(\) reads a single result"):
            heddle.Results(small_runs.zone())
        with self.assertRaisesRegex(ValueError, "holds no result files"):
            heddle.Results(self.folder)
        with self.assertRaisesRegex(ValueError, "no result files are given"):
            heddle.Results([])

    def test_axes_that_are_not_of_the_runs(self):
        folder = self.sweep()
        lines = (folder / "axes.csv").read_text().splitlines(keepends=True)
        (folder / "axes.csv").write_text("".join([lines[0], lines[2], lines[1], *lines[3:]]))
        with self.assertRaisesRegex(heddle.FormatError, "cannot be said which run is which"):
            heddle.Results(folder)

    def test_names_of_runs_with_zeros_in_front(self):
        small_runs.program("sweep", "configs/incast.toml", "--axis", "simulation.seed=1..12", "-o", self.folder / "twelve")
        entries, keys = folders.entries_of(self.folder / "twelve")
        self.assertEqual([entry.name for entry in entries][:2], ["00", "01"])
        self.assertEqual((keys, {entry.state for entry in entries}), (["simulation.seed"], {"missing"}))
        with self.assertWarnsRegex(heddle.LeftOut, "12 of 12 runs are left out"):
            self.assertEqual(len(heddle.Results(self.folder / "twelve").messages()), 0)


class Hundreds(Counted):
    """What makes 300 files take seconds: each is opened once, and few processes try them before."""

    def test_300_files(self):
        folder = self.folder / "many"
        folder.mkdir()
        values = [f"{n % 3},{n}" for n in range(300)]
        (folder / "runs.txt").write_text("".join(f"{n:03}.toml\n" for n in range(300)))
        (folder / "axes.csv").write_text(
            "run,config,result,a.b,c.d\n" + "".join(f"{n},{n:03}.toml,{n:03}.h5,{values[n]}\n" for n in range(300))
        )
        with heddle.open(small_runs.zone()) as run:
            config = run.config
        for n in range(300):
            os.link(small_runs.zone(), folder / f"{n:03}.h5")
            (folder / f"{n:03}.toml").write_text(f"# run {n}\n\n{config}")
        self.opened.clear()
        with mock.patch.object(opening, "survives", side_effect=opening.survives) as tried:
            collectives = heddle.Results(folder).collectives()
        self.assertEqual(len(collectives), 300 * 6)
        self.assertEqual(len(self.opened), 300)
        self.assertLessEqual(tried.call_count, 10)
        self.assertEqual(collectives["c.d"].tolist(), np.repeat(range(300), 6).tolist())


class Parquet(Counted):
    """Written in wheels_test.py, because Debian has no pyarrow."""

    def test_without_pyarrow_it_says_what_to_install(self):
        loaded = [name for name in sys.modules if name.split(".")[0] == "pyarrow"]
        with mock.patch.dict(sys.modules, dict.fromkeys([*loaded, "pyarrow"])), self.assertRaisesRegex(
            ImportError, r"pip install './io/python\[parquet\]'"
        ):
            heddle.Results(small_runs.sweep()).to_parquet(self.folder / "tables")
        self.assertFalse((self.folder / "tables").exists())


if __name__ == "__main__":
    unittest.main()
