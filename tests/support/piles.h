// What holds of every method that factors where sweeps creep along self-stress: facts shared by the tests of condense
// and of trek.
#ifndef CH_TEST_PILES_H
#define CH_TEST_PILES_H

#include <string.h>

#include "support/solved.h"
#include "support/suite.h"

static inline ChSolveOptions ch_pile_options(const char* method, long iterations, double tolerance) {
  ChSolveOptions options = ch_solve_options_default();
  options.method = method;
  options.tolerance = tolerance;
  options.max_iterations = iterations;
  options.time_limit = 600.0;
  return options;
}

// From nothing sweeps have not come to 1e-6 after 5,000; this method needs so many factorisations at most.
static inline void ch_pile_needs_few_factorisations(const char* method, int most, ChSolved* out) {
  ChProblem* pile = ch_make("pile", "n=12 mu=0.5", CH_FORM_GLOBAL, 0);
  ChSolveOptions options = ch_pile_options(method, 0, 1e-8);
  ch_must_solve(pile, &options, out);
  assert_true(out->info.factorizations <= most);
  options = ch_pile_options("ansgs", 5000, 1e-8);
  ch_run_solve(pile, &options, out);
  assert_int_equal(out->status, CH_MAX_ITER);
  assert_true(out->info.certificate.natural > 1e-6);
  ch_problem_destroy(pile);
}

// The local form names no bodies.
static inline void ch_pile_needs_no_bodies(const char* method, ChSolved* out) {
  ChProblem* pile = ch_make("pile", "n=8 mu=0.5", CH_FORM_LOCAL, 0);
  ChSolveOptions options = ch_pile_options(method, 0, 1e-8);
  ch_must_solve(pile, &options, out);
  ch_problem_destroy(pile);
}

static inline void ch_pile_keeps_a_good_start(const char* method, ChSolved* out) {
  ChProblem* pile = ch_make("pile", "n=8 mu=0.6", CH_FORM_GLOBAL, 0);
  ChSolveOptions options = ch_pile_options("auto", 0, 1e-10);
  ch_must_solve(pile, &options, out);
  static double start[CH_SOLVED_MAX];
  memcpy(start, out->r, sizeof start);
  options = ch_pile_options(method, 1, 1e-6);
  options.warm = start;
  ch_must_solve(pile, &options, out);
  ch_problem_destroy(pile);
}

#endif
