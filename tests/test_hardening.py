"""The built program is hardened: what the loader searches, and what the compiler put in.

A downloaded scene may lie beside a file called libpng16.so.16: no library is looked for in the current folder.
"""
import os
import pathlib
import re
import subprocess
import unittest

from instruments import instruments

PROGRAM = os.environ["CARDHOUSE"]
CACHE = pathlib.Path(os.environ["CH_BUILD"], "CMakeCache.txt").read_text()


def readelf(*options):
    return subprocess.run(["readelf", "-W", *options, PROGRAM], capture_output=True, text=True, check=True).stdout


class TheProgram(unittest.TestCase):
    def test_searches_no_folder_that_a_stranger_may_fill(self):
        for path in re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", readelf("-d")):
            for entry in path.split(":"):
                self.assertRegex(entry, r"^(/|\$ORIGIN)", f"the loader searches '{entry}' of '{path}'")

    def test_has_its_tables_made_read_only_before_it_starts(self):
        self.assertTrue("GNU_RELRO" in readelf("-l"), "nothing is made read-only")
        self.assertTrue(re.search(r"\(FLAGS(_1)?\).*\b(BIND_)?NOW\b", readelf("-d")), "symbols are bound late")

    def test_lies_where_chance_puts_it_and_runs_no_data(self):
        self.assertRegex(readelf("-h"), r"Type:\s+DYN")
        stack = re.search(r"GNU_STACK\s+(?:0x\w+\s+){5}(\S+)", readelf("-l"))
        self.assertNotIn("E", stack.group(1))

    def test_guards_its_stack_and_its_buffers(self):
        symbols = readelf("--dyn-syms")
        self.assertTrue("__stack_chk_fail" in symbols, "no function guards its stack")
        if instruments(PROGRAM) == "sanitizers":
            self.skipTest("sanitizers check buffers themselves")
        if re.search(r"^CMAKE_BUILD_TYPE:\w+=Debug$", CACHE, re.MULTILINE):
            self.skipTest("a debug build: the C library fortifies what is optimised")
        self.assertTrue("__snprintf_chk" in symbols, "no fortified function of the C library is used")


if __name__ == "__main__":
    unittest.main()
