// Reports of steps and certificates, as objects whose attributes are the members of the library's structs.
#include <stddef.h>
#include <string.h>

#include "core.h"

typedef struct Certificate {
  PyObject_HEAD ChCertificate figures;
} Certificate;

typedef struct Report {
  PyObject_HEAD long steps, missed;
  ChStepInfo info;
} Report;

static PyTypeObject *certificate_type, *report_type;

PyObject* core_certificate(const ChCertificate* figures) {
  Certificate* self = PyObject_New(Certificate, certificate_type);
  if (self) self->figures = *figures;
  return (PyObject*)self;
}

PyObject* core_report(const ChStepInfo* info, long steps, long missed) {
  Report* self = PyObject_New(Report, report_type);
  if (!self) return NULL;
  self->info = *info;
  self->steps = steps;
  self->missed = missed;
  return (PyObject*)self;
}

static void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_Free(self);
  Py_DECREF(type);
}

// Notebooks ask for a table; cardhouse/looking.py writes it.
static PyObject* table_of(PyObject* self, const char* function) {
  PyObject* module = PyImport_ImportModule("cardhouse.looking");
  PyObject* text = module ? PyObject_CallMethod(module, function, "O", self) : NULL;
  Py_XDECREF(module);
  return text;
}

static PyObject* certificate_table(PyObject* self, PyObject* nothing) {
  (void)nothing;
  return table_of(self, "certificate_html");
}

static PyObject* report_table(PyObject* self, PyObject* nothing) {
  (void)nothing;
  return table_of(self, "report_html");
}

// --- certificates ----------------------------------------------------------------------------------------------------

static PyObject* met(PyObject* self, PyObject* argument) {
  double tolerance;
  if (!core_number(argument, "tolerance", &tolerance)) return NULL;
  return PyBool_FromLong(ch_certificate_met(&((Certificate*)self)->figures, tolerance));
}

static PyObject* as_dict(PyObject* self, PyObject* nothing) {
  (void)nothing;
  const ChCertificate* c = &((Certificate*)self)->figures;
#define X(name, text) \
  "s"                 \
  "d"
#define Y(name, text) , #name, c->name
  return Py_BuildValue("{" CH_CERTIFICATE_FIELDS(X) "}" CH_CERTIFICATE_FIELDS(Y));
#undef X
#undef Y
}

static PyObject* certificate_repr(PyObject* self) {
  const ChCertificate* c = &((Certificate*)self)->figures;
  char text[512];
#define X(name, text) " " #name "=%.2e"
#define Y(name, text) , c->name
  snprintf(text, sizeof text, "<Certificate" CH_CERTIFICATE_FIELDS(X) ">" CH_CERTIFICATE_FIELDS(Y));
#undef X
#undef Y
  return PyUnicode_FromString(text);
}

static PyObject* reduced(PyObject* self, PyObject* nothing) {
  (void)nothing;
  PyObject* type = (PyObject*)Py_TYPE(self);
  const ChCertificate* c = &((Certificate*)self)->figures;
#define X(name, text) "d"
#define Y(name, text) , c->name
  return Py_BuildValue("O(" CH_CERTIFICATE_FIELDS(X) ")", type CH_CERTIFICATE_FIELDS(Y));
#undef X
#undef Y
}

static PyObject* certificate_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  (void)type;
  ChCertificate c = {0};
#define X(name, text) "d"
#define Y(name, text) , &c.name
#define Z(name, text) #name,
  static char* names[] = {CH_CERTIFICATE_FIELDS(Z) NULL};
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|" CH_CERTIFICATE_FIELDS(X) ":Certificate",
                                   names CH_CERTIFICATE_FIELDS(Y)))
    return NULL;
#undef X
#undef Y
#undef Z
  return core_certificate(&c);
}

static int init_certificate(PyObject* module) {
  static PyMemberDef members[] = {
#define X(name, text) {#name, T_DOUBLE, offsetof(Certificate, figures.name), READONLY, text},
      CH_CERTIFICATE_FIELDS(X)
#undef X
          {NULL, 0, 0, 0, NULL},
  };
  static PyMethodDef methods[] = {
      {"met", met, METH_O, "Whether an answer so graded meets a tolerance. NaN never does."},
      {"as_dict", as_dict, METH_NOARGS, "The figures by name."},
      {"__reduce__", reduced, METH_NOARGS, "For pickle."},
      {"_repr_html_", certificate_table, METH_NOARGS, "A table, for notebooks."},
      {NULL, NULL, 0, NULL},
  };
  static PyType_Slot slots[] = {
      {Py_tp_doc, "How exactly a step met the law of contact; every figure is 0 at an exact answer."},
      {Py_tp_new, certificate_new},
      {Py_tp_dealloc, dealloc},
      {Py_tp_repr, certificate_repr},
      {Py_tp_members, members},
      {Py_tp_methods, methods},
      {0, NULL},
  };
  static PyType_Spec spec = {.name = "cardhouse._core.Certificate",
                             .basicsize = sizeof(Certificate),
                             .flags = Py_TPFLAGS_DEFAULT,
                             .slots = slots};
  certificate_type = core_add_type(module, &spec);
  return certificate_type ? 0 : -1;
}

// --- reports ---------------------------------------------------------------------------------------------------------

static PyObject* certificate_of(PyObject* self, void* unused) {
  (void)unused;
  return core_certificate(&((Report*)self)->info.certificate);
}

static PyObject* energy_of(PyObject* self, void* unused) {
  (void)unused;
  return PyFloat_FromDouble(((Report*)self)->info.kinetic + ((Report*)self)->info.potential);
}

// As `run --json` has them.
static PyObject* bounds_of(PyObject* self, void* unused) {
  (void)unused;
  int bounds = ((Report*)self)->info.bounds;
#define WITHIN(bound) (bounds & (bound)) ? "exceeded" : "ok"
  return Py_BuildValue("{s:s, s:s, s:s}", "penetration", WITHIN(CH_BOUND_PENETRATION), "energy",
                       WITHIN(CH_BOUND_ENERGY), "motion", WITHIN(CH_BOUND_MOTION));
#undef WITHIN
}

static PyObject* momentum_of(PyObject* self, void* unused) {
  (void)unused;
  return core_from_vector(((Report*)self)->info.momentum, 3);
}

static PyObject* angular_momentum_of(PyObject* self, void* unused) {
  (void)unused;
  return core_from_vector(((Report*)self)->info.angular_momentum, 3);
}

static PyObject* report_repr(PyObject* self) {
  const Report* r = (const Report*)self;
  char text[256];
  snprintf(text, sizeof text, "<Report step=%ld time=%.6g contacts=%d natural=%.2e missed=%ld of %ld>", r->info.step,
           r->info.time, r->info.contacts, r->info.certificate.natural, r->missed, r->steps);
  return PyUnicode_FromString(text);
}

#define INFO(name, kind, text) \
  { #name, kind, offsetof(Report, info.name), READONLY, text }

static int init_report(PyObject* module) {
  static PyMemberDef members[] = {
      {"steps", T_LONG, offsetof(Report, steps), READONLY, "How many steps the report is about."},
      {"missed", T_LONG, offsetof(Report, missed), READONLY, "How many of them missed their tolerance."},
      INFO(step, T_LONG, "Steps made since the start."),
      INFO(time, T_DOUBLE, "At the end, s."),
      INFO(h, T_DOUBLE, "Length of the last step, s."),
      INFO(substeps, T_INT, "That the last step is made of."),
      INFO(rejected, T_INT, "Tries that were undone."),
      INFO(shortest, T_DOUBLE, "Shortest substep, s."),
      INFO(contacts, T_INT, "Of the last step."),
      INFO(islands, T_INT, "Of the last step."),
      INFO(resting, T_INT, "Islands of the last step that are at rest."),
      INFO(impacts, T_INT, "Shocks with restitution."),
      INFO(iterations, T_LONG, "Outer and inner, all islands."),
      INFO(penetration, T_DOUBLE, "Largest overlap, m."),
      INFO(overlap, T_DOUBLE, "Largest overlap over the radius of the smaller moving body."),
      INFO(deferred, T_DOUBLE, "Largest part of an overlap that push-out leaves for later steps, m."),
      INFO(relaxed, T_DOUBLE, "Largest part of an overlap that others oppose and that stays, m."),
      INFO(locked, T_INT, "Contacts left out: along their normals neither body can move."),
      INFO(locked_overlap, T_DOUBLE, "The largest overlap of these, m."),
      INFO(uncovered, T_DOUBLE, "Largest motion that met something where no contact was looked for, m."),
      INFO(exchanged, T_DOUBLE, "Energy that the gain is compared with, J."),
      INFO(joint_error, T_DOUBLE, "Largest error of a joint, m or radian."),
      INFO(kinetic, T_DOUBLE, "Energy, J."),
      INFO(potential, T_DOUBLE, "Energy, J, with what is stored in compliant contacts."),
      INFO(stored, T_DOUBLE, "In compliant contacts, J."),
      INFO(work, T_DOUBLE, "Of motors, prescribed motions and applied forces in the last step, J."),
      INFO(heat, T_DOUBLE, "What damping inside deformable bodies took in the last step, J."),
      INFO(gain, T_DOUBLE, "Largest rise of the energy in a step that no work explains, J."),
      INFO(seconds_collide, T_DOUBLE, "Time spent on collision, s."),
      INFO(seconds_assemble, T_DOUBLE, "Time spent on rows, s."),
      INFO(seconds_solve, T_DOUBLE, "Time spent on solving, s."),
      {NULL, 0, 0, 0, NULL},
  };
  static PyGetSetDef getters[] = {
      {"certificate", certificate_of, NULL, "Worst of the steps, figure by figure.", NULL},
      {"energy", energy_of, NULL, "Kinetic and potential, J.", NULL},
      {"bounds", bounds_of, NULL, "Overlap, energy and motion of the steps: ok or exceeded, by name.", NULL},
      {"momentum", momentum_of, NULL, "Of all that moves freely, kg m/s.", NULL},
      {"angular_momentum", angular_momentum_of, NULL, "About the origin, kg m^2/s.", NULL},
      {NULL, NULL, NULL, NULL, NULL},
  };
  static PyMethodDef methods[] = {
      {"_repr_html_", report_table, METH_NOARGS, "A table, for notebooks."},
      {NULL, NULL, 0, NULL},
  };
  static PyType_Slot slots[] = {
      {Py_tp_doc, "What one step, or several, did."},
      {Py_tp_methods, methods},
      {Py_tp_dealloc, dealloc},
      {Py_tp_repr, report_repr},
      {Py_tp_members, members},
      {Py_tp_getset, getters},
      {0, NULL},
  };
  static PyType_Spec spec = {.name = "cardhouse._core.Report",
                             .basicsize = sizeof(Report),
                             .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                             .slots = slots};
  report_type = core_add_type(module, &spec);
  return report_type ? 0 : -1;
}

int core_init_step_report(PyObject* module) { return init_certificate(module) == 0 ? init_report(module) : -1; }
