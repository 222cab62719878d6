// Contact problems for Python: the type cardhouse._core.ProblemCore, which cardhouse/problem.py wraps.
//
// Arrays come in and go out through the buffer protocol, so that numpy is no dependency of this file: numbers as
// doubles and ints, blocks as ChBlock itself (problem.py has its layout as a numpy dtype, checked against
// `block_size`). A problem never changes once it is built, so that threads may share it while the GIL is released.
#include "problem_object.h"

#include <string.h>

#include "buffers.h"

typedef struct ProblemObject {
  PyObject_HEAD ChProblem* problem;
} ProblemObject;

static PyTypeObject* problem_type;  // made once, when the module is

static const ChProblem* problem_of(PyObject* self) { return ((ProblemObject*)self)->problem; }
const ChProblem* core_problem(PyObject* self) { return problem_of(self); }

PyObject* core_problem_new(ChProblem* problem) {
  ProblemObject* self = PyObject_New(ProblemObject, problem_type);
  if (!self) {
    ch_problem_destroy(problem);
    return NULL;
  }
  self->problem = problem;
  return (PyObject*)self;
}

static void problem_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  ch_problem_destroy(((ProblemObject*)self)->problem);
  PyObject_Free(self);
  Py_DECREF(type);
}

// --- building --------------------------------------------------------------------------------------------------------

enum { ROW, COLUMN, VALUE, PARTS };
enum { W, M, H, MATRICES };

// What a call of `build` holds on to until the library has copied it.
typedef struct Parts {
  CoreBuffer matrix[MATRICES][PARTS], blocks, f, w;
} Parts;

static void parts_release(Parts* parts) {
  for (int k = 0; k < MATRICES; ++k)
    for (int i = 0; i < PARTS; ++i) core_buffer_release(&parts->matrix[k][i]);
  core_buffer_release(&parts->blocks);
  core_buffer_release(&parts->f);
  core_buffer_release(&parts->w);
}

// A matrix is a tuple (rows, columns, row indices, column indices, values); None: there is none.
static bool take_triplets(PyObject* given, CoreBuffer parts[PARTS], ChTriplets* out) {
  PyObject* part[PARTS];
  if (given == Py_None) return true;
  if (!PyTuple_Check(given)) return PyErr_SetString(PyExc_TypeError, "a matrix is a tuple of five"), false;
  if (!PyArg_ParseTuple(given, "iiOOO", &out->rows, &out->columns, &part[ROW], &part[COLUMN], &part[VALUE]))
    return false;
  if (!core_buffer_take(part[ROW], CORE_INTS, "row indices", &parts[ROW]) ||
      !core_buffer_take(part[COLUMN], CORE_INTS, "column indices", &parts[COLUMN]) ||
      !core_buffer_take(part[VALUE], CORE_DOUBLES, "values", &parts[VALUE]))
    return false;
  if (parts[ROW].count != parts[VALUE].count || parts[COLUMN].count != parts[VALUE].count)
    return PyErr_SetString(PyExc_ValueError, "a matrix has as many rows and columns as values"), false;
  out->count = (long)parts[VALUE].count;
  out->row = parts[ROW].data;
  out->column = parts[COLUMN].data;
  out->value = parts[VALUE].data;
  return true;
}

static bool take_blocks(PyObject* given, CoreBuffer* array, ChProblemDef* def) {
  if (!core_buffer_take(given, CORE_BYTES, "blocks", array)) return false;
  if (array->count % (Py_ssize_t)sizeof(ChBlock) != 0 || array->count / (Py_ssize_t)sizeof(ChBlock) > INT32_MAX)
    return PyErr_SetString(PyExc_ValueError, "blocks are not an array of the blocks' dtype"), false;
  def->block_count = (int)(array->count / (Py_ssize_t)sizeof(ChBlock));
  def->blocks = array->data;
  for (int i = 0; i < def->block_count; ++i)  // an address from outside is never followed
    if (def->blocks[i].section)
      return PyErr_Format(PyExc_ValueError, "block %d has a section of friction, which Python cannot make", i), false;
  return true;
}

// Sizes of vectors, which ch_problem_build has no way to check: rows by the blocks, degrees of freedom by M.
static bool sizes_fit(const ChProblemDef* def, const Parts* parts) {
  long rows = 0;
  for (int i = 0; i < def->block_count; ++i) rows += def->blocks[i].dimension > 0 ? def->blocks[i].dimension : 0;
  if (parts->w.count != rows)
    return PyErr_Format(PyExc_ValueError, "w has %zd entries, the blocks have %ld rows", parts->w.count, rows), false;
  if (def->form == CH_FORM_GLOBAL && parts->f.count != def->M.rows)
    return PyErr_Format(PyExc_ValueError, "f has %zd entries, M has %d rows", parts->f.count, def->M.rows), false;
  return true;
}

static PyObject* build(const ChProblemDef* def, int sides, int outer) {
  ChContext context = {0};
  ChProblem* problem = NULL;
  ChStatus status = ch_problem_build(&context, def, &problem);
  if (status == CH_OK && sides != 0) status = ch_problem_set_polygon(&context, problem, sides, outer);
  if (status == CH_OK) return core_problem_new(problem);
  ch_problem_destroy(problem);
  return core_raise(&context, status);
}

// problem_build(dimension, blocks, W, M, H, f, w, sides, outer): W alone is the local form, M and H the global one.
static PyObject* problem_build(PyObject* module, PyObject* args) {
  (void)module;
  Parts parts = {0};
  ChProblemDef def = {0};
  PyObject *blocks, *given[MATRICES], *f, *w, *out = NULL;
  int sides, outer;
  if (!PyArg_ParseTuple(args, "iOOOOOOip", &def.dimension, &blocks, &given[W], &given[M], &given[H], &f, &w, &sides,
                        &outer))
    return NULL;
  def.form = given[W] == Py_None ? CH_FORM_GLOBAL : CH_FORM_LOCAL;
  if (take_blocks(blocks, &parts.blocks, &def) && take_triplets(given[W], parts.matrix[W], &def.W) &&
      take_triplets(given[M], parts.matrix[M], &def.M) && take_triplets(given[H], parts.matrix[H], &def.H) &&
      (f == Py_None || core_buffer_take(f, CORE_DOUBLES, "f", &parts.f)) &&
      core_buffer_take(w, CORE_DOUBLES, "w", &parts.w) && sizes_fit(&def, &parts)) {
    def.f = parts.f.data;
    def.w = parts.w.data;
    out = build(&def, sides, outer);
  }
  parts_release(&parts);
  return out;
}

// problem_read(path)
static PyObject* problem_read(PyObject* module, PyObject* args) {
  (void)module;
  PyObject* path = NULL;
  if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path)) return NULL;
  ChContext context = {0};
  ChProblem* problem = NULL;
  ChStatus status = ch_problem_read(&context, PyBytes_AsString(path), &problem);
  Py_DECREF(path);
  return status == CH_OK ? core_problem_new(problem) : core_raise(&context, status);
}

// simulation_problem(simulation) -> (problem of the last step, reactions as bytes)
static PyObject* simulation_problem(PyObject* module, PyObject* object) {
  (void)module;
  ChSimulation* simulation = core_simulation(object);
  if (!simulation) return NULL;
  ChContext context = {0};
  ChProblem* problem = NULL;
  ChStatus status = ch_simulation_problem(&context, simulation, &problem);
  if (status != CH_OK) return core_raise(&context, status);
  int rows = ch_problem_view(problem).rows;
  PyObject* wrapped = core_problem_new(problem);
  PyObject* r = wrapped ? PyBytes_FromStringAndSize(NULL, rows * (Py_ssize_t)sizeof(double)) : NULL;
  if (!r) {
    Py_XDECREF(wrapped);
    return NULL;
  }
  ch_simulation_reactions(simulation, rows, (double*)(void*)PyBytes_AsString(r));
  return Py_BuildValue("(NN)", wrapped, r);
}

// --- looking inside --------------------------------------------------------------------------------------------------

static PyObject* bytes_of(const void* data, size_t size) { return PyBytes_FromStringAndSize(data, (Py_ssize_t)size); }

// view() -> (form, dimension, rows, dof, bodies, asymmetry, blocks)
static PyObject* problem_view(PyObject* self, PyObject* unused) {
  (void)unused;
  ChProblemView view = ch_problem_view(problem_of(self));
  return Py_BuildValue("siiiidN", view.form == CH_FORM_GLOBAL ? "global" : "local", view.dimension, view.rows, view.dof,
                       view.body_count, view.asymmetry,
                       bytes_of(view.blocks, sizeof *view.blocks * (size_t)view.block_count));
}

// matrix(name) -> (rows, columns, start, index, value), compressed columns; None where this form has no such matrix
static PyObject* problem_matrix(PyObject* self, PyObject* args) {
  const char* name;
  if (!PyArg_ParseTuple(args, "s", &name)) return NULL;
  ChProblemView view = ch_problem_view(problem_of(self));
  const ChSparse* A = strcmp(name, "W") == 0   ? view.W
                      : strcmp(name, "M") == 0 ? view.M
                      : strcmp(name, "H") == 0 ? view.H
                                               : NULL;
  if (!A) Py_RETURN_NONE;
  size_t entries = (size_t)A->start[A->columns];
  return Py_BuildValue("iiNNN", A->rows, A->columns, bytes_of(A->start, sizeof *A->start * ((size_t)A->columns + 1)),
                       bytes_of(A->index, sizeof *A->index * entries), bytes_of(A->value, sizeof *A->value * entries));
}

// vector(name) -> bytes of f or w; None where this form has none
static PyObject* problem_vector(PyObject* self, PyObject* args) {
  const char* name;
  if (!PyArg_ParseTuple(args, "s", &name)) return NULL;
  ChProblemView view = ch_problem_view(problem_of(self));
  if (strcmp(name, "w") == 0) return bytes_of(view.w, sizeof(double) * (size_t)view.rows);
  if (strcmp(name, "f") == 0 && view.f) return bytes_of(view.f, sizeof(double) * (size_t)view.dof);
  Py_RETURN_NONE;
}

// --- answers ---------------------------------------------------------------------------------------------------------

// The vectors of an answer: v may be None.
typedef struct Answer {
  CoreBuffer v, u, r;
} Answer;

static void answer_release(Answer* answer) {
  core_buffer_release(&answer->v);
  core_buffer_release(&answer->u);
  core_buffer_release(&answer->r);
}

static bool take_answer(PyObject* self, PyObject* v, PyObject* u, PyObject* r, CoreBufferKind kind, Answer* out) {
  ChProblemView view = ch_problem_view(problem_of(self));
  if (core_buffer_take_some(v, kind, "v", view.dof, &out->v) &&
      core_buffer_take_some(u, kind, "u", view.rows, &out->u) &&
      core_buffer_take_some(r, kind, "r", view.rows, &out->r))
    return true;
  answer_release(out);
  return false;
}

// write(path, v, u, r): the problem alone where r is None
static PyObject* problem_write(PyObject* self, PyObject* args) {
  PyObject *path = NULL, *v, *u, *r;
  Answer answer = {0};
  ChContext context = {0};
  if (!PyArg_ParseTuple(args, "O&OOO", PyUnicode_FSConverter, &path, &v, &u, &r)) return NULL;
  bool fits = take_answer(self, v, u, r, CORE_DOUBLES, &answer);
  ChStatus status = CH_OK;
  if (fits && answer.r.data && answer.u.data)
    status = ch_solution_write(&context, PyBytes_AsString(path), problem_of(self), answer.v.data, answer.u.data,
                               answer.r.data);
  else if (fits)
    status = ch_problem_write(&context, PyBytes_AsString(path), problem_of(self));
  answer_release(&answer);
  Py_DECREF(path);
  if (!fits) return NULL;
  if (status != CH_OK) return core_raise(&context, status);
  Py_RETURN_NONE;
}

// read_reaction(path, r): fills r from a file's solution or its first guess
static PyObject* problem_read_reaction(PyObject* self, PyObject* args) {
  PyObject *path = NULL, *r;
  Answer answer = {0};
  ChContext context = {0};
  if (!PyArg_ParseTuple(args, "O&O", PyUnicode_FSConverter, &path, &r)) return NULL;
  bool fits = take_answer(self, Py_None, Py_None, r, CORE_DOUBLES_WRITABLE, &answer);
  ChStatus status = fits ? ch_reaction_read(&context, PyBytes_AsString(path), problem_of(self), answer.r.data) : CH_OK;
  answer_release(&answer);
  Py_DECREF(path);
  if (!fits) return NULL;
  if (status != CH_OK) return core_raise(&context, status);
  Py_RETURN_NONE;
}

// velocity(r, v, u): fills u and, in the global form, v
static PyObject* problem_velocity(PyObject* self, PyObject* args) {
  PyObject *r, *v, *u;
  Answer in = {0}, out = {0};
  ChContext context = {0};
  if (!PyArg_ParseTuple(args, "OOO", &r, &v, &u)) return NULL;
  if (!take_answer(self, Py_None, Py_None, r, CORE_DOUBLES, &in)) return NULL;
  if (!take_answer(self, v, u, Py_None, CORE_DOUBLES_WRITABLE, &out)) return answer_release(&in), NULL;
  ChStatus status = in.r.data && out.u.data
                        ? ch_problem_velocity(&context, problem_of(self), in.r.data, out.v.data, out.u.data)
                        : ch_fail(&context, CH_ERR_ARGUMENT, "r and u must be arrays");
  answer_release(&in);
  answer_release(&out);
  if (status != CH_OK) return core_raise(&context, status);
  Py_RETURN_NONE;
}

// certify(r, v, pose) -> the figures, in the order of `certificate_fields`
static PyObject* problem_certify(PyObject* self, PyObject* args) {
  PyObject *r, *v;
  int pose;
  Answer answer = {0};
  ChContext context = {0};
  ChCertificate certificate = {0};
  if (!PyArg_ParseTuple(args, "OOi", &r, &v, &pose)) return NULL;
  if (!take_answer(self, v, Py_None, r, CORE_DOUBLES, &answer)) return NULL;
  ChStatus status = CH_OK;
  if (!answer.r.data || pose < CH_POSE_COULOMB || pose > CH_POSE_FRICTIONLESS)
    status = ch_fail(&context, CH_ERR_ARGUMENT, "r must be an array, and the pose a number from 0 to 2");
  else
    status = ch_certify(&context, problem_of(self), (ChPose)pose, answer.r.data, answer.v.data, &certificate);
  answer_release(&answer);
  return status == CH_OK ? core_certificate(&certificate) : core_raise(&context, status);
}

// take_off(r, u) -> (mean, largest, contacts)
static PyObject* problem_take_off(PyObject* self, PyObject* args) {
  PyObject *r, *u;
  Answer answer = {0};
  if (!PyArg_ParseTuple(args, "OO", &r, &u)) return NULL;
  if (!take_answer(self, Py_None, u, r, CORE_DOUBLES, &answer)) return NULL;
  if (!answer.r.data || !answer.u.data) {
    answer_release(&answer);
    PyErr_SetString(PyExc_TypeError, "r and u must be arrays");
    return NULL;
  }
  ChTakeOff off = ch_take_off(problem_of(self), answer.r.data, answer.u.data);
  answer_release(&answer);
  return Py_BuildValue("ddi", off.mean, off.largest, off.contacts);
}

int core_init_problem_object(PyObject* module) {
  static PyMethodDef functions[] = {
      {"problem_build", problem_build, METH_VARARGS, "A problem from its matrices, vectors and blocks."},
      {"problem_read", problem_read, METH_VARARGS, "A problem from a file, FCLIB's or Siconos'."},
      {"simulation_problem", simulation_problem, METH_O, "The problem of a simulation's last step, and its reactions."},
      {NULL, NULL, 0, NULL},
  };
  static PyMethodDef methods[] = {
      {"view", problem_view, METH_NOARGS, "Form, dimension, rows, degrees of freedom, bodies, asymmetry, blocks."},
      {"matrix", problem_matrix, METH_VARARGS, "W, M or H in compressed columns."},
      {"vector", problem_vector, METH_VARARGS, "f or w."},
      {"write", problem_write, METH_VARARGS, "Writes an FCLIB file, with an answer where one is given."},
      {"read_reaction", problem_read_reaction, METH_VARARGS, "Reactions from a file's solution or first guess."},
      {"velocity", problem_velocity, METH_VARARGS, "Velocities that follow from reactions."},
      {"certify", problem_certify, METH_VARARGS, "Grades reactions."},
      {"take_off", problem_take_off, METH_VARARGS, "How fast contacts that carry a load part."},
      {"limit", core_problem_limit, METH_VARARGS, "Limit analysis."},
      {"solve", (PyCFunction)(void (*)(void))core_problem_solve, METH_VARARGS | METH_KEYWORDS, "Solves the problem."},
      {NULL, NULL, 0, NULL},
  };
  static PyType_Slot slots[] = {
      {Py_tp_doc, "A contact problem; cardhouse.Problem wraps it."},
      {Py_tp_dealloc, problem_dealloc},
      {Py_tp_methods, methods},
      {0, NULL},
  };
  static PyType_Spec spec = {.name = "cardhouse._core.ProblemCore",
                             .basicsize = sizeof(ProblemObject),
                             .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                             .slots = slots};
  problem_type = core_add_type(module, &spec);
  if (!problem_type || PyModule_AddIntConstant(module, "block_size", sizeof(ChBlock)) != 0) return -1;
  return PyModule_AddFunctions(module, functions);
}
