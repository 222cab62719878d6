"""A world in motion: one call a step, every step with its certificate, its state as arrays."""
from __future__ import annotations

import contextlib
import itertools
import json
import math
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardhouse import _core, looking, options as _options
from cardhouse.handles import Body, Joint
from cardhouse.problem import Problem
from cardhouse.progress import Progress
from cardhouse.trajectory import Trajectory
from cardhouse.world import Document, World, _Shapes, load

Array = npt.NDArray[np.float64]
BodyKey = _core.Body | str | int
JointKey = _core.Joint | str | int

CONTACT = np.dtype({
    "names": ["bodies", "shapes", "point", "normal", "gap", "force", "slip", "friction", "sticking", "moment", "spin",
              "branch"],
    "formats": [("i4", 2), ("i4", 2), ("f8", 3), ("f8", 3), "f8", ("f8", 3), ("f8", 3), "f8", "?", ("f8", 3), ("f8", 3),
                "u1"],
    "offsets": [0, 8, 16, 40, 64, 72, 96, 120, 128, 136, 160, 129],
    "itemsize": _core.CONTACT_BYTES,
})
"""A row of `Simulation.contacts`. Points in m, gap in m at the beginning of the step, negative where bodies overlap;
force on the second body in N; slip of the second body's point against the first's in m/s; where a material rolls or drills the
moment beside the force in N m and the relative spin in rad/s; branch, told where friction depends on the speed of slip:
1 open, 2 stick, 3 slip; the normal points from the
first body to the second. Bodies and shapes are rows."""


class Energy(NamedTuple):
    """In joule."""

    kinetic: float
    potential: float

    @property
    def total(self) -> float:
        """Both together."""
        return self.kinetic + self.potential


class Momentum(NamedTuple):
    """Of all that moves freely: kg m/s, and kg m^2/s about the origin."""

    linear: Array
    angular: Array


class RayHit(NamedTuple):
    """What a ray meets first."""

    body: Body
    distance: float
    point: Array
    normal: Array


class Closest(NamedTuple):
    """The nearest points of two bodies; `normal` points from the first to the second."""

    gap: float
    first: Array
    second: Array
    normal: Array


class Nearby(NamedTuple):
    """A shape near a probe: `point` lies on it, `normal` points out of it."""

    body: Body
    gap: float
    point: Array
    normal: Array


class Healing(NamedTuple):
    """What became of bodies that overlapped: largest overlap before and after, m; how far bodies were moved and turned."""

    before: float
    after: float
    moved: float
    turned: float
    body: Body | None
    rounds: int


@dataclass(frozen=True)
class State:
    """Everything the next steps depend on: a simulation of the same world that restores it goes on bit for bit."""

    block: bytes
    wrench: bytes = b""
    commands: Mapping[tuple[str, int, int], tuple[Any, ...]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<State of {len(self.block)} bytes, {len(self.commands)} commands>"


class Simulation(_core.Simulation, _Shapes[Body]):
    """A world in motion.

    Arrays (`position`, `velocity`, ...) are views with a row a body or an entry a freedom: they show the state after
    every step without being asked for again. What is written to them is checked before the next step, and refused there
    as a whole, with a sentence, where it is wrong; then they show the state as it was.

    It may stand in a `with` statement, which closes it at the end.
    """

    def __init__(self, world: World | Mapping[str, Any] | str | os.PathLike[str], *, h: float | None = None,
                 tolerance: float | None = None, method: str | None = None, threads: int | None = None,
                 contact: str | Mapping[str, Any] | None = None, **options: Any) -> None:
        """A simulation of a world, or of what `load` makes one of.

        h: length of a step, s. tolerance: on the certificate of every step. method: what solves the contact problems.
        contact: the law, `rigid` or `compliant`. threads: the answer does not depend on it. Further options are the keys
        of `step` and `method` in scenes (docs/scene.md). What is not given is as the scene says.
        """
        self._world = world.copy() if isinstance(world, World) else load(world)
        _options.put(self._world.document, {"h": h, "tolerance": tolerance, "method": method, "threads": threads,
                                            "contact": contact, **options})
        self._views: dict[str, Array] = {}
        self._commands: dict[tuple[str, int, int], tuple[Any, ...]] = {}
        self._now: Document | None = None  # the scene with who came and went since; None: nobody did
        self._feed: looking._Feed | None = None
        self._numbers = itertools.count(1)  # of who comes without a name
        super().__init__(self._world.to_json(), self._world._file)
        self._start = self.save()
        self.keyframes: dict[str, State] = {}
        self.trajectory: Trajectory | None = None

    # --- what is there -------------------------------------------------------------------------------------------

    @property
    def world(self) -> World:
        """The world at its start, with the options of this simulation; a copy."""
        return self._world.copy()

    @property
    def bodies(self) -> list[Body]:
        """Handles of all bodies, row by row."""
        return [Body(self, row) for row in range(_core.counts(self)[0])]

    @property
    def joints(self) -> list[Joint]:
        """Handles of all joints, row by row."""
        return [Joint(self, row) for row in range(_core.counts(self)[1])]

    @property
    def body_names(self) -> list[str]:
        """Names of all bodies, row by row: the order of the arrays."""
        return [body.name for body in self.bodies]

    @property
    def joint_names(self) -> list[str]:
        """Names of all joints, row by row."""
        return [joint.name for joint in self.joints]

    def body(self, key: BodyKey) -> Body:
        """The body of a name or a row."""
        return Body(self, key)

    def joint(self, key: JointKey) -> Joint:
        """The joint of a name or a row."""
        return Joint(self, key)

    # --- views ---------------------------------------------------------------------------------------------------

    def _view(self, name: str) -> Array:
        view = self._views.get(name)
        if view is None or self.closed:
            view = self._views[name] = np.asarray(self._array(name))
        return view

    @property
    def position(self) -> Array:
        """Centres of mass, m: a row a body. Writable."""
        return self._view("position")

    @property
    def orientation(self) -> Array:
        """Unit quaternions (w, x, y, z), a row a body; in the plane angles, radian. Writable."""
        return self._view("orientation")

    @property
    def velocity(self) -> Array:
        """Of centres of mass, m/s: a row a body. Writable."""
        return self._view("velocity")

    @property
    def spin(self) -> Array:
        """Angular velocities in the world's frame, radian/s: a row a body, in the plane a number. Writable."""
        return self._view("spin")

    @property
    def wrench(self) -> Array:
        """Force (N) and torque (N m) that act at centres of mass in every step, until they are set again: a row a body,
        of 6 numbers, in the plane of 3. Writable."""
        return self._view("wrench")

    @property
    def joint_position(self) -> Array:
        """Coordinates of all joints' freedoms, m or radian, 0 at the start."""
        return self._view("joint_position")

    @property
    def joint_speed(self) -> Array:
        """Of all joints' freedoms, m/s or radian/s."""
        return self._view("joint_speed")

    @property
    def joint_force(self) -> Array:
        """Along all joints' freedoms in the last step, N or N m: drive, limits and friction together."""
        return self._view("joint_force")

    @property
    def joint_wrench(self) -> Array:
        """What joints did to their second bodies in the last step, a row a joint: force (N), torque (N m) about the
        joint's point."""
        return self._view("joint_wrench")

    @property
    def target(self) -> Array:
        """Of the drives of all joints' freedoms; NaN if one is not driven. Writable: a target stays until it
        is set again."""
        return self._view("target")

    @property
    def modes(self) -> Array:
        """Amplitudes of the modes of all deformable bodies, kg^1/2 m. Writable."""
        return self._view("modes")

    @property
    def rates(self) -> Array:
        """Rates of these amplitudes, kg^1/2 m/s. Writable."""
        return self._view("rates")

    # --- the last step -------------------------------------------------------------------------------------------

    @property
    def report(self) -> _core.Report:
        """Of the last step; energies and momenta are those of the state now, what was written since included."""
        return self._info()

    @property
    def certificate(self) -> _core.Certificate:
        """How exactly the last step met the law of contact."""
        return self._info().certificate

    @property
    def energy(self) -> Energy:
        """Of the state now, J."""
        report = self._info()
        return Energy(report.kinetic, report.potential)

    @property
    def momentum(self) -> Momentum:
        """Of the state now."""
        report = self._info()
        return Momentum(np.array(report.momentum), np.array(report.angular_momentum))

    @property
    def contacts(self) -> npt.NDArray[Any]:
        """Contacts of the last step, a structured array of dtype `CONTACT`."""
        return np.frombuffer(_core.contacts(self), CONTACT)

    def problem(self) -> tuple[Problem, Array]:
        """The contact problem of the last step, all islands together, and its reactions, N s."""
        core, reactions = _core.simulation_problem(self)
        return Problem._wrap(core), np.frombuffer(reactions).copy()

    # --- looking -------------------------------------------------------------------------------------------------

    def view(self, *, browser: bool | None = None, height: int = 600) -> looking.Page:
        """A page that shows this simulation live, whatever steps it; this returns at once. A browser is opened unless
        this is a notebook, where the page is a frame of `height` pixels. Steps wait for no page."""
        return looking.follow(self, browser=browser, height=height)

    def render(self, size: tuple[int, int] = (640, 360), **options: Any) -> looking.Picture:
        """A picture of the state now, height x width x 3 bytes: see `looking.render`. It takes the program `cardhouse`,
        Chromium, and a few seconds."""
        with tempfile.TemporaryDirectory(prefix="cardhouse-") as folder:
            path = os.path.join(folder, "now.h5")
            self._record(path, self._scene_now(), 1)
            self._end_record()
            return looking.render(path, size=size, **options)

    # --- running -------------------------------------------------------------------------------------------------

    def run(self, until: float | None = None, every: int = 1, *, progress: bool = False, contacts: bool = False,
            out: str | os.PathLike[str] | None = None, control: Callable[[Simulation], object] | None = None) -> Trajectory:
        """Steps until a time, s (None: as the scene says), and returns a row every `every` steps.

        progress: a bar, in a terminal and in a notebook. contacts: rows have the contacts, too. out: also writes a
        trajectory file (HDF5), which the program `cardhouse` shows and measures. control: called with the simulation
        before every step. After Ctrl-C the rows so far are in `self.trajectory`.
        """
        end = self.until if until is None else float(until)
        if not math.isfinite(end):
            raise ValueError(f"until is {until}, must be finite")
        if every < 1:
            raise ValueError(f"every is {every}, must be 1 or more")
        self.trajectory = trajectory = Trajectory(self, every, contacts)
        trajectory._controlled = control is not None
        if out is not None:
            trajectory._path = os.path.abspath(out)
            self._record(os.fspath(out), self._scene_now(), every)
        try:
            with Progress(self.time, end, progress) as bar:
                trajectory._add(self, None)
                while (left := math.ceil((end - self.time) / self.h - 1e-6)) > 0:
                    steps = min(every, left)
                    if control is None:
                        report = self.step(steps)
                    else:
                        for _ in range(steps):
                            control(self)
                            report = self.step()
                    trajectory._add(self, report)
                    bar.show(self.time, report)
        finally:
            if out is not None:
                self._end_record()
        return trajectory

    # --- state ---------------------------------------------------------------------------------------------------

    def save(self) -> State:
        """The state now, for `restore`. Options are not in it."""
        block = self._save()
        targets = {("target", freedom, 0): (value,) for freedom, value in self._steered()}
        wrench = self.wrench.tobytes() if "wrench" in self._views and self.wrench.any() else b""
        return State(block, wrench, {**self._commands, **targets})

    def restore(self, state: State) -> None:
        """Goes on from a state of this simulation or of another one of the same world, bit for bit."""
        if not isinstance(state, State):
            raise TypeError(f"a State is needed, not {state!r}")
        self._size_of(state.wrench)
        self._load(state.block)  # raises if the state is none of this world, and then nothing has changed
        now = self.save().commands
        if set(now) - set(state.commands):  # what was commanded since cannot be taken back one by one
            if _core.counts(self)[2] > 0:
                raise _core.Error("bodies or joints were added or removed, and commands since then cannot be taken back")
            self._begin_again()
            now = {}
        for key, values in sorted(state.commands.items()):
            if now.get(key) != values:
                self._command(key, values)
        self._load(state.block)
        if state.wrench or "wrench" in self._views:
            self.wrench[:] = np.frombuffer(state.wrench).reshape(self.wrench.shape) if state.wrench else 0.0

    def _size_of(self, wrench: bytes) -> None:
        if wrench and len(wrench) != self.wrench.nbytes:
            raise _core.Error(f"the state has wrenches of {len(wrench)} bytes, here they have {self.wrench.nbytes}")

    def _begin_again(self) -> None:
        changed = _core.counts(self)[2] > 0
        self._rebuild(self._world.to_json(), self._world._file)
        self._commands, self._now = {}, None
        if changed:
            self._views = {}
        if _core.is_followed(self):
            _core.feed_scene(self, self._scene_now())

    def _command(self, key: tuple[str, int, int], values: tuple[Any, ...]) -> None:
        what, row, axis = key
        if what == "drive":
            _core.set_drive(self, row, axis, *values)
        elif what == "target":
            self._steer(row, *values)
            return
        elif what == "move":
            _core.move(self, row, *values)
        elif what == "gravity":
            _core.set_gravity(self, *values)
        else:
            _core.set_friction(self, *values)
        self._commands[key] = values

    def reset(self, keyframe: str | None = None) -> None:
        """The start again, or a state that was kept under a name in `keyframes`."""
        if keyframe is not None:
            if keyframe not in self.keyframes:
                raise KeyError(f"there is no keyframe {keyframe!r}; kept are {sorted(self.keyframes)}")
            self.restore(self.keyframes[keyframe])
            return
        if _core.counts(self)[2] > 0:
            self._begin_again()
        self.restore(self._start)

    def keep(self, keyframe: str) -> State:
        """Keeps the state now under a name, for `reset`."""
        self.keyframes[keyframe] = self.save()
        return self.keyframes[keyframe]

    def copy(self) -> Simulation:
        """Another simulation in the same state."""
        return _revive(type(self), *self._parts())

    def _parts(self) -> tuple[Document, str, State, dict[str, State]]:
        if _core.counts(self)[2] > 0:
            raise _core.Error("bodies or joints were added or removed: such a simulation cannot be copied")
        return self._world.document, self._world._file, self.save(), dict(self.keyframes)

    def __reduce__(self) -> tuple[Any, ...]:
        return _revive, (type(self), *self._parts())

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __copy__(self) -> Simulation:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Simulation:
        return self.copy()

    # --- commands ------------------------------------------------------------------------------------------------

    def push(self, body: BodyKey, impulse: npt.ArrayLike, point: npt.ArrayLike | None = None) -> None:
        """An impulse, N s, on a body at a point of the world (None: its centre of mass)."""
        _core.push(self, body, impulse, point)

    def pull(self, body: BodyKey, local: npt.ArrayLike, target: npt.ArrayLike, *, frequency: float = 4.0,
             damping: float = 1.0, strength: float = 200.0) -> None:
        """Pulls a point of a body (its frame, origin in the centre of mass) towards a target over the next step, as a
        spring of that frequency (Hz) and damping ratio, with at most `strength` N per kg of the body."""
        _core.pull(self, body, local, target, (frequency, damping, strength))

    def move(self, body: BodyKey, position: npt.ArrayLike, orientation: Any = None) -> None:
        """Where a kinematic body shall be at the end of the next step; it stays there until it is told again."""
        row = Body(self, body).row
        place = np.asarray(position, dtype=float)
        turn = self.orientation[row] if orientation is None else np.asarray(orientation, dtype=float)
        values = (tuple(place.ravel().tolist()), turn.tolist())
        _core.move(self, row, *values)
        self._commands["move", row, 0] = values

    def set_drive(self, joint: JointKey, drive: str, target: float = 0.0, *, strength: float = 0.0, axis: int = 0) -> None:
        """Another drive of a joint's freedom: `none`, `position`, `velocity`, `force` or `prescribed`; `strength` is the
        largest force, N or N m, 0 for unlimited."""
        row = Joint(self, joint).row
        _core.set_drive(self, row, axis, drive, target, strength)
        self._commands["drive", row, axis] = (drive, float(target), float(strength))

    def set_gravity(self, gravity: npt.ArrayLike) -> None:
        """Gravity from now on, m/s^2."""
        values = tuple(np.asarray(gravity, dtype=float).ravel().tolist())
        _core.set_gravity(self, values)
        self._commands["gravity", 0, 0] = (values,)

    def set_friction(self, friction: float) -> None:
        """The friction coefficient of every pair of materials from now on."""
        _core.set_friction(self, friction)
        self._commands["friction", 0, 0] = (float(friction),)

    def set_options(self, **options: Any) -> None:
        """Other options from the next step on, by the names that the constructor takes."""
        changed = self._world.copy()
        _options.put(changed.document, options)
        _core.set_options(self, _options.alone(changed.document))
        self._world = changed

    # --- coming and going ----------------------------------------------------------------------------------------

    def add(self, more: World) -> list[Body]:
        """Adds all bodies, joints and forces of a world, between two steps, in rows behind those that there are, and
        returns the bodies. Materials are named as this simulation's own world has them; joints and forces of `more`
        may name bodies of this simulation, and lie as these do now. All is added, or, with SceneError, nothing.

        Arrays that were kept are no longer this simulation's: ask for them again. Warm starts and handles stay.
        """
        if not isinstance(more, World):
            raise TypeError(f"a World is needed, not {more!r}")
        now, count = self._populated(), _core.counts(self)[0]
        with self._changing(lambda wrench: wrench):
            _core.extend(self, more.to_json(), more._file)
            for key in ("bodies", "joints", "forces"):
                now.setdefault(key, []).extend(json.loads(json.dumps(more.document.get(key, []))))
        return [Body(self, row) for row in range(count, _core.counts(self)[0])]

    def add_body(self, name: str | None = None, *, shapes: Iterable[Mapping[str, Any]] = (), **keys: Any) -> Body:
        """One more body, in the last row. Shapes are those of scenes, {"type": "sphere", "radius": 0.1}; further keys
        are those of `World.add_body`. `add_box`, `add_sphere`, ... make a body of one shape. See `add`."""
        more = World(dimension=self.dimension)
        part = more.add_body(name or f"added {next(self._numbers)}", **keys)
        for shape in shapes:
            part._add_shape(dict(shape), {})
        return self.add(more)[0]

    def _add_shape(self, shape: Document, body: Mapping[str, Any]) -> Body:
        return self.add_body(shapes=[shape], **body)

    def add_joint(self, type: str, first: BodyKey, second: BodyKey, *, name: str | None = None, **keys: Any) -> Joint:
        """One more joint, in the last row, between two bodies or one and "ground": points (m) and axes in the world as
        it is now, where its coordinates are 0. Keys are those of `World.add_joint`."""
        more = World(dimension=self.dimension)
        more.add_joint(type, self._who(first), self._who(second), name=name or f"added {next(self._numbers)}", **keys)
        self.add(more)
        return Joint(self, _core.counts(self)[1] - 1)

    def add_force(self, type: str, *, name: str | None = None, **keys: Any) -> str:
        """One more force, by its type and keys as in `World.add_force`; returns its name, for `remove_force`."""
        more = World(dimension=self.dimension)
        name = name or f"added {next(self._numbers)}"
        more.add_force(type, name=name, **keys)
        self.add(more)
        return name

    def add_spring(self, first: BodyKey, second: BodyKey, stiffness: float, *, name: str | None = None,
                   **keys: Any) -> str:
        """A spring (N/m) as in `World.add_spring`, as long at rest as it is now unless `length` (m) is given; returns
        its name."""
        return self.add_force("spring", name=name, bodies=[self._who(first), self._who(second)], stiffness=stiffness,
                              **keys)

    def remove_body(self, body: BodyKey) -> None:
        """Takes a body away, with its joints and forces: rows after it move up by one, its handles are stale, and views
        that were kept no longer show anything."""
        gone = Body(self, body)
        now, row, name = self._populated(), gone.row, gone.name
        with self._changing(lambda wrench: np.delete(wrench, row, axis=0)):
            _core.remove_body(self, gone)
            del now["bodies"][row]
            for key in ("joints", "forces"):
                now[key] = [tie for tie in now.get(key, []) if name not in tie.get("bodies", [tie.get("body")])]
            now["ignore"] = [pair for pair in now.get("ignore", []) if name not in pair]
        self._commands = {}

    def remove_joint(self, joint: JointKey) -> None:
        """Takes a joint away; rows after it move up by one."""
        gone = Joint(self, joint)
        now, row = self._populated(), gone.row
        with self._changing(lambda wrench: wrench):
            _core.remove_joint(self, gone)
            del now["joints"][row]
        self._commands = {}

    def remove_force(self, name: str) -> None:
        """Takes a spring or another force away, by its name."""
        now = self._populated()
        with self._changing(lambda wrench: wrench):
            _core.remove_force(self, name)
            row = next(row for row, force in enumerate(now["forces"]) if force["name"] == name)
            del now["forces"][row]

    def _who(self, key: BodyKey) -> str:
        return "ground" if key == "ground" else Body(self, key).name

    def _populated(self) -> Document:
        """The scene as it is populated now, everybody with a name; states are those of the start."""
        if self._now is None:
            now: Document = json.loads(_core.read_scene(self._world.to_json(), self._world._file)[1])
            for key, names in (("bodies", self.body_names), ("joints", self.joint_names)):
                for thing, name in zip(now.get(key, []), names):
                    thing["name"] = name
            for row, force in enumerate(now.get("forces", [])):
                force.setdefault("name", f"force {row}")
            now.setdefault("step", {})["overlap"] = 1e6  # who comes may begin where somebody else began
            self._now = now
        return self._now

    def _scene_now(self) -> str:
        return self._world.to_json() if self._now is None else json.dumps(self._now)

    @contextlib.contextmanager
    def _changing(self, rows: Callable[[Array], Array]) -> Iterator[None]:
        """Around a change of rows: arrays are asked for anew, wrenches stay on their bodies, pages see who is there."""
        wrench = self.wrench.copy() if "wrench" in self._views else None
        try:
            yield
            self._views = {}
            if wrench is not None and wrench.any():
                left = rows(wrench)
                self.wrench[:len(left)] = left
        finally:
            if _core.is_followed(self):
                _core.feed_scene(self, self._scene_now())

    def heal(self) -> Healing:
        """Moves bodies apart that overlap, by the least motion."""
        before, after, moved, turned, body, rounds = _core.heal(self)
        return Healing(before, after, moved, turned, None if body < 0 else Body(self, body), rounds)

    # --- questions -----------------------------------------------------------------------------------------------

    def cast_ray(self, start: npt.ArrayLike, direction: npt.ArrayLike, reach: float = math.inf) -> RayHit | None:
        """The first body that a ray meets within `reach`, m; None if there is none."""
        hit = _core.cast_ray(self, start, direction, reach)
        return None if hit is None else RayHit(Body(self, hit[0]), hit[1], np.array(hit[2]), np.array(hit[3]))

    def closest(self, first: BodyKey, second: BodyKey, within: float = 1e9) -> Closest | None:
        """The nearest points of two bodies that are at most `within` apart, m; None if they are farther."""
        found = _core.closest(self, first, second, within)
        return None if found is None else Closest(found[0], *(np.array(part) for part in found[1:]))

    def near(self, centre: npt.ArrayLike, radius: float = 0.0, within: float = 0.0) -> list[Nearby]:
        """Every shape that is nearer than `within` to a ball (in the plane, a disk), m; 0: what touches it."""
        return [Nearby(Body(self, row), gap, np.array(point), np.array(normal))
                for row, gap, point, normal in _core.near_ball(self, centre, radius, within)]

    def __repr__(self) -> str:
        if self.closed:
            return "<Simulation, closed>"
        bodies, joints, _ = _core.counts(self)
        return f"<Simulation of {self._world.name!r}: {bodies} bodies, {joints} joints, t = {self.time:g} s>"


def _revive(kind: type[Simulation], document: Document, file: str, state: State,
            keyframes: dict[str, State]) -> Simulation:
    simulation = kind(World(document=document, file=file))
    simulation.restore(state)
    simulation.keyframes.update(keyframes)
    return simulation
