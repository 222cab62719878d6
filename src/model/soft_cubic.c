// See soft_cubic.h.
#include "model/soft_cubic.h"

#include <string.h>

// T += row of the upper triangle from its diagonal on, both as a row and as a column.
static inline void add_row(int length, const double* restrict row, const double* restrict z, double* restrict T) {
  double sum = 0.0, own = z[0];
#pragma omp simd reduction(+ : sum)
  for (int k = 1; k < length; ++k) {
    sum += row[k] * z[k];
    T[k] += row[k] * own;
  }
  T[0] += row[0] * own + sum;
}

void ch_soft_cubic_matrices(const ChSoftCubic* cubic, const double* q, double* T3, double* T4) {
  int n = cubic->n, pairs = cubic->pairs;
  double z[CH_SOFT_PAIRS_MAX];
  memset(T3, 0, (size_t)pairs * sizeof *T3);
  memset(T4, 0, (size_t)pairs * sizeof *T4);
  for (int a = 0, at = 0; a < n; ++a)
    for (int b = a; b < n; ++b) z[at++] = (a == b ? 1.0 : 2.0) * q[a] * q[b];
  for (int c = 0; c < n; ++c) {
    const double *row = cubic->A + (long)c * pairs, factor = q[c];
    for (int k = 0; k < pairs; ++k) T3[k] += factor * row[k];
  }
  const double* row = cubic->B;
  for (int k = 0; k < pairs; row += pairs - k, ++k) add_row(pairs - k, row, z + k, T4 + k);
}
