// Projections onto cones.
//
// The elliptic cone has no closed form. Its boundary point y nearest to an outside x = (n, a, b) satisfies, with one
// multiplier lambda > 0,
//
//   y_n = n / (1 - lambda),   y_1 = a mu_1^2 / (mu_1^2 + lambda),   y_2 = b mu_2^2 / (mu_2^2 + lambda).
//
// Putting lambda = tau / (1 - tau) and d_k(tau) = mu_k^2 (1 - tau) + tau, the condition y_n = |(y_1/mu_1, y_2/mu_2)|
// becomes one equation on the bounded interval 0 < tau < 1, without poles and strictly decreasing:
//
//   F(tau) = (1 - 2 tau) R(tau) - n = 0,   R(tau) = |(a mu_1 / d_1, b mu_2 / d_2)|.
//
// F(0) > 0 says that x lies outside the cone, F(1) < 0 that it lies outside the polar cone.
#include "problem/cones.h"

#include <float.h>
#include <stdbool.h>

typedef struct Ellipse {
  double n, a, b;  // the point
  double m1, m2;   // mu_1, mu_2
} Ellipse;

// F and its derivative at tau.
static double boundary_equation(const Ellipse* e, double tau, double* slope) {
  const double d1 = e->m1 * e->m1 * (1.0 - tau) + tau, d2 = e->m2 * e->m2 * (1.0 - tau) + tau;
  const double p = e->a * e->m1 / d1, q = e->b * e->m2 / d2;
  const double R = sqrt(p * p + q * q);
  const double dR = R > 0.0 ? -(p * p * (1.0 - e->m1 * e->m1) / d1 + q * q * (1.0 - e->m2 * e->m2) / d2) / R : 0.0;
  *slope = -2.0 * R + (1.0 - 2.0 * tau) * dR;
  return (1.0 - 2.0 * tau) * R - e->n;
}

// Newton's iteration held inside a bracket that bisection shrinks whenever Newton leaves it or is slow.
static double boundary_root(const Ellipse* e) {
  enum { MOST_STEPS = 200 };
  double lo = 0.0, hi = 1.0, tau = 0.5, last_width = 1.0;
  for (int k = 0; k < MOST_STEPS; ++k) {
    double slope;
    const double F = boundary_equation(e, tau, &slope);
    if (F == 0.0) break;
    if (F > 0.0)
      lo = tau;
    else
      hi = tau;
    double next = tau - F / slope;
    const bool slow = hi - lo > 0.5 * last_width && k % 3 == 2;
    if (!(next > lo && next < hi) || slow) next = lo > 0.0 && hi > 16.0 * lo ? sqrt(lo * hi) : 0.5 * (lo + hi);
    if (k % 3 == 2) last_width = hi - lo;
    if (fabs(next - tau) <= 2.0 * DBL_EPSILON * next) return next;
    tau = next;
  }
  return tau;
}

static void project_elliptic_boundary(const Ellipse* e, double y[3]) {
  const double tau = boundary_root(e);
  const double s1 = e->m1 * (1.0 - tau) / (e->m1 * e->m1 * (1.0 - tau) + tau);
  const double s2 = e->m2 * (1.0 - tau) / (e->m2 * e->m2 * (1.0 - tau) + tau);
  y[0] = sqrt(s1 * e->a * s1 * e->a + s2 * e->b * s2 * e->b);
  y[1] = e->m1 * s1 * e->a;
  y[2] = e->m2 * s2 * e->b;
}

// One coefficient is zero: the cone lies in a plane.
static void project_flat(double mu, int allowed, const double x[3], double y[3]) {
  const double in[2] = {x[0], x[allowed]};
  double out[2];
  ch_project_circular2(mu, in, out);
  y[0] = out[0], y[allowed] = out[1], y[3 - allowed] = 0.0;
}

void ch_project_elliptic(const double mu[2], const double x[3], double y[3]) {
  if (isnan(x[0]) || isnan(x[1]) || isnan(x[2])) {
    y[0] = y[1] = y[2] = NAN;
    return;
  }
  if (mu[0] == mu[1]) {
    ch_project_circular3(mu[0], x, y);
  } else if (mu[0] == 0.0) {
    project_flat(mu[1], 2, x, y);
  } else if (mu[1] == 0.0) {
    project_flat(mu[0], 1, x, y);
  } else if (x[0] >= 0.0 && hypot(x[1] / mu[0], x[2] / mu[1]) <= x[0]) {
    y[0] = x[0], y[1] = x[1], y[2] = x[2];
  } else if (hypot(x[1] * mu[0], x[2] * mu[1]) <= -x[0]) {
    y[0] = y[1] = y[2] = 0.0;
  } else {
    const Ellipse e = {.n = x[0], .a = x[1], .b = x[2], .m1 = mu[0], .m2 = mu[1]};
    project_elliptic_boundary(&e, y);
  }
}

double ch_contact_support(const ChBlock* block, ChPose pose, const double* u) {
  return ch_block_support(block, pose, u);
}
