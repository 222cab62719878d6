// Facts about staggered projections (Kaufman 2009, chapters 5 and 6) and what they rest on. The number at the head of a
// name is that of the property in the list of requirements.
#include <math.h>
#include <string.h>

#include "cardhouse/solve.h"
#include "problem/polygon.h"
#include "support/near.h"
#include "support/random.h"
#include "support/suite.h"

enum { ROWS_MAX = 1024, DOF_MAX = 1024, DRAWS = 2000 };

typedef struct Answer {
  ChStatus status;
  ChSolveInfo info;
  double r[ROWS_MAX], u[ROWS_MAX], v[DOF_MAX];
} Answer;

static ChProblem* generate(const char* name, int sides) {
  ChContext context = {0};
  ChProblem* problem = NULL;
  for (int k = 0; k < ch_case_count(); ++k)
    if (strcmp(ch_case_at(k)->name, name) == 0) CHECK_OK(context, ch_case_generate(&context, ch_case_at(k), &problem));
  assert_non_null(problem);
  assert_true(problem->rows <= ROWS_MAX && problem->dof <= DOF_MAX);
  if (sides > 0) CHECK_OK(context, ch_problem_set_polygon(&context, problem, sides, false));
  return problem;
}

static void solve_with(const ChProblem* problem, const ChSolveOptions* options, Answer* a) {
  ChContext context = {0};
  a->status = ch_solve(&context, problem, options, a->v, a->u, a->r, &a->info);
  if (a->status > CH_MAX_TIME) fail_msg("%s: %s", options->method, context.message);
}

static ChSolveOptions options_for(const char* method, double tolerance) {
  ChSolveOptions options = ch_solve_options_default();
  options.method = method;
  options.tolerance = tolerance;
  options.time_limit = 20.0;
  return options;
}

// y is the projection of x on a convex polygon exactly when it lies inside and x - y points away from every corner.
static void polygonal_disc_projects_on_its_nearest_point(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(3);
  for (int draw = 0; draw < DRAWS; ++draw) {
    int sides = 4 + 2 * (draw % 9);
    double corners[2 * CH_SIDES_MAX], radius = draw % 50 == 0 ? 0.0 : ch_random_uniform(&random, 0.1, 2.0);
    double x[2] = {ch_random_uniform(&random, -2.0, 2.0), ch_random_uniform(&random, -2.0, 2.0)}, y[2], again[2], D[4];
    ch_polygon_corners(sides, corners);
    ch_project_polygon_disc(radius, sides, corners, x, y, D);
    ch_project_polygon_disc(radius, sides, corners, y, again, NULL);
    for (int k = 0; k < 2; ++k) CHECK_NEAR(again[k], y[k], 1e-14);  // roundings of numbers of size 2
    for (int j = 0; j < sides; ++j) {
      double c[2] = {radius * corners[2 * j], radius * corners[2 * j + 1]};
      assert_true((x[0] - y[0]) * (c[0] - y[0]) + (x[1] - y[1]) * (c[1] - y[1]) <= 1e-13);
    }
    const double step = 1e-7;
    for (int b = 0; b < 2; ++b) {
      double moved[2] = {x[0], x[1]}, y_moved[2], D_moved[4];
      moved[b] += step;
      ch_project_polygon_disc(radius, sides, corners, moved, y_moved, D_moved);
      if (memcmp(D, D_moved, sizeof D) != 0) continue;  // a kink in between
      for (int a = 0; a < 2; ++a) CHECK_NEAR((y_moved[a] - y[a]) / step, D[2 * a + b], 1e-7);
    }
  }
  double corners[8], nan[2] = {NAN, 1.0}, y[2];
  ch_polygon_corners(4, corners);
  ch_project_polygon_disc(1.0, 4, corners, nan, y, NULL);
  assert_true(isnan(y[0]) && isnan(y[1]));
}

// A fixed point of staggered projections over polygons solves the complementarity problem that Lemke's method pivots
// on: both certificates are taken over the same polygons. Where the velocity is unique the two are one.
static void I30_fixed_point_is_a_solution_of_the_complementarity_problem(void** state) {
  (void)state;
  static const char* const problems[] = {"rain-12", "incline-slide", "incline-heading", "cards-2", "disks-6", "wall-3"};
  static Answer staggered, lemke;
  for (size_t k = 0; k < sizeof problems / sizeof problems[0]; ++k) {
    ChProblem* problem = generate(problems[k], 6);
    ChSolveOptions options = options_for("staggered", 1e-9);
    solve_with(problem, &options, &staggered);
    options.method = "lemke";
    solve_with(problem, &options, &lemke);
    assert_int_equal(staggered.status, CH_OK);
    assert_int_equal(lemke.status, CH_OK);
    if (k == 0)
      for (int a = 0; a < problem->rows; ++a) CHECK_NEAR(staggered.u[a], lemke.u[a], 1e-8);
    ch_problem_destroy(problem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(polygonal_disc_projects_on_its_nearest_point),
      cmocka_unit_test(I30_fixed_point_is_a_solution_of_the_complementarity_problem),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
