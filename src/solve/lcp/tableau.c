// The dense tableau: see tableau.h.
#include "solve/lcp/tableau.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/work.h"

ChTableau ch_tableau(ChArena* arena, const ChSparse* A, const double* b, const double* d) {
  const int n = A->columns;
  const size_t square = (size_t)n * (size_t)n;
  ChTableau t = {.n = n,
                 .A = A,
                 .b = b,
                 .d = d,
                 .basic = CH_TAKE(arena, n, int),
                 .other = CH_TAKE(arena, n + 1, int),
                 .T = CH_TAKE(arena, square + (size_t)n, double),
                 .x = CH_TAKE(arena, 2 * n + 1, double),
                 .basis = CH_TAKE(arena, square, double),
                 .row = CH_TAKE(arena, n + 1, double),
                 .pivot = CH_TAKE(arena, n, int)};
  for (int i = 0; i < n; ++i) t.basic[i] = i;
  for (int j = 0; j <= n; ++j) t.other[j] = n + j;
  for (int j = 0; j < n; ++j)
    for (int k = A->start[j]; k < A->start[j + 1]; ++k) t.T[(size_t)j * (size_t)n + (size_t)A->index[k]] = A->value[k];
  memcpy(t.T + square, d, (size_t)n * sizeof *d);
  memcpy(t.x, b, (size_t)n * sizeof *b);
  return t;
}

// out += factor * (column of the variable in w - A y - d y0)
static void add_column(const ChTableau* t, int variable, double factor, double* out) {
  if (variable < t->n) {
    out[variable] += factor;
  } else if (variable < 2 * t->n) {
    const int j = variable - t->n;
    for (int k = t->A->start[j]; k < t->A->start[j + 1]; ++k) out[t->A->index[k]] -= factor * t->A->value[k];
  } else {
    for (int i = 0; i < t->n; ++i) out[i] -= factor * t->d[i];
  }
}

void ch_tableau_exchange(ChTableau* t, int row, int column) {
  const size_t n = (size_t)t->n;
  ch_work_add(0.5 * (double)n * (double)n);
  double* pivots = t->T + (size_t)column * n;
  const double pivot = pivots[row];
  for (size_t k = 0; k <= n; ++k) t->row[k] = -t->T[k * n + (size_t)row] / pivot;
  for (size_t k = 0; k <= n; ++k) {
    const double factor = t->row[k];
    if (k == (size_t)column || factor == 0.0) continue;
    double* target = t->T + k * n;
    for (size_t i = 0; i < n; ++i) target[i] += factor * pivots[i];
    target[row] = factor;
  }
  for (size_t i = 0; i < n; ++i) pivots[i] /= pivot;
  pivots[row] = 1.0 / pivot;
  const int leaving = t->basic[row];
  t->basic[row] = t->other[column];
  t->other[column] = leaving;
  ++t->exchanges;
}

static bool factor_basis(ChTableau* t) {
  const size_t n = (size_t)t->n;
  double work = 0.1 * pow((double)n, 3.0);
  if (!ch_limits_allow(work, work / CH_WORK_RATE)) return false;
  ch_work_add(work);
  memset(t->basis, 0, n * n * sizeof(double));
  for (size_t k = 0; k < n; ++k) add_column(t, t->basic[k], 1.0, t->basis + k * n);
  return LAPACKE_dgetrf(LAPACK_COL_MAJOR, t->n, t->n, t->basis, t->n, t->pivot) == 0;
}

static void solve_basis(const ChTableau* t, int columns, double* x) {
  ch_work_add(0.3 * (double)t->n * t->n * columns);
  LAPACKE_dgetrs(LAPACK_COL_MAJOR, 'N', t->n, columns, t->basis, t->n, t->pivot, x, t->n);
}

// x_B = basis^-1 (b - sum of the columns of x_N); the basis is factored.
static void fill_values(ChTableau* t, const double* b) {
  double* right = t->row;  // n of its n + 1 entries
  memcpy(right, b, (size_t)t->n * sizeof *b);
  for (int j = 0; j <= t->n; ++j)
    if (t->x[t->other[j]] != 0.0) add_column(t, t->other[j], -t->x[t->other[j]], right);
  solve_basis(t, 1, right);
  for (int i = 0; i < t->n; ++i) t->x[t->basic[i]] = right[i];
}

bool ch_tableau_renew(ChTableau* t) {
  const size_t n = (size_t)t->n;
  t->exchanges = 0;
  if (!factor_basis(t)) return false;
  memset(t->T, 0, (n + 1) * n * sizeof(double));
  for (size_t j = 0; j <= n; ++j) add_column(t, t->other[j], -1.0, t->T + j * n);
  solve_basis(t, t->n + 1, t->T);
  fill_values(t, t->b);
  return true;
}

bool ch_tableau_values(ChTableau* t, const double* b) {
  if (!factor_basis(t)) return false;
  fill_values(t, b);
  return true;
}
