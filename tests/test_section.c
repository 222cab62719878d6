// Friction whose section is a convex polygon of the caller's: what is accepted as one, the same law said as a regular
// polygon, the block that slides, and what the file keeps.
#include <math.h>
#include <string.h>

#include "cardhouse/solve.h"
#include "support/near.h"
#include "support/sections.h"

static void refused(int count, const double (*point)[2], const char* word) {
  ChContext context = {0};
  ChFrictionSection section;
  assert_true(ch_friction_section_make(&context, "slab", count, point, &section) != CH_OK);
  if (!strstr(context.message, word)) fail_msg("'%s' is not in '%s'", word, context.message);
}

static void what_is_no_convex_section_is_refused(void** state) {
  (void)state;
  const double dent[5][2] = {{0.5, 0.5}, {-0.5, 0.5}, {0.0, 0.2}, {-0.5, -0.5}, {0.5, -0.5}};
  const double line[3][2] = {{-0.5, 0.0}, {0.0, 0.0}, {0.5, 0.0}};
  const double beside[3][2] = {{0.1, -0.5}, {0.5, 0.0}, {0.1, 0.5}};
  const double broken[3][2] = {{NAN, -0.5}, {0.5, 0.0}, {0.1, 0.5}};
  const double square[4][2] = {{0.5, 0.5}, {-0.5, -0.5}, {0.5, -0.5}, {-0.5, 0.5}};
  refused(5, dent, "point 2");
  refused(3, line, "on a line");
  refused(3, beside, "origin is outside");
  refused(3, broken, "point 0");
  refused(2, line, "must have 3 to 32");
  ChFrictionSection section;
  ChContext context = {0};
  CHECK_OK(context, ch_friction_section_make(&context, "slab", 4, square, &section));  // in any order
  assert_int_equal(section.count, 4);
}

static void blocks_without_a_section_are_refused(void** state) {
  (void)state;
  ChContext context = {0};
  ChFrictionSection clockwise = {3, {{0.5, 0.0}, {-0.3, -0.3}, {-0.3, 0.3}}};
  ChBlock block = {.law = CH_LAW_SECTION, .dimension = 3};
  const int index[3] = {0, 1, 2};
  const double one[3] = {1.0, 1.0, 1.0}, q[3] = {-1.0, 0.0, 0.0};
  const ChProblemDef def = {.form = CH_FORM_LOCAL,
                            .dimension = 3,
                            .block_count = 1,
                            .blocks = &block,
                            .W = {3, 3, 3, index, index, one},
                            .w = q};
  ChProblem* problem;
  assert_int_equal(ch_problem_build(&context, &def, &problem), CH_ERR_ARGUMENT);
  assert_non_null(strstr(context.message, "section is missing"));
  block.section = &clockwise;
  assert_int_equal(ch_problem_build(&context, &def, &problem), CH_ERR_RANGE);
  assert_non_null(strstr(context.message, "counter-clockwise"));
}

// A regular polygon as a section is the polygon that `contact` has of `sides`: the same answers, though no line of the
// two is shared.
static void a_regular_polygon_is_the_one_of_contact(void** state) {
  (void)state;
  enum { BLOCKS = 4, N = 3 * BLOCKS, SIDES = 6 };
  const double mu = 0.5;
  ChRandom random = ch_random_seeded(41);
  ChFrictionSection section = {.count = SIDES};
  for (int k = 0; k < SIDES; ++k) {
    section.corner[k][0] = mu * cos(2.0 * acos(-1.0) * k / SIDES);
    section.corner[k][1] = mu * sin(2.0 * acos(-1.0) * k / SIDES);
  }
  for (int draw = 0; draw < 20; ++draw) {
    double A[N * N], W[N * N], q[N], u[2][N], r[2][N];
    int row[N * N], column[N * N];
    for (int k = 0; k < N * N; ++k) A[k] = ch_random_normal(&random);
    for (int k = 0; k < N; ++k) q[k] = ch_random_normal(&random);
    for (int k = 0; k < N * N; ++k) {
      W[k] = (k % (N + 1) == 0) * 2.0;
      row[k] = k / N, column[k] = k % N;
      for (int j = 0; j < N; ++j) W[k] += 0.1 * A[row[k] * N + j] * A[column[k] * N + j];
    }
    for (int own = 0; own < 2; ++own) {
      ChBlock blocks[BLOCKS];
      for (int k = 0; k < BLOCKS; ++k)
        blocks[k] = (ChBlock){.law = own ? CH_LAW_SECTION : CH_LAW_CONTACT,
                              .dimension = 3,
                              .mu = {mu, mu},
                              .sides = own ? 0 : SIDES,
                              .section = &section};
      const ChProblemDef def = {.form = CH_FORM_LOCAL,
                                .dimension = 3,
                                .block_count = BLOCKS,
                                .blocks = blocks,
                                .W = {N, N, N * N, row, column, W},
                                .w = q};
      ChContext context = {0};
      ChSolveOptions options = ch_solve_options_default();
      ChSolveInfo info;
      ChProblem* problem;
      options.tolerance = 1e-10;
      CHECK_OK(context, ch_problem_build(&context, &def, &problem));
      CHECK_OK(context, ch_solve(&context, problem, &options, NULL, u[own], r[own], &info));
      ch_problem_destroy(problem);
    }
    for (int k = 0; k < N; ++k) CHECK_NEAR(r[1][k], r[0][k], 1e-7);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_no_convex_section_is_refused),
      cmocka_unit_test(blocks_without_a_section_are_refused),
      cmocka_unit_test(a_regular_polygon_is_the_one_of_contact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
