// The mixed complementarity problem of a step, as cardhouse/friction_matrix.h states it. The rows after those of v are
// ordered block by block, as in polygon_lcp.h, which is what eliminating v makes of it. A is sparse and costs no
// product, and M need not be inverted.
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
