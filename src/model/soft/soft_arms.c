// See soft_arms.h.
#include "model/soft/soft_arms.h"

#include <math.h>

#include "base/check.h"

static const double SHORT_STEP = 0.1;  // h / tau below which c is summed as a series, so that it does not cancel

// b and c of p = h / tau.
typedef struct Means {
  double p, b, c;
} Means;

static Means means_of(double h, double time) {
  CH_ASSERT(h > 0.0 && time > 0.0);
  Means m = {.p = h / time};
  m.b = -expm1(-m.p) / m.p;
  m.c = (1.0 - m.b) / m.p;
  if (m.p >= SHORT_STEP) return m;
  m.c = 0.0;
  for (int k = 10; k >= 2; --k) m.c = (1.0 - m.p * m.c) / k;  // 1/2! - p/3! + p^2/4! ...
  return m;
}

static double spring(const ChSoft* soft, int arm, int mode) {
  return soft->arm_share[arm] * soft->K0[(long)mode * soft->modes + mode];
}

void ch_soft_arms_resist(const ChSoft* soft, double h, double weight, const double* z, double* load, double* damping) {
  int n = soft->modes;
  for (int k = 0; k < soft->arms; ++k, z += n) {
    Means m = means_of(h, soft->arm_time[k]);
    double share = h * (m.c + (weight - 0.5) * m.b);
    for (int a = 0; a < n; ++a) {
      load[a] += spring(soft, k, a) * m.b * z[a];
      damping[a] += spring(soft, k, a) * share;
    }
  }
}

void ch_soft_arms_move(const ChSoft* soft, double h, const double* u, double* z) {
  int n = soft->modes;
  for (int k = 0; k < soft->arms; ++k, z += n) {
    Means m = means_of(h, soft->arm_time[k]);
    double left = exp(-m.p);
    for (int a = 0; a < n; ++a) z[a] = left * z[a] + m.b * h * u[a];
  }
}

double ch_soft_arms_energy(const ChSoft* soft, const double* z) {
  int n = soft->modes;
  double sum = 0.0;
  for (int k = 0; k < soft->arms; ++k, z += n)
    for (int a = 0; a < n; ++a) sum += 0.5 * spring(soft, k, a) * z[a] * z[a];
  return sum;
}

double ch_soft_arms_heat(const ChSoft* soft, double h, const double* u, const double* z) {
  int n = soft->modes;
  double sum = 0.0;
  for (int k = 0; k < soft->arms; ++k, z += n) {
    Means m = means_of(h, soft->arm_time[k]);
    double left = exp(-m.p);
    for (int a = 0; a < n; ++a) {
      double move = h * u[a], end = left * z[a] + m.b * move;
      sum += spring(soft, k, a) * ((m.b * z[a] + m.c * move) * move + 0.5 * (z[a] - end) * (z[a] + end));
    }
  }
  return sum;
}
