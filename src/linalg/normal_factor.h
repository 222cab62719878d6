// Cholesky factors of the normal matrix of a face, C_F^T C_F + diag(d), for a sparse C whose columns come and go.
#ifndef CH_LINALG_NORMAL_FACTOR_H
#define CH_LINALG_NORMAL_FACTOR_H

#include <stdbool.h>

#include "base/arena.h"
#include "cardhouse/sparse.h"

typedef struct ChNormalFactor ChNormalFactor;

// C^T by columns: column i holds row i of C. Analysed once; freed with the arena.
ChNormalFactor* ch_normal_factor_create(ChArena* arena, const ChSparse* C_transposed);

// Factors over the columns with free[j]; d (one a column, not negative) is added on the diagonal, 1 for the others.
bool ch_normal_factor_update(ChNormalFactor* factor, const bool* free, const double* d);

// x = (C_F^T C_F + diag(d))^-1 b
void ch_normal_factor_solve(ChNormalFactor* factor, const double* b, double* x);

#endif
