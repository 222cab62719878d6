"""Many copies of one world at once, on the threads of the machine."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardhouse import _core
from cardhouse.simulation import Simulation
from cardhouse.world import World

__all__ = ["Rollout", "rollout"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Rollout:
    """What became of every copy. Arrays begin with the copy, then the row: row 0 is the start, row k is after k `every` steps."""

    position: Array  #: copies x rows x bodies x 3 (plane: 2), centres of mass, m
    orientation: Array  #: copies x rows x bodies x 4, unit quaternions w x y z (plane: copies x rows x bodies, radian)
    velocity: Array  #: as position, m/s
    spin: Array  #: copies x rows x bodies x 3 (plane: copies x rows x bodies), radian/s
    natural: Array  #: copies x steps: the certificate's figure of every step
    states: list[bytes] = field(repr=False)  #: at the end, for Simulation.restore or the next rollout
    seconds: list[float]  #: of processor time, by thread


def rollout(world: World | Simulation, states: int | Sequence[bytes | None] = 1, controls: ArrayLike | None = None,
            steps: int | None = None, threads: int | None = None, every: int = 1) -> Rollout:
    """Steps many copies of a world in parallel, without the GIL; the bits do not depend on `threads`.

    `states` is one saved state (`Simulation.save`) for each copy, None for the start; or how many copies start there. A
    simulation in place of a world starts all copies where it is. `controls` has the shape copies x steps x freedoms: targets
    as in `Simulation.target`, one column for each freedom of each joint; columns of freedoms that are not driven are not
    read. With a shape of steps x freedoms all copies get the same. `threads` defaults to the processors there are.
    """
    simulation = world if isinstance(world, Simulation) else None
    source = simulation.world if simulation is not None else world
    start = simulation._save() if simulation is not None else None
    listed = (start,) * states if isinstance(states, int) else tuple(start if s is None else s for s in states)
    text, file = source.to_json(), source._file
    probe = Simulation(source)
    freedoms, plane, bodies = len(np.asarray(probe._array("target"))), probe.dimension == 2, len(probe.position)
    orders = None if controls is None else np.asarray(controls, dtype=np.float64)
    if orders is not None:
        if orders.ndim == 2:
            orders = np.broadcast_to(orders, (len(listed), *orders.shape))
        steps = orders.shape[1] if steps is None and orders.ndim == 3 else steps
        if orders.shape != (len(listed), steps, freedoms):
            raise ValueError(f"controls has the shape {orders.shape}, must be {(len(listed), steps, freedoms)}: copies x steps x "
                             "freedoms")
        orders = np.ascontiguousarray(orders)
    if steps is None:
        raise ValueError("say steps, or controls")
    if steps < 0 or every < 1 or (threads is not None and threads < 1):
        raise ValueError(f"steps is {steps}, every {every}, threads {threads}: must be at least 0, 1 and 1")
    rows = (len(listed), int(steps) // int(every) + 1, bodies)
    wide = ((2,), (), (2,), ()) if plane else ((3,), (4,), (3,), (3,))
    outputs = tuple(np.zeros(rows + width) for width in wide)
    natural = np.zeros((len(listed), int(steps)))
    count = min(threads or len(os.sched_getaffinity(0)), max(len(listed), 1))
    ends, seconds = _core.rollout(text, file, listed, orders, int(steps), int(every), count, natural, outputs)
    return Rollout(*outputs, natural, ends, seconds)
