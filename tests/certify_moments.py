"""Contacts with moments, for certify.py: rolling, drilling and ellipsoidal, by numpy and scipy alone."""
import numpy as np
from scipy.optimize import brentq

LAWS = ("rolling", "drilling", "ellipsoidal")


class Contact:
    """One contact: its rows and how they are bundled, (rows, coefficient) for each part of its section."""

    def __init__(self, law, first, dimension, mu, rolling, drilling, compliance):
        tangents = 1 if dimension == 3 else 2
        rolls = {3: 1, 4: 0, 5: 2, 6: 2}[dimension]
        ends = np.cumsum([tangents, rolls, dimension - 1 - tangents - rolls])
        at = np.split(first + 1 + np.arange(dimension - 1), ends[:-1])
        self.shared, self.compliance = law == "ellipsoidal", compliance
        self.rows = np.arange(first, first + dimension)
        self.parts = [(rows, mu_k) for rows, mu_k in zip(at, (mu, rolling, drilling)) if len(rows)]
        self.groups = [self.rows[:1 + tangents]] + [rows for rows, _ in self.parts[1:]]

    def coefficients(self, step, zero):
        """In the metric of 1 / step: with r = sqrt(step) r' the sections are of the same kind."""
        head = step[self.rows[0]]
        return [0.0 if zero else mu * np.sqrt(head / step[rows[0]]) for rows, mu in self.parts]

    def support(self, u, zero):
        each = [0.0 if zero else mu * np.linalg.norm(u[rows]) for rows, mu in self.parts]
        return np.linalg.norm(each) if self.shared else sum(each)

    def gap(self, r, u, zero):
        if self.shared:
            return abs(self.support(u, zero) * r[self.rows[0]] + r[self.rows[1:]] @ u[self.rows[1:]])
        return sum(abs((0.0 if zero else mu) * np.linalg.norm(u[rows]) * r[self.rows[0]] + r[rows] @ u[rows])
                   for rows, mu in self.parts)

    def project(self, x, mu, project_ellipse):
        """The point of the set nearest to x, on the contact's rows."""
        n, sizes = x[self.rows[0]], np.array([np.linalg.norm(x[rows]) for rows, _ in self.parts])
        if self.shared:
            flat = project_ellipse(np.concatenate([[n], sizes]), np.array(mu))
            height, kept = flat[0], flat[1:]
        else:
            height = self.height(n, sizes, np.array(mu))
            kept = np.minimum(sizes, height * np.array(mu))
        y = np.zeros(len(x))
        y[self.rows[0]] = height
        for (rows, _), size, left in zip(self.parts, sizes, kept):
            y[rows] = x[rows] * (left / size if size > 0.0 else 0.0)
        return y[self.rows]

    @staticmethod
    def height(n, sizes, mu):
        """Where the distance to the section is least: the root of its slope, which rises."""
        slope = lambda h: h - n - mu @ np.maximum(sizes - h * mu, 0.0)
        if slope(0.0) >= 0.0:
            return 0.0
        return brentq(slope, 0.0, abs(n) + mu @ sizes, xtol=1e-300, rtol=8.9e-16, maxiter=1000)


def read(file, root, vector, first):
    """Contacts with moments, from row `first` on: those of FCLIB's rolling group, then those of our own groups."""
    out = []

    def add(law, count, dimensions, mu, rolling, drilling, compliance):
        nonlocal first
        for k in range(count):
            out.append(Contact(law, first, int(dimensions[k]), mu[k], rolling[k], drilling[k], compliance[k]))
            first += int(dimensions[k])

    if root == "fclib_global_rolling":
        mu, nothing = vector(file, root + "/vectors/mu"), np.zeros(len(vector(file, root + "/vectors/mu")))
        add("rolling", len(mu), [int(file[root + "/spacedim"][0])] * len(mu), mu,
            vector(file, root + "/vectors/mu_r"), nothing, nothing)
    for law in LAWS:
        group = "cardhouse/" + law
        if group not in file:
            continue
        mu = vector(file, group + "/mu")
        rolling = vector(file, group + "/rolling") if group + "/rolling" in file else np.zeros(len(mu))
        dimensions = file[group + "/dimension"][:] if group + "/dimension" in file else [4] * len(mu)
        add(law, len(mu), dimensions, mu, rolling, vector(file, group + "/drilling"),
            vector(file, group + "/compliance"))
    return out
