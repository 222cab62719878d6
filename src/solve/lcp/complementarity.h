// Mixed complementarity problems inside an arena: see cardhouse/complementarity.h.
#ifndef CH_SOLVE_LCP_COMPLEMENTARITY_H
#define CH_SOLVE_LCP_COMPLEMENTARITY_H

#include "base/arena.h"
#include "cardhouse/complementarity.h"

// Affine: F(x) = A x + b. Nothing but `start` is copied.
ChMcp ch_mcp_affine(ChArena* arena, const ChSparse* A, const double* b, const double* lower, const double* upper);

// ch_mcp_solve with an arena for scratch.
ChStatus ch_mcp_boxmin(ChArena* arena, const ChMcp* mcp, const ChMcpOptions* options, double* x, ChMcpInfo* info);

#endif
