// Control at run time: what is commanded between steps does what mechanics says, and what is asked for is what it did.
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "cardhouse/joint.h"
#include "support/near.h"
#include "support/worlds.h"

static const double g = 9.81, m = 2.0, l = 0.5, h = 1e-3;
static const ChVec3 still = {0.0, 0.0, 0.0};
static ChContext context;

// A rod of mass m on a hinge about y through the origin, its centre of mass at (l, 0, 0); inertia J about the hinge.
static const double J = 0.1 + 2.0 * 0.5 * 0.5;

static ChSimulation* arm(double gravity, ChDrive drive, ChJointId* hinge) {
  ChWorld* world = ch_test_world(3, gravity, 0.5, 0.0);
  ChBodyDef rod = ch_body_def_default();
  rod.name = "rod";
  rod.position = ch_vec(l, 0.0, 0.0);
  rod.mass = m;
  rod.inertia[0] = rod.inertia[1] = rod.inertia[2] = 0.1;
  ChJointDef def = ch_joint_def_default();
  def.name = "elbow";
  def.type = CH_JOINT_HINGE;
  def.body[0] = CH_GROUND, def.body[1] = ch_body_id(ch_test_body(world, &rod, NULL));
  def.axis = ch_axis(1);
  def.axes[0].drive = drive;
  *hinge = ch_test_joint(world, &def);
  ChSimulationOptions options = ch_simulation_options_default();
  options.solve.tolerance = 1e-12;
  return ch_test_start(world, &options);
}

// Gravity turns the rod about y with m g l; the opposite torque holds it, and the hinge carries m g.
static void a_torque_that_balances_gravity_holds_the_rod(void** state) {
  (void)state;
  ChJointId hinge;
  ChSimulation* s = arm(g, CH_DRIVE_FORCE, &hinge);
  CHECK_OK(context, ch_simulation_set_target(&context, s, hinge, 0, -m * g * l));
  for (int n = 0; n < 200; ++n) ch_test_step(s);
  ChJointView view = ch_simulation_joint(s, hinge);
  assert_int_equal(view.freedoms, 1);
  CHECK_NEAR(view.position[0], 0.0, 1e-9);
  CHECK_NEAR(view.speed[0], 0.0, 1e-9);
  CHECK_NEAR(view.drive[0], -m * g * l, 0.0);
  CHECK_NEAR(ch_norm(ch_sub(view.force, ch_vec(0.0, 0.0, m * g))), 0.0, 1e-6);
  CHECK_NEAR(ch_norm(ch_sub(view.torque, ch_vec(0.0, -m * g * l, 0.0))), 0.0, 1e-6);
  ch_simulation_destroy(s);
}

// Without gravity a torque T turns it by T t^2 / (2 J), but for the step's first-order error T h t / (2 J); its work is
// the kinetic energy.
static void a_torque_accelerates_by_the_inertia(void** state) {
  (void)state;
  ChJointId hinge;
  ChSimulation* s = arm(0.0, CH_DRIVE_FORCE, &hinge);
  const double torque = 0.3, t = 0.5;
  double work = 0.0;
  CHECK_OK(context, ch_simulation_set_target(&context, s, hinge, 0, torque));
  while (ch_simulation_time(s) < t - 1e-9) work += ch_test_step(s).work;
  ChJointView view = ch_simulation_joint(s, hinge);
  CHECK_NEAR(view.speed[0], torque * t / J, 1e-4);
  CHECK_NEAR(view.position[0], torque * t * (t + h) / (2.0 * J), 1e-4);
  CHECK_NEAR(work, ch_simulation_info(s).kinetic, 1e-9);
  CHECK_NEAR(ch_simulation_info(s).gain, 0.0, 0.0);
  ch_simulation_destroy(s);
}

// A motor without bound reaches its target in one step, with the torque J dw / h.
static void motors_follow_targets_that_change_between_steps(void** state) {
  (void)state;
  ChJointId hinge;
  ChSimulation* s = arm(0.0, CH_DRIVE_VELOCITY, &hinge);
  double speed = 0.0;
  for (int n = 0; n < 20; ++n) {
    double target = 0.1 * (n % 7);
    CHECK_OK(context, ch_simulation_set_target(&context, s, hinge, 0, target));
    ch_test_step(s);
    ChJointView view = ch_simulation_joint(s, hinge);
    CHECK_NEAR(view.speed[0], target, 1e-9);
    CHECK_NEAR(view.drive[0], J * (target - speed) / h, 1e-3 * J / h);
    speed = target;
  }
  double there = ch_simulation_joint(s, hinge).position[0] + 1e-4;
  CHECK_OK(context, ch_simulation_set_drive(&context, s, hinge, 0, CH_DRIVE_POSITION, there, 0.0));
  ch_test_step(s);
  CHECK_NEAR(ch_simulation_joint(s, hinge).position[0], there, 1e-8);
  CHECK_OK(context, ch_simulation_set_target(&context, s, hinge, 0, there));
  for (int n = 0; n < 5; ++n) ch_test_step(s);  // errors of the hinge that its motion made are gone
  CHECK_OK(context, ch_simulation_set_drive(&context, s, hinge, 0, CH_DRIVE_VELOCITY, 100.0, 3.0));
  ch_test_step(s);
  CHECK_NEAR(ch_simulation_joint(s, hinge).drive[0], 3.0, 1e-6);
  CHECK_NEAR(ch_simulation_joint(s, hinge).speed[0], 3.0 * h / J, 1e-6);
  ChJointRowView rows[CH_JOINT_ROW_LIMIT];
  int count = ch_simulation_joint_rows(s, hinge, rows);
  assert_int_equal(count, 6);
  assert_int_equal(rows[5].type, CH_JOINT_ROW_MOTOR);
  CHECK_NEAR(rows[5].force, 3.0, 1e-6);
  ch_simulation_destroy(s);
}

// F / m and T / J for as long as it is applied, which is one step a call; the work is what the body gets.
static void a_wrench_lasts_one_step(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, 0.0, 0.5, 0.0);
  int ball = ch_test_point(world, still, still, 4.0);
  ChSimulationOptions options = ch_simulation_options_default();
  ChSimulation* s = ch_test_start(world, &options);
  double work = 0.0;
  for (int n = 0; n < 10; ++n) {
    ChVec3 at = ch_simulation_body_at(s, ball).position;
    CHECK_OK(context, ch_simulation_apply(&context, s, ch_body_id(ball), ch_vec(8.0, 0.0, 0.0), ch_axis(2), at));
    CHECK_OK(context, ch_simulation_apply(&context, s, ch_body_id(ball), ch_vec(0.0, 4.0, 0.0), still,
                                          ch_add(at, ch_vec(0.5, 0.0, 0.0))));
    work += ch_test_step(s).work;
  }
  for (int n = 0; n < 10; ++n) work += ch_test_step(s).work;
  ChBodyView view = ch_simulation_body_at(s, ball);
  CHECK_NEAR(ch_norm(ch_sub(view.velocity, ch_vec(10 * h * 2.0, 10 * h * 1.0, 0.0))), 0.0, 1e-12);
  CHECK_NEAR(ch_norm(ch_sub(view.omega, ch_vec(0.0, 0.0, 10 * h * 3.0))), 0.0, 1e-12);
  CHECK_NEAR(work, ch_simulation_info(s).kinetic, 1e-12);
  assert_int_equal(ch_simulation_apply(&context, s, ch_body_id(ball), ch_vec(NAN, 0.0, 0.0), still, still),
                   CH_ERR_RANGE);
  ch_simulation_destroy(s);
}

// A box rides on a plate that is told, step by step, where to be.
static void a_kinematic_body_goes_where_it_is_told(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, g, 0.9, 0.0);
  ChBodyDef plate = ch_body_def_default();
  plate.kind = CH_BODY_KINEMATIC;
  ChShapeDef slab = ch_shape_def_default();
  slab.type = CH_SHAPE_BOX;
  slab.half = ch_vec(1.0, 1.0, 0.1);
  int table = ch_test_body(world, &plate, &slab),
      box = ch_test_box(world, ch_vec(0.0, 0.0, 0.2), ch_vec(0.1, 0.1, 0.1));
  ChSimulationOptions options = ch_simulation_options_default();
  ChSimulation* s = ch_test_start(world, &options);
  for (int n = 1; n <= 300; ++n) {
    double t = n * h;
    ChQuat turn = ch_quat_about(ch_axis(2), 0.5 * t);
    ChVec3 at = ch_vec(t * t, 0.0, 0.3 * t * t);
    CHECK_OK(context, ch_simulation_move(&context, s, ch_body_id(table), at, turn, 0.0));
    ch_test_step(s);
    ChBodyView view = ch_simulation_body_at(s, table);
    assert_true(view.position.x == at.x && view.position.z == at.z && view.orientation.z == turn.z);
    CHECK_NEAR(view.omega.z, 0.5, 1e-9);
  }
  ChBodyView rider = ch_simulation_body_at(s, box);
  CHECK_NEAR(rider.velocity.x, 0.6, 5e-3);
  CHECK_NEAR(rider.omega.z, 0.5, 1e-3);
  ch_test_step(s);  // nobody says more: it stays
  CHECK_NEAR(ch_norm(ch_simulation_body_at(s, table).velocity), 0.0, 0.0);
  assert_int_equal(ch_simulation_move(&context, s, ch_body_id(box), still, ch_quat_identity(), 0.0), CH_ERR_ARGUMENT);
  ch_simulation_destroy(s);
}

static ChSimulation* stack(void) {
  ChWorld* world = ch_test_world(3, g, 0.6, 0.0);
  ch_test_floor(world);
  for (int k = 0; k < 4; ++k) ch_test_box(world, ch_vec(0.02 * k, 0.0, 0.13 + 0.26 * k), ch_vec(0.1, 0.1, 0.125));
  ChSimulationOptions options = ch_simulation_options_default();
  return ch_test_start(world, &options);
}

// Arrays that are read and written back change nothing, to the last bit, and warm starts survive; a pose of a fixed
// body is refused, and then nothing changes.
static void states_go_out_and_in_by_arrays(void** state) {
  (void)state;
  ChSimulation *s = stack(), *other = stack();
  double position[15], orientation[20], velocity[15], omega[15];
  for (int n = 0; n < 300; ++n) {
    ch_simulation_get_bodies(s, position, orientation, velocity, omega);
    CHECK_OK(context, ch_simulation_set_bodies(&context, s, position, orientation, velocity, omega));
    assert_int_equal(ch_test_step(s).iterations, ch_test_step(other).iterations);
  }
  for (int b = 0; b < 5; ++b) {
    ChBodyView x = ch_simulation_body_at(s, b), y = ch_simulation_body_at(other, b);
    assert_memory_equal(&x, &y, sizeof x);
  }
  position[0] = 1.0;
  position[3] = 7.0;
  assert_int_equal(ch_simulation_set_bodies(&context, s, position, NULL, NULL, NULL), CH_ERR_ARGUMENT);
  assert_true(ch_simulation_body_at(s, 1).position.x < 1.0);
  ChBodyView view = ch_simulation_body_at(s, 4);
  view.position = ch_vec(5.0, 0.0, 3.0), view.velocity = ch_vec(0.0, 0.0, 1.0);
  CHECK_OK(context, ch_simulation_set_body(&context, s, ch_body_id(4), &view));
  double energy = ch_simulation_info(s).kinetic;
  CHECK_NEAR(energy, 0.5 * ch_world_body_info(ch_simulation_world(s), ch_body_id(4)).mass, 1e-6);
  ch_test_step(s);
  CHECK_NEAR(ch_simulation_body_at(s, 4).velocity.z, 1.0 - g * h, 1e-12);
  ch_simulation_destroy(s);
  ch_simulation_destroy(other);
}

// What a world was built from can be asked of it.
static void bodies_and_joints_tell_what_they_are(void** state) {
  (void)state;
  ChJointId hinge;
  ChSimulation* s = arm(g, CH_DRIVE_VELOCITY, &hinge);
  const ChWorld* world = ch_simulation_world(s);
  ChBodyInfo info = ch_world_body_info(world, ch_world_find_body(world, "rod"));
  assert_string_equal(info.name, "rod");
  CHECK_NEAR(info.mass, m, 0.0);
  CHECK_NEAR(info.inertia[1], 0.1, 0.0);
  assert_int_equal(ch_world_joint_count(world), 1);
  assert_true(ch_joint_id_equal(ch_world_find_joint(world, "elbow"), hinge));
  assert_true(ch_joint_id_equal(ch_world_joint_at(world, 0), hinge));
  assert_string_equal(ch_world_joint_name(world, hinge), "elbow");
  ChJointDef def;
  CHECK_OK(context, ch_world_joint_def(&context, world, hinge, &def));
  assert_int_equal(def.type, CH_JOINT_HINGE);
  assert_true(ch_body_id_equal(def.body[0], CH_GROUND) && ch_world_body_row(world, def.body[1]) == 0);
  CHECK_NEAR(ch_norm(ch_sub(def.axis, ch_axis(1))), 0.0, 1e-15);
  CHECK_NEAR(ch_norm(def.at), 0.0, 1e-15);
  assert_int_equal(def.axes[0].drive, CH_DRIVE_VELOCITY);
  ch_simulation_destroy(s);
}

// Ids of another world, of nothing and of what was never added are refused; asking by them gives NaN.
static void ids_that_name_nothing_are_refused(void** state) {
  (void)state;
  ChJointId hinge, foreign;
  ChSimulation *s = arm(g, CH_DRIVE_FORCE, &hinge), *other = arm(g, CH_DRIVE_FORCE, &foreign);
  ChBodyId body = ch_world_body_at(ch_simulation_world(other), 0);
  assert_int_equal(ch_simulation_set_target(&context, s, foreign, 0, 1.0), CH_ERR_RANGE);
  assert_non_null(strstr(context.message, "another world's"));
  assert_int_equal(ch_simulation_set_target(&context, s, (ChJointId){0}, 0, 1.0), CH_ERR_RANGE);
  assert_int_equal(ch_simulation_set_target(&context, s, hinge, 1, 1.0), CH_ERR_RANGE);
  assert_int_equal(ch_simulation_set_target(NULL, s, ch_joint_id(1), 0, 1.0), CH_ERR_RANGE);
  assert_int_equal(ch_simulation_place(&context, s, body, still), CH_ERR_RANGE);
  assert_int_equal(ch_simulation_place(&context, s, CH_GROUND, still), CH_ERR_RANGE);
  assert_true(isnan(ch_simulation_body(s, body).position.x) && isnan(ch_simulation_body_at(s, 1).omega.z));
  assert_true(isnan(ch_simulation_joint(s, foreign).position[0]));
  assert_null(ch_world_body_name(ch_simulation_world(s), body));
  assert_int_equal(ch_world_body_row(ch_simulation_world(s), CH_GROUND), -1);
  ch_simulation_destroy(s);
  ch_simulation_destroy(other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_torque_that_balances_gravity_holds_the_rod),
      cmocka_unit_test(a_torque_accelerates_by_the_inertia),
      cmocka_unit_test(motors_follow_targets_that_change_between_steps),
      cmocka_unit_test(a_wrench_lasts_one_step),
      cmocka_unit_test(a_kinematic_body_goes_where_it_is_told),
      cmocka_unit_test(states_go_out_and_in_by_arrays),
      cmocka_unit_test(bodies_and_joints_tell_what_they_are),
      cmocka_unit_test(ids_that_name_nothing_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
