// The energy of a St. Venant-Kirchhoff body in the amplitudes of its basis: an exact polynomial of degree four.
//
//   E = sum_a q_a e_a + sum_ab q_a q_b g_ab,   e_a = sym D_a,  g_ab = sym(D_a' D_b) / 2,   D_a = dU_a / dX
//   V = int |c(E)|^2 / 2 = 1/2 q'K0 q + q'T3(q) q + q'T4(q) q
//   T3_ab = sum_c A_abc q_c,   T4_ab = sum_cd B_abcd q_c q_d,   A and B symmetric in all their indices
//
// so that the force is K0 q + 3 T3 q + 4 T4 q and the stiffness K0 + 6 T3 + 12 T4: both come from the same two
// symmetric matrices. These are kept as vectors over the n (n + 1) / 2 pairs a <= b.
#ifndef CH_MODEL_SOFT_SOFT_CUBIC_H
#define CH_MODEL_SOFT_SOFT_CUBIC_H

#include "model/soft/soft.h"
#include "model/soft/soft_mesh.h"

typedef struct ChSoftCubic {
  int n, pairs;
  double* A;  // n x pairs
  double* B;  // upper triangle of pairs x pairs by rows
} ChSoftCubic;

static inline int ch_soft_pair_count(int n) { return n * (n + 1) / 2; }

enum { CH_SOFT_PAIRS_MAX = CH_SOFT_MODES_MAX * (CH_SOFT_MODES_MAX + 1) / 2 };

// T3 and T4 over the pairs.
void ch_soft_cubic_matrices(const ChSoftCubic* cubic, const double* q, double* T3, double* T4);

// Fills A and B for a basis of fields on the mesh.
void ch_soft_cubic_build(ChArena* arena, const ChSoftMesh* mesh, const double* U, const ChSoftCubic* cubic);

#endif
