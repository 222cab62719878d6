"""Bodies in contact with Coulomb friction: every step solved exactly, and certified. SI units throughout.

    import cardhouse
    sim = cardhouse.Simulation(cardhouse.scenes.cards(levels=3))
    print(sim.step(100).certificate)
"""
from cardhouse import scenes
from cardhouse._core import Certificate, Error, Report, SceneError, __version__
from cardhouse.batch import Rollout, rollout
from cardhouse.problem import Problem, Solution, certify, methods, solve, take_off
from cardhouse.simulation import Simulation
from cardhouse.world import World, load

__all__ = ["Certificate", "Error", "Problem", "Report", "Rollout", "SceneError", "Simulation", "Solution", "World",
           "__version__", "certify", "load", "methods", "rollout", "scenes", "solve", "take_off"]
