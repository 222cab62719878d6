// The Delassus form: one sparse column x = M^-1 h_j at a time, then W(:, j) = H^T x.
#include "system/delassus.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/order.h"
#include "cardhouse/delassus.h"
#include "linalg/sparse.h"
#include "problem/mass.h"

static const double LARGEST_RELATIVE = 1e12;  // of compliance

// A vector that remembers which entries it has touched, so that clearing costs only those.
typedef struct Scatter {
  double* value;
  int* touched;
  unsigned char* mark;
  int count;
} Scatter;

static Scatter scatter_take(ChArena* arena, int n) {
  return (Scatter){CH_TAKE(arena, n, double), CH_TAKE(arena, n, int), CH_TAKE(arena, n, unsigned char), 0};
}

static void scatter_add(Scatter* s, int i, double value) {
  if (!s->mark[i]) {
    s->mark[i] = 1;
    s->touched[s->count++] = i;
  }
  s->value[i] += value;
}

static void scatter_clear(Scatter* s) {
  for (int k = 0; k < s->count; ++k) {
    s->value[s->touched[k]] = 0.0;
    s->mark[s->touched[k]] = 0;
  }
  s->count = 0;
}

// x = M^-1 times column j of H
static void mass_solve_column(const ChMass* mass, const ChSparse* H, int j, double* dense_b, double* dense_x,
                              Scatter* x) {
  if (mass->lu) {
    for (int k = H->start[j]; k < H->start[j + 1]; ++k) dense_b[H->index[k]] = H->value[k];
    ch_sparse_lu_solve_plain(mass->lu, dense_b, dense_x);
    for (int k = H->start[j]; k < H->start[j + 1]; ++k) dense_b[H->index[k]] = 0.0;
    for (int i = 0; i < H->rows; ++i)
      if (dense_x[i] != 0.0) scatter_add(x, i, dense_x[i]);
    return;
  }
  for (int k = H->start[j]; k < H->start[j + 1]; ++k) {
    int dof = H->index[k], body = mass->body_of[dof], size = ch_mass_size(mass, body);
    const double* inverse = mass->inverse + mass->offset[body];
    for (int i = 0; i < size; ++i) {
      double value = inverse[i * size + mass->slot[dof]] * H->value[k];
      if (value != 0.0) scatter_add(x, mass->dof[mass->start[body] + i], value);
    }
  }
}

void ch_delassus_q(ChArena* arena, const ChProblem* problem, double* q) {
  CH_ASSERT(problem->form == CH_FORM_LOCAL || problem->mass);
  memcpy(q, problem->w, (size_t)problem->rows * sizeof *q);
  if (problem->form == CH_FORM_LOCAL) return;
  int driven = 0;
  while (driven < problem->dof && problem->f[driven] == 0.0) ++driven;
  if (driven == problem->dof) return;
  double* v = CH_TAKE(arena, problem->dof, double);
  ch_mass_solve(problem->mass, problem->f, v);
  ch_sparse_transposed_by_runs_add(&problem->H, v, q);
}

double ch_delassus_largest(void) { return 1.2e8; }

double ch_delassus_size(ChArena* arena, const ChProblem* problem) {
  const ChMass* mass = problem->mass;
  if (problem->form == CH_FORM_LOCAL) return problem->W.start[problem->rows];
  if (mass->lu) return (double)problem->rows * problem->rows;
  ChArenaMark mark = ch_arena_mark(arena);
  double size = 0.0;
  int* columns = CH_TAKE(arena, mass->bodies, int);
  int* last = CH_TAKE(arena, mass->bodies, int);
  for (int j = 0; j < problem->rows; ++j)
    for (int k = problem->H.start[j]; k < problem->H.start[j + 1]; ++k) {
      int body = mass->body_of[problem->H.index[k]];
      if (last[body] != j + 1) ++columns[body];
      last[body] = j + 1;
    }
  for (int b = 0; b < mass->bodies; ++b) size += (double)columns[b] * columns[b];
  ch_arena_release(arena, mark);
  return size;
}

// Adds H^T x to column, using H by rows (HT holds row i of H as its column i)
static void multiply_column(const ChSparse* HT, const Scatter* x, Scatter* column) {
  for (int k = 0; k < x->count; ++k) {
    int dof = x->touched[k];
    for (int l = HT->start[dof]; l < HT->start[dof + 1]; ++l)
      scatter_add(column, HT->index[l], HT->value[l] * x->value[dof]);
  }
}

ChSparse ch_delassus_form(ChArena* arena, const ChProblem* problem) {
  if (problem->form == CH_FORM_LOCAL) return problem->W;
  int rows = problem->rows;
  ChSparse HT = ch_sparse_transpose(arena, &problem->H);
  Scatter x = scatter_take(arena, problem->dof), column = scatter_take(arena, rows);
  double* b = CH_TAKE(arena, problem->dof, double);
  double* dense = CH_TAKE(arena, problem->dof, double);
  long room = (long)ch_delassus_size(arena, problem) + 1;
  ChSparse W = {.rows = rows,
                .columns = rows,
                .start = CH_TAKE(arena, rows + 1, int),
                .index = CH_TAKE(arena, room, int),
                .value = CH_TAKE(arena, room, double)};
  for (int j = 0; j < rows; ++j) {
    mass_solve_column(problem->mass, &problem->H, j, b, dense, &x);
    multiply_column(&HT, &x, &column);
    qsort(column.touched, (size_t)column.count, sizeof(int), ch_compare_int);
    int at = W.start[j];
    for (int k = 0; k < column.count; ++k, ++at) {
      W.index[at] = column.touched[k];
      W.value[at] = column.value[column.touched[k]];
    }
    W.start[j + 1] = at;
    scatter_clear(&x);
    scatter_clear(&column);
  }
  return W;
}

static double local_entry(const ChSparse* W, int i, int j) {
  for (int k = W->start[j]; k < W->start[j + 1]; ++k)
    if (W->index[k] == i) return W->value[k];
  return 0.0;
}

void ch_delassus_diagonal(ChArena* arena, const ChProblem* problem, double* diagonal) {
  if (problem->form == CH_FORM_LOCAL) {
    for (int j = 0; j < problem->rows; ++j) diagonal[j] = local_entry(&problem->W, j, j);
    return;
  }
  ChArenaMark mark = ch_arena_mark(arena);
  Scatter x = scatter_take(arena, problem->dof);
  double* b = CH_TAKE(arena, problem->dof, double);
  double* dense = CH_TAKE(arena, problem->dof, double);
  for (int j = 0; j < problem->rows; ++j) {
    diagonal[j] = 0.0;
    mass_solve_column(problem->mass, &problem->H, j, b, dense, &x);
    for (int k = problem->H.start[j]; k < problem->H.start[j + 1]; ++k)
      diagonal[j] += problem->H.value[k] * x.value[problem->H.index[k]];
    scatter_clear(&x);
  }
  ch_arena_release(arena, mark);
}

void ch_delassus_traces(ChArena* arena, const ChProblem* problem, double* trace) {
  ChArenaMark mark = ch_arena_mark(arena);
  double* diagonal = CH_TAKE(arena, problem->rows, double);
  ch_delassus_diagonal(arena, problem, diagonal);
  for (int i = 0; i < problem->block_count; ++i) {
    trace[i] = 0.0;
    for (int k = 0; k < problem->blocks[i].dimension; ++k) trace[i] += diagonal[problem->blocks[i].row + k];
  }
  ch_arena_release(arena, mark);
}

// --- what others may ask for -----------------------------------------------------------------------------------------

static void diagonal_blocks(ChArena* arena, const ChProblem* problem, double* W_ii) {
  const ChSparse* H = &problem->H;
  const bool local = problem->form == CH_FORM_LOCAL;
  Scatter x = scatter_take(arena, problem->dof);
  double* b = CH_TAKE(arena, problem->dof, double);
  double* dense = CH_TAKE(arena, problem->dof, double);
  for (int i = 0; i < problem->block_count; ++i) {
    const int first = problem->blocks[i].row, size = problem->blocks[i].dimension;
    for (int c = 0; c < size; ++c) {
      if (!local) mass_solve_column(problem->mass, H, first + c, b, dense, &x);
      for (int a = 0; a < size; ++a) {
        double sum = local ? local_entry(&problem->W, first + a, first + c) : 0.0;
        for (int k = local ? 0 : H->start[first + a]; !local && k < H->start[first + a + 1]; ++k)
          sum += H->value[k] * x.value[H->index[k]];
        W_ii[a * size + c] = sum;
      }
      scatter_clear(&x);
    }
    W_ii += size * size;
  }
}

ChStatus ch_problem_diagonal_blocks(ChContext* context, const ChProblem* problem, double* W_ii) {
  ChArena* volatile arena = NULL;
  jmp_buf landing;
  if (setjmp(landing) || !(arena = ch_arena_create(NULL))) {
    ch_arena_destroy(arena);
    return ch_fail(context, CH_ERR_MEMORY, "out of memory for the diagonal blocks of %d rows", problem->rows);
  }
  ch_arena_set_landing(arena, &landing);
  diagonal_blocks(arena, problem, W_ii);
  ch_arena_destroy(arena);
  return CH_OK;
}

static void set_compliance(ChArena* arena, ChProblem* problem, double relative) {
  double* trace = CH_TAKE(arena, problem->block_count, double);
  ch_delassus_traces(arena, problem, trace);
  for (int i = 0; i < problem->block_count; ++i) {
    ChBlock* block = &problem->blocks[i];
    if (!ch_law_info(block->law)->friction) continue;
    block->law = CH_LAW_COMPLIANT;
    block->compliance = relative * trace[i] / block->dimension;
  }
}

ChStatus ch_problem_set_compliance(ChContext* context, ChProblem* problem, double relative) {
  if (!(relative >= 0.0 && relative <= LARGEST_RELATIVE))
    return ch_fail(context, CH_ERR_RANGE, "relative compliance is %g, must be 0 to %g", relative, LARGEST_RELATIVE);
  ChArena* volatile arena = NULL;
  jmp_buf landing;
  if (setjmp(landing) || !(arena = ch_arena_create(NULL))) {
    ch_arena_destroy(arena);
    return ch_fail(context, CH_ERR_MEMORY, "out of memory for the diagonal of %d rows", problem->rows);
  }
  ch_arena_set_landing(arena, &landing);
  set_compliance(arena, problem, relative);
  ch_arena_destroy(arena);
  return CH_OK;
}

static ChSparse copy_matrix(ChArena* arena, const ChSparse* A) {
  const int count = A->start[A->columns];
  ChSparse copy = {.rows = A->rows,
                   .columns = A->columns,
                   .start = CH_TAKE(arena, A->columns + 1, int),
                   .index = CH_TAKE(arena, count, int),
                   .value = CH_TAKE(arena, count, double)};
  memcpy(copy.start, A->start, ((size_t)A->columns + 1) * sizeof *copy.start);
  if (count > 0) memcpy(copy.index, A->index, (size_t)count * sizeof *copy.index);
  if (count > 0) memcpy(copy.value, A->value, (size_t)count * sizeof *copy.value);
  return copy;
}

ChStatus ch_problem_condense(ChContext* context, const ChProblem* problem, ChProblem** out) {
  ChArena* volatile arena = NULL;
  jmp_buf landing;
  *out = NULL;
  if (setjmp(landing) || !(arena = ch_arena_create(NULL))) {
    ch_arena_destroy(arena);
    return ch_fail(context, CH_ERR_MEMORY, "out of memory for the local form of a problem with %d rows", problem->rows);
  }
  ch_arena_set_landing(arena, &landing);
  const bool local = problem->form == CH_FORM_LOCAL;
  ChProblem* p = CH_TAKE(arena, 1, ChProblem);
  *p = (ChProblem){.form = CH_FORM_LOCAL,
                   .dimension = problem->dimension,
                   .block_count = problem->block_count,
                   .rows = problem->rows,
                   .blocks = CH_TAKE(arena, problem->block_count, ChBlock),
                   .W = local ? copy_matrix(arena, &problem->W) : ch_delassus_form(arena, problem),
                   .w = CH_TAKE(arena, problem->rows, double),
                   .arena = arena};
  if (p->block_count > 0) memcpy(p->blocks, problem->blocks, (size_t)p->block_count * sizeof *p->blocks);
  ch_delassus_q(arena, problem, p->w);
  p->asymmetry = ch_sparse_asymmetry(arena, &p->W);
  ch_arena_set_landing(arena, NULL);
  *out = p;
  return CH_OK;
}
