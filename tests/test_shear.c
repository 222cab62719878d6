// Springs along the tangents of contacts, against closed forms: a block that leans and does not slide, its swing, its
// energy, where it begins to slide, the rigid law as the limit, and a turntable that takes the springs along.
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "support/near.h"
#include "support/worlds.h"

static const double G = 9.81, MU = 0.5;

typedef struct Ground {
  int dimension;
  double stiffness, damping;  // of all points of the block together
  double slope, speed;        // of gravity; of the block
  double cohesion;            // of each point
  bool yields;                // along the normal, too
} Ground;

// Corners of a face on a plane. Rigid ones may share a load in any way, so that only one that yields counts on all.
static int points(Ground g) { return !g.yields ? 1 : g.dimension == 3 ? 4 : 2; }

// A body of 1 kg that does not turn: on the corners of its face, or, where normals are rigid, on one point.
static ChSimulation* block_on(Ground g, double h) {
  ChWorld* world = ch_test_world(g.dimension, G, MU, 0.0);
  ChContext context = {0};
  ChMaterialDef material = ch_material_def_default();
  material.friction[0] = material.friction[1] = MU, material.cohesion = g.cohesion;
  material.shear_stiffness = g.stiffness / points(g);
  material.shear_damping = g.damping / points(g);
  const ChMaterialId id = ch_test_material(world, &material);
  ChSignal gravity[3] = {{.base = G * sin(g.slope)}};
  gravity[g.dimension - 1].base = -G * cos(g.slope);
  CHECK_OK(context, ch_world_set_gravity(&context, world, gravity));
  ChBodyDef ground = ch_body_def_default(), block = ch_body_def_default();
  ChShapeDef flat = ch_shape_def_default(), box = ch_shape_def_default();
  const bool space = g.dimension == 3;
  ground.kind = CH_BODY_FIXED;
  flat.material = box.material = id;
  flat.type = space ? CH_SHAPE_HALFSPACE : CH_SHAPE_HALFPLANE;
  flat.normal = space ? ch_vec(0.0, 0.0, 1.0) : ch_vec(0.0, 1.0, 0.0);
  box.type = g.yields ? (space ? CH_SHAPE_BOX : CH_SHAPE_RECTANGLE) : space ? CH_SHAPE_SPHERE : CH_SHAPE_DISK;
  box.radius = 0.1;
  box.half = ch_vec(0.1, 0.1, space ? 0.1 : 0.0);
  block.position = space ? ch_vec(0.0, 0.0, 0.1) : ch_vec(0.0, 0.1, 0.0);
  block.mass = 1.0, block.locks = space ? CH_LOCK_RX | CH_LOCK_RY | CH_LOCK_RZ : CH_LOCK_RZ;
  block.velocity.x = g.speed;
  ch_test_body(world, &ground, &flat);
  ch_test_body(world, &block, &box);
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = h;
  options.contact = g.yields ? CH_CONTACT_COMPLIANT : CH_CONTACT_RIGID;
  return ch_test_start(world, &options);
}

static double place(const ChSimulation* s) { return ch_simulation_body_at(s, 1).position.x; }
static double speed(const ChSimulation* s) { return ch_simulation_body_at(s, 1).velocity.x; }

// Pushed with less than friction bears it comes to rest F / k further on, whatever its normals and bonds do.
static void a_block_leans_by_f_over_k(void** state) {
  (void)state;
  for (int kind = 0; kind < 8; ++kind) {
    const double k = kind % 2 ? 1e4 : 300.0, slope = 0.3;
    const Ground ground = {.dimension = 2 + kind / 4,
                           .stiffness = k,
                           .damping = 2.0 * sqrt(k),
                           .slope = slope,
                           .yields = kind / 2 % 2 == 1,
                           .cohesion = kind == 0 || kind == 7 ? 5.0 : 0.0};
    ChSimulation* s = block_on(ground, 2e-3);
    const ChStepInfo info = ch_test_run(s, 3.0);
    CHECK_NEAR(place(s), G * sin(slope) / k, 1e-7 * G / k + 1e-11);
    CHECK_AT_MOST(info.certificate.natural, 1e-8);
    CHECK_AT_MOST(info.gain, 1e-12);
    ch_simulation_destroy(s);
  }
}

// v+ = v - h w^2 x+, x+ = x + h v+: with y = w x + i v a step is y+ = y / (1 + i h w). Energy comes back from the
// spring but for what the implicit step takes, and the ledger sees no gain.
static void a_swing_is_the_implicit_euler_method_to_rounding(void** state) {
  (void)state;
  const double k = 900.0, w = sqrt(k), h = 1e-3, v = 0.1;
  for (int dimension = 2; dimension <= 3; ++dimension) {
    ChSimulation* s = block_on((Ground){.dimension = dimension, .stiffness = k, .speed = v}, h);
    double complex y = I * v;
    for (int step = 1; step <= 500; ++step) {
      const ChStepInfo info = ch_test_run(s, step * h);
      y /= 1.0 + I * h * w;
      CHECK_NEAR(place(s), creal(y) / w, 1e-9);
      CHECK_NEAR(info.stored, 0.5 * k * place(s) * place(s), 1e-10);
      CHECK_AT_MOST(info.gain, 0.0);
    }
    ch_simulation_destroy(s);
  }
}

// The period 2 pi sqrt(m / k), from the second and the twelfth time that it comes through its middle.
static void it_swings_at_its_natural_frequency(void** state) {
  (void)state;
  const double k = 2500.0, h = 1e-4;
  ChSimulation* s = block_on((Ground){.dimension = 3, .stiffness = k, .speed = 0.05}, h);
  double last = 0.0, at[12];
  for (int count = 0; count < 12;) {
    ch_test_step(s);
    const double x = place(s), t = ch_simulation_time(s);
    if (last != 0.0 && (last > 0.0) != (x > 0.0)) at[count++] = t - h * x / (x - last);
    last = x;
  }
  CHECK_NEAR((at[11] - at[1]) / 5.0, 2.0 * acos(-1.0) / sqrt(k), 1e-4 * 2.0 * acos(-1.0) / sqrt(k));
  ch_simulation_destroy(s);
}

// On a slope beyond tan a = mu it leans, x = p / w^2 (1 - cos w t) with p = g sin a, to mu g cos a / w^2, and slides
// from there with p - mu g cos a. The spring keeps its stretch.
static void beyond_friction_it_slides_and_keeps_its_stretch(void** state) {
  (void)state;
  const double k = 100.0, w = sqrt(k), slope = 0.6, pull = G * sin(slope), holds = MU * G * cos(slope), h = 1e-4;
  const double turn = acos(1.0 - holds / pull), begun = turn / w, first = pull / w * sin(turn), end = 0.6;
  for (int dimension = 2; dimension <= 3; ++dimension) {
    ChSimulation* s = block_on((Ground){.dimension = dimension, .stiffness = k, .slope = slope}, h);
    const ChStepInfo info = ch_test_run(s, end);
    CHECK_NEAR(speed(s), first + (pull - holds) * (end - begun), 20.0 * h);
    CHECK_NEAR(info.stored, 0.5 * holds * holds / k, 1e-9);
    CHECK_AT_MOST(info.gain, 0.0);
    ch_simulation_destroy(s);
  }
}

// What slides on has been left behind: a block that is stopped by friction ends mu m g / k before where its spring has
// no force, and is carried back to it.
static void what_slid_stays_gone(void** state) {
  (void)state;
  const double k = 400.0, v = 2.0;
  ChSimulation* s = block_on((Ground){.dimension = 3, .stiffness = k, .damping = 20.0, .speed = v}, 1e-4);
  ChStepInfo info = ch_test_run(s, 3.0);
  CHECK_NEAR(speed(s), 0.0, 1e-9);
  CHECK_NEAR(info.stored, 0.0, 1e-12);
  // The damper holds at once with d v = 40 N > mu m g: it slides from the start, until mu m g stops it at v^2 / (2 mu
  // g); by then the spring holds all of mu m g, x = mu g / w^2 of it, and gives it back.
  CHECK_NEAR(place(s), 0.5 * v * v / (MU * G) - MU * G / k, 2e-3);
  ch_simulation_destroy(s);
}

// What leans tends to the rigid law's answer in proportion to 1 / k, what slides with 1 / sqrt(k).
static void the_rigid_law_is_the_limit(void** state) {
  (void)state;
  double last = NAN;
  for (int side = 0; side < 2; ++side) {
    const double slope = side ? 0.7 : 0.3;
    ChSimulation* rigid = block_on((Ground){.dimension = 3, .slope = slope}, 1e-3);
    ch_test_run(rigid, 0.3);
    last = NAN;
    for (double k = 1e6; k < 2e9; k *= 10.0) {
      ChSimulation* s = block_on((Ground){.dimension = 3, .stiffness = k, .slope = slope}, 1e-3);
      ch_test_run(s, 0.3);
      const double off = fabs(place(s) - place(rigid));
      if (!side) CHECK_NEAR(off, G * sin(slope) / k, 1e-5 / k + 1e-14);
      if (side) CHECK_AT_MOST(off, 0.3 * G / sqrt(k));  // the speed with which it begins to slide
      if (!side && !isnan(last)) CHECK_NEAR(last / off, 10.0, 1e-2);
      last = off;
      ch_simulation_destroy(s);
    }
    ch_simulation_destroy(rigid);
  }
}

// A block on a turntable, 0.5 m from the axis: its springs turn with both. It swings out to r k / (k - m w^2), with no
// force along its way. Steps move it along tangents, not along its circle, and so h w^2 r / 2 outwards a second, as
// they do with rigid contact.
static void springs_turn_with_their_bodies(void** state) {
  (void)state;
  const double k = 200.0, w = 2.0, r = 0.5, h = 5e-4;
  ChWorld* world = ch_test_world(3, G, 0.9, 0.0);
  ChMaterialDef material = ch_material_def_default();
  material.friction[0] = material.friction[1] = 0.9;
  material.shear_stiffness = k / 4.0, material.shear_damping = 2.0 * sqrt(k) / 4.0;
  const ChMaterialId id = ch_test_material(world, &material);
  ChBodyDef table = ch_body_def_default(), block = ch_body_def_default();
  ChShapeDef flat = ch_shape_def_default(), box = ch_shape_def_default();
  table.kind = CH_BODY_KINEMATIC, table.turn.rate = w;
  flat.type = CH_SHAPE_BOX, flat.half = ch_vec(2.0, 2.0, 0.1);
  box.type = CH_SHAPE_BOX, box.half = ch_vec(0.1, 0.1, 0.02);
  flat.material = box.material = id;
  table.position.z = -0.1;
  block.position = ch_vec(r, 0.0, 0.02), block.mass = 1.0;
  block.velocity.y = w * r, block.omega.z = w;
  ch_test_body(world, &table, &flat);
  ch_test_body(world, &block, &box);
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = h, options.contact = CH_CONTACT_COMPLIANT;
  ChSimulation* s = ch_test_start(world, &options);
  for (int turns = 1; turns <= 3; ++turns) {
    ch_test_run(s, turns * 2.0 * acos(-1.0) / w);
    const ChBodyView at = ch_simulation_body_at(s, 1);
    const double drift = 0.5 * h * w * w * r * ch_simulation_time(s);
    CHECK_NEAR(hypot(at.position.x, at.position.y), r * k / (k - w * w) + drift, 0.1 * drift);
    CHECK_NEAR(atan2(at.position.y, at.position.x), 0.0, 2e-3);
  }
  ch_simulation_destroy(s);
}

// Stretches are part of a checkpoint: the run goes on with the same bits.
static void a_checkpoint_keeps_them(void** state) {
  (void)state;
  const Ground ground = {.dimension = 3, .stiffness = 300.0, .damping = 1.0, .slope = 0.2, .speed = 0.3};
  ChSimulation *a = block_on(ground, 1e-3), *b = block_on(ground, 1e-3);
  ChContext context = {0};
  size_t size = 0;
  ch_test_run(a, 0.05);
  CHECK_OK(context, ch_simulation_save(&context, a, NULL, &size));
  void* bytes = malloc(size);
  CHECK_OK(context, ch_simulation_save(&context, a, bytes, &size));
  CHECK_OK(context, ch_simulation_load(&context, b, bytes, size));
  ch_test_run(a, 0.1), ch_test_run(b, 0.1);
  assert_true(place(a) == place(b) && speed(a) == speed(b));
  ch_test_run(a, 0.15);
  CHECK_OK(context, ch_simulation_load(&context, a, bytes, size));
  ch_test_run(a, 0.1);
  assert_true(place(a) == place(b) && speed(a) == speed(b));
  free(bytes);
  ch_simulation_destroy(a);
  ch_simulation_destroy(b);
}

static void what_there_is_no_law_for_is_refused(void** state) {
  (void)state;
  ChContext context = {0};
  for (int kind = 0; kind < 3; ++kind) {
    ChWorld* world = ch_test_world(3, G, MU, 0.0);
    ChMaterialDef material = ch_material_def_default();
    material.shear_stiffness = kind == 1 ? 0.0 : 100.0;
    material.shear_damping = kind == 1 ? 1.0 : 0.0;
    if (kind == 0) material.rolling = 0.01;
    if (kind == 2) material.shear_stiffness = -1.0;
    ChMaterialId id;
    ChStatus status = ch_world_add_material(&context, world, &material, &id);
    if (kind > 0) {
      assert_int_not_equal(status, CH_OK);
      assert_true(strstr(context.message, kind == 1 ? "without a shear_stiffness" : "shear_stiffness is -1") != NULL);
      ch_world_destroy(world);
      continue;
    }
    ChShapeDef ball = ch_shape_def_default();
    ChBodyDef body = ch_body_def_default();
    ball.type = CH_SHAPE_SPHERE, ball.radius = 0.1, ball.material = id;
    ch_test_floor(world);
    ch_test_body(world, &body, &ball);
    ChSimulationOptions options = ch_simulation_options_default();
    ChSimulation* s;
    // With the floor, which has no spring, the ball's counts: and it rolls.
    assert_int_not_equal(ch_simulation_create(&context, world, &options, &s), CH_OK);
    assert_true(strstr(context.message, "shear stiffness excludes rolling") != NULL);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_block_leans_by_f_over_k),
      cmocka_unit_test(a_swing_is_the_implicit_euler_method_to_rounding),
      cmocka_unit_test(it_swings_at_its_natural_frequency),
      cmocka_unit_test(beyond_friction_it_slides_and_keeps_its_stretch),
      cmocka_unit_test(what_slid_stays_gone),
      cmocka_unit_test(the_rigid_law_is_the_limit),
      cmocka_unit_test(springs_turn_with_their_bodies),
      cmocka_unit_test(a_checkpoint_keeps_them),
      cmocka_unit_test(what_there_is_no_law_for_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
