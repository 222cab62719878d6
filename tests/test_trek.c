// Facts about trek: long walks with sparse factors.
#include <math.h>

#include "cardhouse/solve.h"
#include "solve/contact/contact_map.h"
#include "solve/contact/sparse_kinks.h"
#include "support/first_part.h"
#include "support/piles.h"
#include "support/solved.h"
#include "support/suite.h"

#define EPS 1e-3

static ChSolved out;
static ChFirstPart part;
static const ChDeadline never = {INFINITY, INFINITY};

// G = u + eps r + x - r at r = y(x); returns |G|.
static double residual(const ChSystem* s, const double* x, double* r, double* G) {
  double sum = 0.0;
  for (int i = 0; i < s->n; ++i) ch_map_value(s, CH_MAP_ALART_CURNIER, i, x + s->row[i], r + s->row[i]);
  ch_system_velocity(s, r, G);
  for (int a = 0; a < s->rows; ++a) {
    G[a] += EPS * r[a] + x[a] - r[a];
    sum += G[a] * G[a];
  }
  return sqrt(sum);
}

// From no reactions, factored anew after so many kinks; returns |G| at the end of the walk over that at its beginning.
static double walk_from_nothing(const ChSystem* s, int renew, double* x, long* kinks, long* factorizations) {
  double *r = CH_TAKE(part.arena, s->rows, double), *G = CH_TAKE(part.arena, s->rows, double);
  ChLinearSystem* linear = ch_linear_create(part.arena, s, CH_SPACE_V, false);
  ChSparseKinks* path = ch_sparse_kinks_create(part.arena, s, linear, renew, factorizations);
  for (int a = 0; a < s->rows; ++a) x[a] = -s->q[a];
  const double before = residual(s, x, r, G);
  assert_int_equal(ch_sparse_kinks_walk(path, EPS, G, x, 10000, never, kinks), CH_KINK_SOLVED);
  return residual(s, x, r, G) / before;
}

// In the plane the map is piecewise linear as it is: one walk solves the proximal problem to the last digits. How often
// it is factored anew on the way changes nothing but round-off: each kink once, or never.
static void in_the_plane_one_walk_is_enough(void** state) {
  (void)state;
  ChProblem* disks = ch_make("disks", "n=6 mu=0.4 noise=0.3", CH_FORM_GLOBAL, 0);
  ch_first_part_open(&part, disks);
  const ChSystem* s = part.run.system;
  long kinks[2] = {0, 0}, factorizations[2] = {0, 0};
  double* x[2];
  for (int k = 0; k < 2; ++k) {
    x[k] = CH_TAKE(part.arena, s->rows, double);
    CHECK_AT_MOST(walk_from_nothing(s, k == 0 ? 1 : 1000, x[k], &kinks[k], &factorizations[k]), 1e-9);
  }
  assert_true(kinks[0] > 10);
  assert_int_equal(kinks[0], kinks[1]);
  assert_true(factorizations[0] > 10);
  assert_int_equal(factorizations[1], 1);
  for (int a = 0; a < s->rows; ++a) CHECK_NEAR(x[0][a], x[1][a], 1e-8);
  ch_first_part_close(&part);
  ch_problem_destroy(disks);
}

// Along self-stress sweeps creep.
static void a_pile_that_slides_needs_few_factorisations(void** state) {
  (void)state;
  ch_pile_needs_few_factorisations("trek", 40, &out);
}

// The local form names no bodies: then factors are of W.
static void bodies_are_not_needed(void** state) {
  (void)state;
  ch_pile_needs_no_bodies("trek", &out);
}

// Joints, limits and unilateral rows are piecewise linear as they are.
static void other_rows_are_walked_too(void** state) {
  (void)state;
  static const char* const made[][2] = {{"door", "n=2"}, {"wheels", "n=2"}, {"skates", "n=6"}, {"chain", "n=8"}};
  for (size_t k = 0; k < sizeof made / sizeof made[0]; ++k) {
    ChProblem* problem = ch_make(made[k][0], made[k][1], CH_FORM_GLOBAL, 0);
    ChSolveOptions options = ch_pile_options("trek", 0, 1e-8);
    const ChSetting none = {"trek.sweeps", 10};
    options.settings = &none;
    options.setting_count = 1;
    ch_must_solve(problem, &options, &out);
    ch_problem_destroy(problem);
  }
}

static void a_good_start_is_kept(void** state) {
  (void)state;
  ch_pile_keeps_a_good_start("trek", &out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(in_the_plane_one_walk_is_enough),
      cmocka_unit_test(a_pile_that_slides_needs_few_factorisations),
      cmocka_unit_test(bodies_are_not_needed),
      cmocka_unit_test(other_rows_are_walked_too),
      cmocka_unit_test(a_good_start_is_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
