"""Worlds: scene documents, built by hand or read, and given to the library's own reader.

One truth: what a scene may hold and what is wrong with one is for the library to say. docs/scene.md describes the form.
"""
from __future__ import annotations

import copy
import itertools
import json
import math
import os
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from cardhouse import _core, looking

Document = dict[str, Any]
Vector = npt.ArrayLike
# A number, or one that changes in time: {"base", "rate", "amplitude", "frequency", "phase"} or {"table": [[t, x], ...]}.
Signal = float | Mapping[str, Any]

GROUND = "ground"
"""In place of a body: the world itself."""


def _plain(value: Any, name: str) -> Any:
    """The value as JSON has it: lists for arrays and tuples, names for bodies and joints."""
    if isinstance(value, (Part, JointPart, _core.Body, _core.Joint)):
        return value.name
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _plain(item, f"{name}.{key}") for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, name) for item in value]
    if isinstance(value, float) and not np.isfinite(value):
        raise ValueError(f"{name} is {value}, must be finite")
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"{name} cannot be in a scene: {value!r}")


def _given(**keys: Any) -> Document:
    """The keys that have a value."""
    return {key: _plain(value, key) for key, value in keys.items() if value is not None}


Made = TypeVar("Made")


def _turn(value: Any) -> Any:
    """An orientation as scenes have it; in the plane a number is an angle in radian, as in `Simulation.orientation`."""
    is_angle = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    return {"degrees": math.degrees(value)} if is_angle else value


class _Shapes(Generic[Made]):
    """Methods that add a shape, for bodies and, with a body of its own, for worlds and simulations."""

    def _add_shape(self, shape: Document, body: Mapping[str, Any]) -> Made:
        raise NotImplementedError

    def _shape(self, type: str, material: str | None, at: Vector | None, turned: Any, body: Mapping[str, Any],
               **keys: Any) -> Made:
        return self._add_shape({"type": type, **_given(material=material, at=at, orientation=_turn(turned), **keys)}, body)

    def add_box(self, half: Vector, *, material: str | None = None, at: Vector | None = None, turned: Any = None,
                **body: Any) -> Made:
        """A box with these half extents, m (two in the plane)."""
        return self._shape("box", material, at, turned, body, half=half)

    def add_sphere(self, radius: float, *, material: str | None = None, at: Vector | None = None, **body: Any) -> Made:
        """A sphere, radius in m."""
        return self._shape("sphere", material, at, None, body, radius=radius)

    def add_capsule(self, radius: float, half_length: float, *, material: str | None = None, at: Vector | None = None,
                    turned: Any = None, **body: Any) -> Made:
        """A capsule along z; `half_length` is without its ends, m."""
        return self._shape("capsule", material, at, turned, body, radius=radius, half_length=half_length)

    def add_cylinder(self, radius: float, half_length: float, *, material: str | None = None, at: Vector | None = None,
                     turned: Any = None, **body: Any) -> Made:
        """A cylinder along z, m."""
        return self._shape("cylinder", material, at, turned, body, radius=radius, half_length=half_length)

    def add_ellipsoid(self, half: Vector, *, material: str | None = None, at: Vector | None = None, turned: Any = None,
                      **body: Any) -> Made:
        """An ellipsoid with these half axes, m."""
        return self._shape("ellipsoid", material, at, turned, body, half=half)

    def add_hull(self, points: Vector | None = None, *, file: str | None = None, material: str | None = None,
                 at: Vector | None = None, turned: Any = None, **body: Any) -> Made:
        """The convex hull of points, m, or of the vertices of an OBJ, STL, PLY or glTF file."""
        return self._shape("hull", material, at, turned, body, points=points, file=file)

    def add_mesh(self, points: Vector | None = None, triangles: npt.ArrayLike | None = None, *, file: str | None = None,
                 mesh: str | None = None, closed: bool | None = None, soup: bool | None = None,
                 contact: str | None = None, spacing: float | None = None, resolution: int | None = None,
                 faces: bool | None = None, material: str | None = None, at: Vector | None = None, turned: Any = None,
                 **body: Any) -> Made:
        """Triangles (indices from 0, counter-clockwise from outside) of points, m; or of an OBJ, STL, PLY or glTF file.

        `contact` of a mesh that moves: "exact" (its corners, edges and faces) or "sampled" (`spacing`, `resolution`,
        `faces`)."""
        return self._shape("mesh", material, at, turned, body, points=points, triangles=triangles, file=file, mesh=mesh,
                           closed=closed, soup=soup, contact=contact, spacing=spacing, resolution=resolution,
                           faces=faces)

    def add_heightfield(self, heights: npt.ArrayLike | None = None, *, file: str | None = None,
                        cell: float | None = None, scale: float | None = None, material: str | None = None,
                        at: Vector | None = None, turned: Any = None, **body: Any) -> Made:
        """Ground as rows of heights, m, the first at y = 0, `cell` m apart; or of a grey PNG or ASCII grid. Solid below,
        on bodies that do not move."""
        return self._shape("heightfield", material, at, turned, {"fixed": True, **body}, heights=heights, file=file,
                           cell=cell, scale=scale)

    def add_segments(self, points: Vector, segments: npt.ArrayLike | None = None, *, radius: float | None = None,
                     line_density: float | None = None, material: str | None = None, at: Vector | None = None,
                     turned: Any = None, **body: Any) -> Made:
        """Edges between points, m: pairs of indices, or each point to the next; bare where `radius` is left out.
        `line_density` in kg/m."""
        return self._shape("segments", material, at, turned, body, points=points, segments=segments, radius=radius,
                           line_density=line_density)

    def add_points(self, points: Vector, *, radius: float | None = None, point_mass: float | None = None,
                   material: str | None = None, at: Vector | None = None, turned: Any = None, **body: Any) -> Made:
        """Points that move as one, m; bare where `radius` is left out. `point_mass` in kg."""
        return self._shape("points", material, at, turned, body, points=points, radius=radius, point_mass=point_mass)

    def add_halfspace(self, normal: Vector | None = None, offset: float | None = None, *, material: str | None = None,
                      at: Vector | None = None, **body: Any) -> Made:
        """Solid where normal . x <= offset (normal z, offset 0 m); on bodies that do not move."""
        return self._shape("halfspace", material, at, None, {"fixed": True, **body}, normal=normal, offset=offset)

    def add_disk(self, radius: float, *, material: str | None = None, at: Vector | None = None, **body: Any) -> Made:
        """Plane: a disk, radius in m."""
        return self._shape("disk", material, at, None, body, radius=radius)

    def add_ellipse(self, half: Vector, *, material: str | None = None, at: Vector | None = None, turned: Any = None,
                    **body: Any) -> Made:
        """Plane: an ellipse with these half axes, m."""
        return self._shape("ellipse", material, at, turned, body, half=half)

    def add_polygon(self, points: Vector, *, material: str | None = None, at: Vector | None = None, turned: Any = None,
                    **body: Any) -> Made:
        """Plane: a convex polygon, points counter-clockwise, m."""
        return self._shape("polygon", material, at, turned, body, points=points)

    def add_halfplane(self, normal: Vector | None = None, offset: float | None = None, *, material: str | None = None,
                      at: Vector | None = None, **body: Any) -> Made:
        """Plane: solid where normal . x <= offset (normal y, offset 0 m); on bodies that do not move."""
        return self._shape("halfplane", material, at, None, {"fixed": True, **body}, normal=normal, offset=offset)

    def add_chain(self, points: Vector, *, material: str | None = None, at: Vector | None = None, **body: Any) -> Made:
        """Plane: a polyline, solid on the right of its direction; on bodies that do not move."""
        return self._shape("chain", material, at, None, {"fixed": True, **body}, points=points)


class Part(_Shapes["Part"]):
    """A body of a world that is being built."""

    def __init__(self, document: Document) -> None:
        self._document = document

    @property
    def name(self) -> str:
        """Each body's own."""
        return str(self._document["name"])

    def _add_shape(self, shape: Document, body: Mapping[str, Any]) -> Part:
        given = [key for key in body if key != "fixed" or body[key] != self._document.get("fixed")]
        if given and given != ["fixed"]:
            raise TypeError(f"a shape has no {given[0]}: it belongs to the body")
        self._document.setdefault("shapes", []).append(shape)
        return self

    def __repr__(self) -> str:
        return f"<Part {self.name!r} of {len(self._document.get('shapes', []))} shapes>"


class JointPart:
    """A joint of a world that is being built."""

    def __init__(self, document: Document) -> None:
        self._document = document

    @property
    def name(self) -> str:
        """The joint's name."""
        return str(self._document["name"])

    def __repr__(self) -> str:
        return f"<JointPart {self.name!r}, {self._document['type']}>"


Who = str | Part | _core.Body


def _without_copies(document: Document) -> Document:
    """Entries with "copies" written out, a body each: rows of the document are rows of the world."""
    bodies = document.get("bodies")
    if not isinstance(bodies, list) or not any(isinstance(body, dict) and isinstance(body.get("copies"), list) for body in bodies):
        return document
    size, rows = int(document.get("dimension", 3)), []
    for body in bodies:
        places = body.get("copies") if isinstance(body, dict) else None
        if not isinstance(places, list) or not places or len(places) % size != 0 or "position" in body:
            rows.append(body)  # the library says what is wrong
            continue
        shared = {key: item for key, item in body.items() if key not in ("copies", "name")}
        for number, first in enumerate(range(0, len(places), size), 1):
            name = {"name": f"{body['name']} {number}"} if "name" in body else {}
            rows.append({**name, "position": places[first:first + size], **copy.deepcopy(shared)})
    document["bodies"] = rows
    return document


class World(_Shapes[Part]):
    """A world and how to run it. SI units; z is up, in the plane y.

    Methods that add a shape (`add_box`, ...) make a body for it, which the further keywords describe as in `add_body`.
    """

    def __init__(self, name: str | None = None, *, dimension: int = 3, gravity: Iterable[Signal] | None = None,
                 periodic: Mapping[str, tuple[float, float]] | None = None,
                 document: Mapping[str, Any] | None = None, file: str = "scene") -> None:
        """An empty world; `gravity` in m/s^2 (None: 9.81 downwards); `periodic`: the cell along
        axes on which the world repeats itself, as in {"x": (0, 2)}, m. Or a scene document, which is copied: `file`
        is where its relative paths begin."""
        if document is None:
            self._document: Document = {"cardhouse": 1, "dimension": dimension}
            self._document.update(_given(name=name, gravity=None if gravity is None else list(gravity),
                                         periodic=None if periodic is None else {k: list(ends) for k, ends in periodic.items()}))
        else:
            self._document = _without_copies(copy.deepcopy(dict(document)))
        self._file = file
        self._taken: set[str] = set()  # names of bodies

    # --- what is there -------------------------------------------------------------------------------------------

    @property
    def document(self) -> Document:
        """The scene document itself: what is changed in it is changed in the world."""
        return self._document

    @property
    def name(self) -> str:
        """For people."""
        return str(self._document.get("name", os.path.basename(self._file)))

    @property
    def dimension(self) -> int:
        """3 in space, 2 in the plane."""
        return int(self._document.get("dimension", 3))

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies, row by row."""
        return [str(body.get("name", f"body {row}")) for row, body in enumerate(self._document.get("bodies", []))]

    @property
    def joints(self) -> list[str]:
        """Names of the joints, row by row."""
        return [str(joint.get("name", "")) for joint in self._document.get("joints", [])]

    def to_json(self, indent: int | None = None) -> str:
        """The scene as JSON text: `load` makes the same world of it."""
        return json.dumps(self._document, indent=indent, allow_nan=False)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the scene to a file, for `load` and for the program `cardhouse`."""
        with open(os.fspath(path), "w", encoding="utf-8") as stream:
            stream.write(self.to_json(indent=1) + "\n")

    def check(self) -> None:
        """Raises SceneError where the library would not take the world."""
        _core.read_scene(self.to_json(), self._file)

    def copy(self) -> World:
        """Another world of the same contents."""
        return World(document=self._document, file=self._file)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, World) and self._document == other._document

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<World {self.name!r} of {len(self.bodies)} bodies, {len(self.joints)} joints>"

    def view(self, **options: Any) -> looking.Page:
        """The world running on a page of its own; this returns at once. See `looking.view`."""
        return looking.view(self, **options)

    def _repr_html_(self) -> str:
        return looking.world_html(self)

    # --- building ------------------------------------------------------------------------------------------------

    def _free_name(self) -> str:
        count = len(self._document.get("bodies", []))
        if len(self._taken) != count:  # the document was changed by other means, or bodies share a name
            self._taken = set(self.bodies)
        numbers = (f"body {number}" for number in itertools.count(count))
        return next(name for name in numbers if name not in self._taken)

    def _append(self, key: str, item: Document) -> None:
        self._document.setdefault(key, []).append(item)

    def add_material(self, name: str, *, density: float | None = None, friction: float | Mapping[str, Any] | None = None,
                     restitution: float | None = None, rolling: float | None = None, drilling: float | None = None,
                     ellipsoidal: bool | None = None, cohesion: float | None = None, heals: bool | None = None,
                     shear_stiffness: float | None = None, shear_damping: float | None = None,
                     young: float | None = None, poisson: float | None = None,
                     stiffness: float | None = None, damping: float | None = None) -> str:
        """A material: density in kg/m^3, friction coefficient, restitution 0 to 1; rolling and drilling in m, moments over
        normal force; ellipsoidal: friction and drilling share one limit; cohesion in N a contact point, and
        whether its bonds heal; shear_stiffness and shear_damping in N/m and N s/m, along the tangents of a contact
        point; where contact is compliant young in
        Pa, stiffness in N/m, damping in N s/m. Returns its name."""
        self._document.setdefault("materials", {})[name] = _given(
            density=density, friction=friction, restitution=restitution, rolling=rolling, drilling=drilling,
            ellipsoidal=ellipsoidal, cohesion=cohesion, heals=heals, shear_stiffness=shear_stiffness,
            shear_damping=shear_damping, young=young, poisson=poisson,
            stiffness=stiffness, damping=damping)
        return name

    def add_pair(self, first: str, second: str, *, friction: float | Iterable[float] | None = None,
                 restitution: float | None = None, rolling: float | None = None, drilling: float | None = None,
                 cohesion: float | None = None, shear_stiffness: float | None = None,
                 shear_damping: float | None = None, stiffness: float | None = None,
                 damping: float | None = None) -> None:
        """What holds for two materials in contact instead of the rule."""
        self._append("pairs", {"materials": [first, second], **_given(
            friction=friction, restitution=restitution, rolling=rolling, drilling=drilling,
            cohesion=cohesion, shear_stiffness=shear_stiffness, shear_damping=shear_damping,
            stiffness=stiffness, damping=damping)})

    def add_body(self, name: str | None = None, *, position: Vector | None = None, orientation: Any = None,
                 velocity: Vector | None = None, spin: Any = None, fixed: bool = False, mass: float | None = None,
                 inertia: Any = None, centre: Vector | None = None, lock: Iterable[str] | None = None,
                 motion: Iterable[Signal] | None = None, turn: Signal | None = None, axis: Vector | None = None,
                 soft: Mapping[str, Any] | None = None) -> Part:
        """A body without shapes: position in m; orientation a unit quaternion (w, x, y, z) or {"axis": ..., "degrees":
        ...}, in the plane an angle in radian; velocity of its centre of mass in m/s and spin in radian/s. Mass (kg) and inertia (kg m^2) follow from the
        shapes unless given. `motion` (m) and `turn` (radian, about `axis`) move it as told, whatever pushes."""
        body: Document = {"name": self._free_name() if name is None else name, **_given(
            position=position, orientation=_turn(orientation), velocity=velocity, omega=spin, fixed=fixed or None, mass=mass,
            inertia=inertia, centre=centre, lock=None if lock is None else list(lock),
            motion=None if motion is None else list(motion), turn=turn, axis=axis, soft=soft)}
        self._append("bodies", body)
        self._taken.add(body["name"])
        return Part(body)

    def _add_shape(self, shape: Document, body: Mapping[str, Any]) -> Part:
        return self.add_body(**body)._add_shape(shape, {})

    def add_joint(self, type: str, first: Who, second: Who, *, name: str | None = None, at: Vector | None = None,
                  axis: Vector | None = None, second_axis: Vector | None = None, second_at: Vector | None = None,
                  length: float | None = None, collide: bool | None = None, reach: float | None = None,
                  axes: Iterable[Mapping[str, Any]] | None = None, **freedom: Any) -> JointPart:
        """A joint between two bodies, or one and "ground": points (m) and axes in the world at the start. A freedom
        counts the motion of the second body as the first sees it. `axes` has one object a freedom; where there is one
        only, its keys (lower, upper, friction, drive, target, strength) may stand here themselves. On a deformable body
        the joint follows the skin within `reach` metres of its point."""
        joint: Document = {"type": type, "bodies": [_plain(first, "bodies"), _plain(second, "bodies")],
                           "name": name or f"joint {len(self._document.get('joints', []))}"}
        joint.update(_given(at=at, axis=axis, second_axis=second_axis, second_at=second_at, length=length,
                            collide=collide, reach=reach, axes=None if axes is None else list(axes)))
        if freedom:
            joint.setdefault("axes", [{}])[0].update(_given(**freedom))
        self._append("joints", joint)
        return JointPart(joint)

    def add_motor(self, joint: str | JointPart, drive: str = "velocity", target: Signal = 0.0, *,
                  strength: float | None = None, axis: int = 0) -> None:
        """Drives a freedom of a joint towards a `position` (m or radian) or a `velocity`, with a `force` (N or N m), or
        as `prescribed`; `strength` is the largest force, None for unlimited."""
        name = joint.name if isinstance(joint, JointPart) else joint
        for document in self._document.get("joints", []):
            if document.get("name") == name:
                axes = document.setdefault("axes", [])
                axes.extend({} for _ in range(axis + 1 - len(axes)))
                axes[axis].update(_given(drive=drive, target=target, strength=strength))
                return
        raise ValueError(f"there is no joint {name!r}")

    def add_force(self, type: str, **keys: Any) -> None:
        """A force by its type and keys: `spring`, `torsion`, `wrench`, `drag` or `well`, as docs/scene.md lists them."""
        self._append("forces", {"type": type, **_given(**keys)})

    def add_spring(self, first: Who, second: Who, stiffness: float, *, damping: float | None = None,
                   cubic: float | None = None, length: float | None = None, at: Vector | None = None,
                   name: str | None = None) -> None:
        """A spring (N/m) between a point of each body (`at`, in their frames, m); as long at rest as at the start."""
        self.add_force("spring", bodies=[first, second], stiffness=stiffness, damping=damping, cubic=cubic,
                       length=length, at=at, name=name)

    def ignore(self, first: Who, second: Who) -> None:
        """Two bodies that never touch each other."""
        self._append("ignore", _plain([first, second], "ignore"))


def load(source: str | os.PathLike[str] | Mapping[str, Any], **parameters: Any) -> World:
    """A world from a scene: a path, JSON text, a document (dict), or the name of a built-in scene.

    A path may be that of a robot in URDF or MJCF: docs/robots.md. Parameters belong to a path or a built-in scene:
    ``load("robot.urdf", base="free")``. What of a robot's file is not taken over is told by a warning.

    Raises SceneError, with file, line and path in the JSON, where the scene is wrong.
    """
    file = "scene"
    if parameters:
        if isinstance(source, Mapping) or (isinstance(source, str) and source.lstrip().startswith(("{", "<"))):
            raise TypeError("parameters belong to a path or to a built-in scene, not to a text")
        file = os.fspath(source)
        _, resolved, _, notes = _core.open_scene(file, {name: str(value) for name, value in parameters.items()})
        return _world_of(resolved, file, notes)
    if isinstance(source, Mapping):
        text = json.dumps(_plain(source, "scene"))
    elif isinstance(source, str) and source.lstrip().startswith(("{", "<")):
        text = source
    elif isinstance(source, (str, os.PathLike)):
        file = os.fspath(source)
        if isinstance(source, str) and not os.path.exists(file) and any(file == row[0] for row in _core.builtins()):
            text = _core.builtin_text(file, {})
        else:
            with open(file, encoding="utf-8") as stream:
                text = stream.read()
    else:
        raise TypeError(f"a scene is a path, a text or a dict, not {source!r}")
    _, resolved, _, notes = _core.read_scene(text, file)
    return _world_of(resolved, file, notes)


def _world_of(resolved: str, file: str, notes: str | None) -> World:
    for line in (notes or "").splitlines():
        warnings.warn(f"{file}: {line}", stacklevel=3)
    return World(document=json.loads(resolved), file=os.path.basename(file))  # files it names are the working folder's
