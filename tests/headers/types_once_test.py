"""Every type of namespace heddle is defined once. Two of one name would compile, each in its own files, and the linker would
take the functions of one for both."""

import collections
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ROOMS = ("kernels", "io", "partition", "host")
# At the beginning of a line, so not inside another type; with a body or a base, so no declaration.
DEFINITION = re.compile(r"^(?:struct|class|enum class|union) (\w+)\b(?!::)[^;\n]*\{", re.M)
NAMESPACE = re.compile(r"^namespace ([\w:]+) \{", re.M)


class TypesOnce(unittest.TestCase):
    def test_names(self):
        places = collections.defaultdict(set)
        for room in ROOMS:
            for path in sorted((ROOT / room).rglob("*.hpp")) + sorted((ROOT / room).rglob("*.cuh")):
                text = path.read_text()
                namespace = NAMESPACE.search(text)
                for name in DEFINITION.findall(text):
                    places[(namespace.group(1) if namespace else "", name)].add(str(path.relative_to(ROOT)))
        self.assertGreater(len(places), 300, "no definitions are found any more")
        twice = {name: sorted(files) for name, files in places.items() if len(files) > 1}
        self.assertEqual(twice, {})


if __name__ == "__main__":
    unittest.main()
