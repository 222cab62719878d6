// Facts about height fields: the same ground as the triangles that it is made of, at any size, without seams.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cardhouse/height_map.h"
#include "cardhouse/query.h"
#include "cardhouse/scene.h"
#include "collide/pairs.h"
#include "model/mesh/height_field.h"
#include "support/near.h"
#include "support/random.h"
#include "support/worlds.h"

enum { SIDE = 9 };
static const double CELL = 0.25;

// Gentle hills, or none.
static void fill(ChRandom* r, double rough, int columns, int rows, double* heights) {
  for (int k = 0; k < columns * rows; ++k) heights[k] = ch_random_uniform(r, -rough, rough);
}

static ChShapeDef field_def(int columns, int rows, const double* heights) {
  ChShapeDef def = ch_shape_def_default();
  def.type = CH_SHAPE_HEIGHTFIELD;
  def.columns = columns, def.rows = rows, def.heights = heights, def.cell = CELL;
  return def;
}

static int add_ground(ChWorld* world, const ChShapeDef* def) {
  ChBodyDef body = ch_body_def_default();
  body.kind = CH_BODY_FIXED;
  return ch_test_body(world, &body, def);
}

static ChShapeDef convex_def(int which) {
  static const ChShapeType types[] = {CH_SHAPE_SPHERE,   CH_SHAPE_BOX,       CH_SHAPE_CAPSULE,
                                      CH_SHAPE_CYLINDER, CH_SHAPE_ELLIPSOID, CH_SHAPE_HULL};
  static const ChVec3 points[] = {{0.2, 0, 0}, {-0.2, 0.1, 0}, {0, -0.2, 0.1}, {0, 0.1, 0.25}, {0, 0, -0.2}};
  ChShapeDef def = ch_shape_def_default();
  def.type = types[which];
  def.radius = 0.15, def.half_length = 0.2, def.half = ch_vec(0.2, 0.15, 0.1);
  if (def.type == CH_SHAPE_HULL) def.points = points, def.point_count = 5;
  return def;
}

// A world with ground and one convex body, sealed.
static ChWorld* two_shapes(const ChShapeDef* ground, int which) {
  ChContext context = {0};
  ChWorld* world = ch_test_world(3, 0.0, 0.5, 0.0);
  ChBodyDef body = ch_body_def_default();
  ChShapeDef def = convex_def(which);
  add_ground(world, ground);
  ch_test_body(world, &body, &def);
  CHECK_OK(context, ch_world_seal(&context, world));
  return world;
}

static ChPosed posed_at(const ChShape* shape, ChFrame frame) {
  return (ChPosed){.shape = shape, .frame = frame, .turn = ch_mat_from_quat(frame.orientation)};
}

static ChFrame random_frame(ChRandom* r, double width, double low, double high) {
  ChVec3 axis = ch_unit(ch_random_in_cube(r, 1.0));
  return (ChFrame){ch_vec(ch_random_uniform(r, 0.6, width - 0.6), ch_random_uniform(r, 0.6, width - 0.6),
                          ch_random_uniform(r, low, high)),
                   ch_quat_about(axis, ch_random_uniform(r, 0.0, 6.0))};
}

static void collide(const ChShape* ground, const ChShape* shape, ChFrame frame, ChManifold* out) {
  ChFrame home = {{0, 0, 0}, {1, 0, 0, 0}};
  ChPosed a = posed_at(ground, home), b = posed_at(shape, frame);
  out->count = 0;
  ch_pair_collide(&a, &b, 0.02, out);
}

// The routine of fixed meshes with one side, which the field's cells go through as well.
static void collide_triangles(const ChShape* ground, const ChShape* shape, ChFrame frame, ChManifold* out) {
  ChFrame home = {{0, 0, 0}, {1, 0, 0, 0}};
  ChPosed a = posed_at(ground, home), b = posed_at(shape, frame);
  out->count = 0;
  ch_pair_convex_mesh(&b, &a, 0.02, out);
  for (int k = 0; k < out->count; ++k) out->points[k].normal = ch_neg(out->points[k].normal);
}

// Every point of one list in the other.
static void expect_same(const ChManifold* a, const ChManifold* b) {
  assert_int_equal(a->count, b->count);
  for (int i = 0; i < a->count; ++i) {
    double best = INFINITY;
    for (int j = 0; j < b->count; ++j) {
      const ChGap *p = &a->points[i], *q = &b->points[j];
      best = fmin(best, fmax(ch_norm(ch_sub(p->point, q->point)),
                             fmax(ch_norm(ch_sub(p->normal, q->normal)), fabs(p->gap - q->gap))));
    }
    CHECK_AT_MOST(best, 1e-9);
  }
}

// --- the same as what it is made of ----------------------------------------------------------------------------------

static void a_flat_field_is_a_half_space(void** state) {
  (void)state;
  ChRandom r = ch_random_seeded(1);
  double heights[SIDE * SIDE] = {0.0};
  ChShapeDef field = field_def(SIDE, SIDE, heights), plane = ch_shape_def_default();
  plane.type = CH_SHAPE_HALFSPACE;
  for (int which = 0; which < 6; ++which) {
    ChWorld *one = two_shapes(&field, which), *other = two_shapes(&plane, which);
    ChManifold found = {0}, expected = {0};
    int met = 0;
    for (int trial = 0; trial < 300; ++trial) {
      ChFrame frame = random_frame(&r, CELL * (SIDE - 1), 0.0, 0.35);
      collide(&one->shapes[0], &one->shapes[1], frame, &found);
      collide(&other->shapes[0], &other->shapes[1], frame, &expected);
      expect_same(&expected, &found);
      met += found.count > 0;
    }
    assert_true(met > 50);
    ch_manifold_free(&found);
    ch_manifold_free(&expected);
    ch_world_destroy(one);
    ch_world_destroy(other);
  }
}

static ChShapeDef mesh_of(const double* heights, ChVec3* points, int* triangles) {
  ChShapeDef def = ch_shape_def_default();
  int count = 0;
  for (int k = 0; k < SIDE * SIDE; ++k) {
    int i = k % SIDE, j = k / SIDE;
    points[k] = ch_vec(i * CELL, j * CELL, heights[k]);
    if (i + 1 == SIDE || j + 1 == SIDE) continue;
    const int two[6] = {k, k + 1, k + SIDE + 1, k, k + SIDE + 1, k + SIDE};
    memcpy(triangles + 3 * count, two, sizeof two);
    count += 2;
  }
  def.type = CH_SHAPE_MESH;
  def.points = points, def.point_count = SIDE * SIDE;
  def.triangles = triangles, def.triangle_count = count;
  return def;
}

// With its centre above the ground, where a mesh has no back to be seen from.
static void hills_are_their_triangles(void** state) {
  (void)state;
  ChRandom r = ch_random_seeded(2);
  double heights[SIDE * SIDE];
  ChVec3 points[SIDE * SIDE];
  int triangles[6 * SIDE * SIDE], met = 0, edges = 0;
  for (int trial = 0; trial < 60; ++trial) {
    fill(&r, 0.02 + 0.08 * (trial % 3), SIDE, SIDE, heights);
    ChShapeDef field = field_def(SIDE, SIDE, heights), mesh = mesh_of(heights, points, triangles);
    int which = trial % 6;
    ChWorld *one = two_shapes(&field, which), *other = two_shapes(&mesh, which);
    ChManifold found = {0}, expected = {0};
    for (int k = 0; k < 40; ++k) {
      ChFrame frame = random_frame(&r, CELL * (SIDE - 1), 0.25, 0.5);
      collide(&one->shapes[0], &one->shapes[1], frame, &found);
      collide_triangles(&other->shapes[0], &other->shapes[1], frame, &expected);
      expect_same(&expected, &found);
      met += found.count > 0;
      for (int p = 0; p < found.count; ++p) edges += fabs(found.points[p].normal.z) < 0.999;
    }
    ch_manifold_free(&found);
    ch_manifold_free(&expected);
    ch_world_destroy(one);
    ch_world_destroy(other);
  }
  assert_true(met > 200 && edges > 100);
}

static void rays_meet_the_triangles(void** state) {
  (void)state;
  ChContext context = {0};
  ChRandom r = ch_random_seeded(3);
  double heights[SIDE * SIDE];
  ChVec3 points[SIDE * SIDE];
  int triangles[6 * SIDE * SIDE], met = 0;
  fill(&r, 0.2, SIDE, SIDE, heights);
  ChShapeDef defs[2] = {field_def(SIDE, SIDE, heights), mesh_of(heights, points, triangles)};
  ChSimulation* s[2];
  ChSimulationOptions options = ch_simulation_options_default();
  for (int k = 0; k < 2; ++k) {
    ChWorld* world = ch_test_world(3, 0.0, 0.5, 0.0);
    add_ground(world, &defs[k]);
    s[k] = ch_test_start(world, &options);
  }
  for (int k = 0; k < 3000; ++k) {
    ChVec3 from = ch_along(ch_vec(1.0, 1.0, 0.0), 1.0, ch_random_in_cube(&r, 2.0)), way = ch_random_in_cube(&r, 1.0);
    if (k % 5 == 0) way.x = 0.0;
    if (k % 7 == 0) way.y = 0.0;
    ChRayHit hit[2];
    for (int w = 0; w < 2; ++w) CHECK_OK(context, ch_simulation_cast_ray(&context, s[w], from, way, 5.0, &hit[w]));
    assert_int_equal(ch_body_id_is_none(hit[0].body), ch_body_id_is_none(hit[1].body));
    CHECK_NEAR(hit[0].distance, hit[1].distance, 1e-12);
    met += !ch_body_id_is_none(hit[0].body);
  }
  if (met < 200) fail_msg("%d rays met", met);
  for (int k = 0; k < 2; ++k) ch_simulation_destroy(s[k]);
}

// --- one side --------------------------------------------------------------------------------------------------------

// A ball whose centre is below the ground, even all of it, is as deep as it is, and comes up.
static void what_is_below_comes_up(void** state) {
  (void)state;
  double heights[SIDE * SIDE] = {0.0};
  ChShapeDef field = field_def(SIDE, SIDE, heights);
  ChWorld* world = two_shapes(&field, 0);
  ChManifold found = {0};
  for (int k = 0; k < 20; ++k) {
    double z = 0.2 - 0.1 * k;
    collide(&world->shapes[0], &world->shapes[1], (ChFrame){{1.1, 0.9, z}, {1, 0, 0, 0}}, &found);
    assert_int_equal(found.count, z - 0.15 <= 0.02 ? 1 : 0);
    if (found.count == 0) continue;
    CHECK_NEAR(found.points[0].gap, z - 0.15, 1e-12);
    CHECK_NEAR(found.points[0].normal.z, 1.0, 1e-12);
  }
  ch_manifold_free(&found);
  ch_world_destroy(world);
}

// --- seams -----------------------------------------------------------------------------------------------------------

// Over a sloping plane cut into cells and into four fields side by side, a box and a ball without friction slide as
// down an incline: a = g sin, straight ahead. 1e-9: round-off of two thousand steps.
static void nothing_catches_between_cells_and_fields(void** state) {
  (void)state;
  double slope = 0.3, heights[4][SIDE * SIDE];
  for (int which = 0; which < 2; ++which) {
    ChWorld* world = ch_test_world(3, 9.81, 0.0, 0.0);
    double width = CELL * (SIDE - 1);
    for (int tile = 0; tile < 4; ++tile) {
      double x0 = tile % 2 * width, y0 = tile / 2 * width;
      for (int k = 0; k < SIDE * SIDE; ++k) heights[tile][k] = -slope * (x0 + k % SIDE * CELL);
      ChShapeDef field = field_def(SIDE, SIDE, heights[tile]);
      field.at = ch_vec(x0, y0, 0.0);
      add_ground(world, &field);
    }
    ChBodyDef body = ch_body_def_default();
    ChShapeDef shape = convex_def(which);
    double angle = atan(slope), above = which == 0 ? 0.15 : 0.1;
    ChVec3 normal = ch_vec(sin(angle), 0.0, cos(angle));
    body.orientation = ch_quat_about(ch_axis(1), angle);
    body.position = ch_along(ch_vec(0.4, width - 0.05, -slope * 0.4), above, normal);
    ch_test_body(world, &body, &shape);
    ChSimulationOptions options = ch_simulation_options_default();
    ChSimulation* s = ch_test_start(world, &options);
    ChVec3 start = ch_simulation_body_at(s, 4).position;
    for (int step = 1; step <= 1400; ++step) {
      ch_test_step(s);
      double t = ch_simulation_time(s), speed = 9.81 * sin(angle) * t;
      ChBodyView b = ch_simulation_body_at(s, 4);
      if (b.position.x > 2.0 * width - 0.4) break;
      CHECK_NEAR(ch_dot(b.velocity, ch_vec(cos(angle), 0.0, -sin(angle))), speed, 1e-6);
      CHECK_NEAR(ch_dot(ch_sub(b.position, start), normal), 0.0, 1e-6);
      CHECK_AT_MOST(ch_norm(b.omega), 1e-6);
    }
    assert_true(ch_simulation_body_at(s, 4).position.x > width + 0.5);  // over the seam
    ch_simulation_destroy(s);
  }
}

// A ridge along the seam of two fields carries a ball as a ridge inside of one does.
static void a_ridge_on_a_seam_is_a_ridge(void** state) {
  (void)state;
  double whole[5 * 3], halves[2][3 * 3], z[2];
  for (int k = 0; k < 15; ++k) whole[k] = -0.5 * fabs(k % 5 - 2.0) * CELL;
  for (int k = 0; k < 9; ++k) halves[0][k] = whole[k / 3 * 5 + k % 3], halves[1][k] = whole[k / 3 * 5 + k % 3 + 2];
  for (int split = 0; split < 2; ++split) {
    ChWorld* world = ch_test_world(3, 9.81, 0.5, 0.0);
    if (split) {
      for (int half = 0; half < 2; ++half) {
        ChShapeDef def = field_def(3, 3, halves[half]);
        def.at.x = 2 * CELL * half;
        add_ground(world, &def);
      }
    } else {
      ChShapeDef def = field_def(5, 3, whole);
      add_ground(world, &def);
    }
    int ball = ch_test_ball(world, ch_vec(2 * CELL, 0.2, 0.1), 0.1, ch_vec(0.0, 0.0, 0.0));
    ChSimulationOptions options = ch_simulation_options_default();
    ChSimulation* s = ch_test_start(world, &options);
    for (int step = 0; step < 50; ++step) ch_test_step(s);
    z[split] = ch_simulation_body_at(s, ball).position.z;
    ch_simulation_destroy(s);
  }
  CHECK_NEAR(z[0], 0.1, 1e-6);  // it stands on the ridge, as long as nothing tips it
  CHECK_NEAR(z[1], z[0], 1e-9);
}

// --- size ------------------------------------------------------------------------------------------------------------

// A million cells: what is made of them under a shape depends on the shape alone.
static void a_million_cells_cost_what_lies_under_a_shape(void** state) {
  (void)state;
  enum { MANY = 1001 };
  ChContext context = {0};
  ChArena* arena = ch_arena_create(NULL);  // enough for this: nothing asks for a landing
  double* heights = calloc((size_t)MANY * MANY, sizeof *heights);
  int cells[2];
  for (int k = 0; k < 2; ++k) {
    int side = k ? MANY : 33;
    ChHeightField* f;
    CHECK_OK(context, ch_height_field_create(&context, arena, side, side, heights, 0.1, 1.0, &f));
    ChBox3 under = {{1.02, 1.02, -0.1}, {1.38, 1.38, 0.3}};
    ChMesh* mesh = ch_height_field_ground(arena, f, &under);
    cells[k] = mesh->cell_count;
    under.low.z = 0.01;  // above the ground: nothing is made
    assert_null(ch_height_field_ground(arena, f, &under));
  }
  assert_int_equal(cells[0], 2 * 6 * 6);  // 4 x 4 cells under it, one more all around
  assert_int_equal(cells[1], cells[0]);
  free(heights);
  ch_arena_destroy(arena);
}

// --- files -----------------------------------------------------------------------------------------------------------

static void write_text(const char* path, const char* text) {
  FILE* file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void grids_are_read(void** state) {
  (void)state;
  ChContext context = {0};
  char path[] = "/tmp/cardhouse-grid-XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  close(fd);
  ChHeightMap map;
  write_text(path, "ncols 3\nnrows 2\nxllcorner 10\nyllcorner 20\ncellsize 0.5\nNODATA_value -9999\n1 2 3\n4 5 6.5\n");
  CHECK_OK(context, ch_height_map_read(&context, path, &map));
  assert_true(map.columns == 3 && map.rows == 2 && map.cell == 0.5);
  assert_true(map.heights[0] == 4.0 && map.heights[2] == 6.5 && map.heights[3] == 1.0);  // north comes last
  ch_height_map_free(&map);
  write_text(path, "1 2\n3 4\n5 6\n");
  CHECK_OK(context, ch_height_map_read(&context, path, &map));
  assert_true(map.columns == 2 && map.rows == 3 && map.cell == 0.0 && map.heights[0] == 5.0);
  ch_height_map_free(&map);
  static const char* const wrong[] = {"ncols 3\nnrows 2\ncellsize 1\n1 2 3\n4 5\n",
                                      "ncols 3\nnrows 2\ncellsize 1\n1 2 3\n4 5 6 7\n",
                                      "ncols 30000\nnrows 30000\n1 2\n",
                                      "ncols 99999999\nnrows 2\n1 2\n",
                                      "ncols 2\nnrows 2\ncellsize -1\n1 2\n3 4\n",
                                      "ncols 2\nnrows 2\nNODATA_value -9999\n1 2\n-9999 4\n",
                                      "1 2\n3 nan\n",
                                      "1\n",
                                      "",
                                      "\x89PNG\r\n\x1a\n"};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
    write_text(path, wrong[k]);
    assert_int_not_equal(ch_height_map_read(&context, path, &map), CH_OK);
    assert_null(map.heights);
  }
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_flat_field_is_a_half_space),
      cmocka_unit_test(hills_are_their_triangles),
      cmocka_unit_test(rays_meet_the_triangles),
      cmocka_unit_test(what_is_below_comes_up),
      cmocka_unit_test(nothing_catches_between_cells_and_fields),
      cmocka_unit_test(a_ridge_on_a_seam_is_a_ridge),
      cmocka_unit_test(a_million_cells_cost_what_lies_under_a_shape),
      cmocka_unit_test(grids_are_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
