// See local.h.
#include "problem/laws/local.h"

#include <math.h>

#include "linalg/small.h"

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
