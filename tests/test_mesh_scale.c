// A mesh or hull of millimetres with the scale 0.001 is the one of metres: mass, place and contact. What is named twice
// at one scale is one surface, and a scale that is not above 0 is refused, in C and in scenes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/scene.h"
#include "cardhouse/shape.h"
#include "support/near.h"
#include "support/surfaces.h"
#include "support/temporary.h"
#include "support/worlds.h"

static ChTestSurface cube;

static const ChTestSurface* cube_of(double edge) {
  ch_surface_of_cubes(&cube, 1, 1, "#", 1, edge);
  return &cube;
}

static void add_cube(ChWorld* world, ChShapeType type, const ChTestSurface* s, double scale, ChStatus expected) {
  ChContext context = {0};
  ChBodyDef body = ch_body_def_default();
  ChBodyId id;
  CHECK_OK(context, ch_world_add_body(&context, world, &body, &id));
  ChShapeDef def = ch_shape_def_default();
  def.type = type, def.points = s->points, def.point_count = s->point_count, def.scale = scale;
  if (type == CH_SHAPE_MESH) def.triangles = s->triangles, def.triangle_count = s->triangle_count;
  ChStatus status = ch_world_add_shape(&context, world, id, &def, NULL);
  if (status != expected) fail_msg("%s", context.message);
  if (expected != CH_OK) assert_non_null(strstr(context.message, "scale"));
}

static void millimetres_are_metres(void** state) {
  (void)state;
  for (int k = 0; k < 2; ++k) {
    const ChShapeType type = k ? CH_SHAPE_HULL : CH_SHAPE_MESH;
    ChContext context = {0};
    ChWorld* world;
    CHECK_OK(context, ch_world_create(&context, 3, &world));
    const ChMaterialDef material = ch_material_def_default();
    CHECK_OK(context, ch_world_add_material(&context, world, &material, NULL));
    add_cube(world, type, cube_of(1.0), 0.0, CH_OK);
    add_cube(world, type, cube_of(1000.0), 0.001, CH_OK);
    add_cube(world, type, cube_of(1000.0), 0.001, CH_OK);
    add_cube(world, type, cube_of(1000.0), -1.0, CH_ERR_RANGE);
    CHECK_NEAR(ch_world_shape_volume(world, 0), 1.0, 1e-12);
    for (int s = 1; s < 3; ++s) {
      CHECK_NEAR(ch_world_shape_volume(world, s), 1.0, 1e-12);
      const ChShapeView one = ch_world_shape(world, 0), other = ch_world_shape(world, s);
      assert_int_equal(one.point_count, other.point_count);
      for (int v = 0; v < one.point_count; ++v) CHECK_NEAR(ch_norm(ch_sub(one.points[v], other.points[v])), 0.0, 1e-12);
    }
    if (type == CH_SHAPE_MESH) assert_int_equal(ch_world_shape_like(world, 2), 0);
    ch_world_destroy(world);
  }
}

// The listed mesh has a scale of its own, the shape another: they multiply.
static void scenes_have_it_too(void** state) {
  (void)state;
  char text[3000];
  const char* path = ch_temporary_path("cube.obj");
  FILE* file = fopen(path, "w");
  assert_non_null(file);
  const ChTestSurface* s = cube_of(500.0);
  for (int v = 0; v < s->point_count; ++v)
    fprintf(file, "v %.17g %.17g %.17g\n", s->points[v].x, s->points[v].y, s->points[v].z);
  for (int t = 0; t < s->triangle_count; ++t)
    fprintf(file, "f %d %d %d\n", s->triangles[3 * t] + 1, s->triangles[3 * t + 1] + 1, s->triangles[3 * t + 2] + 1);
  fclose(file);
  snprintf(text, sizeof text,
           "{\"cardhouse\": 1, \"meshes\": {\"c\": {\"file\": \"%s\", \"scale\": 0.001}}, \"bodies\": ["
           "{\"shapes\": [{\"type\": \"mesh\", \"mesh\": \"c\", \"scale\": 2}]},"
           "{\"position\": [3, 0, 0], \"shapes\": [{\"type\": \"hull\", \"file\": \"%s\", \"scale\": 0.002}]}]}",
           path, path);
  ChContext context = {0};
  ChScene* scene = NULL;
  CHECK_OK(context, ch_scene_parse(&context, text, NULL, &scene));
  for (int k = 0; k < 2; ++k) CHECK_NEAR(ch_world_shape_volume(scene->world, k), 1.0, 1e-12);
  ch_scene_destroy(scene);
  char* wrong = strstr(text, "0.002");
  memcpy(wrong, "-0.02", 5);
  assert_int_not_equal(ch_scene_parse(&context, text, NULL, &scene), CH_OK);
  assert_non_null(strstr(context.message, "$.bodies[1].shapes[0].scale"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(millimetres_are_metres),
      cmocka_unit_test(scenes_have_it_too),
  };
  return cmocka_run_group_tests(tests, ch_temporary_create, ch_temporary_remove);
}
