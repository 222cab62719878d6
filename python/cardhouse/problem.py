"""Contact problems: read, built, solved, graded.

    global form   M v = H r + f     u = H' v + w
    local form    u = W r + w
    and           (u_i, r_i) obey the law of block i

Rows of r and u go block by block, inside a contact (normal, tangent 1[, tangent 2]). SI units: r in N s, u in m/s, f in
kg m/s. Any simulator whose step has this form can be graded: `certify(problem, r)` reads nothing but the problem and r.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardhouse import _core
from cardhouse._core import Certificate

__all__ = ["BLOCK", "Certificate", "Method", "Problem", "Solution", "TakeOff", "blocks_of", "certify", "methods", "solve",
           "take_off"]

Array = NDArray[np.float64]
Path = Union[str, "os.PathLike[str]"]
Matrix = Any  # an array, or anything that scipy.sparse makes
Triplets = tuple[int, int, NDArray[np.int32], NDArray[np.int32], Array]
Compressed = tuple[int, int, bytes, bytes, bytes]

#: One block of a problem: law (its number in LAWS), dimension, row (filled in), mu along both tangents, bounds lo and hi,
#: compliance in 1/kg, sides of a polygonal section (0: smooth), parameters of further laws, compliance along the tangents. The
#: layout is that of ChBlock in C. Only C makes sections and curves of friction: `section` is an address, and both are 0 here.
BLOCK = np.dtype([("law", "i4"), ("dimension", "i4"), ("row", "i4"), ("mu", "f8", 2), ("lo", "f8"), ("hi", "f8"),
                  ("compliance", "f8"), ("sides", "i4"), ("curve", "i4"), ("more", "f8", 4), ("section", np.uintp),
                  ("shear", "f8")], align=True)
assert BLOCK.itemsize == _core.block_size

#: Names of the laws: contact, bilateral, unilateral, limit, compliant, rolling, drilling,
#: ellipsoidal, cohesive.
LAWS: tuple[str, ...] = _core.laws()

POSES = ("coulomb", "relaxed", "frictionless")


_MOMENTS = ("rolling", "drilling")  # their places in `more`


def _rows_of(law: str, dimension: int, drills: bool) -> int:
    if law in ("contact", "compliant", "cohesive"):
        return dimension
    if law == "rolling":
        return 3 if dimension == 2 else 6 if drills else 5
    return 4 if law in ("drilling", "ellipsoidal") else 1


def blocks_of(blocks: Iterable[Mapping[str, Any]], dimension: int = 3) -> NDArray[Any]:
    """Blocks from dicts such as {"law": "contact", "mu": 0.5} or {"law": "rolling", "mu": 0.5, "rolling": 0.01}. What is
    left out is 0, the dimension that of the law; that of rolling has a row more with "drilling"."""
    given = list(blocks)
    out = np.zeros(len(given), BLOCK)
    for row, block in zip(out, given):
        for key, value in block.items():
            if key == "law":
                if value not in LAWS:
                    raise ValueError(f"law is {value!r}, must be one of {', '.join(LAWS)}")
                value = LAWS.index(value)
            elif key == "pull":
                row["more"][0] = value
                continue
            elif key in _MOMENTS:
                row["more"][_MOMENTS.index(key)] = value
                continue
            elif key not in (BLOCK.names or ()) or key in ("row", "section"):
                raise ValueError(f"a block has no {key!r}; there are: law, dimension, mu, lo, hi, compliance, shear, sides, "
                                 "rolling, drilling, pull")
            row[key] = value
        if row["dimension"] == 0:
            row["dimension"] = _rows_of(LAWS[row["law"]], dimension, row["more"][1] > 0.0)
    return out


def _contacts(mu: ArrayLike, rows: int, dimension: int) -> NDArray[Any]:
    """A block a contact, all rows of them; mu is one number, one a contact, or two a contact."""
    if dimension not in (2, 3) or rows % dimension != 0:
        raise ValueError(f"{rows} rows are no contacts of dimension {dimension}: say blocks=")
    out = np.zeros(rows // dimension, BLOCK)
    values = np.asarray(mu, dtype=float)
    out["law"], out["dimension"] = LAWS.index("contact"), dimension
    out["mu"] = values[:, None] if values.ndim == 1 else values
    return out


def _doubles(values: ArrayLike) -> Array:
    return np.ascontiguousarray(values, dtype=np.float64)


def _triplets(A: Matrix) -> Triplets:
    if hasattr(A, "tocoo"):
        coo = A.tocoo()
        row, column, value, shape = coo.row, coo.col, coo.data, coo.shape
    else:
        full = np.atleast_2d(np.asarray(A, dtype=float))
        if full.ndim != 2:
            raise ValueError(f"a matrix has two dimensions, not {full.ndim}")
        row, column = np.nonzero(full)
        value, shape = full[row, column], full.shape
    return (int(shape[0]), int(shape[1]), np.ascontiguousarray(row, dtype=np.int32),
            np.ascontiguousarray(column, dtype=np.int32), _doubles(value))


def _expanded(compressed: Compressed | None) -> Triplets | None:
    """A matrix in compressed columns, as the core hands it out, entry by entry."""
    if compressed is None:
        return None
    rows, columns, start, index, value = compressed
    column = np.repeat(np.arange(columns, dtype=np.int32), np.diff(np.frombuffer(start, np.int32)))
    return rows, columns, np.frombuffer(index, np.int32), column, np.frombuffer(value, np.float64)


class Problem:
    """A contact problem. It never changes: `with_mu` and `with_polygon` make others of it.

    Problem(M=M, H=H, f=f, w=w, mu=0.5)      # global form: arrays or scipy.sparse matrices
    Problem(W=W, w=q, mu=0.5)                # local form
    Problem(W=W, w=q, blocks=blocks_of([{"law": "contact", "mu": 0.5}, {"law": "bilateral", "dimension": 1}]))

    `f` is the impulse of everything but the constraints, f = M v_free; left out it is 0, as is w. FCLIB's global form
    has q = f.
    """

    __slots__ = ("_core", "_view")

    def __init__(self, *, W: Matrix = None, M: Matrix = None, H: Matrix = None, f: ArrayLike | None = None,
                 w: ArrayLike | None = None, mu: ArrayLike | None = None, blocks: NDArray[Any] | None = None,
                 dimension: int = 3) -> None:
        if (W is None) == (M is None) or (M is None) != (H is None):
            raise ValueError("say W (local form), or M and H (global form)")
        local, mass, directions = (None if A is None else _triplets(A) for A in (W, M, H))
        sized = local or directions
        assert sized is not None
        if (mu is None) == (blocks is None):
            raise ValueError("say mu, where all blocks are contacts, or blocks")
        if blocks is None:
            assert mu is not None
            blocks = _contacts(mu, sized[1], dimension)
        if blocks.dtype != BLOCK:
            raise TypeError("blocks must have the dtype cardhouse.problem.BLOCK: blocks_of makes them")
        if W is None and f is None:
            f = np.zeros(sized[0])
        self._take(_core.problem_build(dimension, np.ascontiguousarray(blocks), local, mass, directions,
                                       None if f is None else _doubles(f), np.zeros(sized[1]) if w is None else _doubles(w), 0,
                                       False))

    def _take(self, core: _core.ProblemCore) -> None:
        self._core = core
        self._view = core.view()

    @classmethod
    def _wrap(cls, core: _core.ProblemCore) -> Problem:
        out = cls.__new__(cls)
        out._take(core)
        return out

    @classmethod
    def read(cls, path: Path) -> Problem:
        """Reads a file: FCLIB's HDF5 or Siconos' text, whatever its name."""
        return cls._wrap(_core.problem_read(os.fspath(path)))

    def write(self, path: Path, solution: Solution | None = None) -> None:
        """Writes the problem as FCLIB HDF5, with the solution where one is given."""
        if solution is None:
            self._core.write(os.fspath(path), None, None, None)
        else:
            v = solution.v if self.form == "global" else None
            self._core.write(os.fspath(path), v, solution.u, solution.r)

    def read_reaction(self, path: Path) -> Array:
        """Reactions of a file's solution or, if there is none, of its first guess: for warm starts."""
        r = np.zeros(self.rows)
        self._core.read_reaction(os.fspath(path), r)
        return r

    @property
    def form(self) -> str:
        """ "local" or "global"."""
        return self._view[0]

    @property
    def dimension(self) -> int:
        """Of space, 2 or 3."""
        return self._view[1]

    @property
    def rows(self) -> int:
        """Of r, u and w."""
        return self._view[2]

    @property
    def dof(self) -> int:
        """Size of v; 0 in the local form."""
        return self._view[3]

    @property
    def bodies(self) -> int:
        """Parts that M does not couple; 0 in the local form."""
        return self._view[4]

    @property
    def asymmetry(self) -> float:
        """max |A - A'| / max |A| of W or M."""
        return self._view[5]

    @property
    def blocks(self) -> NDArray[Any]:
        """The blocks, of dtype BLOCK; a copy."""
        return np.frombuffer(self._view[6], BLOCK).copy()

    @property
    def contacts(self) -> int:
        """How many blocks have friction."""
        law = self.blocks["law"]
        return int(np.count_nonzero((law == LAWS.index("contact")) | (law == LAWS.index("compliant"))))

    @property
    def w(self) -> Array:
        """FCLIB's w in the global form, its q in the local one."""
        return self._vector("w")

    @property
    def f(self) -> Array:
        """Impulse of everything but the constraints; empty in the local form."""
        return self._vector("f")

    def _vector(self, name: str) -> Array:
        data = self._core.vector(name)
        return np.frombuffer(data or b"", np.float64).copy()

    def matrix(self, name: str) -> Any:
        """W, M or H as a scipy.sparse matrix; None if the form has none of this name."""
        parts = self._core.matrix(name)
        if parts is None:
            return None
        import scipy.sparse  # type: ignore[import]

        rows, columns, start, index, value = parts
        arrays = (np.frombuffer(value).copy(), np.frombuffer(index, np.int32).copy(), np.frombuffer(start, np.int32).copy())
        return scipy.sparse.csc_matrix(arrays, shape=(rows, columns))

    def velocity(self, r: ArrayLike) -> tuple[Array, Array]:
        """(v, u) that follow from reactions; v is empty in the local form."""
        v, u = np.zeros(self.dof), np.zeros(self.rows)
        self._core.velocity(_doubles(r), v if self.form == "global" else None, u)
        return v, u

    def _rebuilt(self, blocks: NDArray[Any], sides: int = 0, outer: bool = False) -> Problem:
        W, M, H = (_expanded(self._core.matrix(name)) for name in "WMH")
        f = self.f if self.form == "global" else None
        return Problem._wrap(_core.problem_build(self.dimension, blocks, W, M, H, f, self.w, sides, outer))

    def with_mu(self, mu: ArrayLike) -> Problem:
        """The same with another friction: one number, one for each contact, or two for each."""
        blocks = self.blocks
        values = np.asarray(mu, dtype=float)
        which = np.isin(blocks["law"], (LAWS.index("contact"), LAWS.index("compliant")))
        blocks["mu"][which] = values[:, None] if values.ndim == 1 else values
        return self._rebuilt(blocks)

    def with_polygon(self, sides: int, outer: bool = False) -> Problem:
        """The same over cones of polygonal section, inscribed or circumscribed (outer); sides even, 4 to 64."""
        if sides == 0:
            raise ValueError("sides is 0, must be even, 4 to 64")
        return self._rebuilt(self.blocks, int(sides), bool(outer))

    def equilibrium(self) -> Array | None:
        """Reactions, N s, that keep everything at rest; None if there are none (docs/limit_analysis.md)."""
        r = np.zeros(self.rows)
        exists, _ = self._core.limit("equilibrium", None, r, None)
        return r if exists else None

    def smallest_friction(self) -> float:
        """The smallest factor on all friction coefficients that admits an equilibrium; NaN where none does."""
        return self._core.limit("friction", None, None, None)[1]

    def largest_load(self, load: ArrayLike) -> float:
        """The largest factor on `load` (as f; local form: as w) that can be borne; NaN if not even 0 can."""
        return self._core.limit("load", _doubles(load), None, None)[1]

    def __reduce__(self) -> Any:
        matrices = [self._core.matrix(name) for name in "WMH"]
        return _restore, (self.dimension, self.blocks, matrices, self.f if self.form == "global" else None, self.w)

    def __repr__(self) -> str:
        return f"<Problem {self.form} form, {len(self.blocks)} blocks, {self.rows} rows, {self.dof} degrees of freedom>"


def _restore(dimension: int, blocks: NDArray[Any], matrices: list[Compressed | None], f: Array | None, w: Array) -> Problem:
    W, M, H = (_expanded(matrix) for matrix in matrices)
    return Problem._wrap(_core.problem_build(dimension, blocks, W, M, H, f, w, 0, False))


class TakeOff(NamedTuple):
    """How fast contacts that carry a load leave each other, m/s; exact Coulomb: not at all."""

    mean: float
    largest: float
    contacts: int  #: that carry a load


@dataclass(frozen=True)
class Solution:
    """What `solve` found. `solved` says whether the certificate meets the tolerance."""

    r: Array  #: reactions, N s
    u: Array  #: relative velocities, m/s
    v: Array  #: generalised velocities; empty in the local form
    solved: bool
    status: str  #: "ok", or why it ended
    certificate: Certificate
    outer: int  #: iterations
    inner: int
    factorizations: int
    components: int  #: parts that were solved apart
    seconds: float
    work: float  #: counted, about 1e9 a second
    stages: str  #: of method auto
    note: str

    def __repr__(self) -> str:
        return (f"<Solution {'solved' if self.solved else self.status} natural={self.certificate.natural:.2e} "
                f"outer={self.outer} inner={self.inner} {self.seconds:.3g} s>")


def solve(problem: Problem, method: str = "auto", tol: float = 1e-8, warm: ArrayLike | None = None, *,
          inner: str | None = None, pose: str = "coulomb", max_iterations: int = 0, time_limit: float = 60.0,
          work_limit: float = float("inf"), threads: int = 1, accept: float = 0.0,
          settings: Mapping[str, float] | None = None) -> Solution:
    """Solves a contact problem and grades the answer.

    `tol` is on the certificate. `warm` are reactions to start from. `time_limit` is in seconds, `work_limit` in counted
    work, about 1e9 a second (0: by the size of the problem). The answer does not depend on `threads`. `settings` are
    options of methods, such as {"nsgs.anderson": 10}; `methods()` lists methods. An answer that misses its tolerance
    is returned, not raised: look at `solved`.
    """
    if pose not in POSES:
        raise ValueError(f"pose is {pose!r}, must be one of {', '.join(POSES)}")
    if threads < 1:
        raise ValueError(f"threads is {threads}, must be at least 1")
    start = None if warm is None else _doubles(warm)
    if start is not None and not np.all(np.isfinite(start)):
        raise ValueError("warm has entries that are not finite")
    v, u, r = np.zeros(problem.dof), np.zeros(problem.rows), np.zeros(problem.rows)
    found = problem._core.solve(
        v if problem.form == "global" else None, u, r, start, method=method, inner=inner, pose=POSES.index(pose),
        tolerance=tol, max_iterations=max_iterations, time_limit=time_limit, work_limit=work_limit, threads=threads,
        accept=accept, settings=dict(settings or {}))
    return Solution(r, u, v, found[0] == "ok", *found)


def certify(problem: Problem, r: ArrayLike, v: ArrayLike | None = None, pose: str = "coulomb") -> Certificate:
    """Grades reactions r, whoever found them. v (global form) is the velocity that goes with them: `balance` tells
    whether it does; left out, it is computed from r."""
    if pose not in POSES:
        raise ValueError(f"pose is {pose!r}, must be one of {', '.join(POSES)}")
    given = None if v is None or problem.form == "local" else _doubles(v)
    return problem._core.certify(_doubles(r), given, POSES.index(pose))


def take_off(problem: Problem, r: ArrayLike) -> TakeOff:
    """How fast contacts that carry a load leave each other under reactions r."""
    _, u = problem.velocity(r)
    return TakeOff(*problem._core.take_off(_doubles(r), u))


class Method(NamedTuple):
    """A method that solves contact problems."""

    name: str
    summary: str
    exact: bool  #: reaches exact Coulomb
    polygons: bool  #: takes contacts over polygons only
    baseline: bool  #: no solver, but an engine's rule, graded like any other


def methods() -> list[Method]:
    """All methods, as `cardhouse methods` lists them."""
    return [Method(*row) for row in _core.methods()]
