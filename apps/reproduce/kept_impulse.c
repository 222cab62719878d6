// See kept_impulse.h. Least squares by conjugate gradients on the normal equations: x is built from H' alone, so that
// it has no part that f does not ask for.
#include "reproduce/kept_impulse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ITERATIONS = 200 };
static const double SMALL = 1e-8, INSIDE = 1.1;  // relative gradient at the end; 1 / cos(pi / 8) and a little

static void drop_normals(const ChProblemView* p, double* r) {
  for (int i = 0; i < p->block_count; ++i) r[p->blocks[i].row] = 0.0;
}

void ch_kept_impulse(const ChProblem* problem, const double* r, double* room, double* f) {
  const ChProblemView view = ch_problem_view(problem), *p = &view;
  memcpy(room, r, (size_t)p->rows * sizeof *room);
  drop_normals(p, room);
  memset(f, 0, (size_t)p->dof * sizeof *f);
  ch_sparse_multiply_add(p->H, room, f);
}

static double squared(int n, const double* x) {
  double sum = 0.0;
  for (int k = 0; k < n; ++k) sum += x[k] * x[k];
  return sum;
}

static void gradient(const ChProblemView* p, const double* left, double* g) {
  memset(g, 0, (size_t)p->rows * sizeof *g);
  ch_sparse_multiply_transposed_add(p->H, left, g);
  drop_normals(p, g);
}

// left = f - H x all along.
static void fit(const ChProblemView* p, double* left, double* x, double* g, double* d, double* q) {
  gradient(p, left, g);
  memcpy(d, g, (size_t)p->rows * sizeof *d);
  double size = squared(p->rows, g), first = size;
  for (int k = 0; k < MOST_ITERATIONS && size > SMALL * SMALL * first; ++k) {
    memset(q, 0, (size_t)p->dof * sizeof *q);
    ch_sparse_multiply_add(p->H, d, q);
    double step = size / squared(p->dof, q);
    if (!isfinite(step)) return;
    for (int i = 0; i < p->rows; ++i) x[i] += step * d[i];
    for (int i = 0; i < p->dof; ++i) left[i] -= step * q[i];
    gradient(p, left, g);
    double next = squared(p->rows, g), beta = next / size;
    for (int i = 0; i < p->rows; ++i) d[i] = g[i] + beta * d[i];
    size = next;
  }
}

ChStatus ch_spread_impulse(ChContext* context, const ChProblem* problem, const double* f, double* r) {
  const ChProblemView view = ch_problem_view(problem), *p = &view;
  double* left = malloc((2 * (size_t)p->dof + 2 * (size_t)p->rows) * sizeof *left);
  if (!left) return ch_fail(context, CH_ERR_MEMORY, "out of memory for an impulse");
  double *q = left + p->dof, *g = q + p->dof, *d = g + p->rows;
  memcpy(left, f, (size_t)p->dof * sizeof *left);
  memset(r, 0, (size_t)p->rows * sizeof *r);
  fit(p, left, r, g, d, q);
  free(left);
  for (int i = 0; i < p->block_count; ++i) {
    double* ri = r + p->blocks[i].row;
    double friction = sqrt(squared(p->blocks[i].dimension - 1, ri + 1)), mu = p->blocks[i].mu[0];
    ri[0] = mu > 0.0 ? INSIDE * friction / mu : 0.0;
  }
  return CH_OK;
}
