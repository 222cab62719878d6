"""The version is written in include/cardhouse/version.h; other places that must name it agree."""
import json
import os
import pathlib
import re
import subprocess
import unittest

SOURCE = pathlib.Path(os.environ["CH_SOURCE"])


def first(path, pattern):
    return re.search(pattern, (SOURCE / path).read_text(), re.MULTILINE).group(1)


class TheVersion(unittest.TestCase):
    def setUp(self):
        header = (SOURCE / "include/cardhouse/version.h").read_text()
        self.version = ".".join(re.findall(r"define CH_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header))
        self.assertRegex(self.version, r"^\d+\.\d+\.\d+$")

    def test_is_that_of_the_program(self):
        said = subprocess.run([os.environ["CARDHOUSE"], "--version"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(said, f"cardhouse {self.version}\n")

    def test_is_the_same_wherever_it_must_be_repeated(self):
        self.assertEqual(first("docs/cardhouse.1", r'^\.TH .*"cardhouse ([\d.]+)"'), self.version)
        self.assertEqual(first("CITATION.cff", r"^version: (\S+)"), self.version)
        self.assertEqual(first("CHANGELOG.md", r"^## ([\d.]+)"), self.version)
        self.assertEqual(first("debian/changelog", r"^cardhouse \(([\d.]+)-\d+\)"), self.version)
        self.assertEqual(json.loads((SOURCE / "web/package.json").read_text())["version"], self.version)


if __name__ == "__main__":
    unittest.main()
