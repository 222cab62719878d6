#!/usr/bin/env python3
"""Height maps from PNG: of 8 and 16 bits, north up; whatever else a file may hold is refused, exit status 2."""
import json
import os
import struct
import subprocess
import tempfile
import unittest
import zlib

CARDHOUSE = os.environ["CARDHOUSE"]


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(rows, depth, colour=0, width=None, height=None):
    code = "B" if depth == 8 else "H"
    raw = b"".join(b"\0" + struct.pack(f">{len(row)}{code}", *row) for row in rows)
    head = struct.pack(">IIBBBBB", width or len(rows[0]), height or len(rows), depth, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")


class HeightMaps(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_on(self, data, **shape):
        with open(os.path.join(self.folder.name, "map.png"), "wb") as stream:
            stream.write(data)
        ground = {"type": "heightfield", "file": "map.png", "cell": 1.0, **shape}
        scene = {"cardhouse": 1, "bodies": [
            {"name": "hill", "fixed": True, "shapes": [ground]},
            {"name": "ball", "position": [0.5, 0.5, 1.12], "shapes": [{"type": "sphere", "radius": 0.1}]},
            {"name": "low ball", "position": [0.5, 2.5, 0.32], "shapes": [{"type": "sphere", "radius": 0.1}]}]}
        path = os.path.join(self.folder.name, "scene.json")
        with open(path, "w", encoding="utf-8") as stream:
            json.dump(scene, stream)
        table = os.path.join(self.folder.name, "out")
        return subprocess.run([CARDHOUSE, "run", path, "--until", "0.3", "--json", "--out", table + ".h5"],
                              capture_output=True, text=True), table

    def test_both_depths_stand_the_right_way_up(self):
        for depth, white in ((8, 255), (16, 65535)):
            fifth = white // 5
            north, south = [fifth] * 3, [white] * 3  # the first row of a map is its north, the largest y
            run, _ = self.run_on(png([north, north, south, south], depth), scale=1.0)
            self.assertEqual(run.returncode, 0, run.stderr)
            report = json.loads(run.stdout)
            self.assertLess(report["penetration"]["max"], 1e-3)  # both balls come to rest where their ground is
            self.assertLess(report["displacement"]["max"], 0.05)

    def test_what_is_no_height_map_is_refused(self):
        good = png([[0, 255], [255, 0]], 8)
        wrong = [good[:40], good[:-20], good.replace(b"IDAT", b"JDAT"), png([[0, 1, 2] * 2] * 2, 8, colour=2, width=2),
                 png([[0, 255], [255, 0]], 8, width=30000, height=30000), png([[0, 255], [255, 0]], 8, width=2**31 - 1),
                 b"\x89PNG\r\n\x1a\n" + b"\0" * 60, b"1 2\n3 x\n", b"ncols 2\nnrows 2\n1 2 3", b"\0" * 100]
        for data in wrong:
            run, _ = self.run_on(data)
            self.assertEqual(run.returncode, 2, (data[:60], run.stdout, run.stderr))
            self.assertIn("map.png", run.stderr)

    def test_bytes_changed_at_random_end_no_program(self):
        good = bytearray(png([[0, 255, 3], [255, 0, 9], [1, 2, 3], [4, 5, 6]], 8))
        for k in range(120):
            data = bytearray(good)
            data[(7919 * k + 13) % len(data)] ^= 1 << k % 8
            run, _ = self.run_on(bytes(data))
            self.assertIn(run.returncode, (0, 1, 2), (k, run.stderr))


if __name__ == "__main__":
    unittest.main()
