// Questions about where things are: rays, closest points, what is near. Nothing changes by asking.
#include <math.h>
#include <stdlib.h>

#include "core.h"

static int row_of(const ChSimulation* s, ChBodyId body) { return ch_world_body_row(ch_simulation_world(s), body); }
static int dimension_of(const ChSimulation* s) { return ch_world_dimension(ch_simulation_world(s)); }

// None, or (row of the body, distance, point, normal).
static PyObject* cast_ray(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject *simulation, *from_object, *direction_object, *reach_object;
  ChVec3 from, direction;
  double reach;
  if (!PyArg_ParseTuple(arguments, "OOOO:cast_ray", &simulation, &from_object, &direction_object, &reach_object))
    return NULL;
  ChSimulation* s = core_simulation_to_change(simulation);
  if (!s || !core_vector(from_object, "start", dimension_of(s), &from) ||
      !core_vector(direction_object, "direction", dimension_of(s), &direction) ||
      !core_number(reach_object, "reach", &reach))
    return NULL;
  ChContext context = {0};
  ChRayHit hit;
  ChStatus status = ch_simulation_cast_ray(&context, s, from, direction, reach, &hit);
  if (status != CH_OK) return core_raise(&context, status);
  if (ch_body_id_is_none(hit.body)) Py_RETURN_NONE;
  int d = dimension_of(s);
  return Py_BuildValue("(idNN)", row_of(s, hit.body), hit.distance, core_from_vector(hit.point, d),
                       core_from_vector(hit.normal, d));
}

// None, or (gap, point on a, point on b, normal).
static PyObject* closest(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject *simulation, *key[2], *within_object;
  ChBodyId body[2];
  double within;
  if (!PyArg_ParseTuple(arguments, "OOOO:closest", &simulation, &key[0], &key[1], &within_object)) return NULL;
  ChSimulation* s = core_simulation_to_change(simulation);
  if (!s) return NULL;
  for (int k = 0; k < 2; ++k)
    if (!core_body((CoreSimulation*)simulation, key[k], &body[k])) return NULL;
  if (!core_number(within_object, "within", &within)) return NULL;
  ChContext context = {0};
  ChClosestPoints c;
  ChStatus status = ch_simulation_closest(&context, s, body[0], body[1], within, &c);
  if (status != CH_OK) return core_raise(&context, status);
  if (!c.found) Py_RETURN_NONE;
  int d = dimension_of(s);
  return Py_BuildValue("(dNNN)", c.gap, core_from_vector(c.point[0], d), core_from_vector(c.point[1], d),
                       core_from_vector(c.normal, d));
}

// A list of (row of the body, gap, point, normal).
static PyObject* list_of(const ChSimulation* s, int count, const ChNearby* near) {
  int d = dimension_of(s);
  PyObject* list = PyList_New(0);
  for (int k = 0; list && k < count; ++k) {
    PyObject* row = Py_BuildValue("(idNN)", row_of(s, near[k].body), near[k].gap, core_from_vector(near[k].point, d),
                                  core_from_vector(near[k].normal, d));
    if (!row || PyList_Append(list, row) != 0) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  return list;
}

// What is near a ball (plane: a disk).
static PyObject* near_ball(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject *simulation, *centre_object, *radius_object, *within_object;
  ChVec3 centre;
  double radius, within;
  if (!PyArg_ParseTuple(arguments, "OOOO:near_ball", &simulation, &centre_object, &radius_object, &within_object))
    return NULL;
  ChSimulation* s = core_simulation_to_change(simulation);
  if (!s || !core_vector(centre_object, "centre", dimension_of(s), &centre) ||
      !core_finite(radius_object, "radius", &radius) || !core_finite(within_object, "within", &within))
    return NULL;
  ChQueryProbe probe = ch_query_ball(centre, radius);
  if (dimension_of(s) == 2) probe.type = CH_SHAPE_DISK;
  ChContext context = {0};
  int count = 0;
  ChStatus status = ch_simulation_overlap(&context, s, &probe, within, 0, NULL, &count);
  ChNearby* near = calloc((size_t)count + 1, sizeof *near);
  if (!near) return PyErr_NoMemory();
  if (status == CH_OK) status = ch_simulation_overlap(&context, s, &probe, within, count, near, &count);
  PyObject* list = status == CH_OK ? list_of(s, count, near) : core_raise(&context, status);
  free(near);
  return list;
}

int core_init_queries(PyObject* module) {
  static PyMethodDef functions[] = {
      {"cast_ray", cast_ray, METH_VARARGS, "cast_ray(simulation, start, direction, reach)"},
      {"closest", closest, METH_VARARGS, "closest(simulation, a, b, within)"},
      {"near_ball", near_ball, METH_VARARGS, "near_ball(simulation, centre, radius, within)"},
      {NULL, NULL, 0, NULL},
  };
  return PyModule_AddFunctions(module, functions);
}
