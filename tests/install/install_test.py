"""What `cmake --install` puts in place works from there, without the tree that it was built from."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["HEDDLE_BINARY"]).resolve().parents[1] if os.environ.get("HEDDLE_BINARY") else None


@unittest.skipIf(BUILD is None or shutil.which("cmake") is None, "HEDDLE_BINARY names no build, or there is no cmake")
class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        subprocess.run(["cmake", "--install", BUILD / "host", "--prefix", folder / "before"], check=True, capture_output=True)
        cls.prefix = folder / "moved"  # an installed tree may be moved; nothing in it names where it was made
        (folder / "before").rename(cls.prefix)
        cls.work = folder / "work"
        cls.work.mkdir()
        cls.environment = {
            name: value for name, value in os.environ.items() if name not in ("HEDDLE", "HEDDLE_BINARY", "PYTHONPATH")
        }
        cls.environment["PYTHONDONTWRITEBYTECODE"] = "1"

    def heddle(self, *words):
        done = subprocess.run(
            [self.prefix / "bin" / "heddle", *words],
            cwd=self.work,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, f"{words}\n{done.stdout}{done.stderr}")
        return done.stdout

    def test_a_run_and_its_report(self):
        config = self.prefix / "share/heddle/configs/incast.toml"
        self.heddle("run", str(config), "-q", "-o", "a.h5", "--set", "generator.0.bytes=64 KiB")
        self.heddle("report", "a.h5", "-o", "a.html")
        self.assertIn("</html>", (self.work / "a.html").read_text())

    def test_a_study_with_the_package_beside_it(self):
        study = self.prefix / "share/heddle/configs/studies/study.sh"
        folder = study.parents[2] / "python"
        line = [l for l in study.read_text().splitlines() if "PYTHONPATH=" in l][0]
        path = subprocess.check_output(
            ["bash", "-c", f"here={study.parent}/losses; {line.strip().rstrip(chr(92))}; echo $PYTHONPATH"], text=True
        )
        self.assertIn(folder, [pathlib.Path(os.path.normpath(one)) for one in path.strip().split(":")])

    def test_the_python_package_finds_its_program(self):
        code = "import heddle.program; print(heddle.program.find_program())"
        python = {**self.environment, "PYTHONPATH": str(self.prefix / "share/heddle/python"), "PATH": "/usr/bin:/bin"}
        found = subprocess.check_output(["/usr/bin/python3", "-c", code], cwd=self.work, env=python, text=True)
        self.assertEqual(pathlib.Path(found.strip()), self.prefix / "bin/heddle")

    def test_one_version(self):
        version = self.heddle("--version").split()[1]
        code = "import heddle; print(heddle.__version__)"
        python = {**self.environment, "PYTHONPATH": str(self.prefix / "share/heddle/python")}
        self.assertEqual(subprocess.check_output(["/usr/bin/python3", "-c", code], env=python, text=True).strip(), version)
        page = (self.prefix / "share/man/man1/heddle.1").read_text()
        self.assertIn(f"heddle {version}", page)
        self.assertNotIn("/usr/local", page, "it may be installed anywhere")
        self.assertIn(f'version = "{version}"', (ROOT / "io/python/pyproject.toml").read_text())

    def test_the_manual_page_names_every_command(self):
        page = (self.prefix / "share/man/man1/heddle.1").read_text()
        for command in self.commands():
            with self.subTest(command=command):
                self.assertIn(f"\n.B {command}\n", page)

    def test_completion_offers_commands_and_their_options(self):
        script = self.prefix / "share/bash-completion/completions/heddle"
        for words, expected in (
            (["heddle", ""], set(self.commands())),
            (["heddle", "run", "--"], {"--set", "--output", "--memory"}),
        ):
            line = f"""source {script}; PATH={self.prefix}/bin:$PATH; COMP_WORDS=({' '.join(w or "''" for w in words)})
                       COMP_CWORD={len(words) - 1}; _heddle; echo "${{COMPREPLY[@]}}" """
            offered = subprocess.check_output(["bash", "-c", line], env=self.environment, text=True).split()
            self.assertLessEqual(expected, set(offered))

    def commands(self):
        listed = self.heddle("--help").split("Subcommands:\n")[1].split("\n\n")[0]
        return [line.split()[0] for line in listed.splitlines()]


if __name__ == "__main__":
    unittest.main()
