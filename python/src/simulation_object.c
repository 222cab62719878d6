// A simulation in Python: made from a scene's text, stepped without the GIL, ended by Ctrl-C.
#include <math.h>
#include <string.h>

#include "core.h"

PyTypeObject* core_simulation_type;

ChSimulation* core_simulation(PyObject* object) {
  if (!PyObject_TypeCheck(object, core_simulation_type)) {
    PyErr_Format(PyExc_TypeError, "a Simulation is needed, not %R", object);
    return NULL;
  }
  CoreSimulation* self = (CoreSimulation*)object;
  if (!self->simulation)
    PyErr_SetString(core_error, "the simulation is closed");
  else if (self->busy)
    PyErr_SetString(core_error, "the simulation is being stepped by another thread");
  else
    return self->simulation;
  return NULL;
}

// --- Ctrl-C ----------------------------------------------------------------------------------------------------------

#define LOOK_EVERY 0.02  // seconds between looks for signals

// Whether the step shall end. Python's handlers run in the thread that steps and nowhere else; if one raises, the
// exception waits until the step has ended. Called without the GIL, by every thread that solves.
static bool asks_to_stop(void* user) {
  CoreSimulation* self = user;
  if (__atomic_load_n(&self->stop, __ATOMIC_RELAXED)) return true;
  if (PyThread_get_thread_ident() != self->thread) return false;
  double now = ch_clock_seconds();
  if (now - self->looked < LOOK_EVERY) return false;
  self->looked = now;
  PyEval_RestoreThread(self->released);
  bool raised = PyErr_CheckSignals() != 0;
  self->released = PyEval_SaveThread();
  if (raised) __atomic_store_n(&self->stop, true, __ATOMIC_RELAXED);
  return raised;
}

// --- life ------------------------------------------------------------------------------------------------------------

static ChStatus make(ChContext* context, CoreSimulation* self, const char* text, const char* file, ChSimulation** out) {
  ChScene* scene;
  ChStatus status = ch_scene_parse(context, text, file, &scene);
  if (status != CH_OK) return status;
  ChSimulationOptions options = scene->options;
  options.solve.stop = asks_to_stop;
  options.solve.stop_user = self;
  status = ch_simulation_create(context, scene->world, &options, out);
  scene->world = NULL;
  ch_scene_destroy(scene);
  return status;
}

static int simulation_init(PyObject* object, PyObject* arguments, PyObject* keywords) {
  CoreSimulation* self = (CoreSimulation*)object;
  static char* names[] = {"text", "file", NULL};
  PyObject *text_object, *file_object;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO:Simulation", names, &text_object, &file_object)) return -1;
  const char* text = core_text(text_object, "text");
  const char* file = text ? core_text(file_object, "file") : NULL;
  if (!file) return -1;
  if (self->simulation || self->busy) {
    PyErr_SetString(core_error, "the simulation is made already");
    return -1;
  }
  ChContext context = {0};
  ChSimulation* simulation = NULL;
  ChStatus status;
  self->busy = true;  // its `simulation` is not there yet, and nobody else shall make one meanwhile
  Py_BEGIN_ALLOW_THREADS status = make(&context, self, text, file, &simulation);
  Py_END_ALLOW_THREADS self->busy = false;
  if (status != CH_OK) {
    core_raise_scene(&context, status);
    return -1;
  }
  self->simulation = simulation;
  self->revision = ch_world_revision(ch_simulation_world(simulation));
  return 0;
}

static void simulation_dealloc(PyObject* object) {
  CoreSimulation* self = (CoreSimulation*)object;
  PyTypeObject* type = Py_TYPE(object);
  core_mirror_clear(self);
  ch_simulation_destroy(self->simulation);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

static PyObject* simulation_close(PyObject* object, PyObject* nothing) {
  (void)nothing;
  CoreSimulation* self = (CoreSimulation*)object;
  if (self->busy) {
    PyErr_SetString(core_error, "the simulation is being stepped by another thread");
    return NULL;
  }
  core_mirror_clear(self);
  ch_simulation_destroy(self->simulation);
  self->simulation = NULL;
  Py_RETURN_NONE;
}

// --- steps -----------------------------------------------------------------------------------------------------------

static double larger(double a, double b) { return a >= b ? a : b; }  // NaN in b stays

// The report of several steps: worst figures, sums of what adds up, the rest of the last one.
static void add_step(const ChStepInfo* step, ChStepInfo* sum) {
  ChStepInfo before = *sum;
  *sum = *step;
#define X(name, text) sum->certificate.name = larger(before.certificate.name, step->certificate.name);
  CH_CERTIFICATE_FIELDS(X)
#undef X
  sum->rejected += before.rejected;
  sum->impacts += before.impacts;
  sum->iterations += before.iterations;
  sum->penetration = larger(before.penetration, step->penetration);
  sum->overlap = larger(before.overlap, step->overlap);
  sum->deferred = larger(before.deferred, step->deferred);
  sum->relaxed = larger(before.relaxed, step->relaxed);
  sum->joint_error = larger(before.joint_error, step->joint_error);
  sum->gain = larger(before.gain, step->gain);
  sum->seconds_collide += before.seconds_collide;
  sum->seconds_assemble += before.seconds_assemble;
  sum->seconds_solve += before.seconds_solve;
}

typedef struct Steps {
  long wanted, done, missed;
  ChStepInfo sum;
} Steps;

static ChStatus make_steps(ChContext* context, CoreSimulation* self, Steps* steps) {
  for (; steps->done < steps->wanted; ++steps->done) {
    ChStepInfo info;
    ChStatus status = steps->done && asks_to_stop(self) ? CH_STOPPED : core_mirror_apply(context, self);
    if (status == CH_OK) status = ch_simulation_step(context, self->simulation, &info);
    if (status != CH_OK) return status;
    self->pending = false;
    steps->missed += info.missed;
    if (steps->done == 0)
      steps->sum = info;
    else
      add_step(&info, &steps->sum);
  }
  return CH_OK;
}

static PyObject* simulation_step(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  CoreSimulation* self = (CoreSimulation*)object;
  Steps steps = {.wanted = 1};
  Py_ssize_t named = names ? PyTuple_Size(names) : 0;
  if (count + named > 1) {
    PyErr_SetString(PyExc_TypeError, "step takes one argument, n");
    return NULL;
  }
  if (named && PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, 0), "n") != 0) {
    PyErr_Format(PyExc_TypeError, "step has no argument %R; it takes n", PyTuple_GetItem(names, 0));
    return NULL;
  }
  if (count + named && !core_whole(arguments[0], "n", 1, 1000000000L, &steps.wanted)) return NULL;
  if (!core_simulation(object) || !core_mirror_push(self)) return NULL;
  ChContext context;
  context.status = CH_OK, context.message[0] = '\0', context.notice = NULL, context.user = NULL;
  self->busy = true;
  self->stop = false;
  self->thread = PyThread_get_thread_ident();
  Py_INCREF(object);
  self->released = PyEval_SaveThread();
  ChStatus status = make_steps(&context, self, &steps);
  PyEval_RestoreThread(self->released);
  self->busy = false;
  self->thread = 0;  // calls that hold the GIL do not look for signals
  bool shown = true;
  if (status == CH_STOPPED) {  // an exception is set already, which the library's must not hide
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    shown = core_mirror_pull(self);
    PyErr_Restore(type, value, trace);
  } else {
    shown = core_mirror_pull(self);
  }
  PyObject* report = NULL;
  if (status == CH_OK && shown) report = core_report(&steps.sum, steps.done, steps.missed);
  if (status != CH_OK && !PyErr_Occurred()) core_raise(&context, status);
  Py_DECREF(object);
  return report;
}

// --- state -----------------------------------------------------------------------------------------------------------

static PyObject* simulation_save(PyObject* object, PyObject* nothing) {
  (void)nothing;
  ChSimulation* simulation = core_simulation(object);
  if (!simulation || !core_mirror_push((CoreSimulation*)object)) return NULL;
  ChContext context = {0};
  size_t size = 0;
  ChStatus status = ch_simulation_save(&context, simulation, NULL, &size);
  if (status != CH_OK) return core_raise(&context, status);
  PyObject* bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
  if (!bytes) return NULL;
  status = ch_simulation_save(&context, simulation, PyBytes_AsString(bytes), &size);
  if (status == CH_OK) return bytes;
  Py_DECREF(bytes);
  return core_raise(&context, status);
}

static PyObject* simulation_load(PyObject* object, PyObject* argument) {
  ChSimulation* simulation = core_simulation(object);
  char* bytes;
  Py_ssize_t size;
  if (!simulation || PyBytes_AsStringAndSize(argument, &bytes, &size) != 0) return NULL;
  ChContext context = {0};
  ChStatus status = ch_simulation_load(&context, simulation, bytes, (size_t)size);
  if (status != CH_OK) return core_raise(&context, status);
  return core_mirror_pull((CoreSimulation*)object) ? Py_NewRef(Py_None) : NULL;
}

static PyObject* simulation_array(PyObject* object, PyObject* argument) {
  const char* name = core_text(argument, "name");
  if (!name || !core_simulation(object)) return NULL;
  return core_mirror_array((CoreSimulation*)object, name);
}

static PyObject* simulation_info(PyObject* object, PyObject* nothing) {
  (void)nothing;
  ChSimulation* simulation = core_simulation(object);
  if (!simulation) return NULL;
  ChStepInfo info = ch_simulation_info(simulation);
  long made = ch_simulation_step_count(simulation) > 0;
  return core_report(&info, made, made && info.missed);
}

static PyObject* time_of(PyObject* object, void* unused) {
  (void)unused;
  ChSimulation* simulation = core_simulation(object);
  return simulation ? PyFloat_FromDouble(ch_simulation_time(simulation)) : NULL;
}

static PyObject* step_count_of(PyObject* object, void* unused) {
  (void)unused;
  ChSimulation* simulation = core_simulation(object);
  return simulation ? PyLong_FromLong(ch_simulation_step_count(simulation)) : NULL;
}

static PyObject* dimension_of(PyObject* object, void* unused) {
  (void)unused;
  ChSimulation* simulation = core_simulation(object);
  return simulation ? PyLong_FromLong(ch_world_dimension(ch_simulation_world(simulation))) : NULL;
}

static PyObject* closed_of(PyObject* object, void* unused) {
  (void)unused;
  return PyBool_FromLong(((CoreSimulation*)object)->simulation == NULL);
}

int core_init_simulation_object(PyObject* module) {
  static PyMethodDef methods[] = {
      {"step", (PyCFunction)(void (*)(void))simulation_step, METH_FASTCALL | METH_KEYWORDS,
       "step(n=1): makes n steps and returns their report."},
      {"close", simulation_close, METH_NOARGS, "Frees the simulation; every later call of it raises."},
      {"_save", simulation_save, METH_NOARGS, "What the next steps depend on, as bytes."},
      {"_load", simulation_load, METH_O, "Goes on from such bytes."},
      {"_array", simulation_array, METH_O, "A block that shows, and takes, what the engine has."},
      {"_info", simulation_info, METH_NOARGS, "The report of the last step."},
      {NULL, NULL, 0, NULL},
  };
  static PyGetSetDef getters[] = {
      {"time", time_of, NULL, "Seconds since the start.", NULL},
      {"step_count", step_count_of, NULL, "Steps made since the start.", NULL},
      {"dimension", dimension_of, NULL, "3 in space, 2 in the plane.", NULL},
      {"closed", closed_of, NULL, "Whether close() was called.", NULL},
      {NULL, NULL, NULL, NULL, NULL},
  };
  static PyType_Slot slots[] = {
      {Py_tp_doc, "A world in motion; cardhouse.Simulation builds on it."},
      {Py_tp_init, simulation_init},
      {Py_tp_dealloc, simulation_dealloc},
      {Py_tp_methods, methods},
      {Py_tp_getset, getters},
      {0, NULL},
  };
  static PyType_Spec spec = {.name = "cardhouse._core.Simulation",
                             .basicsize = sizeof(CoreSimulation),
                             .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                             .slots = slots};
  core_simulation_type = core_add_type(module, &spec);
  return core_simulation_type ? 0 : -1;
}
