"""heddle.open: tables and series of real results with their units, and what is missing in a file."""

import re
import subprocess
import sys
import time
import unittest
from unittest import mock

import heddle
import h5py
import numpy as np
import pandas as pd
import small_runs
import xarray as xr
from heddle.results import opening, trial
from heddle.results.columns import table
from helpers import InAFolder, wait_until


WITHOUT = {"/collective", "/iteration", "/request", "/plan", "/histogram/cts_wait"}  # what incast() has nothing of


class Units(unittest.TestCase):
    def test_every_column_of_every_table_has_its_unit(self):
        for path in (small_runs.zone(), small_runs.incast(), small_runs.training()):
            with heddle.open(path) as run:
                tables = {
                    "messages": run.messages(),
                    "collectives": run.collectives(),
                    "iterations": run.iterations(),
                    "links": run.links(),
                    "nodes": run.nodes(),
                    "parameters": run.parameters(),
                    **{kind: run.events(kind) for kind in run.event_kinds},
                }
                for name, frame in tables.items():
                    with self.subTest(path=path.name, table=name):
                        self.assertEqual(list(frame.attrs["units"]), list(frame.columns))
                        for column, unit in frame.attrs["units"].items():
                            known = {"ps": "_ps", "B": "bytes", "bit/s": "_per_s", "GB/s": "_GBps", "1": ""}
                            self.assertTrue(column.endswith(known[unit]), f"{column} in {unit}")

    def test_use_is_of_the_rate_that_a_link_had(self):
        with heddle.open(small_runs.failures()) as run:
            links, end_ps = run.links(), run.attrs["end_ps"]
        slowed = links[links["mean_bits_per_s"] < links["bits_per_s"]]
        self.assertGreater(len(slowed), 0)
        for row in slowed.itertuples():
            self.assertAlmostEqual(row.use, row.sent_bytes * 8e12 / (row.mean_bits_per_s * end_ps))

    def test_as_xarray(self):
        with heddle.open(small_runs.incast()) as run:
            data = heddle.to_xarray(run.messages())
            self.assertEqual(data["finish_ps"].dims, ("id",))
            self.assertEqual(data["finish_ps"].attrs["units"], "ps")
            self.assertEqual(data["bytes"].values.tolist(), run.messages()["bytes"].tolist())
            pauses = heddle.to_xarray(run.events("pfc"))
            self.assertEqual(pauses["kind"].dims, ("row",), "many events have one time")
            self.assertEqual(set(pauses["kind"].values), {"pause", "resume"})

    def test_series_as_frame(self):
        with heddle.open(small_runs.incast()) as run:
            series = run.series("paused_ps")
            self.assertEqual(series["time_ps"].attrs["units"], "ps")
            self.assertEqual(series["bits_per_s"].attrs["units"], "bit/s")
            frame = heddle.to_frame(series)
            self.assertEqual(frame.attrs["units"]["paused_ps"], "ps")
            self.assertEqual(frame.attrs["units"]["time_ps"], "ps")
            self.assertEqual(len(frame), series.size)
            last = frame[frame.time_ps == frame.time_ps.max()].set_index("tier")["paused_ps"]
            self.assertEqual(last.to_dict(), run.links().groupby("tier")["paused_ps"].sum().to_dict())
            self.assertGreater(last.sum(), 0)
            everything = run.all_series()
            self.assertIsInstance(everything, xr.Dataset)
            self.assertTrue(everything["paused_ps"].equals(series))
            self.assertIn("queue_bytes", heddle.to_frame(everything).columns)
            histogram = heddle.to_frame(run.histogram("pause_length"))
            self.assertEqual(histogram.attrs["units"]["pause_ps"], "ps")

    def test_tables_of_nothing(self):
        self.assertEqual(len(heddle.to_xarray(pd.DataFrame())), 0)


class SomeLinks(unittest.TestCase):
    def test_are_those_of_all(self):
        with heddle.open(small_runs.incast()) as run:
            chosen = run.links().nlargest(3, "peak_queue_bytes")["link"].tolist()
            for read in (
                lambda links=None: run.series("queue_bytes", "link", links),
                lambda links=None: run.utilisation("link", links),
            ):
                some = read(chosen)
                self.assertTrue(some.equals(read().isel(link=chosen)), some)
                self.assertEqual(some["link"].values.tolist(), chosen)
            self.assertEqual(
                run.series("queue_bytes", "link", chosen)["src"].values.tolist(), run.links()["src_name"][chosen].tolist()
            )
            self.assertGreater(int(run.series("queue_bytes", "link", chosen).max()), 0)

    def test_are_read_in_blocks(self):
        a_row_at_a_time = mock.patch("heddle.results.series.BLOCK_BYTES", 1)
        with a_row_at_a_time, heddle.open(small_runs.incast()) as run:
            self.assertTrue(run.series("sent_bytes", "link", [7]).equals(run.series("sent_bytes", "link").isel(link=[7])))

    def test_of_a_table_only_the_first_rows_are_read(self):
        with heddle.open(small_runs.incast()) as run:
            every, some = run.events("pfc"), table(run.file["event/pfc"], rows=slice(3))
            self.assertGreater(len(every), 3)
            pd.testing.assert_frame_equal(some, every[:3])
            self.assertEqual(len(table(run.file["event/pfc"], rows=slice(10**9))), len(every))

    def test_of_tiers_are_refused(self):
        with heddle.open(small_runs.incast()) as run, self.assertRaisesRegex(ValueError, "by link, not by tier"):
            run.series("queue_bytes", links=[1])


class Missing(unittest.TestCase):
    def of(self, path):
        with heddle.open(path) as run:
            return run.missing()

    def test_names_are_groups_of_the_document(self):
        document = (small_runs.ROOT / "io" / "RESULT_FILE.md").read_text()
        for path in (small_runs.zone(), small_runs.incast(), small_runs.without_series(), small_runs.killed()):
            for group in self.of(path):
                self.assertIn(f"`{group}", document)

    def test_of_a_whole_run(self):
        self.assertEqual(set(self.of(small_runs.incast())), WITHOUT)
        self.assertEqual(
            set(self.of(small_runs.training())), {"/message", "/request", "/plan", "/series/link", "/histogram/cts_wait"}
        )

    def test_without_series(self):
        lacks = self.of(small_runs.without_series())
        self.assertIn("output.series_interval", lacks["/series/tier"])
        self.assertIn("output.link_series", lacks["/series/link"])
        self.assertIn("output.pfc_events", lacks["/event/pfc"])
        with heddle.open(small_runs.without_series()) as run:
            self.assertEqual(run.series("queue_bytes").shape, (0, 4))
            self.assertEqual(run.utilisation().shape, (0, 4))
            self.assertEqual(len(run.messages()), 16)
            self.assertTrue(run.events("pfc").empty)
            with self.assertRaisesRegex(KeyError, "set output.link_series = true"):
                run.series("queue_bytes", by="link")

    def test_of_a_killed_run(self):
        lacks = self.of(small_runs.killed())
        self.assertIn("at its end", lacks["/collective"])
        self.assertIn("at its end", lacks["/iteration"])
        self.assertNotIn("/series/tier", lacks)
        with heddle.open(small_runs.killed()) as run:
            self.assertTrue(run.partial)
            for frame in (run.messages(), run.collectives(), run.iterations(), run.balance(), run.events("pfc")):
                self.assertTrue(frame.empty)
            self.assertGreater(int(run.series("sent_bytes").max()), 0)
            self.assertIn("tier", run.links())
            self.assertEqual(run.histogram("queue_depth").sum(), 0)

    def test_every_table_of_a_killed_run_becomes_xarray(self):
        with heddle.open(small_runs.killed()) as run:
            for frame in (run.messages(), run.collectives(), run.iterations(), run.events("completion")):
                self.assertEqual(set(heddle.to_xarray(frame).variables), set(frame.columns))


class NoResults(InAFolder):
    """What is said of files that cannot be opened: what it is, and what to try."""

    def test_what_is_said(self):
        folder = self.folder
        content = small_runs.incast().read_bytes()
        for name, data, said in (
            ("text.h5", b"hello", "does not begin as such files do; give a file that `heddle run` has written"),
            ("empty.h5", b"", "it is empty; wait until the run has begun"),
            ("short.h5", content[:30000], f"it ends after 30,000 of its {len(content):,} bytes; copy it again"),
        ):
            (folder / name).write_bytes(data)
            with self.subTest(name), self.assertRaisesRegex(
                heddle.FormatError, f"^'{folder / name}' cannot be read as HDF5.*: .*{said}"
            ):
                heddle.open(folder / name)
        for path, kind, said in (
            (folder / "no.h5", FileNotFoundError, "no such file; check the name"),
            (folder, IsADirectoryError, "it is a folder; give the name of a result file"),
            (small_runs.sweep(), IsADirectoryError, r"it is a folder; give one of the results in it, or .*Results\("),
        ):
            with self.subTest(path), self.assertRaisesRegex(kind, f"^'{path}': {said}") as caught:
                heddle.open(path)
            self.assertGreater(caught.exception.errno, 0)

    def test_wrong_arguments(self):
        with heddle.open(small_runs.incast()) as run:
            for ask, said in (
                (lambda: heddle.to_xarray([1]), "a table .* is needed, and this is a list"),
                (lambda: heddle.to_frame(run.messages()), "and this is a DataFrame"),
                (lambda: heddle.percentile([1], 101), "there is no percentile 101"),
            ):
                with self.assertRaisesRegex((TypeError, ValueError), said):
                    ask()


class Values(unittest.TestCase):
    def test_in_base_units(self):
        with heddle.open(small_runs.zone()) as run:
            self.assertEqual(run.value("link.host_rate"), 4e11)
            self.assertIs(run.value("dcqcn.enabled"), False)
            self.assertEqual(run.value("job.0.collective.0.sizes"), [2**20, 2**24])
            self.assertEqual(run.value("topology.kind"), "ai_zone")
            self.assertIsNone(run.value("no.such"))

    def test_percentiles_are_nearest_ranks(self):
        self.assertEqual([heddle.percentile(range(1, 101), p) for p in (0, 1, 50, 99, 99.1, 100)], [1, 1, 50, 99, 100, 100])
        for count in (999, 1000, 1001, 2000):
            self.assertEqual(heddle.percentile(range(1, count + 1), 99.9), -(-999 * count // 1000), count)
        self.assertTrue(np.isnan(heddle.percentile([], 50)))
        self.assertTrue(np.isnan(heddle.percentile([1, np.nan], 50)))


class Damage(InAFolder):
    """Flipped bytes in what has a checksum: HDF5 sleeps over them in files that it takes for open."""

    def setUp(self):
        super().setUp()
        self.enterContext(mock.patch.object(trial, "MAX_ASLEEP_S", 1))

    def refused(self, path, within_s):
        """A process of its own opens it, so that this test ends in any case."""
        script = f"import heddle; from heddle.results import trial; trial.MAX_ASLEEP_S = 1; heddle.open({str(path)!r})"
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=within_s)
        self.assertIn("FormatError", done.stderr)
        return done.stderr

    def with_flipped(self, source, name, place):
        content = bytearray(source.read_bytes())
        content[place] ^= 0xFF
        path = self.folder / name
        path.write_bytes(content)
        return path

    def test_of_the_root_group(self):
        root = int.from_bytes(small_runs.incast().read_bytes()[36:44], "little")
        self.assertIn(
            "'root.h5' is damaged: its objects cannot be listed",
            self.refused(self.with_flipped(small_runs.incast(), "root.h5", root + 12), 20).replace(f"{self.folder}/", ""),
        )
        self.assertIn("cannot be read as HDF5", self.refused(self.with_flipped(small_runs.incast(), "superblock.h5", 30), 20))
        for name in ("a.h5.part", "renamed.h5"):  # open: its writer was killed
            self.assertIn(
                "damaged: reading its texts sleeps for more than 1 s",
                self.refused(self.with_flipped(small_runs.killed(), name, root + 12), 40),
            )

    def test_between_the_first_and_the_last_row_of_a_killed_run(self):
        """Blocks that say where chunks are, each of them of rows in the middle."""
        result = self.folder / "many.h5"
        with small_runs.LongRun(result, *small_runs.sets("output.series_interval=1 us")) as run:
            wait_until(lambda: run.part.read_bytes().count(b"EADB") >= 60)
        content = run.part.read_bytes()
        blocks = [match.start() for match in re.finditer(b"EADB", content)]
        self.assertGreater(len(blocks), 30)
        for place in blocks[:2]:
            path = self.with_flipped(run.part, f"{place}.h5.part", place + 20)
            with self.assertRaisesRegex(heddle.FormatError, "damaged: reading its texts sleeps for more than 1 s"):
                heddle.open(path)
        with heddle.open(run.part) as whole:
            self.assertGreater(whole.series("queue_bytes").shape[0], 64 * 4, "rows beyond those that need no block")

    def test_a_killed_run_under_another_name(self):
        path = self.folder / "renamed.h5"
        path.write_bytes(small_runs.killed().read_bytes())
        self.assertTrue(opening.may_be_open(str(path)))
        self.assertFalse(opening.may_be_open(str(small_runs.incast())))
        with heddle.open(path) as run:
            self.assertTrue(run.partial)

    def test_one_that_is_open_as_swmr_elsewhere(self):
        with h5py.File(small_runs.incast(), "r", libver="latest", swmr=True), heddle.open(small_runs.incast()) as run:
            self.assertEqual(len(run.messages()), 16)

    def test_a_process_that_sleeps_and_one_that_ends(self):
        self.assertRegex(trial.survives(lambda: time.sleep(100)), "sleeps for more than 1 s")
        self.assertIsNone(trial.survives(lambda: time.sleep(0.5)))


class DamagedTables(InAFolder):
    """What HDF5 can open, and what is not whole all the same."""

    def changed(self, edit):
        path = self.folder / "changed.h5"
        path.write_bytes(small_runs.incast().read_bytes())
        with h5py.File(path, "r+") as file:
            edit(file)
        return path

    def refused(self, edit, read, said):
        path = self.changed(edit)
        with heddle.open(path) as run, self.assertRaisesRegex(heddle.FormatError, f"'{path}' is damaged.*{said}"):
            read(run)

    @staticmethod
    def replace(name, data):
        def edit(file):
            attributes = dict(file[name].attrs)
            del file[name]
            file[name] = data
            file[name].attrs.update(attributes)

        return edit

    @staticmethod
    def delete(name):
        def edit(file):
            del file[name]

        return edit

    def test_a_column_that_is_missing(self):
        self.refused(self.delete("message/finish_ps"), heddle.Run.messages, "/message has no column finish_ps")
        self.refused(self.delete("link/link"), heddle.Run.links, "link")
        self.refused(self.delete("topology/node/name"), heddle.Run.links, "name")
        self.refused(self.delete("series/tier/time_ps"), lambda run: run.series("drops"), "/series/tier/drops.*time_ps")

    def test_groups_that_are_missing_are_said(self):
        """They do not look like a run in which nothing happened."""
        for name, others in (
            ("event", "/event/pfc"),
            ("series/tier", "/series"),
            ("event/drop", "/event"),
            ("histogram", "/series"),
        ):
            with self.subTest(name), heddle.open(self.changed(self.delete(name))) as run:
                lacks = run.missing()
                self.assertRegex(lacks[f"/{name}"], "every result has it, .* the file is damaged, or was changed")
                self.assertNotIn(others, lacks)
                self.assertEqual(set(lacks) - {f"/{name}"}, WITHOUT - {f"/{name}"})

    def test_rows_and_columns_that_do_not_fit(self):
        with h5py.File(small_runs.incast(), "r") as file:
            instants, links = len(file["series/tier/time_ps"]), len(file["topology/link/src"])
        self.refused(
            self.replace("series/tier/drops", np.zeros((instants, 3), dtype=np.uint64)),
            lambda run: run.series("drops"),
            "has 3 columns, and there are 4 in /series/tier/tier",
        )
        self.refused(
            self.replace("series/tier/drops", np.zeros((1, 4), dtype=np.uint64)),
            lambda run: run.series("drops"),
            f"has 1 rows of {instants} instants",
        )
        self.refused(
            self.replace("histogram/queue_depth/count", np.zeros((4, 3), dtype=np.uint64)),
            lambda run: run.histogram("queue_depth"),
            "/histogram/queue_depth",
        )
        self.refused(self.replace("topology/link/src", np.full(links, 10**6, dtype=np.uint32)), heddle.Run.links, "/topology")

    def test_data_that_cannot_be_read(self):
        path = self.changed(lambda file: None)
        with h5py.File(path, "r+") as file:
            name, data = "message/finish_ps", file["message/finish_ps"][...]
            attributes = dict(file[name].attrs)
            del file[name]
            file.create_dataset(name, data=data, chunks=(16,), fletcher32=True).attrs.update(attributes)
            chunk = file[name].id.get_chunk_info(0)
        content = bytearray(path.read_bytes())
        content[chunk.byte_offset] ^= 0xFF
        path.write_bytes(content)
        with heddle.open(path) as run, self.assertRaisesRegex(
            heddle.FormatError, f"'{path}' is damaged.*/message/finish_ps cannot be read"
        ):
            run.messages()

    def test_times_out_of_range(self):
        for value in (-2, -(1 << 62), 1 << 62):
            self.refused(
                lambda file, value=value: file["message/finish_ps"].__setitem__(0, value),
                lambda run: run.messages(),
                f"/message/finish_ps holds .*{value}.*, and only -1 to",
            )

    def test_what_is_asked_for_wrongly_is_no_damage(self):
        with heddle.open(small_runs.incast()) as run:
            for links in ([-1], [99999], ["x"]):
                with self.assertRaisesRegex(ValueError, "ids of links|are no ids") as caught:
                    run.series("drops", "link", links)
                self.assertNotIsInstance(caught.exception, heddle.FormatError)
        with self.assertRaisesRegex(ValueError, "was closed") as caught:
            run.messages()
        self.assertNotIsInstance(caught.exception, heddle.FormatError)


class ManyTried(unittest.TestCase):
    """One process tries the texts of many files."""

    def test_one_process_for_many_good_files(self):
        good = [str(small_runs.zone()), str(small_runs.incast())]
        with mock.patch.object(opening, "survives", side_effect=opening.survives) as tried:
            self.assertEqual(opening.survivors(good * 10), set(good))
        self.assertEqual(tried.call_count, 1)

    def test_bad_ones_do_not_take_good_ones_with_them(self):
        content = small_runs.zone().read_bytes()
        heap = content.index(b"GCOL\1\0\0\0")
        circle = small_runs.folder() / "circle.h5"
        circle.write_bytes(content[: heap + 16] + bytes(16) + content[heap + 32 :])
        text = small_runs.folder() / "text.h5"
        text.write_text("no HDF5")
        names = [str(small_runs.zone()), str(circle), str(text), str(small_runs.incast())]
        self.assertEqual(opening.survivors(names) - {str(text)}, {names[0], names[3]})
        with self.assertRaises(heddle.FormatError):
            heddle.open(text)

    def test_all_texts_that_the_reader_gives_are_tried(self):
        """The quick way through HDF5's own functions reaches what h5py's attributes reach."""
        read, original, items = [], opening.h5a.open, []
        with h5py.File(small_runs.incast(), "r") as file:
            file.visititems(lambda _, item: items.append(item))
            wanted = sum(name in item.attrs for item in items for name in ("units", "long_name", "flag_meanings", "lacks"))
            with mock.patch.object(opening.h5a, "open", lambda item, name: read.append(name) or original(item, name)):
                opening.read_texts(file)
        self.assertGreaterEqual(len([name for name in read if name in opening.TEXTS]), wanted)
        self.assertGreater(wanted, 200)


if __name__ == "__main__":
    unittest.main()
