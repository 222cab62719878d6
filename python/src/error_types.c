// Failures of the library as exceptions.
#include <string.h>

#include "core.h"

PyObject* core_error;
PyObject* core_scene_error;

static const char* const names[] = {
#define X(name, text) #name,
    CH_STATUS_LIST(X)
#undef X
};

static PyObject* raise_as(PyObject* type, const ChContext* context, ChStatus status) {
  if (status == CH_ERR_MEMORY) return PyErr_NoMemory();
  const char* text = context && context->message[0] ? context->message : ch_status_text(status);
  // A message may quote bytes of a file, and end amid a character.
  PyObject* message = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
  PyObject* error = message ? PyObject_CallFunctionObjArgs(type, message, NULL) : NULL;
  PyObject* name = error ? PyUnicode_FromString(names[status]) : NULL;
  if (name && PyObject_SetAttrString(error, "status", name) == 0) PyErr_SetObject(type, error);
  Py_XDECREF(name);
  Py_XDECREF(error);
  Py_XDECREF(message);
  return NULL;
}

PyObject* core_raise(const ChContext* context, ChStatus status) { return raise_as(core_error, context, status); }
PyObject* core_raise_scene(const ChContext* context, ChStatus status) {
  return raise_as(core_scene_error, context, status);
}

// `bases` is taken over.
static PyObject* exception(PyObject* module, const char* name, const char* full_name, const char* doc,
                           PyObject* bases) {
  PyObject* type = bases ? PyErr_NewExceptionWithDoc(full_name, doc, bases, NULL) : NULL;
  Py_XDECREF(bases);
  if (!type || PyModule_AddObjectRef(module, name, type) != 0) {
    Py_XDECREF(type);
    return NULL;
  }
  return type;
}

int core_init_error_types(PyObject* module) {
  core_error = exception(module, "Error", "cardhouse.Error",
                         "The library refused a call or failed. `status` is the name of its status code.",
                         PyTuple_Pack(1, PyExc_Exception));
  if (!core_error) return -1;
  core_scene_error = exception(module, "SceneError", "cardhouse.SceneError",
                               "A scene is wrong. `file`, `line`, `column` and `path` (in the JSON) tell where, None "
                               "where that is not known; `reason` tells what.",
                               PyTuple_Pack(2, core_error, PyExc_ValueError));
  return core_scene_error ? 0 : -1;
}
