// The exact solution of one block with everything else frozen: u = W r + b and (u, r) obey the law.
//
// Contact in space: b_n >= 0 gives r = 0. Otherwise eliminate the normal row (u_n = 0),
//   Wt = W_TT - w w^T / W_nn,  qt = b_T - w b_n / W_nn,  w = W_Tn
//   r_T(a) = -(Wt + a I)^-1 qt,  r_n(a) = -(b_n + w . r_T) / W_nn,  phi(a) = |r_T| - mu r_n
// phi(0) <= 0 is sticking; else sliding, with a > 0 the root of phi: a bracket always exists. Wt is diagonalised once,
// so that a solve is a scalar iteration, started from the last root.
#ifndef CH_SOLVE_CONTACT_LOCAL_CONTACT_H
#define CH_SOLVE_CONTACT_LOCAL_CONTACT_H

#include "system/system.h"

typedef struct ChLocalBlock {
  double normal_inverse;  // 1 / W_nn
  double cosine, sine;    // eigenvectors of Wt
  double value[2];        // its eigenvalues
  double lever[2];        // -w / W_nn in the eigenbasis
  double root;            // last a
  double* inverse;        // free blocks: W_ii^-1
  double asymmetry[9];    // W_ii minus its symmetric part, carried on the right-hand side
  bool skew;
} ChLocalBlock;

void ch_local_prepare(ChArena* arena, const ChSystem* s, int i, ChLocalBlock* local);

// r: in the current reaction of block i (used by skew blocks), out the solution. b = u - W_ii r at the block.
void ch_local_solve(const ChSystem* s, int i, ChLocalBlock* local, const double* b, double* r);

#endif
