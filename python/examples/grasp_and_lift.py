#!/usr/bin/env python3
"""How hard must a gripper press to lift a box? The contact forces tell, and Coulomb's law says it beforehand.

Two fingers press with F each; friction mu carries the box's weight m g on both sides as long as 2 mu F >= m g.
"""
import numpy as np

import cardhouse

MU, G = 0.4, 9.81


def build():
    """A hand above a box on a table; the hand rises by 0.1 m between 0.3 s and 0.8 s, whatever it carries."""
    world = cardhouse.World("grasp")
    world.add_material("rubber", friction=MU, density=500.0)
    world.add_halfspace(name="table", fixed=True, material="rubber")
    rise = {"table": [[0, 0], [0.3, 0], [0.8, 0.1]]}
    hand = world.add_box([0.15, 0.03, 0.01], name="hand", position=[0, 0, 0.3], motion=[0, 0, rise])
    world.add_box([0.05, 0.05, 0.1], name="box", position=[0, 0, 0.1], material="rubber")
    for name, side in (("left", -1), ("right", 1)):
        finger = world.add_box([0.01, 0.02, 0.08], name=name, position=[0.065 * side, 0, 0.2], material="rubber")
        world.add_joint("slider", hand, finger, name=name, at=[0.065 * side, 0, 0.29], axis=[1, 0, 0], drive="force", target=0.0)
    return world


def lift(world, force):
    """Presses with `force` newton and lifts. Returns how high the box is then, and what its contacts carry."""
    sim = cardhouse.Simulation(world)
    sim.target[:] = [force, -force]
    worst = sim.step(1000).certificate.natural
    box = sim.body("box")
    contacts = sim.contacts
    sign = np.where(contacts["bodies"][:, 1] == box.row, 1.0, -1.0)  # forces are told on the second body
    force_on_box = (sign[:, None] * contacts["force"])[(contacts["bodies"] == box.row).any(axis=1)]
    return box.position[2] - 0.1, force_on_box, box.mass, worst


def main():
    world = build()
    print("  F, N   lifted, m   vertical force on it, N   squeezed, N   certificate")
    lifted, worst = {}, 0.0
    mass = cardhouse.Simulation(world).body("box").mass
    limit = mass * G / (2 * MU)
    for force in limit * np.array([0.8, 0.95, 1.05, 1.5]):
        height, forces, mass, natural = lift(world, force)
        lifted[force] = height
        worst = max(worst, natural)
        print(f"{force:6.2f} {height:11.4f} {forces[:, 2].sum():24.3f}  {np.abs(forces[:, 0]).sum() / 2:13.3f} {natural:13.1e}")
    print(f"Coulomb: m g / (2 mu) = {limit:.2f} N lifts the box of {mass:.1f} kg")
    return {"limit": limit, "lifted": lifted, "natural": worst}


if __name__ == "__main__":
    main()
