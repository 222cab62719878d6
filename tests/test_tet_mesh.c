// Tetrahedral meshes: volumes, areas and topology of the generators, what the check refuses.
#include <string.h>

#include "model/tet_measure.h"
#include "model/tet_mesh.h"
#include "model/tet_shapes.h"
#include "support/near.h"

static ChContext context;
static ChArena* arena;

static int open_arena(void** state) {
  (void)state;
  context = (ChContext){0};
  arena = ch_arena_create(NULL);
  return arena ? 0 : -1;
}

static int close_arena(void** state) {
  (void)state;
  ch_arena_destroy(arena);
  return 0;
}

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
  ChTetShapeDef cells = {.shape = "bar", .cells = {0, -2, 0}};
  assert_int_equal(ch_tet_shape_make(&context, arena, &cells, &mesh), CH_ERR_RANGE);
  ChTetShapeDef huge = {.shape = "bar", .cells = {100000, 100000, 100000}};
  assert_int_equal(ch_tet_shape_make(&context, arena, &huge, &mesh), CH_ERR_SIZE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(box_has_its_volume_and_area, open_arena, close_arena),
      cmocka_unit_test_setup_teardown(skin_encloses_the_volume, open_arena, close_arena),
      cmocka_unit_test_setup_teardown(check_refuses_what_is_no_body, open_arena, close_arena),
      cmocka_unit_test_setup_teardown(check_turns_what_is_inverted_throughout, open_arena, close_arena),
      cmocka_unit_test_setup_teardown(shapes_refuse_bad_measures, open_arena, close_arena),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
