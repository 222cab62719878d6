"""What is installed can be used: the documentation's examples are built in a clean folder, with pkg-config and with
find_package, against the shared libraries and against the archives, and run."""
import glob
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from instruments import instruments

SOURCE, BUILD = os.environ["CH_SOURCE"], os.environ["CH_BUILD"]
EXAMPLES = sorted(glob.glob(os.path.join(SOURCE, "docs", "examples", "*.c")))
# Of these the engine alone is enough.
ENGINE_EXAMPLES = [os.path.join(SOURCE, "docs", "examples", "solve_a_block.c")]
CACHE = pathlib.Path(BUILD, "CMakeCache.txt").read_text()
INSTRUMENTS = instruments(os.environ["CARDHOUSE"])
COMPILER = re.search(r"^CMAKE_C_COMPILER:\w+=(.*)$", CACHE, re.MULTILINE).group(1)

PROJECT = """cmake_minimum_required(VERSION 3.21)
project(user C)
find_package(cardhouse {version} CONFIG REQUIRED {components})
foreach(source {sources})
  get_filename_component(name ${{source}} NAME_WE)
  add_executable(${{name}} ${{source}})
  target_link_libraries(${{name}} PRIVATE {target})
endforeach()
"""

# What a project sees that has our sources in a folder of its own.
PARENT = f"""cmake_minimum_required(VERSION 3.21)
project(parent C)
set(CMAKE_C_FLAGS_RELEASE "-O1")
add_subdirectory({SOURCE} cardhouse)
foreach(target cardhouse::engine cardhouse::cardhouse)
  if(NOT TARGET ${{target}})
    message(FATAL_ERROR "there is no ${{target}}")
  endif()
endforeach()
foreach(target cardhouse conformance make_problems test_base)
  if(TARGET ${{target}})
    message(FATAL_ERROR "${{target}} is ours alone")
  endif()
endforeach()
if(CMAKE_BUILD_TYPE OR NOT CMAKE_C_FLAGS_RELEASE STREQUAL "-O1" OR CMAKE_C_STANDARD)
  message(FATAL_ERROR "settings of the parent were changed")
endif()
"""


def run(*words, **options):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(words)}\n{done.stdout}")
    return done.stdout


@unittest.skipIf(INSTRUMENTS, f"libraries with {INSTRUMENTS} are for the programs of that build")
class WhatIsInstalled(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.prefix = os.path.join(cls.holder.name, "prefix")
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)
        pc = glob.glob(os.path.join(cls.prefix, "**", "cardhouse.pc"), recursive=True)[0]
        cls.lib = os.path.dirname(os.path.dirname(pc))
        cls.environment = dict(os.environ, PKG_CONFIG_PATH=os.path.dirname(pc), LD_LIBRARY_PATH=cls.lib)

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def test_shells_find_what_they_complete(self):
        for path in ("bash-completion/completions/cardhouse", "zsh/site-functions/_cardhouse", "fish/vendor_completions.d/cardhouse.fish"):
            with open(os.path.join(self.prefix, "share", path)) as file:
                self.assertIn("cardhouse completion", file.read())

    def asked(self, *words):
        return run("pkg-config", *words, env=self.environment).split()

    def runs(self, program):
        self.assertTrue(run(program, env=self.environment))

    def compiled(self, source, links):
        folder = tempfile.mkdtemp(dir=self.holder.name)
        program = os.path.join(folder, "example")
        run(COMPILER, source, *self.asked("--cflags", "cardhouse-engine"), *links, "-o", program, cwd=folder)
        self.runs(program)
        return program

    def libraries_of(self, program):
        return run("ldd", program, env=self.environment)

    def archives(self, package):
        """The libraries that --static names, ours by the names of their archives."""
        return [re.sub(r"^-l(cardhouse\S*)$", r"-l:lib\1.a", word) for word in self.asked("--static", "--libs", package)]

    def test_links_the_engine_alone_by_pkg_config(self):
        for source in ENGINE_EXAMPLES:
            shared = self.libraries_of(self.compiled(source, self.asked("--libs", "cardhouse-engine")))
            self.assertIn("libcardhouse.so.0", shared)
            self.assertNotRegex(shared, "hdf5|jansson|glpk")
            self.assertNotIn("libcardhouse", self.libraries_of(self.compiled(source, self.archives("cardhouse-engine"))))

    def test_links_archives_by_pkg_config(self):
        for source in EXAMPLES:
            self.assertNotIn("libcardhouse", self.libraries_of(self.compiled(source, self.archives("cardhouse"))))

    def test_links_shared_libraries_by_pkg_config(self):
        for source in EXAMPLES:
            shared = self.libraries_of(self.compiled(source, self.asked("--libs", "cardhouse")))
            self.assertIn("libcardhouse.so.0", shared)

    def found(self, components, target, sources):
        """Builds and runs the examples of a project that has found the package."""
        folder = tempfile.mkdtemp(dir=self.holder.name)
        version = self.asked("--modversion", "cardhouse")[0]
        pathlib.Path(folder, "CMakeLists.txt").write_text(
            PROJECT.format(version=version, components=components, target=target, sources=" ".join(sources)))
        build = os.path.join(folder, "build")
        run("cmake", "-S", folder, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_C_COMPILER={COMPILER}")
        run("cmake", "--build", build)
        for source in sources:
            self.runs(os.path.join(build, os.path.splitext(os.path.basename(source))[0]))

    def test_links_archives_by_find_package(self):
        self.found("COMPONENTS static", "cardhouse::cardhouse", EXAMPLES)

    def test_links_shared_libraries_by_find_package(self):
        self.found("", "cardhouse::cardhouse", EXAMPLES)
        self.found("", "cardhouse::engine", ENGINE_EXAMPLES)

    def test_has_a_program_that_runs(self):
        self.assertRegex(run(os.path.join(self.prefix, "bin", "cardhouse"), "--version"), r"^cardhouse \d")

    def test_is_a_good_guest_in_another_project(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "CMakeLists.txt").write_text(PARENT)
            run("cmake", "-S", folder, "-B", os.path.join(folder, "build"), f"-DCMAKE_C_COMPILER={COMPILER}")


if __name__ == "__main__":
    unittest.main()
