// Sparse LU of a general square matrix (UMFPACK), for matrices that are factored once.
#ifndef CH_LINALG_SPARSE_LU_H
#define CH_LINALG_SPARSE_LU_H

#include "base/arena.h"
#include "cardhouse/sparse.h"

typedef struct ChSparseLu ChSparseLu;

// NULL when the matrix is singular. Freed with the arena.
ChSparseLu* ch_sparse_lu_create(ChArena* arena, const ChSparse* A);
void ch_sparse_lu_solve(const ChSparseLu* lu, const double* b, double* x);

// The same without iterative refinement.
void ch_sparse_lu_solve_plain(const ChSparseLu* lu, const double* b, double* x);

// A^T x = b
void ch_sparse_lu_solve_transposed(const ChSparseLu* lu, const double* b, double* x);

#endif
