// Sparse LU of a general square matrix: a thin wrapper of UMFPACK.
#include "linalg/sparse_lu.h"

#include <umfpack.h>

#include "base/work.h"

#define LIKELY 0.2  // share that a factorisation takes of UMFPACK's bound for the worst choice of pivots

struct ChSparseLu {
  const ChSparse* A;
  void* numeric;
  double solving;  // work of a solve
};

static void free_numeric(void* object) { umfpack_di_free_numeric(&((ChSparseLu*)object)->numeric); }

ChSparseLu* ch_sparse_lu_create(ChArena* arena, const ChSparse* A) {
  ChSparseLu* lu = CH_TAKE(arena, 1, ChSparseLu);
  lu->A = A;
  ch_arena_defer(arena, free_numeric, lu);
  void* symbolic = NULL;
  double told[UMFPACK_INFO] = {0.0};
  int status = umfpack_di_symbolic(A->rows, A->columns, A->start, A->index, A->value, &symbolic, NULL, told);
  double bound = 0.5 * told[UMFPACK_FLOPS_ESTIMATE];
  bool allowed = status == UMFPACK_OK && ch_limits_allow(LIKELY * bound, LIKELY * bound / CH_WORK_RATE);
  if (status == UMFPACK_OK && !allowed) {
    umfpack_di_free_symbolic(&symbolic);
    return NULL;
  }
  if (status == UMFPACK_OK) {
    status = umfpack_di_numeric(A->start, A->index, A->value, symbolic, &lu->numeric, NULL, told);
    umfpack_di_free_symbolic(&symbolic);
  }
  lu->solving = told[UMFPACK_LNZ] + told[UMFPACK_UNZ];
  ch_work_add(0.5 * told[UMFPACK_FLOPS] + 10.0 * (A->start[A->columns] + lu->solving));
  if (status == UMFPACK_ERROR_out_of_memory) ch_arena_fail(arena);
  return status == UMFPACK_OK ? lu : NULL;
}

void ch_sparse_lu_solve(const ChSparseLu* lu, const double* b, double* x) {
  ch_work_add(lu->solving);
  umfpack_di_solve(UMFPACK_A, lu->A->start, lu->A->index, lu->A->value, x, b, lu->numeric, NULL, NULL);
}

void ch_sparse_lu_solve_plain(const ChSparseLu* lu, const double* b, double* x) {
  ch_work_add(lu->solving);
  double control[UMFPACK_CONTROL];
  umfpack_di_defaults(control);
  control[UMFPACK_IRSTEP] = 0;
  umfpack_di_solve(UMFPACK_A, lu->A->start, lu->A->index, lu->A->value, x, b, lu->numeric, control, NULL);
}

void ch_sparse_lu_solve_transposed(const ChSparseLu* lu, const double* b, double* x) {
  ch_work_add(lu->solving);
  umfpack_di_solve(UMFPACK_At, lu->A->start, lu->A->index, lu->A->value, x, b, lu->numeric, NULL, NULL);
}
