"""Many copies of one world at once, on the threads of the machine."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardhouse import _core
from cardhouse.simulation import Simulation, State
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


def rollout(world: World | Simulation, states: int | Sequence[State | bytes | None] = 1, controls: ArrayLike | None = None,
            steps: int | None = None, threads: int | None = None, every: int = 1) -> Rollout:
    """Steps many copies of a world in parallel, without the GIL; the bits do not depend on `threads`.

    `states` is one saved state (`Simulation.save`, `Rollout.states`) for each copy, None for the start; or how many copies start
    there. A simulation in place of a world starts all copies where it is. `controls` has the shape copies x steps x freedoms:
    targets as in `Simulation.target`, one column for each freedom of each joint; columns of freedoms that are not driven are not
    read. With a shape of steps x freedoms all copies get the same. `threads` defaults to the processors there are.
    """
    source = world.world if isinstance(world, Simulation) else world
    start = world.save() if isinstance(world, Simulation) else None
    given = [None] * states if isinstance(states, int) else states
    listed = tuple(_block(start if state is None else state, controls is not None) for state in given)
    probe = Simulation(source)
    orders, steps = _orders(controls, steps, len(listed), len(probe.target))
    if steps < 0 or every < 1 or (threads is not None and threads < 1):
        raise ValueError(f"steps is {steps}, every {every}, threads {threads}: must be at least 0, 1 and 1")
    rows = (len(listed), steps // every + 1, len(probe.position))
    wide = ((2,), (), (2,), ()) if probe.dimension == 2 else ((3,), (4,), (3,), (3,))
    position, orientation, velocity, spin = (np.zeros(rows + width) for width in wide)
    natural = np.zeros((len(listed), steps))
    count = min(threads or len(os.sched_getaffinity(0)), max(len(listed), 1))
    ends, seconds = _core.rollout(source.to_json(), source._file, listed, orders, steps, every, count, natural,
                                  (position, orientation, velocity, spin))
    return Rollout(position, orientation, velocity, spin, natural, ends, seconds)


def _block(state: State | bytes | None, steered: bool) -> bytes | None:
    """The bytes of a state. What was commanded is not in them: targets come from `controls`, the rest is refused."""
    if not isinstance(state, State):
        return state
    kinds = {key[0] for key in state.commands} - ({"target"} if steered else set())
    if kinds or state.wrench:
        raise ValueError(f"the state has commands ({', '.join(sorted(kinds | ({'wrench'} if state.wrench else set())))}), which a "
                         "rollout does not take; targets go into controls")
    return state.block


def _orders(controls: ArrayLike | None, steps: int | None, copies: int, freedoms: int) -> tuple[Array | None, int]:
    if controls is None:
        if steps is None:
            raise ValueError("say steps, or controls")
        return None, int(steps)
    orders = np.asarray(controls, dtype=np.float64)
    if orders.ndim == 2:
        orders = np.broadcast_to(orders, (copies, *orders.shape))
    if steps is None and orders.ndim == 3:
        steps = orders.shape[1]
    if orders.shape != (copies, steps, freedoms) or steps is None:
        raise ValueError(f"controls has the shape {orders.shape}, must be {(copies, steps, freedoms)}: copies x steps x freedoms")
    return np.ascontiguousarray(orders), int(steps)
