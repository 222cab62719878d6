#!/usr/bin/env python3
"""The documentation holds: links lead somewhere, quoted code is that of the examples, commands run, tables are complete."""
import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

SOURCE = os.environ.get("CH_SOURCE", os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("CH_BUILD", "build"))


def pages():
    top = [name for name in os.listdir(SOURCE) if name.endswith(".md")]
    for folder, _, names in os.walk(os.path.join(SOURCE, "docs")):
        top += [os.path.relpath(os.path.join(folder, name), SOURCE) for name in names if name.endswith(".md")]
    return sorted(top + ["bench/README.md", "bench/RESULTS.md"])


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def anchors(text):
    """As GitHub makes them from headings."""
    heads = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def commands(text):
    """Indented lines that begin with a program of ours, without prompt and comment."""
    for line in re.findall(r"^    (?:\$ )?((?:build/|python3 ).*)$", text, re.M):
        yield re.split(r"\s+(?:#|\|\|)\s*", line)[0]


def methods():
    return json.loads(run([f"{BUILD}/cardhouse", "methods", "--json"], SOURCE).stdout)["methods"]


def method_pages():
    """Method -> page below docs/, as the table says."""
    return dict(re.findall(r"^\| \[([\w-]+)\]\((theory/\w+\.md)\)", read("docs/methods.md"), re.M))


def run(words, folder):
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=120)


class Documentation(unittest.TestCase):
    def test_links_lead_somewhere(self):
        for page in pages():
            text = read(page)
            for target in re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'src="([^"]+)"', text):
                if re.match(r"[a-z]+:", target):
                    continue
                name, _, anchor = target.partition("#")
                path = os.path.normpath(os.path.join(os.path.dirname(page), name)) if name else page
                with self.subTest(page=page, target=target):
                    self.assertTrue(os.path.exists(os.path.join(SOURCE, path)), f"{page}: {target} is not there")
                    if anchor:
                        self.assertIn(anchor, anchors(read(path)), f"{page}: {target}: no such heading")

    def test_quoted_code_is_that_of_the_examples(self):
        quotes = 0
        for page in pages():
            for path, code in re.findall(r"<!-- from (\S+) -->\n```\w+\n(.*?)```", read(page), re.S):
                quotes += 1
                self.assertIn(code, read(path), f"{page} quotes what {path} does not hold")
        self.assertGreater(quotes, 5)

    def test_every_method_has_its_row_and_its_page(self):
        self.assertEqual(sorted(method_pages()), sorted(method["name"] for method in methods()))

    def test_every_page_has_its_parts(self):
        """The equation, when it fails, one picture; and its line among the pages of theory."""
        index = read("docs/theory/README.md")
        for method, page in method_pages().items():
            text = read(f"docs/{page}")
            with self.subTest(method=method, page=page):
                self.assertRegex(text, r"(?m)^    \S", "no equation")
                self.assertIn("\n## When it fails\n", text)
                self.assertRegex(text, r"!\[[^\]]+\]\(\.\./pictures/\w+\.svg\)")
                self.assertIn(f"[{method}]({os.path.basename(page)})", index)

    def test_every_method_names_its_document_and_equation(self):
        documents = {name for name in re.findall(r"^\| ([^|]+?) \|", read("docs/theory/README.md"), re.M)}
        for method in methods():
            with self.subTest(method=method["name"]):
                beyond = method["document"] == "Cardhouse's own" or re.search(r" \d{4}$", method["document"])
                self.assertTrue(method["document"] in documents or beyond, method["document"])
                self.assertRegex(method["equation"], r'\(\d|section \d|algorithm \d|"\w|docs/theory/')

    def test_readme_counts_the_methods(self):
        ones = "one two three four five six seven eight nine".split()
        words = ["twenty"] + [f"twenty-{one}" for one in ones]
        self.assertIn(f"any of {words[len(methods()) - 21]} methods or with `auto`", " ".join(read("README.md").split()))

    def test_pictures_are_whole(self):
        folder = os.path.join(SOURCE, "docs", "pictures")
        pictures = [name for name in os.listdir(folder) if name.endswith(".svg")]
        self.assertTrue(pictures)
        for name in pictures:
            self.assertTrue(xml.parse(os.path.join(folder, name)).getroot().tag.endswith("svg"))


class Errata(unittest.TestCase):
    """docs/errata.md holds every erratum that anything cites, whole, and names facts that exist."""

    def test_every_entry_is_whole(self):
        entries = re.split(r"(?m)^### ", read("docs/errata.md").split("\n## Found while checking")[0])[1:]
        self.assertEqual(sorted(int(entry[1:].split(":")[0]) for entry in entries), list(range(1, 31)))
        for entry in entries:
            with self.subTest(entry=entry.splitlines()[0]):
                for part in ("Printed", "Correct", "Why", "Checked"):
                    self.assertIn(f"\n* {part}: ", entry)
                self.assertRegex(entry, r"(?i)\b(error|reading|open)\b")

    def test_facts_that_it_names_exist(self):
        tests = "".join(read(f"tests/{name}") for name in os.listdir(f"{SOURCE}/tests") if name.endswith(".c"))
        named = re.findall(r"`((?:X\d+|I\d+|H\d+|further)_\w+|[a-z]+(?:_[a-z]+){3,})`", read("docs/errata.md"))
        self.assertGreater(len(named), 30)
        for name in named:
            self.assertIn(f"cmocka_unit_test({name})", tests, name)
        for name in re.findall(r"cmocka_unit_test\((\w+)\)", read("tests/test_errata.c")):
            self.assertIn(f"`{name}`", read("docs/errata.md"), name)

    def test_what_is_cited_is_there(self):
        known = set(re.findall(r"(?m)^### (X\d+):", read("docs/errata.md")))
        for folder, _, names in os.walk(os.path.join(SOURCE, "src")):
            for name in names:
                cited = set(re.findall(r"\bX[1-9]\d?\b", read(os.path.join(folder, name))))
                self.assertLessEqual(cited, known, name)


class Commands(unittest.TestCase):
    """What a reader would type is typed, in a folder that looks like a built tree."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        build = os.path.join(cls.folder, "build")
        os.mkdir(build)
        for name in ("cardhouse", "make_problems", "conformance", "examples"):
            os.symlink(os.path.join(BUILD, name), os.path.join(build, name))
        for name in ("docs", "tests", "scenes"):
            os.symlink(os.path.join(SOURCE, name), os.path.join(cls.folder, name))
        run(["build/make_problems", "cards", "--levels", "4", "--out", "build/cards.hdf5"], cls.folder)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def test_commands_run(self):
        count = 0
        for page in ("README.md", "docs/quick_start.md", "docs/methods.md", "docs/adding_a_method.md",
                     "docs/limit_analysis.md", "docs/run.md", "docs/first_scene.md",
                     "docs/soft_bodies.md", "docs/tutorial_robot.md", "docs/tutorial_hopper.md", "docs/tutorial_arch.md",
                     "docs/tutorial_soft.md"):
            for name, scene in re.findall(r"`([\w-]+\.json)`:\n\n```json\n(.*?)```", read(page), re.S):
                with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                    file.write(scene)
            for command in commands(read(page)):
                words = shlex.split(command)
                words[0] = sys.executable if words[0] == "python3" else words[0]
                if "jacobi" in command:  # the method is not in the tree, but in the program built for it
                    words[0] = words[0].replace("build/", "build/examples/") + "_jacobi"
                if "|" in words:
                    words = ["bash", "-o", "pipefail", "-c", command]
                with self.subTest(page=page, command=command):
                    result = run(words, self.folder)
                    if "built without the viewer" in result.stderr:
                        self.skipTest("this program was built without the viewer")
                    self.assertEqual(result.returncode, 0, f"{page}: {command}\n{result.stderr}")
                count += 1
        self.assertGreater(count, 10)

    def test_the_cookbook_cooks(self):
        """Every command of the cookbook, in its order; a live view is opened and closed, and what is not installed may be missing."""
        page = read("docs/cookbook.md")
        recipes = re.findall(r"`(cardhouse [^`]+)`", " ".join(page.split("## Running")[1].split()))
        self.assertGreater(len(recipes), 20)
        folder = os.path.join(self.folder, "kitchen")
        os.makedirs(os.path.join(folder, "build"))
        os.symlink(os.path.join(self.folder, "build", "cardhouse"), os.path.join(folder, "cardhouse"))
        environment = dict(os.environ, PATH=folder + os.pathsep + os.environ["PATH"])
        for recipe in recipes:
            with self.subTest(recipe=recipe):
                live = recipe.startswith("cardhouse view")
                command = f"timeout -s INT 3 {recipe} --no-browser" if live else recipe
                result = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True,
                                        check=False)
                if result.returncode == 3 and re.search("was not found|without the viewer", result.stderr):
                    continue
                if live:
                    self.assertIn("http://127.0.0.1:", result.stdout, result.stderr)
                else:
                    self.assertEqual(result.returncode, 0, f"{recipe}\n{result.stderr}")

    def test_the_first_scene_does_what_its_page_says(self):
        page = read("docs/first_scene.md")
        scenes = dict(re.findall(r"`([\w-]+\.json)`:\n\n```json\n(.*?)```", page, re.S))
        self.assertEqual(sorted(scenes), ["door.json", "table.json"])
        for strength, opens in ((100, True), (30, False)):
            text = scenes["door.json"].replace('"strength": 100', f'"strength": {strength}')
            with open(os.path.join(self.folder, "swing.json"), "w", encoding="utf-8") as file:
                file.write(text)
            answer = json.loads(run(["build/cardhouse", "run", "swing.json", "--json", "--strict"], self.folder).stdout)
            moved = 0.9 * math.sin(1.57 / 2)  # of the door's middle, once it is open
            self.assertEqual(abs(answer["displacement"]["max"] - moved) < 1e-6, opens)
        for wrong, parts in ((('"friction"', '"frction"'), "did you mean 'friction'"), (("0.2, 0, 1.2", "0.2, 0, 0.8"), "overlap by")):
            with open(os.path.join(self.folder, "table.json"), "w", encoding="utf-8") as file:
                file.write(scenes["table.json"].replace(*wrong))
            result = run(["build/cardhouse", "run", "table.json"], self.folder)
            message = result.stderr.removeprefix("cardhouse run: ")
            self.assertEqual(result.returncode, 2)
            self.assertIn(parts, message)
            self.assertIn(message[:60], page)
        with open(os.path.join(self.folder, "table.json"), "w", encoding="utf-8") as file:
            file.write(scenes["table.json"])
        run(["build/cardhouse", "run", "table.json", "--out", "load.h5", "--every", "10"], self.folder)
        result = run([sys.executable, "docs/examples/floor_load.py", "load.h5"], self.folder)
        self.assertIn(result.stdout.strip(), page)

    def test_the_tutorials_find_what_they_say(self):
        scenes = {}
        for page in ("robot", "soft"):
            scenes |= dict(re.findall(r"`([\w-]+\.json)`:\n\n```json\n(.*?)```", read(f"docs/tutorial_{page}.md"), re.S))
        for name, text in scenes.items():
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        for strength, place in ((100, 0.409), (5, 0.250)):
            run(["build/cardhouse", "run", "arm.json", "--param", f"strength={strength}", "--out", "push.h5", "--every", "100"], self.folder)
            run(["build/cardhouse", "export", "push.h5", "--csv", "push.csv"], self.folder)
            with open(os.path.join(self.folder, "push.csv"), encoding="utf-8") as file:
                last = [line for line in file if ',"box",' in line][-1]
            self.assertAlmostEqual(float(last.split(",")[2]), place, delta=5e-4)
        for young, sag in ((3e7, 31.24e-3), (1e7, 93.8e-3)):
            run(["build/cardhouse", "run", "beam.json", "--param", f"young={young}", "--csv", "sag.csv", "--quiet"], self.folder)
            with open(os.path.join(self.folder, "sag.csv"), encoding="utf-8") as file:
                self.assertAlmostEqual(float(file.readlines()[-1].split(",")[-1]), sag, delta=5e-5)

    def test_a_picture_can_be_made(self):
        for name in ("cardhouse", "first_scene", "scaling"):
            result = run([sys.executable, "docs/pictures/make.py", "--out", self.folder, name], self.folder)
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(os.path.join(self.folder, name + ".svg"), encoding="utf-8") as file:
                self.assertIn("</svg>", file.read())


if __name__ == "__main__":
    unittest.main()
