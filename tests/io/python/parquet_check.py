"""Run by wheels_test.py in a venv with pyarrow: tables as Parquet files, with units, equal to those in memory."""

import pathlib
import sys
import tempfile
import unittest

import heddle
import pandas as pd
import pyarrow.parquet
import small_runs
from heddle.parquet import plain


class Parquet(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "tables"
        self.results = heddle.Results(small_runs.sweep())

    def test_tables(self):
        names = ["runs", "messages", "iterations", "links", "event/completion", "series/queue_bytes"]
        written = self.results.to_parquet(self.folder, names)
        self.assertEqual(
            [path.name for path in written],
            ["runs.parquet", "messages.parquet", "links.parquet", "event_completion.parquet", "series_queue_bytes.parquet"],
        )
        messages = pyarrow.parquet.read_table(written[1])
        self.assertEqual(messages.schema.field("finish_ps").metadata[b"units"], b"ps")
        self.assertEqual(messages.schema.field("link.host_rate (bit/s)").metadata[b"units"], b"bit/s")
        pd.testing.assert_frame_equal(messages.to_pandas(), plain(self.results.messages()), check_dtype=False)
        self.assertEqual(pyarrow.parquet.ParquetFile(written[1]).num_row_groups, 8, "run by run")
        self.assertEqual(pd.read_parquet(written[0])["run"].tolist(), [str(n) for n in range(8)])
        kinds = pd.read_parquet(written[3])["kind"]
        self.assertEqual(kinds.tolist(), self.results.events("completion")["kind"].tolist())

    def test_an_unknown_table(self):
        with self.assertRaisesRegex(ValueError, "there is no table 'message'; these are: runs, messages"):
            self.results.to_parquet(self.folder, ["message"])
        self.assertFalse(self.folder.exists())


if __name__ == "__main__":
    print(f"pyarrow {pyarrow.__version__}, pandas {pd.__version__}", file=sys.stderr)
    unittest.main()
