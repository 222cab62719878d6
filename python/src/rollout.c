// Many copies of one world in parallel. A copy starts from saved bytes and is stepped with its own targets; which
// thread takes it, and after which other copy, does not matter: loading bytes sets all that later steps depend on, and
// every copy sets every target before each of its steps. So the bits are those of one copy after another.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "buffers.h"

enum { THREADS_MAX = 256, LOOK_EVERY_MS = 50 };

// What is recorded of the bodies, as in ch_simulation_get_bodies.
enum { POSITION, ORIENTATION, VELOCITY, SPIN, OUTPUTS };

typedef struct Saved {
  char* bytes;
  size_t size;
} Saved;

typedef struct Freedom {  // one that is driven
  int joint, axis;        // joint: its row
  int column;             // of the controls
} Freedom;

typedef struct Batch {
  int copies, steps, every, rows;  // a row is written at the start and after every `every` steps
  int bodies, width[OUTPUTS];      // numbers a body and output
  int freedoms, driven_count;
  const Freedom* driven;
  const Saved* starts;      // copies
  const double* controls;   // copies x steps x freedoms, or NULL
  double* output[OUTPUTS];  // copies x rows x bodies x width, or NULL
  double* natural;          // copies x steps
  Saved* ends;              // copies
  atomic_int next;          // copy to take next
  atomic_bool stop;         // by Ctrl-C, or since a copy failed
  pthread_mutex_t lock;     // of what follows
  pthread_cond_t ended;     // a thread did
  int running;              // threads at work
  ChContext failure;
  ChStatus status;
} Batch;

typedef struct Worker {
  Batch* batch;
  ChSimulation* simulation;
  double seconds;  // of processor time
  pthread_t thread;
} Worker;

static bool stopped(void* user) { return atomic_load(&((Batch*)user)->stop); }

static ChStatus save(ChContext* context, const ChSimulation* simulation, Saved* out) {
  ChStatus status = ch_simulation_save(context, simulation, NULL, &out->size);
  if (status != CH_OK) return status;
  out->bytes = malloc(out->size + 1);
  if (!out->bytes) return ch_fail(context, CH_ERR_MEMORY, "no memory for a state of %zu bytes", out->size);
  return ch_simulation_save(context, simulation, out->bytes, &out->size);
}

static void write_row(const Batch* batch, const ChSimulation* simulation, int copy, int row) {
  double* at[OUTPUTS] = {0};
  for (int k = 0; k < OUTPUTS; ++k) {
    size_t size = (size_t)batch->bodies * (size_t)batch->width[k];
    if (batch->output[k]) at[k] = batch->output[k] + ((size_t)copy * (size_t)batch->rows + (size_t)row) * size;
  }
  ch_simulation_get_bodies(simulation, at[POSITION], at[ORIENTATION], at[VELOCITY], at[SPIN]);
}

static ChStatus set_targets(ChContext* context, const Batch* batch, ChSimulation* simulation, int copy, int step) {
  if (!batch->controls) return CH_OK;
  const double* target =
      batch->controls + ((size_t)copy * (size_t)batch->steps + (size_t)step) * (size_t)batch->freedoms;
  for (int k = 0; k < batch->driven_count; ++k) {
    const Freedom* to = &batch->driven[k];
    ChJointId joint = ch_world_joint_at(ch_simulation_world(simulation), to->joint);
    ChStatus status = ch_simulation_set_target(context, simulation, joint, to->axis, target[to->column]);
    if (status != CH_OK) return status;
  }
  return CH_OK;
}

static ChStatus run_copy(ChContext* context, const Batch* batch, ChSimulation* simulation, int copy) {
  ChStatus status = ch_simulation_load(context, simulation, batch->starts[copy].bytes, batch->starts[copy].size);
  if (status == CH_OK) write_row(batch, simulation, copy, 0);
  for (int step = 0; status == CH_OK && step < batch->steps; ++step) {
    ChStepInfo info;
    status = set_targets(context, batch, simulation, copy, step);
    if (status == CH_OK) status = ch_simulation_step(context, simulation, &info);
    if (status != CH_OK) break;
    batch->natural[(size_t)copy * (size_t)batch->steps + (size_t)step] = info.certificate.natural;
    if ((step + 1) % batch->every == 0) write_row(batch, simulation, copy, (step + 1) / batch->every);
  }
  return status == CH_OK ? save(context, simulation, &batch->ends[copy]) : status;
}

static double thread_seconds(void) {
  struct timespec now;
  return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0 ? (double)now.tv_sec + 1e-9 * (double)now.tv_nsec : 0.0;
}

static void* work(void* argument) {
  Worker* worker = argument;
  Batch* batch = worker->batch;
  ChContext context = {0};
  ChStatus status = CH_OK;
  for (int copy; status == CH_OK && (copy = atomic_fetch_add(&batch->next, 1)) < batch->copies;)
    status = run_copy(&context, batch, worker->simulation, copy);
  worker->seconds = thread_seconds();
  if (status != CH_OK) atomic_store(&batch->stop, true);
  pthread_mutex_lock(&batch->lock);
  if (status != CH_OK && batch->status == CH_OK) batch->status = status, batch->failure = context;
  --batch->running;
  pthread_cond_signal(&batch->ended);
  pthread_mutex_unlock(&batch->lock);
  return NULL;
}

// --- the threads, started and watched by the one that called
// ----------------------------------------------------------

// Whether all workers have ended, at the latest after the time between two looks for signals.
static bool all_ended(Batch* batch) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += LOOK_EVERY_MS * 1000000L;
  if (until.tv_nsec >= 1000000000L) until.tv_nsec -= 1000000000L, ++until.tv_sec;
  pthread_mutex_lock(&batch->lock);
  int late = 0;
  while (batch->running > 0 && !late) late = pthread_cond_timedwait(&batch->ended, &batch->lock, &until);
  bool ended = batch->running == 0;
  pthread_mutex_unlock(&batch->lock);
  return ended;
}

// Waits for the workers and looks for signals; false where one raised an exception. Called without the GIL.
static bool watch(Batch* batch, PyThreadState** state) {
  bool raised = false;
  while (!all_ended(batch)) {
    if (raised) continue;
    PyEval_RestoreThread(*state);
    raised = PyErr_CheckSignals() != 0;
    *state = PyEval_SaveThread();
    if (raised) atomic_store(&batch->stop, true);
  }
  return !raised;
}

static bool run_threads(Batch* batch, Worker* workers, int threads) {
  int started = 0;
  PyThreadState* state = PyEval_SaveThread();
  batch->running = threads;
  for (; started < threads; ++started)
    if (pthread_create(&workers[started].thread, NULL, work, &workers[started]) != 0) break;
  if (started < threads) {
    atomic_store(&batch->stop, true);
    pthread_mutex_lock(&batch->lock);
    batch->running -= threads - started;
    pthread_mutex_unlock(&batch->lock);
  }
  bool fine = watch(batch, &state);
  for (int k = 0; k < started; ++k) pthread_join(workers[k].thread, NULL);
  PyEval_RestoreThread(state);
  if (fine && started < threads) return PyErr_Format(core_error, "%d threads could not be started", threads), false;
  return fine;
}

// --- from Python and back --------------------------------------------------------------------------------------------

static ChStatus make(ChContext* context, const char* text, const char* file, Batch* batch, ChSimulation** out) {
  ChScene* scene;
  ChStatus status = ch_scene_parse(context, text, file, &scene);
  if (status != CH_OK) return status;
  ChSimulationOptions options = scene->options;
  options.threads = options.solve.threads = 1;
  options.solve.stop = stopped;
  options.solve.stop_user = batch;
  status = ch_simulation_create(context, scene->world, &options, out);
  scene->world = NULL;
  ch_scene_destroy(scene);
  return status;
}

// The freedoms that are driven; columns are those of Simulation.target, one for each freedom of each joint.
static bool find_driven(const ChWorld* world, Batch* batch, Freedom** out) {
  int joints = ch_world_joint_count(world);
  Freedom* driven = calloc((size_t)joints * 3 + 1, sizeof *driven);
  if (!driven) return PyErr_NoMemory(), false;
  for (int row = 0; row < joints; ++row) {
    ChJointDef def;
    if (ch_world_joint_def(NULL, world, ch_world_joint_at(world, row), &def) != CH_OK) continue;
    for (int axis = 0; axis < ch_joint_info(def.type)->freedoms; ++axis, ++batch->freedoms)
      if (def.axes[axis].drive != CH_DRIVE_NONE) driven[batch->driven_count++] = (Freedom){row, axis, batch->freedoms};
  }
  batch->driven = *out = driven;
  return true;
}

// All that a call holds.
typedef struct Call {
  Batch batch;
  Worker workers[THREADS_MAX];
  int threads;
  CoreBuffer controls, natural, output[OUTPUTS];
  Saved first;  // the state of the world at its start
  Saved* starts;
  Freedom* driven;
} Call;

static void release(Call* call) {
  for (int k = 0; k < call->threads; ++k) ch_simulation_destroy(call->workers[k].simulation);
  for (int k = 0; call->batch.ends && k < call->batch.copies; ++k) free(call->batch.ends[k].bytes);
  for (int k = 0; k < OUTPUTS; ++k) core_buffer_release(&call->output[k]);
  core_buffer_release(&call->controls);
  core_buffer_release(&call->natural);
  pthread_mutex_destroy(&call->batch.lock);
  pthread_cond_destroy(&call->batch.ended);
  free(call->first.bytes);
  free(call->starts);
  free(call->driven);
  free(call->batch.ends);
  free(call);
}

static bool make_simulations(Call* call, PyObject* text_object, PyObject* file_object) {
  ChContext context = {0};
  const char* text = core_text(text_object, "text");
  const char* file = text ? core_text(file_object, "file") : NULL;
  if (!file) return false;
  ChStatus status = CH_OK;
  for (int k = 0; status == CH_OK && k < call->threads; ++k) {
    call->workers[k].batch = &call->batch;
    status = make(&context, text, file, &call->batch, &call->workers[k].simulation);
  }
  if (status == CH_OK) status = save(&context, call->workers[0].simulation, &call->first);
  if (status != CH_OK) return core_raise(&context, status), false;
  const ChWorld* world = ch_simulation_world(call->workers[0].simulation);
  bool plane = ch_world_dimension(world) == 2;
  call->batch.bodies = ch_world_body_count(world);
  call->batch.width[POSITION] = call->batch.width[VELOCITY] = plane ? 2 : 3;
  call->batch.width[ORIENTATION] = plane ? 1 : 4;
  call->batch.width[SPIN] = plane ? 1 : 3;
  return find_driven(world, &call->batch, &call->driven);
}

// States: a list of bytes, or of None for the world's start. It is a list of the Python layer's own.
static bool take_states(Call* call, PyObject* states) {
  call->starts = calloc((size_t)call->batch.copies + 1, sizeof *call->starts);
  call->batch.ends = calloc((size_t)call->batch.copies + 1, sizeof *call->batch.ends);
  if (!call->starts || !call->batch.ends) return PyErr_NoMemory(), false;
  for (int k = 0; k < call->batch.copies; ++k) {
    PyObject* item = PyTuple_GetItem(states, k);
    Py_ssize_t size = 0;
    call->starts[k] = call->first;
    if (item == Py_None) continue;
    if (PyBytes_AsStringAndSize(item, &call->starts[k].bytes, &size) != 0) return false;
    call->starts[k].size = (size_t)size;
  }
  call->batch.starts = call->starts;
  return true;
}

static bool take_arrays(Call* call, PyObject* controls, PyObject* natural, PyObject* outputs) {
  static const char* const names[OUTPUTS] = {"position", "orientation", "velocity", "spin"};
  Batch* batch = &call->batch;
  Py_ssize_t each = (Py_ssize_t)batch->copies * batch->steps, rows = (Py_ssize_t)batch->copies * batch->rows;
  if (!core_buffer_take_some(controls, CORE_DOUBLES, "controls", each * batch->freedoms, &call->controls)) return false;
  if (!core_buffer_take(natural, CORE_DOUBLES_WRITABLE, "natural", &call->natural)) return false;
  if (call->natural.count != each) return PyErr_SetString(PyExc_ValueError, "natural has another size"), false;
  for (int k = 0; k < OUTPUTS; ++k) {
    PyObject* item = PyTuple_GetItem(outputs, k);
    if (!item) return false;
    if (!core_buffer_take_some(item, CORE_DOUBLES_WRITABLE, names[k], rows * batch->bodies * batch->width[k],
                               &call->output[k]))
      return false;
    batch->output[k] = call->output[k].data;
  }
  batch->controls = call->controls.data;
  batch->natural = call->natural.data;
  return true;
}

// (states at the end, processor seconds of each thread)
static PyObject* outcome(const Call* call) {
  PyObject* ends = PyList_New(0);
  PyObject* seconds = PyList_New(0);
  bool fine = ends && seconds;
  for (int k = 0; fine && k < call->batch.copies; ++k) {
    PyObject* bytes = PyBytes_FromStringAndSize(call->batch.ends[k].bytes, (Py_ssize_t)call->batch.ends[k].size);
    fine = bytes && PyList_Append(ends, bytes) == 0;
    Py_XDECREF(bytes);
  }
  for (int k = 0; fine && k < call->threads; ++k) {
    PyObject* number = PyFloat_FromDouble(call->workers[k].seconds);
    fine = number && PyList_Append(seconds, number) == 0;
    Py_XDECREF(number);
  }
  if (fine) return Py_BuildValue("(NN)", ends, seconds);
  Py_XDECREF(ends);
  Py_XDECREF(seconds);
  return NULL;
}

// rollout(text, file, states, controls, steps, every, threads, natural, (position, orientation, velocity, spin))
static PyObject* rollout(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *text, *file, *states, *controls, *natural, *outputs, *result = NULL;
  int steps, every, threads;
  if (!PyArg_ParseTuple(args, "OOO!OiiiOO!:rollout", &text, &file, &PyTuple_Type, &states, &controls, &steps, &every,
                        &threads, &natural, &PyTuple_Type, &outputs))
    return NULL;
  Py_ssize_t copies = PyTuple_Size(states);
  if (steps < 0 || every < 1 || threads < 1 || threads > THREADS_MAX || copies > 1000000 ||
      PyTuple_Size(outputs) != OUTPUTS) {
    PyErr_Format(PyExc_ValueError, "steps is %d, every %d, threads %d, copies %zd: one is out of range", steps, every,
                 threads, copies);
    return NULL;
  }
  Call* call = calloc(1, sizeof *call);
  if (!call) return PyErr_NoMemory();
  pthread_mutex_init(&call->batch.lock, NULL);
  pthread_cond_init(&call->batch.ended, NULL);
  call->threads = threads;
  call->batch.copies = (int)copies, call->batch.steps = steps, call->batch.every = every;
  call->batch.rows = steps / every + 1;
  if (make_simulations(call, text, file) && take_states(call, states) &&
      take_arrays(call, controls, natural, outputs) && run_threads(&call->batch, call->workers, threads))
    result = call->batch.status == CH_OK ? outcome(call) : core_raise(&call->batch.failure, call->batch.status);
  release(call);
  return result;
}

int core_init_rollout(PyObject* module) {
  static PyMethodDef functions[] = {
      {"rollout", rollout, METH_VARARGS, "Steps many copies of a world in parallel."},
      {NULL, NULL, 0, NULL},
  };
  return PyModule_AddFunctions(module, functions);
}
