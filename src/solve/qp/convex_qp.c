// A dense convex quadratic programme: see convex_qp.h.
#include "solve/qp/convex_qp.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#define SEMIDEFINITE 1e-12  // smallest pivot of a strictly convex H, relative to its largest entry
#define PROXIMAL 1e-4       // eps, relative to the largest entry of H
#define DEPENDENT 1e-11
enum { MOST_PROXIMAL_STEPS = 500 };

typedef struct Work {
  const ChConvexQp* qp;
  double* L;      // H + eps I = L L', lower triangle
  double* Z;      // (H + eps I)^-1 N', n x m by columns
  double *b, *g;  // of the dual; c - eps x_k
  double eps, size;
  unsigned char* free;
} Work;

// L of H + eps I; false when a pivot is not clearly positive.
static bool factor(Work* k) {
  const int n = k->qp->n;
  memcpy(k->L, k->qp->H, (size_t)n * (size_t)n * sizeof(double));
  for (int i = 0; i < n; ++i) k->L[i * n + i] += k->eps;
  if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, k->L, n) != 0) return false;
  for (int i = 0; i < n; ++i)
    if (!(k->L[i * n + i] * k->L[i * n + i] > SEMIDEFINITE * k->size)) return false;
  return true;
}

static ChSparse form_gram(ChArena* arena, Work* k) {
  const int n = k->qp->n, m = k->qp->m;
  memcpy(k->Z, k->qp->N, (size_t)n * (size_t)m * sizeof(double));
  LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', n, m, k->L, n, k->Z, n);
  ChSparse A = {.rows = m,
                .columns = m,
                .start = CH_TAKE(arena, m + 1, int),
                .index = CH_TAKE(arena, (size_t)m * (size_t)m, int),
                .value = CH_TAKE(arena, (size_t)m * (size_t)m, double)};
  for (int j = 0; j < m; ++j) {
    A.start[j + 1] = (j + 1) * m;
    for (int i = 0; i < m; ++i) {
      A.index[j * m + i] = i;
      A.value[j * m + i] = cblas_ddot(n, k->qp->N + (size_t)i * (size_t)n, 1, k->Z + (size_t)j * (size_t)n, 1);
    }
  }
  return A;
}

// g = c - eps x; the dual's linear term is the slack at y = 0: -N H^-1 g - b
static void linear_term(Work* k, const double* x) {
  const int n = k->qp->n, m = k->qp->m;
  for (int i = 0; i < n; ++i) k->g[i] = k->qp->c[i] - k->eps * x[i];
  for (int j = 0; j < m; ++j) k->b[j] = -cblas_ddot(n, k->Z + (size_t)j * (size_t)n, 1, k->g, 1) - k->qp->b[j];
}

// x = H^-1 (N'y - g); returns how far it moved, relative to its size
static double recover(Work* k, const double* y, double* x, double* next) {
  const int n = k->qp->n;
  for (int i = 0; i < n; ++i) next[i] = -k->g[i];
  LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', n, 1, k->L, n, next, n);
  for (int j = 0; j < k->qp->m; ++j) cblas_daxpy(n, y[j], k->Z + (size_t)j * (size_t)n, 1, next, 1);
  double moved = 0.0, size = 0.0;
  for (int i = 0; i < n; ++i) {
    moved += (next[i] - x[i]) * (next[i] - x[i]);
    size += next[i] * next[i];
    x[i] = next[i];
  }
  return sqrt(moved) / fmax(1.0, sqrt(size));
}

static void create(ChArena* arena, const ChConvexQp* qp, Work* k) {
  const size_t n = (size_t)qp->n, m = (size_t)qp->m;
  *k = (Work){.qp = qp};
  k->L = CH_TAKE(arena, n * n, double);
  k->Z = CH_TAKE(arena, n * m, double);
  k->b = CH_TAKE(arena, m, double);
  k->g = CH_TAKE(arena, n, double);
  k->free = CH_TAKE(arena, m, unsigned char);
  for (int j = 0; j < qp->equalities; ++j) k->free[j] = 1;
  for (size_t i = 0; i < n * n; ++i) k->size = fmax(k->size, fabs(qp->H[i]));
  if (!(k->size > 0.0)) k->size = 1.0;  // a linear programme
}

ChDualEnd ch_convex_qp_solve(ChArena* arena, const ChConvexQp* qp, ChConvexQpAnswer* a) {
  Work k;
  create(arena, qp, &k);
  if (!factor(&k)) {
    k.eps = PROXIMAL * k.size;
    if (!factor(&k)) return CH_DUAL_LIMIT;  // not even semidefinite
  }
  ChSparse A = form_gram(arena, &k);
  const ChDualActiveSetDef def = {.A = &A, .free = k.free, .rank_max = qp->n, .tol_dependent = DEPENDENT};
  const ChDualLimits limits = {
      .tolerance = 0.01 * qp->tolerance, .max_changes = 1000 + 50L * (qp->n + qp->m), .deadline = qp->deadline};
  ChDualActiveSet* set = ch_dual_active_set_create(arena, &def);
  ch_dual_active_set_start(set, a->y);
  double* next = CH_TAKE(arena, qp->n, double);
  ChDualEnd end = CH_DUAL_SOLVED;
  double moved = INFINITY;
  memset(a->x, 0, (size_t)qp->n * sizeof *a->x);
  const int steps = k.eps > 0.0 ? MOST_PROXIMAL_STEPS : 1;
  for (int step = 0; step < steps && end == CH_DUAL_SOLVED && !(moved <= qp->tolerance); ++step) {
    linear_term(&k, a->x);
    end = ch_dual_active_set_solve(set, k.b, &limits);
    moved = recover(&k, ch_dual_active_set_multipliers(set), a->x, next);
    a->proximal_steps = k.eps > 0.0 ? step + 1 : 0;
  }
  memcpy(a->y, ch_dual_active_set_multipliers(set), (size_t)qp->m * sizeof *a->y);
  a->changes = ch_dual_active_set_changes(set);
  if (end == CH_DUAL_SOLVED && k.eps > 0.0 && !(moved <= qp->tolerance)) end = CH_DUAL_LIMIT;
  return end;
}
