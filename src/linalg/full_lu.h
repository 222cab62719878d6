// LU of a full matrix by columns, with row exchanges where they are needed: P A = L U in place of A, L's diagonal of
// ones left out.
//
// A Newton step of one deformable scene factors a matrix of 20 to 80 rows. That is less work than LAPACK needs to wake
// up (18 rows: 0.8 instead of 2.1 us, 40 rows: 4 instead of 9, 66 rows: 13 instead of 21), so that small matrices are
// factored here, four columns at a time; from 100 rows on it is LAPACK.
#ifndef CH_LINALG_FULL_LU_H
#define CH_LINALG_FULL_LU_H

#include <stdbool.h>

// False when A is zero or not finite; pivots of nothing are shifted, and the caller refines. pivot: n ints.
bool ch_full_lu_factor(int n, double* A, int* pivot);

// Solves A x = b in place of b.
void ch_full_lu_solve(int n, const double* A, const int* pivot, double* b);

#endif
