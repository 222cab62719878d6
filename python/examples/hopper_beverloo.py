#!/usr/bin/env python3
"""Grains run out of a silo: how the rate grows with the orifice, beside Beverloo's law.

In the plane the law reads  W = C rho sqrt(g) (D - k d)^(3/2): W is the mass that leaves in a second, D the orifice, d the grains'
diameter. C and k are fitted.
"""
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import cardhouse

RADIUS, DENSITY, MU, G = 0.005, 1000.0, 0.5, 9.81  # m, kg/m^2
WIDTH, GRAINS = 0.16, 450


def build(orifice):
    """A silo with a flat floor, open in the middle; grains of two sizes, so that they do not crystallise."""
    world = cardhouse.World("silo", dimension=2)
    world.document.update({"contact": {"law": "compliant", "overlap": 1e-3}, "method": {"tolerance": 1e-5}})
    world.add_material("glass", density=DENSITY, friction=MU)
    silo = world.add_body("silo", fixed=True)
    for side in (-1, 1):
        silo.add_box([WIDTH, 0.01], at=[side * (WIDTH + orifice / 2), -0.01], material="glass")
        silo.add_box([0.01, 1.0], at=[side * (WIDTH / 2 + 0.01), 1.0], material="glass")
    generator, columns = np.random.default_rng(1), int(WIDTH / (2.4 * RADIUS))
    for k in range(GRAINS):
        x = -WIDTH / 2 + (k % columns + 0.5) * WIDTH / columns
        world.add_disk(RADIUS * generator.uniform(0.9, 1.1), position=[x, 2.4 * RADIUS * (k // columns + 0.6)], material="glass")
    return world


def rate(orifice, until=0.6):
    """Mass that leaves in a second, kg/s: a straight line through the mass outside, from 0.1 s until half of it has left."""
    sim = cardhouse.Simulation(build(orifice), h=1e-3)
    mass = np.array([sim.body(row).mass for row in range(1, GRAINS + 1)])
    times, outside, missed = [], [], 0
    while sim.time < until and (not outside or outside[-1] < 0.5 * mass.sum()):
        missed += sim.step(10).missed
        times.append(sim.time)
        outside.append(mass[sim.position[1:, 1] < -0.02].sum())
    late = np.array(times) > 0.1
    return np.polyfit(np.array(times)[late], np.array(outside)[late], 1)[0], missed / sim.step_count


def main(sizes=(4, 5, 6, 7, 8)):
    orifices = 2 * RADIUS * np.array(sizes, dtype=float)  # in diameters of grains
    with ThreadPoolExecutor() as pool:  # steps are made without the GIL, so that threads are enough
        rates, missed = np.array(list(pool.map(rate, orifices))).T
    slope, offset = np.polyfit(orifices, rates ** (2 / 3), 1)  # W^(2/3) is a straight line in D
    k, C = -offset / slope / (2 * RADIUS), slope**1.5 / (0.8 * DENSITY * np.sqrt(G))
    for D, W in zip(orifices, rates):
        print(f"D = {D / (2 * RADIUS):.1f} d: {W:6.2f} kg/s, by the fit {(slope * D + offset) ** 1.5:6.2f}")
    print(f"fitted: k = {k:.2f}, C = {C:.2f}; {100 * missed.mean():.1f} % of the steps missed their tolerance of 1e-5")
    return {"k": k, "C": C, "rates": rates, "fit": (slope * orifices + offset) ** 1.5, "missed": missed.mean()}


if __name__ == "__main__":
    main()
