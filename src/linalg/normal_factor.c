// CHOLMOD factors A A^T for A = [C_F^T, diag(sqrt(d))] without forming the product; its pattern stays that of all
// columns, so that one analysis serves every face.
#include "linalg/normal_factor.h"

#include <cholmod.h>
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/work.h"

struct ChNormalFactor {
  ChArena* arena;
  const ChSparse* C_transposed;
  cholmod_common common;
  cholmod_sparse* matrix;
  cholmod_factor* factor;
  cholmod_dense *x, *y, *e;  // workspace of the solves, kept by CHOLMOD between calls
  ChForeseen foreseen;       // a factorisation
};

static void free_factor(void* object) {
  ChNormalFactor* f = object;
  cholmod_free_sparse(&f->matrix, &f->common);
  cholmod_free_factor(&f->factor, &f->common);
  cholmod_free_dense(&f->x, &f->common);
  cholmod_free_dense(&f->y, &f->common);
  cholmod_free_dense(&f->e, &f->common);
  cholmod_finish(&f->common);
}

static void check_memory(ChNormalFactor* f) {
  if (f->common.status == CHOLMOD_OUT_OF_MEMORY) ch_arena_fail(f->arena);
}

ChNormalFactor* ch_normal_factor_create(ChArena* arena, const ChSparse* C) {
  ChNormalFactor* f = CH_TAKE(arena, 1, ChNormalFactor);
  f->arena = arena;
  f->C_transposed = C;
  cholmod_start(&f->common);
  f->common.print = 0;
  f->common.final_ll = 1;
  ch_arena_defer(arena, free_factor, f);
  int entries = C->start[C->columns], n = C->rows;
  f->matrix = cholmod_allocate_sparse((size_t)n, (size_t)(C->columns + n), (size_t)(entries + n), 1, 1, 0, CHOLMOD_REAL,
                                      &f->common);
  check_memory(f);
  int *start = f->matrix->p, *index = f->matrix->i;
  memcpy(start, C->start, (size_t)C->columns * sizeof *start);
  memcpy(index, C->index, (size_t)entries * sizeof *index);
  memcpy(f->matrix->x, C->value, (size_t)entries * sizeof(double));
  for (int j = 0; j <= n; ++j) start[C->columns + j] = entries + j;
  for (int j = 0; j < n; ++j) {
    index[entries + j] = j;
    ((double*)f->matrix->x)[entries + j] = 1.0;
  }
  f->factor = cholmod_analyze(f->matrix, &f->common);
  check_memory(f);
  return f;
}

bool ch_normal_factor_update(ChNormalFactor* f, const bool* free, const double* d) {
  const ChSparse* C = f->C_transposed;
  double* value = f->matrix->x;
  int entries = C->start[C->columns], levels = omp_get_max_active_levels();
  for (int k = 0; k < entries; ++k) value[k] = free[C->index[k]] ? C->value[k] : 0.0;
  for (int j = 0; j < C->rows; ++j) value[entries + j] = free[j] ? sqrt(d[j]) : 1.0;
  if (!ch_foreseen_begin(&f->foreseen, 0.5 * f->common.fl + f->common.lnz)) return false;
  omp_set_max_active_levels(0);  // one thread: the caller offered no more
  cholmod_factorize(f->matrix, f->factor, &f->common);
  omp_set_max_active_levels(levels);
  check_memory(f);
  ch_foreseen_end(&f->foreseen);
  return f->common.status == CHOLMOD_OK && f->factor->minor == f->factor->n;
}

void ch_normal_factor_solve(ChNormalFactor* f, const double* b, double* x) {
  size_t n = f->matrix->nrow;
  cholmod_dense right = {
      .nrow = n, .ncol = 1, .nzmax = n, .d = n, .x = (void*)b, .xtype = CHOLMOD_REAL, .dtype = CHOLMOD_DOUBLE};
  cholmod_solve2(CHOLMOD_A, f->factor, &right, NULL, &f->x, NULL, &f->y, &f->e, &f->common);
  check_memory(f);
  ch_work_add(2.0 * f->common.lnz);
  memcpy(x, f->x->x, n * sizeof *x);
}
