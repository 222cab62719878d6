// LU of a full matrix: see full_lu.h.
#include "linalg/full_lu.h"

#include <lapacke.h>
#include <math.h>

#include "base/work.h"

enum { LARGE = 100, PANEL = 4 };
#define FACTOR_WORK 0.05  // of an entry and a row: several multiply-adds at a time
#define SOLVE_WORK 0.5    // of an entry
#define THRESHOLD 0.5     // share of a column's largest entry at which the diagonal is divided by all the same
#define TINY 1e-14        // share of the largest entry that stands in for a pivot of nothing

_Static_assert(sizeof(lapack_int) == sizeof(int), "pivots are shared with LAPACK");

static void exchange_rows(int n, double* A, int a, int b) {
  for (int j = 0; j < n && a != b; ++j) {
    double t = A[(long)j * n + a];
    A[(long)j * n + a] = A[(long)j * n + b];
    A[(long)j * n + b] = t;
  }
}

// The row to divide by: the diagonal, unless others are much larger. Exchanging rows costs as much as a column's
// update.
static int choose_pivot(int n, const double* column, int k) {
  double largest = fabs(column[k]);
#pragma omp simd reduction(max : largest)
  for (int i = k; i < n; ++i) largest = fabs(column[i]) > largest ? fabs(column[i]) : largest;
  if (fabs(column[k]) >= THRESHOLD * largest) return k;
  for (int i = k; i < n; ++i)
    if (fabs(column[i]) == largest) return i;
  return k;
}

// y -= a x from row `from` on
static inline void subtract(int n, int from, double a, const double* restrict x, double* restrict y) {
  for (int i = from; i < n; ++i) y[i] -= a * x[i];
}

// Columns first to last - 1, one after the other
static void factor_panel(int n, double* A, int first, int last, double tiny, int* pivot) {
  for (int k = first; k < last; ++k) {
    double* column = A + (long)k * n;
    int from = choose_pivot(n, column, k);
    pivot[k] = from + 1;  // as LAPACK counts
    exchange_rows(n, A, k, from);
    if (!(fabs(column[k]) >= tiny)) column[k] = column[k] < 0.0 ? -tiny : tiny;
    double inverse = 1.0 / column[k];
    for (int i = k + 1; i < n; ++i) column[i] *= inverse;
    for (int j = k + 1; j < last; ++j) subtract(n, k + 1, A[(long)j * n + k], column, A + (long)j * n);
  }
}

// The panel's own rows of column a
static inline void update_top(int n, const double* panel, int k, double* a, double x[PANEL]) {
  const double *l0 = panel, *l1 = panel + n, *l2 = panel + 2L * n;
  x[0] = a[k];
  x[1] = a[k + 1] -= l0[k + 1] * x[0];
  x[2] = a[k + 2] -= l0[k + 2] * x[0] + l1[k + 2] * x[1];
  x[3] = a[k + 3] -= l0[k + 3] * x[0] + l1[k + 3] * x[1] + l2[k + 3] * x[2];
}

// Bodies that do not touch leave whole blocks of zeros.
static inline bool is_nothing(const double x[PANEL]) {
  return x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0 && x[3] == 0.0;
}

// What the panel of columns k to k + 3 leaves of two columns
static void update_pair(int n, const double* panel, int k, double* restrict a, double* restrict b) {
  const double *l0 = panel, *l1 = panel + n, *l2 = panel + 2L * n, *l3 = panel + 3L * n;
  double x[PANEL], y[PANEL];
  update_top(n, panel, k, a, x);
  update_top(n, panel, k, b, y);
  if (is_nothing(x) && is_nothing(y)) return;
  for (int i = k + PANEL; i < n; ++i) {
    a[i] -= l0[i] * x[0] + l1[i] * x[1] + l2[i] * x[2] + l3[i] * x[3];
    b[i] -= l0[i] * y[0] + l1[i] * y[1] + l2[i] * y[2] + l3[i] * y[3];
  }
}

static void update_last(int n, const double* panel, int k, double* restrict a) {
  double x[PANEL];
  update_top(n, panel, k, a, x);
  for (int j = 0; j < PANEL; ++j) subtract(n, k + PANEL, x[j], panel + (long)j * n, a);
}

static void factor_small(int n, double* A, double tiny, int* pivot) {
  int k = 0;
  for (; k + PANEL <= n; k += PANEL) {
    const double* panel = A + (long)k * n;
    factor_panel(n, A, k, k + PANEL, tiny, pivot);
    int j = k + PANEL;
    for (; j + 1 < n; j += 2) update_pair(n, panel, k, A + (long)j * n, A + (long)(j + 1) * n);
    if (j < n) update_last(n, panel, k, A + (long)j * n);
  }
  factor_panel(n, A, k, n, tiny, pivot);
}

static bool factor_large(int n, double* A, double tiny, int* pivot) {
  if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, A, n, pivot) < 0) return false;
  for (int i = 0; i < n; ++i) {
    double* diagonal = &A[(long)i * (n + 1)];
    if (!(fabs(*diagonal) >= tiny)) *diagonal = *diagonal < 0.0 ? -tiny : tiny;
  }
  return true;
}

bool ch_full_lu_factor(int n, double* A, int* pivot) {
  double largest = 0.0, sum = 0.0;
#pragma omp simd reduction(max : largest) reduction(+ : sum)
  for (long k = 0; k < (long)n * n; ++k) {
    largest = fabs(A[k]) > largest ? fabs(A[k]) : largest;
    sum += A[k];
  }
  if (!(largest > 0.0) || !isfinite(sum)) return false;
  double work = ((double)n * FACTOR_WORK + 1.0) * n * n;
  if (!ch_limits_allow(work, work / CH_WORK_RATE)) return false;
  ch_work_add(work);
  if (n >= LARGE) return factor_large(n, A, TINY * largest, pivot);
  factor_small(n, A, TINY * largest, pivot);
  return true;
}

void ch_full_lu_solve(int n, const double* A, const int* pivot, double* b) {
  ch_work_add(SOLVE_WORK * n * n);
  for (int k = 0; k < n; ++k) {
    double t = b[k];
    b[k] = b[pivot[k] - 1];
    b[pivot[k] - 1] = t;
  }
  for (int k = 0; k < n; ++k) subtract(n, k + 1, b[k], A + (long)k * n, b);
  for (int k = n - 1; k >= 0; --k) {
    b[k] /= A[(long)k * (n + 1)];
    subtract(k, 0, b[k], A + (long)k * n, b);
  }
}
