// Sparse Cholesky of a symmetric block matrix: a thin wrapper of CHOLMOD. Analysed once, factored many times.
#ifndef CH_LINALG_CHOLESKY_H
#define CH_LINALG_CHOLESKY_H

#include <stdbool.h>

#include "base/arena.h"
#include "linalg/block_csr.h"

typedef struct ChCholesky ChCholesky;

// Analyses the pattern of A. Freed with the arena.
ChCholesky* ch_cholesky_analyze(ChArena* arena, const ChBlockCsr* A);

// Factors A, of which one block triangle is read. False when it is not positive definite.
bool ch_cholesky_factor(ChCholesky* cholesky, const ChBlockCsr* A);

// x = A^-1 b
void ch_cholesky_solve(ChCholesky* cholesky, const double* b, double* x);
// The same for `count` right-hand sides, one after the other in memory: several times as fast together as one by one.
void ch_cholesky_solve_all(ChCholesky* cholesky, int count, const double* b, double* x);

#endif
