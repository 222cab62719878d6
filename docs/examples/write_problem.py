#!/usr/bin/env python3
"""Writes a contact problem as an FCLIB file: a ball of 2 kg that strikes the floor at an angle.

    python3 write_problem.py ball.hdf5

One step of h seconds:  M v = H r + f,  u = H^T v + w,  and every contact obeys Coulomb's law with its mu.
"""
import sys

import h5py
import numpy as np


def write_matrix(group, A):
    """Triplets: nz says how many, i holds rows and p columns, all counted from 0."""
    rows, columns = np.nonzero(A)
    for name, value in (("m", A.shape[0]), ("n", A.shape[1]), ("nz", len(rows)), ("nzmax", len(rows))):
        group[name] = np.array([value], dtype=np.int32)
    group["i"], group["p"] = rows.astype(np.int32), columns.astype(np.int32)
    group["x"] = A[rows, columns]


def write_problem(path, M, H, f, w, mu):
    with h5py.File(path, "w") as file:
        top = file.create_group("fclib_global")
        top["spacedim"] = np.array([3], dtype=np.int32)
        write_matrix(top.create_group("M"), M)
        write_matrix(top.create_group("H"), H)
        for name, value in (("f", f), ("w", w), ("mu", mu)):
            top["vectors/" + name] = np.asarray(value, dtype=float)


def ball(mass=2.0, radius=0.1, mu=0.3, h=0.01):
    inertia = 0.4 * mass * radius ** 2
    M = np.diag([mass] * 3 + [inertia] * 3)
    v = np.array([1.0, 0.5, -3.0, 0, 0, 0])  # before the step: velocity and angular velocity
    gravity = np.array([0, 0, -9.81, 0, 0, 0])
    arm = np.array([0, 0, -radius])  # from the centre to the contact
    directions = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]])  # normal first, then two tangents
    H = np.array([np.concatenate([d, np.cross(arm, d)]) for d in directions]).T
    f = M @ v + h * mass * gravity
    w = np.zeros(3)  # gap / h in the normal row where the bodies do not touch yet
    return M, H, f, w, [mu]


if __name__ == "__main__":
    write_problem(sys.argv[1], *ball())
