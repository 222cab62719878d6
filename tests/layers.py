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
IO = {
    "files": "problem",
    "analysis": "solve files",
    "mcp": "solve",
    "scene": "step",
    "record": "step files",
    "measure": "record",
}
APPS = {
    "serve": "scene record",
    "reproduce": "scene record mcp measure analysis",
    "cli": "analysis serve reproduce",
}
USES = {**ENGINE, **IO, **APPS}

# The folder that a public header speaks for: including the header counts as including the folder.
PUBLIC = {
    "api.h": "base",
    "status.h": "base",
    "geometry.h": "base",
    "id.h": "base",
    "world.h": "model",
    "simulation.h": "step",
    "scene.h": "scene",
    "record.h": "record",
    "sparse.h": "linalg",
    "problem.h": "problem",
    "certificate.h": "problem",
    "files.h": "files",
    "analysis.h": "analysis",
    "diagnostics.h": "solve",
    "friction_matrix.h": "solve",
    "solve.h": "solve",
    "cardhouse.h": "cli",
}

FILE_LINES = 800
FUNCTION_LINES = 120  # 40 is the target, 80 the ceiling; a numerical kernel may need this much

# Files from outside are read by one checked accessor: who calls these reads into memory whose size the file chooses.
HDF5_READER = "src/files/hdf5_read.c"
HDF5_READS = re.compile(r"\b(H5[AD]read\w*|H5LTread\w*|H5LTget_attribute\w*|H5PTread\w*)\b")

INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')


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
        if not layer:
            continue
        if layer == "?" or layer not in USES:
            yield f"{path}:{number}: '{match.group(1)}' belongs to no folder of the table in tests/layers.py"
        elif layer not in allowed:
            yield f"{path}:{number}: '{layer}/' may not be included from '{folder}/'"


def check_lengths(path, lines):
    if len(lines) > FILE_LINES:
        yield f"{path}:{FILE_LINES}: the file has {len(lines)} lines, at most {FILE_LINES} are allowed"
    start = None
    for number, line in enumerate(lines, 1):
        if re.match(r"[A-Za-z].*\)\s*\{$|\s+.*\)\s*\{$", line) and start is None and not line.startswith(" "):
            start = number
        elif line.startswith("}"):
            if start and number - start >= FUNCTION_LINES:
                yield f"{path}:{start}: the function has {number - start + 1} lines, at most {FUNCTION_LINES} are allowed"
            start = None


def check_hdf5(path, lines):
    for number, line in enumerate(lines, 1):
        match = HDF5_READS.search(line.partition("//")[0])
        if match and path != HDF5_READER:
            yield f"{path}:{number}: {match.group(1)} is called in {HDF5_READER} only"


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
    for tree in ("src", "apps"):
        for base, _, names in sorted(os.walk(os.path.join(root, tree))):
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    path = os.path.relpath(os.path.join(base, name), root)
                    yield path, path.split(os.sep)[1]
    for name in sorted(os.listdir(os.path.join(root, "include/cardhouse"))):
        yield f"include/cardhouse/{name}", PUBLIC.get(name, "?")


def self_test():
    """The checker must see what it is for."""
    found = list(check_includes("src/linalg/ldl.c", "linalg", ["", '#include "solve/registry.h"']))
    assert found == ["src/linalg/ldl.c:2: 'solve/' may not be included from 'linalg/'"], found
    assert list(check_includes("a", "problem", ['#include "cardhouse/solve.h"']))
    assert not list(check_includes("a", "solve", ['#include "base/arena.h"', '#include "linalg/sparse.h"', "#include <math.h>"]))
    assert list(check_lengths("a", ["int f(void) {"] + ["  x;"] * FUNCTION_LINES + ["}"]))
    assert list(check_hdf5("src/record/column.c", ["  H5Aread(attribute, type, &value);"]))
    assert not list(check_hdf5(HDF5_READER, ["  H5Dread(set, type, memory, file, H5P_DEFAULT, out);"]))
    assert list(check_lengths("a", ["//"] * (FILE_LINES + 1)))


def main():
    self_test()
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    found, count = [], 0
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
        if path.startswith("include"):
            found += check_self_contained(root, os.path.basename(path))
    print("\n".join(found) if found else f"{count} files keep to the layers")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
