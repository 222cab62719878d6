"""Bodies in contact with Coulomb friction: every step solved exactly, and certified. SI units throughout.

    import cardhouse
    sim = cardhouse.Simulation(cardhouse.scenes.cards(levels=3))
    print(sim.step(100).certificate)

docs/python.md tells the rest.
"""
from cardhouse import scenes
from cardhouse._core import Certificate, Error, Report, SceneError, __version__
from cardhouse.batch import Rollout, rollout
from cardhouse.handles import Body, Joint
from cardhouse.problem import Method, Problem, Solution, TakeOff, certify, methods, solve, take_off
from cardhouse.simulation import CONTACT, Closest, Energy, Healing, Momentum, Nearby, RayHit, Simulation, State
from cardhouse.trajectory import Trajectory
from cardhouse.world import GROUND, JointPart, Part, World, load

__all__ = [
    "CONTACT", "GROUND", "Body", "Certificate", "Closest", "Energy", "Error", "Healing", "Joint", "JointPart",
    "Method", "Momentum", "Nearby", "Part", "Problem", "RayHit", "Report", "Rollout", "SceneError", "Simulation", "Solution",
    "State", "TakeOff", "Trajectory", "World", "__version__", "certify", "load", "methods", "rollout", "scenes", "solve",
    "take_off",
]
