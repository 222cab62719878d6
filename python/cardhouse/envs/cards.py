"""A robot that adds a card to a house of cards, which must not fall."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardhouse import scenes
from cardhouse.envs.base import Array, Environment, Info, Values, box
from cardhouse.world import World

WAIT = 250  # steps after the release, at the end of which the house is judged
STIFFNESS, DAMPING = 150.0, 25.0  # of the hand, for each kg of the card: 1/s^2 and 1/s


def build() -> tuple[World, Array]:
    """A house of two levels up to its first floor, the floor's card in the air; and where that card belongs."""
    world = scenes.cards(levels=2)
    bodies = world.document["bodies"]
    flat = [body for body in bodies if "orientation" not in body and not body.get("fixed")]
    if len(flat) != 1:
        raise RuntimeError(f"the house has {len(flat)} flat cards, must have 1")
    card = flat[0]
    level = card["position"][2]
    world.document["bodies"] = [body for body in bodies if body.get("fixed") or body is card or body["position"][2] < level]
    place = np.array(card["position"], dtype=float)
    card.update({"name": "card", "position": [place[0], place[1], place[2] + 0.3]})
    return world, place


class AddCard(Environment):
    """Action: velocity of the hand in x and z, in parts of 0.5 m/s, and whether to let go (above 0.5). The card follows the hand
    like a damped spring and is held level. Seen: the card against its place, its velocity, the hand against the card, how far the house
    moved. Reward: the way to the place that was made good, and after the release 1 where the card lies there and the
    house stands, -1 where not."""

    limit = 250

    def __init__(self, render_mode: str | None = None, **options: Any) -> None:
        world, self.place = build()
        super().__init__(world, render_mode, **options)
        self.action_space = box([-1, -1, 0], [1, 1, 1])
        self.observation_space = box([-np.inf] * 9, [np.inf] * 9)
        self._card = self.sim.body("card").row
        self._house = [body.row for body in self.sim.bodies if body.kind == "dynamic" and body.row != self._card]
        self._stood = self.sim.position[self._house].copy()
        self._hand = np.zeros(3)
        self._free = False

    def _set_up(self) -> None:
        self._free = False
        self.sim.position[self._card] += self.np_random.uniform([-0.3, 0, -0.1], [0.3, 0, 0.1])
        self._hand = self.sim.position[self._card].copy()
        self._far = self._distance()

    def _distance(self) -> float:
        return float(np.linalg.norm(self.sim.position[self._card] - self.place))

    def _moved(self) -> float:
        return float(np.abs(self.sim.position[self._house] - self._stood).max())

    def _act(self, action: Array) -> float:
        if action[2] > 0.5:
            self._free = True
            self.sim.wrench[self._card] = 0.0
            return float(self.sim.step(WAIT).certificate.natural)
        worst, mass = 0.0, self.sim.body("card").mass
        for _ in range(self.repeat):
            self._hand += self.sim.report.h * 0.5 * np.array([action[0], 0.0, action[1]])
            w, x, y, z = self.sim.orientation[self._card]
            pull = STIFFNESS * (self._hand - self.sim.position[self._card]) - DAMPING * self.sim.velocity[self._card]
            turn = -STIFFNESS * 2.0 * np.array([x, y, z]) * np.sign(w) - DAMPING * self.sim.spin[self._card]
            self.sim.wrench[self._card] = [*(mass * (pull + [0, 0, 9.81])), *(0.3 * mass * turn)]
            worst = max(worst, self.sim.step().certificate.natural)
        return worst

    def _seen(self) -> Values:
        card = self.sim.position[self._card]
        return np.array([*(card - self.place), *self.sim.velocity[self._card], *(self._hand - card)[[0, 2]], self._moved()],
                        np.float32)

    def _judged(self) -> tuple[float, bool]:
        before, self._far = self._far, self._distance()
        fell = self._moved() > 0.1
        if self._free:
            return (1.0 if self._far < 0.15 and not fell else -1.0), True
        return (before - self._far) - fell, fell

    def _info(self, worst: float) -> Info:
        return {**super()._info(worst), "distance": self._distance(), "moved": self._moved()}
