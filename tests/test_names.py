#!/usr/bin/env python3
"""Names that try to steer a terminal or a page: whatever a file calls its parts, or is called itself, is shown harmlessly."""
import json
import os
import re
import subprocess
import tempfile
import unittest

from viewer_client import CARDHOUSE, PATIENCE, ViewerCase, has_viewer

NAUGHTY = "a\x1b]0;owned\x07\x1b[31m\x7f\x08\u009b2J\u202etxt.exe\u2066\r\nforged: line"
STEERING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def scene(**more):
    bodies = [{"name": "floor", "fixed": True, "shapes": [{"type": "halfspace", "normal": [0, 0, 1], "offset": 0}]},
              {"name": NAUGHTY, "position": [0, 0, 0.1], "shapes": [{"type": "sphere", "radius": 0.1}]}]
    return {"cardhouse": 1, "name": NAUGHTY, "step": {"h": 0.01, "until": 0.05}, "bodies": bodies, **more}


class Names(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, value, name="scene.json"):
        path = os.path.join(os.fsencode(self.folder), os.fsencode(name))
        with open(path, "w", encoding="utf-8") as file:
            file.write(value if isinstance(value, str) else json.dumps(value))
        return path

    def run_quietly(self, *words, status=0):
        """What the command says, in which nothing may steer."""
        run = subprocess.run([CARDHOUSE, *words], capture_output=True, timeout=PATIENCE)
        self.assertEqual(run.returncode, status, run.stderr)
        for text in (run.stdout, run.stderr):
            self.assertIsNone(STEERING.search(text.decode("utf-8")), text)  # and it is UTF-8
        return (run.stdout + run.stderr).decode()

    def test_names_of_scenes_and_bodies(self):
        path = self.write(scene())
        shown = self.run_quietly("run", path)
        self.assertIn(r"a\x1b]0;owned\x07\x1b[31m\x7f\x08\u009b2J\u202etxt.exe\u2066\x0d\x0aforged: line", shown)
        self.assertNotIn("\nforged", shown)
        self.run_quietly("scene", "check", path)
        shown = self.run_quietly("run", path, "--json")
        self.assertEqual(json.loads(shown)["scene"], NAUGHTY)

    def test_recordings(self):
        trajectory = os.path.join(self.folder, "run\x1b[31m.h5")
        shown = self.run_quietly("run", self.write(scene()), "--out", trajectory, "--csv", trajectory + ".csv")
        self.assertIn(r"run\x1b[31m.h5", shown)
        for words in (["--region", "-1,1,-1,1,0,1"], ["--region", "-1,1,-1,1,0,1", "--json"]):
            self.run_quietly("measure", trajectory, *words)
        self.run_quietly("measure", trajectory, "--inset", "99", status=2)

    def test_complaints(self):
        wrong = [scene(**{NAUGHTY: 1}), scene(joints=[{"type": NAUGHTY}]), scene(method={"name": NAUGHTY}),
                 scene(joints=[{"type": "hinge", "bodies": [NAUGHTY, "nobody"], "at": [0, 0, 0], "axis": [0, 1, 0]}]),
                 scene(pairs=[{"materials": [NAUGHTY, NAUGHTY], "friction": 0.5}]), '{"\x1b[31m": ', '\x1b[31m', '{"name": "\x9b"}']
        for k, value in enumerate(wrong):
            path = self.write(value, f"wrong-{k}.json")
            for words in (["run", path], ["scene", "check", path], ["analyze", path]):
                self.run_quietly(*words, status=2)

    def test_words_of_the_command_line(self):
        for words in (["run", NAUGHTY], ["view", NAUGHTY], ["solve", NAUGHTY], ["analyze", NAUGHTY], ["measure", NAUGHTY],
                      ["mcp", NAUGHTY], ["mesh", NAUGHTY], ["replay", NAUGHTY, "--out", os.path.join(self.folder, "x.html")],
                      ["render", NAUGHTY, "--png", os.path.join(self.folder, "x.png")], ["scene", NAUGHTY], [NAUGHTY],
                      ["reproduce", NAUGHTY], ["run", "cards", f"--{NAUGHTY}"], ["run", "cards", "--method", NAUGHTY],
                      ["scene", "cards", "--mu", NAUGHTY], ["run", "cards", "--set", f"{NAUGHTY}=1"],
                      ["run", "cards", "--until", "0", "--out", f"/nowhere/{NAUGHTY}"]):
            self.run_quietly(*words, status=2)

    def test_files_whose_names_are_no_text(self):
        path = self.write(scene(), b"\xff\xfe\x1b[31m\xc2.json")
        problems = os.path.join(os.fsencode(self.folder), b"\xff\x1b[31m")
        self.run_quietly("run", path, "--csv", path + b".csv", "--problems", problems)
        problem = os.path.join(problems, b"step-00000001.hdf5")
        for words in (["analyze", problem], ["analyze", problem, "--json"], ["solve", problem], ["solve", problem, "--json"]):
            self.run_quietly(*words)
        self.run_quietly("run", path + b".nowhere", status=2)
        self.write("not a scene", b"\xff.dat")
        self.run_quietly("solve", os.path.join(os.fsencode(self.folder), b"\xff.dat"), status=2)

    @unittest.skipUnless(has_viewer(), "this program was built without the viewer")
    def test_a_page_cannot_be_broken_by_names(self):
        evil = "<!--<script>\u2028</script>-->]]>&lt;\x1b"
        bodies = scene()["bodies"]
        bodies[1]["name"] = evil
        path = self.write(scene(bodies=bodies, name=evil))
        run = subprocess.run([CARDHOUSE, "replay", path, "--until", "0.02"], capture_output=True, timeout=PATIENCE)
        self.assertEqual(run.returncode, 0, run.stderr)
        head = re.search(rb'data-recording="head">([^<]*)</script>', run.stdout).group(1)
        self.assertNotRegex(head, rb"[<>&\x00-\x1f\x7f-\xff]")
        told = json.loads(head)["scene"]
        self.assertEqual((told["name"], told["bodies"][1]["name"]), (evil, evil))


class Messages(ViewerCase):
    def test_the_viewer_logs_and_answers_harmlessly(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(scene(), file)
            file.flush()
            server = self.server(file.name, "--paused")
        page = self.page(server)
        self.assertEqual(page.text("scene")["name"], NAUGHTY)
        page.send(type=NAUGHTY)
        page.text("error")
        page.send(type="load", scene=NAUGHTY)
        page.text("error")
        server.get("/%1b%5b31m%c2%9b%e2%80%ae")
        server.get("/", Host="evil\x1b[31m\u009b".encode("latin-1").decode("latin-1"))
        server.wait_logged("refused a request for the host")
        self.assertIsNone(STEERING.search(server.logged()), server.logged())


if __name__ == "__main__":
    unittest.main()
