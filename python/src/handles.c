// Handles: a body or a joint of a simulation. They keep the simulation alive, stay good whatever else comes or goes,
// and refuse everything once their body or joint is gone.
#include <string.h>

#include "core.h"

typedef struct Handle {
  PyObject_HEAD CoreSimulation* owner;
  long epoch;
  union {
    ChBodyId body;
    ChJointId joint;
  } id;
} Handle;

static PyTypeObject *body_type, *joint_type;

static const ChWorld* world_of(const CoreSimulation* owner) { return ch_simulation_world(owner->simulation); }

// --- lookup ----------------------------------------------------------------------------------------------------------

// The id without the tag of its world, so that it is good in the same world made anew; `epoch` tells whether it is.
static ChBodyId plain_body(ChBodyId id) { return (ChBodyId){id.index1, id.generation, 0}; }
static ChJointId plain_joint(ChJointId id) { return (ChJointId){id.index1, id.generation, 0}; }

static bool is_of(const CoreSimulation* self, const Handle* handle, const char* what) {
  if (handle->owner == self) return true;
  PyErr_Format(core_error, "the %s belongs to another simulation", what);
  return false;
}

static bool row_is(PyObject* value, const char* what, int count, long* row) {
  PyObject* index = PyNumber_Index(value);
  if (!index) {
    PyErr_Format(PyExc_TypeError, "a %s is needed: its row, its name or itself, not %R", what, value);
    return false;
  }
  int overflow;
  *row = PyLong_AsLongAndOverflow(index, &overflow);
  Py_DECREF(index);
  if (*row == -1 && PyErr_Occurred()) return false;
  if (!overflow && *row >= 0 && *row < count) return true;
  PyErr_Format(core_error, "there is no %s in row %R, there are %d", what, value, count);
  return false;
}

enum { NAMES_MAX = 4096 };

// Raises that there is none of this name, and which one is spelled like it.
static bool unknown(const char* what, PyObject* value, const char* name, int count, const char* const* known) {
  const char* near = ch_word_nearest(name, count, known);
  if (near)
    PyErr_Format(core_error, "there is no %s %R; did you mean '%.100s'?", what, value, near);
  else
    PyErr_Format(core_error, "there is no %s %R", what, value);
  return false;
}

static bool no_body(const ChWorld* world, PyObject* value, const char* name) {
  const char* known[NAMES_MAX];
  int count = ch_world_body_count(world) < NAMES_MAX ? ch_world_body_count(world) : NAMES_MAX;
  for (int k = 0; k < count; ++k) known[k] = ch_world_body_name(world, ch_world_body_at(world, k));
  return unknown("body", value, name, count, known);
}

static bool no_joint(const ChWorld* world, PyObject* value, const char* name) {
  const char* known[NAMES_MAX];
  int count = ch_world_joint_count(world) < NAMES_MAX ? ch_world_joint_count(world) : NAMES_MAX;
  for (int k = 0; k < count; ++k) known[k] = ch_world_joint_name(world, ch_world_joint_at(world, k));
  return unknown("joint", value, name, count, known);
}

bool core_body(CoreSimulation* self, PyObject* value, ChBodyId* out) {
  const ChWorld* world = world_of(self);
  if (PyObject_TypeCheck(value, body_type)) {
    const Handle* handle = (const Handle*)value;
    if (!is_of(self, handle, "body")) return false;
    *out = handle->id.body;
    if (handle->epoch == self->epoch && ch_world_body_row(world, *out) >= 0) return true;
    PyErr_SetString(core_error, "the body is gone: its handle is stale");
    return false;
  }
  if (PyUnicode_Check(value)) {
    const char* name = core_text(value, "name of a body");
    if (!name) return false;
    *out = ch_world_find_body(world, name);
    if (ch_world_body_row(world, *out) >= 0) return true;
    return no_body(world, value, name);
  }
  long row;
  if (!row_is(value, "body", ch_world_body_count(world), &row)) return false;
  *out = ch_world_body_at(world, (int)row);
  return true;
}

bool core_joint(CoreSimulation* self, PyObject* value, ChJointId* out) {
  const ChWorld* world = world_of(self);
  if (PyObject_TypeCheck(value, joint_type)) {
    const Handle* handle = (const Handle*)value;
    if (!is_of(self, handle, "joint")) return false;
    *out = handle->id.joint;
    if (handle->epoch == self->epoch && ch_world_joint_row(world, *out) >= 0) return true;
    PyErr_SetString(core_error, "the joint is gone: its handle is stale");
    return false;
  }
  if (PyUnicode_Check(value)) {
    const char* name = core_text(value, "name of a joint");
    if (!name) return false;
    *out = ch_world_find_joint(world, name);
    if (ch_world_joint_row(world, *out) >= 0) return true;
    return no_joint(world, value, name);
  }
  long row;
  if (!row_is(value, "joint", ch_world_joint_count(world), &row)) return false;
  *out = ch_world_joint_at(world, (int)row);
  return true;
}

// --- life ------------------------------------------------------------------------------------------------------------

static bool parse(PyObject* arguments, PyObject* keywords, PyObject** simulation, PyObject** key) {
  static char* names[] = {"simulation", "key", NULL};
  return PyArg_ParseTupleAndKeywords(arguments, keywords, "OO", names, simulation, key) && core_simulation(*simulation);
}

static void own(Handle* self, PyObject* simulation) {
  CoreSimulation* before = self->owner;
  self->owner = (CoreSimulation*)Py_NewRef(simulation);
  self->epoch = self->owner->epoch;
  Py_XDECREF((PyObject*)before);
}

static int body_init(PyObject* object, PyObject* arguments, PyObject* keywords) {
  PyObject *simulation, *key;
  ChBodyId id;
  if (!parse(arguments, keywords, &simulation, &key) || !core_body((CoreSimulation*)simulation, key, &id)) return -1;
  own((Handle*)object, simulation);
  ((Handle*)object)->id.body = plain_body(id);
  return 0;
}

static int joint_init(PyObject* object, PyObject* arguments, PyObject* keywords) {
  PyObject *simulation, *key;
  ChJointId id;
  if (!parse(arguments, keywords, &simulation, &key) || !core_joint((CoreSimulation*)simulation, key, &id)) return -1;
  own((Handle*)object, simulation);
  ((Handle*)object)->id.joint = plain_joint(id);
  return 0;
}

static int handle_traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT((PyObject*)((Handle*)object)->owner);
  return 0;
}

static int handle_clear(PyObject* object) {
  Handle* self = (Handle*)object;
  PyObject* owner = (PyObject*)self->owner;
  self->owner = NULL;
  Py_XDECREF(owner);
  return 0;
}

static void handle_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  handle_clear(object);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

static bool same(const Handle* a, const Handle* b) {
  return a->owner == b->owner && a->epoch == b->epoch && memcmp(&a->id, &b->id, sizeof a->id) == 0;
}

static PyObject* compare(PyObject* a, PyObject* b, int operation) {
  PyTypeObject* type = PyObject_TypeCheck(a, body_type) ? body_type : joint_type;
  if ((operation != Py_EQ && operation != Py_NE) || !PyObject_TypeCheck(b, type)) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong(same((Handle*)a, (Handle*)b) == (operation == Py_EQ));
}

static Py_hash_t hash(PyObject* object) {
  const Handle* self = (const Handle*)object;
  Py_hash_t h =
      (Py_hash_t)(((uintptr_t)self->owner >> 4) * 31 + self->id.body.index1 * 7919u + self->id.body.generation);
  return h == -1 ? -2 : h;
}

// --- what is known ---------------------------------------------------------------------------------------------------

// The world of a handle that is good; raises and gives NULL otherwise.
static const ChWorld* world_of_body(PyObject* object, ChBodyId* id) {
  CoreSimulation* owner = ((Handle*)object)->owner;
  if (!owner) PyErr_SetString(core_error, "the handle was not made");
  if (!owner || !core_simulation((PyObject*)owner) || !core_body(owner, object, id)) return NULL;
  return world_of(owner);
}

static const ChWorld* world_of_joint(PyObject* object, ChJointId* id) {
  CoreSimulation* owner = ((Handle*)object)->owner;
  if (!owner) PyErr_SetString(core_error, "the handle was not made");
  if (!owner || !core_simulation((PyObject*)owner) || !core_joint(owner, object, id)) return NULL;
  return world_of(owner);
}

static PyObject* owner_of(PyObject* object, void* unused) {
  (void)unused;
  PyObject* owner = (PyObject*)((Handle*)object)->owner;
  return Py_NewRef(owner ? owner : Py_None);
}

static PyObject* body_row(PyObject* object, void* unused) {
  (void)unused;
  ChBodyId id;
  const ChWorld* world = world_of_body(object, &id);
  return world ? PyLong_FromLong(ch_world_body_row(world, id)) : NULL;
}

static PyObject* body_name(PyObject* object, void* unused) {
  (void)unused;
  ChBodyId id;
  const ChWorld* world = world_of_body(object, &id);
  return world ? PyUnicode_FromString(ch_world_body_name(world, id)) : NULL;
}

// (kind, mass, centre, inertia, deformable)
static PyObject* body_info(PyObject* object, PyObject* nothing) {
  (void)nothing;
  static const char* const kinds[] = {"dynamic", "fixed", "kinematic"};
  ChBodyId id;
  const ChWorld* world = world_of_body(object, &id);
  if (!world) return NULL;
  ChBodyInfo i = ch_world_body_info(world, id);
  return Py_BuildValue("(sdN(dddddd)N)", kinds[i.kind], i.mass, core_from_vector(i.centre, 3), i.inertia[0],
                       i.inertia[1], i.inertia[2], i.inertia[3], i.inertia[4], i.inertia[5], PyBool_FromLong(i.soft));
}

// (first, count) of the body among the modes of all deformable ones.
static PyObject* body_modes(PyObject* object, PyObject* nothing) {
  (void)nothing;
  ChBodyId id;
  const ChWorld* world = world_of_body(object, &id);
  if (!world) return NULL;
  ChSoftView soft = {0};
  bool is_soft = ch_world_soft(world, ch_world_body_row(world, id), &soft);
  return Py_BuildValue("(ii)", is_soft ? soft.first_mode : 0, is_soft ? soft.modes : 0);
}

static PyObject* joint_row(PyObject* object, void* unused) {
  (void)unused;
  ChJointId id;
  const ChWorld* world = world_of_joint(object, &id);
  return world ? PyLong_FromLong(ch_world_joint_row(world, id)) : NULL;
}

static PyObject* joint_name(PyObject* object, void* unused) {
  (void)unused;
  ChJointId id;
  const ChWorld* world = world_of_joint(object, &id);
  if (!world) return NULL;
  const char* name = ch_world_joint_name(world, id);
  return PyUnicode_FromString(name ? name : "");
}

// (type, first freedom among those of all joints, freedoms, rows of the two bodies: -1 for the ground)
static PyObject* joint_info(PyObject* object, PyObject* nothing) {
  (void)nothing;
  ChJointId id;
  const ChWorld* world = world_of_joint(object, &id);
  ChJointDef def;
  if (!world) return NULL;
  int first = 0, row = ch_world_joint_row(world, id);
  for (int j = 0; j < row; ++j)
    if (ch_world_joint_def(NULL, world, ch_world_joint_at(world, j), &def) == CH_OK)
      first += ch_joint_info(def.type)->freedoms;
  ChContext context = {0};
  ChStatus status = ch_world_joint_def(&context, world, id, &def);
  if (status != CH_OK) return core_raise(&context, status);
  const ChJointInfo* info = ch_joint_info(def.type);
  return Py_BuildValue("(siiii)", info->name, first, info->freedoms, ch_world_body_row(world, def.body[0]),
                       ch_world_body_row(world, def.body[1]));
}

// --- types -----------------------------------------------------------------------------------------------------------

static PyTypeObject* add(PyObject* module, const char* name, const char* doc, initproc init, PyGetSetDef* getters,
                         PyMethodDef* methods) {
  PyType_Slot slots[] = {
      {Py_tp_doc, (void*)doc},
      {Py_tp_init, init},
      {Py_tp_traverse, handle_traverse},
      {Py_tp_clear, handle_clear},
      {Py_tp_dealloc, handle_dealloc},
      {Py_tp_richcompare, compare},
      {Py_tp_hash, hash},
      {Py_tp_getset, getters},
      {Py_tp_methods, methods},
      {0, NULL},
  };
  PyType_Spec spec = {.name = name,
                      .basicsize = sizeof(Handle),
                      .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                      .slots = slots};
  return core_add_type(module, &spec);
}

static PyObject* counts(PyObject* module, PyObject* object) {
  (void)module;
  ChSimulation* simulation = core_simulation(object);
  if (!simulation) return NULL;
  const ChWorld* world = ch_simulation_world(simulation);
  return Py_BuildValue("(iil)", ch_world_body_count(world), ch_world_joint_count(world), ch_world_revision(world));
}

int core_init_handles(PyObject* module) {
  static PyGetSetDef body_getters[] = {
      {"simulation", owner_of, NULL, "That it is a body of.", NULL},
      {"row", body_row, NULL, "In the arrays of bodies.", NULL},
      {"name", body_name, NULL, "Each one's own.", NULL},
      {NULL, NULL, NULL, NULL, NULL},
  };
  static PyMethodDef body_methods[] = {
      {"_info", body_info, METH_NOARGS, "Kind, mass, centre, inertia, whether it is deformable."},
      {"_modes", body_modes, METH_NOARGS, "Where its modes begin among all, and how many there are."},
      {NULL, NULL, 0, NULL},
  };
  static PyGetSetDef joint_getters[] = {
      {"simulation", owner_of, NULL, "That it is a joint of.", NULL},
      {"row", joint_row, NULL, "In the arrays of joints.", NULL},
      {"name", joint_name, NULL, "As the world has it.", NULL},
      {NULL, NULL, NULL, NULL, NULL},
  };
  static PyMethodDef joint_methods[] = {
      {"_info", joint_info, METH_NOARGS, "Type, first freedom, freedoms, rows of its bodies."},
      {NULL, NULL, 0, NULL},
  };
  static PyMethodDef functions[] = {
      {"counts", counts, METH_O, "Bodies, joints, and how often some came or went."},
      {NULL, NULL, 0, NULL},
  };
  body_type = add(module, "cardhouse._core.Body", "A body of a simulation.", body_init, body_getters, body_methods);
  joint_type =
      add(module, "cardhouse._core.Joint", "A joint of a simulation.", joint_init, joint_getters, joint_methods);
  return body_type && joint_type ? PyModule_AddFunctions(module, functions) : -1;
}
