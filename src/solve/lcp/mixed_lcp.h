// The mixed complementarity problem of a step (Anitescu and Hart 2004, (6)-(7)): velocities and joints are kept,
//
//   [ M    -nu  -n  -D   0 ] [ v      ]   [ -f ]     = 0            M (v - vp) = nu c_nu + n c_n + D beta
//   [ nu'   0    0   0   0 ] [ c_nu   ]   [ .  ]     = 0            joints
//   [ n'    0    0   0   0 ] [ c_n    ] + [ w_n]     >= 0, _|_ c_n
//   [ D'    0    0   0   E ] [ beta   ]   [ .  ]     >= 0, _|_ beta
//   [ 0     0    mu -E'  0 ] [ lambda ]   [ 0  ]     >= 0, _|_ lambda
//
// in the problem's own units; f = M vp. The rows after those of v are ordered block by block, as in polygon_lcp.h,
// which is what eliminating v makes of it. A is sparse and costs no product, and M need not be inverted.
#ifndef CH_SOLVE_LCP_MIXED_LCP_H
#define CH_SOLVE_LCP_MIXED_LCP_H

#include "cardhouse/problem.h"
#include "solve/lcp/lcp_basis.h"

typedef struct ChMixedLcp {
  ChLcp lcp;
  int dof;     // the first `dof` variables are v
  ChSparse G;  // r = G y + base, y the variables after v
  double* base;
} ChMixedLcp;

// The problem must be global, and every contact in space must have sides.
ChMixedLcp ch_mixed_lcp(ChArena* arena, const ChProblem* problem);

// r of a point x = (v, y)
void ch_mixed_lcp_reactions(const ChMixedLcp* mixed, const double* x, double* r);

#endif
