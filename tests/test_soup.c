// Facts about triangle soups as ground: what is broken is taken as it is, and is the ground that it shows.
#include <string.h>

#include "support/near.h"
#include "support/worlds.h"

enum { SIDE = 6, MOST = 4 * SIDE * SIDE };
static const double CELL = 0.4;

// A flat floor in pieces: every triangle with corners of its own, some twice, some without area, some cut across by a
// corner of the next (T-junctions: every second row is shifted by half a cell).
static int make_floor(ChVec3* points, int* triangles) {
  int vertices = 0, corners = 0;
  for (int j = 0; j < SIDE; ++j)
    for (int i = -1; i <= SIDE; ++i) {
      double x = (i + 0.5 * (j % 2)) * CELL, y = j * CELL;
      const ChVec3 four[4] = {{x, y, 0}, {x + CELL, y, 0}, {x + CELL, y + CELL, 0}, {x, y + CELL, 0}};
      static const int two[6] = {0, 1, 2, 0, 2, 3};
      for (int k = 0; k < 6; ++k) {
        points[vertices] = four[two[k]];
        triangles[corners++] = vertices++;
      }
      if (i == 2)
        for (int k = 0; k < 3; ++k, ++corners) triangles[corners] = triangles[corners - 6];  // a second copy
      if (i == 3)
        for (int k = 0; k < 3; ++k) triangles[corners++] = vertices - 1;  // a point
    }
  return corners / 3;
}

static ChShapeDef soup_def(ChVec3* points, int* triangles) {
  ChShapeDef def = ch_shape_def_default();
  def.type = CH_SHAPE_MESH;
  def.triangle_count = make_floor(points, triangles);
  def.points = points, def.triangles = triangles, def.point_count = 6 * SIDE * (SIDE + 2);
  def.soup = true;
  return def;
}

// Without friction a box, a ball and a barrel slide over it as over a plane, at the speed that they have.
static void nothing_catches_on_the_pieces(void** state) {
  (void)state;
  static const ChShapeType types[] = {CH_SHAPE_SPHERE, CH_SHAPE_BOX, CH_SHAPE_CYLINDER};
  for (int which = 0; which < 3; ++which) {
    ChVec3 points[6 * SIDE * (SIDE + 2)];
    int triangles[3 * MOST];
    ChWorld* world = ch_test_world(3, 9.81, 0.0, 0.0);
    ChBodyDef fixed = ch_body_def_default(), body = fixed;
    ChShapeDef ground = soup_def(points, triangles), shape = ch_shape_def_default();
    fixed.kind = CH_BODY_FIXED;
    ch_test_body(world, &fixed, &ground);
    shape.type = types[which];
    shape.radius = 0.1, shape.half_length = 0.1, shape.half = ch_vec(0.12, 0.1, 0.1);
    body.position = ch_vec(0.31, 0.4, 0.1);
    body.velocity = ch_vec(0.9, 0.8, 0.0);
    ch_test_body(world, &body, &shape);
    ChSimulationOptions options = ch_simulation_options_default();
    ChSimulation* s = ch_test_start(world, &options);
    for (int step = 0; step < 1500; ++step) {
      ch_test_step(s);
      ChBodyView b = ch_simulation_body_at(s, 1);
      CHECK_AT_MOST(ch_norm(ch_sub(b.velocity, body.velocity)), 1e-6);
      CHECK_NEAR(b.position.z, 0.1, 1e-6);
    }
    ch_simulation_destroy(s);
  }
}

// The same triangles are refused, or healed with a note, where nobody says what they are; and refused on a body that
// moves.
static void it_has_to_be_asked_for(void** state) {
  (void)state;
  ChContext context = {0};
  ChVec3 points[6 * SIDE * (SIDE + 2)];
  int triangles[3 * MOST];
  ChWorld* world = ch_test_world(3, 9.81, 0.0, 0.0);
  ChBodyDef fixed = ch_body_def_default(), body = fixed;
  fixed.kind = CH_BODY_FIXED;
  int ground = ch_test_body(world, &fixed, NULL), moving = ch_test_body(world, &body, NULL);
  ChShapeDef def = soup_def(points, triangles);
  assert_int_equal(ch_world_add_shape(&context, world, ch_body_id(moving), &def, NULL), CH_ERR_ARGUMENT);
  def.soup = false;
  if (ch_world_add_shape(&context, world, ch_body_id(ground), &def, NULL) == CH_OK)
    assert_non_null(ch_world_note(world, 0));
  def.soup = true;
  int kept = triangles[4];
  triangles[4] = 1 << 20;
  assert_int_equal(ch_world_add_shape(&context, world, ch_body_id(ground), &def, NULL), CH_ERR_RANGE);
  triangles[4] = kept;
  CHECK_OK(context, ch_world_add_shape(&context, world, ch_body_id(ground), &def, NULL));
  ch_world_destroy(world);
}

// Three sheets that share an edge, one of them facing the other way: each carries a ball on its own side.
static void sheets_that_share_an_edge_carry(void** state) {
  (void)state;
  static const ChVec3 points[] = {{0, -2, 0}, {0, 2, 0}, {2, 0, 0}, {-2, 0, 0}, {0, 0, -2}, {0, 0, 1}};
  static const int triangles[] = {0, 2, 1, 0, 1, 3, 0, 4, 1, 1, 5, 0};
  ChWorld* world = ch_test_world(3, 9.81, 0.5, 0.0);
  ChBodyDef fixed = ch_body_def_default();
  ChShapeDef ground = ch_shape_def_default();
  fixed.kind = CH_BODY_FIXED;
  ground.type = CH_SHAPE_MESH;
  ground.points = points, ground.point_count = 6, ground.triangles = triangles, ground.triangle_count = 4;
  ground.soup = true;
  ch_test_body(world, &fixed, &ground);
  int balls[2] = {ch_test_ball(world, ch_vec(0.8, 0.1, 0.15), 0.1, ch_vec(0, 0, 0)),
                  ch_test_ball(world, ch_vec(-0.8, 0.1, 0.15), 0.1, ch_vec(0, 0, 0))};
  ChSimulationOptions options = ch_simulation_options_default();
  ChSimulation* s = ch_test_start(world, &options);
  ch_test_run(s, 0.5);
  for (int k = 0; k < 2; ++k) CHECK_NEAR(ch_simulation_body_at(s, balls[k]).position.z, 0.1, 1e-6);
  ch_simulation_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_catches_on_the_pieces),
      cmocka_unit_test(it_has_to_be_asked_for),
      cmocka_unit_test(sheets_that_share_an_edge_carry),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
