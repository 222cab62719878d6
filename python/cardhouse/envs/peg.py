"""Peg in hole, in the plane: a compliant hand feels its way into a hole with little clearance."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardhouse.envs.base import Array, Environment, Info, Values, box
from cardhouse.world import World

HALF, LENGTH, CLEARANCE, DEPTH = 0.01, 0.05, 4e-4, 0.04  # m; the peg's half width and half length
STIFFNESS, DAMPING = np.array([2000.0, 2000.0, 4.0]), np.array([40.0, 40.0, 0.04])  # of the hand: N/m and N m a radian


def build(clearance: float = CLEARANCE, mu: float = 0.3) -> World:
    """A block with a slot, and a peg above it."""
    world = World("peg", dimension=2)
    world.add_material("steel", friction=mu, density=400.0)
    wall, half = 0.1, HALF + clearance / 2
    block = world.add_body("block", fixed=True)
    for side in (-1, 1):
        block.add_box([wall, DEPTH], at=[side * (wall + half), -DEPTH], material="steel")
    block.add_box([wall, 0.01], at=[0, -2 * DEPTH], material="steel")
    world.add_box([HALF, LENGTH], name="peg", position=[0, LENGTH + 0.02], material="steel")
    return world


class PegInHole(Environment):
    """Action: how fast the hand's set point moves in x, y (parts of 0.1 m/s) and turns (parts of 1 radian/s); the peg follows it
    like a spring. Seen: the peg's place and angle, its velocities, and the force and torque of contact. Reward: depth gained,
    in units of the hole's, and 1 once the peg is in by nine tenths."""

    limit = 150

    def __init__(self, render_mode: str | None = None, clearance: float = CLEARANCE, **options: Any) -> None:
        super().__init__(build(clearance), render_mode, h=1e-3, **options)
        self.action_space = box([-1, -1, -1], [1, 1, 1])
        self.observation_space = box([-np.inf] * 9, [np.inf] * 9)
        self._peg = self.sim.body("peg").row
        self._set_point = np.zeros(3)

    def _set_up(self) -> None:
        off = self.np_random.uniform([-0.004, 0.0, -0.08], [0.004, 0.005, 0.08])
        self.sim.position[self._peg] += off[:2]
        self.sim.orientation[self._peg] += off[2]
        self._set_point = self._pose()
        self._deep = self._depth()

    def _pose(self) -> Array:
        return np.array([*self.sim.position[self._peg], self.sim.orientation[self._peg]])

    def _speed(self) -> Array:
        return np.array([*self.sim.velocity[self._peg], self.sim.spin[self._peg]])

    def _depth(self) -> float:
        """How deep the lower end is below the surface, in parts of the hole's depth."""
        return float((LENGTH - self.sim.position[self._peg][1]) / DEPTH)

    def _act(self, action: Array) -> float:
        worst, weight = 0.0, self.sim.body("peg").mass * 9.81
        for _ in range(self.repeat):
            self._set_point = self._set_point + 1e-3 * action * np.array([0.1, 0.1, 1.0])
            reach = np.array([0.01, 0.01, 0.2])  # farther from the peg the set point does not get
            self._set_point = np.clip(self._set_point, self._pose() - reach, self._pose() + reach)
            self.sim.wrench[self._peg] = STIFFNESS * (self._set_point - self._pose()) - DAMPING * self._speed() + [0, weight, 0]
            worst = max(worst, self.sim.step().certificate.natural)
        return worst

    def _seen(self) -> Values:
        contacts, pose = self.sim.contacts, self._pose()
        sign = np.where(contacts["bodies"][:, 1] == self._peg, 1.0, -1.0)
        force = sign[:, None] * contacts["force"][:, :2]
        arm = contacts["point"][:, :2] - pose[:2]
        torque = np.sum(arm[:, 0] * force[:, 1] - arm[:, 1] * force[:, 0])
        return np.array([*pose, *self._speed(), *force.sum(axis=0), torque], np.float32)

    def _judged(self) -> tuple[float, bool]:
        before, self._deep = self._deep, self._depth()
        inside = self._deep > 0.9
        return self._deep - before + inside, inside

    def _info(self, worst: float) -> Info:
        return {**super()._info(worst), "depth": self._depth()}
