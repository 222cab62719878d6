"""The contact problem of MuJoCo's last step, and how exactly MuJoCo solved it.

    mujoco.mj_step(model, data)
    step = cardhouse.adapters.mujoco.last_step(model, data)
    print(step.certificate, step.take_off)

MuJoCo's semi-implicit Euler step of length h is  M (v+ - v) = h (qfrc_smooth + J' efc_force),  with M + h D in place of M
where joints have damping. That is the global form  M v+ = H r + f  of a contact problem, with

    H = J'     r = h efc_force     f = M v + h qfrc_smooth     mu = contact.friction     w = gap / h in normal rows

so its answer r can be graded by the law of dry friction, which MuJoCo replaces by a soft one. A model and its data are read
through attributes alone (`nv`, `efc_J`, `contact[i].dist`, ...): the package `mujoco` is never imported here, and anything
with the same attributes will do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardhouse.problem import Certificate, Problem, TakeOff, blocks_of, certify, take_off

__all__ = ["Step", "last_step"]

Array = NDArray[np.float64]

# mjtConstraint, the same in all versions since 2.0
_EQUALITY, _FRICTION_DOF, _FRICTION_TENDON, _LIMIT_JOINT, _LIMIT_TENDON, _FRICTIONLESS, _PYRAMIDAL, _ELLIPTIC = range(8)
_EULER = 0  # mjtIntegrator
_JACOBIAN_DENSE, _JACOBIAN_SPARSE, _AUTO_SPARSE_FROM = 0, 1, 60  # mjtJacobian; degrees of freedom


@dataclass(frozen=True)
class Step:
    """A step of another engine, as a contact problem with that engine's answer and its grades."""

    problem: Problem
    reaction: Array  #: impulses, N s, in the order of the problem's rows
    velocity: Array  #: generalised velocity at the end of the step
    certificate: Certificate
    take_off: TakeOff


def last_step(model: Any, data: Any, gap: str = "open", euler_damping: bool = True) -> Step:
    """The problem of the step that `mj_step` has just made, MuJoCo's answer and its certificate.

    `gap` says what contacts ask for: "open" (a gap may close within the step, an overlap may stay as it is: the mildest
    reading), "full" (an overlap is to be gone after the step) or "none" (velocities only). `euler_damping` is False where
    the model disables the flag of that name.

    Raises ValueError for integrators other than Euler, whose step is no contact problem of this form. The rows of
    torsional and rolling friction (condim 4 and 6) are kept as MuJoCo solved them: their impulses are part of f.
    """
    if int(model.opt.integrator) != _EULER:
        raise ValueError(f"opt.integrator is {int(model.opt.integrator)}, must be 0 (Euler): other steps have another form")
    if gap not in ("open", "full", "none"):
        raise ValueError(f"gap is {gap!r}, must be 'open', 'full' or 'none'")
    h = float(model.opt.timestep)
    mass = _mass_matrix(model, data, euler_damping)
    rows = _Rows(_jacobian(model, data), h * np.array(data.efc_force, dtype=float).ravel()[: int(data.nefc)])
    first = 0
    while first < int(data.nefc):
        first += _add(rows, data, first, h, gap)
    velocity = np.array(data.qvel, dtype=float)
    push = h * (np.array(data.qfrc_smooth, dtype=float) + np.array(data.qfrc_constraint, dtype=float))
    before = velocity - np.linalg.solve(mass, push) if len(push) else velocity
    f = mass @ before + h * np.array(data.qfrc_smooth, dtype=float) + rows.kept
    H = np.array(rows.columns).T if rows.columns else np.zeros((len(f), 0))
    problem = Problem(M=mass, H=H, f=f, w=np.array(rows.w), blocks=blocks_of(rows.blocks), dimension=3)
    reaction = np.array(rows.reaction)
    return Step(problem, reaction, velocity, certify(problem, reaction, velocity), take_off(problem, reaction))


class _Rows:
    """Columns of H with their impulses and w, as they are collected; `kept` is J' r of the rows that are left out."""

    def __init__(self, jacobian: Array, impulse: Array) -> None:
        self.jacobian, self.impulse = jacobian, impulse
        self.kept = np.zeros(jacobian.shape[1])
        self.columns: list[Array] = []
        self.reaction: list[float] = []
        self.w: list[float] = []
        self.blocks: list[dict[str, Any]] = []

    def add(self, column: Array, impulse: float, w: float = 0.0) -> None:
        self.columns.append(column)
        self.reaction.append(impulse)
        self.w.append(w)


def _add(rows: _Rows, data: Any, i: int, h: float, gap: str) -> int:
    """Adds the constraint that begins in row i of MuJoCo's list and returns how many rows it has there."""
    kind, J, r = int(data.efc_type[i]), rows.jacobian, rows.impulse
    if kind == _EQUALITY:
        rows.blocks.append({"law": "bilateral", "dimension": 1})
        rows.add(J[i], r[i])
    elif kind in (_FRICTION_DOF, _FRICTION_TENDON):
        most = h * float(data.efc_frictionloss[i])
        rows.blocks.append({"law": "limit", "lo": -most, "hi": most})
        rows.add(J[i], r[i])
    elif kind in (_LIMIT_JOINT, _LIMIT_TENDON, _FRICTIONLESS):
        rows.blocks.append({"law": "unilateral"})
        rows.add(J[i], r[i], _asked(float(data.efc_pos[i]), h, gap))
    else:
        return _add_contact(rows, data.contact[int(data.efc_id[i])], i, kind == _PYRAMIDAL, h, gap)
    return 1


def _add_contact(rows: _Rows, contact: Any, i: int, pyramid: bool, h: float, gap: str) -> int:
    J, r, friction, dim = rows.jacobian, rows.impulse, np.ravel(contact.friction), int(contact.dim)
    count = 2 * (dim - 1) if pyramid else dim
    if pyramid:  # its edges are  n + mu_j t_j  and  n - mu_j t_j
        normal, pull = 0.5 * (J[i] + J[i + 1]), float(np.sum(r[i : i + count]))
        tangents = [0.5 * (J[i + 2 * j] - J[i + 2 * j + 1]) / friction[j] for j in range(dim - 1)]
        sideways = [friction[j] * (r[i + 2 * j] - r[i + 2 * j + 1]) for j in range(dim - 1)]
    else:
        normal, pull = J[i], r[i]
        tangents, sideways = list(J[i + 1 : i + dim]), list(r[i + 1 : i + dim])
    rows.blocks.append({"law": "contact", "mu": (float(friction[0]), float(friction[1]))})
    rows.add(normal, pull, _asked(float(contact.dist), h, gap))
    for j in range(2):
        rows.add(tangents[j], sideways[j])
    for j in range(2, dim - 1):
        rows.kept += tangents[j] * sideways[j]
    return count


def _asked(gap: float, h: float, reading: str) -> float:
    if reading == "none":
        return 0.0
    return (max(gap, 0.0) if reading == "open" else gap) / h


def _mass_matrix(model: Any, data: Any, euler_damping: bool) -> Array:
    """M, or M + h D where joints have damping, which MuJoCo's Euler step takes at the end of the step.

    Row i of qM is that of degree of freedom i and its ancestors, from itself to the root."""
    nv = int(model.nv)
    M = np.zeros((nv, nv))
    qM, start, parent = np.ravel(data.qM), np.ravel(model.dof_Madr), np.ravel(model.dof_parentid)
    for i in range(nv):
        j, k = i, int(start[i])
        while j >= 0:
            M[i, j] = M[j, i] = qM[k]
            j, k = int(parent[j]), k + 1
    if euler_damping:
        M[np.arange(nv), np.arange(nv)] += float(model.opt.timestep) * np.ravel(np.array(model.dof_damping, dtype=float))
    return M


def _jacobian(model: Any, data: Any) -> Array:
    """efc_J as a full matrix: it is stored by rows, or compressed, by the size of the model."""
    nv, nefc, how = int(model.nv), int(data.nefc), int(model.opt.jacobian)
    values = np.ravel(data.efc_J)
    if how == _JACOBIAN_DENSE or (how != _JACOBIAN_SPARSE and nv < _AUTO_SPARSE_FROM):
        return np.array(values[: nefc * nv], dtype=float).reshape(nefc, nv)
    J = np.zeros((nefc, nv))
    column, start, count = np.ravel(data.efc_J_colind), np.ravel(data.efc_J_rowadr), np.ravel(data.efc_J_rownnz)
    for i in range(nefc):
        part = slice(int(start[i]), int(start[i]) + int(count[i]))
        J[i, column[part]] = values[part]
    return J
