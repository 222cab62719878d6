"""A world in motion."""
from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardhouse import _core
from cardhouse.problem import Problem
from cardhouse.world import World

Array = npt.NDArray[np.float64]


class Simulation(_core.Simulation):
    """A world in motion: one call a step, every step with its certificate."""

    def __init__(self, world: World, **options: Any) -> None:
        super().__init__(world.to_json(), world._file)
        self._arrays: dict[str, Array] = {}

    def _view(self, name: str) -> Array:
        array = self._arrays.get(name)
        if array is None:
            array = self._arrays[name] = np.asarray(self._array(name))
        return array

    @property
    def position(self) -> Array:
        """Centres of mass, m: a row a body. A view: what is written is taken before the next step."""
        return self._view("position")

    @property
    def velocity(self) -> Array:
        """Of centres of mass, m/s: a row a body. A view."""
        return self._view("velocity")

    @property
    def target(self) -> Array:
        """What motors work towards, one for each freedom of each joint; NaN where it is not driven. A view."""
        return self._view("target")

    @property
    def certificate(self) -> _core.Certificate:
        """How exactly the last step met the law of contact."""
        return self._info().certificate

    def problem(self) -> tuple[Problem, Array]:
        """The contact problem of the last step, all islands together, and its reactions, N s."""
        core, reactions = _core.simulation_problem(self)
        return Problem._wrap(core), np.frombuffer(reactions).copy()
