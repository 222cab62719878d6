// Registering a law: rows that are wrong are refused, each with what is wrong about it; one that is right is solved by
// every method that says it takes any law, and refused by the others in words.
#include "cardhouse/own_law.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardhouse/solve.h"
#include "solve/method.h"
#include "support/near.h"

// --- a disc of friction, right and wrong -----------------------------------------------------------------------------

static void disc(const double* p, const double* x, double* y) {
  const double size = hypot(x[0], x[1]), shrink = size <= p[0] ? 1.0 : p[0] / size;
  y[0] = shrink * x[0], y[1] = shrink * x[1];
}

static void disc_derivative(const double* p, const double* x, double* J) {
  const double size = hypot(x[0], x[1]), k = size <= p[0] ? 1.0 : p[0] / size, e[2] = {x[0] / size, x[1] / size};
  for (int a = 0; a < 2; ++a)
    for (int c = 0; c < 2; ++c) J[2 * a + c] = k * ((a == c) - (k < 1.0 ? e[a] * e[c] : 0.0));
}

static double disc_support(const double* p, const double* u, double* gradient) {
  const double size = hypot(u[0], u[1]);
  for (int a = 0; gradient && a < 2; ++a) gradient[a] = size > 0.0 ? p[0] * u[a] / size : 0.0;
  return p[0] * size;
}

static double disc_residual(const double* p, const double* r, const double* u) {
  return fabs(p[0] * hypot(u[1], u[2]) * r[0] + r[1] * u[1] + r[2] * u[2]);
}

static void halved(const double* p, const double* x, double* y) {
  disc(p, x, y);
  y[0] *= 0.5;
}
static void ring(const double* p, const double* x, double* y) {  // the circle alone: no convex set
  const double size = hypot(x[0], x[1]);
  y[0] = size > 0.0 ? p[0] * x[0] / size : p[0] + size, y[1] = size > 0.0 ? p[0] * x[1] / size : 0.0;
}
static void along_rays(const double* p, const double* x, double* y) {  // onto a square, but not its nearest point
  const double size = fmax(fabs(x[0]), fabs(x[1])), shrink = size <= p[0] ? 1.0 : p[0] / size;
  y[0] = shrink * x[0] + 0.0 * x[1], y[1] = shrink * x[1] + 0.0 * x[0];
}
static void deaf(const double* p, const double* x, double* y) {
  const double broken[2] = {isnan(x[0]) ? 0.0 : x[0], isnan(x[1]) ? 0.0 : x[1]};
  disc(p, broken, y);
}
static void moved(const double* p, const double* x, double* y) {
  const double from[2] = {x[0] - 2.0 * p[0] - 1.0, x[1]};
  disc(p, from, y);
  y[0] += 2.0 * p[0] + 1.0;
}
static void identity(const double* p, const double* x, double* J) {
  (void)p, (void)x;
  J[0] = J[3] = 1.0, J[1] = J[2] = 0.0;
}
static double small_support(const double* p, const double* u, double* gradient) {
  const double half = 0.5 * p[0];
  return disc_support(&half, u, gradient);
}
static double large_support(const double* p, const double* u, double* gradient) {
  const double twice = 2.0 * p[0];
  return disc_support(&twice, u, gradient);
}
static double large_residual(const double* p, const double* r, const double* u) { return 1.0 + disc_residual(p, r, u); }
static double no_residual(const double* p, const double* r, const double* u) {
  (void)p, (void)r, (void)u;
  return 0.0;
}
static bool solve_nothing(const double* p, const double* W, const double* q, double* r) {
  (void)p, (void)W, (void)q;
  r[0] = r[1] = r[2] = 0.0;
  return true;
}
static bool never_solves(const double* p, const double* W, const double* q, double* r) {
  (void)p, (void)W, (void)q, (void)r;
  return false;
}

static ChOwnLaw good(void) {
  return (ChOwnLaw){.name = "disc",
                    .dimension = 3,
                    .section = true,
                    .parameter_count = 1,
                    .parameter = {{"mu", 0.05, 1e3}},
                    .project = disc,
                    .derivative = disc_derivative,
                    .support = disc_support,
                    .solve = never_solves,
                    .residual = disc_residual};
}

static void refused(ChOwnLaw law, ChStatus status, const char* word) {
  ChContext context = {0};
  ChLaw number = CH_LAW_CONTACT;
  assert_int_equal(ch_law_register(&context, &law, &number), status);
  assert_int_equal(number, CH_LAW_NONE);
  if (!strstr(context.message, word)) fail_msg("'%s' is not in '%s'", word, context.message);
  assert_int_equal(ch_law_count(), CH_LAW_COUNT);
}

#define WITH(member, value) ((void)(law = good()), law.member = (value), law)

static void wrong_functions_are_refused(void** state) {
  (void)state;
  ChOwnLaw law;
  refused(WITH(project, halved), CH_ERR_RANGE, "must stay where it is");
  refused(WITH(project, deaf), CH_ERR_RANGE, "NaN");
  refused(WITH(project, moved), CH_ERR_RANGE, "origin");
  refused(WITH(derivative, identity), CH_ERR_RANGE, "differences give");
  refused(WITH(support, small_support), CH_ERR_RANGE, "must be the largest");
  refused(WITH(support, large_support), CH_ERR_RANGE, "point p of the section");
  refused(WITH(residual, large_residual), CH_ERR_RANGE, "must be 0");
  refused(WITH(residual, no_residual), CH_ERR_RANGE, "whatever r and u are");
  refused(WITH(solve, solve_nothing), CH_ERR_RANGE, "violates the law");
  law = good();
  law.section = false, law.dimension = 2, law.support = NULL, law.derivative = NULL, law.solve = NULL;
  law.residual = NULL;
  law.project = ring;
  refused(law, CH_ERR_RANGE, "convex set");
  law.project = along_rays;
  refused(law, CH_ERR_RANGE, "nearest point");
}

static void incomplete_rows_are_refused(void** state) {
  (void)state;
  ChOwnLaw law;
  refused(WITH(name, NULL), CH_ERR_ARGUMENT, "name");
  refused(WITH(name, "Two words"), CH_ERR_ARGUMENT, "name");
  refused(WITH(name, "contact"), CH_ERR_ARGUMENT, "a law of this name exists");
  refused(WITH(dimension, 1), CH_ERR_SIZE, "dimension is 1, must be 2 to 6");
  refused(WITH(project, NULL), CH_ERR_ARGUMENT, "project is missing");
  refused(WITH(support, NULL), CH_ERR_ARGUMENT, "support is missing");
  refused(WITH(section, false), CH_ERR_ARGUMENT, "a set has none");
  refused(WITH(parameter_count, 5), CH_ERR_SIZE, "must have 0 to 4");
  refused(WITH(parameter[0].name, ""), CH_ERR_ARGUMENT, "parameter 0");
  refused(WITH(parameter[0].highest, 0.0), CH_ERR_RANGE, "ascending");
  ChContext context = {0};
  assert_int_equal(ch_law_register(&context, NULL, NULL), CH_ERR_ARGUMENT);
}

// --- right -----------------------------------------------------------------------------------------------------------

// Coulomb's law said once more is Coulomb's law: the same answers as `contact`, by every method that takes any law; the
// others refuse it, and say which can.
static void coulomb_said_again_has_the_same_answers(void** state) {
  (void)state;
  ChContext context = {0};
  const ChOwnLaw row = good();
  ChLaw law;
  CHECK_OK(context, ch_law_register(&context, &row, &law));
  assert_int_equal(ch_law_find("disc"), law);
  assert_string_equal(ch_law_info(law)->plural, "discs");
  const int index[9] = {0, 0, 0, 1, 1, 1, 2, 2, 2}, column[9] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
  const double W[9] = {1.0, 0.2, -0.1, 0.2, 2.0, 0.3, -0.1, 0.3, 1.5};
  for (int pull = 0; pull < 3; ++pull) {
    const double q[3] = {-1.0, 0.6 * pull, -0.4 * pull};
    double u[2][3], r[2][3];
    for (int k = 0; k < ch_method_count(); ++k) {
      const ChMethod* method = ch_method_at(k);
      for (int own = 0; own < 2; ++own) {
        const ChBlock block = {.law = own ? law : CH_LAW_CONTACT, .dimension = 3, .mu = {0.4, 0.4}, .more = {0.4}};
        const ChProblemDef def = {.form = CH_FORM_LOCAL,
                                  .dimension = 3,
                                  .block_count = 1,
                                  .blocks = &block,
                                  .W = {3, 3, 9, index, column, W},
                                  .w = q};
        ChSolveOptions options = ch_solve_options_default();
        ChSolveInfo info;
        ChProblem* problem;
        CHECK_OK(context, ch_problem_build(&context, &def, &problem));
        options.method = own ? method->name : "auto";
        const ChStatus status = ch_solve(&context, problem, &options, NULL, u[own], r[own], &info);
        ch_problem_destroy(problem);
        const unsigned takes = ch_method_find(options.method)->takes;
        if (own && !(takes & CH_TAKES_ANY_LAW)) {
          assert_int_equal(status, CH_ERR_UNSUPPORTED);
          assert_non_null(strstr(context.message, options.method));
          continue;
        }
        if (!(takes & CH_IS_EXACT)) continue;  // answers another question
        if (status != CH_OK) fail_msg("%s: %s", options.method, context.message);
        for (int a = 0; own && a < 3; ++a) CHECK_NEAR(r[1][a], r[0][a], 1e-6);
      }
    }
  }
}

static void there_is_an_end_of_places(void** state) {
  (void)state;
  ChContext context = {0};
  ChOwnLaw law = good();
  char name[16];
  law.name = name, law.solve = NULL;
  while (ch_law_count() < CH_LAW_END) {
    snprintf(name, sizeof name, "disc-%d", ch_law_count());
    CHECK_OK(context, ch_law_register(&context, &law, NULL));
  }
  snprintf(name, sizeof name, "one-more");
  assert_int_equal(ch_law_register(&context, &law, NULL), CH_ERR_SIZE);
  assert_string_equal(ch_law_info((ChLaw)(CH_LAW_END - 1))->parameter[0].name, "mu");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_functions_are_refused),
      cmocka_unit_test(incomplete_rows_are_refused),
      cmocka_unit_test(coulomb_said_again_has_the_same_answers),
      cmocka_unit_test(there_is_an_end_of_places),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
