#!/usr/bin/env python3
"""`cardhouse analyze --limits` as a user meets it: the JSON fields, and what is said of a load that does not fit."""
import json
import os
import shutil
import subprocess
import tempfile
import unittest

BUILD = os.path.abspath(os.environ.get("CH_BUILD", "build"))


def run(*words):
    return subprocess.run([os.path.join(BUILD, words[0]), *words[1:]], capture_output=True, text=True, timeout=120)


class Limits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.problem = os.path.join(cls.folder, "box.hdf5")
        made = run("make_problems", "tower", "--n", "1", "--mu", "0.4", "--out", cls.problem)
        assert made.returncode == 0, made.stderr

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def load(self, text):
        path = os.path.join(self.folder, "load.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def test_a_box_is_pushed_with_mu_times_its_weight(self):
        result = run("cardhouse", "analyze", self.problem, "--json", "--load", self.load("1 0 0\n0 0 0\n"))
        self.assertEqual(result.returncode, 0, result.stderr)
        limits = json.loads(result.stdout)["limits"]
        impulse = 2000 * 0.2 * 0.2 * 0.1 * 9.81 * 0.001  # weight times the step
        self.assertAlmostEqual(limits["largest_load"]["multiplier"] / impulse, 0.4, places=7)
        self.assertEqual(limits["smallest_friction"]["factor"], 0.0)
        self.assertIs(limits["equilibrium"]["exists"], True)
        self.assertIs(limits["self_stress"]["exists"], False)
        self.assertEqual(limits["mechanism"]["limits"], "load")
        self.assertEqual(limits["mechanism"]["sliding"], 4)

    def test_pointedness_is_told_unasked_and_the_rest_when_asked(self):
        plain = json.loads(run("cardhouse", "analyze", self.problem, "--json").stdout)
        self.assertEqual(sorted(plain["limits"]), ["self_stress", "self_stress_without_friction"])
        self.assertEqual(len(plain["painleve"]["critical_mu"]), 4)
        self.assertIn("smallest friction 0 times", run("cardhouse", "analyze", self.problem, "--limits").stdout)

    def test_a_load_that_does_not_fit_is_refused(self):
        for text, said in (("1 2 3", "holds 3 numbers, the problem's load has 6"), ("1 0 0 0 0 nan", "'nan'"),
                           ("1 0 0 0 0 six", "number 6 is 'six'"), ("0 0 0 0 0 0 0", "holds 7 numbers")):
            with self.subTest(load=text):
                result = run("cardhouse", "analyze", self.problem, "--load", self.load(text))
                self.assertEqual(result.returncode, 2)
                self.assertIn(said, result.stderr)
        self.assertEqual(run("cardhouse", "analyze", self.problem, "--load", self.folder + "/none").returncode, 2)


if __name__ == "__main__":
    unittest.main()
