#!/usr/bin/env python3
"""Every public header stands alone: as C11, C17 and C++17, pedantic, without a warning."""
import os
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEADERS = sorted(os.listdir(os.path.join(ROOT, "include", "cardhouse")))
FLAGS = ["-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I" + os.path.join(ROOT, "include")]


class Headers(unittest.TestCase):
    def compile(self, compiler, standard, suffix, headers=HEADERS, text="int main(void) { return 0; }\n"):
        if not shutil.which(compiler):
            self.skipTest("there is no " + compiler)
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for header in headers:
                files.append(os.path.join(folder, header.replace(".h", suffix)))
                with open(files[-1], "w", encoding="utf-8") as file:
                    file.write(f"#include <cardhouse/{header}>\n{text}")
            result = subprocess.run([compiler, "-std=" + standard, *FLAGS, *files], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_c11(self):
        self.compile(os.environ.get("CC", "cc"), "c11", ".c")

    def test_c17(self):
        self.compile(os.environ.get("CC", "cc"), "c17", ".c")

    def test_cpp17(self):
        self.compile(os.environ.get("CXX", "c++"), "c++17", ".cpp")

    def test_a_definition_is_made_in_cpp(self):
        text = """int main() {
  ChBodyDef def = ch_body_def_default();
  def.mass = 2.0;
  ChJointDef joint = ch_joint_def_default();
  joint.body[0] = CH_GROUND;
  joint.body[1] = ch_body_id(0);
  return ch_body_id_equal(joint.body[0], joint.body[1]) || def.mass < 1.0;
}
"""
        self.compile(os.environ.get("CXX", "c++"), "c++17", ".cpp", ["cardhouse.h"], text)


if __name__ == "__main__":
    unittest.main(verbosity=2)
