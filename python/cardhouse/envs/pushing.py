"""Planar pushing: a finger pushes a box over a table to a goal, with exact sticking and slipping at every contact."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardhouse.envs.base import Array, Environment, Info, Values, box
from cardhouse.world import World

HALF, RADIUS, SPEED, REACH = 0.05, 0.01, 0.25, 0.4  # m, m, m/s, m
STEP = 4e-3  # s


def build(mu_table: float = 0.4, mu_finger: float = 0.3) -> World:
    """A box on a table and a round finger, which moves as it is told."""
    world = World("pushing")
    world.add_material("table", friction=mu_table)
    world.add_material("wood", friction=mu_table, density=600.0)
    world.add_material("finger", friction=mu_finger**2 / mu_table)  # a pair has the geometric mean
    world.add_halfspace(name="table", fixed=True, material="table")
    world.add_box([HALF, HALF, 0.02], name="box", position=[0, 0, 0.02], material="wood")
    world.add_cylinder(RADIUS, 0.02, name="finger", position=[-0.1, 0, 0.03], motion=[0, 0, 0], material="finger")
    return world


class Pushing(Environment):
    """Action: the finger's velocity in x and y, in parts of 0.25 m/s. Seen: finger and goal as the box sees them, the goal's turn
    as cosine and sine, and the finger's force on the box in N. Reward: by how much the box came nearer to the goal, in
    0.1 m and radian together, and 1 for being there."""

    repeat = 5
    limit = 100

    def __init__(self, render_mode: str | None = None, **options: Any) -> None:
        super().__init__(build(), render_mode, h=STEP, **options)
        self.action_space = box([-1, -1], [1, 1])
        self.observation_space = box([-np.inf] * 8, [np.inf] * 8)
        self.goal = np.zeros(3)
        self._box, self._finger = self.sim.body("box").row, self.sim.body("finger").row
        self._sticking = False
        self.sim.move("finger", self.sim.position[self._finger])  # from now on it stays where it is told
        self._begin = self.sim.save()

    def _set_up(self) -> None:
        angle = self.np_random.uniform(-0.5, 0.5)
        self.goal = np.array([*(self.np_random.uniform(0.1, 0.2) * np.array([np.cos(angle), np.sin(angle)])), angle])
        self._far = self._distance()

    def _act(self, action: Array) -> float:
        worst, to = 0.0, self.sim.position[self._finger].copy()
        for _ in range(self.repeat):
            to[:2] = np.clip(to[:2] + SPEED * STEP * action, -REACH, REACH)
            self.sim.move(self._finger, to)
            worst = max(worst, self.sim.step().certificate.natural)
        return worst

    def _pose(self) -> Array:
        w, _, _, z = self.sim.orientation[self._box]
        return np.array([*self.sim.position[self._box][:2], 2.0 * np.arctan2(z, w)])

    def _distance(self) -> float:
        off = self.goal - self._pose()
        return float(np.hypot(off[0], off[1]) + 0.1 * abs((off[2] + np.pi) % (2 * np.pi) - np.pi))

    def _seen(self) -> Values:
        pose, contacts = self._pose(), self.sim.contacts
        turn = np.array([[np.cos(pose[2]), np.sin(pose[2])], [-np.sin(pose[2]), np.cos(pose[2])]])
        mine = contacts[(contacts["bodies"] == self._finger).any(axis=1)]
        sign = np.where(mine["bodies"][:, 1] == self._box, 1.0, -1.0)
        force = (sign[:, None] * mine["force"]).sum(axis=0)[:2]
        self._sticking = bool(mine["sticking"].any())
        finger = turn @ (self.sim.position[self._finger][:2] - pose[:2])
        goal, left = turn @ (self.goal[:2] - pose[:2]), self.goal[2] - pose[2]
        return np.array([*finger, *goal, np.cos(left), np.sin(left), *(turn @ force)], np.float32)

    def _judged(self) -> tuple[float, bool]:
        before, self._far = self._far, self._distance()
        there = self._far < 0.01
        return 10.0 * (before - self._far) + there, there

    def _info(self, worst: float) -> Info:
        return {**super()._info(worst), "distance": self._distance(), "sticking": self._sticking}
