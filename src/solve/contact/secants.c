// See secants.h. With differences to the last pair, D_j = f_j - f and E_j = g_j - g, the condition on the sum is gone:
//
//   least |f + D a|^2 + eps sum |D_j|^2 a_j^2         x = g + E a
#include "solve/contact/secants.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/work.h"
#include "solve/contact/sphere_bundles.h"

enum { MOST = 16, PIECE = 256 };  // PIECE: numbers of a vector that are looked at together, in the cache

#define WORK 2.5   // a number of a vector, all in all: beside a visit of sphere_sweep.c, as measured
#define EPS 1e-12  // of differences that say the same, none is trusted far

struct ChSecants {
  long length;
  int most, count;
  double *f[MOST], *g[MOST];
};

ChSecants* ch_secants_create(ChArena* arena, long length, int most) {
  CH_ASSERT(length > 0 && most >= 2 && most <= MOST);
  ChSecants* s = CH_TAKE(arena, 1, ChSecants);
  *s = (ChSecants){.length = length, .most = most};
  for (int j = 0; j < most; ++j) {
    s->f[j] = ch_lanes_take(arena, length);
    s->g[j] = ch_lanes_take(arena, length);
  }
  return s;
}

void ch_secants_next(const ChSecants* s, double** f, double** g) {
  CH_ASSERT(s->count < s->most);
  *f = s->f[s->count];
  *g = s->g[s->count];
}

void ch_secants_keep(ChSecants* s) { ++s->count; }
bool ch_secants_full(const ChSecants* s) { return s->count == s->most; }
void ch_secants_clear(ChSecants* s) { s->count = 0; }
const double* ch_secants_last(const ChSecants* s) { return s->g[s->count - 1]; }

static double dot(int n, const double* a, const double* b) {
  double sum[8] = {0.0};
  int k = 0;
  for (; k + 8 <= n; k += 8)
    for (int l = 0; l < 8; ++l) sum[l] += a[k + l] * b[k + l];
  for (; k < n; ++k) sum[0] += a[k] * b[k];
  return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

// What one piece adds to A = D^T D, lower half row by row, and behind it to b = -D^T f.
static void multiply_piece(const ChSecants* s, int n, long from, double* part) {
  double D[MOST][PIECE];
  const int size = (int)(s->length - from < PIECE ? s->length - from : PIECE);
  const double* f = s->f[n] + from;
  double* b = part + n * (n + 1) / 2;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < size; ++k) D[i][k] = s->f[i][from + k] - f[k];
    b[i] = dot(size, D[i], f);
    for (int j = 0; j <= i; ++j) *part++ = dot(size, D[i], D[j]);
  }
}

// A and b of n differences, all in one pass. Pieces are added in their order, whoever computed them.
static void multiply(const ChSecants* s, int n, int threads, double A[MOST][MOST], double* b) {
  enum { ROUND = 64, PARTS = MOST * (MOST + 3) / 2 };
  double parts[ROUND][PARTS];
  for (long from = 0; from < s->length; from += (long)ROUND * PIECE) {
    const long left = (s->length - from + PIECE - 1) / PIECE;
    const int count = left < ROUND ? (int)left : ROUND;
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (int k = 0; k < count; ++k) multiply_piece(s, n, from + (long)k * PIECE, parts[k]);
    for (int k = 0; k < count; ++k) {
      const double* part = parts[k];
      for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) A[i][j] += *part++;
      for (int i = 0; i < n; ++i) b[i] -= *part++;
    }
  }
}

// A x = b by Cholesky, x in b; false where A is not positive or x not finite.
static bool solve(int n, double A[MOST][MOST], double* b) {
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < j; ++k) A[j][j] -= A[j][k] * A[j][k];
    if (!(A[j][j] > 0.0)) return false;
    A[j][j] = sqrt(A[j][j]);
    for (int i = j + 1; i < n; ++i) {
      for (int k = 0; k < j; ++k) A[i][j] -= A[i][k] * A[j][k];
      A[i][j] /= A[j][j];
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < i; ++k) b[i] -= A[i][k] * b[k];
    b[i] /= A[i][i];
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int k = i + 1; k < n; ++k) b[i] -= A[k][i] * b[k];
    b[i] /= A[i][i];
    if (!isfinite(b[i])) return false;
  }
  return true;
}

void ch_secants_extrapolate(const ChSecants* s, int threads, double* x) {
  CH_ASSERT(s->count >= 2 && threads >= 1);
  const int n = s->count - 1;
  const double* g = s->g[n];
  double A[MOST][MOST] = {{0.0}}, a[MOST] = {0.0};
  multiply(s, n, threads, A, a);
  ch_work_add(WORK * (double)s->length);
  for (int i = 0; i < n; ++i) A[i][i] *= 1.0 + EPS;
  const bool solved = solve(n, A, a);
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
  for (long from = 0; from < s->length; from += PIECE) {
    const long to = s->length - from < PIECE ? s->length : from + PIECE;
    memcpy(x + from, g + from, (size_t)(to - from) * sizeof *x);
    for (int j = 0; j < n && solved; ++j)
      for (long k = from; k < to; ++k) x[k] += a[j] * (s->g[j][k] - g[k]);
  }
}
