#!/usr/bin/env python3
"""Rigid spheres of three sizes that fall into a box: how many steps miss, and what a step takes.

    poured.py PROGRAM [N] [STEPS] [FRICTION] [WALLS]       N spheres, h = 2 ms, tolerance 1e-8; friction of spheres, and of walls

One row for each tenth of the steps.
"""
import csv
import json
import random
import subprocess
import sys
import tempfile

RADII = (0.005, 0.01, 0.015)
PITCH = 0.032
H = 0.002


def box(name, position, half):
    return {"name": name, "position": position, "fixed": True, "shapes": [{"type": "box", "half": half, "material": "wall"}]}


def scene(count, friction, walls):
    draw = random.Random(count)
    side = max(3, round((count / 2.5) ** (1 / 3)))
    width = side * PITCH
    bodies = []
    for k in range(count):
        place = [(k % side + 0.5) * PITCH, (k // side % side + 0.5) * PITCH, (k // side ** 2 + 0.5) * PITCH]
        position = [x + draw.uniform(-1e-4, 1e-4) for x in place]
        bodies.append({"name": f"b{k}", "position": position,
                       "shapes": [{"type": "sphere", "radius": draw.choice(RADII), "material": "grain"}]})
    tall, thick, half = (count // side ** 2 + 2) * PITCH, 0.01, width / 2
    bodies.append(box("floor", [half, half, -thick], [width, width, thick]))
    for axis in (0, 1):
        for far in (0, 1):
            position, size = [half, half, tall / 2], [width, width, tall / 2]
            position[axis], size[axis] = (width + thick if far else -thick), thick
            bodies.append(box(f"wall {axis} {far}", position, size))
    materials = {"grain": {"density": 580, "friction": friction}, "wall": {"density": 580, "friction": walls}}
    pairs = [{"materials": ["grain", "wall"], "friction": walls}]
    return {"cardhouse": 1, "name": "poured", "step": {"h": H}, "materials": materials, "pairs": pairs, "bodies": bodies}


def main(program, count=945, steps=100, friction=0.8, walls=0.0):
    with tempfile.NamedTemporaryFile(suffix=".csv") as table:
        subprocess.run([program, "run", "-", "--until", str(steps * H), "--csv", table.name, "--quiet"],
                       input=json.dumps(scene(count, friction, walls)), text=True, check=True)
        rows = list(csv.DictReader(open(table.name)))
    print("| from | contacts | missed | worst natural | sweeps a step | h on average, ms | s a step |\n" + "|---" * 7 + "|")
    tenth = max(1, len(rows) // 10)
    for first in range(0, len(rows), tenth):
        part = rows[first:first + tenth]
        print(f"| {float(part[0]['time']):.3f} s | {part[-1]['contacts']} | {sum(row['missed'] == '1' for row in part)} of {len(part)}",
              f"| {max(float(row['natural']) for row in part):.1e} | {sum(int(row['iterations']) for row in part) / len(part):.0f}",
              f"| {1e3 * H * len(part) / sum(int(row['substeps']) for row in part):.2f}",
              f"| {sum(float(row['solve']) for row in part) / len(part):.3f} |", flush=True)


if __name__ == "__main__":
    kinds = (str, int, int, float, float)
    main(*(kind(word) for kind, word in zip(kinds, sys.argv[1:])))
