// What the dense and the sparse principal factor share: who is in, and the column of a candidate.
#include "linalg/principal_factor.h"

#include <string.h>

#include "linalg/principal_factor_kinds.h"

struct ChPrincipalFactor {
  const ChSparse* A;
  unsigned char* in;
  double* column;  // A_:p, zero again after use
  double schur;    // of the last probe
  ChGivensFactor* dense;
  ChRowFactor* sparse;
};

ChPrincipalFactor* ch_principal_factor_create(ChArena* arena, const ChSparse* A, int rank_max, bool sparse) {
  ChPrincipalFactor* f = CH_TAKE(arena, 1, ChPrincipalFactor);
  f->A = A;
  f->in = CH_TAKE(arena, A->columns, unsigned char);
  f->column = CH_TAKE(arena, A->columns, double);
  if (sparse)
    f->sparse = ch_row_factor_create(arena, A);
  else
    f->dense = ch_givens_factor_create(arena, A->columns, rank_max);
  return f;
}

void ch_principal_factor_solve(ChPrincipalFactor* f, const double* b, double* x) {
  if (f->sparse)
    ch_row_factor_solve(f->sparse, f->in, b, x);
  else
    ch_givens_factor_solve(f->dense, b, x);
}

double ch_principal_factor_probe(ChPrincipalFactor* f, int p, double* d) {
  const ChSparse* A = f->A;
  double diagonal = 0.0;
  for (int k = A->start[p]; k < A->start[p + 1]; ++k) {
    if (f->in[A->index[k]]) f->column[A->index[k]] = A->value[k];
    if (A->index[k] == p) diagonal = A->value[k];
  }
  if (f->sparse) {
    f->schur = diagonal;
    ch_row_factor_solve(f->sparse, f->in, f->column, d);
    for (int k = A->start[p]; k < A->start[p + 1]; ++k) f->schur -= f->column[A->index[k]] * d[A->index[k]];
  } else {
    f->schur = ch_givens_factor_probe(f->dense, f->column, diagonal, d);
  }
  for (int k = A->start[p]; k < A->start[p + 1]; ++k) f->column[A->index[k]] = 0.0;
  return f->schur;
}

void ch_principal_factor_add(ChPrincipalFactor* f, int p) {
  f->in[p] = 1;
  if (f->sparse)
    ch_row_factor_add(f->sparse, f->in, p);
  else
    ch_givens_factor_add(f->dense, p, f->schur);
}

void ch_principal_factor_drop(ChPrincipalFactor* f, int p) {
  f->in[p] = 0;
  if (f->sparse)
    ch_row_factor_drop(f->sparse, p);
  else
    ch_givens_factor_drop(f->dense, p);
}

bool ch_principal_factor_holds(const ChPrincipalFactor* f, int p) { return f->in[p] != 0; }
