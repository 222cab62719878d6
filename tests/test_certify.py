#!/usr/bin/env python3
"""What the program says of its answers is what an independent script computes from the written solution."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
try:
    import certify
    MISSING = None
except ImportError as error:
    MISSING = "skipped: needs python3-numpy, python3-scipy and python3-h5py (%s)" % error

BUILD = os.environ.get("CH_BUILD", "build")
PROGRAM = os.environ.get("CARDHOUSE", os.path.join(BUILD, "cardhouse"))
TOLERANCE = 1e-8
LARGEST = os.environ.get("CH_CONTACTS_MOST", "120")  # contacts of a problem; fewer where sanitizers slow every solve down
FIELDS = ["natural", "siconos", "cone", "signorini", "dissipation", "balance", "rigid"]


def call(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=300)


def close(a, b):
    """Both are sums of thousands of roundings of numbers near one: below 1e-11 they are noise."""
    return abs(a - b) <= 1e-3 * max(abs(a), abs(b)) + 1e-11


@unittest.skipIf(MISSING, MISSING)
class Certified(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        maker = os.path.join(BUILD, "make_problems")
        subprocess.run([maker, "all", "--out-dir", cls.folder, "--max-contacts", LARGEST], check=True,
                       stdout=subprocess.DEVNULL)
        cls.problems = sorted(os.listdir(cls.folder))
        print("%d problems of at most %s contacts" % (len(cls.problems), LARGEST))
        listing = json.loads(call("methods", "--json").stdout)
        listing = listing["methods"] if isinstance(listing, dict) else listing
        cls.methods = [method["name"] for method in listing if method["exact"]]

    def solve(self, problem, method, pose="coulomb"):
        out = os.path.join(self.folder, "answer.hdf5")
        result = call("solve", os.path.join(self.folder, problem), "--method", method, "--pose", pose, "--tol",
                      str(TOLERANCE), "--time-limit", "20" if method == "auto" else "0.1", "--out", out, "--json")
        if result.returncode == 2 and re.search("needs|does not take|takes no other laws|takes only", result.stderr):  # says that it cannot
            return None, None
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout), certify.certify(out, pose)

    def compare(self, problem, method, pose="coulomb"):
        said, found = self.solve(problem, method, pose)
        if said is None:
            return False
        for field in FIELDS:
            with self.subTest(problem=problem, method=method, pose=pose, field=field):
                self.assertIsNotNone(said["certificate"][field])
                self.assertTrue(close(said["certificate"][field], found[field]),
                                "says %r, is %r" % (said["certificate"][field], found[field]))
        if said["status"] == "solved":
            with self.subTest(problem=problem, method=method, pose=pose):
                for field in ("natural", "siconos", "balance"):
                    self.assertLessEqual(found[field], TOLERANCE * 1.001)
                self.assertLess(found["cone"], 1e-10)
        return said["status"] == "solved"

    def test_every_exact_method(self):
        self.assertIn("auto", self.methods)
        for method in self.methods:
            solved = sum(self.compare(problem, method) for problem in self.problems)
            print("%-12s %d of %d solved, every figure confirmed" % (method, solved, len(self.problems)))

    def test_other_poses(self):
        for pose in ("relaxed", "frictionless"):
            for problem in self.problems:
                self.compare(problem, "auto", pose)


if __name__ == "__main__":
    unittest.main()
