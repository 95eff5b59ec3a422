"""What report, trace and plot write: never over a result, into pipes and through links, whole or not at all."""

import contextlib
import errno
import gzip
import io
import itertools
import os
import shutil
import stat
import threading
import unittest

import small_runs
from heddle.output import check_output, notices, open_output
from helpers import InAFolder, said


class WithAResult(InAFolder):
    def setUp(self):
        super().setUp()
        self.result = self.folder / "a.h5"
        self.numbers = itertools.count()
        shutil.copy(small_runs.incast(), self.result)

    def commands(self, output):
        yield "report", self.result, "-o", output
        yield "trace", self.result, "--links", "0", "--to", "1 us", "-o", output
        yield "plot", self.result, "busiest_links", "-o", self.folder / f"figure_{next(self.numbers)}.svg", "--csv", output


class Refusals(WithAResult):
    def test_a_result_is_not_written_over(self):
        other = self.folder / "other.h5"
        shutil.copy(self.result, other)
        (self.folder / "link.html").symlink_to("a.h5")
        before = self.result.read_bytes()
        for output in (self.result, other, self.folder / "link.html"):
            for words in self.commands(output):
                code, _, error = said(*words)
                self.assertEqual(code, 2, words)
                self.assertRegex(error, f"'{output}' is .* would be lost; name another output", words)
                self.assertEqual(output.read_bytes(), before, words)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.h5", "link.html", "other.h5"])

    def test_files_of_a_sweep_are_not_written_over(self):
        copy = self.sweep()
        for name in ("axes.csv", "runs.txt", "0.toml", "0.h5"):
            before = (copy / name).read_bytes()
            self.assertRegex(said("report", copy, "-o", copy / name).error, "would be lost")
            self.assertEqual((copy / name).read_bytes(), before)

    def test_a_folder_and_a_missing_one(self):
        (self.folder / "sub").mkdir()
        for words in self.commands(self.folder / "sub"):
            self.assertRegex(said(*words).error, "sub' is a folder.*name a file in it")
        for words in self.commands(self.folder / "none" / "x"):
            self.assertRegex(said(*words).error, "none/x' cannot be written: the folder '.*none' is not there; make it")
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.h5", "sub"])

    def test_a_figure_and_its_data_are_two_files(self):
        path = self.folder / "x.svg"
        self.assertIn("are two files", said("plot", self.result, "busiest_links", "-o", path, "--csv", path).error)
        self.assertFalse(path.exists())


class Kinds(WithAResult):
    def test_a_link_stays_a_link(self):
        (self.folder / "sub").mkdir()
        for number, words in enumerate(self.commands(self.folder / "link")):
            target = self.folder / "sub" / str(number)
            link = self.folder / "link"
            link.unlink(missing_ok=True)
            link.symlink_to(target)
            for force in ([], ["--force"]):  # to nothing, to a file
                self.assertEqual(said(words[0], *force, *words[1:])[0], 0, words)
                self.assertTrue(link.is_symlink())
                self.assertGreater(target.stat().st_size, 100)
        self.assertEqual(sorted(os.listdir(self.folder / "sub")), ["0", "1", "2"])

    def read_while(self, pipe, words, min_bytes):
        """Reads the pipe while a command writes into it; what the command says on standard error."""
        got = []
        reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()), daemon=True)
        reader.start()
        code, _, error = said(*words)
        self.assertEqual(code, 0, words)
        reader.join(60)
        self.assertGreater(len(got[0]), min_bytes)
        return error

    def test_a_pipe_stays_a_pipe(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        for words in self.commands(pipe):
            self.read_while(pipe, words, 100)
            self.assertTrue(stat.S_ISFIFO(pipe.stat().st_mode))

    def test_pictures_into_a_pipe(self):
        for kind in ("png", "pdf"):
            pipe = self.folder / f"pipe.{kind}"
            os.mkfifo(pipe)
            error = self.read_while(pipe, ("plot", self.result, "busiest_links", "-o", pipe), 1000)
            self.assertIn("rtsw0 port 0 -> gpu0", error, "not among what a pipe gets")

    def test_where_notices_go(self):
        os.mkfifo(self.folder / "pipe")
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as error:
            self.assertIs(notices(self.folder / "pipe"), error)
            self.assertIs(notices("/dev/stdout"), error)
            self.assertIs(notices(self.folder / "new"), out)

    def test_compressed_data(self):
        path = self.folder / "x.csv.gz"
        self.assertEqual(said("plot", self.result, "busiest_links", "-o", self.folder / "x.svg", "--csv", path)[0], 0)
        self.assertIn(b"rtsw0", gzip.decompress(path.read_bytes()))


class Whole(WithAResult):
    def test_after_a_failure_all_is_as_it_was(self):
        path = self.folder / "x"
        path.write_text("before")
        with self.assertRaises(KeyboardInterrupt), open_output(path) as file:
            file.write(b"after")
            raise KeyboardInterrupt
        self.assertEqual(path.read_text(), "before")
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.h5", "x"])

    def test_permissions_are_kept(self):
        path = self.folder / "x"
        path.touch(0o600)
        path.chmod(0o640)
        with open_output(path) as file:
            file.write(b"after")
        self.assertEqual((stat.S_IMODE(path.stat().st_mode), path.read_text()), (0o640, "after"))

    def test_a_full_disk_names_the_output(self):
        path = self.folder / "x"
        with self.assertRaisesRegex(
            OSError, "^'.*/x': No space left on device, so it is not written; make room, or name another output"
        ) as caught, open_output(path):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.assertEqual(caught.exception.errno, errno.ENOSPC)
        self.assertFalse(path.exists())

    def test_files_named_tmp_are_nobodys(self):
        bystander = self.folder / "page.html.tmp"
        bystander.write_text("mine")
        self.assertEqual(said("report", "-q", self.result, "-o", self.folder / "page.html")[0], 0)
        self.assertEqual(bystander.read_text(), "mine")

    def test_no_name(self):
        with self.assertRaisesRegex(ValueError, "no name"):
            check_output("")


if __name__ == "__main__":
    unittest.main()
