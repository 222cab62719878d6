#!/usr/bin/env python3
"""What README and the pages of docs show in Python runs, block after block of a page."""
import contextlib
import io
import os
import re
import sys
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "tests"))
import viewer_client  # noqa: E402


def blocks(page):
    with open(os.path.join(SOURCE, page), encoding="utf-8") as stream:
        return re.findall(r"^```python\n(.*?)^```", stream.read(), re.MULTILINE | re.DOTALL)


class Pages(unittest.TestCase):
    def test_the_examples_run(self):
        os.chdir(SOURCE)
        for page in ("README.md", "docs/python.md"):
            names = {}
            printed = io.StringIO()
            self.assertTrue(blocks(page))
            for block in blocks(page):
                with self.subTest(page), contextlib.redirect_stdout(printed):
                    exec(compile(block, page, "exec"), names)
            self.assertIn("<Certificate natural=", printed.getvalue())

    @unittest.skipUnless(viewer_client.has_viewer(), "the program was built without the viewer")
    def test_what_is_looked_at_is_there(self):
        page, before = "docs/python_looking.md", os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                names, printed = {}, io.StringIO()
                for block in blocks(page):
                    with contextlib.redirect_stdout(printed):
                        exec(compile(block, page, "exec"), names)
                self.assertTrue(os.path.exists("house.html"))
            finally:
                os.chdir(before)
        self.assertIn("http://127.0.0.1", printed.getvalue())
        self.assertFalse(names["page"].running)

    def test_the_first_example_is_the_same_in_both(self):
        self.assertEqual(blocks("README.md")[0], blocks("docs/python.md")[0])


if __name__ == "__main__":
    unittest.main()
