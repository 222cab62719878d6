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

// A message may quote bytes of a file, and end amid a character.
static PyObject* text_of(const char* text, size_t length) {
  return PyUnicode_DecodeUTF8(text, (Py_ssize_t)length, "replace");
}

// Sets an attribute to a value, which it takes over; false where that fails.
static bool set(PyObject* object, const char* name, PyObject* value) {
  bool fine = value && PyObject_SetAttrString(object, name, value) == 0;
  Py_XDECREF(value);
  return fine;
}

static const char* message_of(const ChContext* context, ChStatus status) {
  return context && context->message[0] ? context->message : ch_status_text(status);
}

// A new exception with the library's message; NULL where even that fails.
static PyObject* make(PyObject* type, const char* text, ChStatus status) {
  PyObject* message = text_of(text, strlen(text));
  PyObject* error = message ? PyObject_CallFunctionObjArgs(type, message, NULL) : NULL;
  Py_XDECREF(message);
  if (error && !set(error, "status", PyUnicode_FromString(names[status]))) Py_CLEAR(error);
  return error;
}

static PyObject* raise_it(PyObject* error) {
  if (error) PyErr_SetObject((PyObject*)Py_TYPE(error), error);
  Py_XDECREF(error);
  return NULL;
}

PyObject* core_raise(const ChContext* context, ChStatus status) {
  if (status == CH_ERR_MEMORY) return PyErr_NoMemory();
  return raise_it(make(core_error, message_of(context, status), status));
}

// --- where a scene is wrong: "FILE:LINE:COLUMN: PATH: REASON"
// ---------------------------------------------------------

typedef struct Where {
  size_t file;  // length
  long line, column;
  const char *path, *reason;
  size_t path_length;
} Where;

static bool find_where(const char* text, Where* out) {
  for (const char* at = strchr(text, ':'); at; at = strchr(at + 1, ':')) {
    int used = 0;
    if (sscanf(at, ":%ld:%ld: $%n", &out->line, &out->column, &used) != 2 || used == 0) continue;
    out->file = (size_t)(at - text);
    out->path = at + used - 1;
    const char* end = strstr(out->path, ": ");
    if (!end) return false;
    out->path_length = (size_t)(end - out->path);
    out->reason = end + 2;
    return true;
  }
  return false;
}

PyObject* core_raise_scene(const ChContext* context, ChStatus status) {
  if (status == CH_ERR_MEMORY) return PyErr_NoMemory();
  const char* text = message_of(context, status);
  PyObject* error = make(core_scene_error, text, status);
  Where where = {.reason = text};
  bool known = find_where(text, &where);
  bool fine = error && set(error, "file", known ? text_of(text, where.file) : Py_NewRef(Py_None)) &&
              set(error, "line", known ? PyLong_FromLong(where.line) : Py_NewRef(Py_None)) &&
              set(error, "column", known ? PyLong_FromLong(where.column) : Py_NewRef(Py_None)) &&
              set(error, "path", known ? text_of(where.path, where.path_length) : Py_NewRef(Py_None)) &&
              set(error, "reason", text_of(where.reason, strlen(where.reason)));
  if (!fine) Py_CLEAR(error);
  return raise_it(error);
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
