// Singular values by LAPACK: |eigenvalues| of a symmetric matrix, the divide-and-conquer SVD of any other.
#include "cardhouse/dense.h"

#include <lapacke.h>
#include <math.h>

bool ch_singular_values(int n, double* A, bool symmetric, double* sigma) {
  if (n == 0) return true;
  if (!symmetric) {
    double none;
    return LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'N', n, n, A, n, sigma, &none, 1, &none, 1) == 0;
  }
  if (LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'N', 'U', n, A, n, sigma) != 0) return false;
  for (int i = 0; i < n; ++i) sigma[i] = fabs(sigma[i]);
  return true;
}
