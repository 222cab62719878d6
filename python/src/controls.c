// What a caller may command between two steps.
#include <string.h>

#include "core.h"

// The simulation and the body that the first two arguments name.
static ChSimulation* body_of(PyObject* simulation, PyObject* key, ChBodyId* body) {
  ChSimulation* s = core_simulation_to_change(simulation);
  return s && core_body((CoreSimulation*)simulation, key, body) ? s : NULL;
}

static int dimension_of(const ChSimulation* s) { return ch_world_dimension(ch_simulation_world(s)); }

static PyObject* push(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject *simulation, *key, *impulse_object, *point_object = Py_None;
  ChBodyId body;
  ChVec3 impulse, point;
  if (!PyArg_ParseTuple(arguments, "OOO|O:push", &simulation, &key, &impulse_object, &point_object)) return NULL;
  ChSimulation* s = body_of(simulation, key, &body);
  if (!s || !core_vector(impulse_object, "impulse", dimension_of(s), &impulse)) return NULL;
  point = ch_simulation_body(s, body).position;
  if (point_object != Py_None && !core_vector(point_object, "point", dimension_of(s), &point)) return NULL;
  ChContext context = {0};
  return core_changed(simulation, &context, ch_simulation_push(&context, s, body, impulse, point));
}

static PyObject* move(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject *simulation, *key, *position_object, *orientation_object;
  ChBodyId body;
  ChVec3 position;
  double q[4] = {1.0, 0.0, 0.0, 0.0}, angle = 0.0;
  if (!PyArg_ParseTuple(arguments, "OOOO:move", &simulation, &key, &position_object, &orientation_object)) return NULL;
  ChSimulation* s = body_of(simulation, key, &body);
  if (!s || !core_vector(position_object, "position", dimension_of(s), &position)) return NULL;
  if (dimension_of(s) == 2 ? !core_finite(orientation_object, "orientation", &angle)
                           : !core_numbers(orientation_object, "orientation", 4, q))
    return NULL;
  ChContext context = {0};
  ChQuat orientation = {q[0], q[1], q[2], q[3]};
  return core_changed(simulation, &context, ch_simulation_move(&context, s, body, position, orientation, angle));
}

static PyObject* pull(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject *simulation, *key, *local_object, *target_object, *numbers;
  ChBodyId body;
  ChVec3 local, target;
  double grip[3];
  if (!PyArg_ParseTuple(arguments, "OOOOO:pull", &simulation, &key, &local_object, &target_object, &numbers))
    return NULL;
  ChSimulation* s = body_of(simulation, key, &body);
  if (!s || !core_vector(local_object, "local", dimension_of(s), &local) ||
      !core_vector(target_object, "target", dimension_of(s), &target) || !core_numbers(numbers, "grip", 3, grip))
    return NULL;
  ChContext context = {0};
  ChGrip spring = {grip[0], grip[1], grip[2]};
  return core_changed(simulation, &context, ch_simulation_pull(&context, s, body, local, target, &spring));
}

static const char* const drives[] = {"none", "position", "velocity", "force", "prescribed"};

static PyObject* set_drive(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject *simulation, *key, *axis_object, *drive_object, *target_object, *strength_object;
  ChJointId joint;
  long axis;
  double target, strength;
  if (!PyArg_ParseTuple(arguments, "OOOOOO:set_drive", &simulation, &key, &axis_object, &drive_object, &target_object,
                        &strength_object))
    return NULL;
  ChSimulation* s = core_simulation_to_change(simulation);
  if (!s || !core_joint((CoreSimulation*)simulation, key, &joint)) return NULL;
  const char* word = core_text(drive_object, "drive");
  if (!word || !core_whole(axis_object, "axis", 0, 2, &axis) || !core_finite(target_object, "target", &target) ||
      !core_finite(strength_object, "strength", &strength))
    return NULL;
  int drive = 0, count = sizeof drives / sizeof *drives;
  while (drive < count && strcmp(drives[drive], word) != 0) ++drive;
  if (drive == count) {
    PyErr_Format(core_error, "drive is %R, must be none, position, velocity, force or prescribed", drive_object);
    return NULL;
  }
  ChContext context = {0};
  return core_changed(simulation, &context,
                      ch_simulation_set_drive(&context, s, joint, (int)axis, (ChDrive)drive, target, strength));
}

static PyObject* set_gravity(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject *simulation, *gravity_object;
  ChVec3 gravity;
  if (!PyArg_ParseTuple(arguments, "OO:set_gravity", &simulation, &gravity_object)) return NULL;
  ChSimulation* s = core_simulation_to_change(simulation);
  if (!s || !core_vector(gravity_object, "gravity", dimension_of(s), &gravity)) return NULL;
  ChContext context = {0};
  return core_changed(simulation, &context, ch_simulation_set_gravity(&context, s, gravity));
}

static PyObject* set_friction(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject *simulation, *mu_object;
  double mu;
  if (!PyArg_ParseTuple(arguments, "OO:set_friction", &simulation, &mu_object)) return NULL;
  ChSimulation* s = core_simulation_to_change(simulation);
  if (!s || !core_finite(mu_object, "friction", &mu)) return NULL;
  ChContext context = {0};
  return core_changed(simulation, &context, ch_simulation_set_friction(&context, s, mu));
}

// Step and method of another scene's text, in which no body need be.
static PyObject* set_options(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject *simulation, *text_object;
  if (!PyArg_ParseTuple(arguments, "OO:set_options", &simulation, &text_object)) return NULL;
  ChSimulation* s = core_simulation_to_change(simulation);
  const char* text = s ? core_text(text_object, "text") : NULL;
  if (!text) return NULL;
  ChContext context = {0};
  ChScene* scene;
  ChStatus status = ch_scene_parse(&context, text, "options", &scene);
  if (status != CH_OK) return core_raise_scene(&context, status);
  ChSimulationOptions options = scene->options;
  const ChSimulationOptions* now = ch_simulation_options(s);
  options.solve.stop = now->solve.stop, options.solve.stop_user = now->solve.stop_user;
  status = ch_simulation_set_options(&context, s, &options);
  ch_scene_destroy(scene);
  return core_changed(simulation, &context, status);
}

// (before, after, moved, turned, body or -1, rounds)
static PyObject* heal(PyObject* module, PyObject* simulation) {
  (void)module;
  ChSimulation* s = core_simulation_to_change(simulation);
  if (!s) return NULL;
  ChContext context = {0};
  ChHealing h;
  ChStatus status = ch_simulation_heal(&context, s, &h);
  PyObject* none = core_changed(simulation, &context, status);
  if (!none) return NULL;
  Py_DECREF(none);
  return Py_BuildValue("(ddddii)", h.before, h.after, h.moved, h.turned, h.body, h.rounds);
}

int core_init_controls(PyObject* module) {
  static PyMethodDef functions[] = {
      {"push", push, METH_VARARGS, "push(simulation, body, impulse, point=None)"},
      {"move", move, METH_VARARGS, "move(simulation, body, position, orientation)"},
      {"pull", pull, METH_VARARGS, "pull(simulation, body, local, target, (frequency, damping, strength))"},
      {"set_drive", set_drive, METH_VARARGS, "set_drive(simulation, joint, axis, drive, target, strength)"},
      {"set_gravity", set_gravity, METH_VARARGS, "set_gravity(simulation, gravity)"},
      {"set_friction", set_friction, METH_VARARGS, "set_friction(simulation, mu)"},
      {"set_options", set_options, METH_VARARGS, "set_options(simulation, text)"},
      {"heal", heal, METH_O, "heal(simulation)"},
      {NULL, NULL, 0, NULL},
  };
  return PyModule_AddFunctions(module, functions);
}
