// Classes of small dense matrices on which the theory of complementarity problems rests.
#ifndef CH_LINALG_MATRIX_CLASSES_H
#define CH_LINALG_MATRIX_CLASSES_H

#include <stdbool.h>

#include "base/arena.h"

enum { CH_COPOSITIVE_LARGEST = 16 };  // 65,535 subsets: a fifth of a second

// Smallest eigenvalue of a symmetric n x n matrix, upper triangle by columns, which is overwritten; NaN when the
// iteration fails.
double ch_matrix_lowest_eigenvalue(ChArena* arena, int n, double* S);

// Is y'S y >= 0 for all y >= 0? S is symmetric, by columns, n at most CH_COPOSITIVE_LARGEST. Exact up to round-off: on
// the unit simplex the least value, where it is negative, is taken with a support K such that S_KK x = 1 has a solution
// x < 0; then the value is 1 / sum x. All supports are tried. Returns the least such value, 0 where there is none; y
// gets the point.
double ch_matrix_copositive(ChArena* arena, int n, const double* S, double* y);

// A witness against row sufficiency of order 1 or 2: x with two entries, x_i (A'x)_i <= 0 for all i and < 0 for one.
// A is n x n by columns.
typedef struct ChRowWitness {
  bool found;
  int index[2];
  double x[2];
  double product[2];  // x_i (A'x)_i
} ChRowWitness;

ChRowWitness ch_matrix_row_witness(int n, const double* A);

#endif
