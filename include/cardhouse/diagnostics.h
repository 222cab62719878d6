// The progress of an iteration of staggered projections, in the terms of Kaufman 2009, chapters 5 and 6.
//
// Energies are relative to |q|^2 in the kinetic metric of the current part, so they are independent of units. A
// quantity is NaN if it does not apply, or if it needs a previous iteration and there is none.
#ifndef CARDHOUSE_DIAGNOSTICS_H
#define CARDHOUSE_DIAGNOSTICS_H

#include "cardhouse/solve.h"

#ifdef __cplusplus
extern "C" {
#endif

// name, meaning; `+` is this iteration and `-` the one before
#define CH_STAGGERED_FIELDS(X)                                                                      \
  X(rel_err, "(5.21), squared as printed: change of friction over the friction before")             \
  X(residual, "(5.22): sum of |alpha_k u_n,k|")                                                     \
  X(objective, "(5.32): 0 at a solution")                                                           \
  X(nu, "(6.25): change of lambda times mu times the change of alpha that friction received")       \
  X(gamma, "(6.25): square of the change of (alpha, beta) in the kinetic metric")                   \
  X(delta, "(6.25): coupling of that change with the change that the two projections received")     \
  X(ratio, "that change over the change that they received, in the kinetic metric")                 \
  X(K_A, "(6.35): bound of the ratio in cases 1, 2a, 2b; cosine of the angle between active spans") \
  X(angle, "that angle in degrees (6.42)")                                                          \
  X(epsilon, "(6.28): the largest weight that lambda can be given")                                 \
  X(K_B, "(6.40), case 2c, as printed: sqrt(K_A^2 + mu^2) / epsilon")                               \
  X(K_B_corrected, "bound that holds in case 2c: sqrt(K_A^2 + mu^2 |W_NN^-1| / epsilon)")           \
  X(ratio_lambda, "the ratio with lambda at weight epsilon: what K_B bounds")

typedef struct ChStaggeredStep {
  int iteration;           // of the current part, from 1
  int best;                // iteration with the smallest residual so far
  const char* label;       // case of section 6.5.3: "1", "2a", "2b", "2c"; "-" without predecessor or change
  int contracts;           // K_A < 1 or, in case 2c, the test (6.47) as printed
  int rows;                // of the current part
  const double* reaction;  // reactions of this iteration, in the method's own unit; valid during the call
#define X(name, text) double name;
  CH_STAGGERED_FIELDS(X)
#undef X
} ChStaggeredStep;

typedef void (*ChStaggeredFn)(void* user, const ChStaggeredStep* step);

// The receiver of the iterations.
typedef struct ChStaggeredWatch {
  ChStaggeredFn tell;
  void* user;  // passed to it
  bool plain;  // leaves out K_A and the figures that follow from it: they take most of the time
} ChStaggeredWatch;

// Solves as ch_solve does. If options->method is "staggered", it also tells the watch about every iteration of every
// part. That costs time, not bits. Other methods tell the watch nothing. The watch may be NULL.
CH_API ChStatus ch_solve_staggered(ChContext* context, const ChProblem* problem, const ChSolveOptions* options,
                                   const ChStaggeredWatch* watch, double* v, double* u, double* r, ChSolveInfo* info);

#ifdef __cplusplus
}
#endif
#endif
