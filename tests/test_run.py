#!/usr/bin/env python3
"""`cardhouse run`: what it prints and writes, and that neither a kill, nor Ctrl-C, nor a full disk spoils it."""
import base64
import csv
import importlib.util
import json
import os
import pty
import random
import resource
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree as xml

import h5py
import numpy as np

PROGRAM = os.environ.get("CARDHOUSE", "build/cardhouse")
SCENES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "scenes")
ENDLESS = "100000"  # seconds: longer than any test waits
FIELDS = ["natural", "siconos", "cone", "signorini", "dissipation", "balance", "rigid"]

SLIDING = {
    "cardhouse": 1, "name": "sliding", "dimension": 3, "gravity": [0, 0, -9.81],
    "step": {"h": 0.01, "until": 0.5}, "method": {"name": "auto", "tolerance": 1e-8},
    "materials": {"ice": {"density": 900, "friction": {"along": 0.1, "across": 0.3, "axis": [1, 0, 0]}},
                  "steel": {"density": 7800, "friction": 0.1}},
    "bodies": [{"name": "floor", "fixed": True, "shapes": [{"type": "halfspace", "material": "steel"}]},
               {"name": "puck", "position": [0, 0, 0.1], "velocity": [1, 0, 0],
                "shapes": [{"type": "box", "half": [0.1, 0.1, 0.1], "material": "ice"}]}]}

PLANE = {
    "cardhouse": 1, "name": "plane", "dimension": 2, "gravity": [0, -9.81], "step": {"h": 0.01, "until": 0.2},
    "materials": {"m": {"density": 1000, "friction": 0.5}},
    "bodies": [{"name": "floor", "fixed": True, "shapes": [{"type": "halfplane", "normal": [0, 1], "material": "m"}]},
               {"name": "disk", "position": [0, 0.3], "shapes": [{"type": "disk", "radius": 0.1, "material": "m"}]}]}


def run(*words, **options):
    return subprocess.run([PROGRAM, "run", *words], capture_output=True, text=True, timeout=120, **options)


def datasets(path):
    """Every dataset of a file by name, read whole."""
    found = {}
    with h5py.File(path, "r") as file:
        file.visititems(lambda name, item: found.update({name: item[...]}) if isinstance(item, h5py.Dataset) else None)
    return found


class Runs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def busy(self, levels="8"):
        """A pile that is solved anew at every step: milliseconds each."""
        place = self.path("pile.json")
        with open(place, "w", encoding="utf-8") as file:
            subprocess.run([PROGRAM, "scene", "pile", "--n", levels], stdout=file, check=True, timeout=60)
        return [place, "--h", "0.01", "--rest", "off", "--tol", "1e-6"]

    def path(self, name):
        return os.path.join(self.folder, name)

    def scene(self, scene, name="scene.json"):
        with open(self.path(name), "w", encoding="utf-8") as file:
            json.dump(scene, file)
        return self.path(name)

    def expect(self, result, status, *words):
        self.assertEqual(result.returncode, status, result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)
        self.assertNotIn("Sanitizer", result.stderr)

    def same_motion(self, a, b):
        x, y = datasets(a), datasets(b)
        self.assertEqual(sorted(x), sorted(y))
        for name in x:
            if name == "step/seconds":
                self.assertEqual(x[name].shape, y[name].shape)
            elif x[name].dtype == object:
                self.assertEqual(list(x[name]), list(y[name]))
            else:
                self.assertEqual(x[name].shape, y[name].shape, name)
                self.assertEqual(x[name].tobytes(), y[name].tobytes(), name)


class Output(Runs):
    def test_json_has_every_field(self):
        result = run("cards", "--until", "0.05", "--json")
        self.expect(result, 0)
        answer = json.loads(result.stdout)
        self.assertEqual((answer["scene"], answer["bodies"], answer["steps"], answer["h"]), ("cards", 26, 50, 0.001))
        self.assertAlmostEqual(answer["time"], 0.05)
        self.assertEqual((answer["integrator"], answer["method"], answer["missed_steps"]), ("euler", "auto", 0))
        self.assertEqual(list(answer["certificate"]), FIELDS)
        for field in FIELDS:
            self.assertLessEqual(answer["certificate"][field]["mean"], answer["certificate"][field]["max"])
        self.assertLessEqual(answer["certificate"]["natural"]["max"], 1e-8)
        self.assertLessEqual(answer["contacts"]["mean"], answer["contacts"]["max"])
        self.assertEqual(sorted(answer["iterations"]), ["max", "mean"])
        self.assertLess(answer["displacement"]["max"], 1e-6)
        self.assertLess(answer["penetration"]["max"], 1e-6)
        self.assertEqual(answer["joint_error"], {"max": 0.0})
        self.assertEqual(sorted(answer["energy"]), ["end", "gain", "heat", "largest_gain", "start", "stored"])
        for name in ("momentum", "angular_momentum"):
            self.assertEqual(answer[name]["start"], [0, 0, 0])
            self.assertLess(np.abs(answer[name]["end"]).max(), 1e-6)
        self.assertEqual(sorted(answer["seconds"]), ["assemble", "collide", "record", "solve", "total"])
        self.assertGreater(answer["real_time_factor"], 0)

    def test_text_tells_units_and_files(self):
        result = run("cards", "--until", "0.01", "--out", self.path("x.h5"))
        self.expect(result, 0)
        for word in ("every step certified", "displacement", " m", " J", "natural", self.path("x.h5")):
            self.assertIn(word, result.stdout)
        self.assertEqual(run("cards", "--until", "0.01", "--quiet").stdout, "")

    def test_displacement_names_the_body(self):
        answer = json.loads(run(self.scene(SLIDING), "--json").stdout)
        self.assertEqual(answer["displacement"]["body"], "puck")
        self.assertGreater(answer["displacement"]["max"], 0.3)
        self.assertEqual(answer["cone"], "elliptic")

    def test_options_override_the_scene(self):
        scene = self.scene(SLIDING)
        words = ["--h", "0.005", "--until", "0.1", "--tol", "1e-6", "--method", "nsgs", "--pose", "relaxed", "--warm", "off", "--rest", "off", "--threads", "2", "--integrator", "euler", "--json"]
        answer = json.loads(run(scene, *words).stdout)
        self.assertEqual((answer["h"], answer["steps"], answer["tolerance"]), (0.005, 20, 1e-6))
        self.assertEqual((answer["method"], answer["pose"], answer["cone"]), ("nsgs", "relaxed", "elliptic"))
        for cone in ("circular", "elliptic", "polygon:6", "outer-polygon:8"):
            answer = json.loads(run(scene, "--cone", cone, "--json").stdout)
            self.assertEqual((answer["cone"], answer["missed_steps"]), (cone, 0))
        self.expect(run(scene, "--cone", "polygon:6", "--method", "nsgs"), 2, "polygons")

    def test_wrong_words_are_refused(self):
        self.expect(run("cards", "--rest", "of"), 2, "did you mean 'off'")
        self.expect(run("cards", "--method", "nsg"), 2, "did you mean 'nsgs'")
        self.expect(run("cards", "--integrator", "leapfrog"), 2, "leapfrog", "euler")
        self.expect(run("cards", "--h", "0"), 2, "--h is 0, allowed")
        self.expect(run("cards", "--every", "0"), 2, "--every is 0, allowed")
        self.expect(run("crads"), 2, "did you mean 'cards'")
        self.expect(run("cards", "--levls", "3"), 2, "did you mean '--levels'")
        self.expect(run("cards", "--out", "/no/such/folder/x.h5"), 2, "--out /no/such/folder/x.h5")
        self.expect(run("cards", "--resume", self.path("none")), 2, "none", "No such file")

    def test_what_is_out_of_bounds_is_told_beside_the_certificate(self):
        scene = {**PLANE, "step": {"h": 0.01, "until": 0.1, "overlap": 0.01}}
        scene["bodies"] = [PLANE["bodies"][0], {**PLANE["bodies"][1], "position": [0, 0.095]}]  # 5 % of the radius deep
        path, out = os.path.join(self.folder, "deep.json"), os.path.join(self.folder, "deep.h5")
        for bounds, status in ((None, 1), ({"penetration": 0.06, "energy": 2}, 0)):
            with self.subTest(bounds=bounds), open(path, "w", encoding="utf-8") as file:
                json.dump({**scene, "step": {**scene["step"], **({"bounds": bounds} if bounds else {})}}, file)
                file.flush()
                result = run(path, "--json", "--strict", "--out", out)
                self.assertEqual(result.returncode, status, result.stderr)
                report = json.loads(result.stdout)
                self.assertEqual(report["missed_steps"], 0)
                self.assertEqual(report["bounds"]["penetration"], "exceeded" if status else "ok")
                self.assertEqual(report["bounds"]["motion"], "ok")
                self.assertEqual(report["bounds"]["steps"] > 0, bool(status))
                rows = datasets(out)
                self.assertAlmostEqual(rows["step/overlap"].max(), 0.05, 12)
                self.assertEqual(bool(rows["step/bounds"].any()), bool(status))
        text = run(path, "--h", "0.01").stdout
        self.assertNotIn("OUT OF BOUNDS", text)

    def test_strict_tells_a_missed_step(self):
        words = [*self.busy("3"), "--until", "0.03", "--tol", "1e-16"]
        answer = json.loads(run(*words, "--json").stdout)
        self.assertGreater(answer["missed_steps"], 0)
        self.expect(run(*words, "--quiet"), 0)
        self.expect(run(*words, "--quiet", "--strict"), 1)

    def wait_for_thread(self, process):
        """A thread waits for signals, and is called so."""
        for _ in range(600):
            for task in os.listdir(f"/proc/{process}/task"):
                with open(f"/proc/{process}/task/{task}/comm", encoding="ascii") as file:
                    if file.read().strip() == "waiting":
                        time.sleep(0.3)  # for the command to begin
                        return
            time.sleep(0.05)
        self.fail("the program does not heed signals")

    def test_while_the_scene_is_opened_there_is_nothing_to_end_in_order(self):
        usual = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
        with subprocess.Popen([PROGRAM, "run", "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, preexec_fn=usual) as process:  # waits for its scene
            self.wait_for_thread(process.pid)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(60), -signal.SIGINT)
            self.assertIn(b"interrupted while the scene was opened", process.stderr.read())

    def test_progress_only_on_a_terminal(self):
        words = [PROGRAM, "run", *self.busy()]
        self.assertEqual(subprocess.run([*words, "--until", "3"], capture_output=True, timeout=120).stderr, b"")
        ours, theirs = pty.openpty()
        process = subprocess.Popen([*words, "--until", ENDLESS], stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        seen = b""
        while b" left" not in seen:
            seen += os.read(ours, 4096)
        process.send_signal(signal.SIGINT)
        seen = b""
        try:
            while chunk := os.read(ours, 4096):
                seen += chunk
        except OSError:
            pass  # the end of a terminal
        os.close(ours)
        self.assertEqual(process.wait(), 130)
        self.assertIn(b"\r\x1b[Kcardhouse run: interrupted", seen, "the bar is cleared")


class Scenes(Runs):
    """The scenes that come with the program do what they say."""

    def last(self, name, until):
        out = self.path("motion.h5")
        self.expect(run(os.path.join(SCENES, name + ".json"), "--out", out, "--every", "10", "--quiet", "--strict", "--until", until), 0)
        data = datasets(out)
        names = [name.decode() for name in data["body/name"]]
        rows = len(data["time"]) - 1
        return {name: (data["body/position"][rows, k], data["body/velocity"][rows, k]) for k, name in enumerate(names)}

    def test_the_gripper_lifts_its_box(self):
        position, velocity = self.last("gripper", "3")["box"]
        np.testing.assert_allclose(position, [0, 0, 0.3], atol=1e-3)
        np.testing.assert_allclose(velocity, 0, atol=1e-8)

    def test_the_parcel_rides_on_the_belt(self):
        position, velocity = self.last("belt", "1")["parcel"]
        slid = 1 / (0.5 * 9.81)  # seconds, at v / 2 on average
        np.testing.assert_allclose(velocity, [1, 0, 0], atol=1e-8)
        self.assertAlmostEqual(position[0], 1 - slid / 2, delta=1e-3)

    def test_nothing_falls_through_the_hills_or_the_floor(self):
        for name in ("terrain", "hopper"):
            self.assertTrue(all(position[2] > -1e-3 for position, _ in self.last(name, "2").values()), name)

    def test_the_crank_goes_round(self):
        position, _ = self.last("linkage", "1")["crank"]
        np.testing.assert_allclose(position, [-0.15 * np.sin(2), 0.15 * np.cos(2)], atol=1e-6)  # h^2


    def test_a_house_stands_without_stabilisation_by_solutions_and_not_by_sweeps_from_nothing(self):
        """Gaps of round-off count as closed: an exact solution does not move, and what moves is the solver's error."""
        def moved(method):
            house = json.loads(subprocess.run([PROGRAM, "scene", "cards"], capture_output=True, check=True).stdout)
            house["step"].update(rest=False, warm=False, stabilization={"mode": "off"})
            result = run(self.scene({**house, "method": method}), "--until", "0.05", "--json")
            self.expect(result, 0)
            return json.loads(result.stdout)["displacement"]["max"]
        self.assertLess(moved({"name": "auto"}), 1e-9)
        self.assertGreater(moved({"name": "pgs", "max_iterations": 10}), 1e-3)


class Trajectory(Runs):
    def test_layout(self):
        out = self.path("motion.h5")
        self.expect(run(self.scene(SLIDING), "--out", out), 0)
        with h5py.File(out, "r") as file:
            self.assertEqual(file.attrs["format"], "cardhouse-trajectory")
            self.assertEqual((file.attrs["version"], file.attrs["dimension"], file.attrs["h"]), (1, 3, 0.01))
            self.assertEqual(json.loads(file.attrs["scene"])["name"], "sliding")
        data = datasets(out)
        rows, contacts = 51, len(data["contact/gap"])
        self.assertEqual([name.decode() for name in data["body/name"]], ["floor", "puck"])
        for name, shape in {"time": (), "body/position": (2, 3), "body/orientation": (2, 4), "body/velocity": (2, 3),
                            "body/omega": (2, 3)}.items():
            self.assertEqual(data[name].shape, (rows, *shape), name)
        for name in ("contacts", "iterations", "seconds", "penetration", "kinetic", "potential"):
            self.assertEqual(data["step/" + name].shape, (rows,))
        for name in FIELDS:
            self.assertEqual(data["certificate/" + name].shape, (rows,))
        momentum = 900 * 0.2**3 * data["body/velocity"][:, 1]
        np.testing.assert_allclose(data["step/momentum"], momentum, atol=1e-12)
        about = np.cross(data["body/position"][:, 1], momentum)  # the puck does not turn
        np.testing.assert_allclose(data["step/angular_momentum"], about, atol=1e-6)
        self.assertEqual(data["contact/offset"].shape, (rows + 1,))
        self.assertEqual(data["contact/offset"][-1], contacts)
        self.assertEqual(data["contact/bodies"].shape, (contacts, 2))
        for name in ("point", "normal", "force", "slip"):
            self.assertEqual(data["contact/" + name].shape, (contacts, 3))
        self.assertEqual((data["time"][0], data["contact/offset"][1]), (0.0, 0))
        np.testing.assert_array_equal(data["body/position"][0, 1], [0, 0, 0.1])
        np.testing.assert_array_equal(data["body/velocity"][0, 1], [1, 0, 0])

    def test_forces_carry_the_weight_and_brake(self):
        out = self.path("motion.h5")
        run(self.scene(SLIDING), "--out", out, "--until", "0.3")
        data = datasets(out)
        weight = 900 * 0.2**3 * 9.81
        for row in range(2, 30):
            part = slice(data["contact/offset"][row], data["contact/offset"][row + 1])
            sign = np.where(data["contact/bodies"][part, 1] == 1, 1.0, -1.0)[:, None]
            force = (sign * data["contact/force"][part]).sum(0)
            np.testing.assert_allclose(force, [-0.1 * weight, 0, weight], atol=1e-5 * weight)
            np.testing.assert_allclose((sign * data["contact/slip"][part])[:, 0], data["body/velocity"][row, 1, 0],
                                       atol=1e-7)

    def test_plane(self):
        out = self.path("plane.h5")
        self.expect(run(self.scene(PLANE), "--out", out), 0)
        data = datasets(out)
        self.assertEqual(data["body/orientation"].shape, (21, 2))
        self.assertEqual(data["body/omega"].shape, (21, 2))
        self.assertEqual(data["body/position"].shape, (21, 2, 2))
        self.assertEqual(data["contact/force"].shape[1], 2)
        self.assertEqual((data["step/momentum"].shape, data["step/angular_momentum"].shape), ((21, 2), (21,)))

    def test_joints(self):
        """A wheel under a constant torque: its angle, speed and torque in every row, by Euler's scheme."""
        torque, h, out, stop = 2.0, 0.01, self.path("wheel.h5"), self.path("wheel")
        wheel = {**PLANE, "gravity": [0, 0], "joints": [
            {"name": "weld", "type": "fixed", "bodies": ["ground", "plate"], "at": [3, 3]},
            {"name": "axle", "type": "hinge", "bodies": ["ground", "disk"], "at": [0, 0.3],
             "axes": [{"drive": "force", "target": torque}]}]}
        wheel["bodies"] = [*PLANE["bodies"], {**PLANE["bodies"][1], "name": "plate", "position": [3, 3]}]
        self.expect(run(self.scene(wheel), "--until", "0.1", "--out", out, "--checkpoint", stop), 0)
        self.expect(run(self.scene(wheel), "--until", "0.2", "--out", out, "--resume", stop), 0)
        data = datasets(out)
        self.assertEqual([name.decode() for name in data["joint/name"]], ["weld", "axle"])
        self.assertEqual(data["joint/offset"].tolist(), [0, 0, 1])
        step, faster = np.arange(21), torque / (0.5 * 1000 * np.pi * 0.1**4)
        np.testing.assert_allclose(data["joint/speed"][:, 0], h * faster * step, atol=1e-12)
        np.testing.assert_allclose(data["joint/position"][:, 0], h**2 * faster * step * (step + 1) / 2, atol=1e-12)
        np.testing.assert_allclose(data["joint/force"][1:, 0], torque, atol=1e-12)
        with h5py.File(out, "r+") as file:
            del file["joint"]
        self.expect(run(self.scene(wheel), "--until", "0.3", "--out", out, "--resume", stop), 0)
        data = datasets(out)
        self.assertEqual(len(data["time"]), 31)
        self.assertNotIn("joint/position", data)

    def test_files_without_momenta_are_continued(self):
        out, stop = self.path("older.h5"), self.path("stop")
        self.expect(run(self.scene(SLIDING), "--until", "0.2", "--out", out, "--checkpoint", stop), 0)
        with h5py.File(out, "r+") as file:
            del file["step/momentum"], file["step/angular_momentum"]
        self.expect(run(self.scene(SLIDING), "--until", "0.4", "--out", out, "--resume", stop), 0)
        data = datasets(out)
        self.assertEqual((len(data["time"]), len(data["step/kinetic"])), (41, 41))
        self.assertNotIn("step/momentum", data)

    def test_every_keeps_the_worst_certificate(self):
        busy = self.busy()
        run(*busy, "--until", "0.12", "--out", self.path("all.h5"), "--quiet")
        run(*busy, "--until", "0.12", "--out", self.path("some.h5"), "--every", "4", "--quiet")
        whole, some = datasets(self.path("all.h5")), datasets(self.path("some.h5"))
        np.testing.assert_array_equal(some["time"], whole["time"][::4])
        np.testing.assert_array_equal(some["body/position"], whole["body/position"][::4])
        for row in range(1, 4):
            span = slice(4 * row - 3, 4 * row + 1)
            self.assertEqual(some["certificate/natural"][row], whole["certificate/natural"][span].max())
            self.assertEqual(some["step/iterations"][row], whole["step/iterations"][span].sum())

    def test_threads_do_not_change_a_bit(self):
        busy = self.busy()
        for count in ("1", "2"):
            run(*busy, "--until", "0.1", "--threads", count, "--out", self.path(count + ".h5"), "--quiet")
        self.same_motion(self.path("1.h5"), self.path("2.h5"))


class OtherFiles(Runs):
    def test_table(self):
        table = self.path("steps.csv")
        self.expect(run("cards", "--until", "0.02", "--csv", table), 0)
        with open(table, encoding="utf-8") as file:
            lines = list(csv.DictReader(file))
        self.assertEqual(len(lines), 20)
        self.assertEqual([int(line["step"]) for line in lines], list(range(1, 21)))
        self.assertTrue(all(float(line["natural"]) <= 1e-8 and line["missed"] == "0" for line in lines))

    def test_table_and_trajectory_tell_the_same_momenta(self):
        for scene, columns in ((SLIDING, ["momentum_x", "momentum_y", "momentum_z", "angular_momentum_x",
                                          "angular_momentum_y", "angular_momentum_z"]),
                               (PLANE, ["momentum_x", "momentum_y", "angular_momentum"])):
            table, out = self.path(scene["name"] + ".csv"), self.path(scene["name"] + ".h5")
            result = run(self.scene(scene), "--csv", table, "--out", out, "--json")
            self.expect(result, 0)
            with open(table, encoding="utf-8") as file:
                lines = list(csv.DictReader(file))
            self.assertEqual([name for name in lines[0] if "momentum" in name], columns)
            data = datasets(out)
            both = np.column_stack((data["step/momentum"], data["step/angular_momentum"]))[1:]
            np.testing.assert_array_equal([[float(line[name]) for name in columns] for line in lines], both)
            answer = json.loads(result.stdout)
            end = np.append(answer["momentum"]["end"], answer["angular_momentum"]["end"])
            np.testing.assert_allclose(end, both[-1], rtol=1e-11)

    def test_problems_can_be_solved(self):
        folder = self.path("new/problems")
        self.expect(run("cards", "--until", "0.01", "--problems", folder, "--problems-every", "5"), 0)
        self.assertEqual(sorted(os.listdir(folder)), ["step-00000005.hdf5", "step-00000010.hdf5"])
        result = subprocess.run([PROGRAM, "solve", folder + "/step-00000010.hdf5", "--json", "--strict"],
                                capture_output=True, text=True, timeout=120)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(json.loads(result.stdout)["problem"]["form"], "global")
        with h5py.File(folder + "/step-00000010.hdf5", "r") as file:
            self.assertIn("r", file["solution"])

    def test_pictures(self):
        for scene in (SLIDING, PLANE):
            folder = self.path(scene["name"])
            self.expect(run(self.scene(scene), "--vtk", folder, "--every", "10"), 0)
            entries = xml.parse(folder + "/world.pvd").getroot().findall("Collection/DataSet")
            self.assertEqual(len(entries), round(scene["step"]["until"] / scene["step"]["h"]) // 10 + 1)
            others = [xml.parse(f"{folder}/{name}.pvd").getroot().findall("Collection/DataSet") for name in ("contacts", "chains")]
            for entry in sum(others, entries):
                piece = xml.parse(os.path.join(folder, entry.get("file"))).getroot().find("PolyData/Piece")
                points = int(piece.get("NumberOfPoints"))
                cells = sum(int(piece.get("NumberOf" + kind)) for kind in ("Verts", "Lines", "Polys"))
                for array in piece.findall("PointData/DataArray") + piece.findall("Points/DataArray"):
                    self.assertEqual(len(self.decode(array)), points * int(array.get("NumberOfComponents")))
                for array in piece.findall("CellData/DataArray"):
                    self.assertEqual(len(self.decode(array)), cells)
                for kind in ("Lines", "Polys", "Verts"):
                    if piece.find(kind) is not None:
                        corners, ends = (self.decode(array) for array in piece.find(kind))
                        self.assertEqual(len(corners), ends[-1] if len(ends) else 0)
                        self.assertTrue(all(0 <= corner < points for corner in corners))
            last = xml.parse(os.path.join(folder, others[1][-1].get("file"))).getroot().find("PolyData/Piece")
            self.assertEqual(last.get("NumberOfLines"), "1")  # of all contacts of two shapes
            force = self.decode(last.find("PointData/DataArray"))
            self.assertTrue(force[0] == force[1] > 0.0)

    @unittest.skipUnless(importlib.util.find_spec("vtkmodules"), "without VTK's own reader (Debian: python3-vtk9)")
    def test_pictures_as_vtk_reads_them(self):
        from vtkmodules.util.numpy_support import vtk_to_numpy
        from vtkmodules.vtkIOXML import vtkXMLPolyDataReader
        for scene in (SLIDING, PLANE):
            folder, out = self.path(scene["name"]), self.path("motion.h5")
            self.expect(run(self.scene(scene), "--vtk", folder, "--out", out), 0)
            data = datasets(out)
            for row, entry in enumerate(xml.parse(folder + "/world.pvd").getroot().findall("Collection/DataSet")):
                reader = vtkXMLPolyDataReader()
                reader.SetFileName(os.path.join(folder, entry.get("file")))
                reader.Update()
                picture = reader.GetOutput()
                body = vtk_to_numpy(picture.GetCellData().GetArray("body"))
                self.assertEqual(sorted(set(body)), [0, 1])
                corners = set()
                for cell in np.flatnonzero(body == 1):
                    ids = picture.GetCell(cell).GetPointIds()
                    corners |= {ids.GetId(k) for k in range(ids.GetNumberOfIds())}
                centre = vtk_to_numpy(picture.GetPoints().GetData())[sorted(corners)].mean(0)[:scene["dimension"]]
                np.testing.assert_allclose(centre, data["body/position"][row, 1], atol=1e-6)

    @staticmethod
    def decode(array):
        data = base64.b64decode(array.text)  # the count of bytes and the bytes, in one
        size, data = struct.unpack("<I", data[:4])[0], data[4:]
        assert len(data) == size
        return np.frombuffer(data, {"Float32": "<f4", "Int32": "<i4"}[array.get("type")])


class Endings(Runs):
    def start(self, *words):
        return subprocess.Popen([PROGRAM, "run", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def wait_for_rows(self, path, rows):
        """Until the file is there and tells of some rows, which a plain reader sees while it is written."""
        for _ in range(600):
            try:
                with h5py.File(path, "r") as file:
                    if len(file["time"]) >= rows:
                        return
            except OSError:
                pass
            time.sleep(0.05)
        self.fail(f"{path} does not grow")

    def test_ctrl_c_ends_in_order_and_the_run_goes_on(self):
        words = self.busy()
        for name in (signal.SIGINT, signal.SIGTERM):
            whole, out = self.path(f"whole{name}.h5"), self.path(f"parts{name}.h5")
            files = ["--out", out, "--csv", out + ".csv"]
            process = self.start(*words, *files, "--until", ENDLESS, "--json")
            self.wait_for_rows(out, 5)
            process.send_signal(name)
            answer, message = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 128 + name, message)
            self.assertIn("--resume " + out + ".checkpoint", message)
            summary = json.loads(answer)
            self.assertTrue(summary["interrupted"])
            self.assertEqual(len(datasets(out)["time"]), summary["steps"] + 1)
            steps = summary["steps"] + 40
            end = ["--until", str(0.01 * steps), "--json"]
            again = run(*words, *files, *end, "--resume", out + ".checkpoint")
            self.expect(again, 0)
            self.assertEqual(json.loads(again.stdout)["steps"], steps)
            self.expect(run(*words, "--out", whole, "--csv", whole + ".csv", *end), 0)
            self.same_motion(whole, out)
            self.assertEqual(self.table_without_seconds(whole + ".csv"), self.table_without_seconds(out + ".csv"))

    @staticmethod
    def table_without_seconds(path):
        with open(path, encoding="utf-8") as file:
            return [line.rsplit(",", 3)[0] for line in file]

    def test_a_kill_leaves_a_readable_file_and_the_run_goes_on(self):
        words = self.busy()
        for attempt in range(3):
            whole, out, checkpoint = (self.path(f"{attempt}.{what}") for what in ("whole.h5", "h5", "check"))
            more = ["--out", out, "--checkpoint", checkpoint, "--checkpoint-every", "50"]
            process = self.start(*words, *more, "--until", ENDLESS)
            self.wait_for_rows(out, 4)
            while not os.path.exists(checkpoint) and process.poll() is None:
                time.sleep(0.01)
            time.sleep(random.uniform(0.0, 0.3))
            process.kill()
            process.communicate()
            data = datasets(out)
            rows = len(data["time"])
            self.assertGreaterEqual(rows, 4)
            self.assertTrue(all(len(data[name]) >= rows for name in data if name.split("/")[0] in ("step", "certificate")))
            self.assertGreaterEqual(len(data["contact/gap"]), data["contact/offset"][rows])
            end = ["--until", str(0.01 * (rows + 100)), "--quiet"]
            self.expect(run(*words, *more, *end, "--resume", checkpoint), 0)
            self.expect(run(*words, *end, "--out", whole), 0)
            self.same_motion(whole, out)

    def test_a_checkpoint_at_the_end_takes_a_longer_run_on(self):
        words = ["cards", "--out", self.path("parts.h5"), "--checkpoint", self.path("state"), "--quiet"]
        run("cards", "--until", "0.06", "--out", self.path("whole.h5"), "--quiet")
        self.expect(run(*words, "--until", "0.03"), 0)
        self.expect(run(*words, "--until", "0.06", "--resume", self.path("state")), 0)
        self.same_motion(self.path("whole.h5"), self.path("parts.h5"))

    def test_a_run_does_not_go_on_to_an_earlier_end(self):
        scene, state, out = self.scene(SLIDING), self.path("state"), self.path("x.h5")
        self.expect(run(scene, "--until", "0.2", "--checkpoint", state, "--out", out, "--quiet"), 0)
        before = datasets(out)["time"].tolist()
        again = [scene, "--resume", state, "--out", out, "--quiet"]
        self.expect(run(*again, "--until", "0.1"), 2, "the checkpoint is at 0.2 s, --until must be later")
        self.assertEqual(datasets(out)["time"].tolist(), before)
        self.expect(run(*again, "--until", "0.2"), 0)  # a finished run is taken up at its end

    def test_another_scene_does_not_go_on(self):
        run("cards", "--until", "0.01", "--checkpoint", self.path("state"), "--quiet")
        self.expect(run("stack", "--resume", self.path("state")), 2, "another scene")

    def test_other_options_are_told_when_a_run_goes_on(self):
        state = self.path("state")
        run("stack", "--until", "0.02", "--checkpoint", state, "--out", self.path("x.h5"), "--quiet")
        more = ["--until", "0.03", "--out", self.path("x.h5"), "--quiet", "--resume", state]
        same = run("stack", *more, "--threads", "2", "--checkpoint", state)
        self.expect(same, 0)
        self.assertEqual(same.stderr, "")
        other = run("stack", *more, "--until", "0.05", "--h", "2e-3", "--tol", "1e-6", "--method", "nsgs", "--rest", "off",
                    "--set", "nsgs.anderson=4", "--cone", "circular", "--every", "2")
        self.expect(other, 0, "bits differ", "h was 0.001, is 0.002", "tolerance was 1e-08, is 1e-06",
                    "method was auto, is nsgs", "rest was on, is off", "settings was -, is nsgs.anderson=4", "--every 2, was 1")
        self.assertNotIn("friction", other.stderr)
        run(self.scene(SLIDING), "--until", "0.02", "--checkpoint", state, "--quiet")
        self.expect(run(self.path("scene.json"), "--until", "0.04", "--resume", state, "--cone", "circular"), 0, "friction was")

    def test_a_changed_mesh_does_not_go_on(self):
        mesh, state = self.path("ground.obj"), self.path("state")
        scene = self.scene({"cardhouse": 1, "bodies": [{"fixed": True, "shapes": [{"type": "mesh", "file": "ground.obj"}]}]})
        for height in (0, 1):
            with open(mesh, "w", encoding="utf-8") as file:
                file.write(f"v 0 0 0\nv 1 0 0\nv 0 1 {height}\nf 1 2 3\n")
            if height == 0:
                self.expect(run(scene, "--until", "0.01", "--checkpoint", state, "--quiet"), 0)
                self.expect(run(scene, "--until", "0.02", "--resume", state, "--quiet"), 0)
        self.expect(run(scene, "--until", "0.02", "--resume", state, "--quiet"), 2, "mesh or hull", "changed")

    def test_no_file_is_written_over_another(self):
        scene, out = self.scene(PLANE), self.path("x.h5")
        with open(scene, encoding="utf-8") as file:
            before = file.read()
        for words in (["--csv", scene], ["--out", scene], ["--checkpoint", self.path("./scene.json")]):
            self.expect(run(scene, *words), 2, words[0], "the scene", "its own file")
        self.expect(run(scene, "--out", out, "--csv", out), 2, "--csv " + out, "is --out, too")
        with open(scene, encoding="utf-8") as file:
            self.assertEqual(file.read(), before)

    def test_two_runs_do_not_write_one_file(self):
        places = {option: self.path("twice" + option) for option in ("--out", "--csv", "--vtk", "--checkpoint", "--problems")}
        words = [word for pair in places.items() for word in pair]
        first = subprocess.Popen([PROGRAM, "run", "cards", "--until", ENDLESS, "--realtime", "--every", "1000000",
                                  "--problems-every", "1000000", "--quiet", *words], stderr=subprocess.DEVNULL)
        try:
            while not os.path.exists(os.path.join(places["--vtk"], "world.pvd")) or not os.path.exists(places["--problems"]):
                self.assertIsNone(first.poll())
                time.sleep(0.02)
            time.sleep(0.1)  # the folder of the problems is locked right after it is made
            for option, place in places.items():
                self.expect(run("cards", "--until", "0.01", option, place), 2, place, "another run is writing it")
        finally:
            first.kill()
            first.wait()
        for option, place in places.items():  # a kill leaves no lock behind
            self.expect(run("cards", "--until", "0.01", option, place, "--quiet"), 0)

    def test_what_was_freed_is_not_used(self):
        poisoned = {**os.environ, "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0", "MALLOC_PERTURB_": "165"}
        out = self.path("poisoned.h5")
        self.expect(run("cards", "--until", "0.005", "--out", out, "--quiet", env=poisoned), 0)
        self.assertEqual(len(datasets(out)["time"]), 6)

    def test_a_full_disk_is_told(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3 << 20, 3 << 20))
        for option in ("--out", "--csv"):
            place = self.path("full" + option)
            result = run("cards", "--until", "60", option, place, "--quiet", preexec_fn=limit)
            self.expect(result, 3, place, "cannot be written", "the run ended at step")
        self.assertGreaterEqual(len(datasets(self.path("full--out"))["time"]), 1)
        if os.path.exists("/dev/full"):
            self.expect(run("cards", "--until", "60", "--csv", "/dev/full", "--quiet"), 3, "the disk is full")


if __name__ == "__main__":
    unittest.main()
