"""What the environments share: the interface of Gymnasium, with or without that package.

Where gymnasium is installed its `Env` and `spaces.Box` are used; where it is not, the small ones below have the same methods.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardhouse.looking import Picture
from cardhouse.simulation import Simulation, State
from cardhouse.world import World

Array = NDArray[np.float64]
Values = NDArray[np.float32]
Info = dict[str, Any]


class PlainBox:
    """A box of numbers, as gymnasium.spaces.Box has it."""

    def __init__(self, low: ArrayLike, high: ArrayLike, dtype: type[np.float32] = np.float32) -> None:
        self.low, self.high = np.asarray(low, dtype), np.asarray(high, dtype)
        self.shape, self.dtype = self.low.shape, np.dtype(dtype)
        self._random = np.random.default_rng()

    def seed(self, seed: int | None = None) -> None:
        """Restarts the random numbers of `sample`."""
        self._random = np.random.default_rng(seed)

    def sample(self) -> Values:
        """A random point: uniform between bounds, normal if there are none."""
        bounded = np.isfinite(self.low) & np.isfinite(self.high)
        low, high = np.where(bounded, self.low, 0.0), np.where(bounded, self.high, 1.0)
        uniform, normal = self._random.uniform(low, high), self._random.normal(size=self.shape)
        return np.asarray(np.where(bounded, uniform, normal), np.float32)

    def contains(self, x: Any) -> bool:
        """Whether a point lies in the box."""
        value = np.asarray(x)
        return bool(value.shape == self.shape and np.all(value >= self.low) and np.all(value <= self.high))

    def __repr__(self) -> str:
        return f"Box{self.shape}"


class PlainEnv:
    """What an environment is where gymnasium is not."""

    metadata: dict[str, Any] = {}
    render_mode: str | None = None

    @property
    def unwrapped(self) -> Any:
        """Itself: there are no wrappers."""
        return self

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Seeds the random numbers."""
        if seed is not None or not hasattr(self, "np_random"):
            self.np_random = np.random.default_rng(seed)

    def close(self) -> None:
        """Nothing to be closed."""


if TYPE_CHECKING:
    from cardhouse.envs.base import PlainBox as Box, PlainEnv as GymEnv
else:
    try:
        from gymnasium import Env as GymEnv
        from gymnasium.spaces import Box
    except ImportError:
        Box, GymEnv = PlainBox, PlainEnv


def box(low: ArrayLike, high: ArrayLike) -> PlainBox:
    """A space of numbers between bounds, which may be infinite."""
    return Box(np.asarray(low, np.float32), np.asarray(high, np.float32), dtype=np.float32)


class Environment(GymEnv):
    """A world that is acted on `repeat` steps at a time. Subclasses say what an action does, what is seen and what counts."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 25}
    repeat = 10  #: steps of the engine for one of the environment
    limit = 200  #: steps of an episode
    observation_space: PlainBox
    action_space: PlainBox

    def __init__(self, world: World, render_mode: str | None = None, **options: Any) -> None:
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f"render_mode is {render_mode!r}, must be None or 'rgb_array'")
        self.render_mode = render_mode
        self.sim = Simulation(world, **options)
        self._begin: State = self.sim.save()
        self._steps = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Values, Info]:
        """The start of an episode: what is seen, and nothing more to know."""
        super().reset(seed=seed)
        self.sim.restore(self._begin)
        self._steps = 0
        self._set_up()
        return self._seen(), self._info(0.0)

    def step(self, action: ArrayLike) -> tuple[Values, float, bool, bool, Info]:
        """Acts: what is seen then, the reward, whether the task ended, whether time is up, and `info`."""
        wanted = np.asarray(action, np.float64)
        if wanted.shape != self.action_space.shape or not np.all(np.isfinite(wanted)):
            raise ValueError(f"an action has the shape {self.action_space.shape} and is finite, not {action!r}")
        worst = self._act(np.clip(wanted, self.action_space.low, self.action_space.high))
        self._steps += 1
        reward, ended = self._judged()
        return self._seen(), float(reward), bool(ended), self._steps >= self.limit, self._info(worst)

    def render(self) -> Picture:
        """A picture: height x width x 3 bytes. It takes Chromium and a few seconds."""
        return self.sim.render()

    def _info(self, worst: float) -> Info:
        return {"natural": worst, "time": self.sim.time}

    def _set_up(self) -> None:
        raise NotImplementedError

    def _act(self, action: Array) -> float:
        raise NotImplementedError

    def _seen(self) -> Values:
        raise NotImplementedError

    def _judged(self) -> tuple[float, bool]:
        raise NotImplementedError
