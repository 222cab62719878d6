// A Cholesky factor that follows an active set: of the rows and columns a of a symmetric A, while rows enter and leave.
//
//   A_aa = R^T R      dense: a new column of R by a triangular solve, a lost one repaired with Givens rotations, which
//                     is the update of a QR factorisation where A = N^T N is a Gram matrix (R is then that of N_a)
//   A_aa = L D L^T    sparse: CHOLMOD's row add and row delete in an order that keeps the whole of A sparse
#ifndef CH_LINALG_PRINCIPAL_FACTOR_H
#define CH_LINALG_PRINCIPAL_FACTOR_H

#include <stdbool.h>

#include "base/arena.h"
#include "cardhouse/sparse.h"

typedef struct ChPrincipalFactor ChPrincipalFactor;

// Starts with no rows. A holds both triangles and must outlive the factor; at most `rank_max` rows are ever in. Freed
// with the arena.
ChPrincipalFactor* ch_principal_factor_create(ChArena* arena, const ChSparse* A, int rank_max, bool sparse);

// x_a = A_aa^-1 b_a; the entries of x outside of a become zero and those of b are not read.
void ch_principal_factor_solve(ChPrincipalFactor* factor, const double* b, double* x);

// d_a = A_aa^-1 A_ap for a row p that is not in; returns the Schur complement A_pp - A_pa d_a, which is zero where row
// p depends on the rows that are.
double ch_principal_factor_probe(ChPrincipalFactor* factor, int p, double* d);

// Row p enters, directly after it was probed and found independent; row p leaves.
void ch_principal_factor_add(ChPrincipalFactor* factor, int p);
void ch_principal_factor_drop(ChPrincipalFactor* factor, int p);

bool ch_principal_factor_holds(const ChPrincipalFactor* factor, int p);

#endif
