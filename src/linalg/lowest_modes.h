// The lowest eigenpairs of K u = lambda M u, K symmetric and not negative, M symmetric and positive definite.
//
//   A = K + shift M,   A^-1 M u = u / (lambda + shift)
//
// A block Krylov space of A^-1 M, kept orthonormal in M in full, and Rayleigh-Ritz in it by LAPACK. Blocks find
// eigenvalues that come twice or more, as those of symmetric bodies do; a single vector would find them only by
// rounding. No state is kept between calls and the first block is always the same, hence so is the answer.
#ifndef CH_LINALG_LOWEST_MODES_H
#define CH_LINALG_LOWEST_MODES_H

#include <stdbool.h>

#include "base/arena.h"

typedef struct ChPencil {
  int n;
  void* state;                                                        // handed to the functions
  void (*mass)(void* state, const double* x, double* y);              // y = M x
  void (*solve)(void* state, int count, const double* b, double* x);  // x = A^-1 b, count columns
  double shift;
  // Eigenvectors that are known and not wanted, e.g. rigid motions: fixed_count x n, orthonormal in M.
  int fixed_count;
  const double* fixed;
} ChPencil;

// lambda ascending, vectors wanted x n, orthonormal in M and orthogonal to the fixed ones. False when the iteration
// does not converge; wanted must not exceed n - fixed_count.
bool ch_lowest_modes(ChArena* arena, const ChPencil* pencil, int wanted, double* lambda, double* vectors);

// Makes x orthogonal in M to `count` vectors that are orthonormal in M, of which MQ are the products with M. Twice, so
// that it holds to rounding.
void ch_modes_project(int n, int count, const double* Q, const double* MQ, double* x);

#endif
