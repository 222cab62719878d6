#!/usr/bin/env python3
"""Performance profiles of solvers on the steps of a few scenes, in 20 lines."""
import numpy as np

import cardhouse
from cardhouse import scenes

METHODS = ["auto", "nsgs", "newton", "admm", "pgs"]


def problems():
    for world in (scenes.cards(levels=2), scenes.cards(levels=4), scenes.arch(n=11), scenes.stack(n=5), scenes.domino(n=8)):
        sim = cardhouse.Simulation(world)
        for _ in range(3):
            sim.step(20)
            yield sim.problem()[0]


def main():
    answers = [[cardhouse.solve(p, method, tol=1e-6, work_limit=3e8) for method in METHODS] for p in problems()]
    work = np.array([[a.work if a.solved else np.inf for a in row] for row in answers])
    ratio = work / work.min(axis=1, keepdims=True)
    print(f"share of {len(answers)} problems that a method solves with at most tau times the work of the best one")
    print("tau    " + "".join(f"{name:>8}" for name in METHODS))
    for tau in (1, 2, 5, 10, 100, 1000):
        print(f"{tau:<7}" + "".join(f"{share:8.2f}" for share in (ratio <= tau).mean(axis=0)))
    return {"ratio": ratio, "methods": METHODS}


if __name__ == "__main__":
    main()
