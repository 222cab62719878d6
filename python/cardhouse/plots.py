"""Plots of a trajectory, by matplotlib where it is installed: `trajectory.plot.energy()`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from cardhouse.trajectory import Trajectory

__all__ = ["Plots"]


def _axes(axes: Any) -> Any:
    if axes is not None:
        return axes
    from matplotlib import pyplot  # type: ignore[import]

    return pyplot.subplots(figsize=(7, 4))[1]


class Plots:
    """What can be drawn of a trajectory. Every method takes matplotlib's `axes` or makes some, and returns them."""

    def __init__(self, trajectory: Trajectory) -> None:
        self._trajectory = trajectory

    def energy(self, axes: Any = None) -> Any:
        """Kinetic, potential and total energy over time, J; the potential counts from its lowest."""
        t, axes = self._trajectory, _axes(axes)
        lowest = np.min(t.potential)
        axes.plot(t.time, t.kinetic, label="kinetic")
        axes.plot(t.time, t.potential - lowest, label="potential")
        axes.plot(t.time, t.energy - lowest, label="total", color="black")
        axes.set(xlabel="time, s", ylabel="energy, J")
        axes.legend()
        return axes

    def certificate(self, axes: Any = None) -> Any:
        """The figure `natural` over time, on a logarithmic scale."""
        t, axes = self._trajectory, _axes(axes)
        axes.semilogy(t.time, np.maximum(t.certificate["natural"], 1e-17))
        axes.set(xlabel="time, s", ylabel="natural")
        return axes

    def force_chains(self, time: float | None = None, axes: Any = None, across: tuple[int, int] | None = None) -> Any:
        """Contact forces at a time, s (None: the end): lines between the centres of two bodies that touch, or from a centre to a
        contact with what does not move, as wide as the force is large. `across` names the two coordinates that are drawn: x and
        z in space, x and y in the plane. The run must have kept its contacts: run(contacts=True)."""
        t = self._trajectory
        if t.contacts is None:
            raise ValueError("the run kept no contacts: say run(..., contacts=True)")
        row = len(t) - 1 if time is None else int(np.searchsorted(t.time, time, side="right")) - 1
        first, second = across or ((0, 1) if t.position.shape[2] == 2 else (0, 2))
        axes, contacts, centres = _axes(axes), t.contacts[max(row, 0)], t.position[max(row, 0)]
        size = np.linalg.norm(contacts["force"], axis=1)
        largest = max(size.max(initial=0.0), 1e-300)
        moves = np.array([not (body.get("fixed") or "motion" in body or "turn" in body) for body in t.world.document["bodies"]])
        for contact, force in zip(contacts, size):
            if force < 1e-3 * largest:
                continue
            point = contact["point"]
            ends = [centres[b] if moves[b] else point for b in contact["bodies"]]
            path = (ends[0], point, ends[1])
            axes.plot([p[first] for p in path], [p[second] for p in path], color="firebrick", solid_capstyle="round",
                      linewidth=0.3 + 5.0 * force / largest)
        axes.plot(centres[moves, first], centres[moves, second], ".", color="black", markersize=3)
        axes.set_aspect("equal")
        axes.set(xlabel="m", ylabel="m", title=f"t = {t.time[max(row, 0)]:g} s, largest {largest:.3g} N")
        return axes
