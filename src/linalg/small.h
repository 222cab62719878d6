// Small dense blocks, row-major, dimension 1 to 6.
#ifndef CH_LINALG_SMALL_H
#define CH_LINALG_SMALL_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { CH_SMALL_MAX = 6 };

static inline void ch_small_multiply(int d, const double* A, const double* x, double* y) {
  for (int i = 0; i < d; ++i) {
    double sum = 0.0;
    for (int j = 0; j < d; ++j) sum += A[i * d + j] * x[j];
    y[i] = sum;
  }
}

// C = A B, A is d x d, B is d x n
static inline void ch_small_product(int d, int n, const double* A, const double* B, double* C) {
  for (int i = 0; i < d; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0.0;
      for (int k = 0; k < d; ++k) sum += A[i * d + k] * B[k * n + j];
      C[i * n + j] = sum;
    }
}

// Loops over sizes that are known when compiled: a contact of a rigid body in space, one in the plane, anything else.
#define CH_SMALL_BY_SIZE(m, n, kernel, ...) \
  do {                                      \
    if ((m) == 6 && (n) == 3)               \
      kernel(6, 3, __VA_ARGS__);            \
    else if ((m) == 3 && (n) == 2)          \
      kernel(3, 2, __VA_ARGS__);            \
    else if ((n) == 3)                      \
      kernel(m, 3, __VA_ARGS__);            \
    else                                    \
      kernel(m, n, __VA_ARGS__);            \
  } while (0)

static inline void ch_small_add_loop(int m, int n, const double* A, const double* x, double* y) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) y[i] += A[i * n + j] * x[j];
}

static inline void ch_small_add_transposed_loop(int m, int n, const double* A, const double* x, double* y) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) y[j] += A[i * n + j] * x[i];
}

// y += A x, A is m x n
static inline void ch_small_add(int m, int n, const double* A, const double* x, double* y) {
  CH_SMALL_BY_SIZE(m, n, ch_small_add_loop, A, x, y);
}

// The same of a body with modes, n = 3: four rows at a time, whose sums do not wait for each other.
static inline void ch_small_add_transposed_wide(int m, const double* A, const double* x, double* y) {
  double lane[12] = {0.0};
  int i = 0;
  for (; i + 4 <= m; i += 4)
    for (int k = 0; k < 4; ++k)
      for (int j = 0; j < 3; ++j) lane[3 * k + j] += A[(i + k) * 3 + j] * x[i + k];
  for (; i < m; ++i)
    for (int j = 0; j < 3; ++j) lane[j] += A[i * 3 + j] * x[i];
  for (int j = 0; j < 3; ++j) y[j] += (lane[j] + lane[j + 6]) + (lane[j + 3] + lane[j + 9]);
}

// y += A^T x, A is m x n
static inline void ch_small_add_transposed(int m, int n, const double* A, const double* x, double* y) {
  if (n == 3 && m >= 12)
    ch_small_add_transposed_wide(m, A, x, y);
  else
    CH_SMALL_BY_SIZE(m, n, ch_small_add_transposed_loop, A, x, y);
}

static inline void ch_small_identity(int d, double scale, double* A) {
  memset(A, 0, (size_t)(d * d) * sizeof *A);
  for (int i = 0; i < d; ++i) A[i * d + i] = scale;
}

static inline bool ch_small_is_zero(int d, const double* A) {
  for (int i = 0; i < d * d; ++i)
    if (A[i] != 0.0) return false;
  return true;
}

static inline bool ch_small_is_identity(int d, const double* A) {
  for (int i = 0; i < d * d; ++i)
    if (A[i] != (i % (d + 1) == 0)) return false;
  return true;
}

// Gauss-Jordan with row pivoting; false when singular.
static inline bool ch_small_invert(int d, const double* A, double* inverse) {
  double work[CH_SMALL_MAX * CH_SMALL_MAX];
  memcpy(work, A, (size_t)(d * d) * sizeof *work);
  ch_small_identity(d, 1.0, inverse);
  for (int k = 0; k < d; ++k) {
    int best = k;
    for (int i = k + 1; i < d; ++i)
      if (fabs(work[i * d + k]) > fabs(work[best * d + k])) best = i;
    if (!(fabs(work[best * d + k]) > 0.0)) return false;
    for (int j = 0; j < d && best != k; ++j) {
      double a = work[k * d + j], b = inverse[k * d + j];
      work[k * d + j] = work[best * d + j], inverse[k * d + j] = inverse[best * d + j];
      work[best * d + j] = a, inverse[best * d + j] = b;
    }
    double scale = 1.0 / work[k * d + k];
    for (int j = 0; j < d; ++j) work[k * d + j] *= scale, inverse[k * d + j] *= scale;
    for (int i = 0; i < d; ++i) {
      double factor = work[i * d + k];
      if (i == k || factor == 0.0) continue;
      for (int j = 0; j < d; ++j)
        work[i * d + j] -= factor * work[k * d + j], inverse[i * d + j] -= factor * inverse[k * d + j];
    }
  }
  return true;
}

// The same for three rows, by cofactors.
static inline bool ch_small_invert_3(const double* A, double* inverse) {
  double a = A[4] * A[8] - A[5] * A[7], b = A[5] * A[6] - A[3] * A[8], c = A[3] * A[7] - A[4] * A[6];
  double determinant = A[0] * a + A[1] * b + A[2] * c, scale = 1.0 / determinant;
  if (!(fabs(determinant) > 0.0)) return false;
  inverse[0] = scale * a, inverse[3] = scale * b, inverse[6] = scale * c;
  inverse[1] = scale * (A[2] * A[7] - A[1] * A[8]), inverse[2] = scale * (A[1] * A[5] - A[2] * A[4]);
  inverse[4] = scale * (A[0] * A[8] - A[2] * A[6]), inverse[5] = scale * (A[2] * A[3] - A[0] * A[5]);
  inverse[7] = scale * (A[1] * A[6] - A[0] * A[7]), inverse[8] = scale * (A[0] * A[4] - A[1] * A[3]);
  return true;
}

#endif
