// Interior point for the convex step: see sqp_subproblem.h.
#include "solve/qp/sqp_subproblem.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "linalg/sparse.h"

enum { ITERATIONS_MOST = 80, SHIFTS_MOST = 6 };
static const double FIRST_SHIFT = 1e-10;
static const double WORSENING = 1e3;  // rounding has the upper hand: the condition of K grows without bound
static const double DELTA = 1e-8;     // of equations
static const double TO_BOUNDARY = 0.995;
static const double LEAST_START = 1e-2;  // of a variable with a sign, scaled variables being of size 1

ChSqpSubproblem ch_sqp_subproblem(ChArena* arena, const ChFrictionQp* qp) {
  ChSqpSubproblem p = {.qp = qp, .K = CH_TAKE(arena, (size_t)qp->n * (size_t)qp->n, double)};
  double** vectors[] = {&p.y,  &p.w,  &p.z,  &p.v,  &p.dy, &p.dw,    &p.dz,    &p.dv,
                        &p.rd, &p.rp, &p.cy, &p.cw, &p.h,  &p.right, &p.weight};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; ++k) *vectors[k] = CH_TAKE(arena, qp->n, double);
  for (int k = 0; k < 3; ++k) p.best[k] = CH_TAKE(arena, qp->n, double);
  return p;
}

static void start(ChSqpSubproblem* p) {
  ch_friction_qp_slack(p->qp, p->y, p->w);
  for (int i = 0; i < p->qp->n; ++i) {
    const bool free = p->qp->lcp.free[i];
    if (!free) p->y[i] = fmax(p->y[i], LEAST_START);
    p->w[i] = free ? 0.0 : fmax(p->w[i], LEAST_START);
    p->z[i] = free ? 0.0 : LEAST_START / p->y[i] * 10.0 * LEAST_START + LEAST_START;
    p->v[i] = free ? 0.0 : p->z[i];
  }
}

// rd = B y + c - z - A'v,  rp = A y + b - w.  Returns the larger of their largest entries.
static double fill_residuals(ChSqpSubproblem* p) {
  const int n = p->qp->n;
  for (int i = 0; i < n; ++i) p->rd[i] = p->c[i] - p->z[i];
  cblas_dsymv(CblasColMajor, CblasLower, n, 1.0, p->B, n, p->y, 1, 1.0, p->rd, 1);
  for (int i = 0; i < n; ++i) p->h[i] = -p->v[i];
  ch_sparse_multiply_transposed_add(&p->qp->lcp.A, p->h, p->rd);
  ch_friction_qp_slack(p->qp, p->y, p->rp);
  double largest = 0.0;
  for (int i = 0; i < n; ++i) {
    p->rp[i] -= p->w[i];
    largest = ch_max(largest, ch_max(fabs(p->rd[i]), fabs(p->rp[i])));
  }
  return largest;
}

static double mean_product(const ChSqpSubproblem* p) {
  double sum = 0.0;
  int count = 0;
  for (int i = 0; i < p->qp->n; ++i)
    if (!p->qp->lcp.free[i]) sum += p->y[i] * p->z[i] + p->w[i] * p->v[i], count += 2;
  return count ? sum / count : 0.0;
}

// K = B + Y^-1 Z + A' D A + shift, lower triangle, through the sparse rows of A.
static void fill_matrix(ChSqpSubproblem* p, double shift) {
  const int n = p->qp->n;
  const ChSparse* rows = &p->qp->AT;
  memcpy(p->K, p->B, (size_t)n * (size_t)n * sizeof *p->K);
  for (int i = 0; i < n; ++i) {
    const bool free = p->qp->lcp.free[i];
    p->weight[i] = free ? 1.0 / DELTA : p->v[i] / p->w[i];
    p->K[(size_t)i * (size_t)n + (size_t)i] += shift + (free ? 0.0 : p->z[i] / p->y[i]);
  }
  for (int i = 0; i < n; ++i)
    for (int a = rows->start[i]; a < rows->start[i + 1]; ++a) {
      double* column = p->K + (size_t)rows->index[a] * (size_t)n;
      const double scaled = p->weight[i] * rows->value[a];
      for (int e = a; e < rows->start[i + 1]; ++e) column[rows->index[e]] += scaled * rows->value[e];
    }
}

// Weights of many sizes can spoil the definiteness of K by rounding. A shift repairs it and only shortens the step: the
// residuals are those of the problem itself.
static bool factor(ChSqpSubproblem* p) {
  double shift = 0.0;
  for (int k = 0; k<SHIFTS_MOST; ++k, shift = shift> 0.0 ? 100.0 * shift : FIRST_SHIFT) {
    fill_matrix(p, shift);
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', p->qp->n, p->K, p->qp->n) == 0) return true;
  }
  return false;
}

// dy = K^-1 dy with one step of refinement: K is ill-conditioned near the end, its product is known well.
static void solve_refined(ChSqpSubproblem* p) {
  const int n = p->qp->n;
  memcpy(p->right, p->dy, (size_t)n * sizeof *p->dy);
  LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', n, 1, p->K, n, p->dy, n);
  memset(p->dw, 0, (size_t)n * sizeof *p->dw);
  ch_sparse_multiply_add(&p->qp->lcp.A, p->dy, p->dw);
  for (int i = 0; i < n; ++i) {
    p->dw[i] *= -p->weight[i];
    if (!p->qp->lcp.free[i]) p->right[i] -= p->z[i] / p->y[i] * p->dy[i];
  }
  ch_sparse_multiply_transposed_add(&p->qp->lcp.A, p->dw, p->right);
  cblas_dsymv(CblasColMajor, CblasLower, n, -1.0, p->B, n, p->dy, 1, 1.0, p->right, 1);
  LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', n, 1, p->K, n, p->right, n);
  for (int i = 0; i < n; ++i) p->dy[i] += p->right[i];
}

// The step for complementarity targets cy (of y z) and cw (of w v).
static void direction(ChSqpSubproblem* p) {
  const int n = p->qp->n;
  for (int i = 0; i < n; ++i) {
    const bool free = p->qp->lcp.free[i];
    p->dy[i] = -p->rd[i] + (free ? 0.0 : p->cy[i] / p->y[i]);
    p->h[i] = free ? -p->rp[i] / DELTA : (p->cw[i] - p->v[i] * p->rp[i]) / p->w[i];
  }
  ch_sparse_multiply_transposed_add(&p->qp->lcp.A, p->h, p->dy);
  solve_refined(p);
  memcpy(p->dw, p->rp, (size_t)n * sizeof *p->dw);
  ch_sparse_multiply_add(&p->qp->lcp.A, p->dy, p->dw);
  for (int i = 0; i < n; ++i) {
    const bool free = p->qp->lcp.free[i];
    p->dz[i] = free ? 0.0 : (p->cy[i] - p->z[i] * p->dy[i]) / p->y[i];
    p->dv[i] = free ? -p->dw[i] / DELTA : (p->cw[i] - p->v[i] * p->dw[i]) / p->w[i];
    if (free) p->dw[i] = 0.0;
  }
}

static double step_length(const ChSqpSubproblem* p) {
  const double *x[] = {p->y, p->w, p->z, p->v}, *dx[] = {p->dy, p->dw, p->dz, p->dv};
  double length = 1.0;
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < p->qp->n; ++i)
      if (!p->qp->lcp.free[i] && dx[k][i] < 0.0) length = fmin(length, -x[k][i] / dx[k][i]);
  return length;
}

// Predictor: where would the step without centring lead? The answer chooses the centring and the corrector.
static void choose_targets(ChSqpSubproblem* p, double mu) {
  const int n = p->qp->n;
  for (int i = 0; i < n; ++i) p->cy[i] = -p->y[i] * p->z[i], p->cw[i] = -p->w[i] * p->v[i];
  direction(p);
  const double length = step_length(p);
  double sum = 0.0;
  int count = 0;
  for (int i = 0; i < n; ++i)
    if (!p->qp->lcp.free[i])
      sum += (p->y[i] + length * p->dy[i]) * (p->z[i] + length * p->dz[i]) +
             (p->w[i] + length * p->dw[i]) * (p->v[i] + length * p->dv[i]),
          count += 2;
  const double ratio = count && mu > 0.0 ? sum / count / mu : 0.0, target = ratio * ratio * ratio * mu;
  for (int i = 0; i < n; ++i) {
    p->cy[i] += target - p->dy[i] * p->dz[i];
    p->cw[i] += target - p->dw[i] * p->dv[i];
  }
}

static void advance(ChSqpSubproblem* p, double length) {
  double *x[] = {p->y, p->w, p->z, p->v}, *dx[] = {p->dy, p->dw, p->dz, p->dv};
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < p->qp->n; ++i) x[k][i] += length * dx[k][i];
}

static void copy_point(const ChSqpSubproblem* p, double* const from[3], double* const to[3]) {
  for (int k = 0; k < 3; ++k) memcpy(to[k], from[k], (size_t)p->qp->n * sizeof(double));
}

double ch_sqp_subproblem_solve(ChSqpSubproblem* p, ChRun* run, double tolerance) {
  double *const point[3] = {p->y, p->z, p->v}, best = INFINITY;
  start(p);
  for (int k = 0; k < ITERATIONS_MOST; ++k) {
    const double mu = mean_product(p), reached = ch_max(fill_residuals(p), mu);
    if (reached < best) {
      best = reached;
      copy_point(p, point, p->best);
    }
    if (!(reached <= WORSENING * best) || best <= tolerance || ch_run_late(run)) break;
    ++run->inner;
    ++run->factorizations;
    if (!factor(p)) break;
    choose_targets(p, mu);
    direction(p);
    advance(p, fmin(1.0, TO_BOUNDARY * step_length(p)));
  }
  if (isfinite(best)) copy_point(p, p->best, point);
  return best;
}
