// Tetrahedral meshes: volumes, areas and topology of the generators, what the check refuses.
#include <string.h>

#include "model/tet/tet_animals.h"
#include "model/tet/tet_grid.h"
#include "model/tet/tet_measure.h"
#include "model/tet/tet_mesh.h"
#include "model/tet/tet_shapes.h"
#include "model/tet/tet_stuffing.h"
#include "support/arena_rig.h"
#include "support/near.h"

// V - E + F of the skin; a closed surface has 3 F = 2 E.
static int euler(const ChTetMeasures* m) { return m->skin_vertices - m->skin_triangles / 2; }

static void box_has_its_volume_and_area(void** state) {
  (void)state;
  ChTetMesh mesh;
  assert_int_equal(ch_tet_box(&context, arena, ch_vec(2.0, 3.0, 5.0), (int[]){3, 4, 5}, &mesh), CH_OK);
  assert_int_equal(mesh.tet_count, 6 * 3 * 4 * 5);
  assert_int_equal(mesh.vertex_count, 4 * 5 * 6);
  assert_int_equal(ch_tet_mesh_check(&context, arena, "box", &mesh), CH_OK);
  ChTetMeasures m = ch_tet_measure(arena, &mesh);
  assert_float_equal(m.volume, 30.0, 1e-12);
  assert_float_equal(m.area, 2.0 * (6.0 + 10.0 + 15.0), 1e-11);
  assert_int_equal(m.skin_triangles, 2 * 2 * (12 + 15 + 20));
  assert_int_equal(euler(&m), 2);
  assert_float_equal(ch_norm(m.centre), 0.0, 1e-13);
  assert_float_equal(ch_norm(ch_sub(m.high, ch_vec(1.0, 1.5, 2.5))), 0.0, 1e-14);
}

// The skin is outward: the divergence theorem gives the volume of the skin, int x . n dA / 3.
static void skin_encloses_the_volume(void** state) {
  (void)state;
  for (int s = 0; s < ch_tet_shape_count(); ++s) {
    ChTetMesh mesh;
    ChTetShapeDef def = {.shape = ch_tet_shape_at(s)->name};
    assert_int_equal(ch_tet_shape_make(&context, arena, &def, &mesh), CH_OK);
    ChTetMeasures m = ch_tet_measure(arena, &mesh);
    int* triangles;
    int count = ch_tet_mesh_skin(arena, &mesh, &triangles);
    double volume = 0.0;
    for (int k = 0; k < count; ++k) {
      const int* t = triangles + 3 * k;
      volume += ch_dot(mesh.vertices[t[0]], ch_cross(mesh.vertices[t[1]], mesh.vertices[t[2]])) / 6.0;
    }
    assert_float_equal(volume / m.volume, 1.0, 1e-12);
    assert_true(m.worst_quality > 0.0);
  }
}

static ChTetMeasures made(ChTetShapeDef def, ChTetMesh* mesh) {
  CHECK_OK(context, ch_tet_shape_make(&context, arena, &def, mesh));
  return ch_tet_measure(arena, mesh);
}

// A bar that is not its own mirror image would bend sideways under its weight.
static void boxes_of_even_cells_are_their_own_mirror_images(void** state) {
  (void)state;
  ChTetMesh mesh;
  made((ChTetShapeDef){.shape = "bar", .cells = {6, 4, 2}}, &mesh);
  int* degree = CH_TAKE(arena, mesh.vertex_count, int);
  for (int k = 0; k < 4 * mesh.tet_count; ++k) ++degree[mesh.tets[k]];
  for (int v = 0; v < mesh.vertex_count; ++v)
    for (int axis = 0; axis < 3; ++axis) {
      int i[3] = {v % 7, v / 7 % 5, v / 35};
      i[axis] = (int[]){6, 4, 2}[axis] - i[axis];
      assert_int_equal(degree[v], degree[i[0] + 7 * (i[1] + 5 * i[2])]);
    }
}

static void chair_has_the_volume_of_its_parts(void** state) {
  (void)state;
  double t = CH_TET_CHAIR_LEG, h = CH_TET_CHAIR_SEAT, s = CH_TET_CHAIR_THICKNESS;
  for (int cells = 1; cells < 4; ++cells) {
    ChTetMesh mesh;
    ChTetMeasures m = made((ChTetShapeDef){.shape = "chair", .size = {2.0, 3.0, 5.0}, .cells = {cells, 4, 5}}, &mesh);
    CHECK_NEAR(m.volume / 30.0, 4.0 * t * t * h + s + t * (1.0 - h - s), 1e-14);
    assert_int_equal(euler(&m), 2);
    CHECK_NEAR(m.low.z, -2.5, 1e-15);
    CHECK_NEAR(m.high.y, 1.5, 1e-15);
  }
  ChTetMesh mesh;
  CHECK_NEAR(made((ChTetShapeDef){.shape = "chair", .size = {0.9, 0.0, 0.0}}, &mesh).high.z, 0.9, 1e-15);  // 1.8 tall
}

// Error of a torus' volume, 2 pi^2 R r^2, and of its area, 4 pi^2 R r.
static double torus_error(int fineness, double* area_error) {
  ChTetMesh mesh;
  ChTetMeasures m = made(
      (ChTetShapeDef){.shape = "torus", .size = {2.6, 2.6, 0.6}, .cells = {24 * fineness, 2 * fineness, 0}}, &mesh);
  double pi = acos(-1.0);
  assert_int_equal(euler(&m), 0);
  assert_true(m.worst_quality > 0.2);
  *area_error = 1.0 - m.area / (4.0 * pi * pi * 1.0 * 0.3);
  return 1.0 - m.volume / (2.0 * pi * pi * 1.0 * 0.09);
}

static void torus_converges_to_its_volume_and_area(void** state) {
  (void)state;
  double area[2], volume[2];
  for (int k = 0; k < 2; ++k) volume[k] = torus_error(2 << k, &area[k]);
  assert_true(volume[1] > 0.0 && volume[1] < 0.02);
  CHECK_NEAR(volume[0] / volume[1], 4.0, 0.1);  // second order
  CHECK_NEAR(area[0] / area[1], 4.0, 0.3);
}

// Sections normal to the middle line sweep width x thickness x its length, whatever the wave.
static void strand_has_the_volume_of_its_length(void** state) {
  (void)state;
  const double a = 0.03, period = 0.4, k = 2.0 * acos(-1.0) / period;
  double length = 0.0, error[2];
  for (int i = 0; i < 4000; ++i) {
    double slope = a * k * cos(k * 2.0 * (i + 0.5) / 4000 + 0.7);
    length += 2.0 / 4000 * sqrt(1.0 + slope * slope);
  }
  for (int f = 0; f < 2; ++f) {
    ChTetMesh mesh;
    ChTetMeasures m = made((ChTetShapeDef){.shape = "strand",
                                           .size = {2.0, 0.2, 0.04},
                                           .cells = {100 << f, 4, 2},
                                           .amplitude = a,
                                           .period = period,
                                           .phase = 0.7 + k},  // x = -1 at its beginning
                           &mesh);
    error[f] = 1.0 - m.volume / (0.2 * 0.04 * length);
    assert_int_equal(euler(&m), 2);
  }
  assert_true(error[1] > 0.0 && error[1] < 1e-3);
  CHECK_NEAR(error[0] / error[1], 4.0, 0.1);
}

// A parabola across has two thirds of its height in the mean: 1 - round / 3 of the volume, less what chords cut off.
static void round_strand_is_thinner_by_a_parabola(void** state) {
  (void)state;
  const int across = 8;
  ChTetMesh mesh;
  ChTetMeasures m = made((ChTetShapeDef){.shape = "strand",
                                         .size = {1.0, 0.1, 0.02},
                                         .cells = {10, across, 1},
                                         .amplitude = 1e-12,
                                         .period = 1.0,
                                         .round = 0.6},
                         &mesh);
  CHECK_NEAR(m.volume, 0.1 * 0.02 * (1.0 - 0.6 / 3.0 * (1.0 + 2.0 / (across * across))), 1e-9);
}

// ------------------------------------------------------------------------------------------------------------ implicit

static double ball(const void* state, ChVec3 x) { return ch_norm(x) - *(const double*)state; }

static void stuffed_ball_converges(void** state) {
  (void)state;
  const double radius = 1.0;
  double error[2];
  for (int f = 0; f < 2; ++f) {
    ChTetSolid solid = {ball, &radius, {-1.3, -1.3, -1.3}, {1.3, 1.3, 1.3}};
    ChTetMesh mesh;
    CHECK_OK(context, ch_tet_stuffing(&context, arena, "ball", &solid, 0.2 / (1 << f), &mesh));
    CHECK_OK(context, ch_tet_mesh_check(&context, arena, "ball", &mesh));
    ChTetMeasures m = ch_tet_measure(arena, &mesh);
    error[f] = 1.0 - m.volume / (4.0 / 3.0 * acos(-1.0));
    assert_int_equal(euler(&m), 2);
  }
  assert_true(error[1] > 0.0 && error[1] < 5e-3);
  CHECK_NEAR(error[0] / error[1], 4.0, 0.4);
}

// Every vertex of the skin lies on the surface, whose parts hang together; no angle between faces is sharp or flat.
static void animals_are_whole_and_well_shaped(void** state) {
  (void)state;
  const ChTetSolid* animals[] = {&ch_tet_dino, &ch_tet_rabbit};
  for (int a = 0; a < 2; ++a)
    for (int cells = CH_TET_ANIMAL_CELLS; cells < 34; ++cells) {
      double cell = fmax(animals[a]->high.x - animals[a]->low.x, animals[a]->high.z - animals[a]->low.z) / cells;
      ChTetMesh mesh;
      CHECK_OK(context, ch_tet_stuffing(&context, arena, "animal", animals[a], cell, &mesh));
      CHECK_OK(context, ch_tet_mesh_check(&context, arena, "animal", &mesh));
      ChTetMeasures m = ch_tet_measure(arena, &mesh);
      assert_int_equal(euler(&m), 2);
      assert_true(m.worst_quality > 0.15 && m.mean_quality > 0.75);
      assert_true(m.least_dihedral > 0.17 && m.largest_dihedral < 2.8);  // 10 and 160 degrees
      int* triangles;
      int count = ch_tet_mesh_skin(arena, &mesh, &triangles);
      for (int k = 0; k < 3 * count; ++k)
        CHECK_NEAR(animals[a]->f(animals[a]->state, mesh.vertices[triangles[k]]), 0.0, 1e-11);
    }
}

static void shapes_have_the_size_asked_for(void** state) {
  (void)state;
  for (int s = 0; s < ch_tet_shape_count(); ++s) {
    const ChTetShape* shape = ch_tet_shape_at(s);
    bool bent = strcmp(shape->name, "strand") == 0 || strcmp(shape->name, "torus") == 0;  // their own tests tell
    if (bent) continue;
    ChTetMesh mesh;
    ChTetMeasures m = made((ChTetShapeDef){.shape = shape->name, .size = {1.5, 0.0, 0.25}}, &mesh);
    double scale = shape->proportional ? 1.5 / shape->size.x : 1.0;
    ChVec3 wanted = ch_scale(0.5, ch_vec(1.5, scale * shape->size.y, 0.25));
    CHECK_NEAR(ch_norm(ch_sub(m.high, wanted)), 0.0, 1e-14);
    CHECK_NEAR(ch_norm(ch_add(m.low, wanted)), 0.0, 1e-14);
  }
}

// --------------------------------------------------------------------------------------------------------- bad meshes

static const ChVec3 points[] = {{0, 0, 0}, {1, 0, 0},  {0, 1, 0},  {0, 0, 1},
                                {1, 1, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, 2}};
enum { POINTS = sizeof points / sizeof *points };

static void refused(int tets, const int* corners, const char* why) {
  ChTetMesh mesh = {POINTS, tets, (ChVec3*)points, (int*)corners};
  assert_int_not_equal(ch_tet_mesh_check(&context, arena, "bad", &mesh), CH_OK);
  if (!strstr(context.message, why)) fail_msg("'%s' does not say '%s'", context.message, why);
}

static void check_refuses_what_is_no_body(void** state) {
  (void)state;
  refused(0, NULL, "no tetrahedra");
  refused(1, (int[]){0, 1, 2, 8}, "names vertex 8, must be 0 to 7");
  refused(1, (int[]){0, 1, 2, -1}, "names vertex -1");
  refused(1, (int[]){0, 1, 2, 6}, "is flat");
  refused(1, (int[]){0, 1, 2, 2}, "is flat");
  refused(2, (int[]){0, 1, 2, 3, 1, 2, 4, 3}, "is inverted");
  refused(2, (int[]){0, 1, 2, 3, 0, 1, 2, 7}, "same side of a face");
  refused(3, (int[]){0, 1, 2, 3, 0, 1, 2, 7, 0, 1, 2, 4}, "two others or more");
  refused(2, (int[]){0, 1, 2, 3, 0, 5, 6, 3}, "falls into 2 pieces");  // they share an edge only
  ChTetMesh empty_space = {POINTS, 1, (ChVec3[POINTS]){[7] = {NAN, 0, 0}}, (int[]){0, 1, 2, 3}};
  assert_int_equal(ch_tet_mesh_check(&context, arena, "bad", &empty_space), CH_ERR_RANGE);
  ChTetMesh huge = {POINTS, CH_TETS_MAX + 1, (ChVec3*)points, NULL};
  assert_int_equal(ch_tet_mesh_check(&context, arena, "bad", &huge), CH_ERR_SIZE);
}

// One tetrahedron with edges of `size` along the axes, and its corner of right angles at `at`.
static ChStatus check_one(double size, ChVec3 at) {
  ChVec3 corners[4] = {at, at, at, at};
  corners[1].x += size, corners[2].y += size, corners[3].z += size;
  ChTetMesh mesh = {4, 1, corners, (int[]){0, 1, 2, 3}};
  return ch_tet_mesh_check(&context, arena, "one", &mesh);
}

static void told(const char* why) {
  if (!strstr(context.message, why)) fail_msg("'%s' does not say '%s'", context.message, why);
}

// What is too large or too small for doubles to hold its volume is not called flat.
static void check_refuses_what_rounding_spoils(void** state) {
  (void)state;
  CHECK_OK(context, check_one(1e50, ch_vec(0.0, 0.0, 0.0)));
  CHECK_OK(context, check_one(1e-50, ch_vec(0.0, 0.0, 0.0)));
  CHECK_OK(context, check_one(0.1, ch_vec(0.0, 1e6, 0.0)));
  assert_int_equal(check_one(1e99, ch_vec(0.0, 0.0, 0.0)), CH_ERR_RANGE);
  told("vertex 2 of 4 is (1e+99, 0, 0), must be finite and at most 1e+50 in size");
  assert_int_not_equal(check_one(1e-160, ch_vec(0.0, 0.0, 0.0)), CH_OK);
  told("is 1.41e-160 m large, must be at least 1e-50");
  assert_int_equal(check_one(0.1, ch_vec(0.0, 1e12, 0.0)), CH_ERR_RANGE);
  told("is 0.1 m large, but its coordinates are up to 1e+12 m");
  assert_int_equal(check_one(0.1, ch_vec(1e40, 0.0, 0.0)), CH_ERR_RANGE);  // nothing is left of its size
  told("move it to the origin");
}

static bool pinched(const void* state, const int cell[3]) {
  (void)state;
  return cell[2] == 0 || cell[0] == cell[1];  // two towers on a floor, that touch along an edge
}

static ChVec3 as_it_is(const void* state, const int at[3]) {
  (void)state;
  return ch_vec(at[0], at[1], at[2]);
}

static void check_refuses_hinges_of_no_thickness(void** state) {
  (void)state;
  ChTetMesh mesh;
  ChTetGrid grid = {{2, 2, 2}, pinched, as_it_is, NULL};
  CHECK_OK(context, ch_tet_grid(&context, arena, "towers", &grid, &mesh));
  assert_int_equal(ch_tet_mesh_check(&context, arena, "towers", &mesh), CH_ERR_FORMAT);
  assert_non_null(strstr(context.message, "touch only along the edge from (1, 1, 1) to (1, 1, 2)"));
}

static void check_turns_what_is_inverted_throughout(void** state) {
  (void)state;
  static const int inverted[] = {0, 2, 1, 3, 2, 1, 3, 4};
  ChTetMesh mesh = {POINTS, 2, (ChVec3*)points, (int*)inverted};
  assert_int_equal(ch_tet_mesh_check(&context, arena, "two", &mesh), CH_OK);
  assert_int_equal(mesh.vertex_count, 5);  // three were not used
  assert_float_equal(ch_tet_volume(&mesh, 0), 1.0 / 6.0, 1e-15);
  assert_float_equal(ch_tet_volume(&mesh, 1), 2.0 / 6.0, 1e-15);
}

static void shapes_refuse_bad_measures(void** state) {
  (void)state;
  ChTetMesh mesh;
  ChTetShapeDef unknown = {.shape = "sphinx"};
  assert_int_not_equal(ch_tet_shape_make(&context, arena, &unknown, &mesh), CH_OK);
  ChTetShapeDef negative = {.shape = "bar", .size = {-1.0, 0.0, 0.0}};
  assert_int_equal(ch_tet_shape_make(&context, arena, &negative, &mesh), CH_ERR_RANGE);
  ChTetShapeDef nan = {.shape = "bar", .size = {0.0, NAN, 0.0}};
  assert_int_equal(ch_tet_shape_make(&context, arena, &nan, &mesh), CH_ERR_RANGE);
  ChTetShapeDef vast = {.shape = "bar", .size = {1e99, 0.0, 0.0}};
  assert_int_equal(ch_tet_shape_make(&context, arena, &vast, &mesh), CH_ERR_RANGE);
  told("size along x is 1e+99, must be 1e-50 to 1e+50");
  ChTetShapeDef cells = {.shape = "bar", .cells = {0, -2, 0}};
  assert_int_equal(ch_tet_shape_make(&context, arena, &cells, &mesh), CH_ERR_RANGE);
  ChTetShapeDef sharp = {.shape = "strand", .amplitude = 0.1, .period = 0.01};
  assert_int_equal(ch_tet_shape_make(&context, arena, &sharp, &mesh), CH_ERR_RANGE);
  ChTetShapeDef full = {.shape = "torus", .size = {0.4, 0.4, 0.2}};
  assert_int_equal(ch_tet_shape_make(&context, arena, &full, &mesh), CH_ERR_RANGE);
  for (int s = 0; s < ch_tet_shape_count(); ++s) {
    ChTetShapeDef huge = {.shape = ch_tet_shape_at(s)->name, .cells = {100000, 100000, 100000}};
    assert_int_equal(ch_tet_shape_make(&context, arena, &huge, &mesh), CH_ERR_SIZE);
    ChTetShapeDef none = {.shape = ch_tet_shape_at(s)->name, .cells = {-1, -1, -1}};
    assert_int_equal(ch_tet_shape_make(&context, arena, &none, &mesh), CH_ERR_RANGE);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(box_has_its_volume_and_area, open_arena, close_arena),
      cmocka_unit_test_setup_teardown(skin_encloses_the_volume, open_arena, close_arena),
      cmocka_unit_test_setup_teardown(boxes_of_even_cells_are_their_own_mirror_images, open_arena, close_arena),
      cmocka_unit_test_setup_teardown(chair_has_the_volume_of_its_parts, open_arena, close_arena),
      cmocka_unit_test_setup_teardown(torus_converges_to_its_volume_and_area, open_arena, close_arena),
      cmocka_unit_test_setup_teardown(strand_has_the_volume_of_its_length, open_arena, close_arena),
      cmocka_unit_test_setup_teardown(round_strand_is_thinner_by_a_parabola, open_arena, close_arena),
      cmocka_unit_test_setup_teardown(stuffed_ball_converges, open_arena, close_arena),
      cmocka_unit_test_setup_teardown(animals_are_whole_and_well_shaped, open_arena, close_arena),
      cmocka_unit_test_setup_teardown(shapes_have_the_size_asked_for, open_arena, close_arena),
      cmocka_unit_test_setup_teardown(check_refuses_what_is_no_body, open_arena, close_arena),
      cmocka_unit_test_setup_teardown(check_refuses_what_rounding_spoils, open_arena, close_arena),
      cmocka_unit_test_setup_teardown(check_refuses_hinges_of_no_thickness, open_arena, close_arena),
      cmocka_unit_test_setup_teardown(check_turns_what_is_inverted_throughout, open_arena, close_arena),
      cmocka_unit_test_setup_teardown(shapes_refuse_bad_measures, open_arena, close_arena),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
