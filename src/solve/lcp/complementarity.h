// The mixed complementarity problem: for every i
//
//   x_i = lower_i and F_i(x) >= 0,   or   lower_i < x_i < upper_i and F_i(x) = 0,   or   x_i = upper_i and F_i(x) <= 0.
//
// Free variables (both bounds infinite) carry the equations g = 0 of an MNCP, variables with lower bound 0 its pairs
// u >= 0, f >= 0, u'f = 0.
#ifndef CH_SOLVE_LCP_COMPLEMENTARITY_H
#define CH_SOLVE_LCP_COMPLEMENTARITY_H

#include "base/arena.h"
#include "cardhouse/sparse.h"

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

#endif
