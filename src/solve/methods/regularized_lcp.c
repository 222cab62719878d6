// regularized-lcp: splitting for the whole Stewart-Trinkle problem over any polygon (Kaufman 2009, section 5.7.2).
//
//   0 <= (A + eps I) y + b - eps y_k  _|_  y >= 0,   by sweeps   y_i <- max(0, y_i - omega (...)_i / (A_ii + eps))
//
// A has a zero block in its diagonal (lambda), which Gauss-Seidel cannot divide by: eps makes it positive, and is
// reduced from step to step. centre = 0 leaves eps y_k out (Tikhonov), centre = 1 keeps it (proximal point). For a
// positive semidefinite A both are sure to converge; with friction A is neither, and the sweeps are for an unsymmetric
// matrix whose skew part outweighs a small eps. What does not contract is taken back to the last y_k with a larger
// eps.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "solve/qp/friction_qp.h"

#define CH_OPTION_PREFIX "regularized-lcp"
#define REGULARIZED_OPTIONS(X)                                                                 \
  X(double, eps, 1.0, 1e-12, 1e6, "regularisation of the first step; W's diagonal has mean 1") \
  X(double, reduce, 0.7, 0.01, 1.0, "factor of the regularisation from step to step")          \
  X(double, centre, 1.0, 0.0, 1.0, "share of eps y_k kept: 0 = Tikhonov, 1 = proximal point")  \
  X(double, omega, 1.0, 0.05, 1.9, "relaxation of a sweep")                                    \
  X(int, sweeps, 100, 1, 1000000, "largest number of sweeps for each eps")
CH_OPTIONS(REGULARIZED_OPTIONS)

typedef struct Splitting {
  ChRun* run;
  Options o;
  ChFrictionQp qp;
  double *y, *centre, *diagonal;
  double eps;
} Splitting;

static void create(Splitting* s) {
  const int n = s->qp.n;
  s->y = CH_TAKE(s->run->arena, n, double);
  s->centre = CH_TAKE(s->run->arena, n, double);
  s->diagonal = CH_TAKE(s->run->arena, n, double);
  for (int j = 0; j < n; ++j)
    for (int k = s->qp.AT.start[j]; k < s->qp.AT.start[j + 1]; ++k)
      if (s->qp.AT.index[k] == j) s->diagonal[j] = s->qp.AT.value[k];
}

// One sweep; returns the largest change.
static double sweep(Splitting* s) {
  const ChSparse* rows = &s->qp.AT;
  double largest = 0.0;
  for (int i = 0; i < s->qp.n; ++i) {
    double w = s->qp.lcp.b[i] + s->eps * (s->y[i] - s->o.centre * s->centre[i]);
    for (int k = rows->start[i]; k < rows->start[i + 1]; ++k) w += rows->value[k] * s->y[rows->index[k]];
    double y = s->y[i] - s->o.omega * w / (s->diagonal[i] + s->eps);
    if (!s->qp.lcp.free[i]) y = ch_positive_part(y);
    largest = ch_max(largest, fabs(y - s->y[i]));
    s->y[i] = y;
  }
  return largest;
}

static double size_of(const Splitting* s) {
  double largest = 1.0;
  for (int i = 0; i < s->qp.n; ++i) largest = ch_max(largest, fabs(s->y[i]));
  return largest;
}

// Sweeps until they move a thousandth of what the first one did, or as long as they may; false when they diverge or do
// not contract.
static bool solve_regularized(Splitting* s) {
  double first = 0.0, change = 0.0;
  for (int k = 0; k < s->o.sweeps && !ch_run_late(s->run); ++k) {
    change = sweep(s);
    ++s->run->inner;
    if (k == 0) first = change;
    if (!(change <= 1e6 * (first + size_of(s)))) return false;
    if (change <= 1e-3 * first || change <= 1e-15 * size_of(s)) return true;
  }
  return change <= 0.5 * first;
}

static void solve(ChRun* run) {
  Splitting s = {.run = run, .o = read_options(run->options), .qp = ch_friction_qp(run->arena, run->system)};
  create(&s);
  const size_t bytes = (size_t)s.qp.n * sizeof(double);
  const long limit = run->max_iterations > 0 ? run->max_iterations : 10000;
  s.eps = s.o.eps;
  double lowest = 1e-12, before = run->error;
  for (long k = 1; k <= limit && !ch_run_finished(run); ++k) {
    const bool settled = solve_regularized(&s);
    ++run->outer;
    const double error = settled ? ch_friction_qp_offer(&s.qp, run, s.y) : INFINITY;
    ch_run_note(run, k, error);
    if (!(error <= 10.0 * before + 1e3 * run->tolerance)) {  // back, and never again so little regularised
      memcpy(s.y, s.centre, bytes);
      lowest = fmin(2.0 * s.eps, 1e6);
      s.eps = lowest;
    } else {
      memcpy(s.centre, s.y, bytes);
      s.eps = fmax(s.eps * s.o.reduce, lowest);
      before = error;
    }
  }
  snprintf(run->note, sizeof run->note, "last regularisation %.1e", s.eps);
}

const ChMethod ch_method_regularized_lcp = {
    .name = "regularized-lcp",
    .summary = "regularised Gauss-Seidel on the whole polygonal complementarity problem; weak with friction",
    .document = "Kaufman 2009",
    .equation = "(5.25)-(5.30), section 5.7.2",
    .literature = "Cottle, Pang and Stone 1992",
    .takes = CH_TAKES_COULOMB | CH_TAKES_UNSYMMETRIC | CH_TAKES_POLYGON | CH_NEEDS_POLYGON | CH_IS_EXACT | CH_IS_LOCAL,
    .options = option_rows,
    .option_count = CH_OPTION_COUNT,
    .solve = solve};
