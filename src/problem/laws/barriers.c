// See barrier.h.
#include "problem/laws/barrier.h"

#include <math.h>
#include <string.h>

#include "linalg/small.h"
#include "problem/laws/law.h"

#define WIDE 1e300  // a bound beyond this is none

static void do_nothing(const ChScaledBlock* b, ChInterior* x) {
  (void)b;
  (void)x;
}

static void advance_nothing(const ChScaledBlock* b, ChInterior* x, double step) {
  (void)b;
  (void)x;
  (void)step;
}

// --- the Lorentz cone ------------------------------------------------------------------------------------------------

static bool start_cone(const ChScaledBlock* b, double size, ChInterior* x) {
  (void)b;
  x->r[0] = x->u[0] = size;
  return true;
}

static int cone_complementarity(const ChScaledBlock* b, const ChInterior* x, double step, double* sum) {
  for (int a = 0; a < b->dim; ++a) *sum += (x->r[a] + step * x->dr[a]) * (x->u[a] + step * x->du[a]);
  return 1;
}

static void scale_cone(const ChScaledBlock* b, ChInterior* x, double* G) {
  x->scaling = ch_scaling(b->dim, x->u, x->r);
  ch_scaling_square(b->dim, &x->scaling, G);
  ch_scaling_apply(b->dim, &x->scaling, 1, x->r, x->lambda);
}

static void centre_cone(const ChScaledBlock* block, ChInterior* x, double target, bool correct) {
  double rhs[3], a[3], b[3], product[3] = {0.0};
  int d = block->dim;
  ch_lorentz_product(d, x->lambda, x->lambda, rhs);
  if (correct) {
    ch_scaling_apply(d, &x->scaling, -1, x->du, a);
    ch_scaling_apply(d, &x->scaling, 1, x->dr, b);
    ch_lorentz_product(d, a, b, product);
  }
  for (int k = 0; k < d; ++k) rhs[k] = -rhs[k] - product[k];
  rhs[0] += target;
  ch_lorentz_divide(d, x->lambda, rhs, a);
  ch_scaling_apply(d, &x->scaling, 1, a, x->c);
}

static double longest_in_cone(const ChScaledBlock* b, const ChInterior* x, double step) {
  step = fmin(step, ch_lorentz_step(b->dim, x->r, x->dr));
  return fmin(step, ch_lorentz_step(b->dim, x->u, x->du));
}

static double smooth_slip(const ChScaledBlock* b, const double* u, double ep, double* t) {
  double slip = ch_lorentz_tail(b->dim, u), smooth = sqrt(slip * slip + ep * ep);
  for (int a = 1; a < b->dim; ++a) t[a] = smooth > 0.0 ? u[a] / smooth : 0.0;
  return smooth - ep;
}

const ChBarrier ch_barrier_lorentz = {.cone = true,
                                      .slip = smooth_slip,
                                      .start = start_cone,
                                      .complementarity = cone_complementarity,
                                      .scale = scale_cone,
                                      .centre = centre_cone,
                                      .finish = do_nothing,
                                      .longest = longest_in_cone,
                                      .advance = advance_nothing};

// --- bounds ----------------------------------------------------------------------------------------------------------

// Room to the bounds; between bounds that are equal there is a little, so that r stays where it is.
static double room_below(const ChScaledBlock* b, double r) { return fmax(r - b->lo, 1e-14); }
static double room_above(const ChScaledBlock* b, double r) { return fmax(b->hi - r, 1e-14); }

static bool start_between(const ChScaledBlock* b, double size, ChInterior* x) {
  bool below = b->lo > -WIDE, above = b->hi < WIDE;
  x->r[0] = below && above ? 0.5 * (b->lo + b->hi) : below ? b->lo + size : above ? b->hi - size : 0.0;
  x->lower = below ? size : 0.0;
  x->upper = above ? size : 0.0;
  x->u[0] = x->lower - x->upper;
  return below || above;
}

static int bounds_complementarity(const ChScaledBlock* b, const ChInterior* x, double step, double* sum) {
  double r = x->r[0] + step * x->dr[0];
  int count = 0;
  if (x->lower > 0.0) *sum += room_below(b, r) * (x->lower + step * x->dlower), ++count;
  if (x->upper > 0.0) *sum += room_above(b, r) * (x->upper + step * x->dupper), ++count;
  return count;
}

static void scale_bounds(const ChScaledBlock* b, ChInterior* x, double* G) {
  G[0] = x->lower / room_below(b, x->r[0]) + x->upper / room_above(b, x->r[0]) + CH_FREE_SHIFT;
}

static void centre_between(const ChScaledBlock* b, ChInterior* x, double target, bool correct) {
  double below = room_below(b, x->r[0]), above = room_above(b, x->r[0]);
  double dl = correct ? x->dr[0] * x->dlower : 0.0, du = correct ? -x->dr[0] * x->dupper : 0.0;
  x->dlower = x->lower > 0.0 ? (target - dl) / below - x->lower : 0.0;  // completed by finish_bounds
  x->dupper = x->upper > 0.0 ? (target - du) / above - x->upper : 0.0;
  x->c[0] = x->dlower - x->dupper;
}

static void finish_bounds(const ChScaledBlock* b, ChInterior* x) {
  x->dlower -= x->lower / room_below(b, x->r[0]) * x->dr[0];
  x->dupper += x->upper / room_above(b, x->r[0]) * x->dr[0];
}

static double longest_between(const ChScaledBlock* b, const ChInterior* x, double step) {
  if (x->lower > 0.0 && x->dr[0] < 0.0) step = fmin(step, -room_below(b, x->r[0]) / x->dr[0]);
  if (x->upper > 0.0 && x->dr[0] > 0.0) step = fmin(step, room_above(b, x->r[0]) / x->dr[0]);
  if (x->dlower < 0.0 && x->lower > 0.0) step = fmin(step, -x->lower / x->dlower);
  if (x->dupper < 0.0 && x->upper > 0.0) step = fmin(step, -x->upper / x->dupper);
  return step;
}

static void advance_bounds(const ChScaledBlock* b, ChInterior* x, double step) {
  (void)b;
  x->lower += step * x->dlower;
  x->upper += step * x->dupper;
  x->u[0] = x->lower - x->upper;
}

const ChBarrier ch_barrier_bounds = {.start = start_between,
                                     .complementarity = bounds_complementarity,
                                     .scale = scale_bounds,
                                     .centre = centre_between,
                                     .finish = finish_bounds,
                                     .longest = longest_between,
                                     .advance = advance_bounds};

// --- no bounds -------------------------------------------------------------------------------------------------------

static bool start_free(const ChScaledBlock* b, double size, ChInterior* x) {
  (void)b;
  (void)size;
  (void)x;
  return false;
}

static int no_complementarity(const ChScaledBlock* b, const ChInterior* x, double step, double* sum) {
  (void)b;
  (void)x;
  (void)step;
  (void)sum;
  return 0;
}

static void scale_free(const ChScaledBlock* b, ChInterior* x, double* G) {
  (void)x;
  ch_small_identity(b->dim, CH_FREE_SHIFT, G);
}

static void centre_free(const ChScaledBlock* b, ChInterior* x, double target, bool correct) {
  (void)target;
  (void)correct;
  memset(x->c, 0, (size_t)b->dim * sizeof(double));
}

static void finish_free(const ChScaledBlock* b, ChInterior* x) { memset(x->du, 0, (size_t)b->dim * sizeof(double)); }

static double any_step(const ChScaledBlock* b, const ChInterior* x, double step) {
  (void)b;
  (void)x;
  return step;
}

const ChBarrier ch_barrier_none = {.start = start_free,
                                   .complementarity = no_complementarity,
                                   .scale = scale_free,
                                   .centre = centre_free,
                                   .finish = finish_free,
                                   .longest = any_step,
                                   .advance = advance_nothing};
