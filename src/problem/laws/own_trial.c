// What a law is tried for before it is registered: see cardhouse/own_law.h. Every trial draws the same parameters and
// points, and the first that fails is told with its numbers.
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "cardhouse/random.h"
#include "linalg/small.h"
#include "problem/cones.h"
#include "problem/laws/own.h"

enum { DRAWS = 8, POINTS = 25, TEXT = 160 };
#define EXACT 1e-9   // of the points' size: what a projection may be off
#define SMOOTH 1e-3  // change of the derivative over a step below which there is no kink near
#define STEP 1e-6    // of differences
#define SLOPE 1e-4   // what a derivative may differ from them
#define WIDE 2.0     // parameters are drawn from -WIDE to WIDE, as far as these are legal

typedef struct Trial {
  ChContext* context;
  const ChLawRow* row;
  const ChOwnLaw* law;
  int n;          // rows of the functions: of the set or of the section
  ChBlock block;  // with the parameters of this draw
  uint64_t state;
} Trial;

// --- drawing and telling ---------------------------------------------------------------------------------------------

static double uniform(Trial* t, double lo, double hi) { return lo + (hi - lo) * ch_random_unit(&t->state); }

static void draw_point(Trial* t, int n, double* x) {
  const double size = exp(uniform(t, -2.0, 2.0));
  for (int k = 0; k < n; ++k) x[k] = size * uniform(t, -1.0, 1.0);
}

// The first draw has every parameter at its lowest.
static void draw_parameters(Trial* t, int draw) {
  for (int k = 0; k < t->law->parameter_count; ++k) {
    const ChOwnParameter* p = &t->law->parameter[k];
    const double lo = ch_clamp(-WIDE, p->lowest, p->highest), hi = ch_clamp(WIDE, p->lowest, p->highest);
    const double far = lo < hi ? hi : fmin(p->highest, lo + 1.0 + fabs(lo));
    t->block.more[k] = draw == 0 ? lo : uniform(t, lo, far);
  }
}

// "(1, 2)" into one of a few buffers, so that a message may hold several.
static const char* show(char text[TEXT], int n, const double* x) {
  int at = snprintf(text, TEXT, "(");
  for (int k = 0; k < n && at < TEXT; ++k)
    at += snprintf(text + at, (size_t)(TEXT - at), "%s%.4g", k > 0 ? ", " : "", x[k]);
  if (at < TEXT) snprintf(text + at, (size_t)(TEXT - at), ")");
  return text;
}

// "law 'disc' with mu = 0.3: " and what is wrong.
static ChStatus refuse(const Trial* t, const char* format, ...) {
  char what[3 * TEXT], wrong[4 * TEXT];
  int at = snprintf(what, sizeof what, "law '%s'", t->law->name);
  for (int k = 0; k < t->law->parameter_count && at < (int)sizeof what; ++k)
    at += snprintf(what + at, sizeof what - (size_t)at, "%s%s = %g", k > 0 ? ", " : " with ", t->law->parameter[k].name,
                   t->block.more[k]);
  va_list list;
  va_start(list, format);
  vsnprintf(wrong, sizeof wrong, format, list);
  va_end(list);
  return ch_fail(t->context, CH_ERR_RANGE, "%s: %s", what, wrong);
}

static double dot(int n, const double* x, const double* y) {
  double sum = 0.0;
  for (int k = 0; k < n; ++k) sum += x[k] * y[k];
  return sum;
}

static double distance(int n, const double* x, const double* y) {
  double sum = 0.0;
  for (int k = 0; k < n; ++k) sum += (x[k] - y[k]) * (x[k] - y[k]);
  return sqrt(sum);
}

static bool is_finite(int n, const double* x) {
  for (int k = 0; k < n; ++k)
    if (!isfinite(x[k])) return false;
  return true;
}

static void project(const Trial* t, const double* x, double* y) { t->law->project(t->block.more, x, y); }

// --- the projection --------------------------------------------------------------------------------------------------

static ChStatus try_nan(Trial* t, const double* x, int k) {
  double broken[CH_BLOCK_MAX], y[CH_BLOCK_MAX] = {0.0}, sum = 0.0;
  memcpy(broken, x, sizeof broken);
  broken[k] = NAN;
  project(t, broken, y);
  for (int a = 0; a < t->n; ++a) sum += y[a];
  return isnan(sum) ? CH_OK : refuse(t, "project must keep NaN, but hides the one in entry %d  of x", k);
}

static ChStatus try_projection(Trial* t) {
  char a[TEXT], b[TEXT], c[TEXT];
  double x[CH_BLOCK_MAX] = {0.0}, other[CH_BLOCK_MAX] = {0.0}, y[CH_BLOCK_MAX] = {0.0}, z[CH_BLOCK_MAX] = {0.0},
         again[CH_BLOCK_MAX] = {0.0}, out[CH_BLOCK_MAX], across[CH_BLOCK_MAX];
  const int n = t->n;
  draw_point(t, n, x);
  draw_point(t, n, other);
  project(t, x, y);
  project(t, other, z);
  if (!is_finite(n, y)) return refuse(t, "project%s is %s, must be finite", show(a, n, x), show(b, n, y));
  if (!is_finite(n, z)) return refuse(t, "project%s is %s, must be finite", show(a, n, other), show(b, n, z));
  project(t, y, again);
  const double size = 1.0 + sqrt(dot(n, x, x)) + sqrt(dot(n, other, other));
  if (!(distance(n, y, again) <= EXACT * size))
    return refuse(t, "project%s is %s, and of that %s; a point of the set must stay where it is", show(a, n, x),
                  show(b, n, y), show(c, n, again));
  if (!(distance(n, y, z) <= distance(n, x, other) + EXACT * size))
    return refuse(t, "project moves %s and %s farther apart, by %g; a projection onto a convex set must not",
                  show(a, n, x), show(b, n, other), distance(n, y, z) - distance(n, x, other));
  for (int k = 0; k < n; ++k) out[k] = x[k] - y[k], across[k] = z[k] - y[k];
  if (!(dot(n, out, across) <= EXACT * size * size))
    return refuse(t, "project%s is %s, but %s is of the set and nearer; must be the nearest point of a convex set",
                  show(a, n, x), show(b, n, y), show(c, n, z));
  return try_nan(t, x, (int)(uniform(t, 0.0, n)));
}

// J against differences, where it changes little over the step.
static ChStatus try_derivative(Trial* t) {
  char a[TEXT];
  const int n = t->n;
  double x[CH_BLOCK_MAX], J[CH_BLOCK_MAX * CH_BLOCK_MAX] = {0.0}, near[CH_BLOCK_MAX * CH_BLOCK_MAX] = {0.0};
  if (!t->law->derivative) return CH_OK;
  draw_point(t, n, x);
  t->law->derivative(t->block.more, x, J);
  for (int c = 0; c < n; ++c) {
    double at[CH_BLOCK_MAX], y[2][CH_BLOCK_MAX] = {{0.0}}, kink = 0.0;
    for (int side = 0; side < 2; ++side) {
      memcpy(at, x, sizeof at);
      at[c] += side ? STEP : -STEP;
      project(t, at, y[side]);
      t->law->derivative(t->block.more, at, near);
      kink = ch_max(kink, distance(n * n, near, J));
    }
    for (int k = 0; k < n; ++k) {
      const double slope = (y[1][k] - y[0][k]) / (2.0 * STEP);
      if (!(kink > SMOOTH) && !(fabs(J[k * n + c] - slope) <= SLOPE))
        return refuse(t, "derivative of project at %s: entry (%d, %d) is %g, but differences give %g", show(a, n, x), k,
                      c, J[k * n + c], slope);
    }
  }
  return CH_OK;
}

// --- the section -----------------------------------------------------------------------------------------------------

static ChStatus try_origin(Trial* t) {
  char a[TEXT];
  const double origin[CH_BLOCK_MAX] = {0.0};
  double y[CH_BLOCK_MAX] = {0.0};
  project(t, origin, y);
  if (distance(t->n, origin, y) <= EXACT) return CH_OK;
  return refuse(t, "project of the origin is %s, must be the origin: a section contains it", show(a, t->n, y));
}

// sigma(u) is the largest -p . u of the section: none that projections find is larger, and the gradient's is as large.
static ChStatus try_support(Trial* t) {
  char a[TEXT], b[TEXT];
  const int n = t->n;
  double u[CH_BLOCK_MAX], gradient[CH_BLOCK_MAX] = {0.0}, x[CH_BLOCK_MAX], p[CH_BLOCK_MAX] = {0.0}, back[CH_BLOCK_MAX];
  draw_point(t, n, u);
  draw_point(t, n, x);
  const double sigma = t->law->support(t->block.more, u, gradient), size = sqrt(dot(n, u, u));
  if (!isfinite(sigma) || !is_finite(n, gradient))
    return refuse(t, "support%s is %g with the gradient %s, must be finite: a section is bounded", show(a, n, u), sigma,
                  show(b, n, gradient));
  if (!(fabs(t->law->support(t->block.more, u, NULL) - sigma) <= EXACT * (1.0 + fabs(sigma))))
    return refuse(t, "support%s differs without a gradient", show(a, n, u));
  project(t, x, p);
  if (!(-dot(n, p, u) <= sigma + EXACT * (1.0 + size)))
    return refuse(t, "support%s is %g, but the point %s of the section gives %g; must be the largest", show(a, n, u),
                  sigma, show(b, n, p), -dot(n, p, u));
  for (int k = 0; k < n; ++k) back[k] = -gradient[k];
  project(t, back, p);
  if (!(fabs(dot(n, gradient, u) - sigma) <= EXACT * (1.0 + size)) || !(distance(n, back, p) <= EXACT * (1.0 + size)))
    return refuse(
        t,
        "support%s is %g with the gradient %s, must be -p of a point p of the section with -p . u equal to the value",
        show(a, n, u), sigma, show(b, n, gradient));
  return CH_OK;
}

// --- one block -------------------------------------------------------------------------------------------------------

// |r - P(r - hat u)| as the certificate has it.
static double map_error(const Trial* t, const double* r, const double* u) {
  double x[CH_BLOCK_MAX], y[CH_BLOCK_MAX];
  ch_block_shift(&t->block, CH_POSE_COULOMB, u, x);
  for (int k = 0; k < t->block.dimension; ++k) x[k] = r[k] - x[k];
  ch_block_project(&t->block, CH_POSE_COULOMB, x, y);
  return distance(t->block.dimension, r, y);
}

// W = A A^T + 0.1, u = W r + q
static void draw_drive(Trial* t, double* W, double* q) {
  const int d = t->block.dimension;
  double A[CH_BLOCK_MAX * CH_BLOCK_MAX];
  for (int k = 0; k < d * d; ++k) A[k] = uniform(t, -1.0, 1.0);
  for (int a = 0; a < d; ++a)
    for (int c = 0; c < d; ++c) W[a * d + c] = dot(d, A + a * d, A + c * d) + (a == c ? 0.1 : 0.0);
  draw_point(t, d, q);
}

static ChStatus try_residual(Trial* t, const double* r, const double* u, bool* seen) {
  char a[TEXT], b[TEXT];
  const int d = t->block.dimension;
  double x[CH_BLOCK_MAX], wrong[CH_BLOCK_MAX];
  if (!t->law->residual) return CH_OK;
  const double zero = t->law->residual(t->block.more, r, u), size = 1.0 + dot(d, r, r) + dot(d, u, u);
  if (!(zero >= 0.0 && zero <= 1e-6 * size))
    return refuse(t, "residual(%s, %s) is %g, must be 0: these obey the law that project describes", show(a, d, r),
                  show(b, d, u), zero);
  draw_point(t, d, x);
  draw_point(t, d, wrong);
  ch_block_project(&t->block, CH_POSE_COULOMB, x, x);
  const double some = t->law->residual(t->block.more, x, wrong);
  if (!(some >= 0.0 && some < INFINITY))
    return refuse(t, "residual(%s, %s) is %g, must be finite and not negative", show(a, d, x), show(b, d, wrong), some);
  *seen |= some > EXACT;
  return CH_OK;
}

// The solution of one block, by the law's own way or the library's, holds by the certificate's map.
static ChStatus try_block(Trial* t, bool* seen) {
  char a[TEXT], b[TEXT];
  const int d = t->block.dimension;
  double W[CH_BLOCK_MAX * CH_BLOCK_MAX], q[CH_BLOCK_MAX], r[CH_BLOCK_MAX] = {0.0}, u[CH_BLOCK_MAX];
  ChScaledBlock scaled = {.law = t->row, .dim = d, .mu = t->law->section ? 1.0 : 0.0, .hi = 1.0};
  ChLocalBlock local = {0};
  memcpy(scaled.more, t->block.more, sizeof scaled.more);
  draw_drive(t, W, q);
  t->row->solve_local(&scaled, false, W, &local, q, r);
  ch_small_multiply(d, W, r, u);
  for (int k = 0; k < d; ++k) u[k] += q[k];
  const double error = map_error(t, r, u);
  if (!(error <= 1e-8 * (1.0 + sqrt(dot(d, r, r)) + sqrt(dot(d, q, q)))))
    return refuse(t, "%s gives r = %s with u = %s, which violates the law by %g", t->law->solve ? "solve" : "one block",
                  show(a, d, r), show(b, d, u), error);
  return try_residual(t, r, u, seen);
}

// Solvers' projection against the certificate's: onto the cone these are two ways.
static ChStatus try_both_ways(Trial* t) {
  char a[TEXT];
  const int d = t->block.dimension;
  double x[CH_BLOCK_MAX], y[CH_BLOCK_MAX], z[CH_BLOCK_MAX];
  ChScaledBlock scaled = {.law = t->row, .dim = d, .mu = 1.0, .hi = 1.0};
  memcpy(scaled.more, t->block.more, sizeof scaled.more);
  draw_point(t, d, x);
  t->row->project(&scaled, x, y);
  ch_block_project(&t->block, CH_POSE_COULOMB, x, z);
  if (distance(d, y, z) <= 1e-8 * (1.0 + sqrt(dot(d, x, x)))) return CH_OK;
  return refuse(t, "project, derivative and support contradict each other: two ways of projecting %s differ by %g",
                show(a, d, x), distance(d, y, z));
}

static ChStatus try_draw(Trial* t, bool* seen) {
  ChStatus status = t->law->section ? try_origin(t) : CH_OK;
  for (int k = 0; k < POINTS && status == CH_OK; ++k) {
    status = try_projection(t);
    if (status == CH_OK) status = try_derivative(t);
    if (status == CH_OK && t->law->section) status = try_support(t);
  }
  for (int k = 0; k < POINTS && status == CH_OK; ++k) {
    status = try_both_ways(t);
    if (status == CH_OK) status = try_block(t, seen);
  }
  return status;
}

ChStatus ch_own_try(ChContext* context, const ChLawRow* row, ChLaw number) {
  const ChOwnLaw* law = row->own;
  Trial t = {.context = context,
             .row = row,
             .law = law,
             .n = law->section ? law->dimension - 1 : law->dimension,
             .block = {.law = number, .dimension = law->dimension},
             .state = 23};
  bool seen = false;
  ChStatus status = CH_OK;
  for (int draw = 0; draw < DRAWS && status == CH_OK; ++draw) {
    draw_parameters(&t, draw);
    status = try_draw(&t, &seen);
  }
  if (status == CH_OK && law->residual && !seen) status = refuse(&t, "residual is 0 whatever r and u are");
  return status;
}
