"""Contacts whose friction has a convex section given by its corners, for certify.py, by numpy and scipy alone."""
import numpy as np
from scipy.optimize import nnls

LAWS = ("section",)


class Contact:
    """One contact: its rows (normal, two tangents), and the rays of its cone as columns."""

    def __init__(self, first, corners, compliance):
        self.rows, self.compliance = np.arange(first, first + 3), compliance
        self.groups = [self.rows]
        self.corners = corners
        self.rays = np.vstack([np.ones(len(corners)), corners.T])

    def coefficients(self, step, zero):
        return zero

    def support(self, u, zero):
        return 0.0 if zero else np.max(-self.corners @ u[self.rows[1:]])

    def gap(self, r, u, zero):
        return abs(self.support(u, zero) * r[self.rows[0]] + r[self.rows[1:]] @ u[self.rows[1:]])

    def project(self, x, zero, _):
        """The nearest point is the sum of rays, none of them negative, that is nearest."""
        at = x[self.rows]
        if zero:
            return np.array([max(at[0], 0.0), 0.0, 0.0])
        edges = np.roll(self.corners, -1, axis=0) - self.corners
        beside = at[1:] - at[0] * self.corners
        if at[0] >= 0.0 and np.all(edges[:, 0] * beside[:, 1] - edges[:, 1] * beside[:, 0] >= 0.0):
            return at.copy()
        return self.rays @ nnls(self.rays, at)[0]


def read(file, vector, first):
    """From row `first` on."""
    if "cardhouse/section" not in file:
        return []
    counts, compliance = file["cardhouse/section/corners"][:], vector(file, "cardhouse/section/compliance")
    points = np.column_stack([vector(file, "cardhouse/section/x"), vector(file, "cardhouse/section/y")])
    ends = np.cumsum(counts)
    return [Contact(first + 3 * k, points[ends[k] - counts[k]:ends[k]], compliance[k]) for k in range(len(counts))]
