"""The card house and its contact forces, drawn from the problem file and its solution alone.

What a picture needs is in FCLIB's matrices: a body's mass and inertia are those of a box, which gives its edges and
their directions; a column of H is (d; arm x d), which gives the contact's directions and its place in the body; two
bodies that share a contact share its place, which puts the house together from the ground up.
"""
import h5py
import numpy as np

import plot


def matrix(group):
    count = int(group["nz"][0])
    out = np.zeros((int(group["m"][0]), int(group["n"][0])))
    np.add.at(out, (group["i"][:count], group["p"][:count]), group["x"][:count])
    return out


def box_of(mass, inertia):
    """Half edges and their directions (columns): I_a = m / 3 (b^2 + c^2) for half edges a, b, c."""
    values, axes = np.linalg.eigh(inertia)
    squares = 1.5 / mass * (values.sum() - 2.0 * values)
    return np.sqrt(np.maximum(squares, 0.0)), axes


def contact_of(columns):
    """Directions (rows) and arm of one body's share of a contact: sum_k d_k x (arm x d_k) = 2 arm."""
    linear, angular = columns[:3].T, columns[3:].T
    return linear, 0.5 * np.cross(linear, angular).sum(axis=0)


class House:
    def __init__(self, path):
        with h5py.File(path) as file:
            problem = file["fclib_global"]
            self.M, self.H = matrix(problem["M"]), matrix(problem["H"])
            self.r = file["solution/r"][:]
        self.bodies = self.M.shape[0] // 6
        self.contacts = [self.find_contact(i) for i in range(self.H.shape[1] // 3)]
        self.boxes = [box_of(self.M[6 * b, 6 * b], self.M[6 * b + 3:6 * b + 6, 6 * b + 3:6 * b + 6])
                      for b in range(self.bodies)]
        self.centres = self.put_together()

    def find_contact(self, i):
        """[(body, arm)], and the impulse upon the last of them."""
        sides, impulse = [], None
        for b in range(self.bodies):
            columns = self.H[6 * b:6 * b + 6, 3 * i:3 * i + 3]
            if np.any(columns):
                directions, arm = contact_of(columns)
                sides.append((b, arm))
                impulse = directions.T @ self.r[3 * i:3 * i + 3]
        return sides, impulse

    def put_together(self):
        centres = {0: np.zeros(3)}
        while len(centres) < self.bodies:
            before = len(centres)
            for sides, _ in self.contacts:
                known = [s for s in sides if s[0] in centres]
                for b, arm in sides:
                    if known and b not in centres:
                        centres[b] = centres[known[0][0]] + known[0][1] - arm
            if len(centres) == before:
                raise ValueError("the bodies are not connected: there is no single house to draw")
        return centres


def arrow(x, y, dx, dy, colour):
    length = np.hypot(dx, dy)
    if length < 1.0:
        return ""
    ex, ey = dx / length, dy / length
    head = min(5.0, 0.5 * length)
    bx, by = x + dx - head * ex, y + dy - head * ey
    tip = (f"M{x + dx:.1f} {y + dy:.1f}L{bx - 0.45 * head * ey:.1f} {by + 0.45 * head * ex:.1f}"
           f"L{bx + 0.45 * head * ey:.1f} {by - 0.45 * head * ex:.1f}Z")
    return (f'<path d="M{x:.1f} {y:.1f}L{bx:.1f} {by:.1f}" stroke="{colour}" stroke-width="1.6"/>'
            f'<path d="{tip}" fill="{colour}"/>')


def draw(path, caption):
    """Front view (x, z). Where two contacts lie behind each other, at the two ends of a card, their forces are added."""
    house = House(path)
    forces = {}
    for sides, impulse in house.contacts:
        b, arm = sides[-1]
        point = house.centres[b] + arm
        key = (sides[0][0] if len(sides) == 2 else -1, b, *np.round(point[[0, 2]], 7))
        place, total = forces.get(key, (point[[0, 2]], np.zeros(2)))
        forces[key] = (place, total + impulse[[0, 2]])
    points = np.array([place for place, _ in forces.values()])
    low, high = points.min(axis=0), points.max(axis=0)
    width, margin, bottom = 480.0, 36.0, 66.0
    scale = (width - 2 * margin) / (high[0] - low[0])
    height = (high[1] - low[1]) * scale + margin + bottom
    largest = max(np.linalg.norm(total) for _, total in forces.values())

    def pixel(p):
        return margin + (p[0] - low[0]) * scale, margin + (high[1] - p[1]) * scale

    floor = pixel(low)[1]
    out = [f'<path class="axis" d="M10 {floor + 1.5:.1f}H{width - 10:.1f}" stroke-width="2"/>']
    for b in range(house.bodies):
        half, axes = house.boxes[b]
        long_edge = max((half[k] * axes[:, k] for k in range(3) if abs(axes[1, k]) < 0.5), key=np.linalg.norm)
        ends = [pixel((house.centres[b] + s * long_edge)[[0, 2]]) for s in (-1, 1)]
        (x1, y1), (x2, y2) = ends
        out.append(f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="#a89c8a" stroke-width="2.6" '
                   'stroke-linecap="round"/>')
    for (a, _, *_), (place, total) in forces.items():
        x, y = pixel(place)
        dx, dy = 64.0 / largest * total * (1, -1)
        out.append(arrow(x, y, dx, dy, "#d64545"))
        if a >= 0:
            out.append(arrow(x, y, -dx, -dy, "#2f7ed8"))
    for k, line in enumerate(caption):
        out.append(plot.text(width / 2, floor + 26 + 18 * k, line, "middle"))
    return plot.document(int(width), int(height), "\n".join(out))
