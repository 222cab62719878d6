// Singular values of a dense matrix.
#ifndef CH_LINALG_SPECTRUM_H
#define CH_LINALG_SPECTRUM_H

#include <stdbool.h>

// Singular values of the n x n matrix A, in no particular order. A symmetric matrix is treated by its eigenvalues,
// which costs half as much. A is overwritten. False when the iteration fails or memory runs out.
bool ch_singular_values(int n, double* A, bool symmetric, double* sigma);

#endif
