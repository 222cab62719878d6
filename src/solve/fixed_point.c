// Damped, accelerated and safeguarded fixed-point iteration: see fixed_point.h.
#include "solve/fixed_point.h"

#include <math.h>
#include <string.h>

#define LARGEST_GROWTH 10.0
enum { FIRST_STRETCH = 30 };

ChFixedPoint ch_fixed_point_create(ChArena* arena, int n, int depth, double damping, int patience) {
  return (ChFixedPoint){.n = n,
                        .damping = damping,
                        .patience = patience,
                        .anderson = depth > 0 ? ch_anderson_create(arena, n, depth) : NULL,
                        .accelerated = depth > 0,
                        .kept = CH_TAKE(arena, n, double),
                        .best = CH_TAKE(arena, n, double),
                        .reference = INFINITY,
                        .lowest = INFINITY,
                        .stretch = FIRST_STRETCH};
}

static void plain_image(const ChFixedPoint* f, const double* g, const double* x, double* out) {
  for (int k = 0; k < f->n; ++k) out[k] = x[k] + f->damping * (g[k] - x[k]);
}

static void go_back(ChFixedPoint* f, const double* image, double* x) {
  memcpy(x, image, (size_t)f->n * sizeof *x);
  ch_anderson_reset(f->anderson);
  f->extrapolated = false;
}

static void watch_progress(ChFixedPoint* f, double error, const double* g, const double* x) {
  ++f->waited;
  ++f->used;
  if (!(error < 0.9 * f->lowest)) return;
  f->lowest = error;
  f->waited = 0;
  if (f->accelerated) f->used = 0;
  plain_image(f, g, x, f->best);
}

bool ch_fixed_point_next(ChFixedPoint* f, double error, const double* g, double* x) {
  watch_progress(f, error, g, x);
  if (f->anderson && f->used >= f->stretch) {
    f->accelerated = !f->accelerated;
    f->stretch *= 2;
    f->used = 0;
    go_back(f, f->best, x);
  } else if (f->extrapolated && !(error <= LARGEST_GROWTH * f->reference)) {
    go_back(f, f->kept, x);
  } else {
    f->reference = error;
    plain_image(f, g, x, f->kept);
    f->extrapolated = f->accelerated;
    if (f->accelerated)
      ch_anderson_step(f->anderson, x, f->kept, x);
    else
      memcpy(x, f->kept, (size_t)f->n * sizeof *x);
  }
  return f->waited < f->patience;
}
