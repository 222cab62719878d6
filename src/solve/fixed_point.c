// Damped, accelerated and safeguarded fixed-point iteration: see fixed_point.h.
#include "solve/fixed_point.h"

#include <math.h>
#include <string.h>

#define LARGEST_GROWTH 10.0

ChFixedPoint ch_fixed_point_create(ChArena* arena, int n, int depth, double damping, int patience) {
  return (ChFixedPoint){.n = n,
                        .damping = damping,
                        .patience = patience,
                        .anderson = depth > 0 ? ch_anderson_create(arena, n, depth) : NULL,
                        .kept = CH_TAKE(arena, n, double),
                        .reference = INFINITY,
                        .best = INFINITY};
}

static void move(ChFixedPoint* f, double error, const double* g, double* x) {
  size_t bytes = (size_t)f->n * sizeof *x;
  if (f->extrapolated && !(error <= LARGEST_GROWTH * f->reference)) {
    memcpy(x, f->kept, bytes);
    ch_anderson_reset(f->anderson);
    f->extrapolated = false;
    return;
  }
  f->reference = error;
  for (int k = 0; k < f->n; ++k) f->kept[k] = x[k] + f->damping * (g[k] - x[k]);
  if (!f->anderson) {
    memcpy(x, f->kept, bytes);
    return;
  }
  ch_anderson_step(f->anderson, x, f->kept, x);
  f->extrapolated = true;
}

bool ch_fixed_point_next(ChFixedPoint* f, double error, const double* g, double* x) {
  move(f, error, g, x);
  ++f->waited;
  if (error < 0.9 * f->best) {
    f->best = error;
    f->waited = 0;
  }
  return f->waited < f->patience;
}
