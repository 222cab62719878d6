#!/usr/bin/env python3
"""Crafted recordings, checkpoints and problems (crafted_hdf5.py) through every command that reads them: a sentence and
status 2 where the crafted part is read, else 0; no signal, no hang.

A sample that fits the time is run, CRAFTED_SECONDS of them for each kind (6); `make crafted` runs all, which 0 says.
"""
import json
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import urllib.request

import crafted_hdf5 as crafted

PROGRAM = os.environ.get("CARDHOUSE", "build/cardhouse")
SECONDS = float(os.environ.get("CRAFTED_SECONDS", "6"))
LEAST = 12     # cases of a kind, however slow the machine
PATIENCE = 90  # seconds: HDF5 may take 5 of processor time before it is stopped, and machines that test are busy

SCENE = {
    "cardhouse": 1, "name": "two", "dimension": 3, "gravity": [0, 0, -9.81], "step": {"h": 0.01, "until": 0.05},
    "materials": {"m": {"density": 1000, "friction": 0.5}},
    "bodies": [{"name": "floor", "fixed": True, "shapes": [{"type": "halfspace", "material": "m"}]}] +
              [{"name": f"ball {k}", "position": [0.3 * k, 0, 0.1],
                "shapes": [{"type": "sphere", "radius": 0.1, "material": "m"}]} for k in range(2)]}
PLANE = {
    "cardhouse": 1, "name": "plane", "dimension": 2, "gravity": [0, -9.81], "step": {"h": 0.01, "until": 0.05},
    "materials": {"m": {"density": 1000, "friction": 0.5}},
    "bodies": [{"name": "floor", "fixed": True, "shapes": [{"type": "halfplane", "normal": [0, 1], "material": "m"}]},
               {"name": "disk", "position": [0, 0.1], "shapes": [{"type": "disk", "radius": 0.1, "material": "m"}]}]}
SOFT = {**SCENE, "name": "soft", "bodies": SCENE["bodies"][:1] + [
    {"name": "bar", "position": [0, 0, 0.05],
     "soft": {"mesh": {"shape": "bar", "size": [0.3, 0.06, 0.06], "cells": [2, 1, 1]}, "young": 4e5, "modes": 3,
              "material": "m"}}]}


def call(*words, timeout=PATIENCE):
    """(exit status, what it said), or the reason why that is not to be had."""
    try:
        run = subprocess.run([PROGRAM, *words], capture_output=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return "hangs", ""
    return run.returncode, run.stderr.decode(errors="replace")


def view(path):
    """Started, asked for its page, stopped."""
    server = subprocess.Popen([PROGRAM, "view", "--no-browser", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        link = re.search(rb"http://\S+", server.stdout.readline())
        if link:
            urllib.request.urlopen(link.group(0).decode(), timeout=PATIENCE).read()
            server.send_signal(signal.SIGTERM)
        said = server.communicate(timeout=PATIENCE)[1].decode(errors="replace")
        return (0 if link and server.returncode in (0, 130, 143, -15) else server.returncode), said
    except subprocess.TimeoutExpired:
        server.kill()
        server.communicate()
        return "hangs", ""


class Crafted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.has_viewer = "without the viewer" not in call("view", "--compare", "x")[1]

    def path(self, name):
        return os.path.join(self.folder, name)

    def base(self, name, scene):
        """Scene, recording, checkpoint and one contact problem of a short run."""
        for what in ("json", "h5", "check", "problems"):
            setattr(self, what, self.path(f"{name}.{what}"))
        if not os.path.exists(self.h5):
            with open(self.json, "w") as file:
                json.dump(scene, file)
            status, said = call("run", self.json, "--out", self.h5, "--checkpoint", self.check, "--problems",
                                self.problems, "--quiet")
            self.assertEqual(status, 0, said)

    def readers(self, path):
        """What reads a recording."""
        resume = self.path("resumed.h5")

        def resumed():
            shutil.copyfile(path, resume)
            return call("run", self.json, "--resume", self.check, "--out", resume, "--until", "0.06", "--quiet")

        calls = {"measure": lambda: call("measure", path, "--quiet", "--packing", "--region", "-1,1,-1,1" if
                                         "plane" in self.json else "-1,1,-1,1,-1,1"),
                 "resume": resumed}
        if self.has_viewer:
            calls.update({"replay": lambda: call("replay", path, "--quiet", "--out", self.path("x.html")),
                          "render": lambda: call("render", path, "--quiet", "--png", self.path("x.png")),
                          "view": lambda: view(path)})
        return calls

    def check_one(self, what, answer, expected):
        status, said = answer
        self.assertIn(status, (0, 2), f"{what}: status {status}: {said}")
        if status == 2:
            self.assertRegex(said, r"cardhouse \w+: \S+.*\w", what)
        if expected is not None:
            self.assertEqual(status, expected, f"{what}: {said}")

    def sample(self, cases):
        """In an order that mixes all kinds and is the same every time, until the time is over."""
        cases = list(cases)
        random.Random(1).shuffle(cases)
        end = time.monotonic() + SECONDS
        for k, case in enumerate(cases):
            if SECONDS > 0 and k >= LEAST and time.monotonic() > end:
                break
            yield k, case

    def through_readers(self, cases, tolerant=()):
        done = 0
        for k, (name, make, expected) in self.sample(cases):
            path = self.path("crafted.h5")
            make(path)
            readers = self.readers(path)
            if expected != crafted.REFUSED:
                readers.pop("render", None)  # a picture takes a browser, and seconds
            chosen = sorted(readers) if SECONDS == 0 else [sorted(readers)[k % len(readers)]]
            for command in chosen:
                # What only some of them read may be refused or not: the soft bodies, and the scene.
                free = any(name.startswith(word) for word in tolerant) or \
                    (command == "resume" and name.startswith("attribute scene"))
                self.check_one(f"{command}: {name}", readers[command](), None if free else expected)
                done += 1
        print(f"{self.id().rpartition('.')[2]}: {done} calls", flush=True)

    def test_recordings_with_parts_replaced(self):
        self.base("space", SCENE)
        self.through_readers(crafted.trajectories(self.h5))

    def test_recordings_in_the_plane(self):
        self.base("plane", PLANE)
        self.through_readers(crafted.trajectories(self.h5))

    def test_recordings_of_deformable_bodies(self):
        self.base("soft", SOFT)
        cases = [case for case in crafted.trajectories(self.h5) if case[0].startswith("soft/")]
        self.through_readers(cases, tolerant=["soft/"])

    def test_recordings_with_bits_flipped(self):
        self.base("space", SCENE)
        self.through_readers(crafted.flips(self.h5, 400))

    def test_checkpoints(self):
        self.base("space", SCENE)
        done = 0
        for _, (name, make, expected) in self.sample(crafted.checkpoints(self.check, 300)):
            path = self.path("crafted.check")
            make(path)
            self.check_one(name, call("run", self.json, "--resume", path, "--until", "0.06"), expected)
            done += 1
        print(f"checkpoints: {done} calls", flush=True)

    def test_problems(self):
        self.base("space", SCENE)
        base = os.path.join(self.problems, sorted(os.listdir(self.problems))[-1])
        done = 0
        cases = list(crafted.problems(base)) + list(crafted.flips(base, 300))
        for k, (name, make, expected) in self.sample(cases):
            path = self.path("crafted.hdf5")
            make(path)
            words = [("solve", path, "--quiet"), ("analyze", path)][k % 2]
            status, said = call(*words)
            self.check_one(f"{words[0]}: {name}", (0 if status == 1 else status, said), expected)
            done += 1
        print(f"problems: {done} calls", flush=True)


if __name__ == "__main__":
    unittest.main()
