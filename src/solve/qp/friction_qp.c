// The programme itself: see friction_qp.h.
#include "solve/qp/friction_qp.h"

#include <stdio.h>
#include <string.h>

#include "linalg/sparse.h"

ChFrictionQp ch_friction_qp(ChArena* arena, const ChSystem* system) {
  ChFrictionQp qp = {.lcp = ch_polygon_lcp(arena, system)};
  qp.AT = ch_sparse_transpose(arena, &qp.lcp.A);
  qp.n = qp.lcp.n;
  qp.r = CH_TAKE(arena, system->rows, double);
  qp.u = CH_TAKE(arena, system->rows, double);
  return qp;
}

void ch_friction_qp_slack(const ChFrictionQp* qp, const double* y, double* w) {
  memcpy(w, qp->lcp.b, (size_t)qp->n * sizeof *w);
  ch_sparse_multiply_add(&qp->lcp.A, y, w);
}

double ch_friction_qp_value(const ChFrictionQp* qp, const double* y, const double* w) {
  double sum = 0.0;
  for (int i = 0; i < qp->n; ++i)
    if (!qp->lcp.free[i]) sum += y[i] * w[i];
  return sum;
}

void ch_friction_qp_end(const ChFrictionQp* qp, ChRun* run, const double* y, const double* w, bool first_order) {
  snprintf(run->note, sizeof run->note, "value of the non-convex programme %.3e", ch_friction_qp_value(qp, y, w));
  if (first_order && !(run->error <= 1e-5 * run->scale)) run->ending = CH_STATIONARY;
}

double ch_friction_qp_offer(ChFrictionQp* qp, ChRun* run, const double* y) {
  ch_polygon_lcp_reactions(&qp->lcp, run->system, y, qp->r);
  ch_system_project(run->system, qp->r, qp->r);
  return ch_run_offer_reaction(run, qp->r, qp->u);
}
