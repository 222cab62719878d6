// Mixed complementarity problems (solve/lcp/complementarity.h) with a solver of their own.
#ifndef CH_MCP_MCP_H
#define CH_MCP_MCP_H

#include "cardhouse/status.h"
#include "solve/lcp/complementarity.h"
#include "solve/qp/box_trust_region.h"

typedef struct ChMcpOptions {
  double tolerance;     // on the natural residual
  long max_iterations;  // trust-region iterations of one run; 0: 1000, or 10000 with more than 100 pairs
  double time_limit;    // seconds
  int restarts;         // further starting points when a stationary point turns out not to be a solution
  double gradient;      // a run stops when the projected gradient falls below; 0: at what suits the form
  double target;        // or when the objective does; 0: the same
  long max_inner;       // iterations of the quadratic solver, each time; 0: what suits the form
} ChMcpOptions;

typedef struct ChMcpInfo {
  ChBoxInfo box;   // counters, objective and projected gradient of the bound-constrained form
  int dimension;   // of that form
  int runs;        // starting points used
  double natural;  // the certificate
  double seconds;
} ChMcpInfo;

// The authors' test of success on the objective of the bound-constrained form.
#define CH_MCP_OBJECTIVE 1e-10

ChMcpOptions ch_mcp_options_default(void);

// Solves through the bound-constrained form of docs/theory/boxmin.md. x (n) receives the answer, the best one seen when
// it fails. CH_OK when the natural residual meets the tolerance and the objective is at most CH_MCP_OBJECTIVE.
ChStatus ch_mcp_boxmin(ChArena* arena, const ChMcp* mcp, const ChMcpOptions* options, double* x, ChMcpInfo* info);

#endif
