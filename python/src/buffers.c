// See buffers.h.
#include "buffers.h"

#include <string.h>

static const struct {
  const char* formats;  // of struct's, any of them
  Py_ssize_t size;
  int flags;
  const char* what;
} kinds[] = {
    [CORE_DOUBLES] = {"d", sizeof(double), 0, "float64"},
    [CORE_DOUBLES_WRITABLE] = {"d", sizeof(double), PyBUF_WRITABLE, "float64, writable"},
    [CORE_INTS] = {"il", sizeof(int), 0, "int32"},
    [CORE_BYTES] = {NULL, 1, 0, "any type"},
};

bool core_buffer_take(PyObject* object, CoreBufferKind kind, const char* name, CoreBuffer* out) {
  if (PyObject_GetBuffer(object, &out->view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | kinds[kind].flags) != 0) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s must be a contiguous array of %s, not %R", name, kinds[kind].what, object);
    return false;
  }
  out->held = true;
  const char* format = out->view.format ? out->view.format : "B";
  bool fits = !kinds[kind].formats || (out->view.itemsize == kinds[kind].size && strlen(format) == 1 &&
                                       strchr(kinds[kind].formats, format[0]) != NULL);
  if (!fits) {
    core_buffer_release(out);
    PyErr_Format(PyExc_TypeError, "%s must be an array of %s", name, kinds[kind].what);
    return false;
  }
  out->data = out->view.buf;
  out->count = out->view.len / kinds[kind].size;
  return true;
}

bool core_buffer_take_some(PyObject* object, CoreBufferKind kind, const char* name, Py_ssize_t count, CoreBuffer* out) {
  if (object == Py_None) return true;
  if (!core_buffer_take(object, kind, name, out)) return false;
  if (out->count == count) return true;
  PyErr_Format(PyExc_ValueError, "%s has %zd entries, must have %zd", name, out->count, count);
  core_buffer_release(out);
  return false;
}

void core_buffer_release(CoreBuffer* buffer) {
  if (buffer->held) PyBuffer_Release(&buffer->view);
  *buffer = (CoreBuffer){0};
}
