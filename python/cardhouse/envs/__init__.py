"""Environments with the interface of Gymnasium, which need not be installed: reset, step, spaces, render.

    env = cardhouse.envs.Pushing()
    seen, info = env.reset(seed=1)
    seen, reward, ended, truncated, info = env.step(env.action_space.sample())

`info["natural"]` is the worst certificate of the steps that an action took.
"""

from cardhouse.envs.base import Environment
from cardhouse.envs.cards import AddCard
from cardhouse.envs.peg import PegInHole
from cardhouse.envs.pushing import Pushing

__all__ = ["AddCard", "Environment", "PegInHole", "Pushing"]
