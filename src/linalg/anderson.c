// Anderson acceleration: see anderson.h. The normal equations are small and lightly regularised.
#include "linalg/anderson.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/work.h"

struct ChAnderson {
  int n, depth, filled, next;
  double *dF, *dG;          // depth columns of n, a ring
  double *f_last, *g_last;  // of the step before
  double *normal, *gamma, *f;
  int started;
};

ChAnderson* ch_anderson_create(ChArena* arena, int n, int depth) {
  ChAnderson* a = CH_TAKE(arena, 1, ChAnderson);
  *a = (ChAnderson){.n = n, .depth = depth};
  a->dF = CH_TAKE(arena, (size_t)depth * (size_t)n, double);
  a->dG = CH_TAKE(arena, (size_t)depth * (size_t)n, double);
  a->f_last = CH_TAKE(arena, n, double);
  a->g_last = CH_TAKE(arena, n, double);
  a->f = CH_TAKE(arena, n, double);
  a->normal = CH_TAKE(arena, (size_t)depth * (size_t)depth, double);
  a->gamma = CH_TAKE(arena, depth, double);
  return a;
}

void ch_anderson_reset(ChAnderson* a) { a->filled = a->next = a->started = 0; }

static double dot(int n, const double* x, const double* y) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

// gamma from (dF^T dF + lambda I) gamma = dF^T f; false when it cannot be had
static int solve_normal(ChAnderson* a) {
  int m = a->filled;
  double trace = 0.0;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j <= i; ++j)
      a->normal[i * m + j] = a->normal[j * m + i] =
          dot(a->n, a->dF + (size_t)i * (size_t)a->n, a->dF + (size_t)j * (size_t)a->n);
    a->gamma[i] = dot(a->n, a->dF + (size_t)i * (size_t)a->n, a->f);
    trace += a->normal[i * m + i];
  }
  if (!(trace > 0.0)) return 0;
  for (int i = 0; i < m; ++i) a->normal[i * m + i] += 1e-10 * trace;
  return LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', m, 1, a->normal, m, a->gamma, 1) == 0;
}

void ch_anderson_step(ChAnderson* a, const double* x, const double* g, double* out) {
  ch_work_add(4.0 * a->n * (1.0 + a->filled));
  size_t bytes = (size_t)a->n * sizeof(double);
  for (int i = 0; i < a->n; ++i) a->f[i] = g[i] - x[i];
  if (a->started) {
    double *dF = a->dF + (size_t)a->next * (size_t)a->n, *dG = a->dG + (size_t)a->next * (size_t)a->n;
    for (int i = 0; i < a->n; ++i) {
      dF[i] = a->f[i] - a->f_last[i];
      dG[i] = g[i] - a->g_last[i];
    }
    a->next = (a->next + 1) % a->depth;
    if (a->filled < a->depth) ++a->filled;
  }
  a->started = 1;
  memcpy(a->f_last, a->f, bytes);
  memcpy(a->g_last, g, bytes);
  if (out != g) memmove(out, g, bytes);
  if (a->filled == 0 || !solve_normal(a)) return;
  for (int k = 0; k < a->filled; ++k)
    for (int i = 0; i < a->n; ++i) out[i] -= a->gamma[k] * a->dG[(size_t)k * (size_t)a->n + (size_t)i];
}
