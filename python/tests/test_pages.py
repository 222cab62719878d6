#!/usr/bin/env python3
"""What README and docs/python.md show in Python runs, block after block of a page."""
import contextlib
import io
import os
import re
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


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

    def test_the_first_example_is_the_same_in_both(self):
        self.assertEqual(blocks("README.md")[0], blocks("docs/python.md")[0])


if __name__ == "__main__":
    unittest.main()
