// Motors and joint friction at their limits: a weight is held just below them and lost just above, by the exact law.
#include "base/vector.h"
#include "support/near.h"
#include "support/worlds.h"

static const double g = 9.81, mass = 2.0, arm = 0.5, inertia = 0.7;  // the last about every axis

typedef enum Holder { VELOCITY, POSITION, FRICTION, HOLDERS } Holder;

static ChJointAxis axis_with(Holder holder, double most) {
  ChJointAxis axis = {0};
  if (holder == FRICTION) {
    axis.friction = most;
    return axis;
  }
  axis.drive = holder == VELOCITY ? CH_DRIVE_VELOCITY : CH_DRIVE_POSITION;
  axis.strength = most;
  return axis;
}

static int add_weight(ChWorld* world, ChVec3 at, double speed) {
  ChBodyDef body = ch_body_def_default();
  body.position = at;
  body.velocity.x = speed;
  body.mass = mass;
  for (int k = ch_world_dimension(world) == 2 ? 2 : 0; k < 3; ++k) body.inertia[k] = inertia;
  return ch_test_body(world, &body, NULL);
}

// A weight at the end of a level arm on a hinge, or on a vertical slider.
static ChSimulation* start(int dimension, bool hinge, Holder holder, double most, double h, int* weight) {
  ChWorld* world = ch_test_world(dimension, g, 0.5, 0.0);
  *weight = add_weight(world, ch_vec(arm, 0.0, 0.0), 0.0);
  ChJointDef joint = ch_joint_def_default();
  joint.type = hinge ? CH_JOINT_HINGE : CH_JOINT_SLIDER;
  joint.body[0] = CH_GROUND;
  joint.body[1] = ch_body_id(*weight);
  joint.at = hinge ? ch_vec(0.0, 0.0, 0.0) : ch_vec(arm, 0.0, 0.0);
  joint.axis = hinge == (dimension == 2) ? ch_axis(2) : ch_axis(1);  // up is z, in the plane y
  joint.axes[0] = axis_with(holder, most);
  ch_test_joint(world, &joint);
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = h;
  options.solve.tolerance = 1e-11;
  return ch_test_start(world, &options);
}

// One part in a million above what is needed nothing moves at all.
static void what_is_strong_enough_holds(void** state) {
  (void)state;
  for (int dimension = 2; dimension <= 3; ++dimension)
    for (int hinge = 0; hinge < 2; ++hinge)
      for (int holder = 0; holder < HOLDERS; ++holder) {
        double needed = hinge ? mass * g * arm : mass * g;
        int weight;
        ChSimulation* s = start(dimension, hinge, holder, needed * (1.0 + 1e-6), 1e-3, &weight);
        ch_test_run(s, 2.0);
        ChBodyView view = ch_simulation_body_at(s, weight);
        CHECK_AT_MOST(ch_norm(ch_sub(view.position, ch_vec(arm, 0.0, 0.0))), 1e-10);
        CHECK_AT_MOST(ch_norm(view.velocity), 1e-10);
        ch_simulation_destroy(s);
      }
}

// One part in a thousand below, the weight goes with what is left over: (m g - F) / m, or (m g L - T) / (I + m L^2).
static void what_is_too_weak_loses_by_the_difference(void** state) {
  (void)state;
  for (int dimension = 2; dimension <= 3; ++dimension)
    for (int hinge = 0; hinge < 2; ++hinge)
      for (int holder = 0; holder < HOLDERS; ++holder) {
        double needed = hinge ? mass * g * arm : mass * g, t = 0.05;
        double moves = hinge ? inertia + mass * arm * arm : mass;
        int weight;
        ChSimulation* s = start(dimension, hinge, holder, needed * (1.0 - 1e-3), 1e-3, &weight);
        ch_test_run(s, t);
        ChBodyView view = ch_simulation_body_at(s, weight);
        double speed = hinge ? ch_norm(view.velocity) / arm : ch_norm(view.velocity);
        CHECK_NEAR(speed / (1e-3 * needed / moves * t), 1.0, 1e-5);  // the arm has turned by 1e-5 or so
        ch_simulation_destroy(s);
      }
}

// What moves is stopped by friction after v^2 / (2 F / m), at v m / F, and stays: without gravity, in the plane.
static void friction_stops_a_slider_and_keeps_it(void** state) {
  (void)state;
  double v = 0.4, friction = 3.0;
  ChWorld* world = ch_test_world(2, 0.0, 0.0, 0.0);
  int weight = add_weight(world, ch_vec(0.0, 0.0, 0.0), v);
  ChJointDef joint = ch_joint_def_default();
  joint.type = CH_JOINT_SLIDER;
  joint.body[0] = CH_GROUND;
  joint.body[1] = ch_body_id(weight);
  joint.axis = ch_axis(0);
  joint.axes[0].friction = friction;
  ch_test_joint(world, &joint);
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = 1e-4;
  ChSimulation* s = ch_test_start(world, &options);
  double stop = v * mass / friction;
  ch_test_run(s, stop - 2.0 * options.h);
  assert_true(ch_simulation_body_at(s, weight).velocity.x > 0.0);
  ch_test_run(s, stop + 2.0 * options.h);
  double at = ch_simulation_body_at(s, weight).position.x;
  CHECK_NEAR(at, 0.5 * v * v * mass / friction, v * options.h);
  ch_test_run(s, 2.0 * stop);
  assert_true(ch_simulation_body_at(s, weight).position.x == at);
  ch_simulation_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_strong_enough_holds),
      cmocka_unit_test(what_is_too_weak_loses_by_the_difference),
      cmocka_unit_test(friction_stops_a_slider_and_keeps_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
