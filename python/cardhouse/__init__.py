"""Bodies in contact with Coulomb friction: every step solved exactly, and certified. SI units throughout.

    import cardhouse
    sim = cardhouse.Simulation(cardhouse.scenes.cards(levels=3))
    print(sim.step(100).certificate)
"""
from cardhouse import scenes
from cardhouse._core import Certificate, Error, Report, SceneError, __version__
from cardhouse.simulation import Simulation
from cardhouse.world import World, load

__all__ = ["Certificate", "Error", "Report", "SceneError", "Simulation", "World", "__version__", "load", "scenes"]
