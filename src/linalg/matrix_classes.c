// Classes of small dense matrices: see matrix_classes.h.
#include "linalg/matrix_classes.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/check.h"

double ch_matrix_lowest_eigenvalue(ChArena* arena, int n, double* S) {
  if (n == 0) return 0.0;
  ChArenaMark mark = ch_arena_mark(arena);
  double *values = CH_TAKE(arena, n, double), none = 0.0;
  int found = 0, support[2];
  const int failed =
      LAPACKE_dsyevr(LAPACK_COL_MAJOR, 'N', 'I', 'U', n, S, n, 0.0, 0.0, 1, 1, 0.0, &found, values, &none, 1, support);
  const double lowest = failed || found != 1 ? NAN : values[0];
  ch_arena_release(arena, mark);
  return lowest;
}

// The value of support K (a bit a row): negative where S_KK x = 1 has a solution x < 0, which is left in x.
static double support_value(int n, const double* S, unsigned support, double* K, double* x) {
  int index[CH_COPOSITIVE_LARGEST], pivot[CH_COPOSITIVE_LARGEST], m = 0;
  for (int i = 0; i < n; ++i)
    if (support >> i & 1u) index[m++] = i;
  for (int j = 0; j < m; ++j) {
    for (int i = 0; i < m; ++i) K[j * m + i] = S[index[j] * n + index[i]];
    x[j] = 1.0;
  }
  if (LAPACKE_dgesv_work(LAPACK_COL_MAJOR, m, 1, K, m, pivot, x, m) != 0) return 0.0;
  double sum = 0.0;
  for (int j = 0; j < m; ++j) {
    if (!(x[j] < 0.0)) return 0.0;
    sum += x[j];
  }
  return 1.0 / sum;
}

double ch_matrix_copositive(ChArena* arena, int n, const double* S, double* y) {
  CH_ASSERT(n <= CH_COPOSITIVE_LARGEST);
  ChArenaMark mark = ch_arena_mark(arena);
  double* K = CH_TAKE(arena, n * n, double);
  double x[CH_COPOSITIVE_LARGEST], size = 0.0, least = 0.0;
  for (int k = 0; k < n * n; ++k) size = fmax(size, fabs(S[k]));
  memset(y, 0, (size_t)n * sizeof *y);
  for (unsigned support = 1; support < 1u << n; ++support) {
    const double value = support_value(n, S, support, K, x);
    if (!(value < least) || !(value < -1e-12 * size)) continue;
    least = value;
    for (int i = 0, k = 0; i < n; ++i) y[i] = support >> i & 1u ? x[k++] * value : 0.0;
  }
  ch_arena_release(arena, mark);
  return least;
}

// With x = (1, s) on rows i and j the products are a + p s and s (d s + q): the signs of both change at 0, -a/p and
// -q/d only, so that these, the points between them and those beyond decide.
static bool try_pair(const double* A, int n, int i, int j, ChRowWitness* out) {
  const double a = A[i * n + i], d = A[j * n + j], p = A[i * n + j], q = A[j * n + i];
  double root[3] = {0.0, p != 0.0 ? -a / p : 0.0, d != 0.0 ? -q / d : 0.0}, s[7];
  for (int k = 0; k < 2; ++k)
    for (int l = 0; l < 2 - k; ++l)
      if (root[l] > root[l + 1]) {
        const double higher = root[l];
        root[l] = root[l + 1], root[l + 1] = higher;
      }
  const double beyond = 1.0 + fabs(root[0]) + fabs(root[2]);
  s[0] = root[0] - beyond, s[1] = root[0], s[2] = 0.5 * (root[0] + root[1]), s[3] = root[1];
  s[4] = 0.5 * (root[1] + root[2]), s[5] = root[2], s[6] = root[2] + beyond;
  for (int k = 0; k < 7; ++k) {
    const double first = a + p * s[k], second = s[k] * (d * s[k] + q);
    const double size = fabs(a) + fabs(p * s[k]) + fabs(s[k]) * (fabs(d * s[k]) + fabs(q));
    if (!(first <= 1e-13 * size) || !(second <= 1e-13 * size) || !(fmin(first, second) < -1e-6 * size)) continue;
    *out = (ChRowWitness){.found = true, .index = {i, j}, .x = {1.0, s[k]}, .product = {first, second}};
    return true;
  }
  return false;
}

ChRowWitness ch_matrix_row_witness(int n, const double* A) {
  ChRowWitness witness = {.found = false};
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (i != j && try_pair(A, n, i, j, &witness)) return witness;
  if (n == 1 && A[0] < 0.0) witness = (ChRowWitness){.found = true, .x = {1.0, 0.0}, .product = {A[0], 0.0}};
  return witness;
}
