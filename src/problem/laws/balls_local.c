// See balls.h: the exact solution of one block.
#include <math.h>
#include <string.h>

#include "linalg/small.h"
#include "problem/laws/balls.h"
#include "problem/laws/local.h"

enum { ROUNDS = 2000, ROOT_STEPS = 200, SECULAR_STEPS = 60 };

static double dot(int n, const double* x, const double* y) {
  double sum = 0.0;
  for (int k = 0; k < n; ++k) sum += x[k] * y[k];
  return sum;
}

static double norm(int n, const double* x) { return sqrt(dot(n, x, x)); }

// y <- A^-1 y, A of n rows of n entries; false where it is singular.
static bool solve_small(int n, const double* A, double* y) {
  double inverse[CH_BLOCK_MAX * CH_BLOCK_MAX], x[CH_BLOCK_MAX];
  if (!ch_small_invert(n, A, inverse)) return false;
  memcpy(x, y, (size_t)n * sizeof *x);
  ch_small_multiply(n, inverse, x, y);
  return true;
}

// --- balls of known size ---------------------------------------------------------------------------------------------

// What is left of a block with u_0 = 0: Wt r + qt over balls of radius mu_k n.
typedef struct Rest {
  const ChScaledBlock* b;
  int m;                                  // rows without the normal
  double W[CH_BLOCK_MAX * CH_BLOCK_MAX];  // m x m, symmetric
  double q[CH_BLOCK_MAX];
} Rest;

// t = -(A + a I)^-1 g of n rows; returns |t|, and d|t| / da in slope.
static double shifted_size(int n, const double* A, double a, const double* g, double* t, double* slope) {
  double S[CH_BALL_ROWS * CH_BALL_ROWS], w[CH_BALL_ROWS];
  for (int k = 0; k < n * n; ++k) S[k] = A[k] + (k % (n + 1) == 0 ? a : 0.0);
  for (int k = 0; k < n; ++k) t[k] = -g[k];
  if (!solve_small(n, S, t)) return INFINITY;
  const double size = norm(n, t);
  memcpy(w, t, (size_t)n * sizeof *w);
  if (!solve_small(n, S, w)) return INFINITY;
  *slope = size > 0.0 ? -dot(n, t, w) / size : 0.0;
  return size;
}

// min 1/2 t A t + g t over |t| <= radius. Newton's method on 1 / |t(a)| - 1 / radius rises to the root from a = 0.
static void solve_ball(int n, const double* A, const double* g, double radius, double* t) {
  double a = 0.0, slope = 0.0, size = shifted_size(n, A, a, g, t, &slope);
  for (int k = 0; k < SECULAR_STEPS && size > radius * (1.0 + 1e-15); ++k) {
    const double step = size < INFINITY ? (size - radius) * size / (-slope * radius) : 1e-14;
    if (!(step > 1e-16 * a)) break;
    a += step;
    size = shifted_size(n, A, a, g, t, &slope);
  }
  for (int k = 0; k < n && size > radius; ++k) t[k] *= radius / size;
}

// One round over the balls; returns the square of the change.
static double visit_balls(const Rest* s, double n, double* t) {
  double change = 0.0;
  for (int k = 0, at = 0; k < s->b->balls; at += s->b->ball[k++]) {
    const int rows = s->b->ball[k];
    double A[CH_BALL_ROWS * CH_BALL_ROWS], g[CH_BALL_ROWS], was[CH_BALL_ROWS];
    for (int a = 0; a < rows; ++a) {
      g[a] = s->q[at + a] + dot(s->m, s->W + (at + a) * s->m, t);
      for (int c = 0; c < rows; ++c) {
        A[a * rows + c] = s->W[(at + a) * s->m + at + c];
        g[a] -= A[a * rows + c] * t[at + c];
      }
    }
    memcpy(was, t + at, (size_t)rows * sizeof *was);
    solve_ball(rows, A, g, s->b->more[k] * n, t + at);
    for (int a = 0; a < rows; ++a) change += (t[at + a] - was[a]) * (t[at + a] - was[a]);
  }
  return change;
}

static void solve_rest(const Rest* s, double n, double* t) {
  for (int round = 0; round < ROUNDS; ++round)
    if (!(visit_balls(s, n, t) > 1e-30 * dot(s->m, t, t))) return;
}

// The root n of base + lever . t(n) - n, t(n) the solution over balls of size n: positive at 0, negative far out.
static double solve_normal(const Rest* s, double base, const double* lever, double* t) {
  double low = 0.0, high = base, f_low = base, f_high;
  for (int k = 0; k < ROOT_STEPS; ++k) {
    solve_rest(s, high, t);
    f_high = base + dot(s->m, lever, t) - high;
    if (!(f_high > 0.0)) break;
    low = high, f_low = f_high, high *= 2.0;
  }
  double n = high;
  for (int k = 0; k < ROOT_STEPS && high - low > 2e-16 * high; ++k) {
    n = k % 3 == 2 ? NAN : low + f_low / (f_low - f_high) * (high - low);
    if (!(n > low && n < high)) n = 0.5 * (low + high);
    solve_rest(s, n, t);
    const double f = base + dot(s->m, lever, t) - n;
    if (f > 0.0)
      low = n, f_low = f;
    else
      high = n, f_high = f;
  }
  return n;
}

void ch_balls_solve_bracketed(const ChScaledBlock* b, const double* W, const double* q, double* r) {
  const int d = b->dim, m = d - 1;
  Rest s = {.b = b, .m = m};
  double lever[CH_BLOCK_MAX], carried[CH_BLOCK_MAX] = {0.0}, t[CH_BLOCK_MAX] = {0.0};
  for (int a = 0; a < d; ++a) {  // an asymmetric part stays on the right-hand side, at the r that came in
    carried[a] = q[a];
    for (int c = 0; c < d; ++c) carried[a] += 0.5 * (W[a * d + c] - W[c * d + a]) * r[c];
  }
  const double inverse = W[0] > 1e-14 ? 1.0 / W[0] : 1.0;
  for (int a = 1; a < d; ++a) {
    const double w = 0.5 * (W[a * d] + W[a]);
    lever[a - 1] = -w * inverse;
    s.q[a - 1] = carried[a] - w * carried[0] * inverse;
    for (int c = 1; c < d; ++c)
      s.W[(a - 1) * m + c - 1] =
          0.5 * (W[a * d + c] + W[c * d + a]) - w * 0.5 * (W[c * d] + W[c]) * inverse + (a == c ? 1e-14 : 0.0);
  }
  r[0] = solve_normal(&s, -carried[0] * inverse, lever, t);
  memcpy(r + 1, t, (size_t)m * sizeof *t);
}

// --- together --------------------------------------------------------------------------------------------------------

void ch_balls_prepare_local(ChArena* arena, const ChScaledBlock* b, const double* W, ChLocalBlock* l) {
  (void)arena, (void)b, (void)W, (void)l;
}

void ch_balls_solve_local(const ChScaledBlock* b, bool relaxed, const double* W, ChLocalBlock* l, const double* q,
                          double* r) {
  (void)l;
  ch_local_solve_cone(b, relaxed, W, q, ch_balls_solve_bracketed, r);
}
