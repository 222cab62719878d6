// Facts about seeded: sweeps that start where an interior point has been.
#include "cardhouse/solve.h"

#include "support/solved.h"

static ChSolved out;

static ChSolveOptions options_of(const char* method, long iterations) {
  ChSolveOptions options = ch_solve_options_default();
  options.method = method;
  options.tolerance = 1e-6;
  options.max_iterations = iterations;
  options.time_limit = 600.0;
  return options;
}

// A pile just below its friction limit has 160 modes of self-stress, along which sweeps creep: alone they take 48,000.
static void a_pile_needs_few_sweeps_from_inside(void** state) {
  (void)state;
  ChProblem* pile = ch_make("pile", "n=20 mu=0.55", CH_FORM_GLOBAL, 0);
  ChSolveOptions options = options_of("seeded", 2000);
  ch_must_solve(pile, &options, &out);
  options = options_of("ansgs", 2000);
  ch_run_solve(pile, &options, &out);
  assert_int_equal(out.status, CH_MAX_ITER);
  assert_true(out.info.certificate.natural > 1e-4);
  ch_problem_destroy(pile);
}

// A start that is nearly a solution is not given up for what the interior point finds.
static void a_good_start_is_kept(void** state) {
  (void)state;
  ChProblem* pile = ch_make("pile", "n=8 mu=0.6", CH_FORM_GLOBAL, 0);
  ChSolveOptions options = options_of("auto", 0);
  options.tolerance = 1e-10;
  ch_must_solve(pile, &options, &out);
  options = options_of("seeded", 1);
  static double start[CH_SOLVED_MAX];
  memcpy(start, out.r, sizeof start);
  options.warm = start;
  ch_must_solve(pile, &options, &out);
  ch_problem_destroy(pile);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pile_needs_few_sweeps_from_inside),
      cmocka_unit_test(a_good_start_is_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
