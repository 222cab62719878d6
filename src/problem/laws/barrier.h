// Barriers of the interior-point method, one for each kind of set: where an iteration begins, how far it is from
// complementarity, the scaling that takes r to u, and how far a step may go.
//
// A point is (r, u) of one block in the barrier's own variables: in a cone the first entry of r is multiplied and that
// of u divided by mu, so that both are in the Lorentz cone.
#ifndef CH_PROBLEM_LAWS_BARRIER_H
#define CH_PROBLEM_LAWS_BARRIER_H

#include <stdbool.h>

#include "linalg/lorentz.h"

struct ChScaledBlock;

#define CH_FREE_SHIFT 1e-9  // proximal weight of rows without a cone, so that their block of the matrix can be inverted

enum { CH_INTERIOR_CONES = 3 };  // most cones of one block

// What a block of several cones over one normal keeps: of each cone the head of u's part, and its scaling.
typedef struct ChInteriorCones {
  double head[CH_INTERIOR_CONES], dhead[CH_INTERIOR_CONES];
  double c[CH_INTERIOR_CONES][4], lambda[CH_INTERIOR_CONES][4];
  ChScaling scaling[CH_INTERIOR_CONES];
} ChInteriorCones;

// One block of an interior point. The arrays have an entry a row.
typedef struct ChInterior {
  double *r, *u;    // inside their sets
  double *dr, *du;  // step
  double* c;        // centring term
  double* lambda;   // cones: N r = N^-1 u
  ChScaling scaling;
  double lower, upper, dlower, dupper;  // bounds: their multipliers; 0: no such bound
  ChInteriorCones* cones;               // where the barrier has `several`
} ChInterior;

typedef struct ChBarrier {
  bool cone;     // r and u are in the Lorentz cone
  bool several;  // ... in several of them that share r_0: the block needs ChInteriorCones
  // De Saxce's shift in the barrier's variables, rounded off within ep: the sum over the cones of mu_k (sqrt(|u_k|^2 +
  // ep^2) - ep), with its gradient t in the tangent entries. NULL: no friction.
  double (*slip)(const struct ChScaledBlock* b, const double* u, double ep, double* t);
  // A start of this size; true where anything is bounded at all.
  bool (*start)(const struct ChScaledBlock* b, double size, ChInterior* x);
  // Adds the complementarity after a step of this length to the sum; returns over how many pairs.
  int (*complementarity)(const struct ChScaledBlock* b, const ChInterior* x, double step, double* sum);
  // G, symmetric and positive definite, with G r = u in a cone; notes the scaling.
  void (*scale)(const struct ChScaledBlock* b, ChInterior* x, double* G);
  // c towards complementarity `target`, with Mehrotra's correction from the step at hand when asked.
  void (*centre)(const struct ChScaledBlock* b, ChInterior* x, double target, bool correct);
  // What follows from dr.
  void (*finish)(const struct ChScaledBlock* b, ChInterior* x);
  // The smaller of `step` and the longest one that stays inside.
  double (*longest)(const struct ChScaledBlock* b, const ChInterior* x, double step);
  // What follows from r + step dr and u + step du, which are there already.
  void (*advance)(const struct ChScaledBlock* b, ChInterior* x, double step);
} ChBarrier;

extern const ChBarrier ch_barrier_lorentz;  // r_0 >= |r_1..|
extern const ChBarrier ch_barrier_balls;    // r_0 >= |r_k| / mu_k for every ball k, see balls.h
extern const ChBarrier ch_barrier_bounds;   // lo <= r <= hi, one row, either may be infinite
extern const ChBarrier ch_barrier_none;     // r free, u = 0

#endif
