"""Tetrahedral meshes as `cardhouse mesh` writes them: their skins, drawn from behind to before."""
import collections

import numpy as np

import plot

OUTWARD = ((1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1))  # the face opposite each corner
LIGHT = np.array((0.35, -0.55, 0.76))


def read(path):
    """Vertices and tetrahedra of a file of Gmsh's format 2.2, as text."""
    with open(path, encoding="utf-8") as file:
        words = file.read().split()
    nodes, elements = words.index("$Nodes"), words.index("$Elements")
    vertices = np.array(words[nodes + 2:words.index("$EndNodes")], dtype=float).reshape(-1, 4)[:, 1:]
    rows = np.array(words[elements + 2:words.index("$EndElements")], dtype=int).reshape(-1, 9)
    return vertices, rows[:, 5:] - 1


def skin(tets):
    """Faces of one tetrahedron only."""
    faces = [tuple(tet[list(face)]) for tet in tets for face in OUTWARD]
    count = collections.Counter(tuple(sorted(face)) for face in faces)
    return [face for face in faces if count[tuple(sorted(face))] == 1]


def view(turn, lift):
    """Rows: to the right, up, towards the eye."""
    a, b = np.radians(turn), np.radians(lift)
    towards = np.array((np.sin(a) * np.cos(b), -np.cos(a) * np.cos(b), np.sin(b)))
    right = np.array((np.cos(a), np.sin(a), 0.0))
    return np.array((right, np.cross(towards, right), towards))


def draw(path, left, top, width, height, colour, turn=35, lift=25):
    """The skin in a box of pixels, and how many tetrahedra there are."""
    vertices, tets = read(path)
    eye = view(turn, lift)
    seen = vertices @ eye.T
    low, high = seen.min(axis=0), seen.max(axis=0)
    scale = min(width / (high[0] - low[0]), height / (high[1] - low[1]))
    x = left + width / 2 + scale * (seen[:, 0] - (low[0] + high[0]) / 2)
    y = top + height / 2 - scale * (seen[:, 1] - (low[1] + high[1]) / 2)
    rows = []
    for face in skin(tets):
        a, b, c = vertices[list(face)]
        normal = np.cross(b - a, c - a)
        normal /= np.linalg.norm(normal)
        if normal @ eye[2] <= 0.0:
            continue
        shade = 0.45 + 0.55 * max(0.0, float(normal @ LIGHT))
        fill = "#" + "".join(f"{round(shade * int(colour[k:k + 2], 16) / 17):x}" for k in (1, 3, 5))
        px, py = x[list(face)], y[list(face)]
        path = f"M{px[0]:.1f} {py[0]:.1f}L{px[1]:.1f} {py[1]:.1f} {px[2]:.1f} {py[2]:.1f}z"
        rows.append((seen[list(face), 2].mean(), f'<path fill="{fill}" d="{path}"/>'))
    body = "".join(row for _, row in sorted(rows, key=lambda row: row[0]))
    return f'<g stroke="#222" stroke-width=".35" stroke-linejoin="round">{body}</g>', len(tets)


def sheet(meshes):
    """meshes: [(name, path, turn, lift)], four in a row."""
    out = []
    for k, (name, path, turn, lift) in enumerate(meshes):
        left, top = 10 + 220 * (k % 4), 10 + 190 * (k // 4)
        drawing, tets = draw(path, left + 8, top, 194, 150, plot.COLOURS[k % len(plot.COLOURS)], turn, lift)
        out += [drawing, plot.text(left + 105, top + 172, f"{name}: {tets} tetrahedra", "middle")]
    return plot.document(10 + 220 * min(len(meshes), 4), 190 * ((len(meshes) + 3) // 4) + 10, "\n".join(out))
