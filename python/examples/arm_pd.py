#!/usr/bin/env python3
"""A two-link arm under PD control that reaches a pose, with the weight of its links balanced, and then presses on a table.

The controller sets torques; the engine adds contact with friction, and certifies every step.
"""
import numpy as np

import cardhouse

LENGTH, G = 0.5, 9.81  # m, m/s^2
KP, KD = np.array([120.0, 60.0]), np.array([12.0, 5.0])  # N m and N m s a radian


def build():
    """In the plane: shoulder at (0, 0.8), both links along x at the start, a table below."""
    world = cardhouse.World("arm", dimension=2)
    world.add_material("steel", density=80.0, friction=0.4)  # kg/m^2
    world.add_halfplane([0, 1], 0.0, name="table", fixed=True, material="steel")
    upper = world.add_box([LENGTH / 2, 0.03], name="upper", position=[LENGTH / 2, 0.8], material="steel")
    lower = world.add_box([LENGTH / 2, 0.02], name="lower", position=[1.5 * LENGTH, 0.8], material="steel")
    world.add_joint("hinge", "ground", upper, name="shoulder", at=[0, 0.8], drive="force", target=0.0)
    world.add_joint("hinge", upper, lower, name="elbow", at=[LENGTH, 0.8], drive="force", target=0.0)
    return cardhouse.Simulation(world, h=1e-3)


def weight_torque(sim):
    """Torques at shoulder and elbow that hold the links' weight."""
    mass = np.array([sim.body("upper").mass, sim.body("lower").mass])
    first, second = sim.joint_position[0], sim.joint_position.sum()
    elbow = mass[1] * G * LENGTH / 2 * np.cos(second)
    return np.array([(mass[0] * LENGTH / 2 + mass[1] * LENGTH) * G * np.cos(first) + elbow, elbow])


def control(sim, goal, steps):
    """PD towards joint angles, radian. Returns the worst certificate."""
    worst = 0.0
    for _ in range(steps):
        sim.target[:] = KP * (goal - sim.joint_position) - KD * sim.joint_speed + weight_torque(sim)
        worst = max(worst, sim.step().certificate.natural)
    return worst


def main():
    sim = build()
    goal = np.radians([50.0, -70.0])
    worst = control(sim, goal, 2000)
    error = np.abs(goal - sim.joint_position).max()
    print(f"in the air: joints miss their goal by {np.degrees(error):.1e} degrees")
    goal = np.radians([-60.0, -20.0])  # below the table
    worst = max(worst, control(sim, goal, 2000))
    contacts = sim.contacts
    normal = contacts["force"][:, 1].sum()
    print(f"on the table: the arm presses with {normal:.1f} N, friction {contacts['force'][:, 0].sum():.1f} N, "
          f"{'sticking' if contacts['sticking'].any() else 'sliding'}")
    print(f"worst certificate of {sim.step_count} steps: {worst:.1e}")
    return {"natural": worst, "normal": normal, "error": error}


if __name__ == "__main__":
    main()
