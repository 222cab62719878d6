// What may be changed while a simulation runs: pulls, gravity, friction, and going on with more bodies.
#include <string.h>

#include "base/vector.h"
#include "support/near.h"
#include "support/worlds.h"

static const double g = 9.81;
static const ChVec3 still = {0.0, 0.0, 0.0};

static ChSimulation* start(ChWorld* world, double h) {
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = h;
  return ch_test_start(world, &options);
}

// --- pulling ---------------------------------------------------------------------------------------------------------

// A free mass m on the implicit spring: v+ = (v - h w^2 e) / (1 + 2 z w h + (w h)^2), e = x - target.
static void a_pull_is_the_implicit_spring(void** state) {
  (void)state;
  ChContext context = {0};
  const ChGrip grip = {.frequency = 3.0, .damping = 0.7, .strength = 1e9};
  const double h = 0.01, w = 2.0 * M_PI * grip.frequency, m = 2.5;
  ChWorld* world = ch_test_world(3, 0.0, 0.0, 0.0);
  int body = ch_test_point(world, ch_vec(1.0, 0.0, 0.0), ch_vec(0.0, 0.5, 0.0), m);
  ChSimulation* s = start(world, h);
  double x[2] = {1.0, 0.0}, v[2] = {0.0, 0.5};
  const double target[2] = {0.2, -0.3};
  for (int step = 0; step < 200; ++step) {
    CHECK_OK(context,
             ch_simulation_pull(&context, s, ch_body_id(body), still, ch_vec(target[0], target[1], 0.0), &grip));
    ch_test_step(s);
    for (int a = 0; a < 2; ++a) {
      v[a] = (v[a] - h * w * w * (x[a] - target[a])) / (1.0 + 2.0 * grip.damping * w * h + w * w * h * h);
      x[a] += h * v[a];
    }
    ChBodyView view = ch_simulation_body_at(s, body);
    CHECK_NEAR(view.position.x, x[0], 1e-12);
    CHECK_NEAR(view.position.y, x[1], 1e-12);
  }
  CHECK_NEAR(x[0], target[0], 1e-6);
  ch_simulation_destroy(s);
}

// However stiff, by a corner, and with the body against others: nothing flies apart, and the corner arrives.
static void a_pull_is_stable_at_any_stiffness(void** state) {
  (void)state;
  ChContext context = {0};
  const ChGrip grip = {.frequency = 1e4, .damping = 1.0, .strength = 1e3};
  ChWorld* world = ch_test_world(3, g, 0.5, 0.0);
  ch_test_floor(world);
  int box = ch_test_box(world, ch_vec(0.0, 0.0, 0.1), ch_vec(0.1, 0.1, 0.1));
  ChSimulation* s = start(world, 0.005);
  ChVec3 corner = ch_vec(0.1, 0.1, 0.1), target = ch_vec(0.3, 0.0, 0.6);
  for (int step = 0; step < 2000; ++step) {
    CHECK_OK(context, ch_simulation_pull(&context, s, ch_body_id(box), corner, target, &grip));
    ch_test_step(s);
    CHECK_AT_MOST(ch_norm(ch_simulation_body_at(s, box).velocity), 50.0);
  }
  ChBodyView view = ch_simulation_body_at(s, box);
  ChVec3 at = ch_add(view.position, ch_rotate(view.orientation, corner));
  CHECK_AT_MOST(ch_norm(ch_sub(at, target)), 5e-3);  // it swings
  ch_simulation_destroy(s);
}

// The force is at most strength times mass: a weak pull does not lift.
static void a_pull_is_no_stronger_than_its_strength(void** state) {
  (void)state;
  ChContext context = {0};
  const ChGrip grip = {.frequency = 10.0, .damping = 1.0, .strength = 0.9 * g};
  ChWorld* world = ch_test_world(2, g, 0.5, 0.0);
  ch_test_floor(world);
  int box = ch_test_box(world, ch_vec(0.0, 0.1, 0.0), ch_vec(0.1, 0.1, 0.0));
  ChSimulation* s = start(world, 0.002);
  for (int step = 0; step < 500; ++step) {
    CHECK_OK(context, ch_simulation_pull(&context, s, ch_body_id(box), still, ch_vec(0.0, 5.0, 7.0), &grip));
    ch_test_step(s);
  }
  CHECK_NEAR(ch_simulation_body_at(s, box).position.y, 0.1, 1e-9);
  ch_simulation_destroy(s);
}

static void bad_pulls_are_refused(void** state) {
  (void)state;
  ChContext context = {0};
  const ChGrip grip = ch_grip_default(), none = {0};
  ChWorld* world = ch_test_world(3, g, 0.5, 0.0);
  int floor = ch_test_floor(world), ball = ch_test_ball(world, ch_vec(0.0, 0.0, 1.0), 0.1, still);
  ChSimulation* s = start(world, 0.001);
  assert_int_equal(ch_simulation_pull(&context, s, ch_body_id(floor), still, still, &grip), CH_ERR_ARGUMENT);
  assert_int_equal(ch_simulation_pull(&context, s, ch_body_id(7), still, still, &grip), CH_ERR_RANGE);
  assert_int_equal(ch_simulation_pull(&context, s, ch_body_id(ball), still, ch_vec(NAN, 0.0, 0.0), &grip),
                   CH_ERR_RANGE);
  assert_int_equal(ch_simulation_pull(&context, s, ch_body_id(ball), still, still, &none), CH_ERR_RANGE);
  assert_int_equal(ch_simulation_set_friction(&context, s, -1.0), CH_ERR_RANGE);
  assert_int_equal(ch_simulation_set_friction(&context, s, NAN), CH_ERR_RANGE);
  assert_int_equal(ch_simulation_set_gravity(&context, s, ch_vec(0.0, INFINITY, 0.0)), CH_ERR_RANGE);
  ch_simulation_destroy(s);
}

// --- the world -------------------------------------------------------------------------------------------------------

// A box that was certified to rest falls up by g t^2 / 2 when gravity is turned round.
static void gravity_turned_round_wakes_what_rests(void** state) {
  (void)state;
  ChContext context = {0};
  ChWorld* world = ch_test_world(3, g, 0.5, 0.0);
  ch_test_floor(world);
  int box = ch_test_box(world, ch_vec(0.0, 0.0, 0.1), ch_vec(0.1, 0.1, 0.1));
  ChSimulation* s = start(world, 0.001);
  assert_int_equal(ch_test_run(s, 0.1).resting, 1);
  CHECK_OK(context, ch_simulation_set_gravity(&context, s, ch_vec(0.0, 0.0, g)));
  ch_test_run(s, 0.6);
  ChBodyView view = ch_simulation_body_at(s, box);
  CHECK_NEAR(view.velocity.z, 0.5 * g, 1e-9);
  CHECK_NEAR(view.position.z, 0.1 + 0.5 * g * 0.25, 0.001 * g);  // Euler: the sum of the steps' ends
  ch_simulation_destroy(s);
}

// A box that glides without friction is braked by mu g from the step on in which it gets some.
static void friction_can_be_changed_on_the_way(void** state) {
  (void)state;
  ChContext context = {0};
  ChWorld* world = ch_test_world(3, g, 0.0, 0.0);
  ch_test_floor(world);
  int box = ch_test_box(world, ch_vec(0.0, 0.0, 0.02), ch_vec(0.1, 0.1, 0.02));
  ChSimulation* s = start(world, 0.001);
  CHECK_OK(context, ch_simulation_set_velocity(&context, s, ch_body_id(box), ch_vec(3.0, 0.0, 0.0), still));
  ch_test_run(s, 0.2);
  CHECK_NEAR(ch_simulation_body_at(s, box).velocity.x, 3.0, 1e-9);
  CHECK_OK(context, ch_simulation_set_friction(&context, s, 0.25));
  ch_test_run(s, 0.7);
  CHECK_NEAR(ch_simulation_body_at(s, box).velocity.x, 3.0 - 0.25 * g * 0.5, 1e-6);
  ch_simulation_destroy(s);
}

// --- going on with more bodies ---------------------------------------------------------------------------------------

static ChWorld* leaning_tower(bool with_ball) {
  ChWorld* world = ch_test_world(3, g, 0.4, 0.0);
  ch_test_floor(world);
  for (int k = 0; k < 4; ++k) ch_test_box(world, ch_vec(0.07 * k, 0.0, 0.101 + 0.202 * k), ch_vec(0.1, 0.1, 0.1));
  if (with_ball) ch_test_ball(world, ch_vec(9.0, 0.0, 5.0), 0.1, ch_vec(1.0, 0.0, 0.0));
  return world;
}

// The tower topples as it would have, bit for bit, while a ball that is far away flies its parabola.
static void a_simulation_goes_on_in_a_world_with_one_body_more(void** state) {
  (void)state;
  ChContext context = {0};
  ChSimulation *alone = start(leaning_tower(false), 0.002), *more = start(leaning_tower(true), 0.002);
  ch_test_run(alone, 0.2);
  CHECK_OK(context, ch_simulation_carry(&context, more, alone));
  CHECK_NEAR(ch_simulation_time(more), 0.2, 1e-12);
  ch_test_run(alone, 0.5);
  ch_test_run(more, 0.5);
  for (int b = 0; b < 5; ++b) {
    ChBodyView x = ch_simulation_body_at(alone, b), y = ch_simulation_body_at(more, b);
    assert_memory_equal(&x, &y, sizeof x);
  }
  ChBodyView ball = ch_simulation_body_at(more, 5);
  CHECK_NEAR(ball.position.x, 9.0 + 0.3, 1e-9);
  CHECK_NEAR(ball.velocity.z, -0.3 * g, 1e-9);
  assert_int_equal(ch_simulation_carry(&context, alone, more), CH_ERR_SIZE);
  ch_simulation_destroy(alone);
  ch_simulation_destroy(more);
}

static void islands_are_told(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, g, 0.5, 0.0);
  int floor = ch_test_floor(world);
  int low = ch_test_box(world, ch_vec(0.0, 0.0, 0.1), ch_vec(0.1, 0.1, 0.1));
  int high = ch_test_box(world, ch_vec(0.0, 0.0, 0.3), ch_vec(0.1, 0.1, 0.1));
  int apart = ch_test_box(world, ch_vec(3.0, 0.0, 0.1), ch_vec(0.1, 0.1, 0.1));
  int flying = ch_test_ball(world, ch_vec(0.0, 0.0, 9.0), 0.1, still);
  ChSimulation* s = start(world, 0.001);
  int island[5];
  assert_false(ch_simulation_islands(s, island));
  ch_test_step(s);
  assert_true(ch_simulation_islands(s, island));
  assert_int_equal(island[floor], -1);
  assert_int_equal(island[flying], -1);
  assert_true(island[low] >= 0);
  assert_int_equal(island[low], island[high]);
  assert_true(island[apart] >= 0 && island[apart] != island[low]);
  ch_simulation_destroy(s);
}

// A ball at rest on the floor, put a metre up: it falls from there, lands where it should, and no energy is taken for
// gained.
static void a_body_can_be_put_elsewhere(void** state) {
  (void)state;
  ChContext context = {0};
  ChWorld* world = ch_test_world(3, g, 0.5, 0.0);
  int floor = ch_test_floor(world);
  int ball = ch_test_ball(world, ch_vec(0.0, 0.0, 0.1), 0.1, still);
  ChSimulation* s = start(world, 0.001);
  ch_test_run(s, 0.1);
  CHECK_NEAR(ch_simulation_body_at(s, ball).position.z, 0.1, 1e-9);
  CHECK_OK(context, ch_simulation_place(&context, s, ch_body_id(ball), ch_vec(2.0, -1.0, 1.1)));
  ChStepInfo info = ch_test_step(s);
  assert_true(info.contacts == 0 && info.gain == 0.0);
  ch_test_run(s, 0.1 + sqrt(2.0 * 1.0 / g) - 0.01);
  assert_true(ch_simulation_body_at(s, ball).position.z > 0.1);
  ch_test_run(s, 0.7);
  ChBodyView view = ch_simulation_body_at(s, ball);
  CHECK_NEAR(view.position.x, 2.0, 1e-9);
  CHECK_NEAR(view.position.z, 0.1, 1e-9);
  assert_int_equal(ch_simulation_place(&context, s, ch_body_id(floor), still), CH_ERR_ARGUMENT);
  assert_int_equal(ch_simulation_place(&context, s, ch_body_id(ball), ch_vec(NAN, 0.0, 0.0)), CH_ERR_RANGE);
  ch_simulation_destroy(s);
}

// A method that cannot take a cone is refused when it is chosen, not in the step that would need it.
static void a_method_and_a_cone_that_do_not_go_together_are_refused(void** state) {
  (void)state;
  ChContext context = {0};
  ChWorld* world = ch_test_world(3, g, 0.5, 0.0);
  ch_test_ball(world, ch_vec(0.0, 0.0, 1.0), 0.1, still);
  ChSimulationOptions options = ch_simulation_options_default();
  options.solve.method = "nsgs";
  options.cone_sides = 8;
  ChSimulation* s;
  assert_int_equal(ch_simulation_create(&context, world, &options, &s), CH_ERR_UNSUPPORTED);
  assert_non_null(strstr(context.message, "nsgs"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pull_is_the_implicit_spring),
      cmocka_unit_test(a_pull_is_stable_at_any_stiffness),
      cmocka_unit_test(a_pull_is_no_stronger_than_its_strength),
      cmocka_unit_test(bad_pulls_are_refused),
      cmocka_unit_test(gravity_turned_round_wakes_what_rests),
      cmocka_unit_test(friction_can_be_changed_on_the_way),
      cmocka_unit_test(a_simulation_goes_on_in_a_world_with_one_body_more),
      cmocka_unit_test(islands_are_told),
      cmocka_unit_test(a_body_can_be_put_elsewhere),
      cmocka_unit_test(a_method_and_a_cone_that_do_not_go_together_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
