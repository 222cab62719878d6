#!/usr/bin/env python3
"""The package's types hold under mypy --strict, in it and for who uses it; the stub names what the extension has."""
import ast
import os
import shutil
import subprocess
import tempfile
import unittest

from cardhouse import _core

FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
USER = """
import numpy as np
import numpy.typing as npt
import cardhouse

sim = cardhouse.Simulation(cardhouse.scenes.cards(levels=3), h=1e-3)
report: cardhouse.Report = sim.step(10)
velocity: npt.NDArray[np.float64] = sim.velocity
sim.velocity[3] = [0, 0, 1]
figure: float = report.certificate.natural
hit = sim.cast_ray([0, 0, 1], [0, 0, -1])
name: str = hit.body.name if hit else ""
"""


class Types(unittest.TestCase):
    @unittest.skipUnless(shutil.which("mypy"), "mypy is not installed")
    def test_mypy_strict(self):
        with tempfile.TemporaryDirectory() as folder:
            user = os.path.join(folder, "user.py")
            with open(user, "w") as stream:
                stream.write(USER)
            done = subprocess.run(["mypy", "--strict", "--cache-dir", os.path.join(folder, "cache"), "-p", "cardhouse"],
                                  cwd=FOLDER, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout)
            done = subprocess.run(["mypy", "--strict", "--cache-dir", os.path.join(folder, "cache"), user],
                                  cwd=FOLDER, env={**os.environ, "MYPYPATH": FOLDER}, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout)

    def test_the_stub_names_what_is_there(self):
        with open(os.path.join(FOLDER, "cardhouse", "_core.pyi")) as stream:
            stub = ast.parse(stream.read())
        names = set()
        for node in stub.body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                names.add(node.name)
            if isinstance(node, ast.ClassDef):
                members = {member.name for member in node.body if isinstance(member, ast.FunctionDef)}
                there = {name for name in vars(getattr(_core, node.name)) if not name.startswith("__")}
                self.assertEqual({name for name in members if not name.startswith("__")},
                                 there - {"simulation"} if node.name in ("Body", "Joint") else there, node.name)
        callables = {name for name in vars(_core) if callable(getattr(_core, name)) and not name.startswith("__")}
        self.assertEqual(names, callables)


if __name__ == "__main__":
    unittest.main()
