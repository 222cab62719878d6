#!/usr/bin/env python3
"""staggered from the command line: polygons, algorithm 1, and the file of its diagnostics."""
import csv
import json
import os
import subprocess
import tempfile
import unittest

PROGRAM = os.environ.get("CARDHOUSE", "build/cardhouse")
BUILD = os.environ.get("CH_BUILD", os.path.dirname(PROGRAM))


class Staggered(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.problem = os.path.join(cls.folder.name, "pile.hdf5")
        subprocess.run([os.path.join(BUILD, "make_problems"), "pile", "--n", "4", "--mu", "0.3", "--noise", "0.05", "--out",
                        cls.problem], check=True, stdout=subprocess.DEVNULL)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def solve(self, *words, status=0):
        command = [PROGRAM, "solve", self.problem, "--method", "staggered", "--json", *words]
        result = subprocess.run(command, capture_output=True, text=True, timeout=60)
        self.assertEqual(result.returncode, status, result.stderr)
        return json.loads(result.stdout) if status == 0 else result.stderr

    def rows(self, *words):
        path = os.path.join(self.folder.name, "terms.csv")
        answer = self.solve("--diagnostics", path, *words)
        with open(path, newline="") as file:
            return answer, list(csv.DictReader(file))

    def test_polygons_are_solved(self):
        for cone in ("polygon:4", "polygon:8", "outer-polygon:6"):
            self.assertEqual(self.solve("--cone", cone)["status"], "solved")

    def test_inner_solvers_take_polygonal_friction(self):
        for inner in ("apgd", "newton", "admm", "active-set"):
            self.assertEqual(self.solve("--cone", "polygon:8", "--inner", inner, "--tol", "1e-6")["status"], "solved")

    def test_diagnostics_have_a_line_for_every_iteration(self):
        answer, rows = self.rows("--set", "staggered.algorithm1=1", "--max-iterations", "12")
        self.assertEqual(answer["iterations"]["outer"], len(rows))
        self.assertEqual([int(row["iteration"]) for row in rows], list(range(1, len(rows) + 1)))
        for row in rows[1:]:
            self.assertIn(row["case"], ("1", "2a", "2b", "2c"))
            self.assertLessEqual(float(row["nu"]) + float(row["gamma"]) + float(row["delta"]), 1e-8)
            self.assertLessEqual(int(row["best"]), int(row["iteration"]))

    def test_parallel_iteration_takes_twice_the_iterations(self):
        words = ("--set", "staggered.algorithm1=1", "--set", "staggered.rel_err=1e-14")
        serial = self.solve(*words)["iterations"]["outer"]
        parallel = self.solve(*words, "--set", "staggered.parallel=1")["iterations"]["outer"]
        self.assertEqual(parallel, 2 * serial)

    def test_diagnostics_that_cannot_be_written_are_an_error(self):
        self.assertIn("/nowhere/x.csv", self.solve("--diagnostics", "/nowhere/x.csv", status=2))
        self.assertIn("/dev/full", self.solve("--diagnostics", "/dev/full", status=3))


if __name__ == "__main__":
    unittest.main()
