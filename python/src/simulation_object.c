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

ChSimulation* core_simulation_to_change(PyObject* object) {
  ChSimulation* simulation = core_simulation(object);
  return simulation && core_mirror_push((CoreSimulation*)object) ? simulation : NULL;
}

PyObject* core_changed(PyObject* object, const ChContext* context, ChStatus status) {
  core_mirror_pull((CoreSimulation*)object);
  core_feed_show((CoreSimulation*)object);
  return status == CH_OK ? Py_NewRef(Py_None) : core_raise(context, status);
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
  self->until = scene->until;
  status = ch_simulation_create(context, scene->world, &options, out);
  scene->world = NULL;
  ch_scene_destroy(scene);
  return status;
}

static void end_record(CoreSimulation* self) {
  if (self->record) ch_trajectory_close(NULL, self->record);
  self->record = NULL;
}

// Another engine's simulation for the object, from a scene's text; the GIL is released meanwhile.
static ChSimulation* make_unlocked(CoreSimulation* self, PyObject* text_object, PyObject* file_object) {
  const char* text = core_text(text_object, "text");
  const char* file = text ? core_text(file_object, "file") : NULL;
  if (!file) return NULL;
  ChContext context = {0};
  ChSimulation* simulation = NULL;
  self->busy = true;  // nobody else shall make one or use the old one meanwhile
  PyThreadState* released = PyEval_SaveThread();
  ChStatus status = make(&context, self, text, file, &simulation);
  PyEval_RestoreThread(released);
  self->busy = false;
  if (status == CH_OK) return simulation;
  core_raise_scene(&context, status);
  return NULL;
}

static int simulation_init(PyObject* object, PyObject* arguments, PyObject* keywords) {
  CoreSimulation* self = (CoreSimulation*)object;
  static char* names[] = {"text", "file", NULL};
  PyObject *text, *file;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO:Simulation", names, &text, &file)) return -1;
  if (self->simulation || self->busy || self->epoch > 0) {
    PyErr_SetString(core_error, "the simulation is made already");
    return -1;
  }
  self->simulation = make_unlocked(self, text, file);
  self->epoch = 1;
  return self->simulation ? 0 : -1;
}

// The start again, of the same scene or of one with other options: views stay, handles too where no body or joint went.
static PyObject* simulation_rebuild(PyObject* object, PyObject* arguments) {
  CoreSimulation* self = (CoreSimulation*)object;
  PyObject *text, *file;
  if (!PyArg_ParseTuple(arguments, "OO:_rebuild", &text, &file) || !core_simulation(object)) return NULL;
  bool other_rows = ch_world_revision(ch_simulation_world(self->simulation)) > 0;
  ChSimulation* simulation = make_unlocked(self, text, file);
  if (!simulation) return NULL;
  end_record(self);
  ch_simulation_destroy(self->simulation);
  self->simulation = simulation;
  self->epoch += other_rows;
  core_mirror_unsteer(self);
  core_mirror_end_step(self);
  core_mirror_fit(self);
  core_mirror_pull(self);
  core_feed_show(self);
  Py_RETURN_NONE;
}

static void simulation_dealloc(PyObject* object) {
  CoreSimulation* self = (CoreSimulation*)object;
  PyTypeObject* type = Py_TYPE(object);
  end_record(self);
  core_feed_end(self);
  core_mirror_clear(self);
  ch_simulation_destroy(self->simulation);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

static PyObject* simulation_close(PyObject* object, PyObject* nothing) {
  (void)nothing;
  CoreSimulation* self = (CoreSimulation*)object;
  if (self->simulation && !core_simulation(object)) return NULL;
  end_record(self);
  core_feed_end(self);
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
    core_mirror_end_step(self);
    steps->missed += info.missed;
    if (steps->done == 0)
      steps->sum = info;
    else
      add_step(&info, &steps->sum);
    if (self->feed) core_feed_step(self, steps->done + 1 == steps->wanted);
    if (!self->record) continue;
    status = ch_trajectory_add(context, self->record, self->simulation);
    if (status != CH_OK) return status;
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
  core_mirror_pull(self);
  if (steps.done < steps.wanted) core_feed_show(self);  // it was stopped
  PyObject* report = NULL;
  // After Ctrl-C an exception is set already, maybe in the last step, which was made all the same.
  if (!PyErr_Occurred() && core_feed_warn(self))
    report = status == CH_OK ? core_report(&steps.sum, steps.done, steps.missed) : core_raise(&context, status);
  Py_DECREF(object);
  return report;
}

// --- state -----------------------------------------------------------------------------------------------------------

static PyObject* simulation_save(PyObject* object, PyObject* nothing) {
  (void)nothing;
  ChSimulation* simulation = core_simulation_to_change(object);
  if (!simulation) return NULL;
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
  return core_changed(object, &context, status);
}

static PyObject* simulation_steered(PyObject* object, PyObject* nothing) {
  (void)nothing;
  return core_simulation_to_change(object) ? core_mirror_steered((CoreSimulation*)object) : NULL;
}

static PyObject* simulation_steer(PyObject* object, PyObject* arguments) {
  PyObject *freedom_object, *target_object;
  long freedom;
  double target;
  if (!PyArg_ParseTuple(arguments, "OO:_steer", &freedom_object, &target_object)) return NULL;
  if (!core_whole(freedom_object, "freedom", 0, 1000000000L, &freedom)) return NULL;
  if (!core_finite(target_object, "target", &target) || !core_simulation_to_change(object)) return NULL;
  ChContext context = {0};
  return core_changed(object, &context, core_mirror_steer(&context, (CoreSimulation*)object, freedom, target));
}

static PyObject* simulation_record(PyObject* object, PyObject* arguments) {
  CoreSimulation* self = (CoreSimulation*)object;
  PyObject *path_object, *scene_object, *every_object;
  long every;
  if (!PyArg_ParseTuple(arguments, "OOO:_record", &path_object, &scene_object, &every_object)) return NULL;
  const char* path = core_text(path_object, "path");
  const char* scene = path ? core_text(scene_object, "scene") : NULL;
  if (!scene || !core_whole(every_object, "every", 1, 1000000000L, &every)) return NULL;
  if (!core_simulation_to_change(object)) return NULL;
  end_record(self);
  ChContext context = {0};
  ChStatus status = ch_trajectory_create(&context, path, self->simulation, scene, (int)every, false, &self->record);
  if (status != CH_OK) self->record = NULL;
  return status == CH_OK ? Py_NewRef(Py_None) : core_raise(&context, status);
}

static PyObject* simulation_end_record(PyObject* object, PyObject* nothing) {
  (void)nothing;
  CoreSimulation* self = (CoreSimulation*)object;
  if (!core_simulation(object)) return NULL;
  if (!self->record) Py_RETURN_NONE;
  ChContext context = {0};
  ChStatus status = ch_trajectory_close(&context, self->record);
  self->record = NULL;
  return status == CH_OK ? Py_NewRef(Py_None) : core_raise(&context, status);
}

static PyObject* simulation_array(PyObject* object, PyObject* argument) {
  const char* name = core_text(argument, "name");
  if (!name || !core_simulation(object)) return NULL;
  return core_mirror_array((CoreSimulation*)object, name);
}

static PyObject* simulation_info(PyObject* object, PyObject* nothing) {
  (void)nothing;
  ChSimulation* simulation = core_simulation_to_change(object);
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

static PyObject* h_of(PyObject* object, void* unused) {
  (void)unused;
  ChSimulation* simulation = core_simulation(object);
  return simulation ? PyFloat_FromDouble(ch_simulation_options(simulation)->h) : NULL;
}

static PyObject* until_of(PyObject* object, void* unused) {
  (void)unused;
  return PyFloat_FromDouble(((CoreSimulation*)object)->until);
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
      {"_rebuild", simulation_rebuild, METH_VARARGS, "Begins again from a scene's text."},
      {"_save", simulation_save, METH_NOARGS, "What the next steps depend on, as bytes."},
      {"_load", simulation_load, METH_O, "Goes on from such bytes."},
      {"_steered", simulation_steered, METH_NOARGS, "Freedoms whose targets were set, with these."},
      {"_steer", simulation_steer, METH_VARARGS, "Sets the target of a freedom."},
      {"_record", simulation_record, METH_VARARGS, "Adds every step from now on to a trajectory file."},
      {"_end_record", simulation_end_record, METH_NOARGS, "Ends the file."},
      {"_array", simulation_array, METH_O, "A block that shows, and takes, what the engine has."},
      {"_info", simulation_info, METH_NOARGS, "The report of the last step."},
      {NULL, NULL, 0, NULL},
  };
  static PyGetSetDef getters[] = {
      {"time", time_of, NULL, "Seconds since the start.", NULL},
      {"step_count", step_count_of, NULL, "Steps made since the start.", NULL},
      {"h", h_of, NULL, "Length of a step, s.", NULL},
      {"until", until_of, NULL, "When a run ends by the scene, s.", NULL},
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
