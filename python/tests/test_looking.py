#!/usr/bin/env python3
"""Looking: pages that open and close, replays, pictures, tables, plots."""
import os
import shutil
import struct
import subprocess
import tempfile
import unittest
import urllib.request
import zlib

import numpy as np

import cardhouse
from cardhouse import looking

try:
    import matplotlib

    matplotlib.use("Agg")
except ImportError:
    matplotlib = None

CHROMIUM = any(shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome"))


def has_viewer():
    program = os.environ.get("CARDHOUSE", "cardhouse")
    said = subprocess.run([program, "view", "--compare", "x"], capture_output=True, text=True).stderr
    return "without the viewer" not in said


needs_viewer = unittest.skipUnless(has_viewer(), "the program was built without the viewer")


def png(pixels, kinds):
    """A picture as PNG, every row filtered in the way that `kinds` says."""
    height, width, channels = pixels.shape
    rows = np.zeros((height + 1, (width + 1) * channels), int)
    rows[1:, channels:] = pixels.reshape(height, -1)
    data = b""
    for y, kind in zip(range(1, height + 1), kinds):
        left, up, corner = rows[y, :-channels], rows[y - 1, channels:], rows[y - 1, :-channels]
        p = left + up - corner
        nearest = np.argmin([abs(p - left), abs(p - up), abs(p - corner)], axis=0)
        guess = [0, left, up, (left + up) // 2, np.choose(nearest, [left, up, corner])][kind]
        data += bytes([kind]) + ((rows[y, channels:] - guess) % 256).astype(np.uint8).tobytes()

    def chunk(name, body):
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    head = struct.pack(">IIBBBBB", width, height, 8, {3: 2, 4: 6}[channels], 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b"")


class Looking(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.sim = cardhouse.Simulation(cardhouse.scenes.cards(levels=1))
        cls.run_ = cls.sim.run(0.1, every=10, contacts=True)

    @needs_viewer
    def test_a_page_is_served_until_it_is_closed(self):
        with self.sim.view(browser=False) as page:
            self.assertTrue(page.running)
            self.assertEqual(urllib.request.urlopen(page.url, timeout=20).status, 200)
            self.assertIn("<iframe", page._repr_html_())
        self.assertFalse(page.running)

    @needs_viewer
    def test_a_run_is_shown_as_one_file(self):
        shown = self.run_.show()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.html")
            shown.save(path)
            self.assertIn("data-recording", open(path, encoding="utf-8").read())
        self.assertIn("data:text/html;base64", shown._repr_html_())

    def test_a_run_that_was_controlled_must_have_been_recorded(self):
        run = self.sim.copy().run(0.12, control=lambda sim: None)
        with self.assertRaises(cardhouse.Error):
            run.show()

    @needs_viewer
    @unittest.skipUnless(CHROMIUM and not os.environ.get("CH_SLOW"), "no Chromium here")
    def test_a_picture_is_an_array(self):
        picture = self.sim.render(size=(320, 180))
        self.assertEqual((picture.shape, picture.dtype), ((180, 320, 3), np.uint8))
        self.assertGreater(picture.std(), 5.0)

    def test_every_filter_of_png_is_undone(self):
        random = np.random.default_rng(0)
        for channels in (3, 4):
            pixels = random.integers(0, 256, (10, 7, channels), np.uint8)
            np.testing.assert_array_equal(looking.read_png(png(pixels, list(range(5)) * 2)), pixels[:, :, :3])

    def test_tables_for_notebooks(self):
        for thing in (self.sim.world, self.sim.report, self.sim.certificate):
            self.assertIn("<table>", thing._repr_html_())

    @unittest.skipUnless(matplotlib, "no matplotlib here")
    def test_plots(self):
        self.assertEqual(len(self.run_.plot.energy().lines), 3)
        self.run_.plot.certificate()
        chains = self.run_.plot.force_chains(0.05)
        self.assertGreater(len(chains.lines), 4)
        with self.assertRaises(ValueError):
            self.sim.copy().run(0.11).plot.force_chains()


if __name__ == "__main__":
    unittest.main()
