#!/usr/bin/env python3
"""How much friction does an arch need? A sweep of mu in time beside limit analysis, which needs no time at all.

Limit analysis says from one step's problem which factor on friction still admits an equilibrium. Below that the arch must fall; the
sweep shows where it does.
"""
import numpy as np

import cardhouse

UNTIL = 0.5  # s


def sinks(mu):
    """How far the lowest-moving stone of a semicircular arch has moved after half a second, m."""
    sim = cardhouse.Simulation(cardhouse.scenes.arch(n=11, form="semicircle", thickness=0.2, mu=mu))
    start = sim.position.copy()
    report = sim.step(int(UNTIL / 1e-3))
    return np.linalg.norm(sim.position - start, axis=1).max(), report.certificate.natural


def limit(mu=0.6):
    """The smallest mu that admits an equilibrium, from the contact problem of the first step."""
    sim = cardhouse.Simulation(cardhouse.scenes.arch(n=11, form="semicircle", thickness=0.2, mu=mu))
    sim.step()
    return mu * sim.problem()[0].smallest_friction()


def main(plot=None):
    smallest = limit()
    mus = smallest * np.array([0.8, 0.9, 0.95, 0.98, 1.02, 1.05, 1.1, 1.2])
    moved, natural = np.array([sinks(mu) for mu in mus]).T
    print(f"limit analysis: the arch needs mu = {smallest:.4f}")
    for mu, distance in zip(mus, moved):
        print(f"mu {mu:.4f} ({mu / smallest:.2f} of it): stones move by {distance:.1e} m in {UNTIL} s")
    if plot:
        draw(plot, mus, moved, smallest)
    return {"limit": smallest, "mu": mus, "moved": moved, "natural": natural.max()}


def draw(path, mus, moved, smallest):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 3.5))
    axes.plot(mus, moved, "o-", label="moved in half a second")
    axes.axvline(smallest, color="grey", linestyle="--", label="limit analysis")
    axes.set(xlabel="friction coefficient", ylabel="largest displacement, m")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path)


if __name__ == "__main__":
    import sys

    main(sys.argv[1] if len(sys.argv) > 1 else None)
