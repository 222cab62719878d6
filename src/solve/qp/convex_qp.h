// A dense convex quadratic programme by the dual active-set method (dual_active_set.h):
//
//   min 1/2 x'Hx + c'x,   N_i'x = b_i for the first `equalities` rows, N_i'x >= b_i for the others
//
// H strictly convex: H = L L', A = (L^-1 N)'(L^-1 N), x = H^-1 (N'y - c). Constraints may be redundant.
// H semidefinite: proximal-point steps, x <- argmin 1/2 x'Hx + c'x + eps/2 |x - x_k|^2, each strictly convex and each
// hot from the active set of the last, whose factor is kept. They converge to a solution from anywhere (Rockafellar
// 1976), and in a finite number of steps along directions in which H is zero.
#ifndef CH_SOLVE_QP_CONVEX_QP_H
#define CH_SOLVE_QP_CONVEX_QP_H

#include "base/work.h"
#include "solve/qp/dual_active_set.h"

typedef struct ChConvexQp {
  int n, m, equalities;
  const double *H, *c;  // n x n, n
  const double *N, *b;  // m x n by rows, m
  double tolerance;     // relative
  ChDeadline deadline;
} ChConvexQp;

// x: n. y: multipliers, m; in: a hot start, zero for none. `changes` of the active set and proximal steps are counted.
typedef struct ChConvexQpAnswer {
  double *x, *y;
  long changes;
  int proximal_steps;  // 0: H was strictly convex
} ChConvexQpAnswer;

// CH_DUAL_LIMIT also where the proximal steps do not settle: the objective is then unbounded below.
ChDualEnd ch_convex_qp_solve(ChArena* arena, const ChConvexQp* qp, ChConvexQpAnswer* answer);

#endif
