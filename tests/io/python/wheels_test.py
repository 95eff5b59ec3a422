"""pip install ./io/python in a fresh venv, with PyPI's newest wheels of what it needs: it works there, too."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import small_runs

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

import pip_reach  # noqa: E402  (found by the line above)


def call(command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=500, check=False, **options)


class AFreshVenv(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="heddle_venv_")))
        cls.python = cls.folder / "bin" / "python"
        cls.environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "HEDDLE")}
        done = call([sys.executable, "-m", "venv", cls.folder])
        if done.returncode != 0:
            cls.skip(f"no venv can be made with {sys.executable} (Debian: python3-venv): {done.stderr or done.stdout}")
        # the project is copied, because building it leaves files beside it
        source = cls.folder / "source"
        call(["cp", "-r", small_runs.ROOT / "io" / "python", source])
        done = call([cls.python, "-m", "pip", "install", "-q", f"{source}[parquet]"])
        if done.returncode != 0 and pip_reach.is_out_of_reach(done.stderr):
            cls.skip(f"pip reaches no packages: {done.stderr.strip().splitlines()[-1]}")
        if done.returncode != 0:
            raise AssertionError(f"pip install ./io/python failed:\n{done.stderr}")

    @classmethod
    def skip(cls, why):
        print(f"skipped in part: {why}")
        raise unittest.SkipTest(why)

    def python_of_venv(self, *arguments, path=()):
        environment = {
            **self.environment,
            "PYTHONPATH": os.pathsep.join(map(str, path)),
            "HEDDLE_BINARY": small_runs.HEDDLE,
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        done = call([self.python, *arguments], cwd=self.folder, env=environment)
        self.assertEqual(done.returncode, 0, f"{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def test_is_imported_from_there_with_its_types(self):
        where = self.python_of_venv("-c", "import heddle; print(heddle.__file__)").strip()
        self.assertTrue(pathlib.Path(where).is_relative_to(self.folder / "lib"), where)
        self.assertTrue((pathlib.Path(where).parent / "py.typed").is_file())

    def test_help(self):
        self.assertIn("watch", self.python_of_venv("-m", "heddle", "--help"))

    def test_parquet(self):
        self.assertIn("OK", self.python_of_venv(HERE / "parquet_check.py", path=[HERE]))

    def test_the_newest_pandas_reads_the_same(self):
        for name in ("reader_test.py", "collection_test.py", "config_test.py"):
            with self.subTest(name):
                self.assertIn("OK", self.python_of_venv(HERE / name, path=[HERE]))


if __name__ == "__main__":
    unittest.main()
