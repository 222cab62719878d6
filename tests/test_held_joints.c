// Joints in the variational integrators (requirements B13 to B16, B24, L13): they hold at the end of every step, do no
// work, keep momenta, and leave the order of the integrator as it is.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "support/near.h"
#include "support/worlds.h"

static const double g = 9.81;
static const ChVec3 still = {0.0, 0.0, 0.0};

static double energy(ChStepInfo info) { return info.kinetic + info.potential; }

// A rod of length 2 l in the plane, from its centre.
static int rod(ChWorld* world, ChVec3 at, double angle, double l, double mass, double along, double spin) {
  ChBodyDef body = ch_body_def_default();
  body.position = at;
  body.angle = angle;
  body.velocity = ch_vec(along, 0.0, 0.0);
  body.omega = ch_vec(0.0, 0.0, spin);
  body.mass = mass;
  body.inertia[2] = mass * l * l / 3.0;
  return ch_test_body(world, &body, NULL);
}

static void pin(ChWorld* world, int a, int b, ChVec3 at) {
  ChJointDef hinge = ch_joint_def_default();
  hinge.type = CH_JOINT_HINGE;
  hinge.body[0] = a < 0 ? CH_GROUND : ch_body_id(a);
  hinge.body[1] = ch_body_id(b);
  hinge.at = at;
  hinge.axis = ch_axis(2);
  ch_test_joint(world, &hinge);
}

// Two rods of 1 m, let go where they stand out to the side.
static ChSimulation* double_pendulum(const char* integrator, double h) {
  ChWorld* world = ch_test_world(2, g, 0.0, 0.0);
  int a = rod(world, ch_vec(0.5, 0.0, 0.0), 0.0, 0.5, 1.0, 0.0, 0.0),
      b = rod(world, ch_vec(1.5, 0.0, 0.0), 0.0, 0.5, 1.0, 0.0, 0.0);
  pin(world, -1, a, still);
  pin(world, a, b, ch_vec(1.0, 0.0, 0.0));
  ChSimulationOptions options = ch_test_exact_options(integrator, h);
  return ch_test_start(world, &options);
}

// A crank of 0.2 m that turns by 6 rad/s, a rod of 0.5 m, and a piston that slides along x. At the start the crank's
// end goes by -1.2 m/s along x, and all behind it with it.
static ChSimulation* slider_crank(const char* integrator, double h) {
  ChWorld* world = ch_test_world(2, g, 0.0, 0.0);
  const double c = 0.2, l = 0.5, tilt = asin(c / l), x = l * cos(tilt);
  int crank = rod(world, ch_vec(0.0, 0.1, 0.0), 1.5707963267948966, 0.1, 1.0, -0.6, 6.0);
  int link = rod(world, ch_vec(0.5 * x, 0.1, 0.0), -tilt, 0.25, 0.5, -1.2, 0.0);
  int piston = rod(world, ch_vec(x, 0.0, 0.0), 0.0, 0.05, 2.0, -1.2, 0.0);
  pin(world, -1, crank, still);
  pin(world, crank, link, ch_vec(0.0, 0.2, 0.0));
  pin(world, link, piston, ch_vec(x, 0.0, 0.0));
  ChJointDef slider = ch_joint_def_default();
  slider.type = CH_JOINT_SLIDER;
  slider.body[0] = CH_GROUND;
  slider.body[1] = ch_body_id(piston);
  slider.at = ch_vec(x, 0.0, 0.0);
  slider.axis = ch_axis(0);
  ch_test_joint(world, &slider);
  ChSimulationOptions options = ch_test_exact_options(integrator, h);
  return ch_test_start(world, &options);
}

// The mean of the energy over the first and the last tenth of a run, and its largest swing.
typedef struct Course {
  double start, first, last, swing, joint;
} Course;

static Course follow(ChSimulation* s, int steps) {
  Course c = {.start = energy(ch_simulation_info(s))};
  for (int n = 0; n < steps; ++n) {
    ChStepInfo info = ch_test_step(s);
    double off = energy(info) - c.start;
    assert_false(info.missed);
    c.swing = fmax(c.swing, fabs(off));
    c.joint = fmax(c.joint, info.joint_error);
    if (n < steps / 10) c.first += 10.0 * off / steps;
    if (n >= steps - steps / 10) c.last += 10.0 * off / steps;
  }
  return c;
}

static const char* const names[] = {"half-step", "trapezoidal", "implicit-midpoint", "newmark"};
enum { NAMES = sizeof names / sizeof *names };

static void L13_energy_stays_and_joints_hold(void** state) {
  (void)state;
  for (int k = 0; k < NAMES; ++k) {
    ChSimulation* s[2] = {double_pendulum(names[k], 2e-3), slider_crank(names[k], 2e-3)};
    for (int i = 0; i < 2; ++i) {
      Course c = follow(s[i], 5000);
      CHECK_AT_MOST(c.swing, 1e-11);
      CHECK_AT_MOST(fabs(c.last - c.first), 1e-11);
      CHECK_AT_MOST(c.joint, 1e-12);
      ch_simulation_destroy(s[i]);
    }
  }
}

typedef ChSimulation* Start(const char* integrator, double h);

static double order_of(Start* start, const char* name, double until) {
  ChVec3 at[3];
  for (int k = 0; k < 3; ++k) {
    double h = 4e-3 / (1 << k);
    ChSimulation* s = start(name, h);
    ch_test_run(s, until - 0.5 * h);
    at[k] = ch_simulation_body_at(s, 1).position;
    ch_simulation_destroy(s);
  }
  return log2(ch_norm(ch_sub(at[0], at[1])) / ch_norm(ch_sub(at[1], at[2])));
}

static ChSimulation* three_bodies(const char* integrator, double h);

static void B13_B16_the_order_is_two(void** state) {
  (void)state;
  for (int k = 0; k < NAMES; ++k) {
    CHECK_NEAR(order_of(double_pendulum, names[k], 0.8), 2.0, 0.1);
    CHECK_NEAR(order_of(slider_crank, names[k], 0.8), 2.0, 0.1);
    CHECK_NEAR(order_of(three_bodies, names[k], 0.4), 2.0, 0.1);
  }
  CHECK_NEAR(order_of(double_pendulum, "two-step", 0.8), 1.0, 0.2);  // its joints are those of the predictor
}

// --- order 4 (L13: quadratures of the action)

static double last_error(Start* start, double h, double until, const ChVec3* exact, ChVec3* at) {
  ChSimulation* s = start("fourth-order", h);
  ch_test_run(s, until - 0.5 * h);
  *at = ch_simulation_body_at(s, 1).position;
  ch_simulation_destroy(s);
  return exact ? ch_norm(ch_sub(*at, *exact)) : 0.0;
}

static ChSimulation* on_springs(const char* integrator, double h);

static void L13_five_half_steps_are_of_fourth_order(void** state) {
  (void)state;
  static const struct {
    Start* start;
    double h, until;
  } cases[] = {
      {double_pendulum, 2e-2, 0.8}, {slider_crank, 4e-3, 0.8}, {three_bodies, 2e-2, 0.8}, {on_springs, 2e-2, 1.6}};
  for (int k = 0; k < 4; ++k) {
    ChVec3 exact, at;
    last_error(cases[k].start, cases[k].h / 16.0, cases[k].until, NULL, &exact);
    double coarse = last_error(cases[k].start, cases[k].h, cases[k].until, &exact, &at);
    double fine = last_error(cases[k].start, cases[k].h / 2.0, cases[k].until, &exact, &at);
    CHECK_NEAR(log2(coarse / fine), 4.0, 0.25);
  }
  ChSimulation* s = double_pendulum("fourth-order", 1e-2);
  Course c = follow(s, 1000);
  CHECK_AT_MOST(c.swing, 1e-11);
  CHECK_AT_MOST(c.joint, 1e-12);
  ch_simulation_destroy(s);
}

// --- in space

// Boxes of three different sizes that tumble, the first two on a ball joint, the last two on a universal one.
static ChWorld* tumblers(double down) {
  ChWorld* world = ch_test_world(3, down, 0.0, 0.0);
  const ChVec3 half[3] = {{0.3, 0.1, 0.05}, {0.25, 0.15, 0.1}, {0.1, 0.3, 0.05}};
  const ChVec3 w = {1.0, -2.0, 3.0};
  for (int k = 0; k < 3; ++k) {
    ChBodyDef body = ch_body_def_default();
    body.position = ch_vec(0.6 * k, 0.0, 0.0);
    body.omega = w;  // as one body, at the start
    body.velocity = ch_cross(w, body.position);
    body.mass = 1.0 + k;
    const ChVec3 s = ch_vec(half[k].x * half[k].x, half[k].y * half[k].y, half[k].z * half[k].z);
    body.inertia[0] = body.mass * (s.y + s.z) / 3.0;
    body.inertia[1] = body.mass * (s.x + s.z) / 3.0;
    body.inertia[2] = body.mass * (s.x + s.y) / 3.0;
    ch_test_body(world, &body, NULL);
  }
  return world;
}

static ChSimulation* three_bodies(const char* integrator, double h) {
  ChWorld* world = tumblers(0.0);
  ChJointDef ball = ch_test_joint_def(CH_JOINT_BALL, 0, 1, ch_vec(0.3, 0.0, 0.0));
  ChJointDef cross = ch_test_joint_def(CH_JOINT_UNIVERSAL, 1, 2, ch_vec(0.9, 0.0, 0.0));
  ch_test_joint(world, &ball);
  ch_test_joint(world, &cross);
  ChSimulationOptions options = ch_test_exact_options(integrator, h);
  return ch_test_start(world, &options);
}

// A box that tumbles on four springs, from its corners to the ground, and another one on it.
static ChSimulation* on_springs(const char* integrator, double h) {
  ChWorld* world = tumblers(g);
  for (int k = 0; k < 6; ++k) {
    ChForceDef spring = ch_force_def_default();
    spring.body[0] = k < 4 ? CH_GROUND : ch_body_id(1);
    spring.body[1] = ch_body_id(k < 4 ? 1 : 2);
    spring.at[0] = ch_vec(k % 2 ? 1.5 : -1.5, k & 2 ? 1.5 : -1.5, 1.0);
    spring.at[1] = ch_vec(k % 2 ? 0.2 : -0.2, k & 2 ? 0.1 : -0.1, 0.05);
    spring.length_as_is = false;
    spring.length = 0.3;
    spring.stiffness = 20.0;
    ch_test_force(world, &spring);
  }
  ChSimulationOptions options = ch_test_exact_options(integrator, h);
  return ch_test_start(world, &options);
}

static void what_does_not_run_backwards_is_refused(void** state) {
  (void)state;
  static const char* const words[] = {"limits", "friction", "damping", "a drive"};
  for (int k = 0; k < 4; ++k) {
    ChJointAxis axis = {.limited = k == 0, .lower = -1.0, .upper = 1.0, .friction = k == 1, .damping = k == 2};
    if (k == 3) axis.drive = CH_DRIVE_VELOCITY;
    ChContext context = {0};
    ChWorld* world = ch_test_world(2, g, 0.0, 0.0);
    int a = rod(world, ch_vec(0.5, 0.0, 0.0), 0.0, 0.5, 3.0, 0.0, 0.0);
    ChJointDef hinge = ch_test_joint_def(CH_JOINT_HINGE, -1, a, still);
    hinge.axis = ch_axis(2);
    hinge.axes[0] = axis;
    ch_test_joint(world, &hinge);
    ChSimulationOptions options = ch_test_exact_options("fourth-order", 1e-3);
    ChSimulation* s;
    assert_int_not_equal(ch_simulation_create(&context, world, &options, &s), CH_OK);
    assert_non_null(strstr(context.message, words[k]));
  }
}

static void L13_momenta_of_what_joints_connect_are_kept(void** state) {
  (void)state;
  for (int k = 0; k < NAMES; ++k) {
    ChSimulation* s = three_bodies(names[k], 5e-3);
    ChStepInfo start = ch_simulation_info(s), end = start;
    for (int n = 0; n < 1000; ++n) {
      end = ch_test_step(s);
      assert_false(end.missed);
      CHECK_AT_MOST(end.joint_error, 1e-12);
    }
    CHECK_NEAR(energy(end), energy(start), 1e-10);
    CHECK_NEAR(ch_norm(ch_sub(end.momentum, start.momentum)), 0.0, 1e-10);
    CHECK_NEAR(ch_norm(ch_sub(end.angular_momentum, start.angular_momentum)), 0.0, 1e-10);
    ch_simulation_destroy(s);
  }
}

// Every type of joint, between bodies that tumble under gravity.
static void L13_no_type_of_joint_does_work(void** state) {
  (void)state;
  for (int type = 0; ch_joint_info((ChJointType)type); ++type) {
    ChWorld* world = tumblers(g);
    ChJointDef joint = ch_test_joint_def((ChJointType)type, 0, 1, ch_vec(0.3, 0.0, 0.0));
    ch_test_joint(world, &joint);
    ChSimulationOptions options = ch_test_exact_options("half-step", 2e-3);
    ChSimulation* s = ch_test_start(world, &options);
    double start = energy(ch_simulation_info(s));
    for (int n = 0; n < 500; ++n) {
      ChStepInfo info = ch_test_step(s);
      assert_false(info.missed);
      CHECK_AT_MOST(info.joint_error, 1e-12);
      CHECK_NEAR(energy(info), start, 1e-10);
    }
    ch_simulation_destroy(s);
  }
}

// --- what else joints may ask

// A pendulum of 1 m whose hinge has a spring, a limit, a drive or a brake.
static ChSimulation* hinged(const char* integrator, double h, double down, const ChJointAxis* axis) {
  ChWorld* world = ch_test_world(2, down, 0.0, 0.0);
  int a = rod(world, ch_vec(0.5, 0.0, 0.0), 0.0, 0.5, 3.0, 0.0, 0.0);  // 1 kg m^2 about the hinge
  ChJointDef hinge = ch_joint_def_default();
  hinge.type = CH_JOINT_HINGE;
  hinge.body[0] = CH_GROUND;
  hinge.body[1] = ch_body_id(a);
  hinge.axis = ch_axis(2);
  hinge.axes[0] = *axis;
  ch_test_joint(world, &hinge);
  ChSimulationOptions options = ch_test_exact_options(integrator, h);
  return ch_test_start(world, &options);
}

// A linear spring is taken at the middle of the step: its energy is kept.
static void springs_of_hinges_keep_their_energy(void** state) {
  (void)state;
  const ChJointAxis axis = {.stiffness = 50.0, .rest = 0.4};
  for (int k = 0; k < NAMES; ++k) {
    ChSimulation* s = hinged(names[k], 1e-2, 0.0, &axis);
    double start = energy(ch_simulation_info(s)), most = 0.0;
    for (int n = 0; n < 1000; ++n) {
      ChStepInfo info = ch_test_step(s);
      CHECK_NEAR(energy(info), start, 1e-10);
      most = fmax(most, ch_simulation_body_at(s, 0).angle);
    }
    CHECK_NEAR(most, 0.8, 1e-2);
    ch_simulation_destroy(s);
  }
}

// The hinge's limit is a contact: it bounces in the half-step, once it is reached and not before.
static void limits_bounce_where_contacts_do(void** state) {
  (void)state;
  const ChJointAxis axis = {.limited = true, .lower = -0.5, .upper = 2.0};
  ChSimulation* s = hinged("half-step", 1e-3, g, &axis);
  double start = energy(ch_simulation_info(s)), least = 0.0, most = -1.0;
  for (int n = 0; n < 5000; ++n) {
    ChStepInfo info = ch_test_step(s);
    double angle = ch_simulation_body_at(s, 0).angle;
    CHECK_NEAR(energy(info), start, 1e-9);
    least = fmin(least, angle);
    if (n > 1000) most = fmax(most, angle);
  }
  CHECK_NEAR(least, -0.5, 5e-3);  // by how far it turns in a step
  CHECK_AT_MOST(least, -0.5);
  CHECK_NEAR(most, 0.0, 1e-3);
  ch_simulation_destroy(s);
  s = hinged("two-step", 1e-3, g, &axis);  // where it stops
  for (int n = 0; n < 2000; ++n) assert_false(ch_test_step(s).missed);
  CHECK_NEAR(ch_simulation_body_at(s, 0).angle, -0.5, 5e-3);
  ch_simulation_destroy(s);
}

// A motor's speed is met at the end of a step, a prescribed angle followed, and the ledger explains both.
static void drives_are_met(void** state) {
  (void)state;
  ChJointAxis axis = {.drive = CH_DRIVE_VELOCITY, .strength = 40.0};
  axis.target.base = 2.0;
  for (int k = 0; k < NAMES; ++k) {
    ChSimulation* s = hinged(names[k], 1e-3, g, &axis);
    ChStepInfo info = {0};
    for (int n = 0; n < 1000; ++n) {
      info = ch_test_step(s);
      assert_false(info.missed);
      CHECK_NEAR(info.gain, 0.0, 1e-9);
    }
    CHECK_NEAR(ch_simulation_body_at(s, 0).omega.z, 2.0, 1e-9);
    ch_simulation_destroy(s);
  }
}

// A pendulum in space, its bob a ball, that swings into a wall and onto another ball: all of it bounces, nothing is
// lost, with the tolerance that everybody has.
static void L13_joints_and_contacts_in_one_step(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, g, 0.0, 0.0);
  ch_test_floor(world);
  int bob = ch_test_ball(world, ch_vec(1.0, 0.0, 1.0), 0.1, still);
  int other = ch_test_ball(world, ch_vec(0.5, 0.01, 0.12), 0.1, still);
  ChJointDef ball = ch_test_joint_def(CH_JOINT_BALL, -1, bob, ch_vec(0.0, 0.0, 1.0));
  ch_test_joint(world, &ball);
  ChSimulationOptions options = ch_test_exact_options("half-step", 1e-3);
  options.solve.tolerance = 1e-8;
  ChSimulation* s = ch_test_start(world, &options);
  double start = energy(ch_simulation_info(s));
  int met = 0;
  for (int n = 0; n < 3000; ++n) {
    ChStepInfo info = ch_test_step(s);
    assert_false(info.missed);
    met += info.contacts > 0;
    CHECK_AT_MOST(info.joint_error, 1e-11);
    CHECK_NEAR(energy(info), start, 1e-7 * start);
  }
  assert_true(met > 3 && ch_simulation_body_at(s, other).position.x != 0.5);
  ch_simulation_destroy(s);
}

// Four bars with hinges in space: twice as many rows as freedoms that they take.
static void loops_with_more_rows_than_freedoms(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, g, 0.0, 0.0);
  const ChVec3 corner[4] = {{0, 0, 0}, {0, 0, 0.4}, {0.7, 0, 0.6}, {0.9, 0, 0}};
  int link[3];
  for (int k = 0; k < 3; ++k) {
    ChBodyDef body = ch_body_def_default();
    body.position = ch_scale(0.5, ch_add(corner[k], corner[k + 1]));
    body.mass = 1.0 + k;
    body.inertia[0] = 0.01, body.inertia[1] = 0.02, body.inertia[2] = 0.015;
    link[k] = ch_test_body(world, &body, NULL);
  }
  for (int k = 0; k < 4; ++k) {
    ChJointDef hinge =
        ch_test_joint_def(CH_JOINT_HINGE, k > 0 ? link[k - 1] : -1, k < 3 ? link[k] : link[2], corner[k]);
    if (k == 3) hinge.body[0] = CH_GROUND;
    ch_test_joint(world, &hinge);
  }
  ChSimulationOptions options = ch_test_exact_options("half-step", 2e-3);
  options.solve.tolerance = 1e-10;  // no answer of so many rows has a smaller residual: it is round-off
  ChSimulation* s = ch_test_start(world, &options);
  double start = energy(ch_simulation_info(s));
  double fastest = 0.0;
  for (int n = 0; n < 1500; ++n) {
    ChStepInfo info = ch_test_step(s);
    assert_false(info.missed);
    CHECK_AT_MOST(info.joint_error, 1e-12);
    CHECK_NEAR(energy(info), start, 1e-10);
    fastest = fmax(fastest, info.kinetic);
  }
  CHECK_AT_MOST(1.0, fastest);
  ch_simulation_destroy(s);
}

// a = 0.25: joints hold, and what is lost is of the order of the step.
static void other_midpoints_hold_joints_too(void** state) {
  (void)state;
  double lost[2];
  for (int k = 0; k < 2; ++k) {
    ChWorld* world = ch_test_world(2, g, 0.0, 0.0);
    int a = rod(world, ch_vec(0.5, 0.0, 0.0), 0.0, 0.5, 1.0, 0.0, 0.0);
    pin(world, -1, a, still);
    ChSimulationOptions options = ch_test_exact_options("midpoint", 2e-3 / (1 << k));
    options.midpoint = 0.25;
    ChSimulation* s = ch_test_start(world, &options);
    double start = energy(ch_simulation_info(s));
    ChStepInfo info = {0};
    for (int n = 0; n < 1000 << k; ++n) {
      info = ch_test_step(s);
      assert_false(info.missed);
      CHECK_AT_MOST(info.joint_error, 1e-12);
    }
    lost[k] = start - energy(info);
    ch_simulation_destroy(s);
  }
  CHECK_NEAR(lost[0] / lost[1], 2.0, 0.2);
}

// The same over as many steps as are asked for: `make joint-energy`.
static int follow_long(int steps) {
  printf("%-18s %-16s %12s %12s %12s\n", "integrator", "linkage", "swing, J", "drift, J", "joints, m");
  for (int k = 0; k < NAMES; ++k)
    for (int i = 0; i < 2; ++i) {
      ChSimulation* s = i == 0 ? double_pendulum(names[k], 2e-3) : slider_crank(names[k], 2e-3);
      Course c = follow(s, steps);
      printf("%-18s %-16s %12.2e %12.2e %12.2e\n", names[k], i == 0 ? "double pendulum" : "slider-crank", c.swing,
             c.last - c.first, c.joint);
      ch_simulation_destroy(s);
      fflush(stdout);
      if (fabs(c.last - c.first) > 1e-10 || c.joint > 1e-12) return 1;
    }
  return 0;
}

int main(int count, char** words) {
  if (count > 1) return follow_long(atoi(words[1]));
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(L13_energy_stays_and_joints_hold),
      cmocka_unit_test(B13_B16_the_order_is_two),
      cmocka_unit_test(L13_five_half_steps_are_of_fourth_order),
      cmocka_unit_test(what_does_not_run_backwards_is_refused),
      cmocka_unit_test(L13_momenta_of_what_joints_connect_are_kept),
      cmocka_unit_test(L13_no_type_of_joint_does_work),
      cmocka_unit_test(springs_of_hinges_keep_their_energy),
      cmocka_unit_test(limits_bounce_where_contacts_do),
      cmocka_unit_test(drives_are_met),
      cmocka_unit_test(L13_joints_and_contacts_in_one_step),
      cmocka_unit_test(loops_with_more_rows_than_freedoms),
      cmocka_unit_test(other_midpoints_hold_joints_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
