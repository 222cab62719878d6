// Facts about what a built problem shows of itself, with public headers only.
#include "cardhouse/delassus.h"
#include "cardhouse/dense.h"
#include "cardhouse/problem.h"
#include "support/near.h"

// A particle of mass 2 in the plane on a floor, pushed down and along; H turns (x, y) into (normal, tangent).
static ChProblem* particle(double mu) {
  static const int diagonal[] = {0, 1}, row[] = {1, 0}, column[] = {0, 1};
  static const double mass[] = {2.0, 2.0}, one[] = {1.0, 1.0}, f[] = {4.0, -6.0}, w[] = {0.0, 0.0};
  const ChBlock block = {.law = CH_LAW_CONTACT, .dimension = 2, .mu = {mu, mu}};
  const ChProblemDef def = {.form = CH_FORM_GLOBAL,
                            .dimension = 2,
                            .block_count = 1,
                            .blocks = &block,
                            .M = {2, 2, 2, diagonal, diagonal, mass},
                            .H = {2, 2, 2, row, column, one},
                            .f = f,
                            .w = w};
  ChContext context = {0};
  ChProblem* problem = NULL;
  CHECK_OK(context, ch_problem_build(&context, &def, &problem));
  return problem;
}

static void a_view_shows_what_was_built(void** state) {
  (void)state;
  ChProblem* problem = particle(0.5);
  const ChProblemView p = ch_problem_view(problem);
  assert_int_equal(p.form, CH_FORM_GLOBAL);
  assert_int_equal(p.rows, 2);
  assert_int_equal(p.dof, 2);
  assert_null(p.W);
  assert_int_equal(p.H->index[0], 1);
  CHECK_NEAR(p.M->value[1], 2.0, 0.0);
  CHECK_NEAR(p.f[1], -6.0, 0.0);
  assert_int_equal(p.body_count, 2);  // M couples nothing, and the definition names no bodies
  assert_true(p.body[0] != p.body[1]);
  ch_problem_destroy(problem);
}

static void a_block_is_replaced_or_left_as_it_is(void** state) {
  (void)state;
  ChContext context = {0};
  ChProblem* problem = particle(0.5);
  ChBlock block = ch_problem_view(problem).blocks[0];
  block.mu[0] = 0.25;
  CHECK_OK(context, ch_problem_set_block(&context, problem, 0, &block));
  CHECK_NEAR(ch_problem_view(problem).blocks[0].mu[0], 0.25, 0.0);
  CHECK_NEAR(ch_problem_view(problem).blocks[0].mu[1], 0.25, 0.0);  // the plane has one tangent
  block.mu[0] = NAN;
  assert_int_equal(ch_problem_set_block(&context, problem, 0, &block), CH_ERR_RANGE);
  const ChBlock longer = {.law = CH_LAW_BILATERAL, .dimension = 1};
  assert_int_equal(ch_problem_set_block(&context, problem, 0, &longer), CH_ERR_SIZE);
  assert_int_equal(ch_problem_set_block(&context, problem, 1, &block), CH_ERR_RANGE);
  assert_int_equal(ch_problem_set_block(NULL, problem, -1, &block), CH_ERR_RANGE);
  CHECK_NEAR(ch_problem_view(problem).blocks[0].mu[0], 0.25, 0.0);
  ch_problem_destroy(problem);
}

// W = H^T M^-1 H = 1/2, q = (-3, 2); the local form of a local problem is the same again.
static void condensing_gives_the_local_form(void** state) {
  (void)state;
  ChContext context = {0};
  ChProblem *problem = particle(0.5), *local, *again;
  CHECK_OK(context, ch_problem_condense(&context, problem, &local));
  CHECK_OK(context, ch_problem_condense(&context, local, &again));
  ch_problem_destroy(problem);
  for (int k = 0; k < 2; ++k) {
    const ChProblemView p = ch_problem_view(k ? again : local);
    assert_int_equal(p.form, CH_FORM_LOCAL);
    assert_int_equal(p.blocks[0].law, CH_LAW_CONTACT);
    assert_int_equal(p.body_count, 0);
    CHECK_NEAR(p.W->value[0], 0.5, 1e-15);
    CHECK_NEAR(p.w[0], -3.0, 1e-15);
    CHECK_NEAR(p.w[1], 2.0, 1e-15);
    double W_ii[4];
    CHECK_OK(context, ch_problem_diagonal_blocks(&context, k ? again : local, W_ii));
    CHECK_NEAR(W_ii[0], 0.5, 1e-15);
    CHECK_NEAR(W_ii[1], 0.0, 1e-15);
    CHECK_NEAR(W_ii[3], 0.5, 1e-15);
  }
  ch_problem_destroy(local);
  ch_problem_destroy(again);
}

// Two unit vectors 60 degrees apart.
static void spans_have_an_angle(void** state) {
  (void)state;
  ChContext context = {0};
  double G[4] = {1.0, 0.5, 0.5, 1.0}, cosine;
  const unsigned char span[2] = {CH_SPAN_FIRST, CH_SPAN_SECOND};
  CHECK_OK(context, ch_span_cosine(&context, 2, G, span, &cosine));
  CHECK_NEAR(cosine, 0.5, 1e-14);
  double A[4] = {3.0, 0.0, 0.0, -2.0}, sigma[2];
  assert_true(ch_singular_values(2, A, true, sigma));
  CHECK_NEAR(sigma[0] + sigma[1], 5.0, 1e-14);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_view_shows_what_was_built),
      cmocka_unit_test(a_block_is_replaced_or_left_as_it_is),
      cmocka_unit_test(condensing_gives_the_local_form),
      cmocka_unit_test(spans_have_an_angle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
