// See section.h.
#include "problem/laws/section.h"

#include <string.h>

#define SKEW 1e-13  // blocks are scaled to 1; files carry round-off

void ch_section_split(ChArena* arena, const double* W, int d, double* S, ChLocalBlock* l) {
  double rest[CH_SECTION_MAX * CH_SECTION_MAX];
  bool skew = false;
  for (int a = 0; a < d; ++a)
    for (int b = 0; b < d; ++b) {
      S[a * d + b] = 0.5 * (W[a * d + b] + W[b * d + a]);
      rest[a * d + b] = W[a * d + b] - S[a * d + b];
      skew |= fabs(rest[a * d + b]) > SKEW;
    }
  if (!skew) return;
  l->asymmetry = CH_TAKE(arena, d * d, double);
  memcpy(l->asymmetry, rest, (size_t)(d * d) * sizeof *rest);
}

// r_T(a), r_n(a), phi(a) and phi'(a) in the eigenbasis; base + lever . r_T is r_n.
typedef struct Slide {
  double value[2], q[2], lever[2], base, mu;
  double t[2], n, slope;
} Slide;

static double slide_phi(Slide* s, double a) {
  double d0 = 1.0 / (s->value[0] + a), d1 = 1.0 / (s->value[1] + a);
  double t0 = -s->q[0] * d0, t1 = -s->q[1] * d1;
  double size = sqrt(t0 * t0 + t1 * t1);
  s->t[0] = t0, s->t[1] = t1;
  s->n = s->base + s->lever[0] * t0 + s->lever[1] * t1;
  double s0 = -t0 * d0, s1 = -t1 * d1;  // d r_T / d a
  s->slope = (size > 0.0 ? (t0 * s0 + t1 * s1) / size : 0.0) - s->mu * (s->lever[0] * s0 + s->lever[1] * s1);
  return size - s->mu * s->n;
}

// Root of phi on a > 0, given phi(0) > 0 and phi(infinity) < 0: Newton inside a shrinking bracket. A guess from a very
// different load would cost more steps than there are. Ends where a step changes nothing: bisecting there would leave
// the root again.
static double slide_root(Slide* s, double guess) {
  double size = s->value[0] + s->value[1];
  double low = 0.0, high = INFINITY, a = guess > 1e-9 * size && guess < 1e9 * size ? guess : 0.1 * size;
  for (int k = 0; k < 100; ++k) {
    double phi = slide_phi(s, a), step = phi / s->slope, next = a - step;
    if (phi == 0.0 || fabs(step) <= 4e-16 * a) return a;
    if (phi > 0.0)
      low = a;
    else
      high = a;
    if (isfinite(high) && high - low <= 4e-16 * high) return a;
    if (!(next > low && next < high))
      next = !isfinite(high)                  ? 8.0 * (a + size)
             : low > 0.0 && high > 16.0 * low ? sqrt(low * high)
                                              : 0.5 * (low + high);
    a = next;
  }
  slide_phi(s, a);
  return a;
}

void ch_section_prepare(const double* W, int stride, const double* w, double normal_inverse, ChLocalBlock* l) {
  double a = W[0] - w[0] * w[0] * normal_inverse, b = W[1] - w[0] * w[1] * normal_inverse;
  double d = W[stride + 1] - w[1] * w[1] * normal_inverse;
  double angle = 0.5 * atan2(2.0 * b, a - d), c = cos(angle), s = sin(angle);
  double floor = 1e-14 * (W[0] + W[stride + 1]) + 1e-300;  // of W_TT: what the subtraction leaves may be round-off
  l->cosine = c, l->sine = s;
  l->value[0] = fmax(c * c * a + 2.0 * c * s * b + s * s * d, floor);
  l->value[1] = fmax(s * s * a - 2.0 * c * s * b + c * c * d, floor);
  l->lever[0] = -(c * w[0] + s * w[1]) * normal_inverse;
  l->lever[1] = -(-s * w[0] + c * w[1]) * normal_inverse;
}

void ch_section_solve(const ChLocalBlock* l, double q0, double q1, double base, double mu, double* root, double* n,
                      double* t) {
  Slide s = {.value = {l->value[0], l->value[1]},
             .q = {l->cosine * q0 + l->sine * q1, -l->sine * q0 + l->cosine * q1},
             .lever = {l->lever[0], l->lever[1]},
             .base = base,
             .mu = mu};
  if (!(slide_phi(&s, 0.0) <= 0.0)) {
    *root = slide_root(&s, *root);
    if (s.n < 0.0) s.n = 0.0;
    double size = sqrt(s.t[0] * s.t[0] + s.t[1] * s.t[1]);
    double shrink = size > 0.0 ? mu * s.n / size : 0.0;
    s.t[0] *= shrink, s.t[1] *= shrink;
  }
  *n = s.n;
  t[0] = l->cosine * s.t[0] - l->sine * s.t[1];
  t[1] = l->sine * s.t[0] + l->cosine * s.t[1];
}
