// See local.h.
#include "problem/laws/local.h"

#include <math.h>
#include <string.h>

#include "linalg/small.h"

enum { NEWTON_STEPS = 30 };
#define EXACT 1e-15   // of |q| and |r|: what is left of F where the solution is exact
#define ENOUGH 1e-13  // and what is taken where rounding leaves no less

void ch_local_minimize(const ChScaledBlock* b, const double* W, const double* q, double* r) {
  int d = b->dim;
  double bound = 0.0, y[CH_BLOCK_MAX], next[CH_BLOCK_MAX], theta = 1.0;
  for (int k = 0; k < d; ++k) bound += W[k * d + k];
  for (int k = 0; k < d; ++k) y[k] = r[k];
  for (int iteration = 0; iteration < 200; ++iteration) {
    double gradient[CH_BLOCK_MAX], change = 0.0, size = 0.0, uphill = 0.0;
    ch_small_multiply(d, W, y, gradient);
    for (int k = 0; k < d; ++k) next[k] = y[k] - (gradient[k] + q[k]) / bound;
    b->law->project(b, next, next);
    for (int k = 0; k < d; ++k) {
      change += (next[k] - r[k]) * (next[k] - r[k]);
      size += next[k] * next[k];
      uphill += (y[k] - next[k]) * (next[k] - r[k]);
    }
    double theta_next = uphill > 0.0 ? 1.0 : 0.5 * (1.0 + sqrt(1.0 + 4.0 * theta * theta));
    double momentum = uphill > 0.0 ? 0.0 : (theta - 1.0) / theta_next;
    for (int k = 0; k < d; ++k) {
      y[k] = next[k] + momentum * (next[k] - r[k]);
      r[k] = next[k];
    }
    theta = theta_next;
    if (iteration > 0 && change <= 1e-30 * size) break;
  }
}

void ch_local_prepare_row(ChArena* arena, const ChScaledBlock* b, const double* W, ChLocalBlock* l) {
  (void)arena;
  (void)b;
  l->normal_inverse = W[0] > 1e-14 ? 1.0 / W[0] : 1.0;
}

static double norm(int n, const double* x) {
  double sum = 0.0;
  for (int k = 0; k < n; ++k) sum += x[k] * x[k];
  return sqrt(sum);
}

// --- Newton's method on F = y(r - (W r + q)) - r ---------------------------------------------------------------------

// x and F at r; returns |F|.
static double evaluate(const ChScaledBlock* b, bool relaxed, const double* W, const double* q, const double* r,
                       double* x, double* F) {
  const int d = b->dim;
  double u[CH_BLOCK_MAX], y[CH_BLOCK_MAX];
  ch_small_multiply(d, W, r, u);
  for (int a = 0; a < d; ++a) x[a] = r[a] - (u[a] + q[a]);
  (relaxed ? b->law->project : b->law->alart_curnier)(b, x, y);
  for (int a = 0; a < d; ++a) F[a] = y[a] - r[a];
  return norm(d, F);
}

// (I - D + D W) dr = F
static bool newton_step(const ChScaledBlock* b, bool relaxed, const double* W, const double* x, double* F) {
  const int d = b->dim;
  double D[CH_BLOCK_MAX * CH_BLOCK_MAX], A[CH_BLOCK_MAX * CH_BLOCK_MAX];
  (relaxed ? b->law->derivative : b->law->alart_curnier_derivative)(b, x, D);
  ch_small_product(d, d, D, W, A);
  for (int k = 0; k < d * d; ++k) A[k] += (k % (d + 1) == 0) - D[k];
  double inverse[CH_BLOCK_MAX * CH_BLOCK_MAX], rest[CH_BLOCK_MAX];
  if (!ch_small_invert(d, A, inverse)) return false;
  memcpy(rest, F, (size_t)d * sizeof *rest);
  ch_small_multiply(d, inverse, rest, F);
  return true;
}

bool ch_local_newton(const ChScaledBlock* b, bool relaxed, const double* W, const double* q, double* r) {
  const int d = b->dim;
  double at[CH_BLOCK_MAX], x[CH_BLOCK_MAX], F[CH_BLOCK_MAX], best = INFINITY;
  const double unit = norm(d, q);
  memcpy(at, r, (size_t)d * sizeof *r);
  for (int step = 0; step < NEWTON_STEPS; ++step) {
    const double f = evaluate(b, relaxed, W, q, at, x, F), scale = unit + norm(d, at);
    if (!(f < INFINITY)) return false;
    if (f <= ENOUGH * scale && !(f < 0.5 * best)) return true;
    if (f <= ENOUGH * scale) {
      best = f;
      memcpy(r, at, (size_t)d * sizeof *r);
      if (f <= EXACT * scale) return true;
    }
    if (!newton_step(b, relaxed, W, x, F)) return best < INFINITY;
    for (int a = 0; a < d; ++a) at[a] += F[a];
  }
  return best < INFINITY;
}

void ch_local_solve_cone(const ChScaledBlock* b, bool relaxed, const double* W, const double* q, ChSlowLocal slow,
                         double* r) {
  if (!relaxed && q[0] >= 0.0) {
    for (int a = 0; a < b->dim; ++a) r[a] = 0.0;
    return;
  }
  if (!ch_local_newton(b, relaxed, W, q, r)) {
    (relaxed ? ch_local_minimize : slow)(b, W, q, r);
    ch_local_newton(b, relaxed, W, q, r);
  }
  b->law->project(b, r, r);
}
