// Facts about the methods that are no solvers and that the documents compare with: springs, two passes, shock
// propagation. Their errors have closed forms.
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "support/near.h"
#include "support/solved.h"
#include "support/worlds.h"

static const double g = 9.81, H = 0.01;

static ChSimulationOptions options_for(const char* method, int count, const ChSetting* settings) {
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = H;
  options.rest = false;
  options.solve.method = method;
  options.solve.settings = settings;
  options.solve.setting_count = count;
  return options;
}

// Steps of baselines miss their tolerance, as they should.
static ChStepInfo run_steps(ChSimulation* s, int steps) {
  ChStepInfo info = {0};
  for (int k = 0; k < steps; ++k) info = ch_test_step(s);
  return info;
}

// --- penalty ---------------------------------------------------------------------------------------------------------

// k d = m g / 4 at each of the four corners of a box.
static void a_block_sinks_into_springs_by_its_weight_over_their_stiffness(void** state) {
  (void)state;
  const double k = 1e6, mass = 1000.0 * 0.2 * 0.2 * 0.2;
  ChSetting settings[] = {{"penalty.stiffness", k}, {"penalty.damping", 1e3}};
  ChSimulationOptions options = options_for("penalty", 2, settings);
  for (int stabilized = 0; stabilized < 2; ++stabilized) {  // the spring knows its overlap either way
    ChWorld* world = ch_test_world(3, g, 0.5, 0.0);
    ch_test_floor(world);
    int box = ch_test_box(world, ch_vec(0.0, 0.0, 0.1), ch_vec(0.1, 0.1, 0.1));
    options.stabilization = stabilized ? CH_STABILIZE_ON : CH_STABILIZE_OFF;
    ChSimulation* s = ch_test_start(world, &options);
    ChStepInfo info = run_steps(s, 1000);
    CHECK_NEAR(0.1 - ch_simulation_body_at(s, box).position.z, mass * g / (4.0 * k), 1e-12);
    assert_int_equal(info.missed, stabilized);  // only with stabilisation is a step asked to undo the overlap
    ch_simulation_destroy(s);
  }
}

// mu F_n v / slip = m g sin against F_n = m g cos: v = slip tan / mu.
static void what_should_stick_creeps_at_the_slip_speed_times_its_use_of_friction(void** state) {
  (void)state;
  const double mu = 0.5, slope = 0.2, slip = 1e-3;
  ChSetting settings[] = {{"penalty.stiffness", 1e6}, {"penalty.damping", 1e3}, {"penalty.slip", slip}};
  ChSimulationOptions options = options_for("penalty", 3, settings);
  ChWorld* world = ch_test_world(3, g, mu, 0.0);
  ch_test_floor(world);
  int box = ch_test_box(world, ch_vec(0.0, 0.0, 0.1), ch_vec(0.1, 0.1, 0.1));
  ChSimulation* s = ch_test_start(world, &options);
  ChContext context = {0};
  CHECK_OK(context, ch_simulation_set_gravity(&context, s, ch_vec(g * slope, 0.0, -g)));
  run_steps(s, 1000);
  CHECK_NEAR(ch_simulation_body_at(s, box).velocity.x, slip * slope / mu, 1e-11);
  ch_simulation_destroy(s);
}

// A ball of mass m dropped onto a spring, h omega = 10: far beyond what an explicit step can take.
static double height_after(int implicit) {
  const double radius = 0.1, mass = 1000.0 * 4.0 / 3.0 * M_PI * radius * radius * radius;
  ChSetting settings[] = {
      {"penalty.stiffness", 100.0 * mass / (H * H)}, {"penalty.damping", 0.0}, {"penalty.implicit", implicit}};
  ChSimulationOptions options = options_for("penalty", 3, settings);
  ChWorld* world = ch_test_world(3, g, 0.5, 0.0);
  ch_test_floor(world);
  int ball = ch_test_ball(world, ch_vec(0.0, 0.0, radius + 0.05), radius, ch_vec(0.0, 0.0, 0.0));
  ChSimulation* s = ch_test_start(world, &options);
  double highest = 0.0;
  for (int k = 0; k < 100; ++k) {
    ch_test_step(s);
    highest = fmax(highest, k < 20 ? 0.0 : ch_simulation_body_at(s, ball).position.z - radius);
  }
  ch_simulation_destroy(s);
  return highest;
}

static void explicit_springs_throw_and_implicit_ones_do_not(void** state) {
  (void)state;
  assert_true(height_after(0) > 1.0);    // from 0.05 m
  assert_true(height_after(1) <= 0.05);  // nothing is gained
}

// --- two passes ------------------------------------------------------------------------------------------------------

static void two_passes_are_the_first_two_projections_of_staggered(void** state) {
  (void)state;
  static const char* const cases[] = {"arch-9", "wall-3-shaken", "disks-shaken", "incline-slide"};
  static ChSolved two, staggered;
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
    ChProblem* problem = ch_make_case(cases[c], 0);
    ChSolveOptions options = ch_options_for("two-pass", CH_POSE_COULOMB, 1e-14);
    options.settings = &(ChSetting){"two-pass.tol", 1e-11};
    options.setting_count = 1;
    ch_run_solve(problem, &options, &two);
    options = ch_options_for("staggered", CH_POSE_COULOMB, 1e-14);
    options.max_iterations = 1;
    options.settings = (ChSetting[]){{"staggered.inner_tol", 1e-11}, {"staggered.settle", 0.0}};
    options.setting_count = 2;
    ch_run_solve(problem, &options, &staggered);
    double size = 0.0;
    for (int k = 0; k < problem->rows; ++k) size = fmax(size, fabs(two.u[k]));
    assert_true(size > 0.0);
    for (int k = 0; k < problem->rows; ++k) CHECK_NEAR(two.u[k], staggered.u[k], 1e-7 * size);
    ch_problem_destroy(problem);
  }
}

// Friction at the faces of a straight tower that stands turns nothing into a normal velocity.
static void two_passes_suffice_where_friction_does_not_load_the_contacts(void** state) {
  (void)state;
  static ChSolved two;
  ChProblem* problem = ch_make_case("tower-5", 0);
  ChSolveOptions options = ch_options_for("two-pass", CH_POSE_COULOMB, 1e-8);
  ch_must_solve(problem, &options, &two);
  ch_problem_destroy(problem);
}

// --- shock propagation -----------------------------------------------------------------------------------------------

enum { BALLS = 12 };

static ChSimulation* column_of_balls(double fraction, double sweeps, int balls[BALLS]) {
  ChSetting settings[] = {{"shock.fraction", fraction}, {"shock.sweeps", sweeps}, {"shock.layer_sweeps", 1.0}};
  ChSimulationOptions options = options_for("shock", 3, settings);
  ChWorld* world = ch_test_world(3, g, 0.5, 0.0);
  ch_test_floor(world);
  for (int k = 0; k < BALLS; ++k)
    balls[k] = ch_test_ball(world, ch_vec(0.0, 0.0, 0.125 + 0.25 * k), 0.125, ch_vec(0.0, 0.0, 0.0));
  return ch_test_start(world, &options);
}

// Each ball in turn finds the ones below it immovable. No contact carries more than one ball, the momentum of all
// others is lost, and the certificate says so.
static void a_column_stands_after_one_propagation_and_weighs_nothing(void** state) {
  (void)state;
  int balls[BALLS], count;
  ChSimulation* s = column_of_balls(0.0, 10.0, balls);
  ChStepInfo info = ch_test_step(s);
  const double mass = 1000.0 * 4.0 / 3.0 * M_PI * pow(0.125, 3.0);
  for (int k = 0; k < BALLS; ++k) {
    ChBodyView view = ch_simulation_body_at(s, balls[k]);
    CHECK_NEAR(view.velocity.z, 0.0, 1e-15);
    CHECK_NEAR(view.position.z, 0.125 + 0.25 * k, 1e-15);
  }
  const ChContactView* contacts = ch_simulation_contacts(s, &count);
  assert_int_equal(count, BALLS);
  for (int k = 0; k < count; ++k) CHECK_NEAR(fabs(contacts[k].force.z), mass * g, 1e-9);
  assert_true(info.missed);
  assert_true(info.certificate.balance > 0.1);
  ch_simulation_destroy(s);
}

// With all loads in the sweeps before, and enough of these, it is a solution.
static void shock_finds_nothing_to_do_where_sweeps_have_solved(void** state) {
  (void)state;
  int balls[BALLS];
  ChSimulation* s = column_of_balls(1.0, 3000.0, balls);
  assert_false(ch_test_step(s).missed);
  ch_simulation_destroy(s);
}

static void shock_needs_bodies_and_says_so(void** state) {
  (void)state;
  static ChSolved a;
  ChProblem* problem = ch_make_case("cards-3-local", 0);  // W alone
  ChSolveOptions options = ch_options_for("shock", CH_POSE_COULOMB, 1e-8);
  ChContext context = {0};
  assert_int_equal(ch_solve(&context, problem, &options, a.v, a.u, a.r, &a.info), CH_ERR_UNSUPPORTED);
  assert_non_null(strstr(context.message, "needs bodies"));
  ch_problem_destroy(problem);
}

// --- all of them -----------------------------------------------------------------------------------------------------

// Four boxes on a slope, the first step of them.
static ChProblem* boxes_on_a_slope(void) {
  ChWorld* world = ch_test_world(3, g, 0.5, 0.0);
  ch_test_floor(world);
  for (int k = 0; k < 4; ++k) ch_test_box(world, ch_vec(0.02 * k, 0.0, 0.1 + 0.2 * k), ch_vec(0.1, 0.1, 0.1));
  ChSimulationOptions options = options_for("auto", 0, NULL);
  ChSimulation* s = ch_test_start(world, &options);
  ChContext context = {0};
  ChProblem* problem;
  CHECK_OK(context, ch_simulation_set_gravity(&context, s, ch_vec(0.2 * g, 0.0, -g)));
  ch_test_step(s);
  CHECK_OK(context, ch_simulation_problem(&context, s, &problem));
  ch_simulation_destroy(s);
  return problem;
}

static void baselines_answer_from_nothing_whatever_the_start_and_never_lie(void** state) {
  (void)state;
  static ChSolved cold, warm;
  static double start[CH_SOLVED_MAX];
  ChProblem* problem = boxes_on_a_slope();
  int count = 0;
  for (int k = 0; k < problem->rows; ++k) start[k] = 1.0 + 0.1 * k;
  for (int m = 0; m < ch_method_count(); ++m) {
    if (!ch_method_info(m).baseline) continue;
    ChSolveOptions options = ch_options_for(ch_method_info(m).name, CH_POSE_COULOMB, 1e-8);
    ch_run_solve(problem, &options, &cold);
    options.warm = start;
    ch_run_solve(problem, &options, &warm);
    assert_memory_equal(cold.r, warm.r, (size_t)problem->rows * sizeof(double));
    assert_memory_equal(cold.v, warm.v, (size_t)problem->dof * sizeof(double));
    ChCertificate grade;
    ChContext context = {0};
    CHECK_OK(context, ch_certify(&context, problem, CH_POSE_COULOMB, cold.r, cold.v, &grade));
    assert_int_equal(cold.status == CH_OK, ch_certificate_met(&grade, 1e-8));
    ++count;
  }
  assert_int_equal(count, 3);
  ch_problem_destroy(problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_block_sinks_into_springs_by_its_weight_over_their_stiffness),
      cmocka_unit_test(what_should_stick_creeps_at_the_slip_speed_times_its_use_of_friction),
      cmocka_unit_test(explicit_springs_throw_and_implicit_ones_do_not),
      cmocka_unit_test(two_passes_are_the_first_two_projections_of_staggered),
      cmocka_unit_test(two_passes_suffice_where_friction_does_not_load_the_contacts),
      cmocka_unit_test(a_column_stands_after_one_propagation_and_weighs_nothing),
      cmocka_unit_test(shock_needs_bodies_and_says_so),
      cmocka_unit_test(shock_finds_nothing_to_do_where_sweeps_have_solved),
      cmocka_unit_test(baselines_answer_from_nothing_whatever_the_start_and_never_lie),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
