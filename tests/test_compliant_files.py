#!/usr/bin/env python3
"""Files of compliant contacts: what others see of them, and what happens where their group is not what it should be."""
import json
import os
import shutil
import subprocess
import tempfile
import unittest

try:
    import h5py
    import numpy as np
    MISSING = None
except ImportError as error:
    MISSING = "skipped: needs python3-numpy and python3-h5py (%s)" % error

BUILD = os.environ.get("CH_BUILD", "build")
PROGRAM = os.environ.get("CARDHOUSE", os.path.join(BUILD, "cardhouse"))
GROUP = "cardhouse/compliant/"


def solve(*words):
    return subprocess.run([PROGRAM, "solve", *words, "--json"], capture_output=True, text=True, timeout=120)


def replace(name, value):
    def change(file):
        del file[GROUP + name]
        if value is not None:
            file[GROUP + name] = value
    return change


@unittest.skipIf(MISSING, MISSING)
class CompliantFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.rigid, cls.soft = (os.path.join(cls.folder, name) for name in ("rigid.hdf5", "soft.hdf5"))
        for file, compliance in ((cls.rigid, "0"), (cls.soft, "0.1")):
            subprocess.run([os.path.join(BUILD, "make_problems"), "pile", "--n", "3", "--mu", "0.3", "--noise", "0.05",
                            "--compliance", compliance, "--out", file], check=True, stdout=subprocess.DEVNULL)

    def test_readers_that_know_fclib_alone_see_the_rigid_problem(self):
        with h5py.File(self.rigid) as rigid, h5py.File(self.soft) as soft:
            names = []
            rigid["fclib_global"].visititems(lambda name, item: names.append(name) if hasattr(item, "shape") else None)
            for name in names:
                if not name.startswith("info"):
                    self.assertTrue(np.array_equal(rigid["fclib_global"][name][()], soft["fclib_global"][name][()]), name)
            self.assertIn(b"NOT rigid", bytes(soft["fclib_global/info/description"][()]))
            self.assertNotIn("cardhouse", rigid)
            contacts = len(soft["fclib_global/vectors/mu"])
            self.assertEqual(list(soft[GROUP + "contact"][:]), list(range(contacts)))
            self.assertTrue((soft[GROUP + "compliance"][:] > 0.0).all())

    def test_a_group_that_lies_is_refused_by_name(self):
        with h5py.File(self.soft) as file:
            count = len(file[GROUP + "contact"])
            contact, compliance = file[GROUP + "contact"][:], file[GROUP + "compliance"][:]
        bad = {"contact": [contact + 1, contact - 1, contact[::-1].copy(), contact * 0, contact[:-1], contact.astype(float),
                           np.array([2 ** 31 - 1] * count, dtype=contact.dtype), np.bytes_("all"), None],
               "compliance": [compliance * np.nan, compliance * np.inf, -compliance, compliance[:-1], compliance * 1e300,
                              np.bytes_("soft"), None]}
        path = os.path.join(self.folder, "bad.hdf5")
        for name, values in bad.items():
            for value in values:
                shutil.copy(self.soft, path)
                with h5py.File(path, "r+") as file:
                    replace(name, value)(file)
                result = solve(path)
                with self.subTest(name=name, value=str(value)[:40]):
                    self.assertEqual(result.returncode, 2, result.stdout)
                    self.assertIn("complian", result.stderr)

    def test_some_contacts_may_yield_and_others_not(self):
        path = os.path.join(self.folder, "some.hdf5")
        shutil.copy(self.soft, path)
        with h5py.File(path, "r+") as file:
            half, compliance = file[GROUP + "contact"][::2], file[GROUP + "compliance"][::2]
            replace("contact", half)(file)
            replace("compliance", compliance)(file)
        answer = json.loads(solve(path).stdout)
        self.assertEqual(answer["status"], "solved")
        self.assertEqual(answer["certificate"]["laws"], ["contact", "compliant"])
        self.assertEqual(answer["problem"]["compliant contacts"], len(half))


if __name__ == "__main__":
    unittest.main()
