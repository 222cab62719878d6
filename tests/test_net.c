// Facts about bodies of edges and points: they weigh what lines and points weigh, touch as capsules and balls do, and
// bare edges hold each other on the side on which they met.
#include <stdlib.h>
#include <string.h>

#include "collide/pairs.h"
#include "support/near.h"
#include "support/random.h"
#include "support/worlds.h"

static const ChVec3 cube[8] = {{-0.2, -0.2, -0.2}, {0.2, -0.2, -0.2}, {0.2, 0.2, -0.2}, {-0.2, 0.2, -0.2},
                               {-0.2, -0.2, 0.2},  {0.2, -0.2, 0.2},  {0.2, 0.2, 0.2},  {-0.2, 0.2, 0.2}};
static const int cube_edges[24] = {0, 1, 1, 2, 2, 3, 3, 0, 4, 5, 5, 6, 6, 7, 7, 4, 0, 4, 1, 5, 2, 6, 3, 7};

static ChShapeDef wire(int count, const ChVec3* points, double radius, double density) {
  ChShapeDef def = ch_shape_def_default();
  def.type = CH_SHAPE_SEGMENTS;
  def.points = points, def.point_count = count;
  def.radius = radius, def.line_density = density;
  return def;
}

static ChShapeDef frame_of_cube(double radius) {
  ChShapeDef def = wire(8, cube, radius, 1.0);
  def.segments = cube_edges, def.segment_count = 12;
  return def;
}

static ChSimulation* start(ChWorld* world) {
  ChSimulationOptions options = ch_simulation_options_default();
  return ch_test_start(world, &options);
}

// --- mass ------------------------------------------------------------------------------------------------------------

// A straight wire: m L^2 / 12, and about itself that of a rod of a thousandth of its size; a frame of a cube of edge a:
// each edge parallel to an axis lies a / sqrt 2 from it, each other one has the mean of a^2 / 3 and a^2 / 4.
static void lines_weigh_what_they_weigh(void** state) {
  (void)state;
  static const ChVec3 ends[2] = {{0.0, 0.0, 0.0}, {2.0, 0.0, 0.0}};
  ChWorld* world = ch_test_world(3, 9.81, 0.5, 0.0);
  ChBodyDef body = ch_body_def_default();
  ChShapeDef rod = wire(2, ends, 0.0, 3.0), frame = frame_of_cube(0.0);
  ChShapeDef dots = {.type = CH_SHAPE_POINTS, .orientation = {1, 0, 0, 0}, .points = cube, .point_count = 8};
  dots.point_mass = 0.25;
  ch_test_body(world, &body, &rod);
  ch_test_body(world, &body, &frame);
  ch_test_body(world, &body, &dots);
  ChSimulation* s = start(world);
  const ChBody* b = ch_simulation_world(s)->bodies;
  CHECK_NEAR(b[0].mass, 6.0, 1e-12);
  CHECK_NEAR(b[0].origin.x, -1.0, 1e-12);
  CHECK_NEAR(b[0].inertia.m[1][1], 6.0 * 4.0 / 12.0, 1e-4);
  assert_true(b[0].inertia.m[0][0] > 0.0 && b[0].inertia.m[0][0] < 1e-4);
  double a = 0.4, each = a;  // kg of an edge
  CHECK_NEAR(b[1].mass, 12.0 * each, 1e-12);
  double along = 4.0 * each * a * a / 2.0, across = 8.0 * each * (a * a / 12.0 + a * a / 4.0);
  CHECK_NEAR(b[1].inertia.m[2][2], along + across, 1e-5);
  CHECK_NEAR(b[2].mass, 2.0, 1e-12);
  CHECK_NEAR(b[2].inertia.m[0][0], 2.0 * 2.0 * 0.04, 1e-5);
  ch_simulation_destroy(s);
}

// --- contacts --------------------------------------------------------------------------------------------------------

// A wire with a radius has the gaps of its capsules, end for end; what two parts share is listed once.
static void a_round_wire_is_its_capsules(void** state) {
  (void)state;
  static const ChVec3 bent[3] = {{-0.5, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.5, 0.0}};
  static const ChShapeType others[] = {CH_SHAPE_SPHERE, CH_SHAPE_BOX, CH_SHAPE_CAPSULE, CH_SHAPE_CYLINDER,
                                       CH_SHAPE_ELLIPSOID};
  ChRandom r = ch_random_seeded(4);
  int met = 0;
  for (int trial = 0; trial < 400; ++trial) {
    ChWorld* worlds[2];
    ChManifold found[2] = {{0}, {0}};
    ChShapeDef other = ch_shape_def_default();
    other.type = others[trial % 5];
    other.radius = 0.2, other.half_length = 0.2, other.half = ch_vec(0.2, 0.15, 0.25);
    ChBodyDef body = ch_body_def_default(), place = body;
    place.position = ch_along(ch_vec(-0.1, 0.1, 0.0), 0.5, ch_random_in_cube(&r, 1.0));
    place.orientation = ch_quat_about(ch_unit(ch_random_in_cube(&r, 1.0)), 1.3);
    double least[2] = {INFINITY, INFINITY};
    for (int k = 0; k < 2; ++k) {
      worlds[k] = ch_test_world(3, 0.0, 0.5, 0.0);
      int row = ch_test_body(worlds[k], &body, NULL);
      if (k == 0) {
        ChShapeDef def = wire(3, bent, 0.05, 0.0);
        ch_test_shape(worlds[k], row, &def);
      } else {
        for (int p = 0; p < 2; ++p) {
          ChShapeDef def = ch_shape_def_default();
          def.type = CH_SHAPE_CAPSULE;
          def.radius = 0.05, def.half_length = 0.25;
          def.at = ch_scale(0.5, ch_add(bent[p], bent[p + 1]));
          def.orientation = ch_quat_about(p ? ch_axis(0) : ch_axis(1), p ? -M_PI / 2 : M_PI / 2);
          ch_test_shape(worlds[k], row, &def);
        }
      }
      ch_test_body(worlds[k], &place, &other);
      ChContext context = {0};
      CHECK_OK(context, ch_world_seal(&context, worlds[k]));
      const ChWorld* w = worlds[k];
      int last = w->shape_count - 1;
      for (int i = 0; i < last; ++i) {
        ChPosed a = {.shape = &w->shapes[i], .frame = ch_shape_frame(&w->shapes[i], &w->states[0])};
        ChPosed b = {.shape = &w->shapes[last], .frame = ch_shape_frame(&w->shapes[last], &w->states[1])};
        a.turn = ch_mat_from_quat(a.frame.orientation), b.turn = ch_mat_from_quat(b.frame.orientation);
        ch_pair_collide(&a, &b, 0.05, &found[k]);
      }
      for (int i = 0; i < found[k].count; ++i) least[k] = fmin(least[k], found[k].points[i].gap);
    }
    assert_true(found[0].count <= found[1].count);
    if (found[1].count > 0) CHECK_NEAR(least[0], least[1], 1e-9);
    if (found[1].count == 0) assert_int_equal(found[0].count, 0);
    met += found[0].count > 0;
    for (int k = 0; k < 2; ++k) {
      ch_manifold_free(&found[k]);
      ch_world_destroy(worlds[k]);
    }
  }
  assert_true(met > 100);
}

// A bare frame and bare points come to rest on a plane, on a box and on triangles, 0.2 above.
static void bare_frames_stand(void** state) {
  (void)state;
  static const ChVec3 corners[4] = {{-3, -3, 0}, {3, -3, 0}, {3, 3, 0}, {-3, 3, 0}};
  static const int two[6] = {0, 1, 2, 0, 2, 3};
  static const double flat[4] = {0.0, 0.0, 0.0, 0.0};
  for (int which = 0; which < 8; ++which) {
    ChWorld* world = ch_test_world(3, 9.81, 0.5, 0.0);
    ChBodyDef ground = ch_body_def_default(), body = ground;
    ChShapeDef def = ch_shape_def_default(), net = frame_of_cube(0.0);
    ground.kind = CH_BODY_FIXED;
    if (which % 4 == 0) def.type = CH_SHAPE_HALFSPACE;
    if (which % 4 == 1) def.type = CH_SHAPE_BOX, def.half = ch_vec(3.0, 3.0, 0.5), def.at.z = -0.5;
    if (which % 4 == 2) def.type = CH_SHAPE_MESH, def.points = corners, def.point_count = 4;
    if (which % 4 == 2) def.triangles = two, def.triangle_count = 2;
    if (which % 4 == 3) def.type = CH_SHAPE_HEIGHTFIELD, def.heights = flat, def.columns = def.rows = 2, def.cell = 6.0;
    if (which % 4 == 3) def.at = ch_vec(-3.0, -3.0, 0.0);
    if (which / 4) net.type = CH_SHAPE_POINTS, net.point_mass = 0.5, net.segments = NULL, net.segment_count = 0;
    ch_test_body(world, &ground, &def);
    body.position = ch_vec(0.3, 0.1, 0.22);
    ch_test_body(world, &body, &net);
    ChSimulation* s = start(world);
    ChStepInfo info = ch_test_run(s, 0.5);
    CHECK_NEAR(ch_simulation_body_at(s, 1).position.z, 0.2, 1e-6);
    assert_int_equal(info.contacts, 4);  // corners, each once
    ch_simulation_destroy(s);
  }
}

// --- edges that cross ------------------------------------------------------------------------------------------------

// Two straight bare wires, the upper one falls on the lower: they never pass, though no radius tells their sides apart.
static ChSimulation* crossed_wires(double load) {
  static const ChVec3 along[2] = {{-0.5, 0.0, 0.0}, {0.5, 0.0, 0.0}}, across[2] = {{0.0, -0.5, 0.0}, {0.0, 0.5, 0.0}};
  ChWorld* world = ch_test_world(3, 9.81, 0.5, 0.0);
  ChBodyDef fixed = ch_body_def_default(), body = fixed;
  ChShapeDef lower = wire(2, along, 0.0, 1.0), upper = wire(2, across, 0.0, load);
  fixed.kind = CH_BODY_FIXED;
  ch_test_body(world, &fixed, &lower);
  body.position = ch_vec(0.1, 0.0, 0.1);
  ch_test_body(world, &body, &upper);
  return start(world);
}

static void a_bare_edge_carries_another(void** state) {
  (void)state;
  for (int heavy = 0; heavy < 2; ++heavy) {
    ChSimulation* s = crossed_wires(heavy ? 1e4 : 0.1);
    for (int step = 0; step < 1500; ++step) {
      ch_test_step(s);
      double z = ch_simulation_body_at(s, 1).position.z;
      CHECK_AT_MOST(-z, 2e-5);  // two steps of falling, 2 g h^2
      if (ch_simulation_time(s) > 0.5) CHECK_AT_MOST(fabs(z), 2e-5);
    }
    ch_simulation_destroy(s);
  }
}

// The side is in the key of the contact, which a checkpoint keeps: what is loaded while they overlap goes on the same.
static void the_side_survives_a_checkpoint(void** state) {
  (void)state;
  ChContext context = {0};
  ChSimulation *s = crossed_wires(10.0), *copy = crossed_wires(10.0);
  const double deeper = -1e-5;
  while (ch_simulation_time(s) < 0.4) ch_test_step(s);
  for (int k = 0; k < 3; ++k) {
    ChBodyView now = ch_simulation_body_at(s, 1);
    now.position.z = deeper;
    now.velocity = now.omega = ch_vec(0.0, 0.0, 0.0);
    CHECK_OK(context, ch_simulation_set_body(&context, s, ch_body_id(1), &now));
    size_t size = 0;
    CHECK_OK(context, ch_simulation_save(&context, s, NULL, &size));
    void* bytes = malloc(size);
    CHECK_OK(context, ch_simulation_save(&context, s, bytes, &size));
    CHECK_OK(context, ch_simulation_load(&context, copy, bytes, size));
    free(bytes);
    for (int step = 0; step < 50; ++step) {
      ch_test_step(s);
      ch_test_step(copy);
      ChBodyView a = ch_simulation_body_at(s, 1), b = ch_simulation_body_at(copy, 1);
      assert_memory_equal(&a.position, &b.position, sizeof a.position);
      CHECK_AT_MOST(-a.position.z, 2e-5);  // it comes up, and does not fall through
    }
  }
  ch_simulation_destroy(s);
  ch_simulation_destroy(copy);
}

// --- refused ---------------------------------------------------------------------------------------------------------

static void what_is_no_net_is_refused(void** state) {
  (void)state;
  ChContext context = {0};
  ChWorld* world = ch_test_world(3, 9.81, 0.5, 0.0);
  ChBodyDef body = ch_body_def_default();
  int row = ch_test_body(world, &body, NULL);
  ChShapeDef one = wire(1, cube, 0.0, 1.0), negative = wire(8, cube, -0.1, 1.0), away = frame_of_cube(0.0);
  int far[2] = {0, 8}, same[2] = {3, 3};
  ChShapeDef loop = away;
  away.segments = far, away.segment_count = 1;
  loop.segments = same, loop.segment_count = 1;
  const ChShapeDef* wrong[] = {&one, &negative, &away, &loop};
  for (int k = 0; k < 4; ++k)
    assert_int_not_equal(ch_world_add_shape(&context, world, ch_body_id(row), wrong[k], NULL), CH_OK);
  ch_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_weigh_what_they_weigh),
      cmocka_unit_test(a_round_wire_is_its_capsules),
      cmocka_unit_test(bare_frames_stand),
      cmocka_unit_test(a_bare_edge_carries_another),
      cmocka_unit_test(the_side_survives_a_checkpoint),
      cmocka_unit_test(what_is_no_net_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
