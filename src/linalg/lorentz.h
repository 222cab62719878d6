// Euclidean Jordan algebra of the second-order cone L = { x : x_0 >= |x_1..| }, dimension 1 to 4.
#ifndef CH_LINALG_LORENTZ_H
#define CH_LINALG_LORENTZ_H

#include <math.h>

#include "base/check.h"

static inline double ch_lorentz_tail(int d, const double* x) {
  if (d <= 2) return d == 1 ? 0.0 : fabs(x[1]);
  return d == 3 ? sqrt(x[1] * x[1] + x[2] * x[2]) : sqrt(x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
}

// det x = x_0^2 - |x_1|^2, without cancellation; kept positive
static inline double ch_lorentz_det(int d, const double* x) {
  double tail = ch_lorentz_tail(d, x);
  return fmax((x[0] - tail) * (x[0] + tail), 1e-300);
}

static inline double ch_lorentz_dot(int d, const double* x, const double* y) {
  double sum = 0.0;
  for (int k = 0; k < d; ++k) sum += x[k] * y[k];
  return sum;
}

// z = x o y
static inline void ch_lorentz_product(int d, const double* x, const double* y, double* z) {
  double head = ch_lorentz_dot(d, x, y), x0 = x[0], y0 = y[0];
  for (int k = 1; k < d; ++k) z[k] = x0 * y[k] + y0 * x[k];
  z[0] = head;
}

// x with l o x = c
static inline void ch_lorentz_divide(int d, const double* l, const double* c, double* x) {
  double head = l[0] * c[0];
  for (int k = 1; k < d; ++k) head -= l[k] * c[k];
  head /= ch_lorentz_det(d, l);
  for (int k = 1; k < d; ++k) x[k] = (c[k] - head * l[k]) / l[0];
  x[0] = head;
}

// Nesterov-Todd scaling of the pair (u, r): the matrix N = beta [w_0, w_1^T; w_1, I + w_1 w_1^T / (1 + w_0)] has N r =
// N^-1 u.
typedef struct ChScaling {
  double w[4], beta;
} ChScaling;

static inline ChScaling ch_scaling(int d, const double* u, const double* r) {
  ChScaling s = {.beta = 0.0};
  double size_u = sqrt(ch_lorentz_det(d, u)), size_r = sqrt(ch_lorentz_det(d, r));
  double gamma = sqrt(0.5 * (1.0 + ch_lorentz_dot(d, u, r) / (size_u * size_r))), tail = 0.0;
  for (int k = 1; k < d; ++k) {
    s.w[k] = (u[k] / size_u - r[k] / size_r) / (2.0 * gamma);
    tail += s.w[k] * s.w[k];
  }
  s.w[0] = sqrt(1.0 + tail);
  s.beta = sqrt(size_u / size_r);
  return s;
}

// y = N x (sign = 1) or N^-1 x (sign = -1)
static inline void ch_scaling_apply(int d, const ChScaling* s, int sign, const double* x, double* y) {
  double dot = 0.0, factor = sign > 0 ? s->beta : 1.0 / s->beta, x0 = x[0];
  for (int k = 1; k < d; ++k) dot += s->w[k] * x[k];
  double along = sign * x0 + dot / (1.0 + s->w[0]);
  for (int k = 1; k < d; ++k) y[k] = factor * (x[k] + s->w[k] * along);
  y[0] = factor * (s->w[0] * x0 + sign * dot);
}

// G = N^2 = beta^2 (2 w w^T - J)
static inline void ch_scaling_square(int d, const ChScaling* s, double* G) {
  double b = s->beta * s->beta;
  for (int i = 0; i < d; ++i)
    for (int j = 0; j < d; ++j) G[i * d + j] = b * (2.0 * s->w[i] * s->w[j] + (i != j ? 0.0 : i == 0 ? -1.0 : 1.0));
}

// Longest t with x + t dx in L
static inline double ch_lorentz_step(int d, const double* x, const double* dx) {
  double head = dx[0] < 0.0 ? -x[0] / dx[0] : INFINITY;
  if (d == 1) return head;
  double tail = ch_lorentz_tail(d, dx), a = (dx[0] - tail) * (dx[0] + tail), b = x[0] * dx[0], c = ch_lorentz_det(d, x);
  for (int k = 1; k < d; ++k) b -= x[k] * dx[k];
  double discriminant = b * b - a * c;
  if (discriminant < 0.0 || !(b < 0.0 || a < 0.0)) return head;
  double divisor = -b + sqrt(discriminant);
  return divisor > 0.0 ? fmin(head, c / divisor) : head;
}

#endif
