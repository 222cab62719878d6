// Facts about every type of shape in the table: a new row is tested by being there. What a row says (mass, reach,
// bound, support, distance, curvature, pairs) must agree with the surface that it shows.
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "collide/pairs.h"
#include "collide/shape_box.h"
#include "support/near.h"
#include "support/random.h"

enum { FACETS = 120, DIRECTIONS = 40 };
static const double FACETED = 2e-3;  // what 120 facets round take from a volume; from a length it is a quarter

static ChVec3 random_direction(ChRandom* random, int dimension) {
  double x = ch_random_uniform(random, -1.0, 1.0), y = ch_random_uniform(random, -1.0, 1.0);
  return ch_unit(ch_vec(x, y, dimension == 3 ? ch_random_uniform(random, -1.0, 1.0) : 0.0));
}

// --- one of each -----------------------------------------------------------------------------------------------------

static const ChVec3 corners[2][4] = {{{-0.3, -0.2, 0}, {0.4, -0.1, 0}, {0.3, 0.4, 0}, {-0.2, 0.3, 0}},
                                     {{-0.3, -0.2, -0.1}, {0.4, -0.1, -0.2}, {0.0, 0.4, -0.1}, {0.1, 0.1, 0.5}}};
static const double heights[] = {0.1, -0.1, 0.05, 0.0, 0.2, 0.1};
static const int tetrahedron[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};

// Any definition that the type accepts.
static ChShapeDef shape_def(ChShapeType type) {
  const ChShapeInfo* info = ch_shape_info(type);
  ChShapeDef def = ch_shape_def_default();
  def.type = type;
  def.at = ch_vec(0.2, -0.1, info->dimension == 3 ? 0.3 : 0.0);
  if (info->dimension == 3)
    def.orientation = ch_quat_exp(ch_vec(0.3, -0.5, 0.4));
  else
    def.angle = 0.6;
  for (int k = 0; k < info->field_count; ++k) {
    const ChDefField* field = &info->fields[k];
    void* member = (char*)&def + field->offset;
    if (field->kind == CH_DEF_SIZE && field->flags & CH_DEF_REQUIRED) *(double*)member = 0.2 + 0.1 * k;
    if (field->kind == CH_DEF_SIZES) *(ChVec3*)member = ch_vec(0.2, 0.3, info->dimension == 3 ? 0.45 : 0.0);
    if (field->kind == CH_DEF_NORMAL) *(ChVec3*)member = ch_vec(0.6, 0.8, 0.0);
    if (field->kind == CH_DEF_POINTS) def.points = corners[info->dimension - 2], def.point_count = 4;
    if (field->kind == CH_DEF_HEIGHTS) def.heights = heights, def.columns = 3, def.rows = 2, def.cell = 0.25;
    if (field->kind == CH_DEF_NUMBER && field->offset == offsetof(ChShapeDef, radius)) def.radius = 0.1;
    if (field->kind == CH_DEF_TRIANGLES) def.triangles = tetrahedron, def.triangle_count = 4;
  }
  return def;
}

typedef struct Sample {
  ChWorld* world;
  ChArena* arena;
  const ChShape* shape;
  const ChShapeKind* kind;
  ChPatches surface;  // in the shape's frame
} Sample;

static Sample make(ChShapeType type) {
  const ChShapeInfo* info = ch_shape_info(type);
  ChContext context = {0};
  Sample s = {.arena = ch_arena_create(NULL)};
  CHECK_OK(context, ch_world_create(&context, info->dimension, &s.world));
  ChMaterialDef material = ch_material_def_default();
  CHECK_OK(context, ch_world_add_material(&context, s.world, &material, NULL));
  ChBodyDef body = ch_body_def_default();
  body.kind = info->still ? CH_BODY_FIXED : CH_BODY_DYNAMIC;
  CHECK_OK(context, ch_world_add_body(&context, s.world, &body, NULL));
  ChShapeDef def = shape_def(type);
  CHECK_OK(context, ch_world_add_shape(&context, s.world, ch_body_id(0), &def, NULL));
  CHECK_OK(context, ch_world_seal(&context, s.world));
  s.shape = &s.world->shapes[0];
  s.kind = ch_shape_kind(s.shape);
  const ChSurfaceView view = {.reach = 1.0, .facets = FACETS};
  s.surface = ch_shape_patches(s.arena, s.shape, &view);
  return s;
}

static void drop(Sample* s) {
  ch_arena_destroy(s->arena);
  ch_world_destroy(s->world);
}

static double farthest(const ChPatches* p, ChVec3 d, int* which) {
  double most = -INFINITY;
  for (int k = 0; k < p->point_count; ++k)
    if (ch_dot(d, p->points[k]) > most) most = ch_dot(d, p->points[k]), *which = k;
  return most;
}

// Runs a check on one shape of every type that a definition makes.
static void each(void (*check)(const Sample* s, ChRandom* random)) {
  ChRandom random = ch_random_seeded(3);
  for (int type = 0; type < CH_SHAPE_TYPE_COUNT; ++type) {
    if (ch_shape_info((ChShapeType)type)->skin) continue;
    Sample s = make((ChShapeType)type);
    check(&s, &random);
    drop(&s);
  }
}

// --- mass ------------------------------------------------------------------------------------------------------------

// The surface as triangles, by the divergence theorem; in the plane by the sectors of its loop.
static ChMassProperties mass_inside(const Sample* s) {
  const ChPatches* p = &s->surface;
  const bool plane = s->kind->info.dimension == 2;
  if (plane) {
    double area = 0.0;
    for (int k = 0; k < p->point_count; ++k)
      area += 0.5 * ch_cross(p->points[k], p->points[(k + 1) % p->point_count]).z;
    return (ChMassProperties){.mass = area};
  }
  int count = 0, corner = 0, *cells = CH_TAKE(s->arena, 3 * p->corner_count, int);
  for (int c = 0; c < p->cell_count; corner += p->sizes[c++])
    for (int k = 1; k + 1 < p->sizes[c]; ++k, ++count) {
      cells[3 * count] = p->corners[corner];
      cells[3 * count + 1] = p->corners[corner + k], cells[3 * count + 2] = p->corners[corner + k + 1];
    }
  ChMesh mesh = {
      .vertex_count = p->point_count, .vertices = p->points, .cell_count = count, .cells = cells, .width = 3};
  mesh.closed = true;
  return ch_mass_of_mesh(&mesh, 1.0);
}

static void check_mass(const Sample* s, ChRandom* random) {
  (void)random;
  if (!s->kind->mass || s->kind->net) return;  // edges and points are drawn thicker than they are: test_net has theirs
  ChMassProperties said = s->kind->mass(s->shape, 1.0), found = mass_inside(s);
  CHECK_NEAR(found.mass, said.mass, FACETED * said.mass);
  if (s->kind->info.dimension == 2) return;
  CHECK_AT_MOST(ch_norm(ch_sub(found.centre, said.centre)), FACETED * s->shape->bound);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      CHECK_NEAR(found.spread.m[i][j], said.spread.m[i][j],
                 2.0 * FACETED * said.mass * s->shape->bound * s->shape->bound);
}

static void mass_is_what_the_surface_holds(void** state) {
  (void)state;
  each(check_mass);
}

// --- reach and bound -------------------------------------------------------------------------------------------------

// No point of the surface is beyond; and, but for meshes and height fields, which know their box only, one is there.
static void check_reach(const Sample* s, ChRandom* random) {
  if (s->kind->info.endless) {
    assert_true(isinf(s->shape->bound));
    assert_null(s->kind->reach);
    return;
  }
  const ChPosed posed = {
      .shape = s->shape, .frame = {{0, 0, 0}, ch_quat_identity()}, .turn = ch_mat_diagonal(ch_vec(1, 1, 1))};
  const ChBox3 box = ch_shape_box(&posed);
  for (int k = 0; k < s->surface.point_count; ++k) {
    ChVec3 x = s->surface.points[k];
    CHECK_AT_MOST(ch_norm(x), s->shape->bound * (1.0 + 1e-12));
    for (int i = 0; i < s->kind->info.dimension; ++i) {
      CHECK_AT_MOST(ch_component(x, i), ch_component(box.high, i) + 1e-12);
      CHECK_AT_MOST(ch_component(box.low, i), ch_component(x, i) + 1e-12);
    }
  }
  for (int n = 0; n < DIRECTIONS; ++n) {
    int which = 0;
    ChVec3 d = random_direction(random, s->kind->info.dimension);
    ChReach reach = s->kind->reach(s->shape, d);
    double high = farthest(&s->surface, d, &which), low = -farthest(&s->surface, ch_neg(d), &which);
    CHECK_AT_MOST(high, reach.high + 1e-12);
    CHECK_AT_MOST(reach.low, low + 1e-12);
    double slack = s->shape->mesh || s->kind->ground || s->kind->net ? INFINITY : FACETED * s->shape->bound;
    CHECK_AT_MOST(reach.high, high + slack);
    CHECK_AT_MOST(low, reach.low + slack);
  }
}

static void boxes_and_bounds_hold_the_surface_tightly(void** state) {
  (void)state;
  each(check_reach);
}

// --- curved shapes ---------------------------------------------------------------------------------------------------

static ChSmooth placed(const Sample* s) {
  ChQuat q = ch_quat_exp(ch_vec(-0.4, 0.7, 0.2));
  ChSmooth smooth = {.shape = s->shape, .turn = ch_mat_from_quat(q), .at = ch_vec(0.3, -0.2, 0.5)};
  smooth.axis = ch_mat_apply(&smooth.turn, ch_axis(2));
  smooth.size = s->kind->round.size(s->shape);
  return smooth;
}

static ChVec3 local_of(const ChSmooth* s, ChVec3 x) { return ch_mat_apply_transposed(&s->turn, ch_sub(x, s->at)); }

// The support point reaches as far as the shape does, lies on it, and moves as its bend says.
static void check_round(const Sample* s, ChRandom* random) {
  const ChRoundKind* round = &s->kind->round;
  if (!round->support) return;
  const ChSmooth smooth = placed(s);
  CHECK_AT_MOST(s->shape->bound, 1.5 * smooth.size);
  for (int n = 0; n < DIRECTIONS; ++n) {
    ChVec3 d = random_direction(random, 3), x = round->support(&smooth, d), local = local_of(&smooth, x);
    ChVec3 own = ch_mat_apply_transposed(&smooth.turn, d), beyond = ch_along(local, 0.1, own);
    CHECK_NEAR(ch_dot(own, local), s->kind->reach(s->shape, own).high, 1e-12);
    assert_true(round->contains(&smooth, local, 1e-9));
    assert_false(round->contains(&smooth, beyond, 1e-9));
    CHECK_AT_MOST(fabs(round->distance(s->shape, local).distance), 1e-10);
    ChFieldPoint foot = round->distance(s->shape, beyond);
    CHECK_NEAR(foot.distance, 0.1, 1e-10);
    CHECK_AT_MOST(ch_norm(ch_sub(foot.normal, own)), 1e-6);
    if (round->swept) continue;
    const double h = 1e-6;
    ChVec3 t = ch_unit(ch_cross(d, random_direction(random, 3)));
    ChVec3 moved = ch_sub(round->support(&smooth, ch_unit(ch_along(d, h, t))),
                          round->support(&smooth, ch_unit(ch_along(d, -h, t))));
    CHECK_AT_MOST(ch_norm(ch_sub(ch_scale(0.5 / h, moved), round->bend(&smooth, d, t))), 1e-4);
  }
}

static void support_distance_and_curvature_agree(void** state) {
  (void)state;
  each(check_round);
}

// --- pairs -----------------------------------------------------------------------------------------------------------

// A small ball in front of a convex shape's end: the gap is its distance, whoever is named first.
static void check_ball_in_front(const Sample* s, ChRandom* random) {
  const ChShapeInfo* info = &s->kind->info;
  if (!s->shape->polytope && !s->kind->round.support && !info->endless) return;
  const double radius = 0.05, gap = 0.01;
  const ChShape ball = {
      .type = info->dimension == 2 ? CH_SHAPE_DISK : CH_SHAPE_SPHERE, .radius = radius, .bound = radius};
  const ChFrame frame = {{0, 0, 0}, ch_quat_identity()};
  const ChMat3 turn = ch_mat_diagonal(ch_vec(1, 1, 1));
  const ChPosed posed = {.shape = s->shape, .frame = frame, .turn = turn};
  for (int n = 0; n < DIRECTIONS; ++n) {
    int which = 0;
    ChVec3 d = info->endless ? s->shape->normal : random_direction(random, info->dimension);
    ChSmooth smooth = {.shape = s->shape, .turn = turn, .axis = ch_axis(2)};
    farthest(&s->surface, d, &which);
    ChVec3 end = s->kind->round.support ? s->kind->round.support(&smooth, d) : s->surface.points[which];
    ChPosed other = {.shape = &ball, .frame = {ch_along(end, radius + gap, d), ch_quat_identity()}, .turn = turn};
    for (int turned = 0; turned < 2; ++turned) {
      ChManifold found = {0};
      ch_pair_collide(turned ? &other : &posed, turned ? &posed : &other, 2.0 * gap, &found);
      double least = INFINITY;
      for (int k = 0; k < found.count; ++k) least = fmin(least, found.points[k].gap);
      CHECK_NEAR(least, gap, 1e-9);
      for (int k = 0; k < found.count; ++k)
        CHECK_AT_MOST(ch_norm(ch_sub(found.points[k].normal, ch_scale(turned ? -1.0 : 1.0, d))), 1e-6);
      ch_manifold_free(&found);
    }
  }
}

static void a_ball_in_front_is_as_far_as_it_is(void** state) {
  (void)state;
  each(check_ball_in_front);
}

static void every_two_types_that_can_meet_have_a_routine(void** state) {
  (void)state;
  for (int a = 0; a < CH_SHAPE_TYPE_COUNT; ++a)
    for (int b = 0; b < CH_SHAPE_TYPE_COUNT; ++b) {
      const ChShapeInfo *one = ch_shape_info((ChShapeType)a), *two = ch_shape_info((ChShapeType)b);
      bool swapped, meet = one->dimension == two->dimension && !(one->still && two->still);
      ChPairFn routine = ch_pair_find((ChShapeType)a, (ChShapeType)b, &swapped);
      if (meet != (routine != NULL)) fail_msg("%s and %s", one->label, two->label);
    }
}

// --- names -----------------------------------------------------------------------------------------------------------

static void names_are_unique_and_definitions_are_checked(void** state) {
  (void)state;
  for (int type = 0; type < CH_SHAPE_TYPE_COUNT; ++type) {
    const ChShapeInfo* info = ch_shape_info((ChShapeType)type);
    assert_true(info->name && info->label && info->summary && (info->dimension == 2 || info->dimension == 3));
    for (int other = 0; other < type; ++other) {
      const ChShapeInfo* before = ch_shape_info((ChShapeType)other);
      if (before->dimension == info->dimension) assert_string_not_equal(before->name, info->name);
    }
    if (info->skin) continue;
    Sample s = make((ChShapeType)type);
    for (int k = 0; k < info->field_count; ++k) {
      const ChDefField* field = &info->fields[k];
      if (field->kind != CH_DEF_SIZE && field->kind != CH_DEF_NUMBER) continue;
      ChShapeDef def = shape_def((ChShapeType)type);
      ChContext context = {0};
      s.world->sealed = false;
      *(double*)((char*)&def + field->offset) = NAN;
      assert_int_equal(ch_world_add_shape(&context, s.world, ch_body_id(0), &def, NULL), CH_ERR_RANGE);
      assert_non_null(strstr(context.message, field->key));
    }
    drop(&s);
  }
  assert_null(ch_shape_info(CH_SHAPE_TYPE_COUNT));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mass_is_what_the_surface_holds),
      cmocka_unit_test(boxes_and_bounds_hold_the_surface_tightly),
      cmocka_unit_test(support_distance_and_curvature_agree),
      cmocka_unit_test(a_ball_in_front_is_as_far_as_it_is),
      cmocka_unit_test(every_two_types_that_can_meet_have_a_routine),
      cmocka_unit_test(names_are_unique_and_definitions_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
