// Tight fits: overlaps that oppose each other are shared out by the smallest relaxation, those of rounding are left,
// and a start can be healed.
#include <string.h>

#include "base/arena.h"
#include "base/vector.h"
#include "problem/contact_problem.h"
#include "step/margin.h"
#include "step/tight_fit.h"
#include "support/near.h"
#include "support/random.h"
#include "support/worlds.h"

#define G 9.81

// --- scenes

static void add_wall(ChWorld* world, ChVec3 at, ChVec3 half) {
  ChBodyDef body = ch_body_def_default();
  ChShapeDef shape = ch_shape_def_default();
  body.kind = CH_BODY_FIXED;
  body.position = at;
  shape.type = CH_SHAPE_BOX;
  shape.half = half;
  ch_test_body(world, &body, &shape);
}

// A row of cubes of 20 cm on a floor, `depth` wider than their places, between two walls unless `open`.
enum { ROW = 6 };
static ChWorld* tight_row(double depth, double mu, bool open) {
  ChWorld* world = ch_test_world(3, G, mu, 0.0);
  ch_test_floor(world);
  for (int k = 0; k < ROW; ++k)
    ch_test_box(world, ch_vec(0.1 + 0.2 * k, 0.0, 0.1), ch_vec(0.1 + 0.5 * depth, 0.1, 0.1));
  for (int k = 0; k < 2 && !open; ++k)
    add_wall(world, ch_vec(k == 0 ? -0.5 : 0.2 * ROW + 0.5, 0.0, 0.5), ch_vec(0.5, 1.0, 0.5));
  return world;
}

typedef struct Outcome {
  double relaxed, moved, highest, start, overlap;
  int relaxed_steps, missed;
} Outcome;

static Outcome run(ChSimulation* s, int body, int steps) {
  Outcome out = {0};
  ChVec3 at = ch_simulation_body_at(s, body).position;
  ChStepInfo info = ch_simulation_info(s);
  out.start = out.highest = info.kinetic + info.potential;
  for (int k = 0; k < steps; ++k) {
    info = ch_test_step(s);
    out.missed += info.missed;
    out.relaxed = fmax(out.relaxed, info.relaxed);
    out.relaxed_steps += info.relaxed > 0.0;
    out.highest = fmax(out.highest, info.kinetic + info.potential);
    out.moved = fmax(out.moved, ch_norm(ch_sub(ch_simulation_body_at(s, body).position, at)));
    out.overlap = info.penetration;
  }
  ch_simulation_destroy(s);
  return out;
}

// Six cubes share seven joints: five overlaps of d and two of d/2 become seven of 6/7 d, a tenth of the way a step.
static void overlaps_between_walls_are_shared_out(void** state) {
  (void)state;
  const double d = 5e-4;
  ChSimulationOptions options = ch_simulation_options_default();
  for (int rough = 0; rough < 2; ++rough) {
    Outcome o = run(ch_test_start(tight_row(d, rough ? 0.5 : 0.0, false), &options), 1, 300);
    assert_int_equal(o.missed, 0);
    assert_int_equal(o.relaxed_steps, 300);
    CHECK_AT_MOST(6.0 / 7.0 * d - 1e-6, o.overlap);
    CHECK_AT_MOST(o.overlap, 0.9 * d);
    CHECK_AT_MOST(o.moved, d);
    CHECK_AT_MOST(o.highest - o.start, 1e-6 * o.start);
  }
}

// Files with seven digits overlap by as much. Nothing is relaxed and nothing moves.
static void overlaps_of_rounding_cost_nothing(void** state) {
  (void)state;
  ChSimulationOptions options = ch_simulation_options_default();
  Outcome o = run(ch_test_start(tight_row(2e-8, 0.5, false), &options), 1, 50);
  assert_int_equal(o.missed, 0);
  assert_int_equal(o.relaxed_steps, 0);
  CHECK_NEAR(o.moved, 0.0, 0.0);
  CHECK_NEAR(o.highest, o.start, 1e-12 * o.start);
}

// A wall of five courses in bond whose blocks six digits put up to 0.5 um off: into each other here, apart there. It
// stands, no step misses, and no block moves by more than it is off.
static void a_wall_that_is_off_by_rounding_stands(void** state) {
  (void)state;
  for (int seed = 1; seed <= 5; ++seed) {
    ChWorld* world = ch_test_world(3, G, 0.7, 0.0);
    ChRandom random = {(unsigned long)seed};
    ch_test_floor(world);
    for (int course = 0; course < 5; ++course)
      for (int k = 0; k < 5 - course; ++k) {
        ChVec3 at = ch_vec(0.2 * k + 0.1 * course, 0.0, 0.1 + 0.2 * course);
        at.x += ch_random_uniform(&random, -5e-7, 5e-7);
        at.z += ch_random_uniform(&random, -5e-7, 5e-7);
        ch_test_box(world, at, ch_vec(0.1, 0.1, 0.1));
      }
    ChSimulationOptions options = ch_simulation_options_default();
    Outcome o = run(ch_test_start(world, &options), 15, 100);
    assert_int_equal(o.missed, 0);
    assert_int_equal(o.relaxed_steps, 0);
    CHECK_AT_MOST(o.moved, 1e-6);
    CHECK_AT_MOST(o.highest, o.start * (1.0 + 1e-12));
  }
}

// What has room is pushed apart and not relaxed.
static void a_row_without_walls_is_not_relaxed(void** state) {
  (void)state;
  ChSimulationOptions options = ch_simulation_options_default();
  Outcome o = run(ch_test_start(tight_row(1e-4, 0.5, true), &options), 1, 200);
  assert_int_equal(o.missed, 0);
  assert_int_equal(o.relaxed_steps, 0);
  CHECK_AT_MOST(o.overlap, 1e-9);
}

// A box that is 1 mm too high for where it is: half of it above and half below, and it stays there.
static void a_box_that_is_pressed_stays(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, G, 0.5, 0.0);
  ch_test_floor(world);
  ch_test_box(world, ch_vec(0.0, 0.0, 0.0995), ch_vec(0.1, 0.1, 0.1));
  add_wall(world, ch_vec(0.0, 0.0, 0.699), ch_vec(0.5, 0.5, 0.5));
  ChSimulationOptions options = ch_simulation_options_default();
  Outcome o = run(ch_test_start(world, &options), 1, 100);
  assert_int_equal(o.missed, 0);
  CHECK_AT_MOST(0.0, o.relaxed);
  CHECK_AT_MOST(o.moved, 1e-6);
  CHECK_NEAR(o.overlap, 5e-4, 1e-6);
  CHECK_AT_MOST(o.highest, o.start + 1e-6);
}

// --- the relaxation itself

// min |s|^2, H^T v + w + s >= 0, by projected gradients on its dual: y >= 0 least in 1/2 |y|^2 + y.w with H y = 0, the
// last as a penalty. Dense, slow, and nothing of tight_fit.c in it.
static void dense_least_squares(int dof, int rows, const double* H, const double* w, double* s) {
  double v[8] = {0};
  for (long k = 0; k < 400000; ++k) {
    double gradient[8] = {0};
    for (int r = 0; r < rows; ++r) {
      double u = w[r];
      for (int j = 0; j < dof; ++j) u += H[j * rows + r] * v[j];
      s[r] = fmax(-u, 0.0);
      for (int j = 0; j < dof; ++j) gradient[j] -= H[j * rows + r] * s[r];
    }
    for (int j = 0; j < dof; ++j) v[j] -= 0.05 * gradient[j];
  }
}

static void relaxation_is_the_least_squares_answer(void** state) {
  (void)state;
  enum { DOF = 3, ROWS = 7 };
  // opposing rows along two axes, and one that nothing opposes
  static const double H[DOF * ROWS] = {1, -1, 0.6, 0,  0, -0.6, 0,  //
                                       0, 0,  0.8, -1, 1, 0.2,  0,  //
                                       0, 0,  0,   0,  0, 0,    1};
  static const double w[ROWS] = {-0.3, -0.1, -0.2, 0.05, -0.4, -0.1, -0.5};
  int row[DOF * ROWS], column[DOF * ROWS], index[DOF] = {0, 1, 2};
  double ones[DOF] = {1, 1, 1}, f[DOF] = {0}, s[ROWS], expected[ROWS];
  ChBlock blocks[ROWS];
  for (int k = 0; k < DOF * ROWS; ++k) row[k] = k / ROWS, column[k] = k % ROWS;
  for (int k = 0; k < ROWS; ++k) blocks[k] = (ChBlock){.law = CH_LAW_UNILATERAL, .dimension = 1, .row = k};
  ChProblemDef def = {
      .form = CH_FORM_GLOBAL,
      .dimension = 3,
      .block_count = ROWS,
      .blocks = blocks,
      .M = {.rows = DOF, .columns = DOF, .count = DOF, .row = index, .column = index, .value = ones},
      .H = {.rows = DOF, .columns = ROWS, .count = DOF * ROWS, .row = row, .column = column, .value = H},
      .f = f,
      .w = w};
  ChProblem* problem;
  ChContext context = {0};
  assert_int_equal(ch_problem_build(&context, &def, &problem), CH_OK);
  ChArena* arena = ch_arena_create(NULL);
  assert_true(ch_tight_fit(arena, problem, CH_POSE_COULOMB, w, s));
  dense_least_squares(DOF, ROWS, H, w, expected);
  for (int k = 0; k < ROWS; ++k) CHECK_NEAR(s[k], expected[k], 2e-6);
  double balance[DOF] = {0};  // s is a self-stress: H s = 0
  for (int k = 0; k < DOF * ROWS; ++k) balance[k / ROWS] += H[k] * s[k % ROWS];
  for (int j = 0; j < DOF; ++j) CHECK_NEAR(balance[j], 0.0, 2e-6);
  CHECK_NEAR(s[ROWS - 1], 0.0, 2e-6);
  ch_arena_destroy(arena);
  ch_problem_destroy(problem);
}

// --- margin and healing

static void the_margin_follows_from_the_smallest_body_and_h(void** state) {
  (void)state;
  static const double cases[][3] = {{0.5, 1e-3, 0.01}, {0.02, 1e-3, 0.005}, {1e-3, 1e-2, 4.0 * G * 1e-4}};
  for (int k = 0; k < 3; ++k) {
    ChContext context = {0};
    ChWorld* world = ch_test_world(3, G, 0.5, 0.0);
    ch_test_ball(world, ch_vec(0.0, 0.0, 1.0), 0.5, ch_vec(0.0, 0.0, 0.0));
    ch_test_ball(world, ch_vec(0.0, 0.0, 3.0), cases[k][0], ch_vec(0.0, 0.0, 0.0));
    assert_int_equal(ch_world_seal(&context, world), CH_OK);
    CHECK_NEAR(ch_default_margin(world, cases[k][1]), cases[k][2], 1e-15);
    ch_world_destroy(world);
  }
}

static void healing_parts_what_has_room(void** state) {
  (void)state;
  ChContext context = {0};
  ChSimulationOptions options = ch_simulation_options_default();
  ChSimulation* s = ch_test_start(tight_row(0.01, 0.5, true), &options);
  ChHealing healing;
  assert_int_equal(ch_simulation_heal(&context, s, &healing), CH_OK);
  CHECK_NEAR(healing.before, 0.01, 1e-12);
  CHECK_AT_MOST(healing.after, 1e-9);
  CHECK_NEAR(healing.moved, 0.025, 1e-6);  // the outermost of six, symmetrically
  CHECK_AT_MOST(healing.turned, 1e-6);
  assert_true(ch_test_step(s).penetration <= 1e-9);
  ch_simulation_destroy(s);
}

static void healing_shares_out_what_has_none(void** state) {
  (void)state;
  ChContext context = {0};
  ChSimulationOptions options = ch_simulation_options_default();
  ChSimulation* s = ch_test_start(tight_row(0.007, 0.5, false), &options);
  ChHealing healing;
  assert_int_equal(ch_simulation_heal(&context, s, &healing), CH_OK);
  CHECK_NEAR(healing.after, 0.006, 1e-6);
  ch_simulation_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(overlaps_between_walls_are_shared_out),
      cmocka_unit_test(overlaps_of_rounding_cost_nothing),
      cmocka_unit_test(a_wall_that_is_off_by_rounding_stands),
      cmocka_unit_test(a_row_without_walls_is_not_relaxed),
      cmocka_unit_test(a_box_that_is_pressed_stays),
      cmocka_unit_test(relaxation_is_the_least_squares_answer),
      cmocka_unit_test(the_margin_follows_from_the_smallest_body_and_h),
      cmocka_unit_test(healing_parts_what_has_room),
      cmocka_unit_test(healing_shares_out_what_has_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
