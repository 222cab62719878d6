"""The shared libraries show the functions of the public headers, each in one of them, and nothing else."""
import glob
import os
import pathlib
import re
import subprocess
import unittest

SOURCE, BUILD = os.environ["CH_SOURCE"], os.environ["CH_BUILD"]
ENGINE, IO = (os.path.join(BUILD, f"lib{name}.so") for name in ("cardhouse", "cardhouse-io"))


def defined(library, *options):
    lines = subprocess.run(["nm", "--defined-only", *options, library], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in lines.splitlines() if len(line.split()) > 2}


def needed(library):
    text = subprocess.run(["readelf", "-dW", library], capture_output=True, text=True, check=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", text), re.search(r"\(SONAME\).*\[(.*)\]", text).group(1)


def declared():
    """Functions and objects that the public headers declare with CH_API."""
    names = set()
    for path in glob.glob(os.path.join(SOURCE, "include", "cardhouse", "*.h")):
        text = re.sub(r"//.*|/\*.*?\*/", "", pathlib.Path(path).read_text())
        for declaration in re.findall(r"CH_API\b([^;{]*)", text):
            name = re.search(r"\b(ch_\w+)\s*(?:\(|\[|$)", declaration.strip())
            if name:
                names.add(name.group(1))
    return names


class TheSharedLibraries(unittest.TestCase):
    def setUp(self):
        self.public = declared()
        self.engine = defined(ENGINE, "-D")

    def test_show_public_functions_and_nothing_else(self):
        self.assertTrue(self.engine)
        self.assertEqual(sorted(self.engine - self.public), [])

    def test_need_no_reader_of_files_for_the_engine(self):
        libraries, name = needed(ENGINE)
        self.assertEqual(name, "libcardhouse.so.0")
        allowed = r"lib(qhull_r|umfpack|cholmod|amd|lapacke|openblas|gomp|omp|m|c|\w*san)\.so|ld-linux"
        self.assertEqual([library for library in libraries if not re.match(allowed, library)], [])

    def test_show_each_function_once(self):
        io = defined(IO, "-D")
        self.assertEqual(sorted(io - self.public), [])
        self.assertEqual(sorted(io & self.engine), [])
        # Nor is there a second, hidden allocator or log: what is set would not reach it.
        self.assertEqual([name for name in defined(IO) & self.engine if name.startswith(("ch_memory_", "ch_log"))], [])
        rest = self.public - io - self.engine
        self.assertEqual(sorted(name for name in rest if not name.startswith("ch_distributed_")), [],
                         "declared, and defined in neither library")
        archive = os.path.join(BUILD, "libcardhouse-dist.a")
        if os.path.exists(archive):  # built where MPI is
            self.assertEqual(sorted(rest - defined(archive)), [])


if __name__ == "__main__":
    unittest.main()
