// Facts about contacts that were once lost, or were none: a thin card on a sheet has one side, what overlaps at a brink
// or across a strip is seen, what turns on a peg stays on it without a gain, points stay on sheets and bare rings in
// each other. On height fields and across their seams meshes, lines and points go as over a plane.
#include <stdlib.h>

#include "collide/pairs.h"
#include "model/mesh/mesh.h"
#include "step/bend.h"
#include "support/near.h"
#include "support/random.h"
#include "support/surfaces.h"
#include "support/worlds.h"

static const double g = 9.81, pi = 3.14159265358979323846;
static ChTestSurface surface;

static ChShape shape_of(ChArena* arena, const ChTestSurface* s) {
  ChMesh* mesh = NULL;
  ChContext context = {0};
  double bound = 0.0;
  CHECK_OK(context,
           ch_mesh_create(&context, arena, s->point_count, s->points, s->triangle_count, s->triangles, 3, &mesh));
  for (int v = 0; v < s->point_count; ++v) bound = fmax(bound, ch_norm(s->points[v]));
  return (ChShape){.type = CH_SHAPE_MESH, .mesh = mesh, .bound = bound};
}

static ChPosed posed(const ChShape* shape, ChVec3 at, ChQuat turn) {
  return (ChPosed){.shape = shape, .frame = {at, turn}, .turn = ch_mat_from_quat(turn)};
}

static double least_gap(const ChPosed* a, const ChPosed* b, ChManifold* list) {
  double least = INFINITY;
  list->count = 0;
  ch_pair_collide(a, b, 2e-3, list);
  for (int k = 0; k < list->count; ++k) least = fmin(least, list->points[k].gap);
  return least;
}

static const ChTestSurface* box(double x, double y, double z) {
  ch_surface_of_cubes(&surface, 1, 1, "#", 1, 1.0);
  for (int k = 0; k < 8; ++k)
    surface.points[k] = ch_vec(x * surface.points[k].x, y * surface.points[k].y, z * surface.points[k].z);
  return &surface;
}

static const ChTestSurface* square(double half) {
  surface.point_count = surface.triangle_count = 0;
  for (int k = 0; k < 4; ++k)
    surface.points[surface.point_count++] = ch_vec(k % 2 ? half : -half, k / 2 ? half : -half, 0.0);
  ch_surface_triangle(&surface, 0, 1, 3);
  ch_surface_triangle(&surface, 0, 3, 2);
  return &surface;
}

// A card of 5 mm, upright to flat, above or below a sheet, 1 um in it: it is 1 um deep, and not 5 mm from the other
// side.
static void a_card_is_not_its_thickness_deep(void** state) {
  (void)state;
  ChArena* arena = ch_arena_create(NULL);
  ChManifold list = {0};
  ChShape sheet = shape_of(arena, square(5.0)), card = shape_of(arena, box(2.5, 1.2, 0.005));
  ChPosed plane = posed(&sheet, ch_vec(0, 0, 0), ch_quat_identity());
  for (int k = 0; k <= 40; ++k)
    for (int below = 0; below < 2; ++below) {
      double tilt = 0.5 * pi * k / 40.0, side = below ? -1.0 : 1.0;
      double height = 1.25 * sin(tilt) + 0.0025 * cos(tilt) - 1e-6;
      ChPosed a = posed(&card, ch_vec(0.3, 0.2, side * height), ch_quat_about(ch_axis(1), tilt));
      double least = k == 0 ? least_gap(&a, &plane, &list) : least_gap(&plane, &a, &list);
      CHECK_NEAR(least, -1e-6, 1e-9);
    }
  ch_manifold_free(&list);
  ch_arena_destroy(arena);
}

// Two blocks on one floor, or one 0.1 um above or below it. The side of the one leans out by a tenth, and the other's
// upright edge by more, so that its lower corner alone is in that side, next to the brink.
static void a_corner_at_a_brink_is_seen(void** state) {
  (void)state;
  ChArena* arena = ch_arena_create(NULL);
  ChManifold list = {0};
  box(1.0, 1.0, 1.0);
  for (int k = 0; k < 8; ++k)
    if (surface.points[k].z > 0.0) surface.points[k].x *= 1.2;
  ChShape leaning = shape_of(arena, &surface);
  box(1.0, 1.0, 1.0);
  for (int k = 0; k < 8; ++k) {
    ChVec3* x = &surface.points[k];
    *x = ch_rotate(ch_quat_about(ch_axis(2), 0.25 * pi), *x);
    x->x += 0.14 * (x->z + 0.5);
  }
  ChShape edged = shape_of(arena, &surface);
  for (int k = 0; k < 60; ++k) {
    double deep = 1e-5 * pow(1.08, k), higher = (k % 3 - 1) * 1e-7;
    ChPosed a = posed(&leaning, ch_vec(0, 0, 0), ch_quat_identity());
    ChPosed b = posed(&edged, ch_vec(0.5 + sqrt(0.5) - deep, 0.07, higher), ch_quat_identity());
    CHECK_NEAR(least_gap(&a, &b, &list), -deep / sqrt(1.01), 0.1 * deep);
  }
  ch_manifold_free(&list);
  ch_arena_destroy(arena);
}

static void ring_of_tube(double radius, double thick, int around, int about) {
  ChTestSurface* s = &surface;
  s->point_count = s->triangle_count = 0;
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < about; ++j) {
      double u = 2.0 * pi * i / around, v = 2.0 * pi * j / about, r = radius + thick * cos(v);
      s->points[s->point_count++] = ch_vec(r * cos(u), r * sin(u), thick * sin(v));
    }
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < about; ++j) {
      int a = i * about + j, b = (i + 1) % around * about + j;
      int c = (i + 1) % around * about + (j + 1) % about, d = i * about + (j + 1) % about;
      ch_surface_triangle(s, a, b, c);
      ch_surface_triangle(s, a, c, d);
    }
}

// How deep an edge of one goes through a triangle of the other.
static double pierced(const ChPosed* a, const ChPosed* b) {
  double most = 0.0;
  const ChMesh *m = a->shape->mesh, *n = b->shape->mesh;
  for (int c = 0; c < n->cell_count; ++c) {
    ChVec3 p[3];
    for (int k = 0; k < 3; ++k) p[k] = ch_frame_point(b->frame, n->vertices[n->cells[3 * c + k]]);
    ChVec3 up = ch_unit(ch_cross(ch_sub(p[1], p[0]), ch_sub(p[2], p[0])));
    for (int place = 0; place < 3 * m->cell_count; ++place) {
      ChVec3 from = ch_frame_point(a->frame, m->vertices[m->cells[place]]);
      ChVec3 to = ch_frame_point(a->frame, m->vertices[m->cells[place % 3 == 2 ? place - 2 : place + 1]]);
      double x = ch_dot(up, ch_sub(from, p[0])), y = ch_dot(up, ch_sub(to, p[0])), room = fmin(fabs(x), fabs(y));
      if (!(x * y < 0.0)) continue;
      ChVec3 hit = ch_along(from, x / (x - y), ch_sub(to, from));
      for (int k = 0; k < 3; ++k) {
        ChVec3 edge = ch_sub(p[(k + 1) % 3], p[k]);
        room = fmin(room, ch_dot(ch_cross(up, edge), ch_sub(hit, p[k])) / ch_norm(edge));
      }
      most = fmax(most, room);
    }
  }
  return most;
}

// Links of a chain, pulled into each other by up to half a millimetre, turned at random: what goes through is listed.
static void links_that_overlap_are_seen(void** state) {
  (void)state;
  ChArena* arena = ch_arena_create(NULL);
  ChManifold list = {0};
  ChRandom r = ch_random_seeded(4);
  ring_of_tube(0.06, 0.014, 12, 6);
  ChShape ring = shape_of(arena, &surface);
  int deep = 0;
  for (int trial = 0; trial < 400; ++trial) {
    ChQuat across = ch_quat_about(ch_axis(0), 0.5 * pi + ch_random_uniform(&r, -0.5, 0.5));
    ChQuat more = ch_quat_about(ch_unit(ch_random_in_cube(&r, 1.0)), ch_random_uniform(&r, 0.0, 0.5));
    ChPosed a = posed(&ring, ch_vec(0, 0, 0), ch_quat_identity());
    ChPosed b = posed(&ring, ch_vec(0.085, 0.002, 0.001), ch_quat_product(more, across));
    double gap = least_gap(&a, &b, &list), step = 5e-4;  // pulled until they touch, and a little farther
    for (int k = 0; k < 60 && !(gap < 0.0); ++k, gap = least_gap(&a, &b, &list)) b.frame.at.x += step;
    b.frame.at.x -= ch_random_uniform(&r, 0.0, step);
    gap = least_gap(&a, &b, &list);
    double through = fmax(pierced(&a, &b), pierced(&b, &a));
    if (!(through > 2e-5)) continue;
    ++deep;
    CHECK_AT_MOST(gap, -0.02 * through);
  }
  assert_true(deep > 40);
  ch_manifold_free(&list);
  ch_arena_destroy(arena);
}

// --- in worlds -------------------------------------------------------------------------------------------------------

static int add(ChWorld* world, const ChShapeDef* shape, ChVec3 at, ChQuat turn, double mass) {
  ChBodyDef body = ch_body_def_default();
  body.position = at, body.orientation = turn;
  body.kind = mass == 0.0 ? CH_BODY_FIXED : CH_BODY_DYNAMIC;
  if (mass > 0.0) body.mass = mass;
  for (int k = 0; k < 3 && mass > 0.0; ++k) body.inertia[k] = 0.1 * mass;
  return ch_test_body(world, &body, shape);
}

// A second try of a step has the gaps of the first and starts with its reactions; a try of another length, or of other
// rows, has neither.
static void a_second_try_has_what_the_first_one_found(void** state) {
  (void)state;
  ChBends bends = {0};
  ChWorld world = {.dimension = 3};
  ChBodyState at[2] = {0}, end[2] = {0};
  at[0].orientation = at[1].orientation = end[0].orientation = end[1].orientation = ch_quat_identity();
  ChGap gap = {.body = {0, 1}, .shape = {0, 1}, .normal = ch_axis(2), .gap = 0.0, .key = 7}, later = gap, again = gap;
  ChMoment moment = {.world = &world, .states = at, .gaps = &gap, .gap_count = 1};
  later.gap = -1e-4;  // what bodies that do not move overlap by is bend
  assert_true(ch_bends_find(&bends, &moment, end, &later, 1, 0.01));
  const double found[3] = {1.0, 2.0, 3.0};
  assert_true(ch_bends_keep_reactions(&bends, found, 3));
  assert_false(ch_bends_has_gaps(&bends, 0.005));
  assert_true(ch_bends_has_gaps(&bends, 0.01));
  assert_int_equal(bends.gaps[0].key, 7);
  double r[4] = {0.0};
  ch_bends_recall(&bends, r, 3);
  assert_true(r[0] == 0.0);  // nothing is applied yet
  ch_bends_apply(&bends, 0.01, &again, 1);
  CHECK_AT_MOST(fabs(again.bend + 1e-4), 1e-16);
  ch_bends_recall(&bends, r, 4);
  assert_true(r[0] == 0.0);
  ch_bends_recall(&bends, r, 3);
  assert_true(r[0] == 1.0 && r[1] == 2.0 && r[2] == 3.0);
  assert_false(ch_bends_has_gaps(&bends, 0.01));
  ch_bends_free(&bends);
}

// A frame swings on a square peg, 10 ms a step, where turning adds up to half a millimetre a step.
static void what_swings_on_a_peg_stays_on_it(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, g, 0.0, 0.0);
  ChQuat up = ch_quat_about(ch_axis(0), 0.5 * pi);  // pictures stand
  ch_surface_of_cubes(&surface, 1, 1, "#", 1, 0.05);
  ChShapeDef shape = ch_surface_shape(&surface);
  add(world, &shape, ch_vec(0, 0, 0), ch_quat_about(ch_axis(1), 0.25 * pi), 0.0);
  ch_surface_of_cubes(&surface, 3, 5, "####.#####.####", 1, 0.1);
  shape = ch_surface_shape(&surface);
  int frame =
      add(world, &shape, ch_vec(-0.1, 0, -0.0146), ch_quat_product(ch_quat_about(ch_axis(1), 0.5 * pi), up), -1.0);
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = 1e-2, options.solve.tolerance = 1e-8;
  ChSimulation* s = ch_test_start(world, &options);
  double gain = 0.0, deepest = 0.0, exchanged = 0.0;
  for (int k = 0; k < 150; ++k) {
    ChStepInfo info = ch_test_step(s);
    gain += info.gain, deepest = fmax(deepest, info.penetration), exchanged = fmax(exchanged, info.exchanged);
  }
  CHECK_AT_MOST(deepest, 5e-5);
  CHECK_AT_MOST(gain, 1e-3 * exchanged);
  CHECK_AT_MOST(ch_norm(ch_simulation_body_at(s, frame).position), 0.2);
  ch_simulation_destroy(s);
}

// Bare points fall on an open sheet and stay on it; so do the ends of bare lines.
static void points_stay_on_a_sheet(void** state) {
  (void)state;
  static const ChVec3 tip[5] = {
      {-0.5, 0.0, -0.5}, {0.5, 0.0, -0.5}, {0.5, 0.0, 0.5}, {-0.5, 0.0, 0.5}, {0.0, 1.0, 0.0}};
  static const int edges[16] = {0, 1, 1, 2, 2, 3, 3, 0, 0, 4, 1, 4, 2, 4, 3, 4};
  for (int lines = 0; lines < 2; ++lines) {
    ChWorld* world = ch_test_world(3, g, 0.3, 0.0);
    ChShapeDef sheet = ch_surface_shape(square(5.0)), dots = ch_shape_def_default();
    add(world, &sheet, ch_vec(0, 0, 0), ch_quat_identity(), 0.0);
    dots.type = lines ? CH_SHAPE_SEGMENTS : CH_SHAPE_POINTS;
    dots.points = tip, dots.point_count = 5;
    if (lines) dots.segments = edges, dots.segment_count = 8;
    int body = add(world, &dots, ch_vec(0.1, 0.2, 1.0), ch_quat_about(ch_unit(ch_vec(1, 2, 1)), 0.6), 1.0);
    ChSimulationOptions options = ch_simulation_options_default();
    options.h = 1e-2, options.solve.tolerance = 1e-8;
    ChSimulation* s = ch_test_start(world, &options);
    for (int k = 0; k < 300; ++k) {
      ChStepInfo info = ch_test_step(s);
      CHECK_AT_MOST(info.penetration, 2e-5);
    }
    assert_true(ch_simulation_body_at(s, body).position.z > 0.0);
    CHECK_AT_MOST(ch_simulation_body_at(s, body).position.z, 1.0);
    ch_simulation_destroy(s);
  }
}

// Three bare rings, the first fixed: the others swing in it, from joint to joint of their polygons.
static void bare_rings_stay_in_each_other(void** state) {
  (void)state;
  enum { N = 24 };
  ChVec3 points[N];
  int segments[2 * N];
  for (int k = 0; k < N; ++k) {
    points[k] = ch_vec(0.5 * cos(2.0 * pi * k / N), 0.0, 0.5 * sin(2.0 * pi * k / N));
    segments[2 * k] = k, segments[2 * k + 1] = (k + 1) % N;
  }
  ChShapeDef ring = ch_shape_def_default();
  ring.type = CH_SHAPE_SEGMENTS;
  ring.points = points, ring.point_count = N, ring.segments = segments, ring.segment_count = N;
  ChWorld* world = ch_test_world(3, g, 0.0, 0.0);
  ChQuat quarter = ch_quat_about(ch_axis(2), 0.5 * pi);
  add(world, &ring, ch_vec(0.0, 0.0, 0.51), ch_quat_identity(), 0.0);
  int one = add(world, &ring, ch_vec(0.49, 0.0, 0.0), quarter, 1.0);
  int two = add(world, &ring, ch_vec(0.98, 0.0, -0.51), ch_quat_identity(), 1.0);
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = 1e-2, options.solve.tolerance = 1e-8;
  ChSimulation* s = ch_test_start(world, &options);
  for (int k = 0; k < 300; ++k) {
    ChStepInfo info = ch_test_step(s);
    CHECK_AT_MOST(info.penetration, 1e-4);
    ChVec3 first = ch_simulation_body_at(s, one).position, second = ch_simulation_body_at(s, two).position;
    CHECK_AT_MOST(ch_norm(ch_sub(first, ch_vec(0.0, 0.0, 0.51))), 1.0);
    CHECK_AT_MOST(ch_norm(ch_sub(second, first)), 1.0);
  }
  ch_simulation_destroy(s);
}

// --- height fields ---------------------------------------------------------------------------------------------------

// Meshes, lines and points slide over two flat tiles that share a border, and rest on rough ground.
static void fields_carry_meshes_lines_and_points(void** state) {
  (void)state;
  static double flat[25], rough[25];
  static const ChVec3 feet[4] = {{-0.2, -0.1, -0.1}, {0.2, -0.1, -0.1}, {0.2, 0.1, -0.1}, {-0.2, 0.1, -0.1}};
  static const int loop[8] = {0, 1, 1, 2, 2, 3, 3, 0};
  for (int k = 0; k < 25; ++k) rough[k] = 0.05 * sin(3.0 * k) + 0.03 * cos(5.0 * k);
  for (int kind = 0; kind < 3; ++kind)
    for (int bumpy = 0; bumpy < 2; ++bumpy) {
      ChWorld* world = ch_test_world(3, g, bumpy ? 0.6 : 0.0, 0.0);
      for (int tile = 0; tile < 2; ++tile) {
        ChShapeDef field = ch_shape_def_default();
        field.type = CH_SHAPE_HEIGHTFIELD;
        field.heights = bumpy ? rough : flat, field.columns = field.rows = 5, field.cell = 0.5;
        if (bumpy && tile) continue;
        add(world, &field, ch_vec(bumpy ? -1.0 : 2.0 * tile - 2.0, -1.0, 0.0), ch_quat_identity(), 0.0);
      }
      ChShapeDef shape = ch_surface_shape(box(0.4, 0.2, 0.2));
      if (kind > 0) shape = (ChShapeDef){.orientation = {1, 0, 0, 0}, .points = feet, .point_count = 4};
      if (kind == 1) shape.type = CH_SHAPE_SEGMENTS, shape.segments = loop, shape.segment_count = 4;
      if (kind == 2) shape.type = CH_SHAPE_POINTS;
      int body = add(world, &shape, ch_vec(bumpy ? 0.05 : -0.8, 0.13, bumpy ? 0.3 : 0.1), ch_quat_identity(), 2.0);
      ChSimulationOptions options = ch_simulation_options_default();
      options.h = 5e-3, options.solve.tolerance = 1e-8;
      ChSimulation* s = ch_test_start(world, &options);
      if (!bumpy) {
        ChContext context = {0};
        ChBodyView now = ch_simulation_body_at(s, body);
        now.velocity = ch_vec(1.6, 0.1, 0.0);
        CHECK_OK(context, ch_simulation_set_body(&context, s, ch_body_id(body), &now));
      }
      for (int k = 0; k < 200; ++k) {
        ChStepInfo info = ch_test_step(s);
        CHECK_AT_MOST(info.penetration, 2e-5);
      }
      ChBodyView end = ch_simulation_body_at(s, body);
      if (bumpy) assert_true(end.position.z > -0.1);
      if (!bumpy) CHECK_NEAR(end.position.z, 0.1, 1e-5);
      if (!bumpy) CHECK_NEAR(end.velocity.x, 1.6, 1e-6);
      ch_simulation_destroy(s);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_second_try_has_what_the_first_one_found),
      cmocka_unit_test(a_card_is_not_its_thickness_deep),
      cmocka_unit_test(a_corner_at_a_brink_is_seen),
      cmocka_unit_test(links_that_overlap_are_seen),
      cmocka_unit_test(what_swings_on_a_peg_stays_on_it),
      cmocka_unit_test(points_stay_on_a_sheet),
      cmocka_unit_test(bare_rings_stay_in_each_other),
      cmocka_unit_test(fields_carry_meshes_lines_and_points),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
