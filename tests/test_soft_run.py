#!/usr/bin/env python3
"""`cardhouse run` with deformable bodies: its files tell the same of them; and runs that keep to the clock."""
import base64
import contextlib
import csv
import hashlib
import io
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree as xml

import h5py
import numpy as np

from viewer_client import has_viewer

PROGRAM = os.environ.get("CARDHOUSE", "build/cardhouse")
SOURCE = os.environ.get("CH_SOURCE", os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def run(*words, **options):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=120, **options)


def turned(q, x):
    return x + 2 * np.cross(q[1:], np.cross(q[1:], x) + q[0] * x)


def vtk_array(path, name, width):
    for array in xml.parse(path).getroot().iter("DataArray"):
        if array.get("Name") == name:
            data = base64.b64decode(array.text)
            size = struct.unpack("<I", data[:4])[0]
            return np.frombuffer(data[4:4 + size], dtype="<f4").reshape(-1, width)
    raise AssertionError(f"{path} has no {name}")


def vtk_vectors(path, name):
    return vtk_array(path, name, 3)


class Soft(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def expect(self, result, status=0):
        self.assertEqual(result.returncode, status, result.stderr)
        return result.stdout

    def scene(self, *words):
        place = self.path("scene.json")
        with open(place, "w", encoding="utf-8") as file:
            file.write(self.expect(run("scene", "soft-bar", "--cells", "6", "--modes", "5", *words)))
        return place

    # A bar that starts bent so far that its inner side is turned over swings to the other side and back.
    def test_a_body_turned_inside_out_is_told_once_with_its_name(self):
        scene = {"cardhouse": 1, "gravity": [0, 0, 0], "step": {"h": 0.001, "until": 0.2}, "bodies": [
            {"name": name, "position": [10 * k, 0, 0], "soft": {
                "mesh": {"shape": "bar", "size": [0.5, 0.05, 0.05], "cells": [10, 2, 2]}, "young": 1e6,
                "amplitudes": [bent], "modes": 4}} for k, (name, bent) in enumerate((("calm", 0.01), ("torn", 3.0)))]}
        with open(self.path("scene.json"), "w", encoding="utf-8") as file:
            json.dump(scene, file)
        said = json.loads(self.expect(run("run", self.path("scene.json"), "--json")))["inside_out"]
        self.assertEqual((said["body"], said["time"], said["looks"]), ("torn", 0.001, 20))
        self.assertTrue(1 < said["folded"] < 20)
        text = self.expect(run("run", self.path("scene.json")))
        self.assertEqual(text.count("\nwarning  "), 1)
        self.assertIn("torn was the first body to turn inside out, at t = 0.001 s", text)
        scene["bodies"].pop()
        with open(self.path("scene.json"), "w", encoding="utf-8") as file:
            json.dump(scene, file)
        said = json.loads(self.expect(run("run", self.path("scene.json"), "--json")))["inside_out"]
        self.assertEqual(said, {"looks": 20, "folded": 0, "body": None, "time": None})
        self.assertNotIn("warning", self.expect(run("run", self.path("scene.json"))))

    def test_trajectory_pictures_and_table_agree(self):
        out, vtk, table = self.path("bar.h5"), self.path("vtk"), self.path("bar.csv")
        self.expect(run("run", self.scene(), "--until", "0.4", "--out", out, "--every", "40", "--vtk", vtk, "--csv", table))
        with open(table, encoding="utf-8") as file:
            deflection = {int(line["step"]): float(line["deflection"]) for line in csv.DictReader(file)}
        with h5py.File(out) as file:
            skin, body = file["soft/skin-0"], file["soft/body"][0]
            for row in range(1, len(file["time"])):
                bent = skin["shape"][:] @ file["soft/amplitudes"][row]
                turn = file["body/orientation"][row, body]
                points = file["body/position"][row, body] + turned(turn, skin["rest"][:] + bent)
                frame = os.path.join(vtk, f"world-{40 * row:08d}.vtp")
                size = float(abs(points).max())
                shown, moved = vtk_vectors(frame, "points"), vtk_vectors(frame, "displacement")
                np.testing.assert_allclose(shown[-len(points):], points, atol=1e-6 * size)  # single precision
                np.testing.assert_allclose(moved[-len(points):], turned(turn, bent), atol=1e-6 * size)
                self.assertEqual(float(abs(moved[:-len(points)]).max()), 0.0)
                stress, mises = vtk_array(frame, "stress", 6), vtk_array(frame, "von_mises", 1)[:, 0]
                self.assertEqual(float(abs(stress[:-len(points)]).max()), 0.0)
                a, b, c, *shear = stress.T.astype(float)
                wanted = np.sqrt(((a - b) ** 2 + (b - c) ** 2 + (c - a) ** 2) / 2 + 3 * sum(t * t for t in shear))
                np.testing.assert_allclose(mises, wanted, rtol=1e-4, atol=1e-4 * mises.max())
                self.assertAlmostEqual(deflection[40 * row], np.linalg.norm(bent, axis=1).max(), delta=1e-12)
            self.assertGreater(deflection[400], 1e-3)
            self.assertGreater(mises.max(), 1e3)  # Pa; it fell unbent at first
            frequency = skin["frequency"][:]
            self.assertTrue((np.diff(frequency) > 0).all())

    def test_a_resumed_run_is_the_same_to_the_bit(self):
        scene, whole, parts, state = self.scene(), self.path("whole.h5"), self.path("parts.h5"), self.path("state")
        self.expect(run("run", scene, "--until", "0.5", "--out", whole, "--quiet"))
        self.expect(run("run", scene, "--until", "0.3", "--out", parts, "--checkpoint", state, "--quiet"))
        self.expect(run("run", scene, "--until", "0.5", "--out", parts, "--resume", state, "--quiet"))
        with h5py.File(whole) as a, h5py.File(parts) as b:
            for name in ("time", "body/position", "soft/amplitudes", "soft/rates", "contact/force"):
                np.testing.assert_array_equal(a[name][:], b[name][:], name)

    def test_the_page_on_trajectories_deforms_a_surface(self):
        self.expect(run("run", self.scene(), "--until", "0.1", "--out", self.path("motion.h5"), "--quiet"))
        with open(os.path.join(SOURCE, "docs/trajectory.md"), encoding="utf-8") as file:
            programs = re.findall(r"```python\n(.*?)```", file.read(), re.S)
        soft = [program for program in programs if "soft/amplitudes" in program]
        self.assertEqual(len(soft), 1)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(soft[0].replace("motion.h5", self.path("motion.h5")), {})
        self.assertIn("[", printed.getvalue())

    def test_what_a_run_says_of_them(self):
        scene = self.scene()
        self.assertIn("1 deformable body (bar): modal, 5 modes from", self.expect(run("run", scene, "--until", "0.01")))
        self.assertIn("1 deformable body (bar): modal, 5 modes from", self.expect(run("scene", "check", scene)))
        said = json.loads(self.expect(run("run", scene, "--until", "0.01", "--json")))["soft"]
        self.assertEqual([(kin["first"], kin["bodies"], kin["modes"], kin["model"]) for kin in said],
                         [("bar", 1, 5, "modal")])
        self.assertLess(said[0]["frequency"]["lowest"], said[0]["frequency"]["highest"])
        self.assertEqual(len(said[0]["frequencies"]), said[0]["modes"])
        self.assertEqual(min(said[0]["frequencies"]), said[0]["frequency"]["lowest"])
        self.assertNotIn("soft", json.loads(self.expect(run("run", "stack", "--until", "0.01", "--json"))))

    # More than 1000 tetrahedra, so that they are kept; from standard input, so that it is in the user's own folder.
    def test_modes_of_a_scene_without_a_file_are_kept_in_a_fresh_home(self):
        text = self.expect(run("scene", "soft-bar", "--cells", "60", "--modes", "5"))
        for name, cache, place in (("unset", None, "unset/.cache"), ("relative", "here", "relative/.cache"),
                                   ("given", self.path("x/a"), "x/a")):
            home = dict(os.environ, HOME=self.path(name))
            home.pop("XDG_CACHE_HOME", None)
            if cache:
                home["XDG_CACHE_HOME"] = cache
            self.expect(run("scene", "check", "-", input=text, env=home, cwd=self.folder))
            kept = os.listdir(os.path.join(self.path(place), "cardhouse"))
            self.assertEqual([os.path.splitext(file)[1] for file in kept], [".basis"])
            self.assertEqual(os.stat(self.path(place)).st_mode & 0o777, 0o700)
        self.assertFalse(os.path.exists(self.path("here")))

    def test_a_clamped_body_does_not_move_freely(self):
        bar = {"mesh": {"shape": "bar", "cells": [6, 1, 1], "size": [0.6, 0.1, 0.1]}, "young": 1e6, "modes": 3}
        held = dict(bar, clamp=[[-0.31, -1, -1], [-0.19, 1, 1]])
        scene = {"cardhouse": 1, "step": {"h": 0.001, "until": 0.01}, "bodies": [
            {"name": "free", "position": [0, 0, 1], "soft": bar}, {"name": "held", "soft": held}]}
        text = self.expect(run("scene", "check", "-", input=json.dumps(scene)))
        self.assertIn("2 bodies, 1 of them moving freely, 1 clamped;", text)
        self.assertEqual(json.loads(self.expect(run("run", "-", "--json", input=json.dumps(scene))))["bodies"], 2)

    # In a terminal, and only there.
    def test_whose_modes_are_being_computed_is_said_to_who_waits(self):
        text = self.expect(run("scene", "soft-bar", "--cells", "150", "--modes", "3"))
        for words, said in ((["scene", "check", "-"], True), (["run", "-", "--until", "0", "--quiet"], False)):
            home = dict(os.environ, HOME=self.path(words[0]), XDG_CACHE_HOME="")
            ours, theirs = pty.openpty()
            subprocess.run([PROGRAM, *words], input=text, stdout=subprocess.DEVNULL, stderr=theirs, text=True,
                           env=home, timeout=120, check=True)
            os.write(theirs, b"end\n")
            seen = b""
            while b"end" not in seen:
                seen += os.read(ours, 4096)
            os.close(ours)
            os.close(theirs)
            told = re.search(rb"computing 3 modes of body '.*' \((\d+) tetrahedra\); kept in (.*) for next time", seen)
            self.assertEqual(told is not None, said, seen)
            if told:
                self.assertEqual(told[2].decode(), self.path(words[0]) + "/.cache/cardhouse")
        self.assertEqual(run("scene", "check", "-", input=text, env=dict(os.environ, HOME=self.path("third"))).stderr, "")

    def test_integrators_whose_vibrations_grow_are_refused(self):
        result = run("run", self.scene(), "--integrator", "midpoint", "--midpoint", "0.8")
        self.assertEqual(result.returncode, 2)
        self.assertIn("deformable", result.stderr)


def page_scene(html):
    """What a replay says of its scene."""
    with open(html, encoding="utf-8") as file:
        head = re.search(r'<script[^>]*data-recording="head"[^>]*>(.*?)</script>', file.read(), re.S)
    return json.loads(head.group(1))["scene"]


# What a recording shows is what was run, whatever became of the mesh's file, and wherever it is opened.
@unittest.skipUnless(has_viewer(), "this program was built without the viewer")
class Recorded(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.made, self.other = self.path("made"), self.path("other")
        os.mkdir(self.made)
        os.mkdir(self.other)
        self.program = os.path.abspath(PROGRAM)
        self.mesh("6,2,2", self.made)
        bodies = [{"name": "floor", "fixed": True, "shapes": [{"type": "halfspace"}]}]
        for k in range(2):
            bodies.append({"name": f"bar-{k}", "position": [0, 0.5 * k, 0.1 + 0.02 * k], "soft": {
                "mesh": "part.msh", "young": 1e5, "modes": 5, "amplitudes": [0.01]}})
        with open(os.path.join(self.made, "scene.json"), "w", encoding="utf-8") as file:
            json.dump({"cardhouse": 1, "step": {"h": 0.002, "until": 0.2}, "bodies": bodies}, file)
        self.command(self.made, "run", "scene.json", "--out", "run.h5", "--every", "10", "--quiet")

    def path(self, name):
        return os.path.join(self.folder, name)

    def command(self, folder, *words, status=0):
        result = subprocess.run([self.program, *words], capture_output=True, text=True, timeout=120, cwd=folder)
        self.assertEqual(result.returncode, status, result.stderr)
        return result

    def mesh(self, cells, folder):
        self.command(folder, "mesh", "bar", "--size", "0.6,0.1,0.05", "--cells", cells, "--out", "part.msh", "--quiet")

    def shown(self, folder, recording):
        self.command(folder, "replay", recording, "--out", "page.html")
        with open(os.path.join(folder, "page.html"), "rb") as file:  # its checksum: pages are too long to be compared
            page = hashlib.sha256(file.read()).hexdigest()
        return page, self.command(folder, "measure", recording, "--packing", "--json").stdout

    def test_the_page_has_the_skin_that_was_recorded(self):
        self.shown(self.made, "run.h5")
        bodies = page_scene(os.path.join(self.made, "page.html"))["bodies"]
        shapes = [body["shapes"][0] for body in bodies[1:]]
        self.assertEqual(shapes[1]["like"], [1, 0])  # both bars share a skin
        with h5py.File(os.path.join(self.made, "run.h5")) as file:
            skin = file["soft/skin-0"]
            np.testing.assert_allclose(shapes[0]["vertices"], skin["rest"][:], atol=1e-9)  # nine digits
            np.testing.assert_array_equal(shapes[0]["triangles"], skin["triangles"][:])
            basis = np.frombuffer(base64.b64decode(shapes[0]["basis"]), dtype="<f4")
            np.testing.assert_array_equal(basis, skin["shape"][:].astype("<f4").ravel())

    def test_a_mesh_that_changed_afterwards_does_not_change_the_recording(self):
        before = self.shown(self.made, "run.h5")
        self.mesh("4,1,1", self.made)
        self.assertEqual(self.shown(self.made, "run.h5"), before)
        with open(os.path.join(self.made, "part.msh"), "w", encoding="utf-8") as file:
            file.write("no mesh at all")
        self.assertEqual(self.shown(self.made, "run.h5"), before)

    def test_a_recording_opens_where_its_mesh_is_not_or_another_of_that_name_is(self):
        before = self.shown(self.made, "run.h5")
        shutil.move(os.path.join(self.made, "run.h5"), self.other)
        os.remove(os.path.join(self.made, "part.msh"))
        self.assertEqual(self.shown(self.other, "run.h5"), before)
        self.mesh("4,1,1", self.other)
        self.assertEqual(self.shown(self.other, "run.h5"), before)
        self.assertEqual(sorted(os.listdir(self.other)), ["page.html", "part.msh", "run.h5"])  # no basis was kept

    # Mass and place follow from the skin and the first row: as a run of the scene says.
    def test_bodies_are_as_heavy_and_where_they_were(self):
        self.shown(self.made, "run.h5")
        scene = page_scene(os.path.join(self.made, "page.html"))
        for body in scene["bodies"][1:]:
            self.assertAlmostEqual(body["mass"] / (0.6 * 0.1 * 0.05 * 1000), 1, places=8)
            np.testing.assert_allclose(body["shapes"][0]["at"], 0, atol=1e-15)
        low, high = np.array(scene["bounds"])  # the bars are a little bent at the start
        np.testing.assert_allclose(low, [-0.3, -0.05, 0.075], atol=0.02)
        np.testing.assert_allclose(high, [0.3, 0.55, 0.145], atol=0.02)

    def test_a_damaged_skin_is_refused(self):
        def write(name, place, value):
            shutil.copy(os.path.join(self.made, "run.h5"), os.path.join(self.made, "bad.h5"))
            with h5py.File(os.path.join(self.made, "bad.h5"), "r+") as file:
                if value is None:
                    del file[name]
                else:
                    file[name][place] = value
            return self.command(self.made, "replay", "bad.h5", "--out", "bad.html", status=2).stderr

        self.assertIn("there is no vertex 100000", write("soft/skin-0/triangles", (0, 0), 100000))
        self.assertIn("must be finite", write("soft/skin-0/shape", (0, 0, 0), np.nan))
        self.assertIn("encloses no volume", write("soft/skin-0/rest", slice(None), 0.0))
        self.assertIn("/soft/skin-0/rest is missing", write("soft/skin-0/rest", None, None))
        self.assertIn("in their order", write("soft/skin", 0, 3))
        self.assertIn("its skin was not recorded", write("soft", None, None))


class Clock(unittest.TestCase):
    def said(self, *words):
        result = run("run", *words, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def check(self, said):
        limit = said["step_limit"]
        self.assertAlmostEqual(limit["met_tolerance"], 1 - said["missed_steps"] / said["steps"], places=12)
        self.assertTrue(0 <= limit["met_limit"] <= 1)
        both = limit["met_both"]
        self.assertLessEqual(both, min(limit["met_limit"], limit["met_tolerance"]))
        self.assertGreaterEqual(both, limit["met_limit"] + limit["met_tolerance"] - 1 - 1e-12)
        self.assertGreater(limit["steps_per_second"], 0)
        self.assertTrue(0 < limit["step_seconds"]["mean"] <= limit["step_seconds"]["max"])
        return limit

    def test_a_paced_run_is_never_ahead_of_the_clock(self):
        began = time.monotonic()
        said = self.said("soft-bar", "--until", "0.3", "--realtime")
        self.assertGreaterEqual(time.monotonic() - began, 0.299)  # the clock begins after the first step of 1 ms
        limit = self.check(said)
        self.assertLess(limit["steps_per_second"], 1001)
        self.assertTrue(limit["realtime"])
        self.assertEqual(limit["seconds"], 0.006)
        self.assertEqual(limit["lag"], 0.5)
        self.assertTrue(0 <= limit["late"]["steps"] < said["steps"])

    def test_a_lag_of_its_own_and_a_limit_are_told(self):
        said = self.said("soft-bar", "--until", "0.1", "--realtime", "--step-limit", "5", "--lag", "3")
        limit = self.check(said)
        self.assertAlmostEqual(limit["seconds"], 0.005)
        self.assertAlmostEqual(limit["lag"], 0.003)
        self.assertEqual(run("run", "soft-bar", "--realtime", "--lag", "-1").returncode, 2)
        alone = run("run", "soft-bar", "--step-limit", "5", "--lag", "3")
        self.assertEqual((alone.returncode, alone.stdout), (2, ""))
        self.assertIn("--lag 3: needs --realtime", alone.stderr)

    def test_a_step_limit_alone_does_not_wait(self):
        said = self.said("soft-bar", "--until", "0.4", "--step-limit", "0.05")
        limit = self.check(said)
        self.assertFalse(limit["realtime"])
        self.assertNotIn("late", limit)
        self.assertAlmostEqual(limit["seconds"], 5e-5)

    # However little time there is, what is used is graded, and bodies do not fall through the floor.
    def test_a_run_without_time_degrades_gracefully(self):
        said = self.said("stack", "--until", "0.5", "--step-limit", "0.01", "--rest", "off")
        self.check(said)
        self.assertLess(said["displacement"]["max"], 0.5)
        self.assertLess(said["penetration"]["max"], 0.05)

    def test_without_a_limit_nothing_is_said_of_one(self):
        self.assertNotIn("step_limit", self.said("stack", "--until", "0.01"))


if __name__ == "__main__":
    unittest.main()
