#!/usr/bin/env python3
"""The architecture as a test: which folder may include which, how long files and functions may grow.

Prints one line a violation, e.g.   src/linalg/ldl.c:2: 'solve/' may not be included from 'linalg/'
"""
import os
import re
import subprocess
import sys
import tempfile

# A folder may include those it names, and whatever these may include.
ENGINE = {
    "base": "",
    "linalg": "base",
    "problem": "linalg",
    "system": "problem",
    "solve": "system",
    "model": "linalg",
    "collide": "model",
    "assemble": "collide problem",
    "step": "assemble solve",
}
# Readers and writers live on the engine's public headers; base is compiled into their library, too.
IO = {
    "files": "base",
    "analysis": "files",
    "mcp": "base",
    "record": "files",
    "scene": "record",
    "measure": "record",
}
# Many processes on one world: the only folder that knows MPI, a library of its own.
DIST = {"dist": "step record"}
# The applications live on the public headers, whatever these speak for; of ours they see their own folders only.
APPS = {
    "common": "",
    "serve": "common",
    "reproduce": "common",
    "export": "common",
    "cli": "serve reproduce export",
    "python": "",
}
USES = {**ENGINE, **IO, **DIST, **APPS}

# The folder that a public header speaks for: including the header counts as including the folder.
PUBLIC = {
    "api.h": "base",
    "status.h": "base",
    "memory.h": "base",
    "version.h": "base",
    "geometry.h": "base",
    "id.h": "base",
    "clock.h": "base",
    "disk.h": "base",
    "friction_curve.h": "base",
    "random.h": "base",
    "friction_section.h": "base",
    "text.h": "base",
    "tetrahedra.h": "model",
    "union_find.h": "base",
    "world.h": "model",
    "periodic.h": "model",
    "recirculation.h": "model",
    "body.h": "model",
    "joint.h": "model",
    "contact.h": "collide",
    "query.h": "collide",
    "def_field.h": "model",
    "joint_types.h": "model",
    "shape_types.h": "model",
    "simulation.h": "step",
    "distributed.h": "dist",
    "scene.h": "scene",
    "height_map.h": "scene",
    "record.h": "record",
    "feed.h": "record",
    "sparse.h": "linalg",
    "complementarity.h": "solve",
    "mcp.h": "mcp",
    "shape.h": "model",
    "soft.h": "model",
    "trajectory.h": "record",
    "measure.h": "measure",
    "dense.h": "linalg",
    "delassus.h": "system",
    "law.h": "problem",
    "own_law.h": "problem",
    "problem.h": "problem",
    "law.h": "problem",
    "own_law.h": "problem",
    "certificate.h": "problem",
    "files.h": "files",
    "analysis.h": "analysis",
    "diagnostics.h": "solve",
    "friction_matrix.h": "solve",
    "solve.h": "solve",
    "cardhouse.h": "cli",
}

FILE_LINES = 800
FUNCTION_LINES = 80  # 40 is the target
KERNEL_LINES = 120  # of these numerical kernels, which read worse in pieces
KERNELS = set()

# Files from outside are read by one checked accessor: who calls these reads into memory whose size the file chooses.
HDF5_READER = "src/files/hdf5_read.c"
HDF5_READS = re.compile(r"\b(H5[AD]read\w*|H5LTread\w*|H5LTget_attribute\w*|H5PTread\w*)\b")

# A law is asked what it is like (ch_law_info, the rows of src/problem/laws), never which one it is.
LAW_IDENTITY = re.compile(r"(?:[=!]=|\bcase)\s*CH_LAW_[A-Z]+\b(?<!CH_LAW_COUNT)(?<!CH_LAW_NONE)(?<!CH_LAW_END)")

INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')
FUNCTION = re.compile(r"[A-Za-z].*\)\s*\{$")
CALLED = re.compile(r"(\w+)\(")
TAG = re.compile(r"^\s*(?:typedef\s+)?(?:struct|union|enum)\s+(Ch\w+)\s*\{")
ENUM = re.compile(r"\benum(?:\s+\w+)?\s*\{([^}]*)\}")
ENUMERATOR = re.compile(r"(?:^|,)\s*(CH_\w+)")
MENTION = re.compile(r"(?<![\w.*-])(?:[\w-]+/)*\w+\.[ch]\b(?!\.)")


def reachable(folder):
    seen, open_folders = {folder}, [folder]
    while open_folders:
        for name in USES[open_folders.pop()].split():
            if name not in seen:
                seen.add(name)
                open_folders.append(name)
    return seen


def layer_of(include):
    """Folder that an include names, or None for a file beside the including one."""
    head, _, tail = include.partition("/")
    if not tail:
        return None
    return PUBLIC.get(tail, "?") if head == "cardhouse" else head


def check_includes(path, folder, lines):
    allowed = reachable(folder)
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        layer = match and layer_of(match.group(1))
        public = layer and match.group(1).startswith("cardhouse/")
        if not layer or (public and (folder in APPS or (folder in IO and layer in ENGINE))):
            continue
        if layer == "?" or layer not in USES:
            yield f"{path}:{number}: '{match.group(1)}' belongs to no folder of the table in tests/layers.py"
        elif layer not in allowed:
            yield f"{path}:{number}: '{layer}/' may not be included from '{folder}/'"


def check_lengths(path, lines):
    if len(lines) > FILE_LINES:
        yield f"{path}:{FILE_LINES}: the file has {len(lines)} lines, at most {FILE_LINES} are allowed"
    head, start = "", None
    for number, line in enumerate(lines, 1):
        if start is None and line and line[0] not in "#/}":
            head = head + line if line.startswith(" ") else line
            if head[0].isalpha() and line.endswith(") {"):
                start = number
        elif line.startswith("}"):
            name = CALLED.search(head).group(1) if start and CALLED.search(head) else ""
            most = KERNEL_LINES if name in KERNELS else FUNCTION_LINES
            if start and number - start >= most:
                yield f"{path}:{start}: {name} has {number - start + 1} lines, at most {most} are allowed"
            start = None


def check_hdf5(path, lines):
    for number, line in enumerate(lines, 1):
        match = HDF5_READS.search(line.partition("//")[0])
        if match and path != HDF5_READER:
            yield f"{path}:{number}: {match.group(1)} is called in {HDF5_READER} only"


def check_laws(path, lines):
    for number, line in enumerate(lines, 1):
        if path.startswith(("src/", "apps/")) and LAW_IDENTITY.search(line.partition("//")[0]):
            yield f"{path}:{number}: asks which law it is; ask its row instead"


def definitions(path, lines):
    """(name, what it is, path, line) of what must be there once: tags and enumerators with the project's prefix."""
    for number, line in enumerate(lines, 1):
        match = TAG.match(line)
        if match:
            yield match.group(1), "struct or enum", path, number
    text = "\n".join(line.partition("//")[0] for line in lines)
    for match in ENUM.finditer(text):
        for name in ENUMERATOR.finditer(match.group(1)):
            yield name.group(1), "enumerator", path, text.count("\n", 0, match.start(1) + name.start(1)) + 1


def check_names(defined):
    """One name, one thing: who meets ChMass in one folder need not ask which of two it is."""
    first = {}
    for name, what, path, number in defined:
        if name in first:
            yield f"{path}:{number}: the {what} '{name}' is defined in {first[name]} too"
        first.setdefault(name, f"{path}:{number}")


def check_file_names(paths):
    """No two sources of one name: a file is spoken of by its name. A public header may have a private one beside it."""
    first = {}
    for path in paths:
        name = os.path.basename(path)
        if path.startswith("include"):
            continue
        if name in first:
            yield f"{path}:1: there is a file of this name already: {first[name]}"
        first.setdefault(name, path)


def check_mentions(path, lines, known):
    """A comment that sends its reader to a file must send them to one that is there."""
    for number, line in enumerate(lines, 1):
        for match in MENTION.finditer(line.partition("//")[2]):
            if not any(file == match.group(0) or file.endswith("/" + match.group(0)) for file in known):
                yield f"{path}:{number}: there is no file {match.group(0)}"


def check_comments(path, lines):
    """A public function says what it does, in the lines above it. One comment may speak for functions that follow each
    other without an empty line."""
    said = False
    for number, line in enumerate(lines, 1):
        if line.startswith("CH_API"):
            declaration = "\n".join(lines[number - 1:]).partition(";")[0] + lines[number - 1].partition(";")[2]
            if not said and "//" not in declaration:
                yield f"{path}:{number}: {CALLED.search(declaration).group(1)} has no comment"
        said = line.startswith("//") or (said and bool(line.strip()) and not line.startswith("}"))


def check_self_contained(root, header):
    """A public header must compile alone: its reader should not have to guess what to include before it."""
    compiler = os.environ.get("CC", "cc")
    with tempfile.TemporaryDirectory() as folder:
        unit = os.path.join(folder, "unit.c")
        with open(unit, "w") as file:
            file.write(f'#include "cardhouse/{header}"\n')
        command = [compiler, "-std=c17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I", f"{root}/include", unit]
        run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        yield f"include/cardhouse/{header}:1: does not compile by itself: {run.stderr.strip().splitlines()[0]}"


def sources(root):
    """(path, folder) of every source file and public header."""
    for tree in ("src", "apps", "python/src"):
        for base, _, names in sorted(os.walk(os.path.join(root, tree))):
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    path = os.path.relpath(os.path.join(base, name), root)
                    yield path, "python" if tree.startswith("python") else path.split(os.sep)[1]
    for name in sorted(os.listdir(os.path.join(root, "include/cardhouse"))):
        yield f"include/cardhouse/{name}", PUBLIC.get(name, "?")


def all_files(root):
    """Every file of the tree that a comment may speak of."""
    found = []
    for tree in ("src", "apps", "include", "python", "tests", "bench", "docs"):
        for base, _, names in os.walk(os.path.join(root, tree)):
            found += [os.path.relpath(os.path.join(base, name), root) for name in names]
    return found


def self_test():
    """The checker must see what it is for."""
    found = list(check_includes("src/linalg/ldl.c", "linalg", ["", '#include "solve/registry.h"']))
    assert found == ["src/linalg/ldl.c:2: 'solve/' may not be included from 'linalg/'"], found
    assert list(check_includes("a", "problem", ['#include "cardhouse/solve.h"']))
    assert not list(check_includes("a", "solve", ['#include "base/arena.h"', '#include "linalg/sparse.h"', "#include <math.h>"]))
    assert list(check_includes("src/record/vtk.c", "record", ['#include "model/world.h"']))
    assert list(check_includes("src/record/vtk.c", "record", ['#include "cardhouse/scene.h"']))
    assert not list(check_includes("src/record/vtk.c", "record", ['#include "base/arena.h"', '#include "cardhouse/shape.h"']))
    assert list(check_includes("apps/cli/run.c", "cli", ['#include "base/check.h"']))
    assert not list(check_includes("apps/cli/run.c", "cli", ['#include "cardhouse/solve.h"', '#include "serve/live.h"']))
    assert list(check_lengths("a", ["int f(void) {"] + ["  x;"] * FUNCTION_LINES + ["}"]))
    assert list(check_hdf5("src/record/column.c", ["  H5Aread(attribute, type, &value);"]))
    assert not list(check_hdf5(HDF5_READER, ["  H5Dread(set, type, memory, file, H5P_DEFAULT, out);"]))
    assert list(check_laws("src/step/a.c", ["  if (block->law != CH_LAW_CONTACT) continue;"]))
    assert not list(check_laws("src/step/a.c", ["  block.law = CH_LAW_CONTACT;", "  return law == CH_LAW_COUNT;"]))
    assert list(check_lengths("a", ["//"] * (FILE_LINES + 1)))
    long = ["static int f(int a,", "             int b) {"] + ["  x;"] * FUNCTION_LINES + ["}"]
    assert list(check_lengths("a", long)) == [f"a:2: f has {FUNCTION_LINES + 2} lines, at most {FUNCTION_LINES} are allowed"]
    twice = [*definitions("a.h", ["typedef struct ChA {"]), *definitions("b.h", ["typedef struct ChA {"])]
    assert list(check_names(twice)) == ["b.h:1: the struct or enum 'ChA' is defined in a.h:1 too"]
    both = [*definitions("a.h", ["enum {", "  CH_A = 1,  // CH_X", "  CH_B };"]), *definitions("b.h", ["enum { CH_B };"])]
    assert list(check_names(both)) == ["b.h:1: the enumerator 'CH_B' is defined in a.h:3 too"]
    assert list(check_file_names(["src/a/x.c", "src/b/x.c", "include/cardhouse/x.c"])) == [
        "src/b/x.c:1: there is a file of this name already: src/a/x.c"]
    assert list(check_mentions("a", ["x;  // see b.h and c/d.h"], ["src/b.h", "src/e/d.h"])) == ["a:1: there is no file c/d.h"]
    assert list(check_comments("a", ["", "CH_API int f(void);"])) and not list(check_comments("a", ["// f", "CH_API int f(void);"]))


def main():
    self_test()
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    found, count, defined = [], 0, []
    known = all_files(root)
    for path, folder in sources(root):
        count += 1
        with open(os.path.join(root, path), encoding="utf-8") as file:
            lines = file.read().splitlines()
        if folder not in USES:
            found.append(f"{path}:1: belongs to no folder of the table in tests/layers.py")
            continue
        found += check_includes(path, folder, lines)
        found += check_lengths(path, lines)
        found += check_hdf5(path, lines)
        found += check_laws(path, lines)
        found += check_mentions(path, lines, known)
        defined += definitions(path, lines)
        if path.startswith("include"):
            found += check_comments(path, lines)
            found += check_self_contained(root, os.path.basename(path))
    found += check_names(defined)
    found += check_file_names(path for path, _ in sources(root))
    print("\n".join(found) if found else f"{count} files keep to the layers")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
