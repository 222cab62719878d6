#!/usr/bin/env python3
"""`cardhouse view`: the page, the socket, frames that agree with the state, orders. What it must refuse: test_serve_trust.py."""
import base64
import csv
import gzip
import hashlib
import json
import math
import os
import re
import subprocess
import tempfile
import time
import unittest

from viewer_client import CARDHOUSE, PATIENCE, Frame, ViewerCase


class Serving(ViewerCase):
    # ------------------------------------------------------------------------------------------------------- watching

    def test_the_page_is_served_with_its_security_headers(self):
        server = self.server("cards", "--paused")
        answer, body = server.get("/")
        self.assertEqual(answer.status, 200)
        self.assertIn(b"<title>Cardhouse", body)
        policy = answer.getheader("content-security-policy")
        for script in re.findall(rb"<script[^>]*>(.*?)</script>", body, re.S):
            self.assertIn(base64.b64encode(hashlib.sha256(script).digest()).decode(), policy)
        self.assertIn("default-src 'none'", policy)
        self.assertEqual(answer.getheader("x-content-type-options"), "nosniff")
        for accepted in ("gzip", "br, gzip;q=0.5", "deflate, gzip"):
            answer, packed = server.get("/", **{"Accept-Encoding": accepted})
            self.assertEqual(answer.getheader("content-encoding"), "gzip")
            self.assertLess(len(packed), len(body) / 3)
            self.assertEqual(gzip.decompress(packed), body)
        for accepted in ("br", "gzip;q=0", "x-gzip-not", ""):
            answer, plain = server.get("/", **{"Accept-Encoding": accepted})
            self.assertEqual((answer.getheader("content-encoding"), plain), (None, body), accepted)
        self.assertEqual(server.close(), 0)

    def test_a_session_is_recorded_with_what_was_thrown_into_it(self):
        with tempfile.TemporaryDirectory() as folder:
            first, second = os.path.join(folder, "session.h5"), os.path.join(folder, "session-2.h5")
            server = self.server("stack", "--n", "2", "--paused", "--record", first)
            page = self.page(server)
            page.text("scene")
            for _ in range(40):
                page.send(type="step")
            while page.frame().time < 0.04 - 1e-9:
                pass
            page.send(type="shoot", origin=[-3, 0, 1], direction=[1, 0, 0], speed=5.0, mass=10.0, size=0.3)
            page.text("scene")
            for _ in range(20):
                page.send(type="step")
            while page.frame().time < 0.06 - 1e-9:
                pass
            self.assertEqual(server.close(), 0)
            for path, span, bodies in ((first, (0.0, 0.04), 3), (second, (0.04, 0.06), 4)):
                table = path.replace(".h5", ".csv")
                out = subprocess.run([CARDHOUSE, "export", path, "--csv", table], capture_output=True, text=True)
                self.assertEqual(out.returncode, 0, out.stderr)
                with open(table, encoding="utf-8") as file:
                    rows = list(csv.reader(file))[1:]
                self.assertAlmostEqual(float(rows[0][0]), span[0], 9)
                self.assertLess(span[1] - float(rows[-1][0]), 0.017)
                self.assertEqual(len({row[1] for row in rows}), bodies)
            last = [row for row in rows if row[1] == "shot 1"]
            self.assertAlmostEqual(float(last[-1][2]) - float(last[0][2]), 5.0 * (float(last[-1][0]) - float(last[0][0])), 6)
            for words in (["cards", "--compare", "pgs,auto"], [first]):
                run = subprocess.run([CARDHOUSE, "view", *words, "--record", os.path.join(folder, "x.h5")], capture_output=True, text=True)
                self.assertEqual(run.returncode, 2)
            run = subprocess.run([CARDHOUSE, "view", "cards", "--record", "/nowhere/x.h5"], capture_output=True, text=True)
            self.assertNotEqual(run.returncode, 0)
            self.assertIn("/nowhere/x.h5", run.stderr)

    def test_a_scene_is_loaded_again_when_its_file_changes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "scene.json")
            ball = {"name": "ball", "position": [0, 0, 2], "shapes": [{"type": "sphere", "radius": 0.5}]}
            scene = {"cardhouse": 1, "bodies": [{**ball, "look": {"colour": "#4477aa"}}],
                     "look": {"colour_by": "speed", "camera": {"follow": "ball"}}}

            def write(text):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            write(json.dumps(scene))
            page = self.page(self.server(path))
            first = page.text("scene")
            self.assertEqual(first["bodies"][0]["look"], {"colour": "#4477aa"})
            self.assertEqual(first["look"], {"colour_by": "speed", "camera": {"follow": 0}})
            page.frame()
            time.sleep(1.2)  # it was looked at
            write(json.dumps({**scene, "bodies": [ball, {**ball, "name": "other", "position": [3, 0, 2]}]}))
            second = page.text("scene")
            self.assertEqual([body["name"] for body in second["bodies"]], ["ball", "other"])
            self.assertNotIn("look", second["bodies"][0])
            write('{"cardhouse": 1, "bodies": 7}')
            self.assertIn("$.bodies", page.text("error")["text"])
            page.frame()

    def test_hello_scene_state_then_frames(self):
        page = self.page(self.server("cards"))
        self.assertEqual(page.status, 101)
        hello, scene, state = page.message(), page.message(), page.message()
        self.assertEqual([hello["type"], scene["type"], state["type"]], ["hello", "scene", "state"])
        self.assertEqual(hello["version"], 2)
        self.assertIn("cards", [s["name"] for s in hello["scenes"]])
        self.assertIn("auto", hello["methods"])
        self.assertTrue(state["running"])
        self.assertEqual((scene["panes"], scene["pane"], scene["dimension"]), (1, 0, 3))
        frame = page.frame(lambda f: f.step > 5)
        self.assertEqual(len(frame.poses), len(scene["bodies"]))
        self.assertEqual(frame.generation, scene["generation"])
        self.assertAlmostEqual(frame.time, frame.step * scene["h"], places=9)
        for pose in frame.poses:
            self.assertAlmostEqual(sum(q * q for q in pose[3:]), 1.0, places=5)

    def test_a_standing_house_is_certified_and_its_forces_carry_it(self):
        page = self.page(self.server("cards"))
        scene = page.text("scene")
        stats, frame = [], None
        while not stats or stats[-1][0] < 0.1:
            frame = page.frame()
            stats += frame.stats
        self.assertLess(max(s[1] for s in stats), 1e-8)
        self.assertTrue(all(s[7] in (0.0, 2.0) for s in stats), "no step missed")
        times = [s[0] for s in stats]
        self.assertEqual(times, sorted(times))
        weight = 9.81 * sum(b["mass"] for b in scene["bodies"] if not b["fixed"])
        fixed = {i for i, b in enumerate(scene["bodies"]) if b["fixed"]}
        carried = sum(c[8] * (1 if c[15] not in fixed else -1) for c in frame.contacts
                      if (c[14] in fixed) != (c[15] in fixed))
        self.assertAlmostEqual(carried / weight, 1.0, delta=0.05)
        self.assertEqual({frame.islands[i] for i in fixed}, {-1})
        for c in frame.contacts:
            if c[16] == 1:
                normal = sum(c[3 + k] * c[6 + k] for k in range(3))
                tangent = math.sqrt(max(sum(c[6 + k] ** 2 for k in range(3)) - normal ** 2, 0.0))
                self.assertLessEqual(tangent, c[13] * normal * (1 + 1e-4) + 1e-6)

    def test_pause_step_reset_speed(self):
        page = self.page(self.server("stack", "--paused"))
        first = page.frame()
        self.assertEqual((first.step, first.running), (0, 0))
        page.send(type="step")
        self.assertEqual(page.frame(lambda f: f.step > 0).step, 1)
        page.send(type="run")
        page.frame(lambda f: f.step > 20 and f.running)
        page.send(type="pause")
        page.wait(lambda m: isinstance(m, dict) and m.get("running") is False)
        page.send(type="speed", value=0.25)
        self.assertEqual(page.text("state")["speed"], 0.25)
        page.send(type="reset")
        scene = page.text("scene")
        frame = page.frame(lambda f: f.generation == scene["generation"])
        self.assertEqual((frame.step, frame.time), (0, 0.0))

    def test_the_loop_is_measured(self):
        page = self.page(self.server("stack"))
        loop = page.wait(lambda m: isinstance(m, dict) and m["type"] == "loop" and m["steps_per_second"])
        self.assertGreater(loop["steps_per_second"], 0)
        for share in ("met", "in_time"):
            self.assertTrue(0.0 <= loop[share] <= 1.0)
        self.assertGreater(loop["real_time_factor"], 0)
        self.assertGreater(loop["limit"], 0)
        self.assertGreaterEqual(loop["behind_seconds"], 0)

    def test_L12_a_scene_to_be_felt_is_kept_to_the_clock_as_a_run_in_real_time_is(self):
        page = self.page(self.server("haptic", "--fluent"))
        loop = page.wait(lambda m: isinstance(m, dict) and m["type"] == "loop" and m["steps_per_second"]
                         and abs(m["limit"] - 0.006) < 1e-12)  # until the clock is lost, on a machine that is slow
        self.assertLessEqual(loop["real_time_factor"], 1.5)
        page.send(type="set", name="limit", value=0.002)
        page.wait(lambda m: isinstance(m, dict) and m["type"] == "loop" and abs(m["limit"] - 0.002) < 1e-12)
        page.send(type="set", name="limit", value=None)
        page.send(type="speed", value=0.1)  # in slow motion there is time
        page.wait(lambda m: isinstance(m, dict) and m["type"] == "loop" and m["limit"] > 0.1)

    def test_N17_steps_are_solved_however_long_they_take_unless_the_picture_is_to_be_fluent(self):
        page = self.page(self.server("box-of-spheres", "--n", "150"))
        page.frame(lambda f: f.step > 120)  # they have met the floor and each other
        shares = []
        while len(shares) < 3:
            loop = page.wait(lambda m: isinstance(m, dict) and m["type"] == "loop" and m["steps_per_second"])
            shares.append(loop["met"])
        self.assertEqual(shares, [1.0] * 3)
        self.assertGreater(loop["limit"], 1.0)

    def test_a_scene_of_another_folder_finds_its_files(self):
        source = os.environ.get("CH_SOURCE", os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        page = self.page(self.server(os.path.relpath(os.path.join(source, "scenes", "dice.json")), "--paused"))
        scene = page.text("scene")
        self.assertEqual([len(scene["textures"]), scene["bodies"][3]["look"]["texture"]], [2, 1])
        dies = [body["shapes"][0] for body in scene["bodies"][3:]]
        self.assertEqual(len(dies[0]["uv"]), 4 * 12 * 6 * 4 // 3)  # 12 triangles of six floats, in base64
        self.assertEqual([die.get("like") for die in dies], [None, [3, 0], [3, 0]])
        page.send(type="shoot", origin=[0, -1, 1], direction=[0, 1, 0], speed=1)  # the world is built anew
        again = page.text("scene")
        self.assertEqual(len(again["bodies"]), len(scene["bodies"]) + 1)

    def test_scenes_are_loaded_with_parameters(self):
        page = self.page(self.server("cards", "--paused"))
        page.text("scene")
        page.send(type="load", scene="stack", parameters={"n": 3})
        scene = page.text("scene")
        self.assertEqual((scene["scene"], len(scene["bodies"])), ("stack", 4))
        page.send(type="load", scene="stak")
        self.assertIn("stack", page.text("error")["text"])
        page.send(type="load", scene="/etc/passwd")
        self.assertIn("/etc/passwd", page.text("error")["text"])

    def test_plane_scenes_are_plane(self):
        page = self.page(self.server("arch", "--paused"))
        page.text("scene")
        page.send(type="load", scene="pile", parameters={"plane": "1"})
        scene = page.wait(lambda m: isinstance(m, dict) and m["type"] in ("scene", "error"))
        self.assertEqual(scene.get("dimension"), 2, scene)
        frame = page.frame(lambda f: f.generation == scene["generation"])
        for pose in frame.poses:
            self.assertEqual((pose[2], pose[4], pose[5]), (0.0, 0.0, 0.0))

    # --------------------------------------------------------------------------------------------------------- poking

    def test_settings_change_and_are_told_to_all(self):
        server = self.server("incline")
        page, other = self.page(server), self.page(server)
        other.text("state")
        for name, value in (("mu", 0.125), ("h", 0.002), ("tolerance", 1e-6), ("cone", "polygon:8"), ("method", "lemke"),
                            ("rest", False), ("gravity", [0, 0, -1.5]), ("limit", 0.5), ("pace", "fluent"), ("pace", "exact")):
            page.send(type="set", name=name, value=value)
            told = other.wait(lambda m: isinstance(m, dict) and m["type"] == "state" and m[name] == value)
            self.assertEqual(told[name], value)
        page.send(type="set", name="limit", value=None)
        other.wait(lambda m: isinstance(m, dict) and m["type"] == "state" and m["limit"] is None)
        page.frame(lambda f: f.step > 10 and any(abs(c[13] - 0.125) < 1e-6 for c in f.contacts))
        page.send(type="set", name="pace", value="lively")
        self.assertIn("exact and fluent", page.text("error")["text"])
        page.send(type="set", name="method", value="nogs")
        self.assertIn("nogs", page.text("error")["text"])
        page.send(type="set", name="method", value="nsgs")
        self.assertIn("smooth cones only", page.text("error")["text"])
        page.send(type="reset")
        state = page.wait(lambda m: isinstance(m, dict) and m["type"] == "state" and m["mu"] is None)
        self.assertEqual((state["method"], state["cone"]), ("auto", "circular"))

    def test_gravity_turned_round_lifts_the_stack(self):
        page = self.page(self.server("stack"))
        start = page.frame().poses
        page.send(type="set", name="gravity", value=[0, 0, 9.81])
        page.frame(lambda f: f.poses[-1][2] > start[-1][2] + 0.05)

    def test_a_dragged_body_follows_and_stays_when_released(self):
        page = self.page(self.server("stack"))
        scene = page.text("scene")
        top = len(scene["bodies"]) - 1
        at = page.frame().poses[top]
        target = [at[0] + 0.3, at[1], at[2] + 1.0]
        page.send(type="drag", pane=0, body=top, local=[0, 0, 0], target=target)
        frame = page.frame(lambda f: abs(f.poses[top][2] - target[2]) < 0.05 and abs(f.poses[top][0] - target[0]) < 0.05)
        page.send(type="release")
        page.frame(lambda f: f.poses[top][2] < target[2] - 0.2)
        page.send(type="drag", pane=0, body=0, local=[0, 0, 0], target=target)
        self.assertIn("does not move", page.text("error")["text"])

    def test_a_block_shot_at_the_house_knocks_cards_down(self):
        page = self.page(self.server("cards"))
        scene = page.text("scene")
        before = page.frame(lambda f: f.step > 10)
        low, high = scene["bounds"]
        middle = [(a + b) / 2 for a, b in zip(low, high)]
        size = 0.15 * (high[2] - low[2])
        origin = [low[0] - 0.3 * (high[0] - low[0]), middle[1], low[2] + 0.3 * (high[2] - low[2])]
        page.send(type="shoot", origin=origin, direction=[1, 0, 0], speed=8.0, mass=50.0, size=size)
        after = page.text("scene")
        self.assertEqual(len(after["bodies"]), len(scene["bodies"]) + 1)
        shot = page.frame(lambda f: f.generation == after["generation"])
        self.assertGreater(shot.step, before.step - 1)
        self.assertLess(max(math.dist(a[:3], b[:3]) for a, b in zip(before.poses, shot.poses)), 0.01)
        page.frame(lambda f: max(math.dist(a[:3], b[:3]) for a, b in zip(before.poses, f.poses)) > 0.1)

    def test_bodies_and_contacts_are_inspected(self):
        page = self.page(self.server("stack"))
        scene = page.text("scene")
        page.frame(lambda f: f.step > 50)
        page.send(type="inspect", body=1)
        body = page.text("body")
        mass = scene["bodies"][1]["mass"]
        self.assertEqual((body["index"], body["name"]), (1, scene["bodies"][1]["name"]))
        self.assertAlmostEqual(body["contact_force"][2] / (9.81 * mass), 1.0, delta=0.01)
        page.send(type="inspect", contact=0)
        contact = page.text("contact")
        self.assertGreater(contact["normal_force"], 0)
        self.assertLessEqual(contact["utilisation"], 1.0 + 1e-6)
        page.send(type="inspect", body=1000000)
        self.assertIn("no body", page.text("error")["text"])

    def test_the_steps_problem_can_be_downloaded_and_solved(self):
        server = self.server("stack")
        self.page(server).frame(lambda f: f.step > 5)
        answer, body = server.get("/problem.hdf5?pane=0")
        self.assertEqual(answer.status, 200)
        self.assertIn("attachment", answer.getheader("content-disposition"))
        with tempfile.NamedTemporaryFile(suffix=".hdf5") as file:
            file.write(body)
            file.flush()
            solved = subprocess.run([CARDHOUSE, "solve", file.name, "--json"], capture_output=True, text=True)
        self.assertEqual(json.loads(solved.stdout)["status"], "solved")
        self.assertEqual(server.get("/problem.hdf5?pane=1")[0].status, 503)
        self.assertEqual(server.get("/problem.hdf5?pane=7")[0].status, 400)

    def test_two_methods_side_by_side(self):
        server = self.server("cards", "--compare", "pgs,auto")
        page = self.page(server)
        scene = page.text("scene")
        self.assertEqual((scene["panes"], scene["methods"]), (2, ["pgs", "auto"]))
        second = page.text("scene")
        self.assertEqual((second["pane"], second["method"]), (1, "auto"))
        frames = {}
        while set(frames) != {0, 1}:
            frame = page.frame(lambda f: f.step > 3)
            frames[frame.pane] = frame
        loop = page.wait(lambda m: isinstance(m, dict) and m["type"] == "loop" and m.get("distance"))
        self.assertGreater(loop["distance"], 0.0)
        self.assertLessEqual(len(loop["distances"]), 64)
        page.send(type="compare", methods=[])
        self.assertEqual(page.text("scene")["panes"], 1)

    # --------------------------------------------------------------------------------------------------------- replay

    def test_a_recording_is_played_and_sought(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.h5")
            subprocess.run([CARDHOUSE, "run", "stack", "--until", "0.3", "--every", "5", "--out", path, "--quiet"], check=True)
            self.assertEqual(subprocess.run([CARDHOUSE, "view", path, "--compare", "pgs,auto"], capture_output=True).returncode, 2)
            server = self.server(path, "--paused")
            page = self.page(server)
            self.assertEqual(page.text("hello")["mode"], "replay")
            scene, state = page.text("scene"), page.text("state")
            low, high = scene["run_bounds"]
            self.assertTrue(all(a <= b + 1e-6 and c <= d + 1e-6 for a, b, c, d in zip(low, scene["bounds"][0], scene["bounds"][1], high)))
            self.assertEqual((state["range"], state["running"]), ([0.0, 0.3], False))
            first = page.frame()
            self.assertEqual((first.time, len(first.poses)), (0.0, len(scene["bodies"])))
            self.assertEqual(len(first.stats), 61)
            page.send(type="seek", time=0.2)
            self.assertAlmostEqual(page.frame(lambda f: f.time > 0).time, 0.2)
            page.send(type="step")
            self.assertAlmostEqual(page.frame(lambda f: f.time > 0.201).time, 0.205)
            page.send(type="run")
            self.assertAlmostEqual(page.frame(lambda f: f.time > 0.21 and not f.running).time, 0.3)
            page.send(type="shoot", origin=[0, 0, 1], direction=[1, 0, 0], speed=1)
            self.assertIn("recording", page.text("error")["text"])
            self.assertEqual(server.get("/problem.hdf5")[0].status, 503)
            page.send(type="reset")
            self.assertEqual(page.frame(lambda f: f.time < 0.1).time, 0.0)

    # ---------------------------------------------------------------------------------------------------- command line

    def test_usage(self):
        for words, part in ((["--compare", "pgs"], "two methods"), (["--compare", "pgs,nope"], "nope"),
                            (["nowhere"], "nowhere"), (["--port", "0"], "allowed")):
            run = subprocess.run([CARDHOUSE, "view", "--no-browser", *words], capture_output=True, text=True, timeout=60)
            self.assertEqual(run.returncode, 2, words)
            self.assertIn(part, run.stderr)
        server = self.server("stack", "--paused")
        run = subprocess.run([CARDHOUSE, "view", "--no-browser", "--port", str(server.port)], capture_output=True,
                             text=True, timeout=60)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("another program has it", run.stderr)

    def test_it_ends_when_asked(self):
        server = self.server("stack")
        self.page(server).frame()
        began = time.monotonic()
        self.assertEqual(server.close(), 0)
        self.assertLess(time.monotonic() - began, PATIENCE / 2)


if __name__ == "__main__":
    unittest.main()
