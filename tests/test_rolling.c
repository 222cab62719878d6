// Rolling, drilling and ellipsoidal contacts as problems: the exact solution of one block against a search that shares
// nothing with it, units, what is left where coefficients vanish, and generated problems by the hundred.
#include <string.h>

#include "cardhouse/analysis.h"
#include "cardhouse/solve.h"
#include "linalg/small.h"
#include "problem/cones.h"
#include "problem/contact_problem.h"
#include "problem/laws/balls.h"
#include "solve/contact/local_contact.h"
#include "support/arena_rig.h"
#include "support/families.h"
#include "support/generated.h"
#include "support/near.h"
#include "support/random.h"
#include "support/small.h"

enum { DRAWS = 300, SEARCHES = 40, MOST = CH_BLOCK_MAX };

static double dot(int n, const double* a, const double* b) {
  double sum = 0.0;
  for (int k = 0; k < n; ++k) sum += a[k] * b[k];
  return sum;
}

static double draw_size(ChRandom* random, double decades) {
  return pow(10.0, ch_random_uniform(random, -decades, decades));
}

// A block of one of the three laws: coefficients over six decades, some of them zero.
static ChBlock draw_block(ChRandom* random) {
  static const ChLaw laws[] = {CH_LAW_ROLLING,  CH_LAW_ROLLING,     CH_LAW_ROLLING,
                               CH_LAW_DRILLING, CH_LAW_ELLIPSOIDAL, CH_LAW_ELLIPSOIDAL};
  static const int dimensions[] = {3, 5, 6, 4, 4, 4};
  const int kind = (int)(ch_random_bits(random) % 6);
  ChBlock block = {.law = laws[kind], .dimension = dimensions[kind]};
  double* const coefficient[] = {&block.mu[0], &block.more[0], &block.more[1]};
  for (int k = 0; k < 3; ++k) *coefficient[k] = ch_random_bits(random) % 8 == 0 ? 0.0 : 0.3 * draw_size(random, 1.5);
  block.mu[1] = block.mu[0];
  return block;
}

// W = A A^T, well or badly conditioned; q about to press.
static ChProblem* draw_problem(ChRandom* random, const ChBlock* block) {
  const int n = block->dimension;
  double A[MOST * MOST], W[MOST * MOST], q[MOST], size[MOST];
  for (int a = 0; a < n; ++a) size[a] = draw_size(random, 0.5);
  for (int k = 0; k < n * n; ++k) A[k] = size[k / n] * ch_random_normal(random);
  for (int a = 0; a < n; ++a)
    for (int c = 0; c < n; ++c) W[a * n + c] = dot(n, A + a * n, A + c * n) + (a == c ? 1e-3 * size[a] * size[a] : 0.0);
  for (int a = 0; a < n; ++a) q[a] = size[a] * ch_random_normal(random) - (a == 0 ? 0.5 * size[0] : 0.0);
  return ch_small_local(3, 1, block, W, q);
}

static double grade(const ChProblem* problem, const double* r) {
  ChCertificate c;
  CHECK_OK(context, ch_certify(&context, problem, CH_POSE_COULOMB, r, NULL, &c));
  CHECK_AT_MOST(c.cone, 1e-12);
  return c.natural;
}

// --- one block -------------------------------------------------------------------------------------------------------

static void one_block_is_solved_exactly(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(61);
  for (int draw = 0; draw < DRAWS; ++draw) {
    ChArenaMark mark = ch_arena_mark(arena);
    const ChBlock block = draw_block(&random);
    ChProblem* problem = draw_problem(&random, &block);
    ChPrepared parts;
    CHECK_OK(context, ch_prepare(&context, arena, problem, CH_POSE_COULOMB, NULL, &parts));
    const ChComponent* part = &parts.component[0];
    for (int way = 0; way < 2; ++way) {  // as it is, and by what it falls back on
      ChLocalBlock local;
      double x[MOST] = {0.0}, r[MOST] = {0.0};
      const bool falls_back = way == 1 && part->system.block[0].balls > 0 && part->system.q[0] < 0.0;
      ch_local_prepare(arena, &part->system, 0, &local);
      if (falls_back)
        ch_balls_solve_bracketed(part->system.block, part->system.diagonal, part->system.q, x);
      else
        ch_local_solve(&part->system, 0, &local, part->system.q, x);
      ch_system_project(&part->system, x, x);
      for (int a = 0; a < part->system.rows; ++a) r[part->source[a]] = part->c * part->g[a] * x[a];
      // Rounds over balls that are coupled end at rounding times the condition of W and the squares of coefficients.
      CHECK_AT_MOST(grade(problem, r), falls_back ? 1e-6 : 1e-9);
    }
    ch_problem_destroy(problem);
    ch_arena_release(arena, mark);
  }
}

// u_n = 0 and, with r_n given, the least of 1/2 r W r + q r over the section; r_n by bisection, the section by a search
// over points that are drawn ever nearer to the best. Shares nothing with the solution but the section's definition.
static bool in_section(const ChBlock* block, const double* r) {
  double x[MOST], y[MOST], sum = 0.0;
  memcpy(x, r, sizeof x);
  ch_block_project(block, CH_POSE_COULOMB, x, y);
  for (int a = 0; a < block->dimension; ++a) sum += fabs(x[a] - y[a]);
  return sum <= 1e-12 * (1.0 + fabs(r[0]));
}

static void no_point_of_the_section_dissipates_more(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(62);
  for (int draw = 0; draw < DRAWS; ++draw) {
    const ChBlock block = draw_block(&random);
    ChProblem* problem = draw_problem(&random, &block);
    ChSolveOptions options = ch_solve_options_default();
    ChSolveInfo info;
    double u[MOST], r[MOST];
    options.tolerance = 1e-9;
    options.method = "nsgs";
    CHECK_OK(context, ch_solve(&context, problem, &options, NULL, u, r, &info));
    assert_true(r[0] >= 0.0);
    if (r[0] > 0.0) CHECK_NEAR(u[0], 0.0, 1e-9 * (1.0 + fabs(problem->w[0])));
    if (r[0] == 0.0) assert_true(u[0] >= 0.0);
    const double unit = 1.0 + fabs(dot(block.dimension, r, u)), done = dot(block.dimension - 1, r + 1, u + 1);
    for (int sample = 0; sample < SEARCHES; ++sample) {
      double other[MOST];
      other[0] = r[0];
      for (int a = 1; a < block.dimension; ++a)
        other[a] = r[a] + 0.3 * draw_size(&random, 2.0) * ch_random_normal(&random);
      // pulled towards the axis until it is in the section of this height
      for (int k = 0; k < 200 && !in_section(&block, other); ++k)
        for (int a = 1; a < block.dimension; ++a) other[a] *= 0.8;
      if (!in_section(&block, other)) continue;
      CHECK_AT_MOST(done, dot(block.dimension - 1, other + 1, u + 1) + 1e-8 * unit);
    }
    ch_problem_destroy(problem);
  }
}

// A moment in newton metres or in pound-force feet: the figure that a tolerance speaks of is the same.
static void other_units_change_nothing(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(64);
  for (int draw = 0; draw < DRAWS; ++draw) {
    const ChBlock block = draw_block(&random);
    ChProblem* problem = draw_problem(&random, &block);
    const int n = block.dimension, forces = n == 3 ? 2 : 3;
    double r[MOST], other[MOST], velocity[MOST] = {0.0}, reaction[MOST] = {0.0}, W[MOST * MOST], q[MOST];
    ChBlock stretched = block;
    for (int a = 0; a < n; ++a) {
      velocity[a] = a < forces ? 3.0 : 700.0;
      reaction[a] = 6.0 / velocity[a];
      r[a] = a == 0 ? 1.0 : 0.1 * ch_random_normal(&random);
    }
    for (int a = 0; a < 2; ++a) stretched.more[a] *= reaction[n - 1] / reaction[0];
    for (int a = 0; a < n; ++a) {
      other[a] = reaction[a] * r[a];
      q[a] = velocity[a] * problem->w[a];
      for (int c = 0; c < n; ++c) W[a * n + c] = velocity[a] * problem->W.value[c * n + a] / reaction[c];
    }
    ChProblem* turned = ch_small_local(3, 1, &stretched, W, q);
    ChCertificate here, there;
    CHECK_OK(context, ch_certify(&context, problem, CH_POSE_COULOMB, r, NULL, &here));
    CHECK_OK(context, ch_certify(&context, turned, CH_POSE_COULOMB, other, NULL, &there));
    CHECK_NEAR(there.natural, here.natural, 1e-10 * (1.0 + here.natural));
    ch_problem_destroy(problem);
    ch_problem_destroy(turned);
  }
}

// mu_r = mu_d = 0: what solvers see is Coulomb's cone, so that every method takes it.
static void without_moments_a_block_is_a_contact(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(65);
  for (int draw = 0; draw < DRAWS; ++draw) {
    ChArenaMark mark = ch_arena_mark(arena);
    ChBlock block = draw_block(&random);
    block.more[0] = block.more[1] = 0.0;
    ChProblem* problem = draw_problem(&random, &block);
    ChPrepared parts;
    CHECK_OK(context, ch_prepare(&context, arena, problem, CH_POSE_COULOMB, NULL, &parts));
    const ChSystem* s = &parts.component[0].system;
    assert_false(s->unusual);
    assert_int_equal(s->dim[0], block.mu[0] > 0.0 ? (block.dimension == 3 ? 2 : 3) : 1);
    assert_true(s->block[0].mu == block.mu[0]);
    ch_problem_destroy(problem);
    ch_arena_release(arena, mark);
  }
}

// A sphere of radius R on a slope of angle a stands while tan a <= mu and tan a <= mu_r / R: the smallest factor on
// both is the larger of the quotients, to the tolerance of the bisection and of the linear programme's edges.
static void limit_analysis_knows_moments(void** state) {
  (void)state;
  const double slope = 0.1, radius = 0.1, mu = 0.5, gravity[3] = {9.81 * sin(slope), 0.0, -9.81 * cos(slope)};
  for (int draw = 0; draw < 4; ++draw) {
    const double rolling = draw < 2 ? 0.004 : 0.05, drilling = draw % 2 ? 0.01 : 0.0;
    const double centre[3] = {0.0, 0.0, radius}, foot[3] = {0.0, 0.0, 0.0}, up[3] = {0.0, 0.0, 1.0};
    ChRig* rig = ch_rig_create(3, 1e-3, gravity);
    ChProblem* problem;
    ChLimit limit;
    ch_rig_set_moments(rig, rolling, drilling, false);
    ch_rig_add_contact(rig, CH_RIG_GROUND, ch_rig_add_sphere(rig, 1000.0, radius, centre), foot, up, mu);
    CHECK_OK(context, ch_rig_build(&context, rig, CH_FORM_GLOBAL, &problem));
    const ChLimitOptions options = ch_limit_options_default();
    CHECK_OK(context, ch_friction_smallest(&context, problem, &options, (ChLimitState){0}, &limit));
    CHECK_NEAR(limit.value, tan(slope) * fmax(1.0 / mu, radius / rolling), 1e-5);
    ch_problem_destroy(problem);
    ch_rig_destroy(rig);
  }
}

// --- generated problems ----------------------------------------------------------------------------------------------

enum { PROBLEMS = 10, MOST_SIZE = 20000 };

// Of each kind of law; a part of the two hundred that `make bench-laws` solves.
static void auto_solves_what_is_generated(void** state) {
  (void)state;
  static double u[MOST_SIZE], v[MOST_SIZE], r[MOST_SIZE];
  for (int law = 0; law < ch_drawn_law_count(); ++law) {
    ChRandom random = ch_drawn_seed(law);
    for (int k = 0; k < PROBLEMS; ++k) {
      ChProblem* problem;
      CHECK_OK(context, ch_draw_problem(&context, &random, law, k, &problem));
      ChSolveOptions options = ch_solve_options_default();
      ChSolveInfo info;
      assert_true(problem->rows <= MOST_SIZE && problem->dof <= MOST_SIZE);
      CHECK_OK(context, ch_solve(&context, problem, &options, v, u, r, &info));
      if (!ch_certificate_met(&info.certificate, options.tolerance))
        fail_msg("%s, problem %d: natural is %g", ch_drawn_law_at(law)->name, k, info.certificate.natural);
      ch_problem_destroy(problem);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(one_block_is_solved_exactly, open_arena, close_arena),
      cmocka_unit_test(no_point_of_the_section_dissipates_more),
      cmocka_unit_test(other_units_change_nothing),
      cmocka_unit_test_setup_teardown(without_moments_a_block_is_a_contact, open_arena, close_arena),
      cmocka_unit_test(limit_analysis_knows_moments),
      cmocka_unit_test(auto_solves_what_is_generated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
