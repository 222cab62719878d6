"""Bodies and joints of a simulation, by name instead of by row."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from cardhouse import _core

if TYPE_CHECKING:
    from cardhouse.simulation import Simulation

Array = npt.NDArray[np.float64]


class Body(_core.Body):
    """A body of a simulation. Its arrays are rows of the simulation's views; writing to one takes effect before the
    next step. A handle is good for as long as its body is there, and raises afterwards."""

    simulation: Simulation

    @property
    def kind(self) -> str:
        """`dynamic`, `fixed` or `kinematic`."""
        return self._info()[0]

    @property
    def mass(self) -> float:
        """kg; 0 if nothing can move it."""
        return self._info()[1]

    @property
    def centre(self) -> Array:
        """Centre of mass in the frame in which the body was defined, m."""
        return np.array(self._info()[2])

    @property
    def inertia(self) -> Array:
        """About the centre of mass, along the axes of that frame, kg m^2: xx, yy, zz, xy, xz, yz (plane: zz first)."""
        return np.array(self._info()[3])

    @property
    def deformable(self) -> bool:
        """Whether it has modes."""
        return self._info()[4]

    @property
    def position(self) -> Array:
        """Centre of mass, m."""
        return np.asarray(self.simulation.position[self.row])

    @position.setter
    def position(self, value: npt.ArrayLike) -> None:
        self.simulation.position[self.row] = value

    @property
    def orientation(self) -> Any:
        """Unit quaternion (w, x, y, z); in the plane the angle, radian."""
        return self.simulation.orientation[self.row]

    @orientation.setter
    def orientation(self, value: npt.ArrayLike) -> None:
        self.simulation.orientation[self.row] = value

    @property
    def velocity(self) -> Array:
        """Of the centre of mass, m/s."""
        return np.asarray(self.simulation.velocity[self.row])

    @velocity.setter
    def velocity(self, value: npt.ArrayLike) -> None:
        self.simulation.velocity[self.row] = value

    @property
    def spin(self) -> Any:
        """Angular velocity in the world's frame, radian/s; in the plane a number."""
        return self.simulation.spin[self.row]

    @spin.setter
    def spin(self, value: npt.ArrayLike) -> None:
        self.simulation.spin[self.row] = value

    @property
    def wrench(self) -> Array:
        """Force (N) and torque (N m) that act at the centre of mass in every step, until they are set again."""
        return np.asarray(self.simulation.wrench[self.row])

    @wrench.setter
    def wrench(self, value: npt.ArrayLike) -> None:
        self.simulation.wrench[self.row] = value

    @property
    def modes(self) -> Array:
        """Amplitudes of its modes, kg^1/2 m; none where it is rigid."""
        first, count = self._modes()
        return self.simulation.modes[first:first + count]

    @property
    def rotation(self) -> Array:
        """From the body's axes to the world's: a matrix of 3 x 3, in the plane of 2 x 2; a copy."""
        turn = self.orientation
        if np.ndim(turn) == 0:
            c, s = np.cos(turn), np.sin(turn)
            return np.array([[c, -s], [s, c]])
        w, x, y, z = turn
        return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                         [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                         [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])

    @property
    def contacts(self) -> npt.NDArray[Any]:
        """Contacts of the last step that it takes part in: rows of `Simulation.contacts`."""
        contacts = self.simulation.contacts
        mine: npt.NDArray[Any] = contacts[(contacts["bodies"] == self.row).any(axis=1)]
        return mine

    @property
    def contact_force(self) -> Array:
        """What all contacts did to it together in the last step, N."""
        contacts, row = self.contacts, self.row
        sign = np.where(contacts["bodies"][:, 1] == row, 1.0, -1.0)
        return np.asarray((sign[:, None] * contacts["force"]).sum(axis=0))

    @property
    def touching(self) -> list[Body]:
        """Bodies with which it had contacts that carried a force in the last step."""
        contacts, row = self.contacts, self.row
        pressed = contacts[np.abs(contacts["force"]).max(axis=1) > 0.0] if len(contacts) else contacts
        return [Body(self.simulation, int(other)) for other in np.unique(pressed["bodies"]) if other != row]

    def remove(self) -> None:
        """Takes it out of the simulation, with its joints and forces; this handle is stale then."""
        self.simulation.remove_body(self)

    def push(self, impulse: npt.ArrayLike, point: npt.ArrayLike | None = None) -> None:
        """An impulse, N s, at a point of the world (None: the centre of mass)."""
        self.simulation.push(self, impulse, point)

    def __repr__(self) -> str:
        try:
            return f"<Body {self.name!r}, row {self.row}>"
        except _core.Error as error:
            return f"<Body: {error}>"


class Joint(_core.Joint):
    """A joint of a simulation: `position`, `speed`, `force` and `target` have an entry a freedom."""

    simulation: Simulation

    @property
    def type(self) -> str:
        """As in scenes: `hinge`, `slider`, ..."""
        return self._info()[0]

    @property
    def freedoms(self) -> slice:
        """Where its freedoms are in the arrays of all joints' freedoms."""
        _, first, count, _, _ = self._info()
        return slice(first, first + count)

    @property
    def bodies(self) -> tuple[Body | None, Body | None]:
        """The two bodies; None is the ground."""
        rows = self._info()[3:]
        first, second = (None if row < 0 else self.simulation.body(row) for row in rows)
        return first, second

    @property
    def position(self) -> Array:
        """Coordinates, m or radian, 0 at the start."""
        return self.simulation.joint_position[self.freedoms]

    @property
    def speed(self) -> Array:
        """m/s or radian/s."""
        return self.simulation.joint_speed[self.freedoms]

    @property
    def force(self) -> Array:
        """Along each freedom in the last step, N or N m: drive, limits and friction together."""
        return self.simulation.joint_force[self.freedoms]

    @property
    def wrench(self) -> Array:
        """All that the joint did to its second body in the last step: force (N) and torque (N m) about its point."""
        return np.asarray(self.simulation.joint_wrench[self.row])

    @property
    def target(self) -> Array:
        """Of the drives; NaN if a freedom is not driven. Writable."""
        return self.simulation.target[self.freedoms]

    @target.setter
    def target(self, value: npt.ArrayLike) -> None:
        self.simulation.target[self.freedoms] = value

    def remove(self) -> None:
        """Takes it out of the simulation; this handle is stale then."""
        self.simulation.remove_joint(self)

    def set_drive(self, drive: str, target: float = 0.0, *, strength: float = 0.0, axis: int = 0) -> None:
        """Another drive of a freedom: `none`, `position`, `velocity`, `force` or `prescribed`; `strength` is the largest
        force, 0 for unlimited."""
        self.simulation.set_drive(self, drive, target, strength=strength, axis=axis)

    def __repr__(self) -> str:
        try:
            return f"<Joint {self.name!r}, {self.type}, row {self.row}>"
        except _core.Error as error:
            return f"<Joint: {error}>"
