"""What a run leaves: a row every so many steps."""
from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from cardhouse import _core, looking
from cardhouse.plots import Plots

if TYPE_CHECKING:
    from cardhouse.simulation import Simulation
    from cardhouse.world import World

Array = npt.NDArray[np.float64]

BODIES = ("position", "orientation", "velocity", "spin")
FREEDOMS = ("joint_position", "joint_speed", "joint_force")


class Trajectory:
    """Rows of a run: `time` (s), `position`, `orientation`, `velocity`, `spin` (a row, a body, its numbers),
    `joint_position`, `joint_speed`, `joint_force` (a row, a freedom), `kinetic` and `potential` (J), `penetration` (m),
    `contact_count`, `missed` (steps since the row before that missed their tolerance), and the figures of the
    certificate, worst since the row before: `certificate["natural"]`."""

    def __init__(self, simulation: Simulation, every: int, contacts: bool) -> None:
        self.world: World = simulation.world
        self.every = every
        self.bodies = [body.name for body in simulation.bodies]
        self._names = [*BODIES, *(FREEDOMS if len(simulation.joint_position) else ()),
                       *(("modes",) if len(simulation.modes) else ())]
        self._rows: dict[str, list[Any]] = {}
        self._stacked: dict[str, Array] = {}
        self.contacts: list[npt.NDArray[Any]] | None = [] if contacts else None
        """Contacts of the last step before each row, where the run was asked for them."""
        self._path: str | None = None  # of its recording
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._controlled = False
        self._changed = _core.counts(simulation)[2] > 0
        self._begin = simulation.save()
        self._kind = type(simulation)

    def _add(self, simulation: Simulation, report: _core.Report | None) -> None:
        said = simulation.report if report is None else report
        row: dict[str, Any] = {name: np.array(getattr(simulation, name)) for name in self._names}
        row.update({"time": simulation.time, "kinetic": said.kinetic, "potential": said.potential,
                    "penetration": said.penetration, "contact_count": said.contacts,
                    "missed": 0 if report is None else report.missed})
        row.update({f"certificate.{name}": figure for name, figure in said.certificate.as_dict().items()})
        for name, value in row.items():
            self._rows.setdefault(name, []).append(value)
        if self.contacts is not None:
            self.contacts.append(simulation.contacts)
        self._stacked.clear()

    def __len__(self) -> int:
        return len(self._rows.get("time", ()))

    def _column(self, name: str) -> Array:
        if name not in self._stacked:
            rows = self._rows[name]
            if len({np.shape(row) for row in rows}) > 1:
                raise _core.Error(f"bodies or joints were added or removed during the run: rows('{name}') lists what each row has")
            self._stacked[name] = np.array(rows)
        return self._stacked[name]

    def rows(self, name: str) -> list[Array]:
        """A column as a list of its rows, which differ in length where bodies or joints were added or removed during the run."""
        return list(self._rows[name])

    def __getattr__(self, name: str) -> Array:
        if name.startswith("_") or name not in self._rows:
            raise AttributeError(f"a trajectory has no '{name}'; it has: {', '.join(sorted(self.__dict__.get('_rows', {})))}")
        return self._column(name)

    @property
    def certificate(self) -> dict[str, Array]:
        """Figure by figure, the worst since the row before."""
        marked = "certificate."
        return {name[len(marked):]: self._column(name) for name in self._rows if name.startswith(marked)}

    @property
    def energy(self) -> Array:
        """Kinetic and potential together, J."""
        return self._column("kinetic") + self._column("potential")

    @property
    def plot(self) -> Plots:
        """Plots by matplotlib: `plot.energy()`, `plot.certificate()`, `plot.force_chains(t)`."""
        return Plots(self)

    @property
    def recording(self) -> str:
        """The trajectory file (HDF5) of the run. Where none was asked for (`out=`) the run is made again, bit for bit, and
        recorded; a run that was controlled cannot be, and raises."""
        if self._path is None or not os.path.exists(self._path):
            if self._controlled or self._changed:
                why = "was controlled" if self._controlled else "began after bodies or joints were added or removed"
                raise _core.Error(f"the run {why} and was not recorded: say run(..., out='run.h5')")
            self._folder = tempfile.TemporaryDirectory(prefix="cardhouse-")
            self._path = os.path.join(self._folder.name, "run.h5")
            simulation = self._kind(self.world)
            simulation.restore(self._begin)
            simulation.run(float(self.time[-1]), self.every, out=self._path)
        return self._path

    def show(self, height: int = 600) -> looking.Replay:
        """The run as one html file: a notebook shows it, `save(path)` keeps it. It takes the program `cardhouse`."""
        return looking.replay(self.recording, height)

    def view(self, **options: Any) -> looking.Page:
        """A page with the recorded run and a slider for its time; this returns at once."""
        return looking.Page(self.recording, **options)

    def render(self, time: float | None = None, size: tuple[int, int] = (640, 360), **options: Any) -> looking.Picture:
        """A picture of a moment, s (None: the end), height x width x 3 bytes: see `looking.render`."""
        return looking.render(self.recording, time, size, **options)

    def body(self, name: str) -> int:
        """The row of a body, for the middle index of arrays."""
        return self.bodies.index(name)

    def __repr__(self) -> str:
        times = self._rows.get("time", [0.0])
        return f"<Trajectory of {self.world.name!r}: {len(self)} rows, {times[0]:g} to {times[-1]:g} s>"
