// A problem by family and settings, and its answer by a method, for tests that look at the numbers themselves.
#ifndef CH_TESTS_SOLVED_H
#define CH_TESTS_SOLVED_H

#include <string.h>

#include "cardhouse/diagnostics.h"
#include "cardhouse/solve.h"
#include "problem/contact_problem.h"
#include "support/near.h"
#include "support/suite.h"

enum { CH_SOLVED_MAX = 4096 };  // rows and degrees of freedom

typedef struct ChSolved {
  ChStatus status;
  ChSolveInfo info;
  double r[CH_SOLVED_MAX], u[CH_SOLVED_MAX], v[CH_SOLVED_MAX];
} ChSolved;

// "n=4 mu=0.3" of a family, with polygons of `sides` (0: smooth cones).
static inline ChProblem* ch_make(const char* family, const char* settings, ChForm form, int sides) {
  ChContext context = {0};
  ChProblem* problem = NULL;
  ChCase item = {.name = family, .family = family, .settings = settings, .form = form};
  CHECK_OK(context, ch_case_generate(&context, &item, &problem));
  assert_true(problem->rows <= CH_SOLVED_MAX && problem->dof <= CH_SOLVED_MAX);
  if (sides) CHECK_OK(context, ch_problem_set_polygon(&context, problem, sides, false));
  return problem;
}

// A problem of the suite by its name, likewise.
static inline ChProblem* ch_make_case(const char* name, int sides) {
  ChContext context = {0};
  ChProblem* problem = NULL;
  for (int k = 0; k < ch_case_count(); ++k)
    if (strcmp(ch_case_at(k)->name, name) == 0) CHECK_OK(context, ch_case_generate(&context, ch_case_at(k), &problem));
  assert_non_null(problem);
  assert_true(problem->rows <= CH_SOLVED_MAX && problem->dof <= CH_SOLVED_MAX);
  if (sides > 0) CHECK_OK(context, ch_problem_set_polygon(&context, problem, sides, false));
  return problem;
}

static inline ChSolveOptions ch_options_for(const char* method, ChPose pose, double tolerance) {
  ChSolveOptions options = ch_solve_options_default();
  options.method = method;
  options.pose = pose;
  options.tolerance = tolerance;
  return options;
}

// Runs; whether it solved is in the status.
static inline void ch_run_watched(const ChProblem* problem, const ChSolveOptions* options,
                                  const ChStaggeredWatch* watch, ChSolved* out) {
  ChContext context = {0};
  out->status = ch_solve_staggered(&context, problem, options, watch, out->v, out->u, out->r, &out->info);
  if (out->status > CH_MAX_TIME) fail_msg("%s: %s", options->method, context.message);
}

static inline void ch_run_solve(const ChProblem* problem, const ChSolveOptions* options, ChSolved* out) {
  ch_run_watched(problem, options, NULL, out);
}

// Runs and must have solved.
static inline void ch_must_solve(const ChProblem* problem, const ChSolveOptions* options, ChSolved* out) {
  ch_run_solve(problem, options, out);
  if (out->status != CH_OK)
    fail_msg("%s: %s, natural %g", options->method, ch_status_text(out->status), out->info.certificate.natural);
}

#endif
