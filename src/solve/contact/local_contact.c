// One block solved exactly: see local_contact.h.
#include "solve/contact/local_contact.h"

#include <math.h>

#include "linalg/small.h"

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

static void prepare_section(const double* W, int stride, const double* w, double normal_inverse, ChLocalBlock* l) {
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

// Splits a contact's block into its symmetric part, returned in S, and the rest.
static void split(const double* W, int d, double* S, ChLocalBlock* l) {
  for (int a = 0; a < d; ++a)
    for (int b = 0; b < d; ++b) {
      S[a * d + b] = 0.5 * (W[a * d + b] + W[b * d + a]);
      l->asymmetry[a * d + b] = W[a * d + b] - S[a * d + b];
      l->skew |= fabs(l->asymmetry[a * d + b]) > 1e-13;
    }
}

void ch_local_prepare(ChArena* arena, const ChSystem* s, int i, ChLocalBlock* l) {
  const double* W = s->diagonal + s->diagonal_at[i];
  int d = s->dim[i];
  double S[9] = {0.0};
  *l = (ChLocalBlock){0};
  switch ((ChSet)s->set[i]) {
    case CH_SET_FREE: {
      double shifted[CH_BLOCK_MAX * CH_BLOCK_MAX];
      for (int k = 0; k < d * d; ++k) shifted[k] = W[k];
      for (int k = 0; k < d; ++k) shifted[k * d + k] += 1e-12;  // W_ii is scaled to 1; redundant rows stay solvable
      l->inverse = CH_TAKE(arena, d * d, double);
      if (!ch_small_invert(d, shifted, l->inverse)) ch_small_identity(d, 1.0, l->inverse);
      break;
    }
    case CH_SET_HALF:
    case CH_SET_BOX:
      l->normal_inverse = W[0] > 1e-14 ? 1.0 / W[0] : 1.0;
      break;
    case CH_SET_CONE:
      split(W, d, S, l);
      l->normal_inverse = S[0] > 1e-14 ? 1.0 / S[0] : 1.0;
      if (d == 3) {
        prepare_section(S + 4, 3, S + 1, l->normal_inverse, l);
      } else {
        l->lever[0] = -S[1] * l->normal_inverse;
        l->value[0] = fmax(S[3] - S[1] * S[1] * l->normal_inverse, 1e-14);
      }
      break;
    case CH_SET_DISC: {
      double none[2] = {0.0, 0.0};
      split(W, d, S, l);
      prepare_section(S, 2, none, 0.0, l);
      break;
    }
  }
}

// |r_T| <= mu (base + lever . r_T) with r_T stationary: sticks where it may, else slides.
static void solve_section(const ChLocalBlock* l, double q0, double q1, double base, double mu, double* root, double* n,
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

static void solve_space(const ChLocalBlock* l, const double* b, double mu, double* root, double* r) {
  if (b[0] >= 0.0) {
    r[0] = r[1] = r[2] = 0.0;
    return;
  }
  double w0 = -(l->cosine * l->lever[0] - l->sine * l->lever[1]);  // w / W_nn back from the eigenbasis
  double w1 = -(l->sine * l->lever[0] + l->cosine * l->lever[1]);
  solve_section(l, b[1] - w0 * b[0], b[2] - w1 * b[0], -b[0] * l->normal_inverse, mu, root, &r[0], r + 1);
}

// In the plane the root is explicit: r_t = sign mu r_n with the sign that opposes the slip.
static void solve_plane(const ChLocalBlock* l, const double* b, double mu, double* r) {
  if (b[0] >= 0.0) {
    r[0] = r[1] = 0.0;
    return;
  }
  double base = -b[0] * l->normal_inverse;
  double t = -(b[1] + l->lever[0] * b[0]) / l->value[0], n = base + l->lever[0] * t;
  if (!(fabs(t) <= mu * n)) {
    double sign = t > 0.0 ? 1.0 : -1.0, divisor = 1.0 - sign * mu * l->lever[0];
    n = divisor > 0.0 ? base / divisor : 0.0;
    t = sign * mu * n;
  }
  r[0] = n, r[1] = t;
}

// Pose relaxed: min 1/2 r W r + b r over the cone, by accelerated projected gradient; the block is scaled to 1.
static void solve_relaxed(const ChSystem* s, int i, const double* b, double* r) {
  const double* W = s->diagonal + s->diagonal_at[i];
  int d = s->dim[i];
  double bound = 0.0, y[3], next[3], theta = 1.0;
  for (int k = 0; k < d; ++k) bound += W[k * d + k];
  for (int k = 0; k < d; ++k) y[k] = r[k];
  for (int iteration = 0; iteration < 200; ++iteration) {
    double gradient[3], change = 0.0, size = 0.0, uphill = 0.0;
    ch_small_multiply(d, W, y, gradient);
    for (int k = 0; k < d; ++k) next[k] = y[k] - (gradient[k] + b[k]) / bound;
    ch_system_project_block(s, i, next, next);
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

void ch_local_solve(const ChSystem* s, int i, ChLocalBlock* l, const double* b_in, double* r) {
  int d = s->dim[i];
  double b[CH_BLOCK_MAX] = {0.0}, shift[3] = {0.0, 0.0, 0.0}, unused;
  for (int k = 0; k < d; ++k) b[k] = b_in[k];
  bool whole = s->relaxed && s->set[i] == CH_SET_CONE;  // solve_relaxed sees the block as it is
  if (l->skew && !whole) {
    ch_small_multiply(d, l->asymmetry, r, shift);
    for (int k = 0; k < d; ++k) b[k] += shift[k];
  }
  switch ((ChSet)s->set[i]) {
    case CH_SET_FREE:
      ch_small_multiply(d, l->inverse, b, r);
      for (int k = 0; k < d; ++k) r[k] = -r[k];
      break;
    case CH_SET_HALF:
      r[0] = b[0] >= 0.0 ? 0.0 : -b[0] * l->normal_inverse;
      break;
    case CH_SET_BOX: {
      double x = -b[0] * l->normal_inverse;
      ch_system_project_block(s, i, &x, r);
      break;
    }
    case CH_SET_CONE:
      if (s->relaxed)
        solve_relaxed(s, i, b, r);
      else if (d == 3)
        solve_space(l, b, s->mu[i], &l->root, r);
      else
        solve_plane(l, b, s->mu[i], r);
      break;
    case CH_SET_DISC:
      if (s->mu[i] > 0.0)
        solve_section(l, b[0], b[1], s->mu[i], 1.0, &l->root, &unused, r);
      else
        r[0] = r[1] = 0.0;
      break;
  }
}
