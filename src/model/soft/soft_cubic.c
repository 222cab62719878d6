// See soft_cubic.h.
#include "model/soft/soft_cubic.h"

#include <string.h>

// Four rows of the upper triangle at once, so that z and T are read once for all four: what is right of their common
// triangle acts as rows and, transposed, as columns. row[r] begins at the diagonal entry of row r.
static inline void add_four_rows(int length, const double* const row[4], const double* restrict z, double* restrict T) {
  const double* restrict a = row[0], * restrict b = row[1] - 1, * restrict c = row[2] - 2, * restrict d = row[3] - 3;
  double sum[4] = {0.0, 0.0, 0.0, 0.0};
  for (int i = 0; i < 4; ++i)
    for (int j = i; j < 4; ++j) {
      sum[i] += row[i][j - i] * z[j];
      if (j > i) sum[j] += row[i][j - i] * z[i];
    }
  double s0 = sum[0], s1 = sum[1], s2 = sum[2], s3 = sum[3];
  const double z0 = z[0], z1 = z[1], z2 = z[2], z3 = z[3];
#pragma omp simd reduction(+ : s0, s1, s2, s3)
  for (int k = 4; k < length; ++k) {
    s0 += a[k] * z[k], s1 += b[k] * z[k], s2 += c[k] * z[k], s3 += d[k] * z[k];
    T[k] += a[k] * z0 + b[k] * z1 + c[k] * z2 + d[k] * z3;
  }
  T[0] += s0, T[1] += s1, T[2] += s2, T[3] += s3;
}

static inline void add_row(int length, const double* restrict row, const double* restrict z, double* restrict T) {
  for (int k = 1; k < length; ++k) T[0] += row[k] * z[k], T[k] += row[k] * z[0];
  T[0] += row[0] * z[0];
}

// T = B z, B given by the rows of its upper triangle.
static void multiply_packed(int n, const double* B, const double* z, double* T) {
  int k = 0;
  for (; k + 4 <= n; k += 4) {
    const double* row[4] = {B, B + (n - k), B + (n - k) + (n - k - 1), B + (n - k) + (n - k - 1) + (n - k - 2)};
    add_four_rows(n - k, row, z + k, T + k);
    B = row[3] + (n - k - 3);
  }
  for (; k < n; B += n - k, ++k) add_row(n - k, B, z + k, T + k);
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
  multiply_packed(pairs, cubic->B, z, T4);
}
