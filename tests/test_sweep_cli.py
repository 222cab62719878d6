#!/usr/bin/env python3
"""Parameters of scenes on the command line, sweeps over them, and limits of scenes, as a user meets them."""
import csv
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

PROGRAM = os.environ.get("CARDHOUSE", "build/cardhouse")

OWN = {
    "cardhouse": 1,
    "parameters": {"r": 0.5, "d": "=2*r"},
    "step": {"until": 0.01},
    "bodies": [{"name": "ball", "position": [0, 0, "=d"], "shapes": [{"type": "sphere", "radius": "=r"}]}],
}


def run(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=120)


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def own(self):
        with open(self.path("own.json"), "w", encoding="utf-8") as file:
            json.dump(OWN, file)
        return self.path("own.json")

    def table(self, name):
        with open(self.path(name), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def refused(self, words, *said):
        result = run(*words)
        self.assertEqual(result.returncode, 2, result.stdout)
        for text in said:
            self.assertIn(text, result.stderr)


class Parameters(Folder):
    def test_a_builtins_parameters_are_options_of_run(self):
        for words in (["--levels", "2"], ["--levels=2"], ["--param", "levels=2"]):
            report = json.loads(run("run", "cards", *words, "--until", "0.002", "--json").stdout)
            self.assertEqual(report["bodies"], 7)  # 2 + 4 cards that lean, one that lies

    def test_a_command_takes_what_scene_writes(self):
        direct = run("run", "pile", "--n", "3", "--mu", "0.3", "--until", "0.01", "--json").stdout
        with open(self.path("pile.json"), "w", encoding="utf-8") as file:
            file.write(run("scene", "pile", "--n", "3", "--mu", "0.3").stdout)
        written = run("run", self.path("pile.json"), "--until", "0.01", "--json").stdout
        for key in ("energy", "certificate", "displacement"):
            self.assertEqual(json.loads(direct)[key], json.loads(written)[key])

    def test_a_files_own_parameters_are_set_and_carried_through_formulas(self):
        # The ball falls freely from z = 2 r: its energy at the start is m g 2 r with m = 1000 (4/3) pi r^3.
        for r in (0.25, 0.5):
            report = json.loads(run("run", self.own(), "--param", f"r={r}", "--json").stdout)
            weight = 1000 * 4 / 3 * 3.141592653589793 * r**3 * 9.81
            self.assertAlmostEqual(report["energy"]["start"] / (weight * 2 * r), 1.0, places=9)
        halved = json.loads(run("run", self.own(), "--param", "r=1/4", "--json").stdout)
        plain = json.loads(run("run", self.own(), "--param", "r=0.25", "--json").stdout)
        self.assertEqual(halved["energy"], plain["energy"])

    def test_what_is_no_parameter_is_refused_with_the_nearest(self):
        self.refused(["run", "cards", "--levls", "3"], "'--levls'", "did you mean '--levels'", "scene cards --help")
        self.refused(["run", "cards", "--levels"], "--levels needs a value")
        self.refused(["run", "--bogus", "cards"], "unknown option '--bogus'")
        self.refused(["run", self.own(), "--param", "q=1"], "$.parameters", "has no 'q'")
        self.refused(["run", self.own(), "--param", "r=abc"], "$.parameters.r", "'abc' is no parameter")
        self.refused(["run", self.own(), "--param", "r"], "must be a name and a value")
        self.refused(["run", self.own(), "--r", "1"], "unknown option '--r'")


class Limits(Folder):
    def test_a_scene_is_analysed_as_it_stands(self):
        # A box of side 1 on a floor with friction mu carries mu of its weight sideways (mu < 1: it slides, and does
        # not tip), in any direction.
        words = ["analyze", "stack", "--n", "1", "--mu", "0.4", "--sideways", "--json"]
        found = json.loads(run(*words).stdout)
        self.assertEqual(found["limits"]["smallest_friction"]["factor"], 0.0)
        for direction in ("x", "-x", "y", "-y"):
            self.assertAlmostEqual(found["sideways"][direction]["multiplier"], 0.4, places=6)

    def test_words_for_scenes_are_refused_for_problems(self):
        problem = self.path("steps")
        run("run", "stack", "--n", "2", "--until", "0.001", "--problems", problem, "--quiet")
        file = os.path.join(problem, sorted(os.listdir(problem))[-1])
        self.assertEqual(run("analyze", file).returncode, 0)
        self.refused(["analyze", file, "--sideways"], "belong to a scene")


class Sweep(Folder):
    def test_an_arch_begins_to_move_where_limit_analysis_says(self):
        arch = ["arch", "--form", "semicircle", "--n", "15", "--thickness", "0.2"]
        limit = json.loads(run("analyze", *arch, "--limits", "--json").stdout)["limits"]["smallest_friction"]["mu"]
        done = run("sweep", *arch, "--param", f"mu={limit - 0.03}:{limit + 0.03}:4", "--until", "0.1", "--csv",
                   self.path("arch.csv"), "--svg", self.path("arch.svg"), "--mark", str(limit))
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.table("arch.csv")
        self.assertEqual([row["state"] for row in rows], ["certified"] * 4)
        moved = [float(row["displacement"]) > 1e-5 for row in rows]  # at rest it is below 1e-9
        self.assertEqual(moved, [True, True, False, False])
        with open(self.path("arch.svg"), encoding="utf-8") as file:
            self.assertIn("<svg", file.read(2000))
        self.assertFalse(os.path.exists(self.path("arch.csv.sweep")))

    def test_every_combination_is_run_and_measured(self):
        done = run("sweep", "cards", "--param", "levels=1,2", "--param", "mu=0.6:0.8:2", "--until", "0.002", "--measure",
                   "contacts,certificate.natural.max", "--jobs", "2")
        rows = list(csv.reader(done.stdout.splitlines()))
        self.assertEqual(rows[0], ["levels", "mu", "contacts", "certificate.natural.max", "state"])
        self.assertEqual([row[:3] for row in rows[1:]],
                         [["1", "0.6", "6"], ["1", "0.8", "6"], ["2", "0.6", "22"], ["2", "0.8", "22"]])
        for row in rows[1:]:
            self.assertLessEqual(float(row[3]), 1e-8)

    def test_a_sweep_that_was_stopped_goes_on(self):
        words = ["sweep", "cards", "--param", "mu=0.5:0.8:60", "--until", "20", "--csv", self.path("t.csv"), "--jobs", "1"]
        with subprocess.Popen([PROGRAM, *words], stderr=subprocess.PIPE, text=True) as process:
            deadline = time.time() + 60
            while time.time() < deadline and not (os.path.exists(self.path("t.csv")) and len(self.table("t.csv")) > 0):
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=30)[1]
            self.assertEqual(process.returncode, 130)
        self.assertIn("--resume continues", said)
        before = self.table("t.csv")
        self.assertTrue(0 < len(before) < 60)
        other = [w if w != "20" else "19" for w in words]
        self.refused([*other, "--resume"], "was begun by a different command")
        with open(self.path("t.csv"), encoding="utf-8") as file:  # three more runs are enough to see it go on
            lines = file.readlines()
        marked = lines[0] + "".join(f"{0.5 + 0.3 * k / 59:.10g},7,0,certified\n" for k in range(57))
        with open(self.path("t.csv"), "w", encoding="utf-8") as file:
            file.write(marked)
        done = run(*words, "--resume")
        self.assertEqual(done.returncode, 0, done.stderr)
        after = self.table("t.csv")
        self.assertEqual(len(after), 60)
        self.assertEqual([row["displacement"] for row in after[:57]], ["7"] * 57)  # kept, not run again
        self.assertNotIn("7", [row["displacement"] for row in after[57:]])
        self.refused([*words, "--resume"], "is not the table of an unfinished sweep")

    def test_wrong_words_end_it_before_it_begins(self):
        self.refused(["sweep", "cards"], "nothing is varied")
        self.refused(["sweep", "cards", "--param", "mu=0.1:0.8"], "must be NAME=FROM:TO:COUNT")
        self.refused(["sweep", "cards", "--param", "mu=0.1:0.8:1e9"], "1 to 100000")
        self.refused(["sweep", "cards", "--param", "mu=1,2", "--param", "mu=1,2"], "given twice")
        self.refused(["sweep", "cards", "--param", "nu=1,2"], "unknown parameter")
        self.refused(["sweep", "cards", "--param", "mu=1,2", "--measure", "displacemnt"], "did you mean 'displacement'")
        self.refused(["sweep", "cards", "--param", "mu=1,2", "--out", "x.h5"], "single runs")
        self.refused(["sweep", "cards", "--param", "mu=1,2", "--mark", "1"], "belongs to --svg")
        self.refused(["sweep", "-", "--param", "mu=1,2"], "can be read only once")
        self.refused(["sweep", "cards", "--param", "mu=1,2", "--resume"], "name it")
        self.assertEqual(run("sweep", "cards", "--param", "mu=1,2", "--csv", "/proc/none/t.csv").returncode, 2)


if __name__ == "__main__":
    unittest.main()
