#!/usr/bin/env python3
"""Signals at random moments: every command ends soon, files are whole, and a run resumes bit for bit.

The half second is of a machine that has time: a program whose thread gets no processor cannot end. So how long an end took is
compared with that and with how late this process itself wakes up from a short sleep, many times over.
"""
import importlib.util
import json
import os
import random
import signal
import subprocess
import tempfile
import time
import unittest

PROGRAM = os.environ.get("CARDHOUSE", "build/cardhouse")
HERE = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("kill_runs", os.path.join(HERE, "tools", "kill_runs.py"))
kill_runs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(kill_runs)

LONG = "100000"  # seconds: longer than any test waits


def lateness():
    """Seconds by which a sleep of 10 ms is too long, at worst: above a few ms others have the processor."""
    worst = 0.0
    for _ in range(20):
        began = time.monotonic()
        time.sleep(0.01)
        worst = max(worst, time.monotonic() - began - 0.01)
    return worst


class Kills(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.patience = 0.5 + 30.0 * lateness()

    def scene(self, *words):
        return kill_runs.open_scene(PROGRAM, " ".join(words), self.folder)

    def check_run(self, scene, until, kills, seed):
        whole = kill_runs.Run(PROGRAM, scene, until, self.folder, "whole")
        began = time.monotonic()
        self.assertEqual(whole.start().communicate()[1], "")
        longest = 1.5 * (time.monotonic() - began) / kills
        parts = kill_runs.Run(PROGRAM, scene, until, self.folder, "parts")
        ends, fault = kill_runs.kill_often(parts, kills, longest, signal.SIGTERM, random.Random(seed))
        self.assertIsNone(fault)
        self.assertEqual(kill_runs.differing(kill_runs.motion(whole.out), kill_runs.motion(parts.out)), [])
        self.assertEqual(kill_runs.table(whole.csv), kill_runs.table(parts.csv))
        self.assertLess(max(ends, default=0.0), self.patience, ends)

    def test_a_run_of_cards_and_blocks(self):
        self.check_run(self.scene("cards", "--blocks", "2", "--every", "0.1"), "0.4", 4, 1)

    def test_a_run_of_spheres(self):
        self.check_run(self.scene("box-of-spheres", "--n", "120"), "0.2", 4, 2)

    def test_a_step_that_never_ends_is_left_out(self):
        """At a tolerance that nothing meets the first step takes its whole limit, a minute here: the run ends without it."""
        scene = self.scene("pile", "--n", "25")
        with open(scene, encoding="utf-8") as file:
            world = json.load(file)
        world["method"] = {"time_limit": 60}
        with open(scene, "w", encoding="utf-8") as file:
            json.dump(world, file)
        run = kill_runs.Run(PROGRAM, scene, LONG, self.folder, "stuck", ["--tol", "1e-16", "--rest", "off"])
        process = run.start()
        kill_runs.wait_until_heeding(process)
        time.sleep(0.5)
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        words = process.communicate(timeout=60)[1]
        self.assertLess(time.monotonic() - began, self.patience)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM, words)
        self.assertIn("interrupted at t = 0 s; to continue", words)
        self.assertTrue(os.path.exists(run.state))
        self.assertIsNone(kill_runs.check_files(run))

    def test_a_solve_ends_with_its_best(self):
        problem = os.path.join(self.folder, "hard.hdf5")
        maker = os.path.join(os.path.dirname(PROGRAM), "make_problems")
        subprocess.run([maker, "pile", "--n", "40", "--mu", "0.4", "--out", problem], check=True, stdout=subprocess.DEVNULL)
        for number in (signal.SIGINT, signal.SIGTERM):
            words = [PROGRAM, "solve", problem, "--tol", "1e-16", "--json"]
            with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
                kill_runs.wait_until_heeding(process)
                time.sleep(0.3)
                began = time.monotonic()
                process.send_signal(number)
                answer, said = process.communicate(timeout=60)
                self.assertLess(time.monotonic() - began, self.patience)
            self.assertEqual(process.returncode, 128 + number, said)
            if answer:  # none where the watch ended it inside a library
                self.assertIn('"status": "interrupted"', answer)


if __name__ == "__main__":
    unittest.main()
