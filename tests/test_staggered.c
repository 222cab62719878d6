// Facts about staggered projections (Kaufman 2009, chapters 5 and 6) and what they rest on. The number at the head of a
// name is that of the property in the list of requirements.
#include <math.h>
#include <string.h>

#include "cardhouse/solve.h"
#include "problem/polygon.h"
#include "solve/linear/linear_system.h"
#include "solve/methods/staggered.h"
#include "support/first_part.h"
#include "support/random.h"
#include "support/rig.h"
#include "support/small.h"
#include "support/solved.h"

enum { DRAWS = 2000 };

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

static ChSolveOptions algorithm1(double eps) {
  ChSolveOptions options = options_for("staggered", 1e-9);
  static ChSetting settings[] = {{"staggered.algorithm1", 1}, {"staggered.rel_err", 0}};
  settings[1].value = eps;
  options.settings = settings;
  options.setting_count = 2;
  return options;
}

// W = I + coupling, symmetric and diagonally dominant; without `mixed` no normal row meets a tangential one.
static ChProblem* random_problem(int contacts, double mu, bool mixed, int sides) {
  enum { MOST = 24 };
  double W[MOST * MOST] = {0.0}, q[MOST];
  ChBlock blocks[MOST / 3];
  const int rows = 3 * contacts;
  ChRandom random = ch_random_seeded(7);
  for (int i = 0; i < contacts; ++i)
    blocks[i] = (ChBlock){.law = CH_LAW_CONTACT, .dimension = 3, .mu = {mu, mu}, .sides = sides};
  for (int i = 0; i < rows; ++i) {
    q[i] = i % 3 == 0 ? -1.0 : ch_random_uniform(&random, -1.0, 1.0);
    W[i * rows + i] = 1.0;
    for (int j = 0; j < i; ++j)
      if (mixed || (i % 3 == 0) == (j % 3 == 0))
        W[i * rows + j] = W[j * rows + i] = ch_random_uniform(&random, -0.6, 0.6) / rows;
  }
  return ch_small_local(3, contacts, blocks, W, q);
}

static void keep_last(void* user, const ChStaggeredStep* step) { *(ChStaggeredStep*)user = *step; }

// A solved part, with the pair of its solution.
typedef struct Solved {
  ChFirstPart part;
  ChStaggered g;
  double *r_n, *f;
} Solved;

static void solve_first_part(Solved* s, const ChProblem* problem, const char* method) {
  ch_first_part_open(&s->part, problem);
  ch_method_find(method)->solve(&s->part.run);
  CHECK_AT_MOST(s->part.run.error, 1e-9);
  ch_staggered_init(&s->g, &s->part.run, true, 0);
  s->r_n = CH_TAKE(s->part.arena, s->g.s->rows, double);
  s->f = CH_TAKE(s->part.arena, s->g.s->rows, double);
  ch_half_gather(&s->g.normal, s->part.run.r, s->r_n);
  ch_half_gather(&s->g.tangential, s->part.run.r, s->f);
}

// sqrt(d W d) of d = x - y: the distance of impulses in the metric M^-1
static double distance(const ChSystem* half, const double* x, const double* y) {
  double d[CH_SOLVED_MAX], Wd[CH_SOLVED_MAX], sum = 0.0;
  for (int k = 0; k < half->rows; ++k) d[k] = x[k] - y[k];
  ch_system_apply(half, d, Wd);
  for (int k = 0; k < half->rows; ++k) sum += d[k] * Wd[k];
  return sqrt(fmax(sum, 0.0));
}

// How far the two projections move the pair: each starts from nothing and is given the other's half.
static double move_of_projections(Solved* s) {
  static const double zero[CH_SOLVED_MAX];
  ch_staggered_friction(&s->g, s->r_n, zero, 1e-12);
  memset(s->g.r_n, 0, (size_t)s->g.normal.system.rows * sizeof(double));
  ch_staggered_contact(&s->g, s->f, 1e-12, s->part.run.deadline);
  return distance(&s->g.tangential.system, s->g.f, s->f) + distance(&s->g.normal.system, s->g.r_n, s->r_n);
}

// A fixed point over polygons solves the complementarity problem that Lemke's method pivots on, and there the objective
// (5.32) is zero; a solution by Lemke's method is a fixed point. Where the velocity is unique (rain) both have it.
static void I30_fixed_points_solve_the_complementarity_problem_at_objective_zero(void** state) {
  (void)state;
  static const char* const problems[] = {"rain-12", "incline-slide", "incline-heading", "cards-2", "disks-6", "wall-3"};
  static ChSolved staggered, lemke;
  static Solved s;
  for (size_t k = 0; k < sizeof problems / sizeof problems[0]; ++k) {
    ChProblem* problem = ch_make_case(problems[k], 6);
    ChStaggeredStep last = {0};
    ChSolveOptions options = algorithm1(1e-22);
    ch_run_watched(problem, &options, &(ChStaggeredWatch){.tell = keep_last, .user = &last}, &staggered);
    assert_int_equal(staggered.status, CH_OK);
    CHECK_NEAR(last.objective, 0.0, 1e-9);
    options = options_for("lemke", 1e-9);
    ch_run_solve(problem, &options, &lemke);
    assert_int_equal(lemke.status, CH_OK);
    if (k == 0)
      for (int a = 0; a < problem->rows; ++a) CHECK_NEAR(staggered.u[a], lemke.u[a], 1e-8);
    solve_first_part(&s, problem, "lemke");
    CHECK_AT_MOST(move_of_projections(&s), 1e-6);  // square root of what is left of the tolerance
    ch_first_part_close(&s.part);
    ch_problem_destroy(problem);
  }
}

// The default takes one pair of solves; algorithm 1 needs a second to see that friction stands still.
static void I31_decoupled_is_solved_in_one_pass(void** state) {
  (void)state;
  static ChSolved a;
  for (int sides = 0; sides <= 8; sides += 8) {
    ChProblem* problem = random_problem(6, 0.4, false, sides);
    ChSolveOptions options = options_for("staggered", 1e-9);
    ch_run_solve(problem, &options, &a);
    assert_int_equal(a.status, CH_OK);
    assert_int_equal(a.info.outer, 1);
    options = algorithm1(1e-20);
    ch_run_solve(problem, &options, &a);
    assert_int_equal(a.status, CH_OK);
    assert_int_equal(a.info.outer, 2);
    ch_problem_destroy(problem);
  }
}

// From the optimal contact impulse one friction projection, from the optimal friction one contact projection.
static void I32_one_projection_from_either_optimal_impulse(void** state) {
  (void)state;
  static const char* const problems[] = {"incline-slide", "cards-2", "disks-shaken", "wall-3-shaken"};
  static Solved s;
  for (size_t k = 0; k < sizeof problems / sizeof problems[0]; ++k) {
    ChProblem* problem = ch_make_case(problems[k], 8);
    solve_first_part(&s, problem, "newton");
    CHECK_AT_MOST(move_of_projections(&s), 1e-6);  // square root of what newton left
    ch_first_part_close(&s.part);
    ch_problem_destroy(problem);
  }
}

// Whenever it is stopped: v is that of r, no penetration, no adhesion, and r lies in its cone.
static void I33_early_exit_at_any_iteration_obeys_signorini_and_the_balance(void** state) {
  (void)state;
  static const char* const moving[] = {"pile-6-slippery", "cards-3-shaken", "wall-3-shaken", "disks-shaken",
                                       "skates-6"};
  static ChSolved a;
  for (size_t k = 0; k < sizeof moving / sizeof moving[0]; ++k)
    for (int variant = 0; variant < 3; ++variant)
      for (long limit = 1; limit <= 5; limit += 2) {
        ChProblem* problem = ch_make_case(moving[k], variant == 2 ? 0 : 8);
        ChSolveOptions options = variant == 0 ? options_for("staggered", 1e-9) : algorithm1(1e-12);
        options.max_iterations = limit;
        ch_run_solve(problem, &options, &a);
        CHECK_AT_MOST(a.info.certificate.signorini, 1e-7);
        CHECK_AT_MOST(a.info.certificate.cone, 1e-10);
        if (problem->form == CH_FORM_GLOBAL) CHECK_AT_MOST(a.info.certificate.balance, 1e-12);
        ch_problem_destroy(problem);
      }
}

// A plane body has three degrees of freedom: of six contacts without friction three can carry it. A basic solution, as
// pivoting finds it, is one of those; the contact projection has the same velocity, whatever its impulses.
static void I36_few_contacts_carry(void** state) {
  (void)state;
  static ChSolved basic, projected;
  const double gravity[3] = {0.0, -9.81, 0.0}, inertia[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0.2}, at[3] = {0.0, 0.5, 0.0};
  ChRig* rig = ch_rig_create(2, 0.01, gravity);
  int body = ch_rig_add_body(rig, 2.0, inertia, at);
  for (int k = 0; k < 6; ++k) {
    double x = -0.5 + 0.2 * k, point[3] = {x, 0.0, 0.0}, normal[3] = {0.3 * x, 1.0, 0.0};
    ch_rig_add_contact(rig, CH_RIG_GROUND, body, point, normal, 0.0);
  }
  ChContext context = {0};
  ChProblem* problem;
  CHECK_OK(context, ch_rig_build(&context, rig, CH_FORM_GLOBAL, &problem));
  ch_rig_destroy(rig);
  ChSolveOptions options = options_for("lemke", 1e-10);
  ch_run_solve(problem, &options, &basic);
  options.method = "staggered";
  ch_run_solve(problem, &options, &projected);
  assert_int_equal(basic.status, CH_OK);
  assert_int_equal(projected.status, CH_OK);
  int carrying = 0;
  for (int k = 0; k < problem->rows; k += 2) carrying += basic.r[k] > 0.0;
  assert_true(carrying > 0 && carrying <= problem->dof);
  for (int k = 0; k < problem->dof; ++k) CHECK_NEAR(basic.v[k], projected.v[k], 1e-9);
  ch_problem_destroy(problem);
}

static void random_friction(ChStaggered* g, ChRandom* random, double* f) {
  for (int k = 0; k < g->tangential.system.rows; ++k) f[k] = ch_random_uniform(random, -0.5, 0.5);
}

// (6.5) |P_C(x - f) - P_C(x - f')| <= |f - f'|, so that (6.8) the whole map is Lipschitz with the constant of friction.
static void I37_contact_projection_is_non_expansive(void** state) {
  (void)state;
  static const char* const problems[] = {"cards-2", "pile-5", "planar-wall-shaken", "tower-5"};
  static double first[CH_SOLVED_MAX], second[CH_SOLVED_MAX], r_n[CH_SOLVED_MAX];
  static Solved s;
  ChRandom random = ch_random_seeded(11);
  for (size_t k = 0; k < sizeof problems / sizeof problems[0]; ++k) {
    ChProblem* problem = ch_make_case(problems[k], 0);
    solve_first_part(&s, problem, "newton");
    for (int draw = 0; draw < 10; ++draw) {
      random_friction(&s.g, &random, first);
      random_friction(&s.g, &random, second);
      ch_staggered_contact(&s.g, first, 1e-11, s.part.run.deadline);
      memcpy(r_n, s.g.r_n, sizeof r_n[0] * (size_t)s.g.normal.system.rows);
      ch_staggered_contact(&s.g, second, 1e-11, s.part.run.deadline);
      CHECK_AT_MOST(distance(&s.g.normal.system, r_n, s.g.r_n),
                    distance(&s.g.tangential.system, first, second) * (1.0 + 1e-6));
    }
    ch_first_part_close(&s.part);
    ch_problem_destroy(problem);
  }
}

// The contact problem in contacts or in velocities gives one impulse N alpha, and friction over all or over loaded
// contacts one impulse D beta. (alpha itself is not unique where contacts are redundant.)
static void I50_primal_and_dual_contact_problems_agree(void** state) {
  (void)state;
  static const char* const problems[] = {"cards-2", "wall-3", "tower-shaken", "planar-wall-shaken"};
  static double f[CH_SOLVED_MAX], r_n[CH_SOLVED_MAX];
  static Solved s;
  static ChStaggered dual, primal;
  ChRandom random = ch_random_seeded(13);
  for (size_t k = 0; k < sizeof problems / sizeof problems[0]; ++k) {
    ChProblem* problem = ch_make_case(problems[k], 8);
    solve_first_part(&s, problem, "newton");
    ch_staggered_init(&dual, &s.part.run, false, CH_SPACE_R);
    ch_staggered_init(&primal, &s.part.run, true, CH_SPACE_V);
    const ChSystem *normal = &dual.normal.system, *tangential = &dual.tangential.system;
    for (int draw = 0; draw < 5; ++draw) {
      random_friction(&s.g, &random, f);
      ch_staggered_contact(&dual, f, 1e-12, s.part.run.deadline);
      ch_staggered_contact(&primal, f, 1e-12, s.part.run.deadline);
      CHECK_AT_MOST(distance(normal, dual.r_n, primal.r_n), 1e-6);  // square root of what the solves leave
      memcpy(r_n, dual.r_n, (size_t)normal->rows * sizeof *r_n);
      ch_staggered_friction(&dual, r_n, f, 1e-12);
      ch_staggered_friction(&primal, r_n, f, 1e-12);
      CHECK_AT_MOST(distance(tangential, dual.f, primal.f), 1e-6);
    }
    ch_first_part_close(&s.part);
    ch_problem_destroy(problem);
  }
}

// A warm start saves iterations; with three iterations a step the same step repeated converges over the steps.
static void I52_warm_starts_save_iterations_and_hard_limits_converge_over_steps(void** state) {
  (void)state;
  static ChSolved cold, warm;
  static double start[CH_SOLVED_MAX];
  ChProblem* problem = ch_make_case("cards-2", 8);
  ChSolveOptions options = algorithm1(1e-12);
  ch_run_solve(problem, &options, &cold);
  for (int k = 0; k < problem->rows; ++k) start[k] = 1.01 * cold.r[k];
  options.warm = start;
  ch_run_solve(problem, &options, &warm);
  assert_true(warm.info.outer < cold.info.outer);
  options = algorithm1(1e-20);
  options.max_iterations = 3;
  double first = 0.0;
  for (int step = 0; step < 40; ++step) {
    ch_run_solve(problem, &options, &warm);
    memcpy(start, warm.r, sizeof start);
    options.warm = start;
    if (step == 0) first = warm.info.certificate.natural;
  }
  CHECK_AT_MOST(warm.info.certificate.natural, 1e-3 * first);
  ch_problem_destroy(problem);
}

// c + P_F(x - c) and f + P_C(x - f) are the projections of x on F + c and C + f: one point exactly at a solution.
static void I55_closest_points_coincide_at_a_solution_only(void** state) {
  (void)state;
  static Solved s;
  ChProblem* problem = ch_make_case("incline-slide", 8);
  solve_first_part(&s, problem, "newton");
  for (int wrong = 0; wrong < 2; ++wrong) {
    for (int k = 0; wrong && k < s.g.tangential.system.rows; ++k) s.f[k] *= 0.9;
    double apart = move_of_projections(&s);
    if (wrong)
      assert_true(apart > 1e-3);
    else
      CHECK_AT_MOST(apart, 1e-6);
  }
  ch_first_part_close(&s.part);
  ch_problem_destroy(problem);
}

// No adhesion, friction within mu alpha, never feeding energy; against the slip on the circle, within pi / M of that on
// a polygon of M sides.
static void I58_response_is_one_sided_and_friction_opposes_slip(void** state) {
  (void)state;
  static const char* const problems[] = {"incline-heading", "disks-shaken", "pile-6-slippery"};
  static const int sides[] = {0, 4, 8, 16};
  static ChSolved a;
  for (int p = 0; p < 3; ++p)
    for (int m = 0; m < 4; ++m) {
      ChProblem* problem = ch_make_case(problems[p], sides[m]);
      ChSolveOptions options = options_for("staggered", 1e-10);
      ch_run_solve(problem, &options, &a);
      assert_int_equal(a.status, CH_OK);
      double most = 0.0, fastest = 0.0;
      for (int k = 0; k < problem->rows; ++k) most = fmax(most, fabs(a.r[k])), fastest = fmax(fastest, fabs(a.u[k]));
      for (int i = 0; i < problem->block_count; ++i) {
        const ChBlock* block = &problem->blocks[i];
        const double *r = a.r + block->row, *u = a.u + block->row;
        const bool plane = block->dimension == 2;
        const double f = plane ? fabs(r[1]) : hypot(r[1], r[2]), slip = plane ? fabs(u[1]) : hypot(u[1], u[2]);
        const double power = r[1] * u[1] + (plane ? 0.0 : r[2] * u[2]);
        assert_true(r[0] >= 0.0);
        CHECK_AT_MOST(f, block->mu[0] * r[0] + 1e-10 * most);
        CHECK_AT_MOST(power, 1e-9 * most * fastest);
        if (!(slip > 1e-3 * fastest && r[0] > 1e-3 * most)) continue;
        double least = plane || sides[m] == 0 ? 1.0 : cos(acos(-1.0) / sides[m]);
        CHECK_AT_MOST(power, -(least - 1e-6) * f * slip);
      }
      ch_problem_destroy(problem);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(polygonal_disc_projects_on_its_nearest_point),
      cmocka_unit_test(I30_fixed_points_solve_the_complementarity_problem_at_objective_zero),
      cmocka_unit_test(I31_decoupled_is_solved_in_one_pass),
      cmocka_unit_test(I32_one_projection_from_either_optimal_impulse),
      cmocka_unit_test(I33_early_exit_at_any_iteration_obeys_signorini_and_the_balance),
      cmocka_unit_test(I36_few_contacts_carry),
      cmocka_unit_test(I37_contact_projection_is_non_expansive),
      cmocka_unit_test(I50_primal_and_dual_contact_problems_agree),
      cmocka_unit_test(I52_warm_starts_save_iterations_and_hard_limits_converge_over_steps),
      cmocka_unit_test(I55_closest_points_coincide_at_a_solution_only),
      cmocka_unit_test(I58_response_is_one_sided_and_friction_opposes_slip),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
