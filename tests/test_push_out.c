// Bodies that overlap part gently: nothing jumps, and nothing gains more than the height that it lacked.
#include <string.h>

#include "base/vector.h"
#include "support/near.h"
#include "support/worlds.h"

#define G 9.81
#define H 1e-3
#define DENSITY 1000.0  // of the boxes of support/worlds.h

typedef struct Outcome {
  double hop;    // of the uppermost body above its place at rest
  double gain;   // of energy, start to end
  double step;   // largest unexplained gain of a step
  double left;   // largest overlap that was left for later
  double until;  // time at which nothing overlaps any more
} Outcome;

// A pile of cubes, each of them `depth` inside the one below, the lowest in the floor.
static ChSimulation* start_pile(int count, double half, double depth, double g, const ChSimulationOptions* options) {
  ChWorld* world = ch_test_world(3, g, 0.5, 0.0);
  ch_test_floor(world);
  for (int k = 0; k < count; ++k)
    ch_test_box(world, ch_vec(0.0, 0.0, (2 * k + 1) * half - (k + 1) * depth), ch_vec(half, half, half));
  return ch_test_start(world, options);
}

static Outcome run_pile(int count, double half, double depth, double g, const ChSimulationOptions* options) {
  ChSimulation* s = start_pile(count, half, depth, g, options);
  Outcome out = {0};
  ChStepInfo info = ch_simulation_info(s);
  double start = info.kinetic + info.potential, rest = (2 * count - 1) * half;
  out.hop = -INFINITY;
  while (ch_simulation_time(s) < 1.0) {
    info = ch_test_step(s);
    assert_false(info.missed);
    out.hop = fmax(out.hop, ch_simulation_body_at(s, count).position.z - rest);
    out.step = fmax(out.step, info.gain);
    out.left = fmax(out.left, info.deferred);
    if (info.penetration > 1e-9) out.until = info.time;
  }
  out.gain = info.kinetic + info.potential - start;
  ch_simulation_destroy(s);
  return out;
}

static double mass_of(double half) { return 8.0 * half * half * half * DENSITY; }

// At d / h the first one leaves with 19 m/s and jumps 18.4 m, the second one 4 cm.
static void a_cube_that_starts_in_the_floor_does_not_jump(void** state) {
  (void)state;
  static const double cubes[][2] = {{10.0, 0.019}, {0.5, 0.0009}};
  ChSimulationOptions options = ch_simulation_options_default();
  for (int k = 0; k < 2; ++k) {
    double half = cubes[k][0], depth = cubes[k][1], radius = sqrt(3.0) * half, slow = 0.01 * radius;
    Outcome o = run_pile(1, half, depth, G, &options);
    CHECK_AT_MOST(o.hop, fmax(2.0 * G * H * H, 0.5 * slow * slow / G));
    CHECK_NEAR(o.gain, mass_of(half) * G * depth, 1e-6 * mass_of(half) * G * depth);
    CHECK_AT_MOST(o.step, mass_of(half) * G * depth);
    CHECK_AT_MOST(o.until, 0.1);
    CHECK_AT_MOST(o.left, depth);
    CHECK_AT_MOST(0.5 * depth, o.left);
  }
}

// Speeds of its contacts add up; without a bound it jumps 15 cm.
static void a_pile_that_starts_pressed_together_does_not_jump(void** state) {
  (void)state;
  ChSimulationOptions options = ch_simulation_options_default();
  Outcome o = run_pile(10, 0.05, 1.7e-4, G, &options);
  CHECK_AT_MOST(o.hop, 5e-3);
}

static void weightless_bodies_drift_apart(void** state) {
  (void)state;
  ChSimulationOptions options = ch_simulation_options_default();
  Outcome o = run_pile(1, 0.5, 0.0009, 0.0, &options);
  CHECK_NEAR(o.gain, 0.5 * mass_of(0.5) * pow(0.01 * sqrt(0.75), 2.0), 1e-6 * o.gain);
  CHECK_AT_MOST(o.until, 0.12);
}

static void a_speed_that_is_set_is_kept(void** state) {
  (void)state;
  ChSimulationOptions options = ch_simulation_options_default();
  options.push_out = 0.05;
  ChSimulation* s = start_pile(1, 0.5, 0.0009, 0.0, &options);
  ChStepInfo info = ch_test_step(s);
  CHECK_NEAR(ch_simulation_body_at(s, 1).velocity.z, 0.05, 1e-9);
  CHECK_NEAR(info.deferred, 0.0009 - 0.05 * H, 1e-12);
  ch_simulation_destroy(s);
  options.push_out = INFINITY;
  s = start_pile(1, 0.5, 0.0009, 0.0, &options);
  info = ch_test_step(s);
  CHECK_NEAR(ch_simulation_body_at(s, 1).velocity.z, 0.9, 1e-9);
  CHECK_NEAR(info.deferred, 0.0, 0.0);
  ch_simulation_destroy(s);
}

static void a_speed_that_makes_no_sense_is_refused(void** state) {
  (void)state;
  const double speeds[] = {-1.0, NAN};
  for (int k = 0; k < 2; ++k) {
    ChContext context = {0};
    ChSimulationOptions options = ch_simulation_options_default();
    ChSimulation* s;
    options.push_out = speeds[k];
    assert_int_equal(ch_simulation_create(&context, ch_test_world(3, G, 0.5, 0.0), &options, &s), CH_ERR_RANGE);
    assert_non_null(strstr(context.message, "push-out"));
  }
}

// What stands and slides overlaps by less: for it nothing has changed, to the bit.
static void small_overlaps_are_undone_at_once(void** state) {
  (void)state;
  ChSimulationOptions options = ch_simulation_options_default();
  options.rest = false;
  ChSimulation* gentle = start_pile(3, 0.05, 1.9 * G * H * H, G, &options);
  options.push_out = INFINITY;
  ChSimulation* free = start_pile(3, 0.05, 1.9 * G * H * H, G, &options);
  for (int step = 0; step < 100; ++step) {
    CHECK_NEAR(ch_test_step(gentle).deferred, 0.0, 0.0);
    ch_test_step(free);
    for (int b = 1; b <= 3; ++b) {
      ChBodyView x = ch_simulation_body_at(gentle, b), y = ch_simulation_body_at(free, b);
      assert_memory_equal(&x, &y, sizeof x);
    }
  }
  ch_simulation_destroy(gentle);
  ch_simulation_destroy(free);
}

// A wheel that spins fast on its corners: every step of turning leaves an overlap, and they must not add up.
static void what_turning_leaves_does_not_add_up(void** state) {
  (void)state;
  double deepest[2];
  for (int k = 0; k < 2; ++k) {
    ChContext context = {0};
    ChSimulationOptions options = ch_simulation_options_default();
    options.push_out = k == 0 ? 0.0 : INFINITY;
    ChWorld* world = ch_test_world(3, G, 0.3, 0.0);
    ch_test_floor(world);
    int box = ch_test_box(world, ch_vec(0.0, 0.0, 0.0751), ch_vec(0.05, 0.05, 0.05));
    ChSimulation* s = ch_test_start(world, &options);
    CHECK_OK(context,
             ch_simulation_set_velocity(&context, s, ch_body_id(box), ch_vec(0.0, 0.0, 0.0), ch_vec(1.0, 80.0, 2.0)));
    deepest[k] = 0.0;
    while (ch_simulation_time(s) < 0.5) deepest[k] = fmax(deepest[k], ch_test_step(s).penetration);
    ch_simulation_destroy(s);
  }
  CHECK_AT_MOST(deepest[0], 2.0 * deepest[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cube_that_starts_in_the_floor_does_not_jump),
      cmocka_unit_test(a_pile_that_starts_pressed_together_does_not_jump),
      cmocka_unit_test(weightless_bodies_drift_apart),
      cmocka_unit_test(a_speed_that_is_set_is_kept),
      cmocka_unit_test(a_speed_that_makes_no_sense_is_refused),
      cmocka_unit_test(small_overlaps_are_undone_at_once),
      cmocka_unit_test(what_turning_leaves_does_not_add_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
