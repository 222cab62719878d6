// Limit analysis of a contact problem from Python: does an equilibrium exist, with how little friction, under how much
// load.
#include <string.h>

#include "buffers.h"
#include "problem_object.h"

static ChStatus ask(ChContext* context, const ChProblem* problem, const char* question, const double* load,
                    ChLimitState state, ChLimit* out) {
  ChLimitOptions options = ch_limit_options_default();
  if (strcmp(question, "equilibrium") == 0) return ch_equilibrium_find(context, problem, &options, state, out);
  if (strcmp(question, "friction") == 0) return ch_friction_smallest(context, problem, &options, state, out);
  if (strcmp(question, "load") == 0 && load) return ch_load_largest(context, problem, load, &options, state, out);
  return ch_fail(context, CH_ERR_ARGUMENT, "the question is equilibrium, friction, or load with a load");
}

// limit(question, load, r, u) -> (exists, value); r and u are filled with the equilibrium and the mechanism
PyObject* core_problem_limit(PyObject* self, PyObject* args) {
  const char* question;
  PyObject *load, *r, *u;
  CoreBuffer load_buffer = {0}, r_buffer = {0}, u_buffer = {0};
  ChContext context = {0};
  ChLimit limit = {0};
  if (!PyArg_ParseTuple(args, "sOOO:limit", &question, &load, &r, &u)) return NULL;
  const ChProblem* problem = core_problem(self);
  ChProblemView view = ch_problem_view(problem);
  int loads = view.form == CH_FORM_GLOBAL ? view.dof : view.rows;
  bool fine = core_buffer_take_some(load, CORE_DOUBLES, "load", loads, &load_buffer) &&
              core_buffer_take_some(r, CORE_DOUBLES_WRITABLE, "r", view.rows, &r_buffer) &&
              core_buffer_take_some(u, CORE_DOUBLES_WRITABLE, "u", view.rows, &u_buffer);
  ChStatus status = CH_OK;
  if (fine) {
    ChLimitState state = {.r = r_buffer.data, .u = u_buffer.data};
    Py_BEGIN_ALLOW_THREADS status = ask(&context, problem, question, load_buffer.data, state, &limit);
    Py_END_ALLOW_THREADS
  }
  core_buffer_release(&load_buffer);
  core_buffer_release(&r_buffer);
  core_buffer_release(&u_buffer);
  if (!fine) return NULL;
  if (status != CH_OK) return core_raise(&context, status);
  return Py_BuildValue("Nd", PyBool_FromLong(limit.exists), limit.value);
}
