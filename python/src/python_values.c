// Python values as the library's, or an exception that names the argument.
#include <math.h>
#include <string.h>

#include "core.h"

bool core_number(PyObject* value, const char* name, double* out) {
  *out = PyFloat_AsDouble(value);
  if (*out == -1.0 && PyErr_Occurred()) {
    if (PyErr_ExceptionMatches(PyExc_TypeError))
      PyErr_Format(PyExc_TypeError, "%s must be a number, not %R", name, value);
    return false;
  }
  if (!isnan(*out)) return true;
  PyErr_Format(PyExc_ValueError, "%s is NaN", name);
  return false;
}

bool core_finite(PyObject* value, const char* name, double* out) {
  if (!core_number(value, name, out)) return false;
  if (isfinite(*out)) return true;
  PyErr_Format(PyExc_ValueError, "%s is %R, must be finite", name, value);
  return false;
}

bool core_whole(PyObject* value, const char* name, long lowest, long highest, long* out) {
  PyObject* index = PyNumber_Index(value);
  if (!index) {
    PyErr_Format(PyExc_TypeError, "%s must be a whole number, not %R", name, value);
    return false;
  }
  int overflow;
  *out = PyLong_AsLongAndOverflow(index, &overflow);
  Py_DECREF(index);
  if (*out == -1 && PyErr_Occurred()) return false;
  if (!overflow && *out >= lowest && *out <= highest) return true;
  PyErr_Format(PyExc_ValueError, "%s is %R, must be %ld to %ld", name, value, lowest, highest);
  return false;
}

bool core_numbers(PyObject* value, const char* name, int count, double* out) {
  Py_ssize_t length = PySequence_Check(value) && !PyUnicode_Check(value) ? PySequence_Size(value) : -1;
  if (length != count) {
    PyErr_Clear();
    PyErr_Format(length < 0 ? PyExc_TypeError : PyExc_ValueError, "%s must be %d numbers, not %R", name, count, value);
    return false;
  }
  for (int k = 0; k < count; ++k) {
    PyObject* item = PySequence_GetItem(value, k);
    bool fine = item && core_finite(item, name, &out[k]);
    Py_XDECREF(item);
    if (!fine) return false;
  }
  return true;
}

bool core_vector(PyObject* value, const char* name, int dimension, ChVec3* out) {
  double v[3] = {0};
  if (!core_numbers(value, name, dimension, v)) return false;
  *out = ch_vec(v[0], v[1], v[2]);
  return true;
}

PyObject* core_from_vector(ChVec3 v, int dimension) {
  return dimension == 2 ? Py_BuildValue("(dd)", v.x, v.y) : Py_BuildValue("(ddd)", v.x, v.y, v.z);
}

const char* core_text(PyObject* value, const char* name) {
  if (!PyUnicode_Check(value)) {
    PyErr_Format(PyExc_TypeError, "%s must be a str, not %R", name, value);
    return NULL;
  }
  Py_ssize_t size;
  const char* text = PyUnicode_AsUTF8AndSize(value, &size);
  if (text && strlen(text) != (size_t)size) {
    PyErr_Format(PyExc_ValueError, "%s has a zero byte in it", name);
    return NULL;
  }
  return text;
}
