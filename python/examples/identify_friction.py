#!/usr/bin/env python3
"""System identification: the friction coefficient of a block from noisy positions of its slide.

A block is thrown along a floor; positions are measured with noise. Many coefficients are simulated at once by a batch, and the one
whose slide is nearest to the measured one wins. Friction is exact, so the fit is limited by the noise alone.
"""
import numpy as np

import cardhouse

STEPS, EVERY, NOISE = 600, 20, 2e-3  # steps of 1 ms; a position every 20 ms; metres


def slide(mu):
    """Positions along the floor, m, every 20 ms, and the worst certificate."""
    world = cardhouse.World("slide")
    world.add_material("wood", friction=mu, density=600.0)
    world.add_halfspace(name="floor", fixed=True, material="wood")
    world.add_box([0.1, 0.08, 0.05], name="block", position=[0, 0, 0.05], velocity=[1.5, 0, 0], material="wood")
    batch = cardhouse.rollout(world, 1, steps=STEPS, every=EVERY)
    return batch.position[0, :, 1, 0], batch.natural.max()


def main():
    truth = 0.327
    noise = np.random.default_rng(7).normal(0.0, NOISE, STEPS // EVERY + 1)
    measured = slide(truth)[0] + noise
    low, high, worst = 0.05, 1.0, 0.0
    while high - low > 1e-5:  # golden section: the misfit has one valley
        a, b = high - 0.618034 * (high - low), low + 0.618034 * (high - low)
        (path_a, natural_a), (path_b, natural_b) = slide(a), slide(b)
        worst = max(worst, natural_a, natural_b)
        if np.sum((path_a - measured) ** 2) < np.sum((path_b - measured) ** 2):
            high = b
        else:
            low = a
    found = (low + high) / 2
    print(f"mu: {truth} was simulated and measured with {1e3 * NOISE:g} mm of noise, {found:.4f} is found; worst certificate {worst:.1e}")
    return {"truth": truth, "found": found, "natural": worst}


if __name__ == "__main__":
    main()
