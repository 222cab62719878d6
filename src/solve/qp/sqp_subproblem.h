// The convex quadratic programme of one SQP step, by a primal-dual interior-point method.
//
//   min  1/2 y'B y + c'y    subject to   w = A y + b >= 0 (equations: = 0),  y >= 0 (free variables: any sign)
//
// B is symmetric positive definite, dense; A sparse. Newton's system is condensed to
// (B + Y^-1 Z + A' W^-1 V A) dy = h and factored by Cholesky (Mehrotra's predictor and corrector share it). An equation
// has 1/delta for v/w: a step of the method of multipliers, exact where the steps end.
#ifndef CH_SOLVE_QP_SQP_SUBPROBLEM_H
#define CH_SOLVE_QP_SQP_SUBPROBLEM_H

#include "solve/qp/friction_qp.h"

typedef struct ChSqpSubproblem {
  const ChFrictionQp* qp;  // A, b and which variables are free
  const double *B, *c;     // B by columns, both triangles
  double *y, *w, *z, *v;   // point and multipliers: z of y >= 0, v of w >= 0
  double* best[3];         // y, z and v of the best point so far
  double *K, *dy, *dw, *dz, *dv, *rd, *rp, *cy, *cw, *h, *right, *weight;
} ChSqpSubproblem;

ChSqpSubproblem ch_sqp_subproblem(ChArena* arena, const ChFrictionQp* qp);

// Minimises; B, c are set, y holds a start. Ends when residuals and complementarity are below the tolerance, at the
// iteration limit, at the clock of the run or where rounding stops it. y, z and v are then the best point seen, and the
// larger of its residual and complementarity is returned. Iterations and factorisations are added to the run's.
double ch_sqp_subproblem_solve(ChSqpSubproblem* p, ChRun* run, double tolerance);

#endif
