// The mixed complementarity problem: for every i
//
//   x_i = lower_i and F_i(x) >= 0,   or   lower_i < x_i < upper_i and F_i(x) = 0,   or   x_i = upper_i and F_i(x) <= 0.
//
// Free variables (both bounds infinite) carry the equations g = 0 of an MNCP, variables with lower bound 0 its pairs
// u >= 0, f >= 0, u'f = 0.
#ifndef CH_MCP_MCP_H
#define CH_MCP_MCP_H

#include "base/arena.h"
#include "cardhouse/sparse.h"
#include "cardhouse/status.h"
#include "solve/box_trust_region.h"

typedef struct ChMcp {
  int n;
  const double *lower, *upper;
  double* start;
  void* user;
  void (*evaluate)(void* user, const double* x, double* F);                     // may give NaN where F is not defined
  void (*multiply)(void* user, const double* x, const double* d, double* out);  // out = F'(x) d
  void (*multiply_transposed)(void* user, const double* x, const double* w, double* out);  // out = F'(x)^T w
  const ChSparse* matrix;  // F' where F is affine, NULL otherwise
} ChMcp;

// Affine: F(x) = A x + b.
ChMcp ch_mcp_affine(ChArena* arena, const ChSparse* A, const double* b, const double* lower, const double* upper);

// max |x_i - mid(lower_i, upper_i, x_i - F_i)|: zero exactly at solutions, NaN where F is. `F` is filled on the way.
double ch_mcp_natural(const ChMcp* mcp, const double* x, double* F);

typedef struct ChMcpOptions {
  double tolerance;     // on the natural residual
  long max_iterations;  // trust-region iterations of one run; 0: 1000, or 10000 with more than 100 pairs
  double time_limit;    // seconds
  int restarts;         // further starting points when a stationary point turns out not to be a solution
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
