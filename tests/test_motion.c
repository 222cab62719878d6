// Joints, drives, springs, kinematic bodies and locks in motion, the modes of stabilisation, and the energy ledger.
#include <string.h>

#include "base/vector.h"
#include "support/near.h"
#include "support/worlds.h"

static const double g = 9.81;

static const ChVec3 still = {0.0, 0.0, 0.0};

static ChJointDef joint_def(ChJointType type, ChBodyId a, int b, ChVec3 at, ChVec3 axis) {
  ChJointDef def = ch_joint_def_default();
  def.type = type;
  def.body[0] = a;
  def.body[1] = ch_body_id(b);
  def.at = at;
  def.axis = axis;
  return def;
}

// --- joints ----------------------------------------------------------------------------------------------------------

// Largest error of a pendulum's joint over three seconds: a mass at 1 m on a hinge, let go from the horizontal.
static double pendulum_error(ChStabilization mode, double gamma, double h, bool project) {
  ChWorld* world = ch_test_world(3, g, 0.0, 0.0);
  int bob = ch_test_point(world, ch_vec(1.0, 0.0, 0.0), still, 1.0);
  ChJointDef hinge = joint_def(CH_JOINT_HINGE, CH_GROUND, bob, still, ch_axis(1));
  ch_test_joint(world, &hinge);
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = h;
  options.stabilization = mode;
  options.gamma = gamma;
  options.project = project;
  ChSimulation* s = ch_test_start(world, &options);
  double worst = 0.0;
  while (ch_simulation_time(s) < 3.0 - 0.5 * h) worst = fmax(worst, ch_test_step(s).joint_error);
  ch_simulation_destroy(s);
  return worst;
}

// Stabilised (B2, B3) the error of a joint is O(h^2) at any time; by velocities alone (B1, B4) it is O(h) and grows.
static void I19_joint_drift_is_second_order_when_stabilised(void** state) {
  (void)state;
  double on = pendulum_error(CH_STABILIZE_ON, 1.0, 4e-3, false) / pendulum_error(CH_STABILIZE_ON, 1.0, 2e-3, false);
  double part = pendulum_error(CH_STABILIZE_ON, 0.5, 4e-3, false) / pendulum_error(CH_STABILIZE_ON, 0.5, 2e-3, false);
  double linear = pendulum_error(CH_STABILIZE_LINEARIZED, 0.8, 4e-3, false) /
                  pendulum_error(CH_STABILIZE_LINEARIZED, 0.8, 2e-3, false);
  CHECK_NEAR(on, 4.0, 0.2);
  CHECK_NEAR(part, 4.0, 0.2);
  CHECK_NEAR(linear, 4.0, 0.2);
  double off = pendulum_error(CH_STABILIZE_OFF, 1.0, 4e-3, false) / pendulum_error(CH_STABILIZE_OFF, 1.0, 2e-3, false);
  CHECK_NEAR(off, 2.0, 0.2);
  assert_true(pendulum_error(CH_STABILIZE_OFF, 1.0, 4e-3, false) >
              100.0 * pendulum_error(CH_STABILIZE_ON, 1.0, 4e-3, false));
  CHECK_NEAR(pendulum_error(CH_STABILIZE_CONTACTS, 1.0, 4e-3, false),
             pendulum_error(CH_STABILIZE_OFF, 1.0, 4e-3, false), 1e-12);
}

// 000 step 10: after each step joints hold to round-off, whatever the mode.
static void B5_projection_puts_joints_together(void** state) {
  (void)state;
  for (int mode = 0; mode <= CH_STABILIZE_OFF; ++mode)
    CHECK_AT_MOST(pendulum_error((ChStabilization)mode, 1.0, 4e-3, true), 1e-11);
}

// A ball that falls on the floor: in every mode it comes to rest there, and where gaps count it does not overlap.
static void B1_to_B4_contacts_under_every_stabilisation(void** state) {
  (void)state;
  for (int mode = 0; mode <= CH_STABILIZE_OFF; ++mode)
    for (int project = 0; project < 2; ++project) {
      ChWorld* world = ch_test_world(3, g, 0.4, 0.0);
      ch_test_floor(world);
      int ball = ch_test_ball(world, ch_vec(0.0, 0.0, 0.155), 0.1, still);
      ChSimulationOptions options = ch_simulation_options_default();
      options.stabilization = (ChStabilization)mode;
      options.project = project;
      options.h = 2e-3;
      ChSimulation* s = ch_test_start(world, &options);
      double deepest = 0.0;
      while (ch_simulation_time(s) < 0.5) deepest = fmax(deepest, ch_test_step(s).penetration);
      double height = ch_simulation_body_at(s, ball).position.z, speed = sqrt(2.0 * g * 0.055);
      CHECK_NEAR(ch_norm(ch_simulation_body_at(s, ball).velocity), 0.0, 1e-12);
      if (mode == CH_STABILIZE_OFF) {  // seen only once it overlaps, by less than one step's way
        CHECK_AT_MOST(deepest, project ? 1e-12 : speed * options.h);
        if (!project) assert_true(height < 0.1);
        CHECK_NEAR(height, 0.1, speed * options.h);
      } else {
        CHECK_AT_MOST(deepest, 1e-12);
        CHECK_NEAR(height, 0.1, 1e-12);
      }
      ch_simulation_destroy(s);
    }
}

// An overlap that a scene starts with leaves at gamma Phi / h at least: half of it in a step at gamma = 1/2.
static void overlaps_leave_at_the_rate_gamma(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(2, g, 0.4, 0.0);
  ch_test_floor(world);
  ch_test_ball(world, ch_vec(0.0, 0.099, 0.0), 0.1, still);
  ChSimulationOptions options = ch_simulation_options_default();
  options.gamma = 0.5;
  options.push_out = INFINITY;
  ChSimulation* s = ch_test_start(world, &options);
  CHECK_NEAR(ch_test_step(s).penetration, 1e-3, 1e-15);
  CHECK_NEAR(ch_test_step(s).penetration, 0.5e-3, 1e-12);
  CHECK_AT_MOST(ch_test_step(s).penetration, 0.25e-3);  // it has momentum by now
  ch_simulation_destroy(s);
}

// --- drives ----------------------------------------------------------------------------------------------------------

// A box on a slider to the ground along x, with one thing on its axis.
static ChSimulation* slider(const ChJointAxis* axis, const ChSimulationOptions* options, double speed, int* box) {
  ChWorld* world = ch_test_world(3, g, 0.0, 0.0);
  ChBodyDef def = ch_body_def_default();
  def.mass = 2.0;
  def.inertia[0] = def.inertia[1] = def.inertia[2] = 1.0;
  def.velocity.x = speed;
  *box = ch_test_body(world, &def, NULL);
  ChJointDef joint = joint_def(CH_JOINT_SLIDER, CH_GROUND, *box, still, ch_axis(0));
  joint.axes[0] = *axis;
  ch_test_joint(world, &joint);
  return ch_test_start(world, options);
}

static void prescribed_motion_is_obeyed_to_round_off(void** state) {
  (void)state;
  for (int mode = 0; mode <= CH_STABILIZE_OFF; ++mode) {
    ChSimulationOptions options = ch_simulation_options_default();
    options.stabilization = (ChStabilization)mode;
    ChJointAxis axis = {.drive = CH_DRIVE_PRESCRIBED,
                        .target = {.rate = 0.3, .amplitude = 0.2, .frequency = 3.0, .phase = 0.0}};
    int box;
    ChSimulation* s = slider(&axis, &options, 0.0, &box);
    double work = 0.0;
    for (int k = 0; k < 1000; ++k) {
      ChStepInfo info = ch_test_step(s);
      double t = ch_simulation_time(s), wanted = 0.3 * t + 0.2 * sin(6.0 * M_PI * t);
      work += info.work;
      CHECK_NEAR(ch_simulation_body_at(s, box).position.x, wanted, 1e-12);
      assert_true(info.gain == 0.0);
    }
    CHECK_NEAR(work, ch_simulation_info(s).kinetic, 1e-9);  // all of it came from the drive
    ch_simulation_destroy(s);
  }
}

// In the plane angles are numbers: a crank follows its table exactly, over many turns.
static void prescribed_crank_counts_its_turns(void** state) {
  (void)state;
  const double table[] = {0.0, 0.0, 0.5, 20.0, 1.0, 15.0};
  ChWorld* world = ch_test_world(2, g, 0.0, 0.0);
  int crank = ch_test_box(world, ch_vec(0.5, 0.0, 0.0), ch_vec(0.5, 0.1, 0.0));
  ChJointDef hinge = joint_def(CH_JOINT_HINGE, CH_GROUND, crank, still, ch_axis(2));
  hinge.axes[0] = (ChJointAxis){.drive = CH_DRIVE_PRESCRIBED, .target = {.table_count = 3, .table = table}};
  ch_test_joint(world, &hinge);
  ChSimulationOptions options = ch_simulation_options_default();
  ChSimulation* s = ch_test_start(world, &options);
  ch_test_run(s, 0.5);
  CHECK_NEAR(ch_simulation_body_at(s, crank).angle, 20.0, 1e-9);
  ch_test_run(s, 1.0);
  CHECK_NEAR(ch_simulation_body_at(s, crank).angle, 15.0, 1e-9);
  ch_simulation_destroy(s);
}

// F t / m until the wanted speed, then exactly that speed, then no force at all.
static void velocity_motor_pulls_with_its_strength_until_it_has_its_speed(void** state) {
  (void)state;
  ChSimulationOptions options = ch_simulation_options_default();
  ChJointAxis axis = {.drive = CH_DRIVE_VELOCITY, .target = {.base = 1.0}, .strength = 4.0};
  int box;
  ChSimulation* s = slider(&axis, &options, 0.0, &box);
  double work = 0.0;
  for (int k = 0; k < 250; ++k) work += ch_test_step(s).work;
  CHECK_NEAR(ch_simulation_body_at(s, box).velocity.x, 0.5, 1e-9);
  CHECK_NEAR(work, 0.25, 1e-9);
  for (int k = 0; k < 500; ++k) {
    ChStepInfo info = ch_test_step(s);
    work += info.work;
    assert_true(info.gain == 0.0);
  }
  CHECK_NEAR(ch_simulation_body_at(s, box).velocity.x, 1.0, 1e-9);
  CHECK_NEAR(work, 1.0, 1e-9);
  ch_simulation_destroy(s);
}

// It arrives in about the shortest time that its strength allows, 2 sqrt(m x / F), and stays.
static void position_motor_arrives_and_stays(void** state) {
  (void)state;
  for (int mode = 0; mode <= CH_STABILIZE_OFF; ++mode) {
    ChSimulationOptions options = ch_simulation_options_default();
    options.stabilization = (ChStabilization)mode;
    ChJointAxis axis = {.drive = CH_DRIVE_POSITION, .target = {.base = 0.5}, .strength = 4.0};
    int box;
    ChSimulation* s = slider(&axis, &options, 0.0, &box);
    ch_test_run(s, 0.9 * 2.0 * sqrt(2.0 * 0.5 / 4.0));
    assert_true(ch_simulation_body_at(s, box).position.x < 0.5 - 1e-3);
    ch_test_run(s, 1.1 * 2.0 * sqrt(2.0 * 0.5 / 4.0));
    CHECK_NEAR(ch_simulation_body_at(s, box).position.x, 0.5, 1e-2);
    ch_test_run(s, 2.0);
    CHECK_NEAR(ch_simulation_body_at(s, box).position.x, 0.5, 1e-9);
    CHECK_NEAR(ch_simulation_body_at(s, box).velocity.x, 0.0, 1e-9);
    ch_simulation_destroy(s);
  }
}

static void force_drive_is_a_force(void** state) {
  (void)state;
  ChSimulationOptions options = ch_simulation_options_default();
  ChJointAxis axis = {.drive = CH_DRIVE_FORCE, .target = {.base = 3.0}};
  int box;
  ChSimulation* s = slider(&axis, &options, 0.0, &box);
  double work = 0.0;
  for (int k = 0; k < 1000; ++k) work += ch_test_step(s).work;
  CHECK_NEAR(ch_simulation_body_at(s, box).velocity.x, 1.5, 1e-9);
  CHECK_NEAR(work, 0.5 * 2.0 * 1.5 * 1.5, 1e-9);
  ch_simulation_destroy(s);
}

static void limit_stops_the_slider_where_it_is(void** state) {
  (void)state;
  ChSimulationOptions options = ch_simulation_options_default();
  ChJointAxis axis = {.limited = true, .lower = -0.2, .upper = 0.1234};
  int box;
  ChSimulation* s = slider(&axis, &options, 1.0, &box);
  ch_test_run(s, 0.1);
  CHECK_NEAR(ch_simulation_body_at(s, box).velocity.x, 1.0, 1e-12);
  ch_test_run(s, 0.3);
  CHECK_NEAR(ch_simulation_body_at(s, box).position.x, 0.1234, 1e-12);
  CHECK_NEAR(ch_simulation_body_at(s, box).velocity.x, 0.0, 1e-12);
  ch_simulation_destroy(s);
}

// A limit far away, and a motor without bound, in a world where something bounces: neither disturbs the shock.
static void limits_and_motors_in_a_shock(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, 0.0, 0.0, 1.0);
  int ball[2];
  for (int k = 0; k < 2; ++k)
    ball[k] = ch_test_ball(world, ch_vec(0.3 * k, 0.0, 0.0), 0.1, ch_vec(k == 0 ? 1.0 : 0.0, 0.0, 0.0));
  ChJointDef rail = joint_def(CH_JOINT_SLIDER, CH_GROUND, ball[1], ch_vec(0.3, 0.0, 0.0), ch_axis(0));
  rail.axes[0] = (ChJointAxis){.limited = true, .lower = -1.0, .upper = 0.5};
  ch_test_joint(world, &rail);
  int driven = ch_test_ball(world, ch_vec(0.0, 5.0, 0.0), 0.1, still);
  ChJointDef other = joint_def(CH_JOINT_SLIDER, CH_GROUND, driven, ch_vec(0.0, 5.0, 0.0), ch_axis(0));
  other.axes[0] = (ChJointAxis){.drive = CH_DRIVE_VELOCITY, .target = {.base = 2.0}};
  ch_test_joint(world, &other);
  ChSimulationOptions options = ch_simulation_options_default();
  ChSimulation* s = ch_test_start(world, &options);
  ch_test_run(s, 0.15);
  CHECK_NEAR(ch_simulation_body_at(s, ball[0]).velocity.x, 0.0, 1e-8);
  CHECK_NEAR(ch_simulation_body_at(s, ball[1]).velocity.x, 1.0, 1e-8);
  CHECK_NEAR(ch_simulation_body_at(s, driven).position.x, 0.3, 1e-9);
  ch_test_run(s, 1.0);
  CHECK_NEAR(ch_simulation_body_at(s, ball[1]).position.x, 0.8, 1e-9);
  ch_simulation_destroy(s);
}

// v0 - F t / m, and then it stands.
static void joint_friction_brakes_with_its_force(void** state) {
  (void)state;
  ChSimulationOptions options = ch_simulation_options_default();
  ChJointAxis axis = {.friction = 4.0};
  int box;
  ChSimulation* s = slider(&axis, &options, 1.0, &box);
  ch_test_run(s, 0.25);
  CHECK_NEAR(ch_simulation_body_at(s, box).velocity.x, 0.5, 1e-9);
  ch_test_run(s, 0.6);
  CHECK_NEAR(ch_simulation_body_at(s, box).velocity.x, 0.0, 1e-12);
  CHECK_NEAR(ch_simulation_body_at(s, box).position.x, 0.25, 1e-3);
  ch_simulation_destroy(s);
}

// --- springs, belts, locks -------------------------------------------------------------------------------------------

// h^2 k / m = 1e8: the mass goes to where its spring holds it and stays, at any stiffness.
static void I22_stiff_springs_are_stable(void** state) {
  (void)state;
  for (int k = 0; k < 3; ++k) {
    double h = 0.01, stiffness = pow(10.0, 4 * k) / (h * h);
    ChWorld* world = ch_test_world(3, g, 0.5, 0.0);
    ch_test_floor(world);
    int bob = ch_test_point(world, ch_vec(0.0, 0.0, 2.0), ch_vec(0.0, 0.0, 1.0), 1.0);
    int ball = ch_test_ball(world, ch_vec(2.0, 0.0, 0.1), 0.1, still);
    ChForceDef spring = ch_force_def_default();
    spring.body[0] = CH_GROUND;
    spring.body[1] = ch_body_id(bob);
    spring.at[0] = ch_vec(0.0, 0.0, 3.0);
    spring.stiffness = stiffness;
    spring.damping = 0.5 * h * stiffness;
    ch_test_force(world, &spring);
    spring.body[1] = ch_body_id(ball);  // pulled along the floor, in contact
    spring.at[0] = ch_vec(4.0, 0.0, 0.1);
    ch_test_force(world, &spring);
    ChSimulationOptions options = ch_simulation_options_default();
    options.h = h;
    ChSimulation* s = ch_test_start(world, &options);
    double energy = ch_simulation_info(s).kinetic + ch_simulation_info(s).potential, most = energy;
    for (int n = 0; n < 500; ++n) {
      ChStepInfo info = ch_test_step(s);
      assert_false(info.missed);
      most = fmax(most, info.kinetic + info.potential);
    }
    CHECK_AT_MOST(most, energy + 1e-9 * fabs(energy));
    double length = ch_norm(ch_sub(ch_simulation_body_at(s, bob).position, ch_vec(0.0, 0.0, 3.0)));
    CHECK_NEAR(length, 1.0, 1e-3 + 3.0 * g / stiffness);
    CHECK_NEAR(ch_simulation_body_at(s, ball).position.x, 2.0, 1e-6);
    ch_simulation_destroy(s);
  }
}

// Where h^2 k swallows the mass in round-off nothing can be solved: the step says which force it is and on which body.
static void a_spring_that_swallows_the_mass_is_named(void** state) {
  (void)state;
  ChContext context = {0};
  ChWorld* world = ch_test_world(3, g, 0.5, 0.0);
  ChForceDef spring = ch_force_def_default();
  spring.name = "bar of steel";
  spring.body[0] = CH_GROUND;
  spring.body[1] = ch_body_id(ch_test_ball(world, ch_vec(0.0, 0.1, 1.0), 0.1, still));
  spring.at[0] = ch_vec(0.0, 0.0, 2.0);
  spring.stiffness = 1e30;
  ch_test_force(world, &spring);
  const ChSimulationOptions options = ch_simulation_options_default();
  ChSimulation* s = ch_test_start(world, &options);
  assert_int_equal(ch_simulation_step(&context, s, NULL), CH_ERR_RANGE);
  if (!strstr(context.message, "bar of steel")) fail_msg("'%s' does not name the spring", context.message);
  assert_int_equal(ch_simulation_step_count(s), 0);
  ch_simulation_destroy(s);
}

// A box laid on a belt slips with mu g until it has the belt's speed, then rides without slip; the belt explains all
// energy, half of it lost as heat.
static void belt_carries_a_box(void** state) {
  (void)state;
  double mu = 0.3, speed = 1.5;
  ChWorld* world = ch_test_world(3, g, mu, 0.0);
  ChBodyDef belt = ch_body_def_default();
  ChShapeDef shape = ch_shape_def_default();
  belt.kind = CH_BODY_KINEMATIC;
  belt.motion[0].rate = speed;
  shape.type = CH_SHAPE_BOX;
  shape.half = ch_vec(50.0, 1.0, 0.1);
  ch_test_body(world, &belt, &shape);
  int box = ch_test_box(world, ch_vec(0.0, 0.0, 0.2), ch_vec(0.1, 0.1, 0.1));
  ChSimulationOptions options = ch_simulation_options_default();
  ChSimulation* s = ch_test_start(world, &options);
  double work = 0.0, t = speed / (mu * g);
  while (ch_simulation_time(s) < t - 2e-3) {
    ChStepInfo info = ch_test_step(s);
    work += info.work;
    assert_true(info.gain == 0.0);
  }
  CHECK_NEAR(ch_simulation_body_at(s, box).velocity.x, mu * g * ch_simulation_time(s), 1e-7);
  while (ch_simulation_time(s) < 2.0 * t) {
    ChStepInfo info = ch_test_step(s);
    work += info.work;
    assert_true(info.gain == 0.0);
  }
  CHECK_NEAR(ch_simulation_body_at(s, box).velocity.x, speed, 1e-8);
  CHECK_NEAR(work, 8.0 * speed * speed, 1e-6);  // m v^2, m = 8 kg
  ch_simulation_destroy(s);
}

// A shaken platform takes its load along, exactly; nothing is gained that it did not give, with and without bounces.
static void shaken_platform_explains_its_energy(void** state) {
  (void)state;
  for (int k = 0; k < 3; ++k) {
    ChWorld* world = ch_test_world(3, g, 0.5, k == 0 ? 0.0 : 0.7);
    ChBodyDef table = ch_body_def_default();
    ChShapeDef shape = ch_shape_def_default();
    table.kind = CH_BODY_KINEMATIC;
    table.motion[2] = (ChSignal){.amplitude = k == 0 ? 0.004 : 0.05, .frequency = 4.0};
    table.motion[0] = (ChSignal){.amplitude = 0.01, .frequency = 2.0};
    shape.type = CH_SHAPE_BOX;
    shape.half = ch_vec(1.0, 1.0, 0.1);
    ch_test_body(world, &table, &shape);
    int ball = ch_test_box(world, ch_vec(0.0, 0.0, 0.2), ch_vec(0.1, 0.1, 0.1));
    ChSimulationOptions options = ch_simulation_options_default();
    options.restitution = k == 2 ? CH_RESTITUTION_POISSON : CH_RESTITUTION_NEWTON;
    ChSimulation* s = ch_test_start(world, &options);
    int impacts = 0;
    double largest = 0.0;
    for (int n = 0; n < 2000; ++n) {
      ChStepInfo info = ch_test_step(s);
      impacts += info.impacts;
      largest = fmax(largest, info.gain / (info.kinetic + fabs(info.potential)));
    }
    CHECK_AT_MOST(largest, 1e-8);  // what a solve of this tolerance leaves
    if (k == 0) CHECK_NEAR(ch_simulation_body_at(s, ball).position.z, 0.2, 1e-6);
    assert_true(k == 0 ? impacts == 0 : impacts > 3);
    ch_simulation_destroy(s);
  }
}

// A pendulum whose pivot is moved: all that it gains comes from the pivot.
static void moved_pivot_explains_its_pendulum(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(2, g, 0.0, 0.0);
  ChBodyDef pivot = ch_body_def_default();
  pivot.kind = CH_BODY_KINEMATIC;
  pivot.motion[0] = (ChSignal){.amplitude = 0.1, .frequency = 0.5};
  int hook = ch_test_body(world, &pivot, NULL);
  int bob = ch_test_box(world, ch_vec(0.0, -1.0, 0.0), ch_vec(0.1, 0.1, 0.0));
  ChJointDef hinge = joint_def(CH_JOINT_HINGE, ch_body_id(hook), bob, still, ch_axis(2));
  ch_test_joint(world, &hinge);
  ChSimulationOptions options = ch_simulation_options_default();
  ChSimulation* s = ch_test_start(world, &options);
  for (int n = 0; n < 3000; ++n) assert_true(ch_test_step(s).gain == 0.0);
  assert_true(ch_simulation_info(s).kinetic + ch_simulation_info(s).potential > -400.0 * g + 1.0);
  ch_simulation_destroy(s);
}

// Falling, rolling, bouncing at e < 1, swinging and springing: nothing without a drive gains energy.
static void passive_scenes_gain_nothing(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, g, 0.4, 0.6);
  ch_test_floor(world);
  for (int k = 0; k < 5; ++k)
    ch_test_ball(world, ch_vec(0.21 * k, 0.03 * k, 0.3 + 0.25 * k), 0.1, ch_vec(1.0, 0.0, 0.0));
  int top = ch_test_point(world, ch_vec(3.0, 0.0, 3.0), still, 1.0);
  int bob = ch_test_point(world, ch_vec(4.0, 0.0, 3.0), still, 1.0);
  ChJointDef hinge = joint_def(CH_JOINT_HINGE, CH_GROUND, top, ch_vec(2.0, 0.0, 3.0), ch_axis(1));
  ch_test_joint(world, &hinge);
  ChForceDef spring = ch_force_def_default();
  spring.body[0] = ch_body_id(top);
  spring.body[1] = ch_body_id(bob);
  spring.stiffness = 500.0;
  ch_test_force(world, &spring);
  ChSimulationOptions options = ch_simulation_options_default();
  ChSimulation* s = ch_test_start(world, &options);
  for (int n = 0; n < 2000; ++n) {
    ChStepInfo info = ch_test_step(s);
    CHECK_AT_MOST(info.gain, 1e-8 * (info.kinetic + fabs(info.potential)));
    CHECK_NEAR(info.work, 0.0, 0.0);
  }
  ch_simulation_destroy(s);
}

// A gravity that swings gives and takes; the ledger knows.
static void changing_gravity_is_explained(void** state) {
  (void)state;
  ChContext context = {0};
  ChWorld* world = ch_test_world(2, 0.0, 0.3, 0.0);
  ChSignal gravity[3] = {{.amplitude = 4.0, .frequency = 1.0}, {.base = -g}, {.base = 0.0}};
  CHECK_OK(context, ch_world_set_gravity(&context, world, gravity));
  ch_test_floor(world);
  ch_test_box(world, ch_vec(0.0, 0.1, 0.0), ch_vec(0.3, 0.1, 0.0));
  ch_test_ball(world, ch_vec(2.0, 5.0, 0.0), 0.1, still);
  ChSimulationOptions options = ch_simulation_options_default();
  ChSimulation* s = ch_test_start(world, &options);
  for (int n = 0; n < 900; ++n) {
    ChStepInfo info = ch_test_step(s);
    CHECK_AT_MOST(info.gain, 1e-8 * (info.kinetic + fabs(info.potential)));
  }
  ch_simulation_destroy(s);
}

// A body held to a plane and to turns about y: whatever pushes, the locked parts stay exactly zero.
static void locks_hold_exactly(void** state) {
  (void)state;
  ChContext context = {0};
  ChWorld* world = ch_test_world(3, g, 0.5, 0.3);
  ch_test_floor(world);
  ChBodyDef def = ch_body_def_default();
  ChShapeDef shape = ch_shape_def_default();
  def.position = ch_vec(0.0, 0.7, 0.6);
  def.orientation = ch_quat_about(ch_axis(1), 0.4);
  def.locks = CH_LOCK_Y | CH_LOCK_RX | CH_LOCK_RZ;
  shape.type = CH_SHAPE_BOX;
  shape.half = ch_vec(0.3, 0.1, 0.1);
  int box = ch_test_body(world, &def, &shape);
  def.position.x = 5.0;
  def.locks = 63;
  int hung = ch_test_body(world, &def, &shape);  // cannot move at all
  ch_test_ball(world, ch_vec(5.0, 0.7, 1.5), 0.1, still);
  ChSimulationOptions options = ch_simulation_options_default();
  ChSimulation* s = ch_test_start(world, &options);
  CHECK_OK(context, ch_simulation_push(&context, s, ch_body_id(box), ch_vec(3.0, 40.0, 1.0), ch_vec(0.2, 0.9, 0.7)));
  assert_true(ch_simulation_body_at(s, box).velocity.y == 0.0);
  for (int n = 0; n < 1000; ++n) {
    assert_false(ch_test_step(s).missed);
    ChBodyView view = ch_simulation_body_at(s, box);
    assert_true(view.position.y == 0.7 && view.velocity.y == 0.0);
    CHECK_NEAR(fabs(view.omega.x) + fabs(view.omega.z), 0.0, 1e-13);
    CHECK_NEAR(fabs(view.orientation.x) + fabs(view.orientation.z), 0.0, 1e-13);
  }
  assert_true(fabs(ch_simulation_body_at(s, box).position.x) > 1e-3);
  assert_true(ch_simulation_body_at(s, hung).position.z == 0.6);
  ch_simulation_destroy(s);
}

// A symmetric gyro with one rotation locked: spin about z at w and no turn about x leaves a turn about y, by the torque
// of the lock alone. Energy stays.
static void two_free_rotations_feel_the_spin(void** state) {
  (void)state;
  double energy[2];
  for (int k = 0; k < 2; ++k) {
    ChWorld* world = ch_test_world(3, 0.0, 0.0, 0.0);
    ChBodyDef def = ch_body_def_default();
    def.mass = 1.0;
    def.inertia[0] = 1.0, def.inertia[1] = 2.0, def.inertia[2] = 2.5;
    def.omega = ch_vec(0.0, 0.5, 3.0);
    def.locks = CH_LOCK_RX;
    ch_test_body(world, &def, NULL);
    ChSimulationOptions options = ch_simulation_options_default();
    options.h = k == 0 ? 1e-3 : 5e-4;
    ChSimulation* s = ch_test_start(world, &options);
    double start = ch_simulation_info(s).kinetic;
    ch_test_run(s, 1.0);
    energy[k] = fabs(ch_simulation_info(s).kinetic / start - 1.0);
    ch_simulation_destroy(s);
  }
  CHECK_AT_MOST(energy[0], 0.02);
  CHECK_AT_MOST(energy[1], 0.6 * energy[0] + 1e-12);
}

// --- adaptive steps --------------------------------------------------------------------------------------------------

// Velocities alone see a ball when it overlaps already, by up to h v. With a tolerance the step is halved until it does
// not, and grows back when the ball lies.
static void B6_adaptive_steps_keep_overlaps_below_their_tolerance(void** state) {
  (void)state;
  double worst[2], last = 0.0;
  long steps[2];
  for (int k = 0; k < 2; ++k) {
    ChWorld* world = ch_test_world(2, g, 0.3, 0.0);
    ch_test_floor(world);
    ch_test_ball(world, ch_vec(0.0, 0.33, 0.0), 0.1, ch_vec(0.1, 0.0, 0.0));
    ChSimulationOptions options = ch_simulation_options_default();
    options.h = 0.02;
    options.stabilization = CH_STABILIZE_OFF;
    options.look_ahead = false;
    options.adaptive = k == 1;
    options.gap_tolerance = 1e-4;
    ChSimulation* s = ch_test_start(world, &options);
    worst[k] = 0.0;
    while (ch_simulation_time(s) < 1.0) {
      ChStepInfo info = ch_test_step(s);
      worst[k] = fmax(worst[k], info.penetration);
      last = info.h;
    }
    steps[k] = ch_simulation_step_count(s);
    ch_simulation_destroy(s);
  }
  assert_true(worst[0] > 1e-3);
  CHECK_AT_MOST(worst[1], 1e-4);
  assert_true(steps[1] > steps[0] && steps[1] < 3 * steps[0]);
  CHECK_NEAR(last, 0.02, 0.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(I19_joint_drift_is_second_order_when_stabilised),
                                     cmocka_unit_test(B5_projection_puts_joints_together),
                                     cmocka_unit_test(B1_to_B4_contacts_under_every_stabilisation),
                                     cmocka_unit_test(overlaps_leave_at_the_rate_gamma),
                                     cmocka_unit_test(prescribed_motion_is_obeyed_to_round_off),
                                     cmocka_unit_test(prescribed_crank_counts_its_turns),
                                     cmocka_unit_test(velocity_motor_pulls_with_its_strength_until_it_has_its_speed),
                                     cmocka_unit_test(position_motor_arrives_and_stays),
                                     cmocka_unit_test(force_drive_is_a_force),
                                     cmocka_unit_test(limit_stops_the_slider_where_it_is),
                                     cmocka_unit_test(limits_and_motors_in_a_shock),
                                     cmocka_unit_test(joint_friction_brakes_with_its_force),
                                     cmocka_unit_test(I22_stiff_springs_are_stable),
                                     cmocka_unit_test(a_spring_that_swallows_the_mass_is_named),
                                     cmocka_unit_test(belt_carries_a_box),
                                     cmocka_unit_test(shaken_platform_explains_its_energy),
                                     cmocka_unit_test(moved_pivot_explains_its_pendulum),
                                     cmocka_unit_test(passive_scenes_gain_nothing),
                                     cmocka_unit_test(changing_gravity_is_explained),
                                     cmocka_unit_test(locks_hold_exactly),
                                     cmocka_unit_test(two_free_rotations_feel_the_spin),
                                     cmocka_unit_test(B6_adaptive_steps_keep_overlaps_below_their_tolerance)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
