// The mixed complementarity problem: for every i
//
//   x_i = lower_i and F_i(x) >= 0,   or   lower_i < x_i < upper_i and F_i(x) = 0,   or   x_i = upper_i and F_i(x) <= 0.
//
// Free variables (both bounds infinite) carry equations F_i = 0, variables with lower bound 0 the pairs x_i >= 0,
// F_i >= 0, x_i F_i = 0.
#ifndef CARDHOUSE_COMPLEMENTARITY_H
#define CARDHOUSE_COMPLEMENTARITY_H

#include "cardhouse/api.h"
#include "cardhouse/sparse.h"
#include "cardhouse/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// A caller who fills in this struct owns everything that it points to. ch_mcp_destroy frees a problem that the library
// made.
typedef struct ChMcp {
  int n;
  const double *lower, *upper;                               // may be infinite
  double* start;                                             // starting point, n
  void* user;                                                // passed to the functions
  void (*evaluate)(void* user, const double* x, double* F);  // F may be NaN at an x where it is not defined
  void (*multiply)(void* user, const double* x, const double* d, double* out);             // out = F'(x) d
  void (*multiply_transposed)(void* user, const double* x, const double* w, double* out);  // out = F'(x)^T w
  const ChSparse* matrix;              // F' if F is affine, otherwise NULL
  void (*release)(struct ChMcp* mcp);  // called by ch_mcp_destroy; NULL: none
} ChMcp;

// Makes the affine problem F(x) = A x + b, A square, starting from 0. Everything is copied. Refuses sizes that do not
// fit, indices out of range, numbers that are not finite and bounds that cross. The caller owns *out, which is NULL on
// failure.
CH_API ChStatus ch_mcp_affine_create(ChContext* context, const ChTriplets* A, const double* b, const double* lower,
                                     const double* upper, ChMcp** out);

// Frees a problem that the library made; NULL is legal.
CH_API void ch_mcp_destroy(ChMcp* mcp);

// Computes the natural residual, max |x_i - mid(lower_i, upper_i, x_i - F_i)|. It is zero exactly at solutions, and NaN
// if F is NaN. F (n) receives F(x).
CH_API double ch_mcp_natural(const ChMcp* mcp, const double* x, double* F);

typedef struct ChMcpOptions {
  double tolerance;     // on the natural residual; default 1e-6
  long max_iterations;  // trust-region iterations of one run; 0: 1000, or 10000 with more than 100 pairs
  double time_limit;    // seconds; default 600
  int restarts;         // further starting points if a stationary point turns out not to be a solution; default 20
  double gradient;      // a run stops when the projected gradient falls below this; 0: a value that suits the form
  double target;        // a run also stops when the objective falls below this; 0: likewise
  long max_inner;       // iterations of one run of the quadratic solver; 0: a number that suits the form
} ChMcpOptions;

// Returns the defaults named above.
CH_API ChMcpOptions ch_mcp_options_default(void);

// The work of the trust-region method on a box, and its result. The short names are those of its authors.
typedef struct ChBoxInfo {
  long it_box;  // trust-region iterations (ItBox)
  long fe;      // function values (FE)
  long it_qua;  // iterations of the quadratic solver (ItQua)
  long mvp;     // products with the Hessian (MVP)
  double value;
  double projected_gradient;
} ChBoxInfo;

typedef struct ChMcpInfo {
  ChBoxInfo box;   // counters, objective and projected gradient of the bound-constrained form
  int dimension;   // of that form
  int runs;        // starting points used
  double natural;  // the certificate
  double seconds;
} ChMcpInfo;

// The authors' criterion of success: the objective of the bound-constrained form is at most this.
#define CH_MCP_OBJECTIVE 1e-10

// Solves through the bound-constrained form of docs/theory/boxmin.md. x (n) receives the answer, or the best one found
// on failure. Returns CH_OK if the natural residual meets the tolerance and the objective is at most CH_MCP_OBJECTIVE;
// otherwise CH_MAX_ITER, CH_MAX_TIME, CH_ERR_NUMERIC or CH_ERR_MEMORY. NULL options are the defaults.
CH_API ChStatus ch_mcp_solve(ChContext* context, const ChMcp* mcp, const ChMcpOptions* options, double* x,
                             ChMcpInfo* info);

#ifdef __cplusplus
}
#endif
#endif
