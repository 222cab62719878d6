#!/usr/bin/env python3
"""meshes.py --build FOLDER [--before PROGRAM]: what contact of meshes costs, and what it does not cost others.

Exact beside sampled contact: a hollow roller hangs on a pin, a chain's link on a link. Where they come to rest is known
to rounding for the roller (its hole is convex: all half-planes against all corners), and for the link it is what
the exact form finds. The sampled form takes ever finer fields and samples.

With --before, the scenes of hulls and primitives of bench/instructions.py, run by an earlier program and by this one
on the same files. Times are processor time of long runs less that of short ones, the less of two.
"""
import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile

from instructions import SCENES

REPEAT = 2
LADDER = [None, (40, 1.0), (80, 0.5), (160, 0.25)]  # None: exact; else cells, and samples' distance in the default one
G, H, STEPS = 9.81, 1e-3, 500
LONGER = 5  # times as many steps as instructions are counted for


def processor_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    run = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    if run.returncode:
        sys.exit(f"{' '.join(command)}: ended with {run.returncode}\n{run.stderr[-1000:]}")
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def milliseconds_a_step(program, scene, h, few, many):
    def least(steps):
        return min(processor_seconds([program, "run", scene, "--h", repr(h), "--until", repr(steps * h), "--rest", "off",
                                      "--quiet"])
                   for _ in range(REPEAT))
    return 1e3 * (least(many) - least(few)) / (many - few)


# ----------------------------------------------------------------------------------------------------- exact and sampled

def built_in(program, *words):
    return json.loads(subprocess.run([program, "scene", *words], capture_output=True, text=True, check=True).stdout)


def corners(mesh):
    return sorted({(x, z) for x, y, z in mesh["points"] if x * x + z * z > 0})


def drop_of_roller(meshes):
    """How far the roller sinks: least over the hole's sides and the pin's corners of the room above, along z."""
    pin = corners(meshes["pin"])
    roller = corners(meshes["roller"])
    inner = min(math.hypot(*p) for p in roller)
    hole = sorted((p for p in roller if math.hypot(*p) < inner * 1.001), key=lambda p: math.atan2(p[1], p[0]))
    rooms = []
    for a, b in zip(hole, hole[1:] + hole[:1]):
        n = (b[1] - a[1], a[0] - b[0])
        if n[1] > 1e-9:
            rooms += [(n[0] * (a[0] - p[0]) + n[1] * (a[1] - p[1])) / n[1] for p in pin]
    return min(rooms)


def hanging(shape):
    """A body of 1 kg whose potential energy is its height times 9.81."""
    return {"name": "hangs", "mass": 1, "centre": [0, 0, 0], "inertia": [1e-4, 1e-4, 1e-4], "shapes": [shape]}


def roller(program):
    """On a pin: where it comes to rest, and no further."""
    scene = built_in(program, "bike-chain")
    meshes = {name: scene["meshes"][name] for name in ("pin", "roller")}
    bodies = [{"name": "fixed", "fixed": True, "shapes": [{"type": "mesh", "mesh": "pin"}]},
              hanging({"type": "mesh", "mesh": "roller"})]
    return meshes, bodies, -drop_of_roller(meshes)


def link(program):
    scene = built_in(program, "anchor", "--links", "2", "--angle", "0")
    shape = {"type": "mesh", "mesh": "link"}
    first, second = scene["bodies"][:2]
    second = {**hanging(shape), **{key: second[key] for key in ("position", "orientation")}}
    return {"link": scene["meshes"]["link"]}, [{**first, "shapes": [shape]}, second], None


def diagonal(mesh):
    sides = [max(axis) - min(axis) for axis in zip(*mesh["points"])]
    return math.hypot(*sides)


def write_scene(path, meshes, bodies, form):
    for body in bodies:
        for shape in body["shapes"]:
            for key in ("contact", "resolution", "spacing"):
                shape.pop(key, None)
            if form:
                shape.update(contact="sampled", resolution=form[0], spacing=form[1] * diagonal(meshes[shape["mesh"]]) / 32)
    scene = {"cardhouse": 1, "gravity": [0, 0, -G], "step": {"h": H, "margin": 5e-4}, "meshes": meshes, "bodies": bodies,
             "materials": {"default": {"density": 7800, "friction": 0.5, "restitution": 0}}}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(scene, file)


def height(program, path):
    """Of the body that hangs, a quarter of a second after its start; None where its cells are refused as too coarse."""
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "run.csv")
        done = subprocess.run([program, "run", path, "--until", "0.25", "--quiet", "--csv", table], stderr=subprocess.PIPE, text=True)
        if done.returncode == 2 and "contacts in that gap would be missed" in done.stderr:
            return None
        if done.returncode != 0:
            raise SystemExit(done.stderr)
        with open(table, encoding="utf-8") as file:
            names, *rows = [line.strip().split(",") for line in file]
    return float(rows[-1][names.index("potential")]) / G


def compare_forms(program, folder):
    print("| pair | contact | off by, m | ms a step | sampled / exact |\n|---|---|---:|---:|---:|")
    path = os.path.join(folder, "pair.json")
    for name, make in (("roller on a pin", roller), ("link on a link", link)):
        meshes, bodies, known = make(program)
        for form in LADDER:
            write_scene(path, meshes, bodies, form)
            found = height(program, path)
            what = f"sampled, {form[0]} cells, {form[1]:g} of the default distance" if form else "exact"
            if found is None:
                print(f"| {name} | {what} | refused: cells larger than the clearance | | |", flush=True)
                continue
            known = found if known is None else known
            cost = milliseconds_a_step(program, path, H, 20, 20 + STEPS)
            exact = cost if form is None else exact
            print(f"| {name} | {what} | {abs(found - known):.1e} | {cost:.3f} | {cost / exact:.2f} |", flush=True)


# ------------------------------------------------------------------------------------------------------ before and after

def compare_programs(before, after, folder, names):
    print("\n| scene | steps | before, ms a step | now | now / before |\n|---|---:|---:|---:|---:|")
    for name in names:
        words, few, many, h = SCENES[name]
        many = few + LONGER * (many - few)
        path = os.path.join(folder, "scene.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(built_in(before, *words), file)
        cost = [milliseconds_a_step(program, path, h, few, many) for program in (before, after)]
        print(f"| {name} `{' '.join(words)}` | {many - few} | {cost[0]:.3f} | {cost[1]:.3f} | {cost[1] / cost[0]:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--before", metavar="PROGRAM", help="cardhouse of an earlier commit")
    parser.add_argument("--scenes", default=",".join(SCENES))
    wanted = parser.parse_args()
    program = f"{wanted.build}/cardhouse"
    with tempfile.TemporaryDirectory() as folder:
        print("Processor time of a step, one thread, start and end taken off.\n")
        compare_forms(program, folder)
        if wanted.before:
            compare_programs(wanted.before, program, folder, wanted.scenes.split(","))
    return 0


if __name__ == "__main__":
    sys.exit(main())
