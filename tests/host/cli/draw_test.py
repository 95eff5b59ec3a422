"""heddle check --draw: what it writes and refuses, and that the pictures in configs/pictures are those of the presets."""

import pathlib
import re
import sys
import unittest
import xml.etree.ElementTree as xml

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from program import ROOT, ProgramTest  # noqa: E402  (found by the line above)

SVG = "{http://www.w3.org/2000/svg}"
MAX_BYTES = 15_000
PICTURES = sorted((ROOT / "configs" / "pictures").glob("*.svg"))
PRESETS = (
    "zone_quickstart",
    "meta_24k",
    "zone_4096",
    "pod_3072",
    "superpod",
    "fat_tree",
    "hpn",
    "eight_planes",
    "frontend",
    "management",
    "dragonfly",
)


class Draw(ProgramTest):
    def picture(self, name="out.svg"):
        return xml.fromstring(self.read(name))

    def texts(self, name="out.svg"):
        return [text.text for text in self.picture(name).iter(SVG + "text")]

    def refused(self, *words, why):
        self.assertIn(why, self.heddle("check", *words, code=2))

    def test_of_a_star(self):
        said = self.heddle("check", "star.toml", "--draw", "out.svg")
        self.assertIn("\npicture    out.svg shows the fabric\n", said)
        for text in ("star", "1 RTSW", "4 endpoints", "4 x 400G down", "1 x 400G up", "4 cables of 400G"):
            self.assertIn(text, self.texts())
        picture = self.picture()
        self.assertEqual(picture.find(SVG + "title").text, "The fabric of star")
        self.assertTrue(picture.find(SVG + "desc").text.startswith("4 endpoints, 1 switch, 4 cables."))
        self.assertEqual(picture.get("role"), "img")

    def drawn(self, topology):
        self.write("shape.toml", f"[topology]\n{topology}\n[[message]]\nsrc = 0\ndst = 1\nbytes = 4096\n")
        self.heddle("check", "shape.toml", "--draw", "out.svg")
        return self.texts()

    def test_of_a_torus(self):
        texts = self.drawn('kind = "torus"\n[topology.torus]\ncolumns = 32\nrows = 32')
        for text in ("shape: torus, 32 columns x 32 rows of leaves, all rings", "1,024 leaves", "column 31", "row 2", "leaf1023"):
            self.assertIn(text, texts)
        self.assertEqual(texts.count("27 more"), 2)
        self.assertLess(len(self.read("out.svg")), MAX_BYTES)

    def test_of_a_hamming_mesh(self):
        texts = self.drawn('kind = "hamming_mesh"\n[topology.hamming_mesh]\ncolumns = 3\nrows = 2')
        for text in ("board 0", "board 5", "spine0", "spine3", "spine4", "spine9", "leaf0", "leaf23"):
            self.assertIn(text, texts)
        self.assertNotIn("1 more", texts)

    def test_of_a_dragonfly(self):
        texts = self.drawn('kind = "dragonfly_plus"')
        for text in ("group 0", "group 4", "each group to each of 4 others", "by 256 cables"):
            self.assertIn(text, texts)
        self.assertFalse([text for text in texts if "pod" in text])

    def test_needs_nothing_else(self):
        self.heddle("check", "star.toml", "--draw", "out.svg")
        text = self.read("out.svg").replace("http://www.w3.org/2000/svg", "")
        for loads in ("<script", "href", "url(", "@import", "http", "<image", "<foreignObject"):
            self.assertNotIn(loads, text)

    def test_follows_the_sets(self):
        self.heddle("check", "star.toml", "--set", "topology.hosts=9", "--draw", "out.svg")
        self.assertIn("9 endpoints", self.texts())

    def test_a_configuration_that_cannot_run_has_a_fabric(self):
        self.write("idle.toml", '[topology]\nkind = "star"\nhosts = 3\n')
        self.refused("idle.toml", "--draw", "out.svg", why="nothing to simulate")
        self.assertIn("3 endpoints", self.texts())

    def test_any_name_of_a_configuration_is_xml(self):
        self.write('a & <b> "c".toml', self.read("star.toml"))
        self.heddle("check", 'a & <b> "c".toml', "--draw", "out.svg")
        self.assertIn('a & <b> "c"', self.texts())

    def test_replaces_only_pictures(self):
        self.heddle("check", "star.toml", "--draw", "out.svg")
        self.heddle("check", "star.toml", "--set", "topology.hosts=5", "--draw", "out.svg")
        self.assertIn("5 endpoints", self.texts())
        before = self.read("star.toml")
        self.refused(
            "star.toml", "--draw", "star.toml", why="star.toml: is there already, and its first line is not that of a picture"
        )
        self.assertEqual(self.read("star.toml"), before)

    def test_says_why_it_cannot_write(self):
        self.refused(
            "star.toml", "--draw", "gone/out.svg", why="cannot write 'gone/out.svg': No such file or directory; choose another path"
        )
        (self.folder / "folder.svg").mkdir()
        self.refused("star.toml", "--draw", "folder.svg", why="folder.svg: is there already, and ")

    def test_refuses_what_it_does_not_go_with(self):
        self.write("other.toml", self.read("star.toml"))
        self.refused(
            "star.toml", "other.toml", "--draw", "out.svg", why="--draw makes one picture, of one configuration, but 2 are given"
        )
        self.refused("star.toml", "--draw", "", why="nothing is given")
        self.refused("star.toml", "--draw", "--ranks", why="--draw")
        self.assertFalse((self.folder / "out.svg").exists())


class Pictures(ProgramTest):
    def test_are_those_of_the_presets(self):
        self.assertEqual({path.stem for path in PICTURES}, set(PRESETS))
        for path in PICTURES:
            with self.subTest(path.name):
                config = f"configs/{path.stem}.toml"
                self.heddle("check", str(ROOT / config), "--draw", path.name)
                self.assertEqual(
                    self.read(path.name), path.read_text(), f"make it anew: heddle check {config} --draw {path.relative_to(ROOT)}"
                )

    def test_are_small_and_shown(self):
        readme = (ROOT / "configs" / "README.md").read_text()
        for path in PICTURES:
            with self.subTest(path.name):
                self.assertLess(path.stat().st_size, MAX_BYTES)
                self.assertRegex(readme, rf"!\[[^\]]+\]\(pictures/{re.escape(path.name)}\)")


if __name__ == "__main__":
    unittest.main()
