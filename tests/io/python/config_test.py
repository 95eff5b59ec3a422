"""heddle.config: configurations built, checked by the program, written; and the parameter table."""

import os
import re
import tomllib
import unittest
from unittest import mock

import heddle
import small_runs
from heddle import reference
from heddle.config import INPUT_FILES, Config, ConfigError, parameters, set_text
from helpers import InAFolder

os.environ["HEDDLE"] = small_runs.HEDDLE
INCAST = small_runs.ROOT / "configs" / "incast.toml"


class InMemory(unittest.TestCase):
    def test_dotted_keys_make_sections_and_lists(self):
        config = Config()
        config["topology.kind"] = "star"
        config["job.0.gpus"] = 8
        config["job.0.collective.0.sizes"] = ["1 MiB"]
        config["job.0.collective.1.sizes"] = ["2 MiB"]
        self.assertEqual(
            config.tree,
            {"topology": {"kind": "star"}, "job": [{"gpus": 8, "collective": [{"sizes": ["1 MiB"]}, {"sizes": ["2 MiB"]}]}]},
        )
        self.assertEqual(list(config), ["topology.kind", "job.0.gpus", "job.0.collective.0.sizes", "job.0.collective.1.sizes"])
        self.assertEqual(tomllib.loads(str(config)), config.tree)
        self.assertEqual(config["job.0.collective"][1], {"sizes": ["2 MiB"]})
        del config["job.0.collective.0"]
        self.assertEqual(config["job.0.collective.0.sizes"], ["2 MiB"])

    def test_what_is_not_there(self):
        config = Config({"topology": {"kind": "star"}, "job": [{"gpus": 8}]})
        self.assertNotIn("topology.racks", config)
        for key in ("topology.racks", "job.1", "job.x", "topology.kind.deep"):
            with self.assertRaisesRegex(KeyError, "has its default"):
                config[key]
        with self.assertRaisesRegex(KeyError, "the list before '5' has elements 0 to 0, .* a new one has the number 1"):
            config["job.5.gpus"] = 8
        for key in ("", "job..gpus", 5):
            with self.assertRaisesRegex(KeyError, "is no key of a configuration"):
                config[key] = 8
        with self.assertRaisesRegex(TypeError, "give a dict of dotted keys"):
            Config(config, ["job.0.gpus=8"])
        with self.assertRaisesRegex(KeyError, "is a value, not a section"):
            config["topology.kind.deep"] = 1
        with self.assertRaisesRegex(TypeError, "cannot stand in a configuration"):
            config["topology.kind"] = object()

    def test_a_copy_is_a_copy(self):
        first = Config({"job": [{"gpus": 8}]})
        second = Config(first, {"job.0.gpus": 16})
        second.tree["job"][0]["gpus"] = 32
        second["job.0"]["gpus"] = 32
        self.assertEqual((first["job.0.gpus"], second["job.0.gpus"]), (8, 16))

    def test_values_as_set_takes_them(self):
        import numpy as np

        cases = [
            (True, "true"),
            (np.int64(3), "3"),
            (np.float64(0.5), "0.5"),
            ("400 Gb/s", "400 Gb/s"),
            ("16", '"16"'),
            ("true", '"true"'),
            ("a,b", '"a,b"'),
            ("1..5", '"1..5"'),
            (["1 KiB", 2], '["1 KiB", 2]'),
            ("", '""'),
            ({"a": [1]}, "{a = [1]}"),
        ]
        for value, text in cases:
            with self.subTest(value=value):
                self.assertEqual(set_text(value), text)


class ByTheProgram(InAFolder):
    def test_a_file_with_changes(self):
        config = Config(INCAST, {"dcqcn.enabled": True})
        self.assertIn("configuration can be run", config.check())
        written = config.write(self.folder / "new.toml")
        self.assertEqual(Config(written), config)
        with self.assertRaisesRegex(FileExistsError, "force=True"):
            config.write(written)
        config.write(written, force=True)
        self.assertTrue(Config(written).resolved()["dcqcn.enabled"])

    def test_resolved_has_every_default(self):
        resolved = Config({"topology": {"kind": "star"}, "message": [{"src": 0, "dst": 1, "bytes": 4096}]}).resolved()
        self.assertEqual(resolved["topology.hosts"], 16)
        self.assertEqual(resolved["message.0.bytes"], "4 KiB")
        self.assertGreater(len(list(resolved)), 100)

    def test_mistakes_are_told_in_the_programs_words(self):
        config = Config({"topology": {"kind": "star", "hots": 5}, "simulation": {"seed": "x"}})
        for call in (config.check, config.resolved, lambda: config.write(self.folder / "no.toml")):
            with self.assertRaises(ConfigError) as caught:
                call()
            self.assertIn('unknown key "hots" in topology; did you mean "hosts"?', str(caught.exception))
            self.assertIn('configuration:6:8: simulation.seed: "x" is a text', str(caught.exception))
            self.assertEqual(caught.exception.exit_code, 2)
        self.assertEqual(str(config).splitlines()[5], 'seed = "x"', "the line that the message names")
        self.assertFalse((self.folder / "no.toml").exists())

    def test_a_file_that_is_no_toml(self):
        path = self.folder / "bad.toml"
        path.write_text("[topology\n")
        with self.assertRaisesRegex(ConfigError, "bad.toml: .*line 1"):
            Config(path)
        path.write_bytes(b"\x89HDF\r\n")
        with self.assertRaisesRegex(ConfigError, "bad.toml is no text"):
            Config(path)
        with self.assertRaisesRegex(FileNotFoundError, "^'.*none.toml': there is no such configuration; check the name"):
            Config(self.folder / "none.toml")
        with self.assertRaisesRegex(IsADirectoryError, "it is a folder"):
            Config(self.folder)

    def test_nothing_is_lost_by_writing(self):
        config = Config(small_runs.ROOT / "configs" / "incast.toml")
        with self.assertRaisesRegex(FileNotFoundError, "the folder '.*none' is not there; make it"):
            config.write(self.folder / "none" / "a.toml")
        result = self.folder / "a.h5"
        result.write_bytes(small_runs.incast().read_bytes())
        with self.assertRaisesRegex(ValueError, "would be lost"):
            config.write(result, force=True)
        with self.assertRaisesRegex(FileExistsError, "is there already; write.* replaces it"):
            config.write(result)
        self.assertEqual(result.read_bytes(), small_runs.incast().read_bytes())

    def test_input_files_are_found_from_anywhere(self):
        goal = small_runs.ROOT / "configs" / "imports" / "goal.toml"
        config = Config(goal)
        self.assertIn("can be run", config.check())
        written = config.write(self.folder / "goal.toml")
        self.assertTrue((self.folder / Config(written)["job.0.trace.file"]).samefile(goal.parent / "tree.goal"))
        self.assertFalse(os.path.isabs(tomllib.loads(written.read_text())["job"][0]["trace"]["file"]))
        self.assertIn("can be run", Config(written).check())


class Parameters(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.table = parameters()

    def test_are_all_that_a_resolved_configuration_has(self):
        numbered = lambda key: re.sub(r"\.\d+(?=\.|$)", ".N", key)  # noqa: E731
        known = set(self.table["key"])
        self.assertEqual(len(known), len(self.table))
        for config in sorted((small_runs.ROOT / "configs").rglob("*.toml")):
            for key in Config(config).resolved():
                self.assertIn(numbered(key), known, config)

    def test_hold_what_the_reference_says(self):
        row = self.table.set_index("key").loc["job.N.collective.N.repeat"]
        self.assertEqual((row["section"], row["default"], row["type"]), ("[[job.collective]]", 1, "integer, 1 to 100000"))
        self.assertEqual(row["help"], "times each size is run")
        self.assertEqual(self.table.set_index("key").loc["topology.racks", "only_with"], "kind=ai_zone|multi_zone")
        self.assertIsNone(self.table.set_index("key").loc["message.N.bytes", "default"])
        self.assertTrue((self.table["type"] != "").all() and (self.table["help"] != "").all())

    def test_names_of_files_are_known(self):
        """A new parameter that names an input has to be known to those who write configurations elsewhere."""
        texts = self.table[self.table["type"] == "text"]["key"].str.replace(".N", ".*", regex=False)
        others = {"output.title", "output.file", "output.fct_file", "output.pfc_file", "failure.*.node", "fabric.*.name"}
        training, control = "job.*.training", "routing.traffic_engineering.network"
        by_fabric = ("message.*", "generator.*", "slow_receiver.*", f"{training}.checkpoint", f"{training}.data", control)
        others |= {f"{section}.fabric" for section in by_fabric}
        self.assertEqual(set(texts) - others, set(INPUT_FILES))

    def test_an_unknown_line_is_refused(self):
        with self.assertRaisesRegex(ValueError, "line 2 of the reference is not understood"):
            reference.parse("[simulation]  # chance\nseed: 1\n")


class TheProgram(InAFolder):
    def test_that_is_not_there(self):
        with self.assertRaisesRegex(FileNotFoundError, "'/none/heddle' is no program"):
            Config(INCAST).check(program="/none/heddle")

    def test_is_found_by_argument_environment_and_path(self):
        argument, environment, path = (self.program(place) for place in ("argument", "environment", "path"))
        with mock.patch.dict(os.environ, PATH=f"{path.parent}:{os.environ['PATH']}", HEDDLE=str(environment)):
            self.assertEqual(heddle.find_program(argument), str(argument))
            self.assertEqual(heddle.find_program(), str(environment))
            os.environ["HEDDLE"] = ""
            self.assertEqual(heddle.find_program(), str(path))

    def program(self, place):
        """One that can be started in that place."""
        path = self.folder.resolve() / place / "heddle"
        path.parent.mkdir(parents=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
        return path

    def test_checkout_is_the_last_resort(self):
        here = str(self.folder.resolve())
        with (
            mock.patch.dict(os.environ, PATH=here, HEDDLE=""),
            mock.patch("heddle.program.checkouts", return_value=[here]),
        ):
            with self.assertRaisesRegex(FileNotFoundError, "neither in PATH nor .*build/cpu/bin/heddle; build it"):
                heddle.find_program()
            built = self.program("build/cpu/bin")
            self.assertEqual(heddle.find_program(), str(built))


if __name__ == "__main__":
    unittest.main()
