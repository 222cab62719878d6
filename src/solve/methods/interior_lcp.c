// interior-lcp: a plain primal-dual interior point method on the Stewart-Trinkle complementarity problem (Kaufman 2009,
// (5.27), of which it says that interior point methods fail; Kojima, Megiddo, Noma and Yoshise 1991; Mehrotra 1992).
//
//   s = A y + b,   y > 0,  s > 0,   y_i s_i = sigma m,   m = mean of y_i s_i, to be brought to zero
//   (A + S / Y) dy = sigma m / y - s - (A y + b - s),   ds = A dy + (A y + b - s)
//
// Predictor and corrector with one factorisation, 99 % of the way to the boundary. Nothing is done for friction: where
// A is positive semidefinite (no friction, or pose relaxed) the method is sure to converge; with friction it is
// neither, A + S / Y may be singular and steps may go to nothing. A method that smooths and couples the slip is `ipm`.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "linalg/sparse.h"
#include "linalg/sparse_lu.h"
#include "solve/qp/friction_qp.h"

#define CH_OPTION_PREFIX "interior-lcp"
#define INTERIOR_OPTIONS(X)                                                                          \
  X(double, fraction, 0.99, 0.1, 0.99999, "length of a step, as a share of the way to the boundary") \
  X(double, start, 1.0, 1e-8, 1e8, "y and s of the start, |q| = 1")                                  \
  X(double, shortest, 1e-10, 0.0, 1.0, "the method ends after five steps in a row that are shorter than this")
CH_OPTIONS(INTERIOR_OPTIONS)

enum { JAMMED = 5 };

typedef struct Interior {
  ChRun* run;
  Options o;
  ChFrictionQp qp;
  int n;
  ChSparse K;     // A + S / Y
  int* diagonal;  // its diagonal's places
  double *y, *s, *residual, *h, *dy, *ds;
} Interior;

// A with a place for every entry of the diagonal.
static void add_diagonal(ChArena* arena, Interior* p) {
  const ChSparse* A = &p->qp.lcp.A;
  long entries = A->start[p->n] + p->n;
  p->K = (ChSparse){.rows = p->n,
                    .columns = p->n,
                    .start = CH_TAKE(arena, p->n + 1, int),
                    .index = CH_TAKE(arena, entries, int),
                    .value = CH_TAKE(arena, entries, double)};
  p->diagonal = CH_TAKE(arena, p->n, int);
  int at = 0;
  for (int j = 0; j < p->n; ++j) {
    bool placed = false;
    for (int k = A->start[j]; k < A->start[j + 1]; ++k) {
      if (!placed && A->index[k] >= j) {
        placed = true;
        p->diagonal[j] = at;
        if (A->index[k] > j) p->K.index[at++] = j;
      }
      p->K.index[at++] = A->index[k];
    }
    if (!placed) p->K.index[p->diagonal[j] = at++] = j;
    p->K.start[j + 1] = at;
  }
}

static void fill_matrix(Interior* p) {
  const ChSparse* A = &p->qp.lcp.A;
  for (int j = 0; j < p->n; ++j) {
    int at = p->K.start[j];
    p->K.value[p->diagonal[j]] = 0.0;
    for (int k = A->start[j]; k < A->start[j + 1]; ++k) {
      while (p->K.index[at] != A->index[k]) ++at;
      p->K.value[at] = A->value[k];
    }
    if (!p->qp.lcp.free[j]) p->K.value[p->diagonal[j]] += p->s[j] / p->y[j];
  }
}

static Interior interior_create(ChRun* run) {
  Interior p = {.run = run, .o = read_options(run->options), .qp = ch_friction_qp(run->arena, run->system)};
  p.n = p.qp.n;
  double** vectors[] = {&p.y, &p.s, &p.residual, &p.h, &p.dy, &p.ds};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; ++k) *vectors[k] = CH_TAKE(run->arena, p.n, double);
  for (int i = 0; i < p.n; ++i)
    if (!p.qp.lcp.free[i]) p.y[i] = p.s[i] = p.o.start;
  add_diagonal(run->arena, &p);
  return p;
}

// Mean of the products at a step along (dy, ds).
static double complementarity(const Interior* p, double t) {
  double sum = 0.0;
  int count = 0;
  for (int i = 0; i < p->n; ++i)
    if (!p->qp.lcp.free[i]) sum += (p->y[i] + t * p->dy[i]) * (p->s[i] + t * p->ds[i]), ++count;
  return count ? sum / count : 0.0;
}

// Direction towards products `target`; with `correct`, the second-order term of the direction that is there.
static void direction(Interior* p, const ChSparseLu* lu, double target, bool correct) {
  for (int i = 0; i < p->n; ++i) {
    bool free = p->qp.lcp.free[i];
    double product = target - (correct ? p->dy[i] * p->ds[i] : 0.0);
    p->h[i] = (free ? 0.0 : product / p->y[i] - p->s[i]) - p->residual[i];
  }
  ch_sparse_lu_solve(lu, p->h, p->dy);
  for (int i = 0; i < p->n; ++i) p->ds[i] = p->residual[i];
  ch_sparse_multiply_add(&p->qp.lcp.A, p->dy, p->ds);
}

static double longest_step(const Interior* p) {
  double step = INFINITY;
  for (int i = 0; i < p->n; ++i) {
    if (p->qp.lcp.free[i]) continue;
    if (p->dy[i] < 0.0) step = fmin(step, -p->y[i] / p->dy[i]);
    if (p->ds[i] < 0.0) step = fmin(step, -p->s[i] / p->ds[i]);
  }
  return step;
}

// Predictor, corrector; the length of the step taken, NaN where the matrix is singular.
static double iterate(Interior* p) {
  ChArenaMark mark = ch_arena_mark(p->run->arena);
  double m = complementarity(p, 0.0), step = NAN;
  ch_friction_qp_slack(&p->qp, p->y, p->residual);
  for (int i = 0; i < p->n; ++i) p->residual[i] -= p->s[i];
  fill_matrix(p);
  ++p->run->factorizations;
  ChSparseLu* lu = ch_sparse_lu_create(p->run->arena, &p->K);
  if (lu) {
    direction(p, lu, 0.0, false);
    double ratio = complementarity(p, fmin(1.0, longest_step(p))) / m;
    direction(p, lu, m * ch_clamp(ratio * ratio * ratio, 1e-6, 1.0), true);
    step = fmin(1.0, p->o.fraction * longest_step(p));
    if (!ch_all_finite(p->dy, p->n)) step = NAN;
  }
  for (int i = 0; i < p->n && step > 0.0; ++i) p->y[i] += step * p->dy[i], p->s[i] += step * p->ds[i];
  ch_arena_release(p->run->arena, mark);
  return step;
}

static void solve(ChRun* run) {
  Interior p = interior_create(run);
  long limit = run->max_iterations > 0 ? run->max_iterations : 200;
  int jammed = 0;
  double step = 1.0;
  for (long k = 1; k <= limit && !ch_run_finished(run) && jammed < JAMMED; ++k) {
    memset(p.dy, 0, (size_t)p.n * sizeof *p.dy);
    memset(p.ds, 0, (size_t)p.n * sizeof *p.ds);
    step = iterate(&p);
    if (isnan(step)) break;
    ++run->outer;
    jammed = step < p.o.shortest ? jammed + 1 : 0;
    ch_run_note(run, k, ch_friction_qp_offer(&p.qp, run, p.y));
  }
  if (jammed == JAMMED || isnan(step)) run->ending = CH_STATIONARY;
  snprintf(run->note, sizeof run->note, "%s, complementarity %.1e",
           isnan(step)        ? "the matrix became singular"
           : jammed == JAMMED ? "steps went to nothing"
                              : "it was going on",
           complementarity(&p, 0.0));
}

const ChMethod ch_method_interior_lcp = {
    .name = "interior-lcp",
    .summary = "plain interior-point method on the polygonal complementarity problem, without provisions for friction",
    .document = "Kaufman 2009",
    .equation = "(5.27), section 5.1",
    .literature = "Kojima, Megiddo, Noma and Yoshise 1991; Mehrotra 1992",
    .takes = CH_TAKES_COULOMB | CH_TAKES_RELAXED | CH_TAKES_UNSYMMETRIC | CH_TAKES_POLYGON | CH_NEEDS_POLYGON |
             CH_IS_EXACT | CH_IS_LOCAL,
    .options = option_rows,
    .option_count = CH_OPTION_COUNT,
    .solve = solve};
