#!/usr/bin/env python3
"""Nothing explodes where time runs out: a house of cards by ten sweeps of Gauss-Seidel, under every limit on the clock."""
import contextlib
import csv
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np

import viewer_client

PROGRAM = os.environ.get("CARDHOUSE", "build/cardhouse")
LIMITS = [["--step-limit", limit] for limit in ("0.05", "0.2", "1", "5")] + [["--realtime"]]


@contextlib.contextmanager
def busy_machine():
    """Every processor has something else to do."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 2)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def numbers(value):
    """All that stand in a JSON value; null where one is not finite."""
    if isinstance(value, dict):
        for member in value.values():
            yield from numbers(member)
    elif isinstance(value, list):
        for member in value:
            yield from numbers(member)
    elif value is None or isinstance(value, float):
        yield value


class Cards(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = lambda name: os.path.join(folder.name, name)
        scene = json.loads(subprocess.run([PROGRAM, "scene", "cards"], capture_output=True, check=True).stdout)
        scene["method"] = {"name": "pgs", "max_iterations": 10}
        with open(self.path("cards.json"), "w") as file:
            json.dump(scene, file)

    def check(self, *words):
        files = ["--csv", self.path("cards.csv"), "--out", self.path("cards.h5")]
        done = subprocess.run([PROGRAM, "run", self.path("cards.json"), "--until", "0.2", "--json", *files, *words],
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        said = json.loads(done.stdout)
        for key in ("certificate", "penetration", "joint_error", "energy", "momentum", "seconds"):
            self.assertNotIn(None, list(numbers(said[key])), key)
        most = 1.02 * said["energy"]["start"]
        with open(self.path("cards.csv")) as file:
            rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
        self.assertEqual(len(rows), said["steps"])
        for row in rows:
            self.assertTrue(all(map(math.isfinite, row.values())), row)
            self.assertLessEqual(row["kinetic"] + row["potential"], most, row)
            self.assertEqual(row["missed"], max(row["natural"], row["siconos"], row["balance"]) > said["tolerance"])
        self.assertEqual(said["missed_steps"], sum(row["missed"] for row in rows))
        with h5py.File(self.path("cards.h5"), "r") as file:
            file.visititems(lambda name, item: self.check_dataset(name, item))

    def check_dataset(self, name, item):
        if isinstance(item, h5py.Dataset) and item.dtype.kind == "f":
            self.assertTrue(np.isfinite(item[...]).all(), name)

    def test_limits_on_the_clock(self):
        for words in LIMITS:
            with self.subTest(words):
                self.check(*words)

    def test_limits_on_the_clock_of_a_busy_machine(self):
        with busy_machine():
            for words in LIMITS:
                with self.subTest(words):
                    self.check(*words)


@unittest.skipUnless(viewer_client.has_viewer(), "this program was built without the viewer")
class Viewer(unittest.TestCase):
    def test_two_methods_side_by_side_on_a_busy_machine(self):
        """Missed steps are told as such, and the house that they leave keeps its energy."""
        server = viewer_client.Server("cards", "--compare", "pgs,auto")
        self.addCleanup(server.close)
        page = viewer_client.Page(server)
        self.addCleanup(page.close)
        scene = page.text("scene")
        start, seen = {}, {0: 0, 1: 0}
        with busy_machine():
            while min(seen.values()) < 200:
                frame = page.frame(lambda f: f.stats)
                self.assertTrue(all(math.isfinite(x) for pose in frame.poses for x in pose))
                for time, natural, kinetic, potential, contacts, _, _, flags in frame.stats:
                    self.assertTrue(all(map(math.isfinite, (natural, kinetic, potential))))
                    self.assertLessEqual(kinetic + potential, 1.02 * start.setdefault(frame.pane, kinetic + potential))
                    self.assertTrue(natural <= scene["tolerance"] or int(flags) & 1)
                    seen[frame.pane] += time > 0.0 and contacts > 0


class PushOut(unittest.TestCase):
    def run_cube(self, *words, **step):
        scene = {"cardhouse": 1, "step": {"until": 0.3, **step},
                 "materials": {"m": {"density": 700, "friction": 0.5}},
                 "bodies": [{"name": "floor", "fixed": True, "shapes": [{"type": "halfspace", "material": "m"}]},
                            {"name": "cube", "position": [0, 0, 0.4991],
                             "shapes": [{"type": "box", "half": [0.5, 0.5, 0.5], "material": "m"}]}]}
        return subprocess.run([PROGRAM, "run", "-", *words], input=json.dumps(scene), capture_output=True, text=True,
                              timeout=60)

    def test_a_cube_in_the_floor_comes_out_gently_and_it_is_said(self):
        said = json.loads(self.run_cube("--json").stdout)
        self.assertLess(said["displacement"]["max"], 0.91e-3)  # without a bound: 4 cm
        self.assertTrue(0.5e-3 < said["penetration"]["deferred"] < 0.9e-3)
        self.assertLess(said["energy"]["largest_gain"], 700 * 9.81 * 0.9e-3)
        self.assertIn("left for later steps", self.run_cube().stdout)

    def test_the_speed_may_be_set(self):
        for said in (self.run_cube("--json", push_out=10), self.run_cube("--json", "--push-out", "10")):
            self.assertEqual(json.loads(said.stdout)["penetration"]["deferred"], 0.0)
            self.assertGreater(json.loads(said.stdout)["displacement"]["max"], 0.03)
        self.assertIn("push_out", self.run_cube(push_out=0).stderr)

    def test_short_steps_allow_less_at_the_start(self):
        self.assertEqual(self.run_cube("--quiet").returncode, 0)
        refused = self.run_cube("--quiet", h=1e-5)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("overlap", refused.stderr)


if __name__ == "__main__":
    unittest.main()
