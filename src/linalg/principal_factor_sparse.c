// The sparse principal factor: L D L^T of the whole of A with unit rows for those that are out, kept by CHOLMOD's row
// add and row delete (Davis and Hager 2005). The order of elimination is found once, for all of A.
#include <cholmod.h>
#include <string.h>

#include "base/work.h"
#include "linalg/principal_factor_kinds.h"

struct ChRowFactor {
  ChArena* arena;
  const ChSparse* A;
  cholmod_common common;
  cholmod_factor* L;
  cholmod_sparse* row;       // the row that enters, permuted
  cholmod_dense *x, *y, *e;  // workspace of the solves, kept by CHOLMOD between calls
  int *order, *place;        // row of A at each position of L, and back
  double* right;
};

static void free_row_factor(void* object) {
  ChRowFactor* f = object;
  cholmod_free_factor(&f->L, &f->common);
  cholmod_free_sparse(&f->row, &f->common);
  cholmod_free_dense(&f->x, &f->common);
  cholmod_free_dense(&f->y, &f->common);
  cholmod_free_dense(&f->e, &f->common);
  cholmod_finish(&f->common);
}

static void check_memory(ChRowFactor* f) {
  if (f->common.status == CHOLMOD_OUT_OF_MEMORY) ch_arena_fail(f->arena);
}

static void find_order(ChRowFactor* f) {
  const ChSparse* A = f->A;
  cholmod_sparse view = {.nrow = (size_t)A->rows,
                         .ncol = (size_t)A->columns,
                         .nzmax = (size_t)A->start[A->columns],
                         .p = A->start,
                         .i = A->index,
                         .x = A->value,
                         .stype = 1,
                         .itype = CHOLMOD_INT,
                         .xtype = CHOLMOD_REAL,
                         .dtype = CHOLMOD_DOUBLE,
                         .sorted = 1,
                         .packed = 1};
  cholmod_amd(&view, NULL, 0, f->order, &f->common);
  check_memory(f);
  for (int k = 0; k < A->columns; ++k) f->place[f->order[k]] = k;
}

ChRowFactor* ch_row_factor_create(ChArena* arena, const ChSparse* A) {
  ChRowFactor* f = CH_TAKE(arena, 1, ChRowFactor);
  size_t n = (size_t)A->columns;
  f->arena = arena;
  f->A = A;
  cholmod_start(&f->common);
  f->common.print = 0;
  ch_arena_defer(arena, free_row_factor, f);
  f->order = CH_TAKE(arena, n, int);
  f->place = CH_TAKE(arena, n, int);
  f->right = CH_TAKE(arena, n, double);
  find_order(f);
  f->L = cholmod_allocate_factor(n, &f->common);
  check_memory(f);
  cholmod_change_factor(CHOLMOD_REAL, 0, 0, 0, 1, f->L, &f->common);  // from nothing: L = D = I
  check_memory(f);
  f->row = cholmod_allocate_sparse(n, 1, n, 0, 1, 0, CHOLMOD_REAL, &f->common);
  check_memory(f);
  return f;
}

void ch_row_factor_solve(ChRowFactor* f, const unsigned char* in, const double* b, double* x) {
  size_t n = (size_t)f->A->columns;
  ch_work_add(2.0 * (double)f->L->nzmax);
  for (size_t k = 0; k < n; ++k) f->right[k] = in[f->order[k]] ? b[f->order[k]] : 0.0;
  cholmod_dense right = {
      .nrow = n, .ncol = 1, .nzmax = n, .d = n, .x = f->right, .xtype = CHOLMOD_REAL, .dtype = CHOLMOD_DOUBLE};
  cholmod_solve2(CHOLMOD_LDLt, f->L, &right, NULL, &f->x, NULL, &f->y, &f->e, &f->common);
  check_memory(f);
  const double* found = f->x->x;
  for (size_t k = 0; k < n; ++k) x[f->order[k]] = found[k];
}

void ch_row_factor_add(ChRowFactor* f, const unsigned char* in, int p) {
  const ChSparse* A = f->A;
  int *start = f->row->p, *index = f->row->i, at = 0;
  double* value = f->row->x;
  for (int k = A->start[p]; k < A->start[p + 1]; ++k)
    if (in[A->index[k]]) {
      index[at] = f->place[A->index[k]];
      value[at++] = A->value[k];
    }
  start[0] = 0;
  start[1] = at;
  ch_work_add(2.0 * (double)f->L->nzmax);
  cholmod_rowadd((size_t)f->place[p], f->row, f->L, &f->common);
  check_memory(f);
}

void ch_row_factor_drop(ChRowFactor* f, int p) {
  ch_work_add(2.0 * (double)f->L->nzmax);
  cholmod_rowdel((size_t)f->place[p], NULL, f->L, &f->common);
  check_memory(f);
}
