#!/usr/bin/env python3
"""Textures: what looks name reaches other programs as it is, at the places that files or faces say; damaged and
oversized pictures are refused, exit status 2."""
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from test_export import PROGRAM, SINGLE, SOURCE, Gltf  # noqa: E402


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, bits=None, extra=b""):
    """White, of one bit a pixel."""
    raw = zlib.compress((b"\0" + b"\xff" * ((width + 7) // 8)) * height) if bits is None else bits
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + extra + chunk(b"IDAT", raw) + chunk(b"IEND", b"")


CUBE = """v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1
vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt nonsense
f 1/1 4/4 3/3 2/2\nf 5/1 6/2 7/3 8/4\nf 1/1 2/2 6/3 5/4\nf 2/1 3/2 7/3 6/4\nf 3/1 4/2 8/3 7/4\nf 4/1 1/2 5/3 8/4\n"""


class Textures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, data):
        with open(self.path(name), "wb" if isinstance(data, bytes) else "w") as stream:
            stream.write(data)

    def scene(self, shape, look, name="scene.json"):
        self.write(name, json.dumps({
            "cardhouse": 1, "step": {"until": 0.01}, "materials": {"painted": {"look": look}},
            "bodies": [{"name": "thing", "position": [0, 0, 5], "shapes": [{"material": "painted", **shape}]}]}))
        return self.path(name)

    def run_on(self, *words):
        return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=120, cwd=self.folder)

    def exported(self, scene):
        run = self.run_on("run", scene, "--out", "run.h5", "--quiet")
        self.assertEqual(run.returncode, 0, run.stderr)
        made = self.run_on("export", "run.h5", "--gltf", "run.glb", "--quiet")
        self.assertEqual(made.returncode, 0, made.stderr)
        return Gltf(self.path("run.glb"))

    def test_places_of_a_file_reach_the_export_and_come_back(self):
        self.write("cube.obj", CUBE)
        self.write("white.png", png(20, 10))
        gltf = self.exported(self.scene({"type": "mesh", "file": "cube.obj"}, {"texture": "white.png"}))
        attributes = gltf.json["meshes"][0]["primitives"][0]["attributes"]
        place, at = gltf.values(attributes["TEXCOORD_0"]), gltf.values(attributes["POSITION"])
        low = at[:, 2] < 0  # the underside, whose corners the file gives as 1/1 4/4 3/3 2/2
        flat = low & (np.abs(gltf.values(attributes["NORMAL"])[:, 2]) > 0.9)
        np.testing.assert_allclose(place[flat], (at[flat, :2] * [1, -1] + 1) / 2, atol=SINGLE)  # v points down there
        view = gltf.json["bufferViews"][gltf.json["images"][0]["bufferView"]]
        with open(self.path("white.png"), "rb") as stream:
            self.assertEqual(gltf.bytes[view["byteOffset"]: view["byteOffset"] + view["byteLength"]], stream.read())
        paint = gltf.json["materials"][0]["pbrMetallicRoughness"]
        self.assertEqual(paint["baseColorTexture"], {"index": 0})
        self.assertEqual(paint["baseColorFactor"], [1, 1, 1, 1])
        # What was written is read again, places and all: y is up in that format, z here.
        again = self.exported(self.scene({"type": "mesh", "file": "run.glb"}, {"texture": "white.png"}, "again.json"))
        other = again.json["meshes"][0]["primitives"][0]["attributes"]
        corners = lambda g, a: sorted(map(tuple, np.round(g.values(a["TEXCOORD_0"]), 6).tolist()))
        self.assertEqual(corners(gltf, attributes), corners(again, other))

    def test_what_has_no_places_is_painted_from_six_sides(self):
        self.write("white.png", png(8, 8))
        for size in (None, 0.5):
            look = {"texture": "white.png", "colour": "#ff0000", **({"texture_size": size} if size else {})}
            gltf = self.exported(self.scene({"type": "box", "half": [1, 2, 3]}, look))
            a = gltf.json["meshes"][0]["primitives"][0]["attributes"]
            place, at, normal = gltf.values(a["TEXCOORD_0"]), gltf.values(a["POSITION"]), gltf.values(a["NORMAL"])
            wide = np.full(3, size) if size else np.array([2.0, 4.0, 6.0])
            for axis, across, up in ((0, 1, 2), (1, 0, 2), (2, 0, 1)):
                for side in (-1, 1):
                    face = side * normal[:, axis] > 0.9
                    self.assertEqual(face.sum(), 4)
                    turn = side * (-1 if axis == 1 else 1)
                    u = 0.5 + turn * at[face, across] / wide[across]
                    v = 0.5 + at[face, up] / wide[up]
                    np.testing.assert_allclose(place[face], np.stack([u, 1 - v], 1), atol=1e-6)
            self.assertEqual(gltf.json["materials"][0]["pbrMetallicRoughness"]["baseColorFactor"], [1, 0, 0, 1])

    def test_a_recording_is_shown_without_a_picture_that_is_gone(self):
        self.write("white.png", png(8, 8))
        scene = self.scene({"type": "sphere", "radius": 1}, {"texture": "white.png"})
        self.assertIn("images", self.exported(scene).json)
        os.remove(self.path("white.png"))
        made = self.run_on("export", "run.h5", "--gltf", "run.glb")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertNotIn("images", Gltf(self.path("run.glb")).json)
        refused = self.run_on("scene", "check", scene)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("white.png", refused.stderr)

    def refused(self, data, says):
        self.write("bad.png", data)
        scene = self.scene({"type": "sphere", "radius": 1}, {"texture": "bad.png"})
        run = self.run_on("scene", "check", scene)
        self.assertEqual(run.returncode, 2, (says, run.stdout))
        self.assertIn("materials.painted.look.texture", run.stderr)
        self.assertIn(says, run.stderr)

    def test_hostile_pictures_are_refused(self):
        good = png(16, 16)
        bomb = zlib.compress(b"\0" * (8 << 20))
        self.refused(b"GIF89a" + b"\0" * 60, "is not a PNG")
        self.refused(b"\xff\xd8\xff\xe0" + b"\0" * 60, "textures are PNG files")
        self.refused(good[:-20], "can be read")
        self.refused(good.replace(b"IDAT", b"JDAT"), "can be read")
        self.refused(png(5000, 5000), "must have 1 to 4096")
        self.refused(png(2**31 - 1, 1, b""), "must have 1 to 4096")
        self.refused(png(4096, 4096, b"x"), "too few")
        self.refused(png(16, 16, zlib.compress(b"\0\xff")), "can be read")
        self.refused(b"\0" * (9 << 20), "bad.png")
        # A profile that unpacks to 8 MB is passed over: it is no part of the picture, and never unpacked as a whole.
        self.write("fat.png", png(16, 16, extra=chunk(b"iCCP", b"a\0\0" + bomb)))
        scene = self.scene({"type": "sphere", "radius": 1}, {"texture": "fat.png"})
        self.assertEqual(self.run_on("scene", "check", scene).returncode, 0)

    def test_flipped_bits_never_crash(self):
        with open(os.path.join(SOURCE, "scenes", "die.png"), "rb") as stream:
            good = stream.read()
        turn = random.Random(25)
        scene = self.scene({"type": "sphere", "radius": 1}, {"texture": "die.png"})
        for _ in range(20):
            data = bytearray(good)
            data[turn.randrange(len(data))] ^= 1 << turn.randrange(8)
            self.write("die.png", bytes(data))
            self.assertIn(self.run_on("scene", "check", scene).returncode, (0, 2))


if __name__ == "__main__":
    unittest.main()
