"""Debian's libmujoco through ctypes: as much of it as cardhouse.adapters.mujoco and our measurements read.

A model and its data get the attributes that MuJoCo's own Python package gives them. Where members lie in the structs is
asked of the C compiler and the headers (Debian: libmujoco-dev), never written down here.
"""

import ctypes
import ctypes.util
import pathlib
import subprocess
import tempfile

import numpy as np

# member: how many numbers there are, in terms of the model's and data's sizes; None: a number itself
MODEL = {
    "int": {"nq": None, "nv": None, "nu": None, "nbody": None, "nM": None, "nconmax": None, "njmax": None,
            "opt.integrator": None, "opt.disableflags": None, "opt.jacobian": None, "opt.cone": None,
            "dof_Madr": "nv", "dof_parentid": "nv", "njnt": None, "jnt_type": "njnt"},
    "mjtNum": {"opt.timestep": None, "dof_damping": "nv", "body_mass": "nbody", "body_inertia": "nbody * 3"},
}
DATA = {
    "int": {"nefc": None, "ncon": None, "efc_type": "nefc", "efc_id": "nefc", "efc_J_rownnz": "nefc", "efc_J_rowadr": "nefc",
            "efc_J_colind": "njmax * nv"},
    "mjtNum": {"time": None, "qpos": "nq", "qvel": "nv", "qacc": "nv", "ctrl": "nu", "qM": "nM", "qfrc_smooth": "nv",
               "qfrc_constraint": "nv", "efc_J": "njmax * nv", "efc_pos": "nefc", "efc_frictionloss": "nefc",
               "efc_force": "nefc", "xpos": "nbody * 3", "xipos": "nbody * 3", "ximat": "nbody * 9",
               "xanchor": "njnt * 3", "xaxis": "njnt * 3"},
}
CONTACT = {"dist": "f8", "pos": "3f8", "frame": "9f8", "friction": "5f8", "dim": "i4", "geom1": "i4", "geom2": "i4",
           "efc_address": "i4"}


class Missing(Exception):
    """There is no libmujoco here, or no headers of it, or no compiler."""


def _offsets():
    """Offsets of all members above, and the size of a contact, by compiling a program that prints them."""
    lines = []
    for struct, table in (("mjModel", MODEL), ("mjData", DATA)):
        lines += [f'printf("{struct} {name} %zu\\n", offsetof({struct}, {name}));' for kind in table.values() for name in kind]
    lines += [f'printf("mjContact {name} %zu\\n", offsetof(mjContact, {name}));' for name in CONTACT]
    lines += ['printf("mjContact . %zu\\n", sizeof(mjContact));', 'printf("mjData contact %zu\\n", offsetof(mjData, contact));']
    text = "#include <mujoco/mujoco.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void){" + "\n".join(lines) + "}\n"
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "offsets"
        try:
            subprocess.run(["cc", "-x", "c", "-o", str(program), "-"], input=text.encode(), check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise Missing("no C compiler, or no headers of MuJoCo (Debian: gcc and libmujoco-dev)") from error
        printed = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout
    return {(struct, name): int(offset) for struct, name, offset in map(str.split, printed.splitlines())}


class _Struct:
    """Members of a C struct as attributes: numbers, and arrays that are views of its memory."""

    def __init__(self, library, address, struct, tables, sizes):
        self._library, self._address, self._struct, self._sizes = library, address, struct, sizes
        self._members = {name: (kind, size) for kind, table in tables.items() for name, size in table.items()}

    def __getattr__(self, name):
        if name.startswith("_") or name not in self._members:
            raise AttributeError(name)
        kind, size = self._members[name]
        c_type = ctypes.c_int if kind == "int" else ctypes.c_double
        place = self._address + self._library.offset[self._struct, name]
        if size is None:
            return c_type.from_address(place).value
        count = int(eval(size, {}, self._sizes()))
        start = ctypes.c_void_p.from_address(place).value
        if count == 0 or not start:
            return np.zeros(0)
        return np.ctypeslib.as_array((c_type * count).from_address(start))


class Model(_Struct):
    def __init__(self, library, address):
        super().__init__(library, address, "mjModel", MODEL, self._size)

    def _size(self):
        return {name: getattr(self, name) for name in ("nq", "nv", "nu", "nbody", "nM", "njmax", "njnt")}

    @property
    def opt(self):
        names = ("timestep", "integrator", "disableflags", "jacobian", "cone")
        return type("Option", (), {name: self.__getattr__("opt." + name) for name in names})


class Data(_Struct):
    def __init__(self, library, address, model):
        super().__init__(library, address, "mjData", DATA, lambda: {**model._size(), "nefc": self.nefc})

    @property
    def contact(self):
        offset, count = self._library.offset, self.ncon
        if count == 0:
            return []
        start = ctypes.c_void_p.from_address(self._address + offset["mjData", "contact"]).value
        dtype = np.dtype({"names": list(CONTACT), "formats": list(CONTACT.values()),
                          "offsets": [offset["mjContact", name] for name in CONTACT], "itemsize": offset["mjContact", "."]})
        raw = (ctypes.c_char * (count * dtype.itemsize)).from_address(start)
        return np.frombuffer(raw, dtype).view(np.recarray)


class Library:
    """libmujoco: `load` makes a model and its data of MJCF text, `step` makes steps."""

    def __init__(self):
        name = ctypes.util.find_library("mujoco")
        if not name:
            raise Missing("no libmujoco (Debian: libmujoco-dev)")
        self.mj = ctypes.CDLL(name)
        self.offset = _offsets()
        self.mj.mj_loadXML.restype = self.mj.mj_makeData.restype = ctypes.c_void_p
        for name in ("mj_step", "mj_forward", "mj_resetData"):
            getattr(self.mj, name).argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        self.mj.mj_id2name.restype = ctypes.c_char_p
        self.version = self.mj.mj_version()

    def name(self, model, kind, index):
        """Name of a body (kind 1) or joint (kind 3)."""
        return (self.mj.mj_id2name(ctypes.c_void_p(model._address), kind, index) or b"").decode()

    def load(self, xml, folder=None):
        error = ctypes.create_string_buffer(500)
        with tempfile.NamedTemporaryFile("w", suffix=".xml", dir=folder) as file:
            file.write(xml)
            file.flush()
            model = self.mj.mj_loadXML(file.name.encode(), None, error, len(error))
        if not model:
            raise ValueError(error.value.decode())
        view = Model(self, model)
        return view, Data(self, self.mj.mj_makeData(ctypes.c_void_p(model)), view)

    def step(self, model, data, steps=1):
        for _ in range(steps):
            self.mj.mj_step(model._address, data._address)
