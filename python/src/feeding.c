// Feeds: what pages see that follow a simulation while Python steps it.
//
// The file is written as the steps are made, without the GIL, by whoever makes them: nobody is waited for. A feed that
// cannot be written any more ends, with a warning and not with an error: looking must not stop a run.
#include <unistd.h>

#include "core.h"

#define SHOW_SECONDS (1.0 / 60.0)  // between two states amid a call of many steps

// Of this process: a fork leaves it to the one that began it.
static ChFeed* feed_of(CoreSimulation* self) {
  if (self->feed && self->feeder != (long)getpid()) {
    ch_feed_abandon(self->feed);
    self->feed = NULL;
  }
  return self->feed;
}

// Bodies that came are told of with their scene; until then there is nothing to show.
static void heed(CoreSimulation* self, ChStatus status) {
  if (status == CH_OK || status == CH_ERR_UNSUPPORTED) return;
  ch_feed_close(self->feed);
  self->feed = NULL;
  self->lost = true;
}

void core_feed_step(CoreSimulation* self, bool last) {
  ChFeed* feed = feed_of(self);
  if (!feed) return;
  heed(self, ch_feed_add(NULL, feed, self->simulation));
  if (last || ch_clock_seconds() - ch_feed_shown_at(feed) >= SHOW_SECONDS)
    heed(self, ch_feed_show(NULL, feed, self->simulation));
}

void core_feed_show(CoreSimulation* self) {
  ChFeed* feed = feed_of(self);
  if (feed) heed(self, ch_feed_show(NULL, feed, self->simulation));
}

bool core_feed_warn(CoreSimulation* self) {
  if (!self->lost) return true;
  self->lost = false;
  return PyErr_WarnEx(PyExc_RuntimeWarning, "what pages follow could not be written: they stand still now", 1) == 0;
}

void core_feed_end(CoreSimulation* self) {
  ch_feed_close(feed_of(self));
  self->feed = NULL;
}

static PyObject* begin(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject *object, *path_object, *scene_object, *file_object;
  if (!PyArg_ParseTuple(arguments, "OOOO:feed_begin", &object, &path_object, &scene_object, &file_object)) return NULL;
  ChSimulation* simulation = core_simulation_to_change(object);
  const char* path = simulation ? core_text(path_object, "path") : NULL;
  const char* scene = path ? core_text(scene_object, "scene") : NULL;
  const char* file = scene ? core_text(file_object, "file") : NULL;
  if (!file) return NULL;
  CoreSimulation* self = (CoreSimulation*)object;
  core_feed_end(self);
  self->feeder = (long)getpid();
  self->lost = false;
  ChContext context = {0};
  ChStatus status = ch_feed_create(&context, path, simulation, scene, file, &self->feed);
  return status == CH_OK ? Py_NewRef(Py_None) : core_raise(&context, status);
}

// Nothing where nobody follows.
static PyObject* tell_scene(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject *object, *scene_object;
  if (!PyArg_ParseTuple(arguments, "OO:feed_scene", &object, &scene_object)) return NULL;
  ChSimulation* simulation = core_simulation_to_change(object);
  const char* scene = simulation ? core_text(scene_object, "scene") : NULL;
  if (!scene) return NULL;
  CoreSimulation* self = (CoreSimulation*)object;
  if (feed_of(self)) heed(self, ch_feed_tell_scene(NULL, self->feed, simulation, scene));
  Py_RETURN_NONE;
}

static PyObject* end(PyObject* module, PyObject* object) {
  (void)module;
  CoreSimulation* self = (CoreSimulation*)object;
  if (!core_simulation(object)) return NULL;
  core_feed_end(self);
  Py_RETURN_NONE;
}

// Whether pages follow.
static PyObject* is_followed(PyObject* module, PyObject* object) {
  (void)module;
  CoreSimulation* self = (CoreSimulation*)object;
  if (!core_simulation(object)) return NULL;
  return PyBool_FromLong(feed_of(self) != NULL);
}

int core_init_feeding(PyObject* module) {
  static PyMethodDef functions[] = {
      {"feed_begin", begin, METH_VARARGS, "feed_begin(simulation, path, scene, file)"},
      {"feed_scene", tell_scene, METH_VARARGS, "feed_scene(simulation, scene)"},
      {"feed_end", end, METH_O, "feed_end(simulation)"},
      {"is_followed", is_followed, METH_O, "is_followed(simulation): whether pages follow"},
      {NULL, NULL, 0, NULL},
  };
  return PyModule_AddFunctions(module, functions);
}
