// Contacts that cohesion holds together, against statics: what hangs, what falls, what sticks to a slope, how far a row
// of blocks reaches out of a wall; bonds that heal, and bonds that do not.
#include <math.h>

#include "base/vector.h"
#include "support/near.h"
#include "support/worlds.h"

static const double G = 9.81, R = 0.1, H = 1e-3;

static ChMaterialId sticky(ChWorld* world, double mu, double cohesion, bool heals) {
  ChMaterialDef material = ch_material_def_default();
  material.friction[0] = material.friction[1] = mu;
  material.cohesion = cohesion;
  material.heals = heals;
  return ch_test_material(world, &material);
}

static int body(ChWorld* world, ChShapeDef shape, ChMaterialId material, ChVec3 at, ChVec3 velocity, bool fixed) {
  ChBodyDef def = ch_body_def_default();
  def.position = at, def.velocity = velocity;
  if (fixed) def.kind = CH_BODY_FIXED;
  shape.material = material;
  return ch_test_body(world, &def, &shape);
}

static ChSimulation* start(ChWorld* world) {
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = H;
  return ch_test_start(world, &options);
}

static double ball_weight(void) { return 1000.0 * 4.0 / 3.0 * acos(-1.0) * R * R * R * G; }

// A ball below a ceiling, touching it, or thrown at it from `drop` below.
static ChSimulation* below_a_ceiling(double cohesion, bool heals, double drop, double speed) {
  ChWorld* world = ch_test_world(3, G, 0.5, 0.0);
  ChShapeDef ceiling = ch_shape_def_default(), ball = ch_shape_def_default();
  const ChMaterialId material = sticky(world, 0.5, cohesion, heals);
  ceiling.type = CH_SHAPE_HALFSPACE, ceiling.normal = ch_vec(0.0, 0.0, -1.0);
  ball.type = CH_SHAPE_SPHERE, ball.radius = R;
  body(world, ceiling, material, ch_vec(0.0, 0.0, 0.0), ch_vec(0.0, 0.0, 0.0), true);
  body(world, ball, material, ch_vec(0.0, 0.0, -R - drop), ch_vec(0.0, 0.0, speed), false);
  return start(world);
}

// r_n >= -c: it hangs as long as it weighs no more than c, and falls at 1.001 c as if nothing had held it.
static void a_ball_hangs_at_c_and_falls_beyond(void** state) {
  (void)state;
  for (int side = 0; side < 2; ++side) {
    ChSimulation* s = below_a_ceiling(ball_weight() / (side ? 1.001 : 0.999), false, 0.0, 0.0);
    const ChStepInfo info = ch_test_run(s, 0.5);
    const double t = ch_simulation_time(s), fallen = -R - ch_simulation_body_at(s, 1).position.z;
    // One step under the bond that breaks, and the first order of the step: both are worth v h.
    CHECK_NEAR(fallen, side ? 0.5 * G * t * t : 0.0, side ? 2.0 * G * t * H : 1e-9);
    CHECK_AT_MOST(info.certificate.natural, 1e-8);
    CHECK_AT_MOST(info.gain, 0.0);
    ch_simulation_destroy(s);
  }
}

// Thrown against the ceiling it is pressed there once: where bonds heal it stays, otherwise it comes down again.
static void bonds_form_where_they_heal(void** state) {
  (void)state;
  for (int heals = 0; heals < 2; ++heals) {
    ChSimulation* s = below_a_ceiling(2.0 * ball_weight(), heals == 1, 0.2, 3.0);
    ch_test_run(s, 1.0);
    const double z = ch_simulation_body_at(s, 1).position.z;
    if (heals)
      CHECK_NEAR(z, -R, 1e-6);
    else
      assert_true(z < -0.5);
    ch_simulation_destroy(s);
  }
}

// Friction counts the pull as load: four corners with c each hold a box up to m g sin a = mu (m g cos a + 4 c).
static void friction_counts_the_pull(void** state) {
  (void)state;
  const double mu = 0.5, slope = 1.0, mass = 1000.0 * 8.0 * R * R * R;
  const double needed = mass * G * (sin(slope) / mu - cos(slope)) / 4.0;
  for (int side = 0; side < 2; ++side) {
    ChWorld* world = ch_test_world(3, G, mu, 0.0);
    ChContext context = {0};
    const ChSignal gravity[3] = {{.base = G * sin(slope)}, {.base = 0.0}, {.base = -G * cos(slope)}};
    CHECK_OK(context, ch_world_set_gravity(&context, world, gravity));
    ChShapeDef floor = ch_shape_def_default(), box = ch_shape_def_default();
    const ChMaterialId material = sticky(world, mu, needed * (side ? 0.99 : 1.01), true);
    floor.type = CH_SHAPE_HALFSPACE;
    box.type = CH_SHAPE_BOX, box.half = ch_vec(R, R, R);
    body(world, floor, material, ch_vec(0.0, 0.0, 0.0), ch_vec(0.0, 0.0, 0.0), true);
    body(world, box, material, ch_vec(0.0, 0.0, R), ch_vec(0.0, 0.0, 0.0), false);
    ChSimulation* s = start(world);
    ch_test_run(s, 0.2);
    const double gone = ch_simulation_body_at(s, 1).position.x;
    if (side)
      assert_true(gone > 1e-4);
    else
      CHECK_NEAR(gone, 0.0, 1e-9);
    ch_simulation_destroy(s);
  }
}

// n cubes of edge a out of a wall: their weight turns them about the lowest edge with n^2 m g a / 2, against which two
// corners at the height a pull with c each. The largest overhang: n^2 = 4 c / (m g).
static void a_row_of_blocks_reaches_as_far_as_statics_says(void** state) {
  (void)state;
  enum { BLOCKS = 4 };
  const double a = 2.0 * R, weight = 1000.0 * a * a * a * G, needed = BLOCKS * BLOCKS * weight / 4.0;
  for (int side = 0; side < 2; ++side) {
    ChWorld* world = ch_test_world(3, G, 2.0, 0.0);
    ChShapeDef box = ch_shape_def_default();
    const ChMaterialId material = sticky(world, 2.0, needed * (side ? 0.99 : 1.01), false);
    box.type = CH_SHAPE_BOX, box.half = ch_vec(R, R, R);
    for (int k = 0; k <= BLOCKS; ++k)
      body(world, box, material, ch_vec(k * a, 0.0, 0.0), ch_vec(0.0, 0.0, 0.0), k == 0);
    ChSimulation* s = start(world);
    ch_test_run(s, 0.3);
    const double sunk = -ch_simulation_body_at(s, BLOCKS).position.z;
    if (side)
      assert_true(sunk > 1e-2);
    else
      CHECK_NEAR(sunk, 0.0, 1e-6);
    ch_simulation_destroy(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_hangs_at_c_and_falls_beyond),
      cmocka_unit_test(bonds_form_where_they_heal),
      cmocka_unit_test(friction_counts_the_pull),
      cmocka_unit_test(a_row_of_blocks_reaches_as_far_as_statics_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
