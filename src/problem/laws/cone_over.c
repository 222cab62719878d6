// See cone_over.h.
#include "problem/laws/cone_over.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "linalg/small.h"

enum { MOST = CH_BLOCK_MAX - 1, ROOT_STEPS = 100, DESCENTS = 2000 };
#define TIGHT 4e-16  // of n: where a root is found

static double dot(int n, const double* x, const double* y) {
  double sum = 0.0;
  for (int k = 0; k < n; ++k) sum += x[k] * y[k];
  return sum;
}

// --- the projection --------------------------------------------------------------------------------------------------

// n with p = P(t / n), s = t / n.
typedef struct Place {
  double n, p[MOST], s[MOST];
} Place;

static void put(const ChConeSection* s, const double* t, double n, Place* at) {
  at->n = n;
  for (int a = 0; a < s->rows; ++a) at->s[a] = t[a] / n;
  s->project(s->data, at->s, at->p);
}

// (t - n p) . p
static double pull(const ChConeSection* s, const Place* at) {
  double sum = 0.0;
  for (int a = 0; a < s->rows; ++a) sum += (at->s[a] - at->p[a]) * at->p[a];
  return at->n * sum;
}

// v = (I - J) p; returns p . v
static double lean(const ChConeSection* s, const Place* at, double* J, double* v) {
  s->derivative(s->data, at->s, J);
  ch_small_multiply(s->rows, J, at->p, v);
  for (int a = 0; a < s->rows; ++a) v[a] = at->p[a] - v[a];
  return ch_max(dot(s->rows, at->p, v), 0.0);
}

static bool is_within(const ChConeSection* s, const Place* at) {
  for (int a = 0; a < s->rows; ++a)
    if (!(at->s[a] == at->p[a])) return false;
  return true;
}

// The root of f, by Newton's method in a bracket that shrinks: of polygons a few steps, f being piecewise linear.
static void find_height(const ChConeSection* s, const double* x, double low, double high, Place* at) {
  const double* t = x + 1;
  for (int k = 0; k < ROOT_STEPS; ++k) {
    double J[MOST * MOST], v[MOST];
    const double f = at->n - x[0] - pull(s, at);
    const double next = at->n - f / (1.0 + lean(s, at, J, v));
    if (f > 0.0)
      high = at->n;
    else
      low = at->n;
    const bool inside = next > low && next < high;
    if (f == 0.0 || fabs(next - at->n) <= TIGHT * at->n || high - low <= TIGHT * high) break;
    put(s, t, inside ? next : 0.5 * (low + high), at);
  }
}

// Where x is projected to; false: the tip, or a NaN, which is in `at->n`.
static bool find_place(const ChConeSection* s, const double* x, Place* at) {
  double back[MOST], sum = x[0];
  for (int a = 0; a < s->rows; ++a) back[a] = -x[1 + a], sum += x[1 + a];
  at->n = isnan(sum) ? sum : 0.0;
  if (isnan(sum)) return false;
  const double high = x[0] + s->support(s->data, back, NULL);
  if (!(high > 0.0)) return false;
  if (x[0] > 0.0) {
    put(s, x + 1, x[0], at);
    if (is_within(s, at)) return true;
  } else {
    put(s, x + 1, high, at);
  }
  find_height(s, x, x[0] > 0.0 ? x[0] : 0.0, high, at);
  return at->n > 0.0;
}

void ch_cone_over_project(const ChConeSection* s, const double* x, double* y) {
  Place at;
  const bool found = find_place(s, x, &at);
  if (found && at.n == x[0] && is_within(s, &at)) {
    if (y != x) memcpy(y, x, (size_t)(s->rows + 1) * sizeof *y);
    return;
  }
  for (int a = 0; a < s->rows; ++a) y[1 + a] = found ? at.n * at.p[a] : at.n;
  y[0] = at.n;
}

void ch_cone_over_derivative(const ChConeSection* s, const double* x, double* D) {
  const int d = s->rows + 1;
  double J[MOST * MOST], v[CH_BLOCK_MAX] = {1.0};
  Place at;
  memset(D, 0, (size_t)(d * d) * sizeof *D);
  if (!find_place(s, x, &at)) return;
  const double share = 1.0 / (1.0 + lean(s, &at, J, v + 1));
  for (int a = 0; a < d; ++a)
    for (int c = 0; c < d; ++c)
      D[a * d + c] = share * v[a] * v[c] + (a > 0 && c > 0 ? J[(a - 1) * s->rows + c - 1] : 0.0);
}

void ch_cone_over_alart_curnier(const ChConeSection* s, const double* x, double* y) {
  Place at;
  if (x[0] <= 0.0) {
    for (int a = 0; a <= s->rows; ++a) y[a] = 0.0;
    return;
  }
  put(s, x + 1, x[0], &at);
  y[0] = x[0];
  for (int a = 0; a < s->rows; ++a) y[1 + a] = at.s[a] == at.p[a] ? x[1 + a] : x[0] * at.p[a];
}

// y_T = n P(t / n): dy_T/dt = J, dy_T/dn = p - J t / n.
void ch_cone_over_alart_curnier_derivative(const ChConeSection* s, const double* x, double* D) {
  const int d = s->rows + 1;
  double J[MOST * MOST], carried[MOST];
  Place at;
  memset(D, 0, (size_t)(d * d) * sizeof *D);
  if (x[0] <= 0.0) return;
  put(s, x + 1, x[0], &at);
  s->derivative(s->data, at.s, J);
  ch_small_multiply(s->rows, J, at.s, carried);
  D[0] = 1.0;
  for (int a = 1; a < d; ++a) {
    D[a * d] = at.p[a - 1] - carried[a - 1];
    memcpy(D + a * d + 1, J + (a - 1) * s->rows, (size_t)s->rows * sizeof *D);
  }
}

double ch_cone_over_clamp(const ChConeSection* s, int row, double x, const double* r) {
  if (row == 0) return ch_positive_part(x);
  double along[MOST] = {0.0};
  along[row - 1] = -1.0;
  const double most = s->support(s->data, along, NULL);
  along[row - 1] = 1.0;
  return ch_clamp(x, -s->support(s->data, along, NULL) * r[0], most * r[0]);
}

// --- the exact solution of one block, the slow way -------------------------------------------------------------------

// What is left of a block with u_0 = 0: A t + g over n D.
typedef struct Rest {
  const ChConeSection* s;
  double A[MOST * MOST], g[MOST], bound;
} Rest;

// min 1/2 t A t + g t over n D, from t, by accelerated projected gradient that starts anew where it climbs.
static void solve_rest(const Rest* rest, double n, double* t) {
  const int m = rest->s->rows;
  double y[MOST], next[MOST], theta = 1.0;
  if (!(n > 0.0)) {
    memset(t, 0, (size_t)m * sizeof *t);
    return;
  }
  memcpy(y, t, (size_t)m * sizeof *t);
  for (int k = 0; k < DESCENTS; ++k) {
    double gradient[MOST], change = 0.0, uphill = 0.0;
    ch_small_multiply(m, rest->A, y, gradient);
    for (int a = 0; a < m; ++a) gradient[a] = (y[a] - (gradient[a] + rest->g[a]) / rest->bound) / n;
    rest->s->project(rest->s->data, gradient, next);
    for (int a = 0; a < m; ++a) {
      next[a] *= n;
      change += (next[a] - t[a]) * (next[a] - t[a]);
      uphill += (y[a] - next[a]) * (next[a] - t[a]);
    }
    const double grown = uphill > 0.0 ? 1.0 : 0.5 * (1.0 + sqrt(1.0 + 4.0 * theta * theta));
    const double momentum = uphill > 0.0 ? 0.0 : (theta - 1.0) / grown;
    for (int a = 0; a < m; ++a) y[a] = next[a] + momentum * (next[a] - t[a]);
    memcpy(t, next, (size_t)m * sizeof *t);
    theta = grown;
    if (k > 0 && !(change > 1e-32 * dot(m, t, t))) return;
  }
}

// The root n of base + lever . t(n) - n: positive at 0, negative far out.
static double solve_height(const Rest* rest, double base, const double* lever, double* t) {
  const int m = rest->s->rows;
  double low = 0.0, high = base, n = base;
  for (int k = 0; k < ROOT_STEPS; ++k) {
    solve_rest(rest, high, t);
    if (!(base + dot(m, lever, t) - high > 0.0)) break;
    low = high, high *= 2.0;
  }
  for (int k = 0; k < ROOT_STEPS && high - low > TIGHT * high; ++k) {
    n = 0.5 * (low + high);
    solve_rest(rest, n, t);
    if (base + dot(m, lever, t) - n > 0.0)
      low = n;
    else
      high = n;
  }
  return n;
}

void ch_cone_over_solve_bracketed(const ChConeSection* s, const double* W, const double* q, double* r) {
  const int d = s->rows + 1, m = s->rows;
  Rest rest = {.s = s, .bound = 1e-14};
  double lever[MOST], t[MOST] = {0.0};
  const double inverse = W[0] > 1e-14 ? 1.0 / W[0] : 1.0;
  for (int a = 1; a < d; ++a) {
    lever[a - 1] = -W[a] * inverse;
    rest.g[a - 1] = q[a] - W[a * d] * q[0] * inverse;
    for (int c = 1; c < d; ++c) rest.A[(a - 1) * m + c - 1] = W[a * d + c] - W[a * d] * W[c] * inverse;
    rest.bound += ch_max(rest.A[(a - 1) * m + a - 1], 0.0);
  }
  r[0] = solve_height(&rest, -q[0] * inverse, lever, t);
  memcpy(r + 1, t, (size_t)m * sizeof *t);
}
