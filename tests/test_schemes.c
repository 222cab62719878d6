// What 002 says of its two schemes: LCP, the exact law of a step, and QP, its convex relaxation (1). Stability at any
// step, drift, convergence, the gap that QP keeps, and how far the two are apart.
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "support/near.h"
#include "support/worlds.h"

static const double g = 9.81;

// An ellipse that falls on the floor, spinning: 002's elliptic body, semi-axes 8 and 4.
static ChSimulation* drop_ellipse(double h, ChStabilization stabilization, ChPose pose) {
  ChWorld* world = ch_test_world(2, g, 0.3, 0.0);
  ch_test_floor(world);
  ChBodyDef body = ch_body_def_default();
  body.position = ch_vec(0.0, 8.0, 0.0);
  body.omega.z = 3.0;
  ChShapeDef shape = ch_shape_def_default();
  shape.type = CH_SHAPE_ELLIPSE;
  shape.half = ch_vec(8.0, 4.0, 0.0);
  ch_test_body(world, &body, &shape);
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = h;
  options.stabilization = stabilization;
  options.solve.pose = pose;
  options.rest = false;
  return ch_test_start(world, &options);
}

static double deepest(double h, ChStabilization stabilization, double until) {
  ChSimulation* s = drop_ellipse(h, stabilization, CH_POSE_COULOMB);
  double depth = 0.0;
  while (ch_simulation_time(s) < until - 0.5 * h) depth = fmax(depth, ch_test_step(s).penetration);
  ch_simulation_destroy(s);
  return depth;
}

// The contact wanders along a curve: O(h^2) with gaps in the constraint, O(h) with velocities alone.
static void I19_contact_drift_is_second_order_when_stabilised(void** state) {
  (void)state;
  double on = log2(deepest(0.02, CH_STABILIZE_ON, 5.0) / deepest(0.005, CH_STABILIZE_ON, 5.0)) / 2.0;
  double off = log2(deepest(0.02, CH_STABILIZE_OFF, 5.0) / deepest(0.005, CH_STABILIZE_OFF, 5.0)) / 2.0;
  CHECK_NEAR(on, 2.0, 0.3);
  CHECK_NEAR(off, 1.0, 0.4);
  double early = deepest(0.02, CH_STABILIZE_ON, 5.0), late = deepest(0.02, CH_STABILIZE_ON, 20.0);
  CHECK_AT_MOST(late, 1.05 * early);
}

// Gaps are divided by h, and still no step is too large: up to steps in which the ellipse turns by a radian the motion
// dies down, and beyond, where it would pass through the floor in one step and is thrown back, it stays bounded: no
// faster than after a fall of two steps, 2 g h, which has 30 times the energy of the start at h = 5 s.
static void I20_no_step_is_too_large(void** state) {
  (void)state;
  static const double steps[] = {1e-3, 1e-2, 0.1, 0.5, 5.0};
  for (int pose = 0; pose < 2; ++pose)
    for (int k = 0; k < 5; ++k) {
      ChSimulation* s = drop_ellipse(steps[k], CH_STABILIZE_ON, pose ? CH_POSE_RELAXED : CH_POSE_COULOMB);
      double energy = ch_simulation_info(s).kinetic + ch_simulation_info(s).potential;
      for (int n = 0; n < 200; ++n) {
        double kinetic = ch_test_step(s).kinetic;
        CHECK_AT_MOST(kinetic, (steps[k] > 0.5 ? 30.0 : 1.0) * energy);
        if (n >= 100 && steps[k] >= 0.1 && steps[k] <= 0.5) CHECK_AT_MOST(kinetic, 0.5 * energy);
      }
      ch_simulation_destroy(s);
    }
}

// A ball on a rough floor, tied to a spring: forces that grow linearly with q and v, no collision that adds energy. Its
// speed has one bound for every step.
static void I21_velocities_are_bounded_alike_for_every_step(void** state) {
  (void)state;
  for (int pose = 0; pose < 2; ++pose)
    for (double h = 0.1; h > 5e-4; h *= 0.2) {
      ChWorld* world = ch_test_world(2, g, 0.4, 0.0);
      ch_test_floor(world);
      int ball = ch_test_ball(world, ch_vec(0.0, 0.6, 0.0), 0.1, ch_vec(3.0, 1.0, 0.0));
      ChForceDef spring = ch_force_def_default();
      spring.body[0] = CH_GROUND;
      spring.body[1] = ch_body_id(ball);
      spring.at[0] = ch_vec(0.0, 1.0, 0.0);
      spring.stiffness = 800.0;
      spring.damping = 1.0;
      ch_test_force(world, &spring);
      ChSimulationOptions options = ch_simulation_options_default();
      options.h = h;
      options.solve.pose = pose ? CH_POSE_RELAXED : CH_POSE_COULOMB;
      ChSimulation* s = ch_test_start(world, &options);
      double energy = ch_simulation_info(s).kinetic + ch_simulation_info(s).potential;
      while (ch_simulation_time(s) < 3.0) CHECK_AT_MOST(ch_test_step(s).kinetic, energy * (1.0 + 2.0 * h));
      ch_simulation_destroy(s);
    }
}

// A particle (a disk that does not turn) on a slope, from rest: gravity is tilted, up is y.
static ChSimulation* slope(double mu, double tilt, double speed, double h, double gamma, ChPose pose) {
  ChWorld* world = ch_test_world(2, g, mu, 0.0);
  ChContext context = {0};
  const ChSignal gravity[3] = {{.base = g * sin(tilt)}, {.base = -g * cos(tilt)}, {.base = 0.0}};
  CHECK_OK(context, ch_world_set_gravity(&context, world, gravity));
  ch_test_floor(world);
  ChBodyDef body = ch_body_def_default();
  body.position = ch_vec(0.0, 0.1, 0.0);
  body.velocity.x = speed;
  body.locks = CH_LOCK_RZ;
  ChShapeDef shape = ch_shape_def_default();
  shape.type = CH_SHAPE_DISK;
  shape.radius = 0.1;
  ch_test_body(world, &body, &shape);
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = h;
  options.gamma = gamma;
  options.margin = 10.0;
  options.solve.pose = pose;
  options.solve.tolerance = 1e-11;
  options.rest = false;
  return ch_test_start(world, &options);
}

// QP converges where the slip grows from zero, to what Coulomb's law says there; its energy falls throughout.
static void I24_relaxed_stepping_converges_and_loses_energy(void** state) {
  (void)state;
  const double mu = 0.3, tilt = 0.6, until = 1.0, exact = 0.5 * g * (sin(tilt) - mu * cos(tilt)) * until * until;
  double error[3];
  for (int k = 0; k < 3; ++k) {
    double h = 0.02 / (1 << k);
    ChSimulation* s = slope(mu, tilt, 0.0, h, 1.0, CH_POSE_RELAXED);
    ChStepInfo info = ch_simulation_info(s);
    double before = info.kinetic + info.potential;
    while (ch_simulation_time(s) < until - 0.5 * h) {
      info = ch_test_step(s);
      CHECK_AT_MOST(info.gain, 0.0);
      CHECK_AT_MOST(info.kinetic + info.potential, before + 1e-9 * fabs(before));
      before = info.kinetic + info.potential;
    }
    error[k] = fabs(ch_simulation_body_at(s, 1).position.x - exact);
    ch_simulation_destroy(s);
  }
  CHECK_NEAR(error[0] / error[1], 2.0, 0.1);
  CHECK_NEAR(error[1] / error[2], 2.0, 0.1);
}

// Phi' = (1 - gamma) Phi + h mu |v_t|: the gap follows the slip, mu h |v_t| / gamma where that is steady.
static void I25_relaxed_gap_follows_the_slip(void** state) {
  (void)state;
  static const double gammas[] = {1.0, 0.5, 0.2};
  const double mu = 0.3, h = 0.01;
  for (int k = 0; k < 3; ++k) {
    ChSimulation* s = slope(mu, 0.5, 0.0, h, gammas[k], CH_POSE_RELAXED);
    double gap = 0.0;
    for (int n = 0; n < 200; ++n) {
      ch_test_step(s);
      ChBodyView view = ch_simulation_body_at(s, 1);
      gap = (1.0 - gammas[k]) * gap + h * mu * view.velocity.x;
      CHECK_NEAR(view.position.y - 0.1, gap, 1e-9);
    }
    CHECK_NEAR(gap / (mu * h * ch_simulation_body_at(s, 1).velocity.x / gammas[k]), 1.0, 0.03);
    ch_simulation_destroy(s);
  }
}

// One step of a particle that slides on the floor: QP takes off at mu |v_t|, so that the two differ by mu v_t / (1 +
// mu^2).
static void I25_schemes_differ_by_the_slip(void** state) {
  (void)state;
  const double mu = 0.4, h = 1e-3;
  for (double speed = 1.0; speed > 0.05; speed *= 0.5) {
    ChSimulation* lcp = slope(mu, 0.0, speed, h, 1.0, CH_POSE_COULOMB);
    ChSimulation* qp = slope(mu, 0.0, speed, h, 1.0, CH_POSE_RELAXED);
    ch_test_step(lcp);
    ch_test_step(qp);
    ChVec3 difference = ch_sub(ch_simulation_body_at(qp, 1).velocity, ch_simulation_body_at(lcp, 1).velocity);
    double slip = ch_simulation_body_at(lcp, 1).velocity.x, take_off = mu * slip / (1.0 + mu * mu);
    CHECK_NEAR(difference.y, take_off, 1e-9);
    CHECK_NEAR(difference.x, -mu * take_off, 1e-9);
    ch_simulation_destroy(lcp);
    ch_simulation_destroy(qp);
  }
}

// The rod that explains 002's tables: length 2, two tips, inertia 1/8, g = 1.
static ChSimulation* start_rod(double mu, double h, ChPose pose) {
  const double angle = 70.0 * M_PI / 180.0;
  ChWorld* world = ch_test_world(2, 1.0, mu, 0.0);
  ch_test_floor(world);
  ChBodyDef body = ch_body_def_default();
  body.position = ch_vec(0.0, sin(angle) + 0.2 + 1e-6, 0.0);
  body.angle = angle;
  body.velocity = ch_vec(-4.0, -0.5, 0.0);
  body.mass = 1.0;
  body.inertia[2] = 0.125;
  ChShapeDef tip = ch_shape_def_default();
  tip.type = CH_SHAPE_DISK;
  tip.radius = 1e-6;
  tip.at = ch_vec(-1.0, 0.0, 0.0);
  int rod = ch_test_body(world, &body, &tip);
  tip.at.x = 1.0;
  ch_test_shape(world, rod, &tip);
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = h;
  options.margin = 100.0;
  options.solve.pose = pose;
  options.solve.tolerance = 1e-10;
  options.rest = false;
  return ch_test_start(world, &options);
}

// h |y_QP - y_LCP| of the table.
static double rod_difference(double mu, double h) {
  ChSimulation* lcp = start_rod(mu, h, CH_POSE_COULOMB);
  ChSimulation* qp = start_rod(mu, h, CH_POSE_RELAXED);
  double sum = 0.0;
  for (long n = lround(2.5 / h); n > 0; --n) {
    ch_test_step(lcp);
    ch_test_step(qp);
    ChBodyView a = ch_simulation_body_at(lcp, 1), b = ch_simulation_body_at(qp, 1);
    ChVec3 apart = ch_sub(a.position, b.position);
    sum += ch_dot(apart, apart) + (a.angle - b.angle) * (a.angle - b.angle);
  }
  ch_simulation_destroy(lcp);
  ch_simulation_destroy(qp);
  return h * sqrt(sum);
}

static void I26_difference_falls_by_the_printed_order(void** state) {
  (void)state;
  enum { LEVELS = 6 };
  double small[LEVELS], large[LEVELS], least = INFINITY, most = 0.0;
  for (int k = 0; k < LEVELS; ++k) {
    small[k] = rod_difference(0.3, 0.1 / (1 << k));
    large[k] = rod_difference(0.75, 0.1 / (1 << k));
    if (k == 0) continue;
    least = fmin(least, large[k - 1] / large[k]);
    most = fmax(most, large[k - 1] / large[k]);
  }
  CHECK_NEAR(log2(small[0] / small[LEVELS - 1]) / (LEVELS - 1), 1.54, 0.1);
  assert_true(large[LEVELS - 1] < 0.01 * large[0] && most > 1.5 * least);  // falls, by no steady factor
}

// A ball thrown along the floor in a direction that no polygon has. Its rotation is locked, so that it slides.
static ChBodyView slide_in_space(int sides, double* gain) {
  ChWorld* world = ch_test_world(3, g, 0.3, 0.0);
  ch_test_floor(world);
  ChBodyDef body = ch_body_def_default();
  body.position = ch_vec(0.0, 0.0, 0.1);
  body.velocity = ch_vec(2.0 * cos(0.3), 2.0 * sin(0.3), 0.0);
  body.locks = CH_LOCK_RX | CH_LOCK_RY | CH_LOCK_RZ;
  ChShapeDef shape = ch_shape_def_default();
  shape.type = CH_SHAPE_SPHERE;
  shape.radius = 0.1;
  ch_test_body(world, &body, &shape);
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = 0.01;
  options.cone_sides = sides;
  options.solve.pose = CH_POSE_RELAXED;
  options.rest = false;
  ChSimulation* s = ch_test_start(world, &options);
  for (int n = 0; n < 20; ++n) *gain = fmax(*gain, ch_test_step(s).gain);
  ChBodyView view = ch_simulation_body_at(s, 1);
  ch_simulation_destroy(s);
  return view;
}

// Facets become the circle, by their number squared, and either gains nothing.
static void I28_polygons_become_the_conic_programme(void** state) {
  (void)state;
  double gain = 0.0, error[3];
  ChBodyView round = slide_in_space(0, &gain);
  for (int k = 0; k < 3; ++k) error[k] = ch_norm(ch_sub(slide_in_space(8 << k, &gain).position, round.position));
  CHECK_AT_MOST(gain, 0.0);
  CHECK_AT_MOST(error[2], 0.2 * error[0]);
  CHECK_AT_MOST(error[2], 1e-2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(I19_contact_drift_is_second_order_when_stabilised),
      cmocka_unit_test(I20_no_step_is_too_large),
      cmocka_unit_test(I21_velocities_are_bounded_alike_for_every_step),
      cmocka_unit_test(I24_relaxed_stepping_converges_and_loses_energy),
      cmocka_unit_test(I25_relaxed_gap_follows_the_slip),
      cmocka_unit_test(I25_schemes_differ_by_the_slip),
      cmocka_unit_test(I26_difference_falls_by_the_printed_order),
      cmocka_unit_test(I28_polygons_become_the_conic_programme),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
