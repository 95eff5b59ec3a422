"""The rooms of the house: every include leads to the same room or to a lower floor."""

import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# From the ground up. Rooms of one floor know nothing of each other; a file that stands in no room is one of its own.
FLOORS = """
kernels/base io/durable io/error io/problems io/toml_nesting io/unfinished host/build_info
kernels/world io/hash_bytes io/nearest io/ordinary_file io/printable io/shell_word io/units
kernels/congestion kernels/outcome host/base host/scenario/hashes
kernels/state io/results
kernels/routing kernels/team io/checkpoint io/formats
kernels/fabric
kernels/boundary kernels/ports kernels/transport
kernels/collective kernels/instantiate
kernels/observe kernels/tick
kernels/backends kernels/restart
kernels/engine
partition/cut partition/exchange host/scenario/topology
partition/placement host/check/drawing host/check/errors host/scenario/controller
host/scenario/workload
host/scenario/failures
host/config
host/run host/scenario/given_routes host/scenario/inputs host/scenario/memory host/scenario/reach
host/scenario/build
host/check/estimates host/selftest
host/check/warnings
host/check
host/cli
host/cli/sweep
host/commands
host/main
"""
FLOOR = {room: number for number, line in enumerate(FLOORS.split("\n")) for room in line.split()}
OF_SUBFOLDERS = ("host/scenario", "host/check", "host/cli")  # their folders are rooms too
INCLUDE = re.compile(r'^\s*#\s*include "((?:kernels|partition|io|host|tests)/[^"]+)"', re.MULTILINE)


def room_of(path):
    folder, stem = str(pathlib.PurePath(path).parent), re.sub(r"\.\w+$", "", path)
    if folder.count("/") == 0 or folder == "host/scenario":
        return stem
    parts = folder.split("/")
    two = "/".join(parts[:2])
    return "/".join(parts[:3]) if two in OF_SUBFOLDERS else two


def sources(*folders):
    listed = subprocess.check_output(["git", "ls-files", *(folders or ("kernels", "partition", "io", "host"))], cwd=ROOT, text=True)
    return [path for path in listed.split("\n") if re.search(r"\.(cpp|hpp|cu|cuh)$", path) and (ROOT / path).exists()]


class Rooms(unittest.TestCase):
    def test_includes_lead_down(self):
        for path in sources():
            for included in INCLUDE.findall((ROOT / path).read_text()):
                with self.subTest(path=path, included=included):
                    here, there = room_of(path), room_of(included)
                    self.assertIn(there, FLOOR, "what the program is made of includes no tests")
                    self.assertTrue(here == there or FLOOR[there] < FLOOR[here], f"{there} does not stand below {here}")

    def test_every_room_has_its_floor(self):
        self.assertEqual({room_of(path) for path in sources()}, set(FLOOR))

    def test_the_oracle_shares_nothing_with_the_engine(self):
        may = ("base", "world", "outcome")  # what is simulated, and what is to be said of it
        for path in sources("tests/oracle"):
            for included in INCLUDE.findall((ROOT / path).read_text()):
                with self.subTest(path=path, included=included):
                    of_engine = included.startswith("kernels/") and included.split("/")[1] not in may
                    self.assertFalse(of_engine and not path.endswith("_test.cpp"), "it would share the engine's mistakes")

    def test_build_files_name_sources_that_are_there(self):
        listed = subprocess.check_output(["git", "ls-files", "*CMakeLists.txt"], cwd=ROOT, text=True).split()
        for path in listed:
            for named in re.findall(r"\$\{PROJECT_SOURCE_DIR\}/([\w/*.]+\.(?:cpp|hpp|cu|cuh))", (ROOT / path).read_text()):
                with self.subTest(path=path, named=named):
                    self.assertTrue(any(ROOT.glob(named if "*" not in named else named.replace("/*", "/**/*"))))

    def test_a_header_may_come_in_twice(self):
        for path in sources("kernels", "partition", "io", "host", "tests"):
            with self.subTest(path=path):
                self.assertTrue(not path.endswith(("hpp", "cuh")) or "#pragma once\n" in (ROOT / path).read_text())


if __name__ == "__main__":
    unittest.main()
