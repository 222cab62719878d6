#!/usr/bin/env python3
"""The certificate once more, by numpy and scipy alone: certify.py SOLUTION.hdf5 [--pose coulomb|relaxed|frictionless]

Reads a problem and its solution from one FCLIB file, as `cardhouse solve --out` writes it, and prints the seven fields
as JSON. It shares no code with the program: the two are written from the same definitions (docs/certificate.md) and a
test compares them. Rows are taken in the file's order: contacts (compliant ones among them), bilaterals, unilaterals,
limits, contacts with moments, also those of FCLIB's rolling group, contacts whose friction has a section, and last springs of joints.
"""
import argparse
import json
import sys

import h5py
import numpy as np
import scipy.sparse as sp
from scipy.optimize import brentq
from scipy.sparse.linalg import splu

import certify_moments
import certify_section


class Rows:
    """What the laws need to know of every row: contacts first, d rows each, then single rows, then moments."""

    def __init__(self, dimension, mu, bilaterals, unilaterals, lo, hi, compliance):
        self.moments = []
        self.curves = {}                                     # contact -> speeds and shares of mu
        self.pull = np.zeros(len(mu))                        # of contacts: how far r_n may go below zero
        self.compliance = compliance                         # of contacts; 0: rigid
        self.shear = np.zeros(len(mu))                       # of their tangents
        self.d, self.mu = dimension, mu                      # mu: contacts x 2
        self.contacts = len(mu)
        self.bilaterals, self.unilaterals, self.lo, self.hi = bilaterals, unilaterals, lo, hi

    def split(self, x):
        """Contacts as a table, then the bilateral, unilateral and limit rows, then those of moments."""
        ends = np.cumsum([self.d * self.contacts, self.bilaterals, self.unilaterals, len(self.lo)])
        tables = np.split(np.asarray(x, float), ends)
        return [tables[0].reshape(-1, self.d)] + tables[1:]

    def singles(self):
        """Where rows of moments begin."""
        return self.d * self.contacts + self.bilaterals + self.unilaterals + len(self.lo)


class Spring:
    """u + c r = 0 of one row: the law `elastic`, with the methods of contacts with moments."""

    def __init__(self, row, compliance):
        self.rows, self.compliance, self.opens = np.array([row]), compliance, False
        self.groups = [self.rows]

    def coefficients(self, step, zero):
        return None

    def support(self, u, zero):
        return 0.0

    def gap(self, r, u, zero):
        return 0.0

    def project(self, x, coefficients, _):
        return x[self.rows].copy()


def matrix(group):
    """FCLIB's storage: nz >= 0 is a list of entries (row i, column p), -1 compressed columns, -2 compressed rows."""
    m, n, nz = (int(group[key][0]) for key in ("m", "n", "nz"))
    p, i, x = (group[key][:] if key in group else np.zeros(0) for key in ("p", "i", "x"))
    if nz >= 0:
        return sp.csc_matrix((x[:nz], (i[:nz], p[:nz])), shape=(m, n))
    return (sp.csc_matrix if nz == -1 else sp.csr_matrix)((x, i, p), shape=(m, n)).tocsc()


def vector(file, name):
    return np.asarray(file[name][:], float) if name in file else np.zeros(0)


def read_rows(file, root):
    rolling = root == "fclib_global_rolling"
    mu = vector(file, root + "/vectors/mu") if not rolling else np.zeros(0)
    mu2 = vector(file, "cardhouse/mu2") if "cardhouse/mu2" in file else mu
    compliance = np.zeros(len(mu))
    if "cardhouse/compliant" in file:
        compliance[file["cardhouse/compliant/contact"][:]] = vector(file, "cardhouse/compliant/compliance")
    bilaterals = len(vector(file, root + ("/vectors/s" if root == "fclib_local" else "/vectors/b")))
    unilaterals = len(vector(file, "cardhouse/unilateral/w"))
    rows = Rows(3 if rolling else int(file[root + "/spacedim"][0]), np.stack([mu, mu2], axis=1), bilaterals,
                unilaterals, vector(file, "cardhouse/limit/lo"), vector(file, "cardhouse/limit/hi"), compliance)
    for law in ("compliant", "cohesive"):
        if "cardhouse/%s/shear" % law in file:
            rows.shear[file["cardhouse/%s/contact" % law][:]] = vector(file, "cardhouse/%s/shear" % law)
    if "cardhouse/cohesive" in file:
        which = file["cardhouse/cohesive/contact"][:]
        rows.pull[which] = vector(file, "cardhouse/cohesive/pull")
        rows.compliance[which] = vector(file, "cardhouse/cohesive/compliance")
    rows.moments = certify_moments.read(file, root, vector, rows.singles())
    if "cardhouse/curve" in file:
        read_curves(file["cardhouse/curve"], rows)
    rows.moments += certify_section.read(file, vector, rows.singles() + sum(len(m.rows) for m in rows.moments))
    first = rows.singles() + sum(len(m.rows) for m in rows.moments)
    rows.moments += [Spring(first + k, c) for k, c in enumerate(vector(file, "cardhouse/elastic/compliance"))]
    return rows


def read_curves(group, rows):
    """Friction over the speed of slip: shares of mu at speeds, one curve after the other."""
    ends = np.cumsum(group["points"][:])
    curves = [(s, c) for s, c in zip(np.split(group["speed"][:], ends), np.split(group["share"][:], ends))]
    for block, curve in zip(group["block"][:], group["curve"][:]):
        if block >= rows.contacts:
            raise ValueError("friction over speed of a contact with moments is not graded here")
        rows.curves[block] = curves[curve - 1]


def read_local(file):
    """W and q over all rows: FCLIB's W, V, R for contacts and bilaterals, then what our own group adds."""
    W, q = matrix(file["fclib_local/W"]), vector(file, "fclib_local/vectors/q")
    if "fclib_local/R" in file:
        V, R = matrix(file["fclib_local/V"]), matrix(file["fclib_local/R"])
        lower = matrix(file["cardhouse/lower"]) if "cardhouse/lower" in file else V.T
        W = sp.bmat([[W, V], [lower, R]]).tocsc()
        q = np.concatenate([q, vector(file, "fclib_local/vectors/s")])
    for part in ("unilateral", "limit") + certify_moments.LAWS + certify_section.LAWS + ("elastic",):
        if "cardhouse/" + part not in file:
            continue
        columns, rows = (matrix(file["cardhouse/%s/%s" % (part, key)]) for key in ("columns", "rows"))
        W = sp.hstack([sp.vstack([W, rows]), columns]).tocsc()
        q = np.concatenate([q, vector(file, "cardhouse/%s/w" % part)])
    return W, q


def read_global(file, root):
    own = ["cardhouse/%s" % part for part in ("unilateral", "limit") + certify_moments.LAWS + certify_section.LAWS + ("elastic",)]
    parts = [(root + "/H", root + "/vectors/w"), (root + "/G", root + "/vectors/b")] + \
        [(part + "/H", part + "/w") for part in own]
    if root == "fclib_global_rolling":
        parts = parts[1:4] + parts[:1] + parts[4:]
    H = sp.hstack([matrix(file[H_]) for H_, _ in parts if H_ in file]).tocsc()
    return matrix(file[root + "/M"]), H, vector(file, root + "/vectors/f"), \
        np.concatenate([vector(file, w) for _, w in parts])


def read_solution(file, rolling=False):
    r, l, own = (vector(file, name) for name in ("solution/r", "solution/l", "cardhouse/solution/r"))
    if not rolling:
        return np.concatenate([r, l, own])
    ahead = len(vector(file, "cardhouse/unilateral/w")) + len(vector(file, "cardhouse/limit/w"))
    return np.concatenate([l, own[:ahead], r, own[ahead:]])


def project_ellipse(x, mu):
    """Nearest point of {|(x1/mu1, x2/mu2)| <= xn}: one multiplier, found on a logarithmic scale."""
    n, t = x[0], x[1:]
    if np.any(mu == 0.0):
        keep = mu > 0.0
        if not keep.any():
            return np.array([max(n, 0.0), 0.0, 0.0])
        y = project_circle(np.array([[n, t[keep][0]]]), mu[keep])[0]
        out = np.zeros(3)
        out[0], out[1:][keep] = y
        return out
    if np.linalg.norm(t / mu) <= n:
        return x.copy()
    if np.linalg.norm(t * mu) <= -n:
        return np.zeros(3)

    def gap(z):
        lam = np.exp(z)
        return (1.0 - lam) * np.linalg.norm(t * mu / (mu ** 2 + lam)) - n

    if gap(-90.0) <= 0.0:                                    # outside by less than rounding
        return x.copy()
    if gap(90.0) >= 0.0:
        return np.zeros(3)
    lam = np.exp(brentq(gap, -90.0, 90.0, xtol=1e-15, rtol=8.9e-16, maxiter=1000))
    tangent = t * mu ** 2 / (mu ** 2 + lam)
    return np.concatenate([[np.linalg.norm(tangent / mu)], tangent])


def project_circle(x, mu):
    """Rows of x onto {|x_T| <= mu x_n}."""
    n, t = x[:, 0], np.linalg.norm(x[:, 1:], axis=1)
    normal = (n + mu * t) / (1.0 + mu ** 2)
    shrink = np.divide(mu * normal, t, out=np.zeros_like(t), where=t > 0)
    y = np.column_stack([normal, x[:, 1:] * shrink[:, None]])
    y[mu * t <= -n] = 0.0
    inside = (n >= 0) & (t <= mu * n)
    y[inside] = x[inside]
    return y


def project(rows, mu, x, step=None, zero=False):
    """Of moments in the metric of 1 / step, where they differ in unit from forces."""
    contact, bilateral, unilateral, limit, _ = rows.split(x)
    step = np.ones(len(x)) if step is None else step
    root = np.sqrt(np.where(step > 0.0, step, 1.0))
    moments = [root[m.rows] * m.project(x / root, m.coefficients(root ** 2, zero), project_ellipse)
               for m in rows.moments]
    y = contact.copy()
    round_ = mu[:, 0] == mu[:, 1]
    y[round_] = project_circle(contact[round_], mu[round_, 0])
    for i in np.flatnonzero(~round_):
        y[i] = project_ellipse(contact[i], mu[i])
    return np.concatenate([y.ravel(), bilateral, np.maximum(unilateral, 0.0), np.clip(limit, rows.lo, rows.hi)] +
                          moments)


def support(rows, mu, contact):
    return np.linalg.norm(contact[:, 1:] * mu[:, : rows.d - 1], axis=1)


def shifted(rows, mu, u, pose):
    hat = np.array(u, float)
    if pose == "coulomb" and rows.contacts:
        table = hat[: rows.d * rows.contacts].reshape(-1, rows.d)
        table[:, 0] += support(rows, mu, table)
    for m in rows.moments if pose == "coulomb" else []:
        hat[m.rows[0]] += m.support(np.asarray(u, float), False)
    return hat


def ratio(error, scale):
    if error == 0.0:
        return 0.0
    return float(error / scale) if scale != 0.0 else float("inf")


def weights(rows, diagonal):
    """rho: d / trace(W_ii) for a contact, 1 / W_ii for a single row, 0 for rows that nothing moves."""
    contact = rows.split(diagonal)[0].sum(axis=1) / rows.d
    scale = np.concatenate([np.repeat(contact, rows.d), diagonal[rows.d * rows.contacts:]])
    for m in rows.moments:                                   # forces by themselves, moments by themselves
        means = [diagonal[group].sum() / len(group) for group in m.groups]
        other = next((mean for mean in means if mean != 0.0), 0.0)
        for group, mean in zip(m.groups, means):
            scale[group] = mean if mean != 0.0 else other
    return np.divide(1.0, scale, out=np.zeros_like(scale), where=scale != 0.0)


def grade(rows, pose, r, u, q, diagonal):
    """Of W + diag(c, c_t, c_t), with what natural is on W alone beside it."""
    c = np.zeros(len(r))
    for k in range(rows.d):
        c[k: rows.d * rows.contacts: rows.d] = rows.shear if k > 0 else rows.compliance
    idle = np.concatenate([np.repeat(rows.split(diagonal)[0].sum(axis=1) == 0.0, rows.d),
                           diagonal[rows.d * rows.contacts:] == 0.0])[:len(r)]
    c[idle] = 0.0
    for m in rows.moments:
        c[m.rows[0]] = m.compliance if diagonal[m.rows].sum() != 0.0 else 0.0
    out = grade_rigid(rows, pose, r, u + c * r, q, diagonal + c)
    out["rigid"] = grade_rigid(rows, pose, r, u, q, diagonal)["natural"]
    return out


def grade_rigid(rows, pose, r, u, q, diagonal):
    mu = rows.mu if pose != "frictionless" else 0.0 * rows.mu
    rho = weights(rows, diagonal)
    live, zero = rho > 0.0, pose == "frictionless"
    size = np.linalg.norm
    pull = np.zeros(len(r))                                  # cohesive contacts: the cone's tip is at -c
    pull[: rows.d * rows.contacts: rows.d] = rows.pull

    def rests(step, r_, u_, mu_):
        rest = r_ + pull - project(rows, mu_, r_ + pull - step * shifted(rows, mu_, u_, pose), step, zero)
        joints = slice(rows.d * rows.contacts, rows.d * rows.contacts + rows.bilaterals)
        rest[joints] = (step * u_)[joints]                   # r cancels exactly
        return np.divide(rest, np.sqrt(step), out=np.zeros_like(rest), where=live)

    def error(step, r_, u_, mu_, stuck):
        creep = rows.split(np.sqrt(step) * u_)[0][stuck, 1:]
        return np.hypot(size(rests(step, r_, u_, mu_)), size(creep))

    def branches(r_, u_):
        """The coefficients of the branch that is nearer to its own equations, and whether it is that of sticking."""
        stuck, in_force = np.zeros(rows.contacts, bool), mu.copy()
        if not rows.curves or zero:
            return in_force, stuck
        speed = size(rows.split(u_)[0][:, 1:], axis=1)
        slips = mu.copy()
        for k, (speeds, shares) in rows.curves.items():
            slips[k] *= np.interp(speed[k], speeds, shares)
        creep = (rows.split(np.sqrt(rho) * u_)[0][:, 1:] ** 2).sum(axis=1)
        squares = [(rows.split(rests(rho, r_, u_, m))[0] ** 2).sum(axis=1) for m in (mu, slips)]
        for k in rows.curves:
            stuck[k] = squares[0][k] + creep[k] <= squares[1][k]
            in_force[k] = mu[k] if stuck[k] else slips[k]
        return in_force, stuck

    in_force, stuck = branches(r, u)
    widest = mu.copy()
    for k, (speeds, shares) in rows.curves.items():
        widest[k] *= max(1.0, shares.max())
    nothing = error(rho, np.zeros_like(r), q, *branches(np.zeros_like(r), q))
    out = {"natural": ratio(error(rho, r, u, in_force, stuck), max(nothing, 1e-6 * size(np.sqrt(rho) * q))),
           "siconos": ratio(error(live.astype(float), r, u, in_force, stuck), max(size(x[live]) for x in (q, r, u)))}

    def sizes(x):
        return [size(part, axis=1) if part.ndim == 2 else np.abs(part) for part in rows.split(x)[:4]] + \
            [np.array([size(x[m.rows]) for m in rows.moments])]

    each, largest = sizes(project(rows, widest, r + pull, zero=zero) - r - pull), sizes(np.where(live, r, 0.0))
    out["cone"] = ratio(np.concatenate(each).max(initial=0.0), np.concatenate(largest).max(initial=0.0))
    normal = np.zeros(len(r), bool)
    normal[: rows.d * rows.contacts: rows.d] = True
    first = rows.d * rows.contacts + rows.bilaterals
    normal[first: first + rows.unilaterals] = True
    for m in rows.moments:
        normal[m.rows[0]] = getattr(m, "opens", True)
    normal &= live
    out["signorini"] = ratio(np.abs(np.minimum(diagonal * (r + pull), u))[normal].max(initial=0.0),
                             np.abs(q[live]).max(initial=0.0))
    R, U = rows.split(r + pull)[0], rows.split(u)[0]
    gap = support(rows, in_force, U) * R[:, 0] + (R[:, 1:] * U[:, 1:]).sum(axis=1)
    gaps = [np.abs(gap[live[: rows.d * rows.contacts: rows.d]]).max(initial=0.0)]
    gaps += [m.gap(r, u, zero) for m in rows.moments if live[m.rows[0]]]
    out["dissipation"] = float(max(gaps))
    return out


def certify_local(file, pose):
    rows, (W, q) = read_rows(file, "fclib_local"), read_local(file)
    r = read_solution(file)
    out = grade(rows, pose, r, W @ r + q, q, W.diagonal())
    out["balance"] = 0.0
    return out


def certify_global(file, pose):
    root = "fclib_global" if "fclib_global" in file else "fclib_global_rolling"
    rows, (M, H, f, w) = read_rows(file, root), read_global(file, root)
    r, v = read_solution(file, root == "fclib_global_rolling"), vector(file, "solution/v")
    lu = splu(M)
    diagonal = np.zeros(H.shape[1])
    for c in range(0, H.shape[1], 256):
        B = H[:, c:c + 256].toarray()
        diagonal[c:c + 256] = (B * lu.solve(B)).sum(axis=0)
    free = lu.solve(f)
    q = H.T @ free + w
    out = grade(rows, pose, r, H.T @ (free + lu.solve(H @ r)) + w, q, diagonal)
    root = np.sqrt(M.diagonal())
    norms = [np.linalg.norm(x / root) for x in (M @ v - f - H @ r, f, H @ r)]
    out["balance"] = ratio(norms[0], max(norms[1:]))
    return out


def certify(path, pose="coulomb"):
    with h5py.File(path, "r") as file:
        return certify_local(file, pose) if "fclib_local" in file else certify_global(file, pose)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("solution")
    parser.add_argument("--pose", default="coulomb", choices=["coulomb", "relaxed", "frictionless"])
    arguments = parser.parse_args()
    json.dump(certify(arguments.solution, arguments.pose), sys.stdout, indent=1)
    print()
