// sqp: sequential quadratic programming on the non-convex programme of friction_qp.h (the role of NLPQLP in Kaufman
// 2009, section 5.7.3).
//
//   d = argmin 1/2 d'B d + g'd,  A (y + d) + b >= 0,  y + d >= 0;   y <- y + t d,  t = 1, 1/2, 1/4, ... until
//   phi(y + t d) <= phi(y) - 1e-4 t (rho c(y) - g'd),   phi = y'w + rho c,  c = sum of violations
//
// rho exceeds the largest multiplier, so that phi is exact. B is a damped BFGS estimate of the Hessian, or the Hessian
// with its concave part left out: mu alpha lambda = mu/4 (alpha + lambda)^2 - mu/4 (alpha - lambda)^2, and the second
// square is what makes it non-convex. Constraints are linear: once a full step was taken all iterates are feasible.
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "linalg/sparse.h"
#include "solve/qp/sqp_subproblem.h"

#define CH_OPTION_PREFIX "sqp"
#define SQP_OPTIONS(X)                                                                                             \
  X(int, hessian, 0, 0, 1, "Hessian: 0 = damped BFGS as in NLPQLP, 1 = exact, without its concave part")           \
  X(double, tol_step, 1e-11, 0.0, 1.0, "descent g'd that counts as zero, so that the first-order conditions hold") \
  X(double, tol_inner, 1e-12, 1e-16, 1e-2, "residual and complementarity of a quadratic step")
CH_OPTIONS(SQP_OPTIONS)

enum { HALVINGS = 30 };
static const double SUFFICIENT = 1e-4;
static const double DAMPING = 0.2;  // Powell: s'B s is never reduced below this share
static const double EXACT = 1e-8;   // residual of a quadratic step that can show that nothing descends
static const double RANK = 1e-10;   // of the last active set: pivots below count as zero
static const double SHIFT = 1e-9;   // keeps an exact Hessian that is singular positive definite

typedef struct Sqp {
  ChRun* run;
  Options o;
  ChFrictionQp qp;
  ChSqpSubproblem sub;
  int n;
  double penalty;
  bool exact;  // the last step is the minimum of its programme: only then can it show that none descends
  double *B, *c, *g, *y, *w, *d, *trial, *trial_w, *Bs, *Hs;
} Sqp;

// out = (A + A') x, the Hessian's product
static void multiply_hessian(const Sqp* q, const double* x, double* out) {
  memset(out, 0, (size_t)q->n * sizeof *out);
  ch_sparse_multiply_add(&q->qp.lcp.A, x, out);
  ch_sparse_multiply_transposed_add(&q->qp.lcp.A, x, out);
}

static void set_identity(Sqp* q) {
  const size_t n = (size_t)q->n;
  memset(q->B, 0, n * n * sizeof *q->B);
  for (size_t i = 0; i < n; ++i) q->B[i * n + i] = 1.0;
}

// H without the concave squares: mu/2 (1, -1; -1, 1) is added to each pair (alpha, lambda).
static void set_convexified(Sqp* q) {
  const size_t n = (size_t)q->n;
  const ChSparse* A = &q->qp.lcp.A;
  const ChSystem* s = q->run->system;
  memset(q->B, 0, n * n * sizeof *q->B);
  for (size_t j = 0; j < n; ++j) {
    q->B[j * n + j] = SHIFT;
    for (int k = A->start[j]; k < A->start[j + 1]; ++k) {
      q->B[j * n + (size_t)A->index[k]] += A->value[k];
      q->B[(size_t)A->index[k] * n + j] += A->value[k];
    }
  }
  for (int i = 0, at = 0; i < s->n; at += ch_polygon_lcp_variables(s, i), ++i) {
    if (!s->block[i].law->cone) continue;
    const size_t alpha = (size_t)at, lambda = (size_t)(at + ch_polygon_lcp_variables(s, i) - 1);
    const double half = 0.5 * s->block[i].mu;
    q->B[alpha * n + alpha] += half;
    q->B[lambda * n + lambda] += half;
    q->B[alpha * n + lambda] -= half;
    q->B[lambda * n + alpha] -= half;
  }
}

static void create(Sqp* q) {
  ChArena* arena = q->run->arena;
  const int n = q->n = q->qp.n;
  q->sub = ch_sqp_subproblem(arena, &q->qp);
  q->B = CH_TAKE(arena, (size_t)n * (size_t)n, double);
  double** vectors[] = {&q->c, &q->g, &q->y, &q->w, &q->d, &q->trial, &q->trial_w, &q->Bs, &q->Hs};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; ++k) *vectors[k] = CH_TAKE(arena, n, double);
  q->sub.B = q->B;
  q->sub.c = q->c;
  if (q->o.hessian == 0)
    set_identity(q);
  else
    set_convexified(q);
  ch_friction_qp_slack(&q->qp, q->y, q->w);
}

static double violation(const Sqp* q, const double* y, const double* w) {
  double sum = 0.0;
  for (int i = 0; i < q->n; ++i) sum += q->qp.lcp.free[i] ? fabs(w[i]) : fmax(-y[i], 0.0) + fmax(-w[i], 0.0);
  return sum;
}

static double merit(const Sqp* q, const double* y, const double* w) {
  return ch_friction_qp_value(&q->qp, y, w) + q->penalty * violation(q, y, w);
}

// d from the convex programme in y + d; false where that fails.
static bool find_step(Sqp* q) {
  const int n = q->n;
  multiply_hessian(q, q->y, q->g);
  for (int i = 0; i < n; ++i) q->g[i] += q->qp.lcp.b[i];
  memcpy(q->c, q->g, (size_t)n * sizeof *q->c);
  cblas_dsymv(CblasColMajor, CblasLower, n, -1.0, q->B, n, q->y, 1, 1.0, q->c, 1);
  memcpy(q->sub.y, q->y, (size_t)n * sizeof *q->y);
  q->exact = ch_sqp_subproblem_solve(&q->sub, q->run, q->o.tol_inner) <= EXACT;
  double largest = 0.0;
  for (int i = 0; i < n; ++i) {
    q->d[i] = q->sub.y[i] - q->y[i];
    largest = fmax(largest, fmax(fabs(q->sub.z[i]), fabs(q->sub.v[i])));
  }
  q->penalty = fmax(q->penalty, 1.1 * largest);
  return q->exact || isfinite(cblas_ddot(n, q->d, 1, q->d, 1));
}

// Backtracking on phi. Returns t, 0 where none is found.
static double search_line(const Sqp* q, double slope) {
  const double before = merit(q, q->y, q->w);
  double t = 1.0;
  for (int k = 0; k < HALVINGS; ++k, t *= 0.5) {
    for (int i = 0; i < q->n; ++i) q->trial[i] = q->y[i] + t * q->d[i];
    ch_friction_qp_slack(&q->qp, q->trial, q->trial_w);
    if (merit(q, q->trial, q->trial_w) <= before + SUFFICIENT * t * slope) return t;
  }
  return 0.0;
}

// B <- B - (B s s'B) / s'Bs + (p p') / s'p,  p = H s mixed with B s until s'p >= 0.2 s'Bs (Powell's damping).
static void update_estimate(Sqp* q, double t) {
  const int n = q->n;
  double* s = q->d;
  cblas_dscal(n, t, s, 1);
  multiply_hessian(q, s, q->Hs);
  cblas_dsymv(CblasColMajor, CblasLower, n, 1.0, q->B, n, s, 1, 0.0, q->Bs, 1);
  const double sBs = cblas_ddot(n, s, 1, q->Bs, 1), sHs = cblas_ddot(n, s, 1, q->Hs, 1);
  if (!(sBs > 1e-24)) return;
  const double share = sHs >= DAMPING * sBs ? 1.0 : (1.0 - DAMPING) * sBs / (sBs - sHs);
  for (int i = 0; i < n; ++i) q->Hs[i] = share * q->Hs[i] + (1.0 - share) * q->Bs[i];
  cblas_dsyr(CblasColMajor, CblasLower, n, -1.0 / sBs, q->Bs, 1, q->B, n);
  cblas_dsyr(CblasColMajor, CblasLower, n, 1.0 / cblas_ddot(n, s, 1, q->Hs, 1), q->Hs, 1, q->B, n);
}

// True when the first-order conditions hold.
static bool descend(Sqp* q, long limit) {
  for (long k = 1; k <= limit && !ch_run_finished(q->run); ++k) {
    if (!find_step(q)) return false;
    const double drop = cblas_ddot(q->n, q->g, 1, q->d, 1), wrong = violation(q, q->y, q->w);
    if (fabs(drop) <= q->o.tol_step && wrong <= q->o.tol_step) return q->exact;
    const double t = search_line(q, drop - q->penalty * wrong);
    if (t == 0.0) return q->exact && wrong <= 1e-9;  // rounding hides what descent is left
    memcpy(q->y, q->trial, (size_t)q->n * sizeof *q->y);
    memcpy(q->w, q->trial_w, (size_t)q->n * sizeof *q->w);
    ++q->run->outer;
    ch_run_note(q->run, k, ch_friction_qp_offer(&q->qp, q->run, q->y));
    if (q->o.hessian == 0) update_estimate(q, t);
  }
  return false;
}

// An interior point leaves every variable a little off its bound. Which of each pair (y_i, w_i) is zero is clear at the
// end: y = 0 where it is the smaller, w = 0 elsewhere, by the least change of the other y (A_II may be singular).
static void polish(Sqp* q) {
  const ChSparse* A = &q->qp.lcp.A;
  int *place = CH_TAKE(q->run->arena, q->n, int), *pivot = CH_TAKE(q->run->arena, q->n, int), m = 0, rank;
  for (int i = 0; i < q->n; ++i) {
    place[i] = q->qp.lcp.free[i] || q->y[i] > q->w[i] ? m++ : -1;
    q->trial[i] = place[i] < 0 ? 0.0 : q->y[i];
  }
  ch_friction_qp_slack(&q->qp, q->trial, q->trial_w);
  double* D = q->B;  // no longer needed
  memset(D, 0, (size_t)q->n * (size_t)q->n * sizeof *D);
  for (int j = 0; j < q->n; ++j) {
    if (place[j] < 0) continue;
    q->d[place[j]] = -q->trial_w[j];
    for (int k = A->start[j]; k < A->start[j + 1]; ++k)
      if (place[A->index[k]] >= 0) D[(size_t)place[j] * (size_t)m + (size_t)place[A->index[k]]] = A->value[k];
  }
  if (m == 0 || LAPACKE_dgelsy(LAPACK_COL_MAJOR, m, m, 1, D, m, q->d, m, pivot, RANK, &rank) != 0) return;
  for (int j = 0; j < q->n; ++j)
    if (place[j] >= 0) q->trial[j] += q->d[place[j]];
  ch_run_note(q->run, q->run->outer, ch_friction_qp_offer(&q->qp, q->run, q->trial));
}

static void solve(ChRun* run) {
  Sqp q = {.run = run, .o = read_options(run->options), .qp = ch_friction_qp(run->arena, run->system)};
  create(&q);
  const bool first_order = descend(&q, run->max_iterations > 0 ? run->max_iterations : 10000);
  if (!ch_run_finished(run)) polish(&q);
  ch_friction_qp_end(&q.qp, run, q.y, q.w, first_order);
}

const ChMethod ch_method_sqp = {
    .name = "sqp",
    .summary = "sequential quadratic programming on the non-convex QP: may end in points that are not solutions",
    .document = "Kaufman 2009",
    .equation = "(5.31)-(5.33), section 5.7.3",
    .literature = "Schittkowski 2006",
    .takes = CH_TAKES_COULOMB | CH_TAKES_UNSYMMETRIC | CH_TAKES_POLYGON | CH_NEEDS_POLYGON | CH_IS_EXACT | CH_IS_LOCAL,
    .largest = CH_FRICTION_QP_LARGEST,
    .options = option_rows,
    .option_count = CH_OPTION_COUNT,
    .solve = solve};
