// Scenes as text, and the library's own: what cardhouse.World and cardhouse.scenes are made from.
#include <stdlib.h>

#include "core.h"

// (name, text, until, notes) of a scene, includes and parameters resolved; notes may be None.
static PyObject* told(ChScene* scene) {
  PyObject* result = Py_BuildValue("(ssdz)", scene->name, scene->text, scene->until, scene->notes);
  ch_scene_destroy(scene);
  return result;
}

static PyObject* read_scene(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject *text_object, *file_object;
  if (!PyArg_ParseTuple(arguments, "OO:read_scene", &text_object, &file_object)) return NULL;
  const char* text = core_text(text_object, "text");
  const char* file = text ? core_text(file_object, "file") : NULL;
  if (!file) return NULL;
  ChContext context = {0};
  ChScene* scene;
  PyThreadState* released = PyEval_SaveThread();
  ChStatus status = ch_scene_parse(&context, text, file, &scene);
  PyEval_RestoreThread(released);
  return status == CH_OK ? told(scene) : core_raise_scene(&context, status);
}

// (name, default, text, lowest, highest, whole, words) of each parameter.
static PyObject* parameters_of(int index) {
  PyObject* list = PyList_New(0);
  for (const ChSceneParameter* p = ch_scene_builtin_parameters(index); list && p && p->name; ++p) {
    PyObject* row = Py_BuildValue("(sssddNz)", p->name, p->value, p->text, p->lowest, p->highest,
                                  PyBool_FromLong(p->whole), p->words);
    if (!row || PyList_Append(list, row) != 0) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  return list;
}

static PyObject* builtins(PyObject* module, PyObject* nothing) {
  (void)module, (void)nothing;
  PyObject* list = PyList_New(0);
  for (int k = 0; list && k < ch_scene_builtin_count(); ++k) {
    PyObject* row = Py_BuildValue("(ssN)", ch_scene_builtin_name(k), ch_scene_builtin_summary(k), parameters_of(k));
    if (!row || PyList_Append(list, row) != 0) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  return list;
}

enum { PARAMETERS_MAX = 64 };

// Names and values of a dict of str to str; they live as long as the dict.
static int pairs_of(PyObject* dict, const char* pairs[][2]) {
  PyObject *key, *value;
  int count = 0;
  for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &key, &value); ++count) {
    if (count == PARAMETERS_MAX) {
      PyErr_Format(PyExc_ValueError, "more than %d parameters", PARAMETERS_MAX);
      return -1;
    }
    pairs[count][0] = core_text(key, "name of a parameter");
    pairs[count][1] = pairs[count][0] ? core_text(value, pairs[count][0]) : NULL;
    if (!pairs[count][1]) return -1;
  }
  return count;
}

// The same from a file or a built-in scene, with values for its parameters.
static PyObject* open_scene(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject *name_object, *dict;
  const char* pairs[PARAMETERS_MAX][2];
  if (!PyArg_ParseTuple(arguments, "OO!:open_scene", &name_object, &PyDict_Type, &dict)) return NULL;
  const char* name = core_text(name_object, "name");
  int count = name ? pairs_of(dict, pairs) : -1;
  if (count < 0) return NULL;
  ChContext context = {0};
  ChScene* scene;
  const ChSceneChoice choice = {.parameter_count = count, .parameters = (const char* const(*)[2])pairs};
  PyThreadState* released = PyEval_SaveThread();
  ChStatus status = ch_scene_open_with(&context, name, &choice, &scene);
  PyEval_RestoreThread(released);
  return status == CH_OK ? told(scene) : core_raise_scene(&context, status);
}

static PyObject* builtin_text(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject *name_object, *dict;
  const char* pairs[PARAMETERS_MAX][2];
  if (!PyArg_ParseTuple(arguments, "OO!:builtin_text", &name_object, &PyDict_Type, &dict)) return NULL;
  const char* name = core_text(name_object, "name");
  int count = name ? pairs_of(dict, pairs) : -1;
  if (count < 0) return NULL;
  ChContext context = {0};
  char* text = NULL;
  ChStatus status = ch_scene_builtin(&context, name, count, (const char* const(*)[2])pairs, &text);
  if (status != CH_OK) return core_raise_scene(&context, status);
  PyObject* result = PyUnicode_FromString(text);
  free(text);
  return result;
}

static PyObject* schema(PyObject* module, PyObject* nothing) {
  (void)module, (void)nothing;
  char* text = ch_scene_schema_text();
  PyObject* result = text ? PyUnicode_FromString(text) : PyErr_NoMemory();
  free(text);
  return result;
}

int core_init_scene_reader(PyObject* module) {
  static PyMethodDef functions[] = {
      {"read_scene", read_scene, METH_VARARGS,
       "Reads a scene's text: its name, the resolved text, when a run ends, notes."},
      {"open_scene", open_scene, METH_VARARGS, "The same from a file or a built-in, with a dict of parameters."},
      {"builtins", builtins, METH_NOARGS, "The built-in scenes: name, summary, parameters."},
      {"builtin_text", builtin_text, METH_VARARGS, "The JSON text of a built-in scene."},
      {"schema", schema, METH_NOARGS, "What a scene may hold, as JSON Schema."},
      {NULL, NULL, 0, NULL},
  };
  return PyModule_AddFunctions(module, functions);
}
