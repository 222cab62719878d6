// Springs and dampers in the freedoms of joints, against closed forms: the implicit Euler method of an oscillator
// exactly, its decay, static deflection, a disc on a torsion spring; the certificate and the ledger of each.
#include <complex.h>
#include <math.h>

#include "base/vector.h"
#include "support/near.h"
#include "support/worlds.h"

// A cube of 1 kg on a slider along z, x from its start.
static ChSimulation* on_a_slider(ChJointAxis axis, double gravity, double speed, double h) {
  ChWorld* world = ch_test_world(3, gravity, 0.5, 0.0);
  ChBodyDef body = ch_body_def_default();
  ChShapeDef shape = ch_shape_def_default();
  ChJointDef joint = ch_joint_def_default();
  ChSimulationOptions options = ch_simulation_options_default();
  ChContext context = {0};
  body.velocity = ch_vec(0.0, 0.0, speed);
  shape.type = CH_SHAPE_BOX, shape.half = ch_vec(0.05, 0.05, 0.05);  // 1000 kg/m^3: 1 kg
  ch_test_body(world, &body, &shape);
  joint.type = CH_JOINT_SLIDER;
  joint.body[0] = CH_GROUND, joint.body[1] = ch_body_id(0);
  joint.axis = ch_vec(0.0, 0.0, 1.0);
  axis.lower = -INFINITY, axis.upper = INFINITY;
  joint.axes[0] = axis;
  CHECK_OK(context, ch_world_add_joint(&context, world, &joint, NULL));
  options.h = h;
  return ch_test_start(world, &options);
}

static double height(const ChSimulation* s) { return ch_simulation_body_at(s, 0).position.z; }

// v+ = v - h w^2 x+, x+ = x + h v+: with y = w x + i v a step is y+ = y / (1 + i h w), so that the swing loses
// (1 + h^2 w^2)^(-1/2) a step and turns by atan(h w).
static void a_swing_is_the_implicit_euler_method_to_rounding(void** state) {
  (void)state;
  const double k = 400.0, w = sqrt(k), h = 1e-3, rest = 0.1;
  ChSimulation* s = on_a_slider((ChJointAxis){.stiffness = k, .rest = rest}, 0.0, 0.0, h);
  double complex y = -w * rest;
  for (int step = 1; step <= 700; ++step) {
    const ChStepInfo info = ch_test_run(s, step * h);
    y /= 1.0 + I * h * w;
    CHECK_NEAR(height(s) - rest, creal(y) / w, 1e-9);
    CHECK_AT_MOST(info.certificate.natural, 1e-8);
    CHECK_AT_MOST(info.gain, 1e-12);
    if (step == 1) CHECK_NEAR(info.potential, 0.5 * k * (height(s) - rest) * (height(s) - rest), 1e-9);
  }
  ch_simulation_destroy(s);
}

// x = exp(-d t / 2 m) v / w_d sin(w_d t), w_d^2 = k / m - (d / 2 m)^2; the step is of first order.
static void a_damper_takes_the_swing_away(void** state) {
  (void)state;
  const double k = 400.0, d = 8.0, v = 1.0, h = 1e-4, wd = sqrt(k - 0.25 * d * d);
  ChSimulation* s = on_a_slider((ChJointAxis){.stiffness = k, .damping = d}, 0.0, v, h);
  for (int part = 1; part <= 4; ++part) {
    ch_test_run(s, 0.1 * part);
    const double t = ch_simulation_time(s);
    CHECK_NEAR(height(s), exp(-0.5 * d * t) * v / wd * sin(wd * t), 5.0 * v * h);
  }
  ch_simulation_destroy(s);
}

// A damper alone: v+ = v / (1 + h d / m) each step.
static void a_damper_alone_halves_a_speed(void** state) {
  (void)state;
  const double d = 2.0, h = 1e-3;
  ChSimulation* s = on_a_slider((ChJointAxis){.damping = d}, 0.0, 3.0, h);
  ch_test_run(s, 0.5);
  CHECK_NEAR(ch_simulation_body_at(s, 0).velocity.z, 3.0 * pow(1.0 + h * d, -500.0), 1e-8);
  ch_simulation_destroy(s);
}

// m g / k below where it rests, however stiff; the joint's row says the force.
static void a_spring_hangs_at_m_g_over_k(void** state) {
  (void)state;
  const double g = 9.81;
  for (double k = 1e2; k < 1e9; k *= 1e3) {
    ChSimulation* s = on_a_slider((ChJointAxis){.stiffness = k, .damping = 2.0 * sqrt(k)}, g, 0.0, 1e-2);
    ch_test_run(s, 3.0);
    CHECK_NEAR(height(s), -g / k, 1e-7 * g / k + 1e-12);
    CHECK_NEAR(ch_simulation_joint(s, ch_joint_id(0)).drive[0], g, 1e-5);
    ch_simulation_destroy(s);
  }
}

// A disc in the plane on a torsion spring: the period of the swing is 2 pi sqrt(I / k).
static void a_torsion_spring_swings_with_its_period(void** state) {
  (void)state;
  const double radius = 0.1, inertia = 0.5 * 1000.0 * acos(-1.0) * pow(radius, 4.0), k = 50.0, h = 1e-4;
  ChWorld* world = ch_test_world(2, 0.0, 0.5, 0.0);
  ChBodyDef body = ch_body_def_default();
  ChShapeDef shape = ch_shape_def_default();
  ChJointDef joint = ch_joint_def_default();
  ChSimulationOptions options = ch_simulation_options_default();
  ChContext context = {0};
  shape.type = CH_SHAPE_DISK, shape.radius = radius;
  ch_test_body(world, &body, &shape);
  joint.type = CH_JOINT_HINGE;
  joint.body[0] = CH_GROUND, joint.body[1] = ch_body_id(0);
  joint.axes[0] = (ChJointAxis){.lower = -INFINITY, .upper = INFINITY, .stiffness = k, .rest = 0.2};
  CHECK_OK(context, ch_world_add_joint(&context, world, &joint, NULL));
  options.h = h;
  ChSimulation* s = ch_test_start(world, &options);
  ch_test_run(s, acos(-1.0) * sqrt(inertia / k));  // half a period: on the other side
  CHECK_NEAR(ch_simulation_joint(s, ch_joint_id(0)).position[0], 0.4, 0.4 * 0.02);
  ch_test_run(s, 2.0 * acos(-1.0) * sqrt(inertia / k));
  CHECK_NEAR(ch_simulation_joint(s, ch_joint_id(0)).position[0], 0.0, 0.4 * 0.02);
  ch_simulation_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_swing_is_the_implicit_euler_method_to_rounding),
      cmocka_unit_test(a_damper_takes_the_swing_away),
      cmocka_unit_test(a_damper_alone_halves_a_speed),
      cmocka_unit_test(a_spring_hangs_at_m_g_over_k),
      cmocka_unit_test(a_torsion_spring_swings_with_its_period),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
