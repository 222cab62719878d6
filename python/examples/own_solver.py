#!/usr/bin/env python3
"""A contact solver of one's own: projected Gauss-Seidel in numpy, on a step of a scene, graded by the certificate."""
import numpy as np

import cardhouse


def onto_cone(x, mu):
    """The nearest point of the friction cone |x_T| <= mu x_n."""
    slip = np.hypot(x[1], x[2])
    if slip <= mu * x[0]:
        return x
    normal = (x[0] + mu * slip) / (1.0 + mu * mu)
    return np.zeros(3) if normal <= 0.0 else np.array([normal, *(mu * normal / slip * x[1:])])


def gauss_seidel(problem, sweeps):
    """r <- P(r - û / trace), contact by contact. With û = u + mu |u_T| n a fixed point is exact Coulomb friction."""
    M, H = problem.matrix("M").toarray(), problem.matrix("H").toarray()
    W = H.T @ np.linalg.solve(M, H)
    q = H.T @ np.linalg.solve(M, problem.f) + problem.w
    r = np.zeros(problem.rows)
    for _ in range(sweeps):
        for contact, block in enumerate(problem.blocks):
            rows, mu = slice(3 * contact, 3 * contact + 3), block["mu"][0]
            u = W[rows] @ r + q[rows]
            u[0] += mu * np.hypot(u[1], u[2])
            r[rows] = onto_cone(r[rows] - u / W[rows, rows].trace(), mu)
    return r


def main():
    sim = cardhouse.Simulation(cardhouse.scenes.stack(n=4))
    sim.step()
    problem, _ = sim.problem()
    found = {}
    for sweeps in (10, 100, 1000):
        found[sweeps] = cardhouse.certify(problem, gauss_seidel(problem, sweeps)).natural
        print(f"{sweeps:5d} sweeps: natural {found[sweeps]:.1e}")
    answer = cardhouse.solve(problem, tol=1e-12)
    print(f"      auto: natural {answer.certificate.natural:.1e}")
    return found


if __name__ == "__main__":
    main()
