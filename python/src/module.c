// cardhouse._core: the public C API for Python, one file a noun. The package cardhouse is a thin layer over it.
//
// To add a file: write a file NAME of python/src (setup.py compiles every *.c here) that includes "core.h" and has a
// function `int core_init_NAME(PyObject* module)`, which adds types (core_add_type) or functions
// (PyModule_AddFunctions) and returns 0, or -1 with an exception set; then add X(NAME) to the table below and its
// signatures to python/cardhouse/_core.pyi. No file takes a name that src/ has already.
//
// Rules that keep the interpreter alive: only CPython's limited API; every argument goes through python_values.c;
// whatever takes a simulation goes through core_simulation, which refuses one that is closed or busy; objects hold
// references to what they look into; calls that may last release the GIL.
#include "core.h"

#define CORE_PARTS(X)  \
  X(error_types)       \
  X(block)             \
  X(scene_reader)      \
  X(step_report)       \
  X(simulation_object) \
  X(handles)           \
  X(controls)          \
  X(coming_and_going)  \
  X(feeding)           \
  X(queries)           \
  X(contact_rows)      \
  X(problem_object)    \
  X(problem_solve)     \
  X(rollout)

#define X(name) int core_init_##name(PyObject* module);
CORE_PARTS(X)
#undef X

PyTypeObject* core_add_type(PyObject* module, PyType_Spec* spec) {
  PyObject* type = PyType_FromModuleAndSpec(module, spec, NULL);
  if (!type) return NULL;
  if (PyModule_AddType(module, (PyTypeObject*)type) != 0) {
    Py_DECREF(type);
    return NULL;
  }
  return (PyTypeObject*)type;
}

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "cardhouse._core",
    .m_doc = "Cardhouse's C library for Python. Use the package cardhouse instead.",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit__core(void) {
  static int (*const parts[])(PyObject*) = {
#define X(name) core_init_##name,
      CORE_PARTS(X)
#undef X
  };
  PyObject* module = PyModule_Create(&definition);
  if (!module) return NULL;
  for (size_t k = 0; k < sizeof parts / sizeof *parts; ++k)
    if (parts[k](module) != 0) {
      Py_DECREF(module);
      return NULL;
    }
  if (PyModule_AddStringConstant(module, "__version__", ch_version()) != 0) {
    Py_DECREF(module);
    return NULL;
  }
  return module;
}
