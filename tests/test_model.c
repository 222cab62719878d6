// Facts about model/: closed-form mass properties, hulls, meshes, materials, signals, refusals.
#include <stdio.h>
#include <string.h>

#include "model/mass_properties.h"
#include "support/near.h"
#include "support/random.h"
#include "support/temporary.h"

static const double PI = 3.141592653589793;

static ChWorld* new_world(int dimension) {
  ChContext context = {0};
  ChWorld* world = NULL;
  CHECK_OK(context, ch_world_create(&context, dimension, &world));
  ChMaterialDef material = CH_MATERIAL_DEF;
  CHECK_OK(context, ch_world_add_material(&context, world, &material, NULL));
  return world;
}

static int new_body(ChWorld* world, ChBodyKind kind) {
  ChContext context = {0};
  ChBodyDef def = CH_BODY_DEF;
  def.kind = kind;
  int id = -1;
  CHECK_OK(context, ch_world_add_body(&context, world, &def, &id));
  return id;
}

static void add_shape(ChWorld* world, int body, const ChShapeDef* def) {
  ChContext context = {0};
  CHECK_OK(context, ch_world_add_shape(&context, world, body, def, NULL));
}

static void seal(ChWorld* world) {
  ChContext context = {0};
  CHECK_OK(context, ch_world_seal(&context, world));
}

// A world of one dynamic body with one shape, sealed.
static ChWorld* world_of(int dimension, const ChShapeDef* def) {
  ChWorld* world = new_world(dimension);
  add_shape(world, new_body(world, CH_BODY_DYNAMIC), def);
  seal(world);
  return world;
}

static void check_tensor(const ChMat3* a, const ChMat3* b, double tolerance) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) CHECK_NEAR(a->m[i][j], b->m[i][j], tolerance);
}

// ------------------------------------------------------------------------------------------------------------ masses

static void solids_have_their_textbook_inertia(void** state) {
  (void)state;
  ChShapeDef def = CH_SHAPE_DEF;
  def.radius = 0.3, def.half_length = 0.7, def.half = ch_vec(0.2, 0.5, 1.1);
  double r2 = 0.09, length = 1.4;
  const struct {
    ChShapeType type;
    double volume, xx, yy, zz;  // of unit mass
  } solids[] = {
      {CH_SHAPE_SPHERE, 4.0 / 3.0 * PI * 0.027, 0.4 * r2, 0.4 * r2, 0.4 * r2},
      {CH_SHAPE_BOX, 8.0 * 0.11, (0.25 + 1.21) / 3.0, (0.04 + 1.21) / 3.0, (0.04 + 0.25) / 3.0},
      {CH_SHAPE_ELLIPSOID, 4.0 / 3.0 * PI * 0.11, (0.25 + 1.21) / 5.0, (0.04 + 1.21) / 5.0, (0.04 + 0.25) / 5.0},
      {CH_SHAPE_CYLINDER, PI * r2 * length, (3 * r2 + length * length) / 12.0, (3 * r2 + length * length) / 12.0,
       r2 / 2.0},
  };
  for (size_t k = 0; k < sizeof solids / sizeof *solids; ++k) {
    def.type = solids[k].type;
    ChWorld* world = world_of(3, &def);
    double mass = 1000.0 * solids[k].volume;
    CHECK_NEAR(world->bodies[0].mass, mass, 1e-12 * mass);
    ChMat3 wanted = ch_mat_diagonal(ch_vec(mass * solids[k].xx, mass * solids[k].yy, mass * solids[k].zz));
    check_tensor(&world->bodies[0].inertia, &wanted, 1e-12 * mass);
    ch_world_destroy(world);
  }
}

static void a_hull_of_a_cubes_points_is_the_cube(void** state) {
  (void)state;
  ChVec3 points[27];
  for (int k = 0; k < 27; ++k) points[k] = ch_vec(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
  ChArena* arena = ch_arena_create(NULL);
  ChContext context = {0};
  ChPolytope* hull = NULL;
  CHECK_OK(context, ch_polytope_hull(&context, arena, 27, points, &hull));
  assert_int_equal(hull->vertex_count, 8);
  assert_int_equal(hull->face_count, 6);
  assert_int_equal(hull->edge_count, 12);
  for (int f = 0; f < 6; ++f) {
    assert_true(hull->offsets[f] == 1.0);
    assert_true(fabs(hull->normals[f].x) + fabs(hull->normals[f].y) + fabs(hull->normals[f].z) == 1.0);
  }
  ch_arena_destroy(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solids_have_their_textbook_inertia),
      cmocka_unit_test(a_hull_of_a_cubes_points_is_the_cube),
  };
  return cmocka_run_group_tests_name("model", tests, ch_temporary_create, ch_temporary_remove);
}
