#!/usr/bin/env python3
"""The site of `make docs`: every link of every page leads to a page, file or heading of the site; search knows every page."""
import html.parser
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.environ.get("CH_SOURCE", os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Page(html.parser.HTMLParser):
    """Links, ids and unbalanced tags of a page."""
    EMPTY = {"meta", "link", "img", "input", "br", "hr"}

    def __init__(self, text):
        super().__init__()
        self.links, self.ids, self.open, self.faults = [], set(), [], []
        self.feed(text)
        self.faults += [f"<{tag}> is not closed" for tag in self.open]

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.links += [attributes[name] for name in ("href", "src") if attributes.get(name)]
        if "id" in attributes:
            self.ids.add(attributes["id"])
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in self.EMPTY:
            return
        if not self.open or self.open[-1] != tag:
            self.faults.append(f"</{tag}> closes {self.open[-1:]} at line {self.getpos()[0]}")
        elif self.open:
            self.open.pop()


class DocsSite(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.result = subprocess.run([sys.executable, "tools/docs_site.py", "--no-replays", "--out", cls.folder], cwd=SOURCE,
                                    capture_output=True, text=True, timeout=60)
        cls.pages = {}
        for folder, _, names in os.walk(cls.folder):
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), cls.folder)
                if name.endswith(".html"):
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        cls.pages[path] = Page(file.read())

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def test_it_is_built(self):
        self.assertEqual(self.result.returncode, 0, self.result.stderr)
        self.assertIn("index.html", self.pages)
        self.assertGreater(len(self.pages), 90)

    def test_links_lead_somewhere(self):
        for path, page in self.pages.items():
            for link in page.links:
                if re.match(r"[a-z]+:", link):
                    continue
                name, _, fragment = link.partition("#")
                target = posixpath.normpath(posixpath.join(posixpath.dirname(path), name)) if name else path
                self.assertTrue(os.path.exists(os.path.join(self.folder, target)), f"{path}: {link}")
                if fragment:
                    self.assertIn(fragment, self.pages[target].ids, f"{path}: {link}")

    def test_pages_are_well_formed(self):
        for path, page in self.pages.items():
            self.assertEqual(page.faults, [], path)

    def test_search_knows_every_page(self):
        with open(os.path.join(self.folder, "search.js"), encoding="utf-8") as file:
            entries = json.loads(file.readline().removeprefix("const PAGES = ").rstrip(";\n"))
        self.assertEqual({entry["u"] for entry in entries}, {path for path in self.pages if not path.startswith("files/")})
        for entry in entries:
            for name, _ in entry["h"]:
                self.assertIn(name, self.pages[entry["u"]].ids)


if __name__ == "__main__":
    unittest.main()
