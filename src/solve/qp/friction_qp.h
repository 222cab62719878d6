// The non-convex quadratic programme behind the Stewart-Trinkle problem (Kaufman 2009, (5.31) and (5.32)):
//
//   min  y'(A y + b)   subject to   w = A y + b >= 0,  y >= 0          (A, b, y: polygon_lcp.h)
//
// Its value is y'w >= 0, and a point of value 0 is a solution of the contact problem. With the skew parts cancelled it
// is r'W r + r'q + sum mu alpha lambda: convex but for the products alpha lambda. A point that meets the first-order
// conditions may have a positive value; it is then no solution, and local methods end there. A free variable (joint)
// has no sign, and its row is an equation.
#ifndef CH_SOLVE_QP_FRICTION_QP_H
#define CH_SOLVE_QP_FRICTION_QP_H

#include "solve/lcp/polygon_lcp.h"
#include "solve/method.h"

// Dense methods take problems with up to so many variables: matrices of 70 MB, factorisations of a second.
enum { CH_FRICTION_QP_LARGEST = 3000 };

typedef struct ChFrictionQp {
  ChPolygonLcp lcp;
  ChSparse AT;  // its columns are the rows of A
  int n;
  double *r, *u;  // scratch of offers
} ChFrictionQp;

ChFrictionQp ch_friction_qp(ChArena* arena, const ChSystem* system);

// w = A y + b
void ch_friction_qp_slack(const ChFrictionQp* qp, const double* y, double* w);

// y'w over the variables with a sign
double ch_friction_qp_value(const ChFrictionQp* qp, const double* y, const double* w);

// How a local method says that it has ended: the value goes to the note, and where the first-order conditions hold and
// the best error is not small, the point is called stationary. A small one is a solution not seen to the last digit.
void ch_friction_qp_end(const ChFrictionQp* qp, ChRun* run, const double* y, const double* w, bool first_order);

// Offers the reactions of y, put inside their cones, to the run; returns their error.
double ch_friction_qp_offer(ChFrictionQp* qp, ChRun* run, const double* y);

#endif
