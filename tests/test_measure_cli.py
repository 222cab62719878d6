#!/usr/bin/env python3
"""`cardhouse measure`: what it prints and writes of a run with a known answer, and what it refuses."""
import csv
import json
import math
import os
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml

PROGRAM = os.environ.get("CARDHOUSE", "build/cardhouse")


def run(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=120)


def layer(name, radius, height, count=4):
    """count x count spheres that touch, at rest on those below."""
    return [{"name": f"{name} {i}-{j}", "position": [0.2 * i, 0.2 * j, height],
             "shapes": [{"type": "sphere", "radius": radius, "material": "m"}]} for i in range(count) for j in range(count)]


SCENE = {
    "cardhouse": 1, "name": "layers", "dimension": 3, "gravity": [0, 0, -9.81], "step": {"h": 0.01, "until": 0.05},
    "materials": {"m": {"density": 1000, "friction": 0.5}},
    "bodies": [{"name": "floor", "fixed": True, "shapes": [{"type": "halfspace", "material": "m"}]}]
    + layer("large", 0.1, 0.1) + layer("small", 0.05, 0.25)}


class Measures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        scene = os.path.join(cls.folder, "scene.json")
        cls.path = os.path.join(cls.folder, "run.h5")
        with open(scene, "w", encoding="utf-8") as file:
            json.dump(SCENE, file)
        subprocess.run([PROGRAM, "run", scene, "--out", cls.path, "--quiet"], check=True, timeout=120)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def measure(self, *words):
        result = run("measure", self.path, *words, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def test_layers_are_what_they_are(self):
        answer = self.measure("--packing", "--coordination", "--profile", "z", "--bins", "3", "--segregation", "z",
                              "--region=-0.1,0.7,-0.1,0.7,0,0.3")
        ball = 4 / 3 * math.pi
        self.assertAlmostEqual(answer["means"]["packing"], 16 * ball * (0.1**3 + 0.05**3) / (0.64 * 0.3), places=6)
        self.assertAlmostEqual(answer["means"]["segregation"], -1.0, places=9)
        # large ones: 3, by 4 corners 2, in the middle 4; and one small one each above, which has no other
        self.assertAlmostEqual(answer["means"]["touching"], (16 * 3 + 16 + 16) / 32, places=9)
        self.assertAlmostEqual(answer["means"]["rattlers"], 0.5, places=9)  # the small ones stand on one neighbour
        profile = answer["profile_z"]
        self.assertAlmostEqual(profile["solid"][0], 16 * ball * 0.1**3 / 2 / 0.064, places=6)
        self.assertAlmostEqual(profile["solid"][2], 16 * ball * 0.05**3 / 0.064, places=6)
        self.assertEqual([round(n) for n in profile["grains"]], [0, 16, 16])
        self.assertEqual(answer["moments"], 1)

    def test_stress_of_columns_under_their_weight(self):
        # A large ball bears M + 2 m over its radius, the small one m: Love's sum over the contacts of 16 columns.
        answer = self.measure("--forces", "--region=-0.1,0.7,-0.1,0.7,0,0.3")
        M, m = (1000 * 4 / 3 * math.pi * r**3 for r in (0.1, 0.05))
        found = answer["forces"]
        self.assertAlmostEqual(found["stress"][2][2] / (16 * 9.81 * (0.1 * (M + 2 * m) + 0.05 * m) / (0.64 * 0.3)), 1, places=5)
        for i, j in ((0, 0), (1, 1), (0, 1), (0, 2), (2, 0), (1, 2)):
            self.assertAlmostEqual(found["stress"][i][j] / found["stress"][2][2], 0, places=5)
        self.assertAlmostEqual(found["mean"] / (9.81 * (M + 2 * m) / 2), 1, places=5)
        self.assertAlmostEqual(found["max"] / (9.81 * (M + m)), 1, places=5)
        self.assertLess(found["mobilised"], 1e-3)
        # A region of the small ones alone: half the force on them, on their centres, and no wall.
        answer = self.measure("--forces", "--region=-0.1,0.7,-0.1,0.7,0.2,0.3")["forces"]
        self.assertAlmostEqual(answer["stress"][2][2] / (16 * 9.81 * 0.05 * m / 0.064), 1, places=5)
        self.assertAlmostEqual(answer["fabric"][2][2], 1, places=6)
        self.assertIn("stress", run("measure", self.path, "--forces").stdout)

    def recorded(self, scene, *words):
        path, out = os.path.join(self.folder, "own.json"), os.path.join(self.folder, "own.h5")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(scene, file)
        subprocess.run([PROGRAM, "run", path, "--out", out, "--quiet", *words], check=True, timeout=120)
        return out

    def test_friction_that_is_mobilised_on_an_incline(self):
        slope, mu = 0.3, 0.5
        out = self.recorded({
            "cardhouse": 1, "gravity": [9.81 * math.sin(slope), 0, -9.81 * math.cos(slope)], "step": {"h": 0.01, "until": 0.05},
            "materials": {"m": {"friction": mu}},
            "bodies": [{"name": "floor", "fixed": True, "shapes": [{"type": "halfspace", "material": "m"}]},
                       {"name": "box", "position": [0, 0, 0.1], "lock": ["ry"], "shapes": [{"type": "box", "half": [0.1, 0.1, 0.1], "material": "m"}]}]})
        found = json.loads(run("measure", out, "--forces", "--json").stdout)
        self.assertAlmostEqual(found["forces"]["mean"] * found["forces"]["contacts"] / (8 * 9.81 * math.cos(slope)), 1, places=5)
        self.assertEqual(found["forces"]["sliding"], 0)
        self.assertAlmostEqual(sum(found["mobilised_friction"]["density"]) / 20, 1, places=9)
        steep = self.recorded({
            "cardhouse": 1, "gravity": [9.81, 0, -9.81], "step": {"h": 0.01, "until": 0.05}, "materials": {"m": {"friction": mu}},
            "bodies": [{"name": "floor", "fixed": True, "shapes": [{"type": "halfspace", "material": "m"}]},
                       {"name": "ball", "position": [0, 0, 0.1], "lock": ["rx", "ry", "rz"],
                        "shapes": [{"type": "sphere", "radius": 0.1, "material": "m"}]}]})
        found = json.loads(run("measure", steep, "--forces", "--json").stdout)["forces"]
        self.assertAlmostEqual(found["mobilised"], 1, places=6)
        self.assertEqual(found["sliding"], 1)

    def test_discharge_of_a_row_that_moves(self):
        balls = [{"name": f"ball {k}", "position": [0, 0, 0.25 + 0.5 * k], "velocity": [0, 0, -1],
                  "shapes": [{"type": "sphere", "radius": 0.1, "material": "m"}]} for k in range(8)]
        out = self.recorded({"cardhouse": 1, "gravity": [0, 0, 0], "step": {"h": 0.01, "until": 3}, "materials": {"m": {"density": 1000}},
                             "bodies": balls}, "--every", "10")
        words = ["measure", out, "--discharge", "z=0", "--from", "0"]
        answer = json.loads(run(*words, "--json").stdout)
        mass = 1000 * 4 / 3 * math.pi * 0.1**3
        self.assertEqual(answer["discharge"]["grains"], 6)
        self.assertAlmostEqual(answer["discharge"]["grains_per_second"], 2, places=9)
        self.assertAlmostEqual(answer["discharge"]["mass_per_second"] / (2 * mass), 1, places=9)
        self.assertEqual(answer["series"]["passed"][-1], 6)
        self.assertIn("6 grains went below z = 0 m in 3 s: 2 grains/s", run(*words).stdout)

    def test_rows_are_chosen(self):
        self.assertEqual(self.measure("--packing", "--from", "0")["series"]["time"], [0, 0.01, 0.02, 0.03, 0.04, 0.05])
        self.assertEqual(self.measure("--packing", "--from", "0.01", "--to", "0.045", "--every", "2")["series"]["time"],
                         [0.01, 0.03])
        self.assertEqual(self.measure("--bodies", "small", "--packing")["grains"], 16)

    def test_rows_without_contacts_are_measured_by_distances(self):
        series = self.measure("--coordination", "--from", "0", "--to", "0.02", "--bodies", "large")["series"]
        self.assertEqual(series["touching"], [3, 3, 3])
        self.assertIsNone(series["pressing"][0])
        self.assertIsNotNone(series["pressing"][1])

    def test_deformable_bodies_count_with_their_volume_and_clamped_ones_do_not(self):
        def block(name, x, **more):
            return {"name": name, "position": [x, 0, 0.5],
                    "soft": {"mesh": {"shape": "block", "size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}, "material": "m",
                             "young": 1e6, "poisson": 0.3, "modes": 4, **more}}
        scene = dict(SCENE, bodies=[block("free", 0), block("held", 1, clamp=[[-1, -1, -1], [-0.09, 1, 1]]),
                                    {"name": "ball", "position": [2, 0, 0.5],
                                     "shapes": [{"type": "sphere", "radius": 0.1, "material": "m"}]}])
        path, recorded = os.path.join(self.folder, "soft.json"), os.path.join(self.folder, "soft.h5")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(scene, file)
        subprocess.run([PROGRAM, "run", path, "--out", recorded, "--quiet"], check=True, timeout=120)
        answer = json.loads(run("measure", recorded, "--packing", "--region=-1,3,-1,1,-1,1", "--json").stdout)
        self.assertEqual(answer["grains"], 2)
        self.assertAlmostEqual(answer["means"]["packing"], (0.2**3 + 4 / 3 * math.pi * 0.1**3) / 16, places=12)

    def test_files(self):
        place = os.path.join(self.folder, "deep", "statistics")
        answer = self.measure("--pair-correlation", "--profile", "z", "--profile", "x", "--out", place, "--from", "0",
                              "--coordination")
        with open(os.path.join(place, "pair_correlation.csv"), encoding="utf-8") as file:
            table = list(csv.DictReader(file))
        self.assertEqual([float(row["g"]) for row in table],
                         [float(f"{g:.10g}") for g in answer["pair_correlation"]["g"]])
        for name in ("pair_correlation", "profile_z", "profile_z_velocity", "profile_x", "coordination", "temperature"):
            self.assertTrue(xml.parse(os.path.join(place, name + ".svg")).getroot().tag.endswith("svg"))
        self.assertTrue(os.path.exists(os.path.join(place, "series.csv")))

    def test_text(self):
        result = run("measure", self.path, "--from", "0")
        self.assertEqual(result.returncode, 0, result.stderr)
        for word in ("32 in space", "16 of 0.1 m, 16 of 0.2 m", "packing", "coordination", "correlation", "around the grains"):
            self.assertIn(word, result.stdout)
        self.assertEqual(run("measure", self.path, "--quiet").stdout, "")

    def test_refusals(self):
        text = os.path.join(self.folder, "scene.json")
        for words, said in (
            ([], "RUN.h5"),
            ([text], "not an HDF5 file"),
            ([self.path + "x"], "No such file"),
            ([self.path, "--profile", "q"], "axis"),
            ([self.path, "--profile", "r"], "a box, which has x, y and z"),
            ([self.path, "--region", "1,2,3"], "must be x0,x1,y0,y1,z0,z1"),
            ([self.path, "--region", "1,0,0,1,0,1"], "which is empty"),
            ([self.path, "--inset", "9"], "leaves nothing"),
            ([self.path, "--bodies", "medium"], "begins with 'medium'"),
            ([self.path, "--from", "3"], "no row lies between"),
            ([self.path, "--unit", "mm"], "unit"),
            ([self.path, "--discharge", "0.1"], "z=0.1"),
            ([self.path, "--discharge", "z=nan"], "z=0.1"),
            ([self.path, "--pair-corelation"], "did you mean"),
        ):
            with self.subTest(words=words):
                result = run("measure", *words)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(said, result.stderr)


if __name__ == "__main__":
    unittest.main()
