#!/usr/bin/env python3
"""What `cardhouse export --gltf` writes, opened in Blender without a window: objects, frames, and where everything is.

    tools/blender-check.py [BUILD FOLDER, build]          (make blender-check)

Runs a card house, an hourglass and soft animals, exports each as .glb and as a table, lets Blender's own importer read the
.glb, and compares: every body is an object, every row a frame, and every object within TOLERANCE metres of its place in
the table at every frame. (How deformable bodies bend is looked after by ctest -R test_export.)"""
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile

TOLERANCE = 1e-5  # metres: positions are four bytes a number, and within a few metres of the origin
ROWS = 50  # a second
SCENES = {
    "cards": ["cards", "--levels", "3", "--mu", "0.2", "--until", "1", "--every", "20"],
    "hourglass": ["hourglass", "--n", "60", "--until", "0.4", "--tol", "1e-4", "--every", "20"],
    "dinosaurs": ["dinosaurs", "--until", "0.5", "--every", "2"],
}

# Runs inside of Blender. Debian's importer is older than its numpy, which has no `bool` any more.
INSIDE = """
import json, sys
import bpy, numpy
if not hasattr(numpy, "bool"):
    numpy.bool = bool
source, target, rows = sys.argv[sys.argv.index("--") + 1:]
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.context.scene.render.fps = int(rows)
bpy.ops.import_scene.gltf(filepath=source)
frames = sorted({round(point.co.x, 3) for action in bpy.data.actions for curve in action.fcurves for point in curve.keyframe_points})
told = {"frames": len(frames), "objects": len(bpy.data.objects), "meshes": len(bpy.data.meshes), "at": []}
for frame in frames:
    bpy.context.scene.frame_set(int(frame), subframe=frame - int(frame))
    told["at"].append({o.name: list(o.matrix_world.translation) for o in bpy.data.objects})
json.dump(told, open(target, "w"))
"""


def call(*words):
    # Blender takes the library of whatever Python stands first in PATH: the system's, for which it was built.
    system = dict(os.environ, PATH="/usr/local/bin:/usr/bin:/bin")
    done = subprocess.run(words, capture_output=True, text=True, timeout=1800, env=system)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def table(path):
    """Rows of the recording: {body: (x, y, z)}, in the order of time."""
    rows = {}
    with open(path, encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            rows.setdefault(float(line["time"]), {})[line["body"]] = [float(line[k]) for k in "xyz"]
    return [rows[time] for time in sorted(rows)]


def check(program, folder, name, words):
    place = {end: os.path.join(folder, name + end) for end in (".h5", ".glb", ".csv", ".json", ".py")}
    call(program, "run", *words, "--out", place[".h5"], "--quiet")
    call(program, "export", place[".h5"], "--gltf", place[".glb"], "--csv", place[".csv"], "--fps", "1000", "--quiet")
    with open(place[".py"], "w", encoding="utf-8") as file:
        file.write(INSIDE)
    call(shutil.which("blender"), "--background", "--factory-startup", "--python-exit-code", "3", "--python", place[".py"], "--", place[".glb"],
         place[".json"], str(ROWS))
    with open(place[".json"], encoding="utf-8") as file:
        told = json.load(file)
    rows = table(place[".csv"])
    bodies = list(rows[0])
    missing = [body for body in bodies if body not in told["at"][0]]
    worst = max(abs(a - b) for row, seen in zip(rows, told["at"]) for body in bodies if body in seen
                for a, b in zip(row[body], seen[body]))
    good = not missing and told["frames"] == len(rows) and worst <= TOLERANCE
    print(f"{name:10} {len(bodies)} bodies, {told['objects']} objects, {told['meshes']} meshes; {len(rows)} rows, "
          f"{told['frames']} frames; farthest from its place {worst:.2g} m: {'good' if good else 'WRONG'}")
    if missing:
        print(f"           no object is called {', '.join(missing[:5])}")
    return good


def main():
    program = os.path.join(os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build"), "cardhouse")
    if not shutil.which("blender"):
        sys.exit("blender-check: there is no blender; on Debian: apt-get install blender")
    with tempfile.TemporaryDirectory() as folder:
        good = [check(program, folder, name, words) for name, words in SCENES.items()]
    sys.exit(0 if all(good) else 1)


main()
