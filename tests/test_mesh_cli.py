#!/usr/bin/env python3
"""`cardhouse mesh`: what it writes and prints of meshes with known answers, and what it refuses."""
import json
import os
import subprocess
import tempfile
import unittest

PROGRAM = os.environ.get("CARDHOUSE", "build/cardhouse")


def run(*words):
    return subprocess.run([PROGRAM, "mesh", *words], capture_output=True, text=True, timeout=120)


def measured(*words):
    result = run(*words, "--json")
    if result.returncode:
        raise AssertionError(result.stderr)
    return json.loads(result.stdout)


class Mesh(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "a.msh")

    def test_a_shape_is_written_and_read_back(self):
        for shape in [row["name"] for row in json.loads(run("list", "--json").stdout)["shapes"]]:
            with self.subTest(shape=shape):
                written = measured(shape, "--out", self.path)
                read = measured(self.path)
                self.assertEqual(written.pop("mesh"), shape)
                self.assertEqual(read.pop("mesh"), self.path)
                self.assertEqual(written, read)

    def test_measures_are_those_asked_for(self):
        answer = measured("block", "--size", "1,2,3", "--cells", "2,3,4")
        self.assertAlmostEqual(answer["volume"], 6.0, places=12)
        self.assertAlmostEqual(answer["area"], 22.0, places=12)
        self.assertEqual(answer["tetrahedra"], 6 * 24)
        self.assertEqual(answer["high"], [0.5, 1.0, 1.5])
        self.assertEqual(measured("bar", "--size", "2")["high"], [1.0, 0.05, 0.05])
        high = measured("strand", "--amplitude", "0.01", "--period", "0.1")["high"]
        self.assertAlmostEqual(high[2], 0.012, places=4)  # amplitude and half the thickness

    def test_what_is_printed(self):
        text = run("block", "--size", "1,2,3", "--out", self.path).stdout
        self.assertIn("1152, 315 vertices", text)
        self.assertIn("volume        6 m^3", text)
        self.assertEqual(run(self.path).stdout, text)
        self.assertEqual(run(self.path, "--quiet").stdout, "")

    def test_refusals(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 x 0\n$EndNodes\n")
        for words, why in ((("bat",), "'bat' is neither a shape nor a file; did you mean 'bar'?"), ((self.path,), "a.msh:6:5: coordinate of a node"),
                           ((self.path, "--size", "1"), "are for shapes"), (("bar", "--cells", "1.5"), "whole numbers"),
                           (("bar", "--cells", "2,0"), "positive numbers"), (("bar", "--size", "1,,2"), "positive numbers"),
                           (("bar", "--size", "nan"), "positive numbers"), (("bar", "--cells", "500,500,500"), "at most 2000000"),
                           (("bar", "--cells", "1e9"), "1e+09 cells along a side make more tetrahedra than the 2000000"),
                           (("chair", "--cells", "1e6"), "1000000 cells make more than 2000000 tetrahedra"),
                           (("bar", "--phase", "1"), "belong to a strand"), ((), "SHAPE|FILE"),
                           (("nowhere/a.msh",), "nowhere/a.msh: cannot be opened: No such file"),
                           (("nonexistent",), "'nonexistent' is neither a shape nor a file. Shapes are: bar, "),
                           (("bar", "--out", self.path[:-3] + "vtk"), "must end in .msh: meshes are written in Gmsh's format only"), (("bar", "--out", "nowhere/a.msh"), "nowhere")):
            with self.subTest(words=words):
                result = run(*words)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(why, result.stderr)
                self.assertEqual(result.stdout, "")


if __name__ == "__main__":
    unittest.main()
