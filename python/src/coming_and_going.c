// Bodies, joints and forces that come and go between two steps.
#include <string.h>

#include "core.h"

// What came or went changed the rows: arrays that were handed out are no longer the simulation's.
static PyObject* rows_changed(PyObject* simulation, const ChContext* context, ChStatus status) {
  if (status == CH_OK) core_mirror_clear((CoreSimulation*)simulation);
  return core_changed(simulation, context, status);
}

// Bodies, joints and forces that a scene's text lists.
static PyObject* extend(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject *simulation, *text_object, *file_object;
  if (!PyArg_ParseTuple(arguments, "OOO:extend", &simulation, &text_object, &file_object)) return NULL;
  ChSimulation* s = core_simulation_to_change(simulation);
  const char* text = s ? core_text(text_object, "text") : NULL;
  const char* file = text ? core_text(file_object, "file") : NULL;
  if (!file) return NULL;
  ChContext context = {0};
  int joints = ch_world_joint_count(ch_simulation_world(s));
  ChStatus status = ch_scene_add_to(&context, s, text, file);
  if (status == CH_OK && joints == ch_world_joint_count(ch_simulation_world(s))) {
    core_mirror_fit((CoreSimulation*)simulation);  // freedoms are as they were, and so are their arrays and targets
    return core_changed(simulation, &context, status);
  }
  if (status == CH_OK) return rows_changed(simulation, &context, status);
  core_mirror_pull((CoreSimulation*)simulation);
  return core_raise_scene(&context, status);
}

static PyObject* remove_body(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject *simulation, *key;
  ChBodyId body;
  if (!PyArg_ParseTuple(arguments, "OO:remove_body", &simulation, &key)) return NULL;
  ChSimulation* s = core_simulation_to_change(simulation);
  if (!s || !core_body((CoreSimulation*)simulation, key, &body)) return NULL;
  ChContext context = {0};
  return rows_changed(simulation, &context, ch_simulation_remove_body(&context, s, body));
}

static PyObject* remove_joint(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject *simulation, *key;
  ChJointId joint;
  if (!PyArg_ParseTuple(arguments, "OO:remove_joint", &simulation, &key)) return NULL;
  ChSimulation* s = core_simulation_to_change(simulation);
  if (!s || !core_joint((CoreSimulation*)simulation, key, &joint)) return NULL;
  ChContext context = {0};
  return rows_changed(simulation, &context, ch_simulation_remove_joint(&context, s, joint));
}

static PyObject* remove_force(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject *simulation, *name_object;
  if (!PyArg_ParseTuple(arguments, "OO:remove_force", &simulation, &name_object)) return NULL;
  ChSimulation* s = core_simulation_to_change(simulation);
  const char* name = s ? core_text(name_object, "name of a force") : NULL;
  if (!name) return NULL;
  ChForceId force = ch_world_find_force(ch_simulation_world(s), name);
  if (ch_force_id_is_none(force)) {
    PyErr_Format(core_error, "there is no force %R", name_object);
    return NULL;
  }
  ChContext context = {0};
  return core_changed(simulation, &context, ch_simulation_remove_force(&context, s, force));
}

int core_init_coming_and_going(PyObject* module) {
  static PyMethodDef functions[] = {
      {"extend", extend, METH_VARARGS, "extend(simulation, text, file): adds what a scene's text lists"},
      {"remove_body", remove_body, METH_VARARGS, "remove_body(simulation, body)"},
      {"remove_joint", remove_joint, METH_VARARGS, "remove_joint(simulation, joint)"},
      {"remove_force", remove_force, METH_VARARGS, "remove_force(simulation, name)"},
      {NULL, NULL, 0, NULL},
  };
  return PyModule_AddFunctions(module, functions);
}
