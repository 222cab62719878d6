// Joints, drives, springs and wrenches on deformable bodies: frames that follow a region of the skin, rows with exact
// gradients along the modes, closed forms of a bar that is loaded, driven and held at its end.
#include <string.h>

#include "model/forces.h"
#include "model/joint_rows.h"
#include "model/soft/soft_grip.h"
#include "step/soft_step.h"
#include "support/near.h"
#include "support/random.h"
#include "support/soft_world.h"

static const double g = 9.81;
static const ChVec3 still = {0.0, 0.0, 0.0};

// A rubber bar along x from -0.5 to 0.5 m, 60 x 40 mm, clamped at its lower end or free.
static int add_bar(ChWorld* world, ChSoftKind kind, bool clamped, int modes, double young, double beta, ChVec3 at) {
  ChBar bar = ch_bar(kind, clamped, modes);
  bar.def.young = young;
  bar.def.beta = beta;
  ChBodyDef def = ch_body_def_default();
  def.position = at;
  return ch_test_bar_body(world, &bar, &def);
}

// --- the frame, by differences ---------------------------------------------------------------------------------------

static ChVec3 turn_between(const ChMat3* from, const ChMat3* to) {
  ChMat3 back = ch_mat_transposed(from), d = ch_mat_product(to, &back);
  return ch_vec(0.5 * (d.m[2][1] - d.m[1][2]), 0.5 * (d.m[0][2] - d.m[2][0]), 0.5 * (d.m[1][0] - d.m[0][1]));
}

static void frames_turn_as_their_derivative_says(void** state) {
  (void)state;
  ChContext context = {0};
  ChArena* arena = ch_arena_create(NULL);
  ChBar bar = ch_bar(CH_SOFT_MODAL, false, 9);
  const ChSoft* soft = ch_bar_soft(arena, &bar);
  const struct {
    ChVec3 at;
    double reach;
    bool flat;
  } cases[] = {{{0.5, 0.03, 0.02}, 0.0, false},
               {{0.0, 0.03, 0.0}, 0.0, true},
               {{0.5, 0.0, 0.0}, 0.05, true},
               {{0.4, 0.0, 0.0}, 0.2, false},
               {{0.0, 0.0, 0.0}, 2.0, true}};
  ChRandom random = {.state = 7};
  for (int k = 0; k < 5; ++k) {
    const ChSoftGrip* grip;
    CHECK_OK(context, ch_soft_grip_make(&context, arena, soft, cases[k].at, cases[k].reach, "here", &grip));
    for (int trial = 0; trial < 10; ++trial) {
      double q[9], p[9], T[27];
      for (int a = 0; a < 9; ++a) q[a] = 0.05 * ch_random_uniform(&random, -1.0, 1.0);
      ChSoftGripPose here, ahead, behind;
      ch_soft_grip_find(grip, q, &here, T);
      for (int a = 0; a < 9; ++a) {
        const double d = 1e-6;
        memcpy(p, q, sizeof p);
        p[a] = q[a] + d;
        ch_soft_grip_find(grip, p, &ahead, NULL);
        p[a] = q[a] - d;
        ch_soft_grip_find(grip, p, &behind, NULL);
        ChVec3 turn = ch_scale(0.5 / d, turn_between(&behind.turn, &ahead.turn));
        for (int i = 0; i < 3; ++i) CHECK_NEAR(T[9 * i + a], ch_component(turn, i), 1e-7 * (1.0 + fabs(T[9 * i + a])));
      }
      ChMat3 back = ch_mat_transposed(&here.turn), one = ch_mat_product(&here.turn, &back);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) CHECK_NEAR(one.m[i][j], i == j ? 1.0 : 0.0, 1e-14);
      ChFrame now = ch_soft_grip_frame(grip, q, (ChFrame){cases[k].at, ch_quat_identity()});
      ChFrame rest = ch_soft_grip_rest(grip, q, now);
      CHECK_NEAR(ch_norm(ch_sub(rest.at, cases[k].at)), 0.0, 1e-14);
    }
  }
  ch_arena_destroy(arena);
}

// A body that is bent by a rotation of all of its vertices cannot be made of modes; but a bar that bends in a circle
// turns its end by length over radius.
static void rows_are_the_derivatives_of_what_joints_ask(void** state) {
  (void)state;
  ChRandom random = {.state = 3};
  for (int type = 0; ch_joint_info((ChJointType)type); ++type)
    for (int both = 0; both < 2; ++both) {
      ChContext context = {0};
      ChWorld* world = ch_test_world(3, g, 0.0, 0.0);
      int soft = add_bar(world, CH_SOFT_MODAL, false, 7, 1e7, 0.0, still);
      int other = both ? add_bar(world, CH_SOFT_MODAL, false, 7, 1e7, 0.0, ch_vec(1.0, 0.1, 0.0))
                       : ch_test_point(world, ch_vec(0.9, 0.1, 0.0), still, 1.0);
      ChJointDef def = ch_test_joint_def((ChJointType)type, soft, other, ch_vec(0.5, 0.0, 0.0));
      for (int k = 0; k < ch_joint_info((ChJointType)type)->freedoms; ++k) def.axes[k].friction = 1.0;
      def.reach = 0.1;
      ch_test_joint(world, &def);
      CHECK_OK(context, ch_world_seal(&context, world));
      const ChJoint* joint = &world->joints[0];
      double* modes = ch_state_modes(world, world->states, 0);
      for (int a = 0; a < world->mode_count; ++a) modes[a] = 0.03 * ch_random_uniform(&random, -1.0, 1.0);
      world->states[soft].orientation = ch_quat_about(ch_unit(ch_vec(1.0, 2.0, -1.0)), 0.2);
      ChJointRow rows[CH_JOINT_ROWS_MAX], ahead[CH_JOINT_ROWS_MAX], behind[CH_JOINT_ROWS_MAX];
      int count = ch_joint_rows(world, joint, world->states, 0.0, rows);
      for (int k = 0; k < count; ++k)
        for (int side = 0; side < 2; ++side) {
          const ChRow* row = &rows[k].row;
          double bend[CH_SOFT_MODES_MAX];
          const int n = ch_joint_modes(joint, side);
          ch_joint_bends(world, joint, world->states, side, 1, &row, bend);
          for (int a = 0; a < n && rows[k].kind == CH_ROW_EQUAL; ++a) {
            double *q = ch_state_modes(world, world->states, joint->body[side]) + a, was = *q, d = 1e-6;
            *q = was + d;
            ch_joint_rows(world, joint, world->states, 0.0, ahead);
            *q = was - d;
            ch_joint_rows(world, joint, world->states, 0.0, behind);
            *q = was;
            CHECK_NEAR(bend[a], (ahead[k].value - behind[k].value) / (2.0 * d), 1e-7 * (1.0 + fabs(bend[a])));
          }
        }
      ch_world_destroy(world);
    }
}

// --- a bar that is loaded at its end ---------------------------------------------------------------------------------

static ChSimulationOptions options_of(const char* integrator, double h) {
  ChSimulationOptions options = ch_simulation_options_default();
  options.integrator = integrator;
  options.h = h;
  return options;
}

static ChVec3 end_of(const ChSimulation* s, int body, ChVec3 rest) {
  const ChSoft* soft = s->world->bodies[body].soft;
  const double* q = ch_state_modes(s->world, s->states, body);
  return ch_frame_point(ch_state_frame(s->states, body), ch_soft_vertex(soft, ch_soft_nearest(soft, rest, NULL), q));
}

typedef enum Load { LOAD_NONE, LOAD_BOB, LOAD_WRENCH, LOAD_SPRING } Load;

// How far the end of the bar sinks.
static double sinks(Load load) {
  ChWorld* world = ch_test_world(3, g, 0.0, 0.0);
  int bar = add_bar(world, CH_SOFT_MODAL, true, 20, 3e8, 2e-2, still);
  const ChVec3 tip = {0.5, 0.0, 0.0};
  if (load == LOAD_BOB) {
    int bob = ch_test_point(world, tip, still, 2.0);
    ChJointDef ball = ch_test_joint_def(CH_JOINT_BALL, bar, bob, tip);
    ch_test_joint(world, &ball);
  } else if (load == LOAD_WRENCH) {
    ChForceDef wrench = ch_force_def_default();
    wrench.type = CH_FORCE_WRENCH;
    wrench.body[0] = ch_body_id(bar);
    wrench.at[0] = tip;
    wrench.force[2].base = -2.0 * g;
    ch_test_force(world, &wrench);
  } else if (load == LOAD_SPRING) {
    ChJointDef rod = ch_test_joint_def(CH_JOINT_DISTANCE, -1, bar, ch_vec(0.5, 0.0, -0.4));
    rod.second_at = tip;
    rod.axes[0] = (ChJointAxis){.stiffness = 1000.0, .rest = 0.3};
    ch_test_joint(world, &rod);
  }
  ChSimulationOptions options = options_of("euler", 4e-3);
  options.deformation_weight = 0.6;  // fast modes die out
  ChSimulation* s = ch_test_start(world, &options);
  ch_test_run(s, 8.0);
  double z = end_of(s, bar, tip).z;
  CHECK_AT_MOST(ch_simulation_info(s).kinetic, 1e-6);
  CHECK_AT_MOST(ch_simulation_info(s).joint_error, 1e-9);
  ch_simulation_destroy(s);
  return -z;
}

static void F2_loads_at_the_end_bend_a_bar_as_beams_bend(void** state) {
  (void)state;
  const double EI = 3e8 * 0.06 * pow(0.04, 3) / 12.0, compliance = 1.0 / (3.0 * EI);  // of a length of 1 m
  const double own = sinks(LOAD_NONE), bob = sinks(LOAD_BOB) - own, wrench = sinks(LOAD_WRENCH) - own;
  CHECK_NEAR(bob, 2.0 * g * compliance, 0.03 * 2.0 * g * compliance);
  CHECK_NEAR(wrench, bob, 1e-5);
  // The spring's length is 0.4 - sunk and its force 1000 (0.1 - sunk): sunk = own + compliance force.
  const double sunk = sinks(LOAD_SPRING), force = 1000.0 * (0.1 - sunk);
  CHECK_NEAR(sunk, own + compliance * force, 0.03 * sunk);
}

// A moment at the end, through a fixed joint with an arm of 0.2 m along y: the bar is twisted and bent. What the end
// turns about x is 2 kg g 0.2 m over the bar's torsional stiffness, and its frame turns as much as the arm does.
static void fixed_joints_pass_on_moments(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, g, 0.0, 0.0);
  int bar = add_bar(world, CH_SOFT_MODAL, true, 30, 3e8, 2e-2, still);
  int arm = ch_test_point(world, ch_vec(0.5, 0.2, 0.0), still, 2.0);
  ChJointDef fixed = ch_test_joint_def(CH_JOINT_FIXED, bar, arm, ch_vec(0.5, 0.0, 0.0));
  fixed.reach = 0.04;
  ch_test_joint(world, &fixed);
  ChSimulationOptions options = options_of("euler", 2e-3);
  ChSimulation* s = ch_test_start(world, &options);
  ch_test_run(s, 4.0);
  ChBodyView at = ch_simulation_body(s, ch_body_id(arm));
  const double twist = 2.0 * at.orientation.x / at.orientation.w;
  const double G = 3e8 / 2.6, a = 0.03, b = 0.02;  // St. Venant's torsion of a rectangle 2a x 2b
  const double J = a * b * b * b * (16.0 / 3.0 - 3.36 * b / a * (1.0 - pow(b / a, 4) / 12.0));
  CHECK_NEAR(-twist, -2.0 * g * 0.2 / (G * J) * -1.0, 0.1 * 2.0 * g * 0.2 / (G * J));
  ch_simulation_destroy(s);
}

// --- motion ----------------------------------------------------------------------------------------------------------

// A free bar with a block on a ball joint at its end, thrown.
static ChSimulation* thrown(ChSoftKind kind, const char* integrator, double h) {
  ChWorld* world = ch_test_world(3, 0.0, 0.0, 0.0);
  int bar = add_bar(world, kind, false, 8, 1e7, 0.0, still);
  int block = ch_test_point(world, ch_vec(0.7, 0.1, 0.0), still, 0.5);
  world->states[block].velocity = ch_vec(0.0, 0.0, 1.0);
  ChJointDef ball = ch_test_joint_def(CH_JOINT_BALL, bar, block, ch_vec(0.5, 0.0, 0.0));
  ch_test_joint(world, &ball);
  world->states[block].omega = ch_vec(0.0, -5.0, 0.0);  // so that its point at the joint stands still
  ChSimulationOptions options = options_of(integrator, h);
  options.solve.tolerance = 1e-11;
  return ch_test_start(world, &options);
}

typedef struct Kept {
  double energy, momentum, spin, joint;
} Kept;

static Kept follow(ChSoftKind kind, const char* integrator, double h) {
  ChSimulation* s = thrown(kind, integrator, h);
  const ChStepInfo start = ch_simulation_info(s);
  Kept kept = {0};
  while (ch_simulation_time(s) < 0.2 - 0.5 * h) {
    ChStepInfo info = ch_test_step(s);
    assert_false(info.missed);
    kept.energy = fmax(kept.energy, fabs(info.kinetic + info.potential - start.kinetic - start.potential));
    kept.momentum = fmax(kept.momentum, ch_norm(ch_sub(info.momentum, start.momentum)));
    kept.spin = fmax(kept.spin, ch_norm(ch_sub(info.angular_momentum, start.angular_momentum)));
    kept.joint = fmax(kept.joint, info.joint_error);
  }
  ch_simulation_destroy(s);
  return kept;
}

static void L13_half_steps_hold_joints_on_what_bends(void** state) {
  (void)state;
  for (int k = 0; k < 2; ++k) {
    const ChSoftKind kind = k == 0 ? CH_SOFT_MODAL : CH_SOFT_STVK;
    Kept coarse = follow(kind, "half-step", 1e-3), fine = follow(kind, "half-step", 5e-4);
    CHECK_AT_MOST(coarse.momentum, 1e-12);
    CHECK_AT_MOST(fmax(coarse.joint, fine.joint), 1e-12);
    CHECK_AT_MOST(coarse.energy, 1e-5);  // of 12.75 J; in contact M^ is linear: of the order of h
    CHECK_AT_MOST(fine.energy, 0.75 * coarse.energy);
    CHECK_AT_MOST(fine.spin, 0.75 * coarse.spin);
  }
  Kept stabilised = follow(CH_SOFT_MODAL, "euler", 1e-3), finer = follow(CH_SOFT_MODAL, "euler", 5e-4);
  CHECK_AT_MOST(stabilised.momentum, 1e-12);
  CHECK_AT_MOST(stabilised.joint, 1e-4);
  CHECK_AT_MOST(finer.joint, 0.3 * stabilised.joint);  // of the order of h^2
}

// A bar whose end is welded to a driven body, and one that a motor turns: the ends go where they are driven, and the
// energy that comes in is told.
static void driven_regions_and_motors(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, 0.0, 0.0, 0.0);
  ChBodyDef hand = ch_body_def_default();
  hand.kind = CH_BODY_KINEMATIC;
  hand.position = ch_vec(-0.5, 0.0, 0.0);
  hand.motion[2] = (ChSignal){.amplitude = 0.05, .frequency = 1.0};
  int held = add_bar(world, CH_SOFT_MODAL, false, 12, 1e7, 1e-2, still);
  int driver = ch_test_body(world, &hand, NULL);
  ChJointDef weld = ch_test_joint_def(CH_JOINT_FIXED, driver, held, ch_vec(-0.5, 0.0, 0.0));
  weld.reach = 0.04;
  ch_test_joint(world, &weld);
  int turned = add_bar(world, CH_SOFT_STVK, false, 12, 1e8, 1e-3, ch_vec(0.0, 2.0, 0.0));
  ChJointDef motor = ch_test_joint_def(CH_JOINT_HINGE, -1, turned, ch_vec(-0.5, 2.0, 0.0));
  motor.axes[0] = (ChJointAxis){.drive = CH_DRIVE_VELOCITY, .strength = 50.0};
  motor.axes[0].target.base = 2.0;
  motor.reach = 0.04;
  ChJointId hinge = ch_test_joint(world, &motor);
  ChSimulationOptions options = options_of("euler", 1e-3);
  ChSimulation* s = ch_test_start(world, &options);
  double most = 0.0;
  for (int n = 0; n < 2000; ++n) {
    ChStepInfo info = ch_test_step(s);
    assert_false(info.missed);
    CHECK_AT_MOST(info.joint_error, 2e-5);
    CHECK_AT_MOST(info.gain, 1e-3 * (info.kinetic + info.potential) + 1e-9);
    const double z = ch_simulation_body(s, ch_body_id(driver)).position.z;
    CHECK_NEAR(ch_joint_frame_now(s->world, &s->world->joints[0], s->states, 1).at.z, z,
               5e-4);  // seen half a step ahead
    most = fmax(most, fabs(end_of(s, held, ch_vec(0.5, 0.0, 0.0)).z - z));
  }
  CHECK_AT_MOST(0.01, most);  // the other end lags
  ChJointView view = ch_simulation_joint(s, hinge);
  CHECK_NEAR(view.speed[0], 2.0, 1e-5);
  CHECK_NEAR(view.position[0], 4.0 - 2.0 * M_PI, 0.1);  // 2 s at 2 rad/s
  ch_simulation_destroy(s);
}

static void joints_that_come_later_grip_what_is_bent(void** state) {
  (void)state;
  ChContext context = {0};
  ChWorld* world = ch_test_world(3, g, 0.0, 0.0);
  int bar = add_bar(world, CH_SOFT_MODAL, true, 12, 1e8, 1e-2, still);
  ChSimulationOptions options = options_of("euler", 2e-3);
  ChSimulation* s = ch_test_start(world, &options);
  ch_test_run(s, 0.5);
  const ChVec3 tip = {0.5, 0.0, 0.0}, at = end_of(s, bar, tip);
  assert_true(at.z < -0.01);
  ChJointDef ball = ch_test_joint_def(CH_JOINT_BALL, -1, bar, at);
  ChJointId id;
  CHECK_OK(context, ch_simulation_add_joint(&context, s, &ball, &id));
  ch_test_run(s, 1.5);
  CHECK_NEAR(ch_norm(ch_sub(end_of(s, bar, tip), at)), 0.0, 2e-3);  // its frame follows the neighbours, too
  CHECK_NEAR(ch_simulation_info(s).joint_error, 0.0, 1e-6);
  assert_true(ch_simulation_joint(s, id).force.z > 0.1);
  CHECK_OK(context, ch_simulation_remove_joint(&context, s, id));
  ch_test_run(s, 2.0);
  ch_simulation_destroy(s);
}

// A run that is cut and goes on from what was saved is the run itself.
static void checkpoints_hold_joints_on_what_bends(void** state) {
  (void)state;
  static const char* const names[] = {"euler", "half-step"};
  for (int k = 0; k < 2; ++k) {
    ChContext context = {0};
    ChSimulation *whole = thrown(CH_SOFT_STVK, names[k], 1e-3), *cut = thrown(CH_SOFT_STVK, names[k], 1e-3);
    char bytes[65536];
    size_t size = 0;
    for (int n = 0; n < 40; ++n) ch_test_step(whole);
    for (int n = 0; n < 20; ++n) ch_test_step(cut);
    CHECK_OK(context, ch_simulation_save(&context, cut, NULL, &size));
    assert_true(size <= sizeof bytes);
    CHECK_OK(context, ch_simulation_save(&context, cut, bytes, &size));
    ch_simulation_destroy(cut);
    cut = thrown(CH_SOFT_STVK, names[k], 1e-3);
    CHECK_OK(context, ch_simulation_load(&context, cut, bytes, size));
    for (int n = 0; n < 20; ++n) ch_test_step(cut);
    assert_memory_equal(whole->states, cut->states, ch_world_state_bytes(whole->world));
    ch_simulation_destroy(whole);
    ch_simulation_destroy(cut);
  }
}

static void what_cannot_be_gripped_is_refused(void** state) {
  (void)state;
  ChContext context = {0};
  ChWorld* world = ch_test_world(3, g, 0.0, 0.0);
  int bar = add_bar(world, CH_SOFT_MODAL, false, 8, 1e7, 0.0, still);
  ChJointDef ball = ch_test_joint_def(CH_JOINT_BALL, -1, bar, ch_vec(0.5, 0.0, 0.0));
  ball.reach = 1e-3;
  assert_int_not_equal(ch_world_add_joint(&context, world, &ball, NULL), CH_OK);
  assert_non_null(strstr(context.message, "reach"));
  ball.reach = -1.0;
  assert_int_not_equal(ch_world_add_joint(&context, world, &ball, NULL), CH_OK);
  ChForceDef spring = ch_force_def_default();
  spring.body[0] = CH_GROUND;
  spring.body[1] = ch_body_id(bar);
  spring.at[0] = ch_vec(0.0, 0.0, 1.0);
  spring.stiffness = 1.0;
  assert_int_not_equal(ch_world_add_force(&context, world, &spring, NULL), CH_OK);
  assert_non_null(strstr(context.message, "distance joint"));
  ch_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frames_turn_as_their_derivative_says),
      cmocka_unit_test(rows_are_the_derivatives_of_what_joints_ask),
      cmocka_unit_test(F2_loads_at_the_end_bend_a_bar_as_beams_bend),
      cmocka_unit_test(fixed_joints_pass_on_moments),
      cmocka_unit_test(driven_regions_and_motors),
      cmocka_unit_test(joints_that_come_later_grip_what_is_bent),
      cmocka_unit_test(checkpoints_hold_joints_on_what_bends),
      cmocka_unit_test(what_cannot_be_gripped_is_refused),
      cmocka_unit_test(L13_half_steps_hold_joints_on_what_bends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
