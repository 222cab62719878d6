// Sparse Cholesky of a symmetric block matrix through CHOLMOD.
#include "linalg/cholesky.h"

#include <cholmod.h>
#include <omp.h>
#include <string.h>

#include "base/work.h"
#include "linalg/block_order.h"

struct ChCholesky {
  ChArena* arena;
  cholmod_common common;
  cholmod_sparse* matrix;  // upper triangle by columns
  long* source;            // where each of its values stands in the block matrix
  cholmod_factor* factor;
  cholmod_dense *x, *y, *e;  // workspace of the solves, kept by CHOLMOD between calls
  ChForeseen foreseen;       // a factorisation
};

static void free_cholesky(void* object) {
  ChCholesky* c = object;
  cholmod_free_sparse(&c->matrix, &c->common);
  cholmod_free_factor(&c->factor, &c->common);
  cholmod_free_dense(&c->x, &c->common);
  cholmod_free_dense(&c->y, &c->common);
  cholmod_free_dense(&c->e, &c->common);
  cholmod_finish(&c->common);
}

static void check_memory(ChCholesky* c) {
  if (c->common.status == CHOLMOD_OUT_OF_MEMORY) ch_arena_fail(c->arena);
}

// Scalar columns of the upper triangle: column (j, b) holds rows (i, a) of all blocks i <= j. Row j of the blocks has
// them side by side, transposed, which is the same for a symmetric matrix.
static void build_upper(ChCholesky* c, const ChBlockCsr* A) {
  int n = A->row[A->n], *start = c->matrix->p, *index = c->matrix->i, at = 0;
  for (int j = 0; j < A->n; ++j)
    for (int b = 0; b < A->dim[j]; ++b) {
      start[A->row[j] + b] = at;
      for (int k = A->start[j]; k < A->start[j + 1] && A->column[k] <= j; ++k) {
        int i = A->column[k];
        for (int a = 0; a < A->dim[i] && (i < j || a <= b); ++a) {
          index[at] = A->row[i] + a;
          c->source[at++] = A->offset[k] + b * A->dim[i] + a;
        }
      }
    }
  start[n] = at;
}

static void analyze_in_block_order(ChCholesky* c, const ChBlockCsr* A) {
  ChArenaMark mark = ch_arena_mark(c->arena);
  int* blocks = CH_TAKE(c->arena, A->n, int);
  int* order = CH_TAKE(c->arena, A->row[A->n], int);
  ch_block_order(c->arena, A, blocks);
  for (int k = 0, at = 0; k < A->n; ++k)
    for (int a = 0; a < A->dim[blocks[k]]; ++a) order[at++] = A->row[blocks[k]] + a;
  c->common.nmethods = 1;
  c->common.method[0].ordering = CHOLMOD_GIVEN;
  c->factor = cholmod_analyze_p(c->matrix, order, NULL, 0, &c->common);
  check_memory(c);
  ch_arena_release(c->arena, mark);
}

ChCholesky* ch_cholesky_analyze(ChArena* arena, const ChBlockCsr* A) {
  ChCholesky* c = CH_TAKE(arena, 1, ChCholesky);
  c->arena = arena;
  cholmod_start(&c->common);
  c->common.print = 0;
  c->common.final_ll = 1;  // L D L^T would take an indefinite matrix without a word
  ch_arena_defer(arena, free_cholesky, c);
  size_t n = (size_t)A->row[A->n], entries = (size_t)A->offset[A->start[A->n]];
  c->matrix = cholmod_allocate_sparse(n, n, entries, 1, 1, 1, CHOLMOD_REAL, &c->common);
  check_memory(c);
  c->source = CH_TAKE(arena, entries, long);
  build_upper(c, A);
  analyze_in_block_order(c, A);
  return c;
}

// CHOLMOD starts threads of its own for small loops, which costs more than it gains here and would take cores that the
// caller has not offered: its parallel regions run with one thread.
static void factorize_alone(ChCholesky* c) {
  int levels = omp_get_max_active_levels();
  omp_set_max_active_levels(0);
  cholmod_factorize(c->matrix, c->factor, &c->common);
  omp_set_max_active_levels(levels);
}

bool ch_cholesky_factor(ChCholesky* c, const ChBlockCsr* A) {
  double* value = c->matrix->x;
  int entries = ((int*)c->matrix->p)[c->matrix->ncol];
  for (int k = 0; k < entries; ++k) value[k] = A->value[c->source[k]];
  if (!ch_foreseen_begin(&c->foreseen, 0.5 * c->common.fl + c->common.lnz)) return false;
  factorize_alone(c);
  check_memory(c);
  ch_foreseen_end(&c->foreseen);
  return c->common.status == CHOLMOD_OK && c->factor->minor == c->factor->n;
}

void ch_cholesky_solve_all(ChCholesky* c, int count, const double* b, double* x) {
  size_t n = c->matrix->nrow, columns = (size_t)count, all = n * columns;
  cholmod_dense right = {
      .nrow = n, .ncol = columns, .nzmax = all, .d = n, .x = (void*)b, .xtype = CHOLMOD_REAL, .dtype = CHOLMOD_DOUBLE};
  cholmod_solve2(CHOLMOD_A, c->factor, &right, NULL, &c->x, NULL, &c->y, &c->e, &c->common);
  check_memory(c);
  ch_work_add(2.0 * c->common.lnz * count);
  memcpy(x, c->x->x, all * sizeof *x);
}

void ch_cholesky_solve(ChCholesky* c, const double* b, double* x) { ch_cholesky_solve_all(c, 1, b, x); }
