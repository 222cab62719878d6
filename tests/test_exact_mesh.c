// Facts about contacts of triangle surfaces from their corners, edges and faces: the least gap is the distance of the
// surfaces, an overlap is as deep as it was made, flat on flat has all corners, nothing catches on a seam, nothing
// stands in the way of what passes, sheets have two sides, and neither lists nor threads change a bit.
#include <stdlib.h>
#include <string.h>

#include "collide/pairs.h"
#include "model/mesh/mesh.h"
#include "model/mesh/polytope_surface.h"
#include "model/world.h"
#include "support/near.h"
#include "support/random.h"
#include "support/shapes.h"
#include "support/slow_mesh.h"
#include "support/surfaces.h"
#include "support/worlds.h"

static const double g = 9.81;
static ChTestSurface surface;

typedef struct Kit {
  ChArena* arena;
  ChManifold out, other;
} Kit;

static int make_kit(void** state) {
  Kit* kit = calloc(1, sizeof *kit);
  kit->arena = ch_arena_create(NULL);
  *state = kit;
  return 0;
}

static int drop_kit(void** state) {
  Kit* kit = *state;
  free(kit->out.points);
  free(kit->other.points);
  ch_arena_destroy(kit->arena);
  free(kit);
  return 0;
}

static ChShape shape_of(Kit* kit, const ChTestSurface* s) {
  ChMesh* mesh = NULL;
  ChContext context = {0};
  CHECK_OK(context,
           ch_mesh_create(&context, kit->arena, s->point_count, s->points, s->triangle_count, s->triangles, 3, &mesh));
  double bound = 0.0;
  for (int v = 0; v < s->point_count; ++v) bound = fmax(bound, ch_norm(s->points[v]));
  return (ChShape){.type = CH_SHAPE_MESH, .mesh = mesh, .bound = bound};
}

static ChPosed posed(const ChShape* shape, ChFrame frame) {
  return (ChPosed){.shape = shape, .frame = frame, .turn = ch_mat_from_quat(frame.orientation)};
}

static void collide(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  out->count = 0;
  ch_pair_collide(a, b, margin, out);
  for (int i = 0; i < out->count; ++i) {
    CHECK_NEAR(ch_norm(out->points[i].normal), 1.0, 1e-12);
    for (int j = 0; j < i; ++j) assert_true(out->points[i].key != out->points[j].key);
  }
}

static const ChGap* least(const ChManifold* out) {
  const ChGap* best = NULL;
  for (int i = 0; i < out->count; ++i)
    if (!best || out->points[i].gap < best->gap) best = &out->points[i];
  return best;
}

// Solids of all kinds: convex and not, with few triangles and with some.
static ChShape solid(Kit* kit, int kind) {
  if (kind == 0) ch_surface_of_cubes(&surface, 1, 1, "#", 1, 0.8);
  if (kind == 1) ch_surface_of_cubes(&surface, 3, 2, "####.#", 2, 0.3);
  if (kind == 2) ch_surface_of_ball(&surface, 1);
  if (kind == 3) ch_surface_of_cubes(&surface, 3, 3, "####.####", 1, 0.25);
  if (kind == 2)
    for (int k = 0; k < surface.point_count; ++k) surface.points[k] = ch_scale(0.5, surface.points[k]);
  return shape_of(kit, &surface);
}
enum { KINDS = 4 };

// --- rows of teeth
// ----------------------------------------------------------------------------------------------------

// Two rows of two teeth, the first of one before the first of the other. Its second is as far behind the other's second
// as both second ones are before the first: contacts 0.05 and 1.25 wide have one middle.
static void the_nearest_of_contacts_behind_each_other_is_kept(void** state) {
  Kit* kit = *state;
  ch_surface_of_cubes(&surface, 3, 1, "#.#", 1, 0.3);
  ChShape row = shape_of(kit, &surface);
  ChFrame frame = {ch_vec(0.0, 0.0, 0.0), ch_quat_identity()};
  ChPosed a = posed(&row, frame), b = a;
  b.frame.at = ch_vec(0.95, 0.02, 0.0);
  for (double margin = 0.1; margin < 3.0; margin *= 1.3) {
    collide(&a, &b, margin, &kit->out);
    assert_non_null(least(&kit->out));
    CHECK_NEAR(least(&kit->out)->gap, 0.05, 1e-12);
    CHECK_NEAR(least(&kit->out)->normal.x, 1.0, 1e-12);
  }
}

// --- against the slow distance
// -----------------------------------------------------------------------------------------

static void the_least_gap_is_the_distance(void** state) {
  Kit* kit = *state;
  ChShape shapes[KINDS];
  for (int k = 0; k < KINDS; ++k) shapes[k] = solid(kit, k);
  ChRandom r = ch_random_seeded(5);
  const double margin = 0.08;
  int met = 0;
  for (int trial = 0; trial < 600; ++trial) {
    const ChShape *s = &shapes[trial % KINDS], *t = &shapes[trial / KINDS % KINDS];
    ChPosed a = posed(s, ch_random_frame(&r)), b = posed(t, ch_random_frame(&r));
    b.frame.at = ch_along(a.frame.at, ch_random_uniform(&r, 0.5, 1.2), ch_unit(ch_random_in_cube(&r, 1.0)));
    if (ch_slow_surfaces_meet(s->mesh, a.frame, t->mesh, b.frame)) continue;
    double slow = ch_slow_surfaces(s->mesh, a.frame, t->mesh, b.frame, margin);
    collide(&a, &b, margin, &kit->out);
    if (!(slow < margin)) {
      for (int i = 0; i < kit->out.count; ++i) assert_true(kit->out.points[i].gap > margin - 1e-9);
      continue;
    }
    ++met;
    assert_non_null(least(&kit->out));
    CHECK_NEAR(least(&kit->out)->gap, slow, 1e-8);  // the sections stop where squares are rounded
  }
  assert_true(met > 60);
}

// Pushed together along the normal of their least gap until it is -depth, surfaces overlap by the depth, along that
// normal: where a face or two edges meet, it is the same pair of features.
static void a_small_overlap_has_the_depth_that_it_was_made_with(void** state) {
  Kit* kit = *state;
  ChShape shapes[KINDS];
  for (int k = 0; k < KINDS; ++k) shapes[k] = solid(kit, k);
  ChRandom r = ch_random_seeded(9);
  int met = 0;
  for (int trial = 0; trial < 6000; ++trial) {
    ChPosed a = posed(&shapes[trial % KINDS], ch_random_frame(&r)),
            b = posed(&shapes[trial / KINDS % KINDS], ch_random_frame(&r));
    b.frame.at = ch_along(a.frame.at, ch_random_uniform(&r, 0.5, 1.2), ch_unit(ch_random_in_cube(&r, 1.0)));
    if (ch_slow_surfaces_meet(a.shape->mesh, a.frame, b.shape->mesh, b.frame)) continue;
    collide(&a, &b, 0.08, &kit->out);
    if (!least(&kit->out) || least(&kit->out)->key >> 60 > 2) continue;  // a corner with an edge or a corner
    ChGap first = *least(&kit->out);
    double depth = pow(10.0, ch_random_uniform(&r, -8.0, -4.0));
    a.frame.at = ch_along(a.frame.at, first.gap + depth, first.normal);
    collide(&a, &b, 0.01, &kit->out);
    assert_non_null(least(&kit->out));
    CHECK_NEAR(least(&kit->out)->gap, -depth, 1e-10);
    CHECK_AT_MOST(ch_norm(ch_sub(least(&kit->out)->normal, first.normal)), 1e-9);
    ++met;
  }
  assert_true(met > 150);
}

// Parted by 1e-6 to 1e-2 they have no contact that overlaps, however their features lie.
static void what_is_apart_does_not_overlap(void** state) {
  Kit* kit = *state;
  ChShape shapes[KINDS];
  for (int k = 0; k < KINDS; ++k) shapes[k] = solid(kit, k);
  ChRandom r = ch_random_seeded(21);
  int met = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    ChPosed a = posed(&shapes[trial % KINDS], ch_random_frame(&r)),
            b = posed(&shapes[trial / KINDS % KINDS], ch_random_frame(&r));
    b.frame.at = ch_along(a.frame.at, ch_random_uniform(&r, 0.4, 1.2), ch_unit(ch_random_in_cube(&r, 1.0)));
    if (ch_slow_surfaces_meet(a.shape->mesh, a.frame, b.shape->mesh, b.frame)) continue;
    collide(&a, &b, 0.2, &kit->out);
    if (!least(&kit->out)) continue;
    ++met;
    assert_true(least(&kit->out)->gap > 0.0);
    ChGap first = *least(&kit->out);
    a.frame.at = ch_along(a.frame.at, first.gap - pow(10.0, ch_random_uniform(&r, -6.0, -2.0)), first.normal);
    if (ch_slow_surfaces_meet(a.shape->mesh, a.frame, b.shape->mesh, b.frame)) continue;
    collide(&a, &b, 0.2, &kit->out);
    if (least(&kit->out)) assert_true(least(&kit->out)->gap > 0.0);
  }
  assert_true(met > 600);
}

// Surfaces that went through each other have a contact that says so, far from exact as its depth may be.
static void what_went_through_is_seen(void** state) {
  Kit* kit = *state;
  ChShape shapes[KINDS];
  for (int k = 0; k < KINDS; ++k) shapes[k] = solid(kit, k);
  ChRandom r = ch_random_seeded(33);
  int met = 0, seen = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    ChPosed a = posed(&shapes[trial % KINDS], ch_random_frame(&r)),
            b = posed(&shapes[trial / KINDS % KINDS], ch_random_frame(&r));
    b.frame.at = ch_along(a.frame.at, ch_random_uniform(&r, 0.2, 1.0), ch_unit(ch_random_in_cube(&r, 1.0)));
    if (!ch_slow_surfaces_meet(a.shape->mesh, a.frame, b.shape->mesh, b.frame)) continue;
    collide(&a, &b, 1e-3, &kit->out);
    ++met;
    seen += least(&kit->out) && least(&kit->out)->gap < 0.0;
  }
  assert_true(met > 300);
  CHECK_AT_MOST((double)(met - seen), 0.01 * met);
}

// --- manifolds -------------------------------------------------------------------------------------------------------

// Every point of `out` within `near` is one of `other`.
static void check_points_are_among(const ChManifold* out, const ChManifold* other, double near, double tolerance) {
  for (int i = 0; i < out->count; ++i) {
    double nearest = INFINITY;
    if (out->points[i].gap > near) continue;
    for (int j = 0; j < other->count; ++j)
      nearest = fmin(nearest, ch_norm(ch_sub(out->points[i].point, other->points[j].point)) +
                                  ch_norm(ch_sub(out->points[i].normal, other->points[j].normal)) +
                                  fabs(out->points[i].gap - other->points[j].gap));
    CHECK_AT_MOST(nearest, tolerance);
  }
}

// A box on a box, turned about the vertical and moved along: the corners of the common face, as between two boxes, be
// the surfaces cut into however many triangles.
static void flat_on_flat_has_the_corners_of_the_common_face(void** state) {
  Kit* kit = *state;
  ch_surface_of_cubes(&surface, 3, 2, "######", 1, 0.2);
  ChShape tiled = shape_of(kit, &surface), box = ch_box_shape(kit->arena, ch_vec(0.3, 0.2, 0.1));
  ChShape big = ch_box_shape(kit->arena, ch_vec(0.4, 0.4, 0.1)), meshed = big;
  meshed.type = CH_SHAPE_MESH, meshed.polytope = NULL, meshed.mesh = ch_polytope_surface(kit->arena, big.polytope);
  ChRandom r = ch_random_seeded(3);
  for (int trial = 0; trial < 200; ++trial) {
    double gap = trial % 3 == 0 ? 0.0 : ch_random_uniform(&r, -1e-4, 1e-4);
    ChFrame lower = {ch_vec(0.0, 0.0, 0.0), ch_quat_identity()};
    ChFrame upper = {ch_vec(ch_random_uniform(&r, -0.4, 0.4), ch_random_uniform(&r, -0.4, 0.4), 0.2 + gap),
                     ch_quat_about(ch_axis(2), ch_random_uniform(&r, 0.0, 6.0))};
    ChPosed a = posed(&box, upper), b = posed(&big, lower), c = posed(&tiled, upper), d = posed(&meshed, lower);
    collide(&a, &b, 1e-3, &kit->other);
    collide(&c, &d, 1e-3, &kit->out);
    assert_int_equal(kit->out.count, kit->other.count);
    check_points_are_among(&kit->out, &kit->other, 1.0, 1e-9);
    check_points_are_among(&kit->other, &kit->out, 1.0, 1e-9);
  }
}

// A prism of 16 sides in a hole of 16 sides: every side that faces another within the margin has both of its ends.
static void a_pin_in_a_hole_touches_along_its_length(void** state) {
  Kit* kit = *state;
  enum { N = 16 };
  ChVec3 points[4 * N];
  int cells[24 * N], count = 0;
  const double radii[2] = {0.1005, 0.2}, half[2] = {0.05, 0.1};
  for (int k = 0; k < N; ++k)
    for (int ring = 0; ring < 4; ++ring) {
      double angle = 2.0 * 3.14159265358979323846 * k / N, radius = radii[ring / 2];
      points[ring * N + k] = ch_vec(radius * cos(angle), radius * sin(angle), ring % 2 ? half[0] : -half[0]);
    }
  for (int k = 0; k < N; ++k) {  // inside, outside, below, above
    int n = (k + 1) % N;
    const int quads[4][4] = {{k, N + k, N + n, n},
                             {2 * N + k, 2 * N + n, 3 * N + n, 3 * N + k},
                             {k, n, 2 * N + n, 2 * N + k},
                             {N + k, 3 * N + k, 3 * N + n, N + n}};
    for (int q = 0; q < 4; ++q)
      for (int t = 1; t < 3; ++t)
        cells[count++] = quads[q][0], cells[count++] = quads[q][t], cells[count++] = quads[q][t + 1];
  }
  ChTestSurface* s = &surface;
  s->point_count = 4 * N, s->triangle_count = count / 3;
  memcpy(s->points, points, sizeof points);
  memcpy(s->triangles, cells, (size_t)count * sizeof *cells);
  ChShape hole = shape_of(kit, s);
  s->point_count = s->triangle_count = 0;
  for (int k = 0; k < 2 * N + 2; ++k) {
    double angle = 2.0 * 3.14159265358979323846 * k / N, z = k % (2 * N) < N ? -half[1] : half[1];
    s->points[s->point_count++] =
        k < 2 * N ? ch_vec(0.1 * cos(angle), 0.1 * sin(angle), z) : ch_vec(0, 0, k % 2 ? half[1] : -half[1]);
  }
  for (int k = 0; k < N; ++k) {
    int n = (k + 1) % N;
    ch_surface_triangle(s, k, n, N + n);
    ch_surface_triangle(s, k, N + n, N + k);
    ch_surface_triangle(s, 2 * N, n, k);
    ch_surface_triangle(s, 2 * N + 1, N + k, N + n);
  }
  ChShape pin = shape_of(kit, s);
  for (int moved = 0; moved < 2; ++moved) {  // in the middle; lying in the hole
    double clearance = 0.0005 * cos(3.14159265358979323846 / N), drop = moved ? 0.0005 : 0.0;
    ChPosed a = posed(&pin, (ChFrame){ch_vec(0.0, -drop, 0.0), ch_quat_identity()});
    ChPosed b = posed(&hole, (ChFrame){ch_vec(0.0, 0.0, 0.0), ch_quat_identity()});
    collide(&a, &b, 2e-3, &kit->out);
    assert_true(kit->out.count >= 2 * N);
    CHECK_NEAR(least(&kit->out)->gap, moved ? 0.0 : clearance, 1e-9);
    for (int i = 0; i < kit->out.count; ++i) CHECK_NEAR(fabs(kit->out.points[i].point.z), half[0], 1e-9);
  }
}

// --- sheets ----------------------------------------------------------------------------------------------------------

static ChShape sheet(Kit* kit, double half) {
  ChTestSurface* s = &surface;
  s->point_count = s->triangle_count = 0;
  for (int k = 0; k < 4; ++k) s->points[s->point_count++] = ch_vec(k % 2 ? half : -half, k / 2 ? half : -half, 0.0);
  ch_surface_triangle(s, 0, 1, 3);
  ch_surface_triangle(s, 0, 3, 2);
  return shape_of(kit, s);
}

// A cube that stands across the rim of a sheet, above or below it, in it by some rounding: it is held up (or down) and
// nothing pushes it sideways.
static void a_rim_has_no_false_side(void** state) {
  Kit* kit = *state;
  ChShape plate = sheet(kit, 5.0);
  ch_surface_of_cubes(&surface, 1, 1, "#", 1, 0.5);
  ChShape cube = shape_of(kit, &surface);
  for (int below = 0; below < 2; ++below)
    for (int k = -1; k < 2; ++k) {
      double side = below ? -1.0 : 1.0;
      ChPosed a = posed(&cube, (ChFrame){ch_vec(4.9, 0.3, side * (0.25 + 1e-7 * k)), ch_quat_identity()});
      ChPosed b = posed(&plate, (ChFrame){ch_vec(0.0, 0.0, 0.0), ch_quat_identity()});
      collide(&a, &b, 0.01, &kit->out);
      assert_int_equal(kit->out.count, 4);
      for (int i = 0; i < kit->out.count; ++i) {
        CHECK_NEAR(kit->out.points[i].normal.z, -side, 1e-12);
        CHECK_NEAR(kit->out.points[i].gap, 1e-7 * k, 1e-12);
      }
    }
}

// --- motion ----------------------------------------------------------------------------------------------------------

static int mesh_body(ChWorld* world, ChBodyDef body, const ChTestSurface* s) {
  ChShapeDef shape = ch_surface_shape(s);
  return ch_test_body(world, &body, &shape);
}

static ChSimulationOptions options_of(double h) {
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = h;
  options.margin = 2e-3;
  options.solve.tolerance = 1e-10;
  return options;
}

// A mesh of a box slides without friction over a floor of tiles, from seam to seam: it keeps its speed and its way, and
// its reactions find their contacts again at every step.
static void nothing_catches_on_a_seam(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, g, 0.0, 0.0);
  ChBodyDef body = ch_body_def_default();
  ch_surface_of_cubes(&surface, 8, 4, "################################", 1, 0.25);
  body.kind = CH_BODY_FIXED;
  mesh_body(world, body, &surface);
  ch_surface_of_cubes(&surface, 2, 2, "####", 1, 0.1);
  body.kind = CH_BODY_DYNAMIC;
  body.position = ch_vec(-0.7, -0.11, 0.125 + 0.05);
  body.velocity = ch_vec(1.3, 0.2, 0.0);
  int slider = mesh_body(world, body, &surface);
  ChSimulationOptions options = options_of(5e-3);
  ChSimulation* s = ch_test_start(world, &options);
  for (int k = 0; k < 200; ++k) {
    ChStepInfo info = ch_test_step(s);
    assert_int_equal(info.contacts, 4);
    ChBodyView view = ch_simulation_body_at(s, slider);
    CHECK_NEAR(view.velocity.x, 1.3, 1e-9);
    CHECK_NEAR(view.velocity.y, 0.2, 1e-9);
    CHECK_AT_MOST(ch_norm(view.omega), 1e-8);
    CHECK_NEAR(view.position.z, 0.175, 1e-9);
  }
  ch_simulation_destroy(s);
}

// A needle falls past the lip of a table, a hair beside it, within one step from above to below: nothing touches it.
static void what_passes_is_not_in_the_way(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, 0.0, 0.5, 0.0);
  ChBodyDef body = ch_body_def_default();
  ch_surface_of_cubes(&surface, 1, 1, "#", 1, 1.0);
  body.kind = CH_BODY_FIXED;
  mesh_body(world, body, &surface);
  ch_surface_of_cubes(&surface, 1, 1, "#", 1, 0.02);
  for (int k = 0; k < surface.point_count; ++k) surface.points[k].z *= 20.0;
  body.kind = CH_BODY_DYNAMIC;
  body.position = ch_vec(0.5 + 0.01 + 1e-4, 0.1, 0.5 + 0.2 + 0.03);
  body.velocity = ch_vec(0.0, 0.0, -10.0);
  int needle = mesh_body(world, body, &surface);
  ChSimulationOptions options = options_of(1e-2);
  ChSimulation* s = ch_test_start(world, &options);
  for (int k = 0; k < 10; ++k) {
    ch_test_step(s);
    ChBodyView view = ch_simulation_body_at(s, needle);
    CHECK_NEAR(view.velocity.z, -10.0, 1e-9);
    CHECK_NEAR(view.velocity.x, 0.0, 1e-9);
  }
  ch_simulation_destroy(s);
}

// What flies at a thin plate faster than it is thick a step stops on this side of it.
static void a_thin_plate_stops_a_bullet(void** state) {
  (void)state;
  for (int way = 0; way < 2; ++way) {
    ChWorld* world = ch_test_world(3, 0.0, 0.5, 0.0);
    ChBodyDef body = ch_body_def_default();
    ch_surface_of_cubes(&surface, 1, 1, "#", 1, 1.0);
    for (int k = 0; k < surface.point_count; ++k) surface.points[k].z *= 1e-3;
    body.kind = CH_BODY_FIXED;
    mesh_body(world, body, &surface);
    ch_surface_of_ball(&surface, 2);
    for (int k = 0; k < surface.point_count; ++k) surface.points[k] = ch_scale(0.02, surface.points[k]);
    body.kind = CH_BODY_DYNAMIC;
    double side = way ? -1.0 : 1.0;
    body.position = ch_vec(0.1, 0.05, side * 2.5);
    body.velocity = ch_vec(0.0, 0.0, -side * 1000.0);
    int bullet = mesh_body(world, body, &surface);
    ChSimulationOptions options = options_of(1e-2);
    ChSimulation* s = ch_test_start(world, &options);
    for (int k = 0; k < 5; ++k) ch_test_step(s);
    assert_true(side * ch_simulation_body_at(s, bullet).position.z > 0.02);
    ch_simulation_destroy(s);
  }
}

// A heap of meshes: on one thread and on two, with lists that were kept and with new ones, all bits are the same.
static void threads_and_lists_change_nothing(void** state) {
  (void)state;
  ChVec3 at[3][6];
  for (int run = 0; run < 3; ++run) {
    ChWorld* world = ch_test_world(3, g, 0.4, 0.0);
    ch_test_floor(world);
    ChRandom r = ch_random_seeded(2);
    int bodies[6];
    for (int k = 0; k < 6; ++k) {
      ch_surface_of_cubes(&surface, 3, 2, k % 2 ? "####.#" : "######", 1, 0.1);
      ChBodyDef body = ch_body_def_default();
      body.position = ch_vec(0.05 * (k % 2), 0.03 * (k % 3), 0.2 + 0.25 * k);
      body.orientation = ch_quat_about(ch_unit(ch_random_in_cube(&r, 1.0)), ch_random_uniform(&r, 0.0, 3.0));
      bodies[k] = mesh_body(world, body, &surface);
    }
    ChSimulationOptions options = options_of(5e-3);
    options.threads = run == 1 ? 2 : 1;
    ChSimulation* s = ch_test_start(world, &options);
    for (int k = 0; k < 100; ++k) {
      ch_test_step(s);
      if (run == 2) ch_test_set_options(s, &options);
    }
    for (int k = 0; k < 6; ++k) at[run][k] = ch_simulation_body_at(s, bodies[k]).position;
    ch_simulation_destroy(s);
  }
  assert_memory_equal(at[0], at[1], sizeof at[0]);
  assert_memory_equal(at[0], at[2], sizeof at[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(the_nearest_of_contacts_behind_each_other_is_kept, make_kit, drop_kit),
      cmocka_unit_test_setup_teardown(the_least_gap_is_the_distance, make_kit, drop_kit),
      cmocka_unit_test_setup_teardown(a_small_overlap_has_the_depth_that_it_was_made_with, make_kit, drop_kit),
      cmocka_unit_test_setup_teardown(what_is_apart_does_not_overlap, make_kit, drop_kit),
      cmocka_unit_test_setup_teardown(what_went_through_is_seen, make_kit, drop_kit),
      cmocka_unit_test_setup_teardown(flat_on_flat_has_the_corners_of_the_common_face, make_kit, drop_kit),
      cmocka_unit_test_setup_teardown(a_pin_in_a_hole_touches_along_its_length, make_kit, drop_kit),
      cmocka_unit_test_setup_teardown(a_rim_has_no_false_side, make_kit, drop_kit),
      cmocka_unit_test(nothing_catches_on_a_seam),
      cmocka_unit_test(what_passes_is_not_in_the_way),
      cmocka_unit_test(a_thin_plate_stops_a_bullet),
      cmocka_unit_test(threads_and_lists_change_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
