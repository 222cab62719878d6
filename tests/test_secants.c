// Extrapolation from several evaluations of a fixed-point map.
#include <math.h>

#include "solve/contact/secants.h"
#include "support/near.h"

enum { LENGTH = 1003 };  // no multiple of anything

// G(y) = y* + diag(rate) (y - y*): one rate above 1, where the iteration itself runs away.
static const double rates[] = {0.9, 0.7, 0.3, 1.1};

static double fixed_point(int k) { return sin(1.0 + k); }
static double map(int k, double y) { return fixed_point(k) + rates[k % 4] * (y - fixed_point(k)); }

// From y = 0 on, every third sweep kept.
static void iterate(ChSecants* s, int pairs) {
  double y[LENGTH] = {0.0};
  for (int j = 0; j < 3 * pairs; ++j) {
    double *f = NULL, *g = NULL;
    if (j % 3 == 0) ch_secants_next(s, &f, &g);
    for (int k = 0; k < LENGTH; ++k) {
      double next = map(k, y[k]);
      if (f) f[k] = next - y[k];
      if (g) g[k] = next;
      y[k] = next;
    }
    if (f) ch_secants_keep(s);
  }
}

static double distance(const double* x) {
  double sum = 0.0;
  for (int k = 0; k < LENGTH; ++k) sum += (x[k] - fixed_point(k)) * (x[k] - fixed_point(k));
  return sqrt(sum);
}

static void as_many_differences_as_modes_give_the_fixed_point(void** state) {
  (void)state;
  ChArena* arena = ch_arena_create(NULL);
  double x[LENGTH];
  ChSecants* s = ch_secants_create(arena, LENGTH, 5);
  iterate(s, 5);
  assert_true(ch_secants_full(s));
  assert_true(distance(ch_secants_last(s)) > 1.0);
  ch_secants_extrapolate(s, 1, x);
  CHECK_AT_MOST(distance(x), 1e-3);
  ch_arena_destroy(arena);
}

static void pairs_that_are_the_same_give_the_last(void** state) {
  (void)state;
  ChArena* arena = ch_arena_create(NULL);
  double x[LENGTH], *f, *g;
  ChSecants* s = ch_secants_create(arena, LENGTH, 4);
  for (int j = 0; j < 4; ++j) {
    ch_secants_next(s, &f, &g);
    for (int k = 0; k < LENGTH; ++k) f[k] = g[k] = k;
    ch_secants_keep(s);
  }
  ch_secants_extrapolate(s, 1, x);
  for (int k = 0; k < LENGTH; ++k) CHECK_NEAR(x[k], k, 0.0);
  ch_secants_clear(s);
  assert_false(ch_secants_full(s));
  ch_arena_destroy(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_many_differences_as_modes_give_the_fixed_point),
      cmocka_unit_test(pairs_that_are_the_same_give_the_last),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
