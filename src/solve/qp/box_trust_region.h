// Trust region in the infinity norm for a smooth function on a box, matrix-free.
//
//   minimise  F(x)   subject to   lower <= x <= upper
//
// The step of an iteration minimises the quadratic model g's + s'Hs/2, convex or not, over the intersection of the box
// with the trust region |s|_inf <= Delta, which is again a box. See docs/theory/boxmin.md.
#ifndef CH_SOLVE_QP_BOX_TRUST_REGION_H
#define CH_SOLVE_QP_BOX_TRUST_REGION_H

#include <stdbool.h>

#include "base/arena.h"
#include "cardhouse/complementarity.h"

typedef struct ChBoxProblem {
  int n;
  const double* lower;  // may be -INFINITY
  const double* upper;  // may be INFINITY
  void* user;
  double (*value)(void* user, const double* x);  // NaN or infinite where F is not defined: the step is then refused
  void (*gradient)(void* user, const double* x, double* g);   // also makes x the point of the products to come
  void (*product)(void* user, const double* d, double* out);  // out = F''(x) d
  // y ~ F''(x)^-1 r over the free variables, zero elsewhere; positive definite. NULL: none. `new_face` is true when the
  // free variables or the point changed since the last call, so that a factorisation is due.
  void (*precondition)(void* user, bool new_face, const bool* free, const double* r, double* y);
} ChBoxProblem;

typedef struct ChBoxOptions {
  double gradient_tolerance;  // stops when |P(x - g) - x|_inf falls below
  double target;              // stops when F falls below: for functions whose least value is known to be zero
  double radius;              // first Delta
  long max_iterations;        // of the trust region
  long max_inner;             // of the quadratic solver, each time
  double time_limit;          // seconds
  double work_limit;          // see base/work.h
  bool (*stop)(void* stop_user, const double* x);  // asked at every new point; true ends with CH_OK. NULL: never
  void* stop_user;
} ChBoxOptions;

ChBoxOptions ch_box_options_default(void);

// Moves x, which is first brought into the box, to a stationary point. CH_OK: a stopping test was met; CH_MAX_ITER: out
// of iterations, or no step makes F smaller in this arithmetic; CH_MAX_TIME; CH_ERR_NUMERIC: F is not finite at the
// start. Counters are added to *info, so that several runs add up.
ChStatus ch_box_minimize(ChArena* arena, const ChBoxProblem* problem, const ChBoxOptions* options, double* x,
                         ChBoxInfo* info);

#endif
