#!/usr/bin/env python3
"""Draws moments of a trajectory side by side, as SVG: boxes, spheres and disks, seen from the front and a little above.

    python3 docs/examples/draw.py MOTION.h5 PICTURE.svg [MOMENT ...]

MOMENT is a time in seconds (first, middle and last when none is given). Needs numpy and h5py. The trajectory carries its
scene, so that shapes need no other file; other kinds of shapes are left out. ParaView draws all (run --vtk).
"""
import json
import sys

import h5py
import numpy as np

RIGHT, UP, NEAR = np.array([0.94, 0.34, 0.0]), np.array([-0.1, 0.28, 0.955]), np.array([0.325, -0.898, 0.297])
COLOURS = ["#c9d6e8", "#e8cfa9", "#b9dcb5", "#e3b7b7", "#d5c4e8"]
FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def matrix(q):
    """Of a quaternion (w, x, y, z), or of an angle in the plane."""
    if np.ndim(q) == 0:
        return np.array([[np.cos(q), -np.sin(q), 0], [np.sin(q), np.cos(q), 0], [0, 0, 1]])
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def turn(orientation, plane):
    """The matrix of a scene's "orientation"."""
    if not orientation:
        return np.eye(3)
    if isinstance(orientation, list):
        return matrix(np.array(orientation))
    angle = orientation.get("radians", np.radians(orientation.get("degrees", 0)))
    axis = np.array([0, 0, 1] if plane else orientation["axis"], float)
    return matrix(np.append(np.cos(angle / 2), np.sin(angle / 2) * axis / np.linalg.norm(axis)))


def three(values):
    return np.append(np.array(values, float), 0)[:3] if len(values) == 2 else np.array(values, float)


def box(corners, views, flat, paint):
    """The faces that look this way."""
    for face in FACES:
        a, b, c = (corners[k] for k in face[:3])
        if np.cross(b - a, c - a) @ views[2] > 0:
            text = " ".join("{:.2f},{:.2f}".format(*flat(corners[k])) for k in face)
            yield f'<polygon points="{text}" {paint}/>'


def pieces(file, row):
    """(order, SVG, corners) of every shape at one moment: from low to high, from far to near."""
    scene, plane = json.loads(file.attrs["scene"]), file.attrs["dimension"] == 2
    views = np.eye(3) if plane else (RIGHT, UP, NEAR)
    flat = lambda p: 100 * np.array([p @ views[0], -(p @ views[1])])
    for index, body in enumerate(scene["bodies"]):
        start, now = (three(file["body/position"][k, index]) for k in (0, row))
        first, last = (matrix(file["body/orientation"][k, index]) for k in (0, row))
        centre = first.T @ (start - three(body.get("position", [0, 0, 0])))  # of mass, in the body's frame
        paint = f'fill="{COLOURS[index % len(COLOURS)]}" stroke="#333" stroke-width="0.6" stroke-linejoin="round"'
        for shape in body.get("shapes", []):
            own = last @ turn(shape.get("orientation"), plane)
            at = now + last @ (three(shape.get("at", [0, 0, 0])) - centre)
            if shape["type"] == "box":
                half = three(shape["half"])
                corners = [at + own @ (half * [i, j, k]) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]
                drawn = "".join(box(corners, views, flat, paint))
            elif shape["type"] in ("sphere", "disk"):
                r = shape["radius"]
                corners = [at + r * (i * views[0] + j * views[1]) for i in (-1, 1) for j in (-1, 1)]
                drawn = '<circle cx="{:.2f}" cy="{:.2f}" '.format(*flat(at)) + f'r="{100 * r:g}" {paint}/>'
            else:
                continue
            yield (round(min(p[2] for p in corners), 3), at @ views[2]), drawn, [flat(p) for p in corners]


def draw(path, moments=()):
    with h5py.File(path, "r") as file:
        times = file["time"][:]
        rows = [int(np.argmin(abs(times - t))) for t in moments] or [0, len(times) // 2, len(times) - 1]
        scenes = [sorted(pieces(file, row), key=lambda piece: piece[0]) for row in rows]
    corners = np.array([p for scene in scenes for piece in scene for p in piece[2]])
    low, high = corners.min(0) - 5, corners.max(0) + 5
    wide, tall = high - low
    text = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {len(rows) * wide:.1f} {tall + 12:.1f}">']
    for k, (row, scene) in enumerate(zip(rows, scenes)):
        text.append(f'<g transform="translate({k * wide - low[0]:.2f} {-low[1]:.2f})">')
        text += [piece[1] for piece in scene] + ["</g>"]
        text.append(f'<text x="{(k + 0.5) * wide:.1f}" y="{tall + 6:.1f}" font-size="7" text-anchor="middle" '
                    f'font-family="sans-serif">{times[row]:g} s</text>')
    return "\n".join(text + ["</svg>\n"])


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    with open(sys.argv[2], "w", encoding="utf-8") as picture:
        picture.write(draw(sys.argv[1], [float(word) for word in sys.argv[3:]]))
