#!/usr/bin/env python3
"""Whose fault it is: the statuses and sentences of a machine that fails, and of files that are too much.

Status 2 is the caller's (a file that is not there, or is not what it should be), 3 the machine's (disk, memory).
"""
import json
import os
import resource
import shutil
import subprocess
import tempfile
import unittest

from instruments import instruments

PROGRAM = os.environ.get("CARDHOUSE", "build/cardhouse")
SANITIZED = instruments(PROGRAM) == "sanitizers"


def run(*words, **options):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=60, **options)


def cube(shift=0):
    """Eight corners and twelve triangles, facing outwards, numbered from `shift` on."""
    corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    faces = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6),
             (0, 6, 4), (1, 5, 7), (1, 7, 3)]
    text = "".join("v %d %d %d\n" % c for c in corners)
    return text + "".join("f %d %d %d\n" % tuple(k + 1 + shift for k in f) for f in faces)


SCENE = """{"cardhouse": 1, "name": "m", "materials": {"m": {"density": 1, "friction": 0.5}}, "bodies": [
  {"name": "a", "position": [0, 0, 2], "shapes": [{"type": "mesh", "file": "%s", "material": "m"}]}]}"""


class Faults(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def place(self, name, text=None):
        path = os.path.join(self.folder, name)
        if text is not None:
            with open(path, "w") as file:
                file.write(text)
        return path

    def test_a_name_that_speaks_of_space_is_no_full_disk(self):
        result = run("solve", self.place("no space left.dat"))
        self.assertEqual(result.returncode, 2, result.stderr)

    def test_a_full_disk_is_the_machines_fault(self):
        result = run("run", "incline", "--until", "0.01", "--csv", "/dev/full", "--quiet")
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("disk is full", result.stderr)

    def test_closed_descriptors_do_not_make_a_good_file_a_damaged_one(self):
        folder = self.place("problems")
        self.assertEqual(run("run", "incline", "--until", "0.002", "--problems", folder, "--quiet").returncode, 0)
        problem = os.path.join(folder, sorted(os.listdir(folder))[0])
        for closed in ([0], [0, 2], [2]):
            result = subprocess.run([PROGRAM, "solve", problem], stdout=subprocess.PIPE, timeout=60,
                                    preexec_fn=lambda: [os.close(fd) for fd in closed])
            self.assertEqual(result.returncode, 0, f"with {closed} closed")
        result = subprocess.run([PROGRAM, "methods"], stderr=subprocess.PIPE, timeout=60,
                                preexec_fn=lambda: os.close(1))
        self.assertEqual(result.returncode, 3)
        self.assertIn(b"standard output could not be written", result.stderr)

    def test_lack_of_memory_is_said_and_the_program_ends(self):
        if SANITIZED:
            self.skipTest("sanitizers reserve more address space than any limit here allows")
        bodies = ",".join('{"name": "b%d", "position": [%d, 0, 1]}' % (k, k) for k in range(100000))
        scene = self.place("big.json", '{"cardhouse": 1, "bodies": [%s]}' % bodies)
        seen = set()
        for megabytes in (140, 160, 190, 215, 240, 270):  # some of them too few at the start, some in the middle of reading
            limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
            result = run("run", scene, "--until", "0", "--quiet", preexec_fn=limit)
            self.assertNotIn("not valid JSON", result.stderr)
            if "memory" in result.stderr:
                self.assertEqual(result.returncode, 3, result.stderr)
                seen.add(megabytes)
        self.assertTrue(seen, "no limit was tight enough")

    def test_a_file_over_its_limit_is_refused_before_it_is_read(self):
        huge = self.place("huge.obj")
        with open(huge, "wb") as file:
            file.truncate(3 << 30)  # holes: no disk is used
        limit = lambda: resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30))
        result = run("run", self.place("s.json", SCENE % huge), "--until", "0",
                     preexec_fn=None if SANITIZED else limit)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertRegex(result.stderr, r"huge.obj: holds 3221225472 bytes, at most \d+ are read")

    def test_a_surface_that_is_there_twice_weighs_once(self):
        weights = []
        for name, text in (("once", cube()), ("own corners", cube() + cube(8)),
                           ("same corners", cube() + cube()[cube().index("f"):])):
            scene = self.place("s.json", SCENE % self.place("twice.obj", text))
            result = run("run", scene, "--until", "0.001", "--json")
            self.assertEqual(result.returncode, 0, name + result.stderr)
            weights.append(json.loads(result.stdout)["energy"]["start"])
            told = run("scene", "check", scene)
            self.assertEqual("healed" in told.stdout + told.stderr, name != "once", told.stdout + told.stderr)
        self.assertEqual(weights, weights[:1] * 3)
        self.assertNotEqual(weights[0], 0.0)
        self.assertEqual(run("run", self.place("s.json", SCENE % self.place("once.obj", cube())), "--until", "0",
                             "--quiet").returncode, 0)


if __name__ == "__main__":
    unittest.main()
