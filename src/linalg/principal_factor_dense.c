// The dense principal factor: A_aa = R^T R, columns of R side by side in the order in which rows came in.
//
//   add    R^T x = A_ap,  new column (x, sqrt(A_pp - x'x))
//   drop   without column k, R has one entry below the diagonal in every later column; a Givens rotation of rows j and
//          j + 1 takes each of them away
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/work.h"
#include "linalg/principal_factor_kinds.h"

struct ChGivensFactor {
  int n, count, stride;
  int* member;      // row of A at each position
  double* R;        // column j at R + j stride
  double* pending;  // R^-T A_ap of the last probe
  double *x, *cosine, *sine;
};

ChGivensFactor* ch_givens_factor_create(ChArena* arena, int n, int rank_max) {
  ChGivensFactor* f = CH_TAKE(arena, 1, ChGivensFactor);
  f->n = n;
  f->stride = rank_max;
  f->member = CH_TAKE(arena, rank_max, int);
  f->R = CH_TAKE(arena, (size_t)rank_max * (size_t)rank_max, double);
  double** vectors[] = {&f->pending, &f->x, &f->cosine, &f->sine};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; ++k) *vectors[k] = CH_TAKE(arena, rank_max, double);
  return f;
}

static const double* column_of(const ChGivensFactor* f, int j) { return f->R + (size_t)j * (size_t)f->stride; }

// x <- R^-T x
static void solve_transposed(const ChGivensFactor* f, double* x) {
  ch_work_add(0.5 * f->count * f->count);
  for (int j = 0; j < f->count; ++j) {
    const double* column = column_of(f, j);
    x[j] = (x[j] - cblas_ddot(j, column, 1, x, 1)) / column[j];
  }
}

// x <- R^-1 x
static void solve_upper(const ChGivensFactor* f, double* x) {
  ch_work_add(0.5 * f->count * f->count);
  for (int j = f->count - 1; j >= 0; --j) {
    const double* column = column_of(f, j);
    x[j] /= column[j];
    cblas_daxpy(j, -x[j], column, 1, x, 1);
  }
}

static void scatter(const ChGivensFactor* f, const double* part, double* whole) {
  memset(whole, 0, (size_t)f->n * sizeof *whole);
  for (int j = 0; j < f->count; ++j) whole[f->member[j]] = part[j];
}

void ch_givens_factor_solve(ChGivensFactor* f, const double* b, double* x) {
  for (int j = 0; j < f->count; ++j) f->x[j] = b[f->member[j]];
  solve_transposed(f, f->x);
  solve_upper(f, f->x);
  scatter(f, f->x, x);
}

double ch_givens_factor_probe(ChGivensFactor* f, const double* column, double diagonal, double* d) {
  for (int j = 0; j < f->count; ++j) f->pending[j] = column[f->member[j]];
  solve_transposed(f, f->pending);
  for (int j = 0; j < f->count; ++j) diagonal -= f->pending[j] * f->pending[j];
  memcpy(f->x, f->pending, (size_t)f->count * sizeof *f->x);
  solve_upper(f, f->x);
  scatter(f, f->x, d);
  return f->count < f->stride ? diagonal : 0.0;  // more rows than the rank cannot be independent
}

void ch_givens_factor_add(ChGivensFactor* f, int p, double schur) {
  double* column = f->R + (size_t)f->count * (size_t)f->stride;
  memcpy(column, f->pending, (size_t)f->count * sizeof *column);
  column[f->count] = sqrt(schur);
  f->member[f->count++] = p;
}

void ch_givens_factor_drop(ChGivensFactor* f, int p) {
  ch_work_add((double)f->count * f->count);
  int k = 0;
  while (f->member[k] != p) ++k;
  --f->count;
  for (int j = k; j < f->count; ++j) {
    double* to = f->R + (size_t)j * (size_t)f->stride;
    f->member[j] = f->member[j + 1];
    memcpy(to, column_of(f, j + 1), (size_t)(j + 2) * sizeof *to);
    for (int i = k; i < j; ++i) {
      double upper = to[i], lower = to[i + 1];
      to[i] = f->cosine[i] * upper + f->sine[i] * lower;
      to[i + 1] = f->cosine[i] * lower - f->sine[i] * upper;
    }
    double length = hypot(to[j], to[j + 1]);
    f->cosine[j] = to[j] / length;
    f->sine[j] = to[j + 1] / length;
    to[j] = length;
  }
}
