// Facts about the non-convex programme of friction, and about the methods that minimise it.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "cardhouse/cardhouse.h"
#include "linalg/matrix_classes.h"
#include "problem/contact_problem.h"
#include "support/families.h"
#include "support/near.h"
#include "support/small.h"

enum { ROWS_MAX = 2048, DOF_MAX = 2048 };

static const char* const METHODS[] = {"sqp", "indefinite-qp", "regularized-lcp"};
enum { METHOD_COUNT = 3 };

typedef struct Answer {
  ChStatus status;
  ChSolveInfo info;
  double r[ROWS_MAX], u[ROWS_MAX], v[DOF_MAX];
} Answer;

static Answer answer;  // large: not on the stack

static const Answer* solve(const ChProblem* p, const char* method, ChSolveOptions options) {
  ChContext context = {0};
  options.method = method;
  options.time_limit = 20.0;
  assert_true(p->rows <= ROWS_MAX && p->dof <= DOF_MAX);
  answer.status = ch_solve(&context, p, &options, answer.v, answer.u, answer.r, &answer.info);
  return &answer;
}

static ChProblem* generate(const char* name, int n, double mu, int sides) {
  ChContext context = {0};
  const ChFamily* family = ch_family_find(name);
  ChRecipe recipe = ch_recipe_default(family);
  recipe.n = n;
  recipe.mu = mu;
  ChProblem* p;
  CHECK_OK(context, ch_family_generate(&context, family, &recipe, CH_FORM_GLOBAL, &p));
  if (sides) CHECK_OK(context, ch_problem_set_polygon(&context, p, sides, false));
  return p;
}

// --- one contact in the plane, by hand: A of (5.25) with W = (a, c; c, t), directions +1 and -1

typedef struct OneContact {
  double A[16], b[4];  // by rows; y = (alpha, beta+, beta-, lambda)
} OneContact;

static OneContact one_contact(const double W[4], const double q[2], double mu) {
  return (OneContact){.A = {W[0], W[1], -W[1], 0,   //
                            W[2], W[3], -W[3], 1,   //
                            -W[2], -W[3], W[3], 1,  //
                            mu, -1, -1, 0},
                      .b = {q[0], q[1], -q[1], 0}};
}

static void multiply(const double A[16], const double x[4], bool transposed, double y[4]) {
  for (int i = 0; i < 4; ++i) {
    y[i] = 0.0;
    for (int j = 0; j < 4; ++j) y[i] += (transposed ? A[4 * j + i] : A[4 * i + j]) * x[j];
  }
}

// The contact opens by itself: r = 0 has value 0. The same programme has a point with value 1 that meets every
// first-order condition (5.33), with multipliers that differ from y.
static void I34_a_kkt_point_need_not_be_a_solution(void** state) {
  (void)state;
  const double W[4] = {1, -2, -2, 5}, q[2] = {2, -3}, mu = 1.0;
  const OneContact p = one_contact(W, q, mu);
  const double y[4] = {1, 1, 0, 0}, gamma[4] = {0, 1, 0, 2};
  double w[4], x[4], Atx[4], value = 0.0;
  multiply(p.A, y, false, w);
  for (int i = 0; i < 4; ++i) w[i] += p.b[i], x[i] = y[i] - gamma[i];
  multiply(p.A, x, true, Atx);
  for (int i = 0; i < 4; ++i) {
    const double z = w[i] + Atx[i];  // whole numbers: exact
    assert_true(w[i] >= 0.0 && z >= 0.0 && gamma[i] >= 0.0);
    assert_true(y[i] * z == 0.0 && gamma[i] * w[i] == 0.0);
    value += y[i] * w[i];
  }
  CHECK_NEAR(value, 1.0, 0.0);
  const ChBlock block = {.law = CH_LAW_CONTACT, .dimension = 2, .mu = {mu, mu}};
  ChProblem* problem = ch_small_local(2, 1, &block, W, q);
  ChContext context = {0};
  ChCertificate at_point, at_zero;
  const double r[2] = {1, 1}, zero[2] = {0, 0};
  CHECK_OK(context, ch_certify(&context, problem, CH_POSE_COULOMB, r, NULL, &at_point));
  CHECK_OK(context, ch_certify(&context, problem, CH_POSE_COULOMB, zero, NULL, &at_zero));
  assert_true(at_point.natural > 0.1);
  CHECK_NEAR(at_zero.natural, 0.0, 0.0);
  ch_problem_destroy(problem);
}

// X25: x = (alpha, lambda) = (1, -(a + 1) / mu) has x_i (A'x)_i = (-1, 0): the law (5.34) of row sufficiency fails
// for every contact with friction, whatever its W.
static void I34_X25_the_matrix_is_not_row_sufficient(void** state) {
  (void)state;
  const double W[4] = {2, 0, 0, 3}, q[2] = {0, 0}, mu = 0.5;
  const OneContact p = one_contact(W, q, mu);
  const double x[4] = {1, 0, 0, -(W[0] + 1) / mu};
  double Atx[4];
  multiply(p.A, x, true, Atx);
  CHECK_NEAR(x[0] * Atx[0], -1.0, 0.0);
  for (int i = 1; i < 4; ++i) CHECK_NEAR(x[i] * Atx[i], 0.0, 0.0);
}

// The same by the library, and for a card house: 840 variables, where the sum of a semidefinite and a nonnegative
// matrix proves copositivity. Without friction A is W_nn.
static void I34_classes_of_the_matrix(void** state) {
  (void)state;
  ChContext context = {0};
  ChFrictionMatrix m;
  const double W[4] = {1, -2, -2, 5}, q[2] = {2, -3};
  const ChBlock block = {.law = CH_LAW_CONTACT, .dimension = 2, .mu = {1, 1}};
  ChProblem* small = ch_small_local(2, 1, &block, W, q);
  ChProblem* house = generate("cards", 4, 0.8, 0);
  const ChProblem* problems[] = {small, house};
  for (int k = 0; k < 2; ++k) {
    CHECK_OK(context, ch_friction_matrix_classify(&context, problems[k], 8, &m));
    assert_true(m.known && m.copositive_by_sum == (k == 1));
    assert_int_equal(m.variables, k == 0 ? 4 : 840);
    assert_true(m.asymmetry > 0.01 && m.eigenvalue_lowest < -0.01 && m.row_witness < 0.0);
    assert_int_equal(m.copositive, CH_ANSWER_YES);
    assert_int_equal(m.row_sufficient, CH_ANSWER_NO);
    assert_int_equal(problems[k]->blocks[0].sides, 0);
  }
  ch_problem_destroy(small);
  ch_problem_destroy(house);
  ChProblem* slippery = generate("disks", 4, 0.0, 0);
  CHECK_OK(context, ch_friction_matrix_classify(&context, slippery, 8, &m));
  assert_true(m.asymmetry <= 1e-12 && m.eigenvalue_lowest >= -1e-10);
  assert_int_equal(m.copositive, CH_ANSWER_YES);
  assert_int_equal(m.row_sufficient, CH_ANSWER_YES);
  ch_problem_destroy(slippery);
}

// Horn's matrix is copositive though it is no sum of a semidefinite and a nonnegative one; a shift of its diagonal by
// -1/100 undoes it. (1, -2; -2, 1) has the value -1/2 at (1/2, 1/2).
static void copositivity_is_decided_exactly(void** state) {
  (void)state;
  ChArena* arena = ch_arena_create(NULL);
  double horn[25], y[5];
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j)
      horn[5 * i + j] = i == j ? 1.0 : (i - j + 5) % 5 == 1 || (j - i + 5) % 5 == 1 ? -1.0 : 1.0;
  CHECK_NEAR(ch_matrix_copositive(arena, 5, horn, y), 0.0, 0.0);
  for (int i = 0; i < 5; ++i) horn[6 * i] -= 0.01;
  const double least = ch_matrix_copositive(arena, 5, horn, y);
  assert_true(least < 0.0);
  double value = 0.0, sum = 0.0;
  for (int i = 0; i < 5; ++i) {
    assert_true(y[i] >= 0.0);
    sum += y[i];
    for (int j = 0; j < 5; ++j) value += y[i] * horn[5 * i + j] * y[j];
  }
  CHECK_NEAR(sum, 1.0, 1e-12);
  CHECK_NEAR(value, least, 1e-12);
  const double two[4] = {1, -2, -2, 1};
  CHECK_NEAR(ch_matrix_copositive(arena, 2, two, y), -0.5, 1e-15);
  CHECK_NEAR(y[0], 0.5, 1e-15);
  ch_arena_destroy(arena);
}

// A rotation is a P-matrix and positive definite: row sufficient. (0, 1; 0, 0) is column but not row sufficient, or the
// other way round by its transpose.
static void witnesses_against_row_sufficiency(void** state) {
  (void)state;
  const double rotation[4] = {1, 1, -1, 1}, upper[4] = {0, 0, 1, 0}, negative[1] = {-1};
  assert_false(ch_matrix_row_witness(2, rotation).found);
  const ChRowWitness witness = ch_matrix_row_witness(2, upper);
  assert_true(witness.found);
  assert_true(fmin(witness.product[0], witness.product[1]) < 0.0);
  assert_true(fmax(witness.product[0], witness.product[1]) <= 0.0);
  assert_true(ch_matrix_row_witness(1, negative).found);
}

// Every method that takes the programme: solved is solved; a stationary point is called so; the value is not negative.
static void I34_I35_local_methods_are_honest(void** state) {
  (void)state;
  static const struct {
    const char* family;
    int n;
    double mu;
    int sides;
  } cases[] = {{"disks", 3, 0.5, 0}, {"disks", 5, 0.3, 0}, {"disks", 6, 0.5, 0},   {"beads", 4, 0.5, 0},
               {"tower", 3, 0.5, 4}, {"cards", 1, 0.8, 8}, {"incline", 1, 0.3, 8}, {"door", 2, 0.5, 4}};
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
    ChProblem* p = generate(cases[c].family, cases[c].n, cases[c].mu, cases[c].sides);
    for (int m = 0; m < METHOD_COUNT; ++m) {
      ChSolveOptions options = ch_solve_options_default();
      options.max_iterations = m == 2 ? 500 : 0;
      const Answer* a = solve(p, METHODS[m], options);
      double value;
      if (sscanf(a->info.note, "value of the non-convex programme %lf", &value) == 1)
        assert_true(value >= -1e-9);  // I35: up to what rounding leaves of the constraints, |q| being 1
      ChContext context = {0};
      ChCertificate k;
      CHECK_OK(context, ch_certify(&context, p, CH_POSE_COULOMB, a->r, a->v, &k));
      const bool met = ch_certificate_met(&k, 1e-8);
      if (met != (a->status == CH_OK) || !(met || a->status == CH_STATIONARY || a->status == CH_MAX_ITER))
        fail_msg("%s on %s-%d says '%s', natural %g", METHODS[m], cases[c].family, cases[c].n,
                 ch_status_text(a->status), k.natural);
    }
    ch_problem_destroy(p);
  }
}

// A point of value 0 is exact Coulomb: methods that share no code agree where the velocity is unique.
static void I35_value_zero_is_exact_coulomb(void** state) {
  (void)state;
  static double u[ROWS_MAX];
  ChContext context = {0};
  const ChFamily* family = ch_family_find("incline");
  ChRecipe recipe = ch_recipe_default(family);
  recipe.angle = 35;
  recipe.mu = 0.4;
  recipe.heading = 10;
  ChProblem* p;
  CHECK_OK(context, ch_family_generate(&context, family, &recipe, CH_FORM_GLOBAL, &p));
  CHECK_OK(context, ch_problem_set_polygon(&context, p, 8, false));
  ChSolveOptions options = ch_solve_options_default();
  assert_int_equal(solve(p, "newton", options)->status, CH_OK);
  memcpy(u, answer.u, (size_t)p->rows * sizeof *u);
  for (int m = 0; m < 2; ++m) {
    const Answer* a = solve(p, METHODS[m], options);
    assert_int_equal(a->status, CH_OK);
    for (int k = 0; k < p->rows; ++k)
      CHECK_NEAR(a->u[k], u[k], 1e-6);  // u of size 1e-2, solved to 1e-8: half of its digits
  }
  ch_problem_destroy(p);
}

// I51: without friction the matrix is positive semidefinite, and everything works.
static void I51_frictionless_scenes_are_solved_by_all(void** state) {
  (void)state;
  static const char* const methods[] = {"lemke", "pgs", "sqp", "indefinite-qp", "regularized-lcp"};
  static const char* const families[] = {"disks", "cards", "tower"};
  for (int f = 0; f < 3; ++f) {
    ChProblem* p = generate(families[f], 2, 0.8, 8);
    for (int m = 0; m < 5; ++m) {
      ChSolveOptions options = ch_solve_options_default();
      options.pose = CH_POSE_FRICTIONLESS;
      const Answer* a = solve(p, methods[m], options);
      if (a->status != CH_OK)
        fail_msg("%s on %s: %s, natural %g", methods[m], families[f], ch_status_text(a->status),
                 a->info.certificate.natural);
    }
    ch_problem_destroy(p);
  }
}

// I51, H21: with friction a thousand sweeps over boxes leave a card house a hundredth wrong, and ten thousand no less
// than a thousandth: its fixed point is not Coulomb's law.
static void I51_box_sweeps_fail_on_a_card_house(void** state) {
  (void)state;
  ChProblem* p = generate("cards", 4, 0.8, 8);
  for (long sweeps = 1000; sweeps <= 10000; sweeps *= 10) {
    ChSolveOptions options = ch_solve_options_default();
    options.max_iterations = sweeps;
    options.settings = &(ChSetting){"pgs.box", 1};
    options.setting_count = 1;
    const Answer* a = solve(p, "pgs", options);
    assert_int_equal(a->status, CH_MAX_ITER);
    assert_true(a->info.certificate.natural > (sweeps == 1000 ? 1e-2 : 1e-3));
  }
  ch_problem_destroy(p);
}

static void dense_methods_say_what_is_too_large(void** state) {
  (void)state;
  ChProblem* p = generate("disks", 24, 0.5, 0);
  ChContext context = {0};
  for (int m = 0; m < 2; ++m) {
    ChSolveOptions options = ch_solve_options_default();
    options.method = METHODS[m];
    assert_int_equal(ch_solve(&context, p, &options, answer.v, answer.u, answer.r, &answer.info), CH_ERR_UNSUPPORTED);
    assert_non_null(strstr(context.message, "3000"));
  }
  ch_problem_destroy(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(I34_a_kkt_point_need_not_be_a_solution),
      cmocka_unit_test(I34_X25_the_matrix_is_not_row_sufficient),
      cmocka_unit_test(I34_classes_of_the_matrix),
      cmocka_unit_test(copositivity_is_decided_exactly),
      cmocka_unit_test(witnesses_against_row_sufficiency),
      cmocka_unit_test(I34_I35_local_methods_are_honest),
      cmocka_unit_test(I35_value_zero_is_exact_coulomb),
      cmocka_unit_test(I51_frictionless_scenes_are_solved_by_all),
      cmocka_unit_test(I51_box_sweeps_fail_on_a_card_house),
      cmocka_unit_test(dense_methods_say_what_is_too_large),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
