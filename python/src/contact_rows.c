// Contacts of the last step as rows for a structured array.
#include <math.h>
#include <string.h>

#include "core.h"

// As cardhouse/simulation.py reads it: CONTACT.
typedef struct Row {
  int body[2], shape[2];
  double point[3], normal[3], gap, force[3], slip[3], friction;
  unsigned char sticking, branch, padding[6];
  double moment[3], spin[3];
} Row;

static void put(ChVec3 v, double* out) { out[0] = v.x, out[1] = v.y, out[2] = v.z; }

// What slips and what carries a load is told as the viewer tells it: against the speed of a fall through one step, and
// the largest load.
static Row row_of(const ChWorld* world, const ChContactView* c, double slow, double light) {
  Row row = {.body = {c->body[0], c->body[1]}, .shape = {c->shape[0], c->shape[1]}, .gap = c->gap};
  put(c->point, row.point);
  put(c->normal, row.normal);
  put(c->force, row.force);
  put(c->slip, row.slip);
  put(c->moment, row.moment);
  put(c->spin, row.spin);
  row.friction = ch_world_friction(world, c->shape[0], c->shape[1]);
  ChVec3 along = ch_along(c->slip, -ch_dot(c->slip, c->normal), c->normal);
  row.branch = (unsigned char)c->branch;
  row.sticking = c->branch != CH_BRANCH_NONE ? c->branch == CH_BRANCH_STICK
                                             : ch_dot(c->force, c->normal) > light && ch_norm(along) <= slow;
  return row;
}

static PyObject* contacts(PyObject* module, PyObject* simulation) {
  (void)module;
  ChSimulation* s = core_simulation(simulation);
  if (!s) return NULL;
  int count = 0;
  const ChContactView* views = ch_simulation_contacts(s, &count);
  PyObject* bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)((size_t)count * sizeof(Row)));
  if (!bytes) return NULL;
  char* rows = PyBytes_AsString(bytes);
  const ChWorld* world = ch_simulation_world(s);
  double fall = ch_norm(ch_world_gravity_at(world, ch_simulation_time(s))) * ch_simulation_info(s).h;
  double largest = 0.0;
  for (int k = 0; k < count; ++k) largest = fmax(largest, ch_dot(views[k].force, views[k].normal));
  for (int k = 0; k < count; ++k) {
    Row row = row_of(world, &views[k], fmax(1e-4 * fall, 1e-9), 1e-9 * largest);
    memcpy(rows + (size_t)k * sizeof row, &row, sizeof row);
  }
  return bytes;
}

int core_init_contact_rows(PyObject* module) {
  static PyMethodDef functions[] = {
      {"contacts", contacts, METH_O, "Contacts of the last step, as bytes of rows."},
      {NULL, NULL, 0, NULL},
  };
  return PyModule_AddFunctions(module, functions) == 0 ? PyModule_AddIntConstant(module, "CONTACT_BYTES", sizeof(Row))
                                                       : -1;
}
