#!/usr/bin/env python3
"""`cardhouse export`: what other programs would read out of the files is what the trajectory holds."""
import base64
import csv
import json
import os
import re
import shutil
import struct
import subprocess
import tempfile
import unittest

import h5py
import numpy as np

PROGRAM = os.environ.get("CARDHOUSE", "build/cardhouse")
BUILD = os.path.abspath(os.environ.get("CH_BUILD", "build"))
SOURCE = os.environ.get("CH_SOURCE", os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODULES = os.path.join(BUILD, "web", "node_modules")
SINGLE = 2e-7  # what four bytes keep of a number, relative

PLANE = {
    "cardhouse": 1,
    "dimension": 2,
    "step": {"until": 0.05},
    "bodies": [
        {"name": "ground line", "fixed": True, "shapes": [{"type": "chain", "points": [[-2, 0], [0, 0], [2, 1]]}]},
        {"name": "say \"hi\"\\", "position": [0.2, 1], "omega": 3, "shapes": [{"type": "disk", "radius": 0.2}]},
    ],
}


def run(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=120)


class Gltf:
    """A reader by the format's text alone."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        if data[:4] == b"glTF":
            version, length, size, kind = struct.unpack("<IIII", data[4:20])
            assert (version, length, kind) == (2, len(data), 0x4E4F534A)
            self.json = json.loads(data[20 : 20 + size])
            size2, kind2 = struct.unpack("<II", data[20 + size : 28 + size])
            assert kind2 == 0x004E4942 and 28 + size + size2 == len(data)
            self.bytes = data[28 + size :]
        else:
            self.json = json.loads(data)
            self.bytes = base64.b64decode(self.json["buffers"][0]["uri"].partition("base64,")[2])
        assert self.json["buffers"][0]["byteLength"] == len(self.bytes)

    def values(self, accessor):
        a = self.json["accessors"][accessor]
        view = self.json["bufferViews"][a["bufferView"]]
        width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}[a["type"]]
        kind = {5126: "<f4", 5125: "<u4"}[a["componentType"]]
        at = view["byteOffset"]
        assert at % 4 == 0 and at + view["byteLength"] <= len(self.bytes) and view["byteLength"] == 4 * width * a["count"]
        return np.frombuffer(self.bytes, kind, a["count"] * width, at).reshape(a["count"], width)

    def node(self, name):
        return next(k for k, node in enumerate(self.json["nodes"]) if node.get("name") == name)

    def track(self, name, path):
        for channel in self.json["animations"][0]["channels"]:
            if channel["target"] == {"node": self.node(name), "path": path}:
                sampler = self.json["animations"][0]["samplers"][channel["sampler"]]
                return self.values(sampler["input"])[:, 0], self.values(sampler["output"])
        return None


def rotate(q, x):
    """By the unit quaternion q = (x, y, z, w), as glTF has it."""
    v, w = q[:3], q[3]
    return x + 2 * np.cross(v, np.cross(v, x) + w * x)


class Export(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        with open(cls.path("plane.json"), "w", encoding="utf-8") as file:
            json.dump(PLANE, file)
        for name, words in (("cards", ["cards", "--levels", "1", "--mu", "0.1", "--until", "0.3"]),
                            ("soft", ["soft-bar", "--until", "0.3"]), ("plane", [cls.path("plane.json")])):
            done = run("run", *words, "--out", cls.path(name + ".h5"), "--every", "5", "--quiet")
            assert done.returncode == 0, done.stderr

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    def export(self, run_name, option, name, *words):
        done = run("export", self.path(run_name + ".h5"), option, self.path(name), *words, "--quiet")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return self.path(name)

    def read(self, name):
        return h5py.File(self.path(name + ".h5"), "r")

    def test_places_in_gltf_are_those_of_the_trajectory(self):
        for ending in ("glb", "gltf"):
            g = Gltf(self.export("cards", "--gltf", "cards." + ending, "--fps", "1000"))
            with self.read("cards") as h:
                for b, name in enumerate(h["body/name"].asstr()[:]):
                    if name == "floor":
                        self.assertIsNone(g.track(name, "translation"))
                        continue
                    times, at = g.track(name, "translation")
                    np.testing.assert_allclose(times, h["time"][:], atol=SINGLE)
                    np.testing.assert_allclose(at, h["body/position"][:, b], atol=2 * SINGLE)
                    _, turned = g.track(name, "rotation")
                    true = h["body/orientation"][:, b][:, [1, 2, 3, 0]]
                    np.testing.assert_allclose(np.abs(np.sum(turned * true, axis=1)), 1.0, atol=4 * SINGLE)
                    self.assertTrue(np.all(np.sum(turned[1:] * turned[:-1], axis=1) > 0.0))  # the shorter way

    def test_z_is_up_where_the_format_has_y_up(self):
        g = Gltf(self.export("cards", "--gltf", "up.glb"))
        root = g.json["nodes"][g.node("cardhouse")]
        np.testing.assert_allclose(rotate(np.array(root["rotation"]), np.array([0.0, 0.0, 1.0])), [0, 1, 0], atol=1e-8)

    def test_normals_of_a_box_are_those_of_its_faces_and_faces_turn_outwards(self):
        g = Gltf(self.export("cards", "--gltf", "box.glb"))
        for mesh in g.json["meshes"]:
            part = mesh["primitives"][0]
            at, normal = g.values(part["attributes"]["POSITION"]), g.values(part["attributes"]["NORMAL"])
            np.testing.assert_allclose(np.sort(np.abs(normal), axis=1), np.tile([0, 0, 1], (len(normal), 1)), atol=1e-6)
            for a, b, c in g.values(part["indices"]).reshape(-1, 3):
                turned = np.cross(at[b] - at[a], at[c] - at[a])
                self.assertGreater(np.dot(turned, normal[a]), 0.0)
                self.assertGreater(np.dot(turned, at[a]), 0.0)  # the middle of a box is inside

    def test_morph_targets_bend_a_body_as_its_modes_do(self):
        g = Gltf(self.export("soft", "--gltf", "soft.glb", "--fps", "1000"))
        with self.read("soft") as h:
            name = next(n for n in h["body/name"].asstr()[:] if g.track(n, "weights"))
            body = list(h["body/name"].asstr()[:]).index(name)
            part = g.json["meshes"][g.json["nodes"][g.node(name)]["mesh"]]["primitives"][0]
            rest, modes = g.values(part["attributes"]["POSITION"]), [g.values(t["POSITION"]) for t in part["targets"]]
            times, weights = g.track(name, "weights")
            weights = weights.reshape(len(times), len(modes))
            bent = rest + np.tensordot(weights[-1], np.array(modes), 1)
            turned = g.track(name, "rotation")[1][-1]
            world = np.array([rotate(turned, x) for x in bent]) + g.track(name, "translation")[1][-1]
        # The same corners, one by one, as OBJ has them in the world.
        self.export("soft", "--obj", "soft", "--fps", "1000")
        points, faces, inside = [], [], False
        with open(os.path.join(self.path("soft"), sorted(os.listdir(self.path("soft")))[-1]), encoding="utf-8") as file:
            for line in file:
                word, *rest_of = line.split()
                inside = rest_of == name.split() if word == "o" else inside
                if word == "v":
                    points.append([float(x) for x in rest_of])
                if word == "f" and inside:
                    faces += [int(x) - 1 for x in rest_of]
        np.testing.assert_allclose(world, np.array(points)[faces], atol=5e-6)  # a metre, in four bytes, some sums
        self.assertGreater(np.abs(bent - rest).max(), 1e-6)  # it did bend
        self.assertGreaterEqual(body, 0)

    def test_khronos_validator_finds_nothing(self):
        if not os.path.isdir(os.path.join(MODULES, "gltf-validator")):
            self.skipTest("the page's modules are not there (make page fetches them)")
        files = [self.export(name, "--gltf", "v-" + name + ending) for name in ("cards", "soft", "plane")
                 for ending in (".glb", ".gltf")]
        told = subprocess.run(["node", os.path.join(SOURCE, "tests/e2e/gltf_check.mjs"), MODULES, *files],
                              capture_output=True, text=True, timeout=120, check=True).stdout.splitlines()
        self.assertEqual(len(told), len(files))
        for line in told:
            report = json.loads(line)
            self.assertEqual((report["errors"], report["warnings"]), (0, 0), line)

    def test_a_mesh_that_is_exported_can_be_read_in(self):
        half = [0.1, 0.2, 0.3]
        box = {"name": "box", "position": [0, 0, 1], "shapes": [{"type": "box", "half": half}]}

        def packing(name, body):
            with open(self.path(name + ".json"), "w", encoding="utf-8") as file:
                json.dump({"cardhouse": 1, "step": {"until": 0.01, "h": 0.01}, "bodies": [body]}, file)
            done = run("run", self.path(name + ".json"), "--out", self.path(name + ".h5"), "--quiet")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            told = run("measure", self.path(name + ".h5"), "--packing", "--region=-1,1,-1,1,0,2", "--json")
            return 8 * json.loads(told.stdout)["means"]["packing"]

        packing("box", box)
        files = [self.export("box", "--gltf", "box.glb"), self.export("box", "--gltf", "box.gltf")]
        for kind in ("ply", "obj"):
            folder = self.export("box", "--" + kind, kind)
            files.append(os.path.join(folder, sorted(os.listdir(folder))[0]))
        for k, path in enumerate(files):
            with self.subTest(file=path):
                read = {"name": "box", "shapes": [{"type": "mesh", "file": path, "closed": True}]}
                self.assertAlmostEqual(packing(f"read-{k}", read) / (8 * np.prod(half)), 1, places=6)

    def test_usd_holds_the_same_places_by_time(self):
        with open(self.export("cards", "--usd", "cards.usda", "--fps", "1000"), encoding="utf-8") as file:
            text = file.read()
        self.assertTrue(text.startswith("#usda 1.0\n"))
        self.assertIn('upAxis = "Z"', text)
        self.assertEqual(text.count("{"), text.count("}"))
        self.assertEqual(text.count("["), text.count("]"))
        block = re.search(r'def Xform "b1_card_1".*?translate.timeSamples = \{(.*?)\}', text, re.S).group(1)
        samples = re.findall(r"([-\d.e]+): \(([-\d.e]+), ([-\d.e]+), ([-\d.e]+)\)", block)
        with self.read("cards") as h:
            self.assertEqual(len(samples), len(h["time"]))
            for k, sample in enumerate(samples):
                self.assertAlmostEqual(float(sample[0]) / 60, h["time"][k], places=7)  # 60 codes a second
                np.testing.assert_allclose([float(x) for x in sample[1:]], h["body/position"][k, 1], rtol=1e-8, atol=1e-12)

    def test_ply_counts_what_it_holds(self):
        self.export("cards", "--ply", "ply", "--fps", "10")
        files = sorted(os.listdir(self.path("ply")))
        self.assertEqual(files, [f"frame-{k:06d}.ply" for k in range(4)])  # 0, 0.1, 0.2, 0.3 s
        with open(os.path.join(self.path("ply"), files[0]), "rb") as file:
            head, _, body = file.read().partition(b"end_header\n")
        vertices, faces = (int(n) for n in re.findall(rb"element \w+ (\d+)", head))
        self.assertEqual((vertices, faces), (3 * 8, 3 * 6))  # two cards and a floor
        self.assertEqual(len(body), 12 * vertices + faces * (1 + 4 * 4 + 4))

    def test_the_table_has_every_row_to_the_last_digit(self):
        with open(self.export("plane", "--csv", "plane.csv"), newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        with self.read("plane") as h:
            self.assertEqual(len(rows), 2 * len(h["time"]))
            for row, k in zip(rows, np.repeat(np.arange(len(h["time"])), 2)):
                b = list(h["body/name"].asstr()[:]).index(row["body"])
                self.assertEqual([float(row["x"]), float(row["y"])], list(h["body/position"][k, b]))

    def test_parts_and_wrong_words(self):
        done = run("export", self.path("cards.h5"), "--gltf", self.path("part.glb"), "--from", "0.1", "--to", "0.2")
        self.assertIn("7 frames", done.stderr)  # sixtieths from 0.1 to 0.2
        for words, said in ((["--from", "5", "--gltf", "x.glb"], "no row lies between"), ([], "needs a format"),
                            (["--gltf", "/proc/none/x.glb"], "cannot be written")):
            refused = run("export", self.path("cards.h5"), *words)
            self.assertEqual(refused.returncode, 2, words)
            self.assertIn(said, refused.stderr)
        self.assertEqual(run("export", self.path("plane.json"), "--csv", self.path("x.csv")).returncode, 2)
        self.assertEqual(run("export", self.path("cards.h5"), "--csv", "/dev/full").returncode, 3)


if __name__ == "__main__":
    unittest.main()
