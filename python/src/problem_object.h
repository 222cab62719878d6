// Contact problems as Python objects. Called with the GIL held.
#ifndef CARDHOUSE_PYTHON_PROBLEM_OBJECT_H
#define CARDHOUSE_PYTHON_PROBLEM_OBJECT_H

#include "core.h"

// A new object that owns the problem, also where it fails.
PyObject* core_problem_new(ChProblem* problem);
// The problem of an object of that type; it belongs to the object.
const ChProblem* core_problem(PyObject* self);

// solve(...) of that type: problem_solve.c
PyObject* core_problem_solve(PyObject* self, PyObject* args, PyObject* keywords);
// limit(...) of that type: problem_limits.c
PyObject* core_problem_limit(PyObject* self, PyObject* args);

#endif
