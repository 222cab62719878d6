// Solving a contact problem from Python, without the GIL. Ctrl-C ends a solve: the thread that called looks for signals
// twenty times a second, when the library asks whether it shall stop.
#include <stdatomic.h>
#include <stdlib.h>

#include "buffers.h"
#include "problem_object.h"

static const double LOOK_EVERY = 0.05;  // seconds

typedef struct Watch {
  unsigned long thread;  // that called
  PyThreadState* state;  // of that thread, while it is without the GIL
  double looked;
  atomic_bool stop;
} Watch;

static bool asked_to_stop(void* user) {
  Watch* watch = user;
  if (PyThread_get_thread_ident() == watch->thread && ch_clock_seconds() - watch->looked > LOOK_EVERY) {
    PyEval_RestoreThread(watch->state);
    if (PyErr_CheckSignals() != 0) atomic_store(&watch->stop, true);
    watch->state = PyEval_SaveThread();
    watch->looked = ch_clock_seconds();
  }
  return atomic_load(&watch->stop);
}

// Options of methods: a dict from name to number. The names belong to the dict.
static bool take_settings(PyObject* dict, ChSolveOptions* options, ChSetting** out) {
  PyObject *key, *value;
  ChSetting* settings = calloc((size_t)PyDict_Size(dict) + 1, sizeof *settings);
  if (!settings) return PyErr_NoMemory(), false;
  *out = settings;
  for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &key, &value); ++options->setting_count) {
    ChSetting* setting = &settings[options->setting_count];
    setting->name = core_text(key, "name of a setting");
    if (!setting->name || !core_finite(value, setting->name, &setting->value)) return false;
  }
  options->settings = settings;
  return true;
}

// (status, certificate, outer, inner, factorizations, components, seconds, work, stages, note)
static PyObject* outcome(ChStatus status, const ChSolveInfo* info) {
  return Py_BuildValue("sNllliddss", ch_status_text(status), core_certificate(&info->certificate), info->outer,
                       info->inner, info->factorizations, info->components, info->seconds_setup + info->seconds_solve,
                       info->work, info->stage, info->note);
}

typedef struct Call {
  PyObject *v, *u, *r, *warm, *settings_dict, *own_settings;
  CoreBuffer v_buffer, u_buffer, r_buffer, warm_buffer;
  ChSetting* settings;
  ChSolveOptions options;
} Call;

static bool take_call(PyObject* self, PyObject* args, PyObject* keywords, Call* call) {
  static char* names[] = {"v",          "u",       "r",         "warm",           "method",
                          "inner",      "pose",    "tolerance", "max_iterations", "time_limit",
                          "work_limit", "threads", "accept",    "settings",       NULL};
  ChSolveOptions* o = &call->options;
  int pose;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOOOszidlddidO!:solve", names, &call->v, &call->u, &call->r,
                                   &call->warm, &o->method, &o->inner, &pose, &o->tolerance, &o->max_iterations,
                                   &o->time_limit, &o->work_limit, &o->threads, &o->accept, &PyDict_Type,
                                   &call->settings_dict))
    return false;
  o->pose = (ChPose)pose;
  call->own_settings = PyDict_Copy(call->settings_dict);  // whose names live as long as the call
  if (!call->own_settings) return false;
  ChProblemView view = ch_problem_view(core_problem(self));
  if (!core_buffer_take_some(call->v, CORE_DOUBLES_WRITABLE, "v", view.dof, &call->v_buffer) ||
      !core_buffer_take_some(call->u, CORE_DOUBLES_WRITABLE, "u", view.rows, &call->u_buffer) ||
      !core_buffer_take_some(call->r, CORE_DOUBLES_WRITABLE, "r", view.rows, &call->r_buffer) ||
      !core_buffer_take_some(call->warm, CORE_DOUBLES, "warm", view.rows, &call->warm_buffer))
    return false;
  if (!call->u_buffer.held || !call->r_buffer.held || (view.form == CH_FORM_GLOBAL && !call->v_buffer.held)) {
    PyErr_SetString(PyExc_TypeError, "v, u and r must be arrays");
    return false;
  }
  o->warm = call->warm_buffer.data;
  return take_settings(call->own_settings, o, &call->settings);
}

static void release(Call* call) {
  core_buffer_release(&call->v_buffer);
  core_buffer_release(&call->u_buffer);
  core_buffer_release(&call->r_buffer);
  core_buffer_release(&call->warm_buffer);
  free(call->settings);
  Py_XDECREF(call->own_settings);
}

PyObject* core_problem_solve(PyObject* self, PyObject* args, PyObject* keywords) {
  ChContext context = {0};
  ChSolveInfo info = {0};
  Call call = {.options = ch_solve_options_default()};
  Watch watch = {.thread = PyThread_get_thread_ident(), .looked = ch_clock_seconds()};
  PyObject* result = NULL;
  if (take_call(self, args, keywords, &call)) {
    call.options.stop = asked_to_stop;
    call.options.stop_user = &watch;
    watch.state = PyEval_SaveThread();
    ChStatus status = ch_solve(&context, core_problem(self), &call.options, call.v_buffer.data, call.u_buffer.data,
                               call.r_buffer.data, &info);
    PyEval_RestoreThread(watch.state);
    if (atomic_load(&watch.stop))
      result = NULL;  // what the signal's handler raised is set
    else if (status >= CH_ERR_ARGUMENT && status != CH_ERR_NUMERIC)
      result = core_raise(&context, status);
    else
      result = outcome(status, &info);
  }
  release(&call);
  return result;
}

// methods() -> (name, summary, exact, takes polygons only, baseline) of each
static PyObject* methods(PyObject* module, PyObject* nothing) {
  (void)module, (void)nothing;
  PyObject* list = PyList_New(0);
  for (int k = 0; list && k < ch_method_count(); ++k) {
    ChMethodInfo m = ch_method_info(k);
    PyObject* row = Py_BuildValue("(ssNNN)", m.name, m.summary, PyBool_FromLong(m.exact), PyBool_FromLong(m.polygons),
                                  PyBool_FromLong(m.baseline));
    if (!row || PyList_Append(list, row) != 0) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  return list;
}

// laws() -> names, in the order of their numbers
static PyObject* laws(PyObject* module, PyObject* nothing) {
  (void)module, (void)nothing;
  PyObject* names = PyTuple_New(ch_law_count());
  for (int k = 0; names && k < ch_law_count(); ++k) {
    PyObject* name = PyUnicode_FromString(ch_law_info((ChLaw)k)->name);
    if (!name || PyTuple_SetItem(names, k, name) != 0) Py_CLEAR(names);
  }
  return names;
}

int core_init_problem_solve(PyObject* module) {
  static PyMethodDef functions[] = {
      {"methods", methods, METH_NOARGS, "The methods that solve contact problems."},
      {"laws", laws, METH_NOARGS, "Names of the laws that a block may obey."},
      {NULL, NULL, 0, NULL},
  };
  return PyModule_AddFunctions(module, functions);
}
