// Facts about convex shapes on triangle surfaces: a flat mesh is a plane, a mesh of a convex body is that body.
#include <stdlib.h>

#include "base/arena.h"
#include "collide/pairs.h"
#include "model/mesh/mesh.h"
#include "support/near.h"
#include "support/shapes.h"
#include "support/slow_distance.h"

static const double PI = 3.14159265358979323846;

typedef struct Kit {
  ChArena* arena;
  ChContext context;
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

static ChShape mesh_shape(Kit* kit, int vertex_count, const ChVec3* vertices, int cell_count, const int* cells) {
  ChMesh* mesh = NULL;
  CHECK_OK(kit->context,
           ch_mesh_create(&kit->context, kit->arena, vertex_count, vertices, cell_count, cells, 3, &mesh));
  double bound = 0.0;
  for (int i = 0; i < vertex_count; ++i) bound = fmax(bound, ch_norm(vertices[i]));
  return (ChShape){.type = CH_SHAPE_MESH, .mesh = mesh, .bound = bound};
}

// A surface z = height(x, y) over [-2, 2]^2 of n x n squares, two triangles each.
static ChShape terrain(Kit* kit, int n, double (*height)(double x, double y)) {
  ChVec3* vertices = CH_TAKE(kit->arena, (n + 1) * (n + 1), ChVec3);
  int *cells = CH_TAKE(kit->arena, 6 * n * n, int), count = 0;
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i) {
      double x = -2.0 + 4.0 * i / n, y = -2.0 + 4.0 * j / n;
      vertices[j * (n + 1) + i] = ch_vec(x, y, height(x, y));
    }
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      int v = j * (n + 1) + i, corners[] = {v, v + 1, v + n + 2, v, v + n + 2, v + n + 1};
      for (int k = 0; k < 6; ++k) cells[count++] = corners[k];
    }
  return mesh_shape(kit, (n + 1) * (n + 1), vertices, 2 * n * n, cells);
}

// Two floors, one under the other by the height of the box: the box's lower corners over the upper one and its upper
// corners over the lower one have their middles in common. The nearest stays, whichever floor comes first.
static void the_nearest_of_contacts_behind_each_other_is_kept(void** state) {
  Kit* kit = *state;
  const ChShape box = ch_box_shape(kit->arena, ch_vec(0.1, 0.1, 0.1));
  const int cells[12] = {0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7};
  for (int order = 0; order < 2; ++order) {
    ChVec3 corners[8];
    for (int k = 0; k < 8; ++k)
      corners[k] = ch_vec(k % 4 == 1 || k % 4 == 2 ? 2.0 : -2.0, k % 4 < 2 ? -2.0 : 2.0, k / 4 == order ? 0.0 : -0.2);
    ChShape floors = mesh_shape(kit, 8, corners, 4, cells);
    ChPosed a = {.shape = &box, .frame = {ch_vec(0.0, 0.0, 0.15), ch_quat_identity()}};
    ChPosed b = {.shape = &floors, .frame = {ch_vec(0.0, 0.0, 0.0), ch_quat_identity()}};
    a.turn = b.turn = ch_mat_from_quat(ch_quat_identity());
    kit->out.count = 0;
    ch_pair_collide(&a, &b, 1.0, &kit->out);
    double least = INFINITY;
    for (int k = 0; k < kit->out.count; ++k) least = fmin(least, kit->out.points[k].gap);
    CHECK_NEAR(least, 0.05, 1e-12);
  }
}

static double flat(double x, double y) {
  (void)x, (void)y;
  return 0.0;
}
static double slope(double x, double y) { return 0.3 * x - 0.1 * y; }
static double valley(double x, double y) {
  (void)y;
  return fabs(x);
}

static int compare_keys(const void* a, const void* b) {
  const ChGap *x = a, *y = b;
  return (x->key > y->key) - (x->key < y->key);
}

// The same points as those of `other`, whatever their order and keys.
static void check_same_points(const ChManifold* out, const ChManifold* other) {
  assert_int_equal(out->count, other->count);
  for (int i = 0; i < out->count; ++i) {
    double nearest = INFINITY;
    for (int j = 0; j < other->count; ++j)
      nearest = fmin(nearest, ch_norm(ch_sub(out->points[i].point, other->points[j].point)) +
                                  ch_norm(ch_sub(out->points[i].normal, other->points[j].normal)) +
                                  fabs(out->points[i].gap - other->points[j].gap));
    CHECK_AT_MOST(nearest, 1e-12);
  }
}

static void collide(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  out->count = 0;
  ch_pair_collide(a, b, margin, out);
  if (out->count) qsort(out->points, (size_t)out->count, sizeof *out->points, compare_keys);
  for (int i = 1; i < out->count; ++i) assert_true(out->points[i - 1].key != out->points[i].key);
}

// Slides and tumbles shapes over a flat or sloping mesh: exactly the points of the plane, with the keys of the start.
static void check_plane(Kit* kit, double (*height)(double, double), const ChShape* shape, bool resting) {
  ChShape mesh = terrain(kit, 23, height);
  double sx = height(1.0, 0.0) - height(0.0, 0.0), sy = height(0.0, 1.0) - height(0.0, 0.0);
  ChShape plane = ch_space_shape(ch_unit(ch_vec(-sx, -sy, 1.0)), 0.0);
  ChRandom r = ch_random_seeded(3);
  ChPosed pm = ch_posed(&mesh, ch_random_frame(&r)), pp = ch_posed(&plane, pm.frame);
  const double depths[] = {-1e-6, 0.0, 1e-12, 1e-9, 1e-6, 1e-3, 1e-2};  // overlaps, and one that is apart
  for (int trial = 0; trial < 210; ++trial) {
    ChFrame local = ch_random_frame(&r);
    if (resting) local.orientation = ch_quat_about(ch_axis(2), ch_random_uniform(&r, -1.0, 1.0));
    local.at = ch_scale(0.5, local.at);
    ChPosed a = ch_posed(shape, ch_frame_compose(pm.frame, local));
    double up = ch_slow_gap(&pp, &a).gap + depths[trial % 7];
    a.frame.at = ch_along(a.frame.at, -up, ch_rotate(pm.frame.orientation, plane.normal));
    collide(&a, &pp, 0.05, &kit->other);
    collide(&a, &pm, 0.05, &kit->out);
    check_same_points(&kit->out, &kit->other);
  }
}

static ChShape cylinder_shape(double radius, double half_length) {
  double bound = hypot(radius, half_length);
  return (ChShape){.type = CH_SHAPE_CYLINDER, .radius = radius, .half_length = half_length, .bound = bound};
}

static ChShape ellipsoid_shape(ChVec3 half) {
  return (ChShape){.type = CH_SHAPE_ELLIPSOID, .half = half, .bound = fmax(half.x, fmax(half.y, half.z))};
}

static void flat_mesh_is_a_plane(void** state) {
  Kit* kit = *state;
  ChShape sphere = ch_sphere_shape(0.2), capsule = ch_capsule_shape(0.1, 0.3);
  ChShape box = ch_box_shape(kit->arena, ch_vec(0.3, 0.2, 0.1));
  ChShape cylinder = cylinder_shape(0.2, 0.1), egg = ellipsoid_shape(ch_vec(0.3, 0.2, 0.1));
  const ChShape* shapes[] = {&sphere, &capsule, &box, &cylinder, &egg};
  for (int i = 0; i < 5; ++i)
    for (int resting = 0; resting < 2; ++resting) {
      check_plane(kit, flat, shapes[i], resting);
      check_plane(kit, slope, shapes[i], resting);
    }
}

static void keys_stay_while_a_box_slides_over_triangles(void** state) {
  Kit* kit = *state;
  ChShape mesh = terrain(kit, 37, flat), box = ch_box_shape(kit->arena, ch_vec(0.3, 0.2, 0.1));
  ChPosed pm = ch_posed(&mesh, (ChFrame){{0.0, 0.0, 0.0}, ch_quat_identity()});
  uint64_t keys[4];
  for (int step = 0; step < 100; ++step) {
    ChPosed a = ch_posed(&box, (ChFrame){{-1.0 + 0.02 * step, 0.3, 0.1}, ch_quat_about(ch_axis(2), 0.01 * step)});
    collide(&a, &pm, 1e-3, &kit->out);
    assert_int_equal(kit->out.count, 4);
    for (int i = 0; i < 4; ++i) {
      if (step == 0) keys[i] = kit->out.points[i].key;
      assert_true(kit->out.points[i].key == keys[i]);
    }
  }
}

static void ball_in_a_valley_touches_both_sides(void** state) {
  Kit* kit = *state;
  ChShape mesh = terrain(kit, 20, valley), ball = ch_sphere_shape(0.1);
  ChPosed pm = ch_posed(&mesh, (ChFrame){{0.0, 0.0, 0.0}, ch_quat_identity()});
  ChPosed a = ch_posed(&ball, (ChFrame){{0.0, 0.13, 0.1 * sqrt(2.0)}, ch_quat_identity()});
  collide(&a, &pm, 1e-3, &kit->out);
  assert_int_equal(kit->out.count, 2);
  for (int i = 0; i < 2; ++i) {
    CHECK_NEAR(kit->out.points[i].gap, 0.0, 1e-15);
    CHECK_NEAR(fabs(kit->out.points[i].normal.x), sqrt(0.5), 1e-15);
  }
}

// A closed box as a mesh, faces outward.
static ChShape mesh_of_box(Kit* kit, ChVec3 h) {
  ChVec3 v[8];
  for (int i = 0; i < 8; ++i) v[i] = ch_vec(i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z);
  static const int cells[] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                              2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
  return mesh_shape(kit, 8, v, 12, cells);
}

// Apart or touching, the closest point of a mesh of a box is that of the box. Overlaps are those of the features that
// overlap, of the same size.
static void check_mesh_of_box(Kit* kit, const ChShape* shape, double tolerance, double seed) {
  ChVec3 half = ch_vec(0.5, 0.4, 0.3);
  ChShape mesh = mesh_of_box(kit, half), box = ch_box_shape(kit->arena, half);
  ChRandom r = ch_random_seeded(seed);
  static const double gaps[] = {0.0, 1e-9, -1e-9, 1e-6, -1e-6, 0.01, 0.04};
  int trials = shape->type == CH_SHAPE_CYLINDER || shape->type == CH_SHAPE_ELLIPSOID ? 50 : 400;  // slow ones
  for (int trial = 0; trial < trials; ++trial) {
    ChPosed pm = ch_posed(&mesh, ch_random_frame(&r)), pb = ch_posed(&box, pm.frame);
    ChPosed a = ch_posed(shape, ch_random_frame(&r));
    if (trial % 3 == 0) a = ch_posed(shape, (ChFrame){a.frame.at, pm.frame.orientation});
    ChSlowGap slow = ch_slow_gap(&a, &pb);
    double gap = gaps[trial % 7];
    a.frame.at = ch_along(a.frame.at, slow.gap - gap, slow.normal);
    slow = ch_slow_gap(&a, &pb);
    collide(&a, &pm, 0.05, &kit->out);
    assert_true(kit->out.count > 0);
    const ChGap* best = &kit->out.points[0];
    for (int i = 1; i < kit->out.count; ++i)
      if (kit->out.points[i].gap < best->gap) best = &kit->out.points[i];
    double least = best->gap, room = tolerance + slow.slack;  // curved shapes that touch are hard for the reference too
    if (gap >= 0.0) CHECK_NEAR(least, slow.gap, room);
    if (gap < 0.0) CHECK_NEAR(least, slow.gap, room + fabs(slow.gap));
    CHECK_AT_MOST(slow.gap - ch_slow_separation(&a, &pb, best->normal), room + 1e-7 + 2.0 * fabs(fmin(gap, 0.0)));
  }
}

static void mesh_of_a_box_is_the_box(void** state) {
  Kit* kit = *state;
  ChShape sphere = ch_sphere_shape(0.3), capsule = ch_capsule_shape(0.1, 0.5);
  ChShape box = ch_box_shape(kit->arena, ch_vec(0.3, 0.2, 0.6));
  ChShape cylinder = cylinder_shape(0.2, 0.3), egg = ellipsoid_shape(ch_vec(0.5, 0.3, 0.2));
  check_mesh_of_box(kit, &sphere, 2e-9, 1);
  check_mesh_of_box(kit, &capsule, 2e-9, 2);
  check_mesh_of_box(kit, &box, 2e-9, 3);
  // Among these, corners of the box touch the cylinder's rim, where its normals are an arc.
  for (int seed = 4; seed <= 24; seed += 10) check_mesh_of_box(kit, &cylinder, 1e-8, seed);
  check_mesh_of_box(kit, &cylinder, 1e-8, 12);
  check_mesh_of_box(kit, &egg, 2e-9, 5);
}

// Leaning against a wall, a hair inside it, a tall box is pushed out of the wall and not up by its top.
static void wall_does_not_lift_what_leans_on_it(void** state) {
  Kit* kit = *state;
  ChShape wall = mesh_of_box(kit, ch_vec(0.05, 1.0, 0.2)), box = ch_box_shape(kit->arena, ch_vec(0.3, 0.3, 1.0));
  ChPosed pm = ch_posed(&wall, (ChFrame){{-0.05, 0.0, 0.2}, ch_quat_identity()});
  for (int k = 0; k < 3; ++k) {
    ChPosed a = ch_posed(&box, (ChFrame){{0.3 - 1e-6 * k, 0.0, 1.0}, ch_quat_identity()});
    collide(&a, &pm, 1e-3, &kit->out);
    assert_int_equal(kit->out.count, 4);
    for (int i = 0; i < 4; ++i) {
      CHECK_NEAR(kit->out.points[i].normal.x, -1.0, 1e-12);
      CHECK_NEAR(kit->out.points[i].gap, -1e-6 * k, 1e-15);
    }
  }
}

// A box beside a longer slab of the same height, tops and bottoms in one plane up to rounding: edges touch along their
// length, and rounding says on which side. However it falls out, nothing is deeper than the offset itself.
static void flush_edges_do_not_push_through_the_box(void** state) {
  Kit* kit = *state;
  static const double offsets[] = {-1e-9, -3e-12, -1e-12, -4e-13, 0.0, 4e-13, 1e-12, 3e-12, 1e-9};
  for (int way = 0; way < 4; ++way) {
    ChVec3 up = ch_axis(1 + way / 2), across = ch_axis(2 - way / 2), aside = way % 2 ? ch_neg(across) : across;
    ChVec3 half = ch_along(ch_scale(0.3, across), 0.1, up);
    ChShape slab = mesh_of_box(kit, ch_along(half, 2.0, ch_axis(0)));
    ChShape box = ch_box_shape(kit->arena, ch_along(half, 0.3, ch_axis(0)));
    ChPosed pm = ch_posed(&slab, (ChFrame){ch_scale(-0.3, aside), ch_quat_identity()});
    for (int trial = 0; trial < 9 * 9; ++trial) {
      ChVec3 at = ch_along(ch_scale(0.3 + offsets[trial % 9], aside), offsets[trial / 9], up);
      ChPosed a = ch_posed(&box, (ChFrame){at, ch_quat_identity()});
      collide(&a, &pm, 1e-3, &kit->out);
      assert_true(kit->out.count >= 4);
      for (int i = 0; i < kit->out.count; ++i) CHECK_AT_MOST(fabs(kit->out.points[i].gap), 2e-9);
    }
  }
}

// A plank that sticks out over a table's edge touches it along the edge too: two corners and two points of the edge.
static void plank_over_an_edge_touches_the_edge(void** state) {
  Kit* kit = *state;
  ChShape table = mesh_of_box(kit, ch_vec(1.0, 1.0, 0.5)), plank = ch_box_shape(kit->arena, ch_vec(0.5, 0.1, 0.02));
  ChPosed pm = ch_posed(&table, (ChFrame){{0.0, 0.0, -0.5}, ch_quat_identity()});
  ChPosed a = ch_posed(&plank, (ChFrame){{0.8, 0.1, 0.02}, ch_quat_about(ch_axis(2), 0.1)});
  collide(&a, &pm, 1e-3, &kit->out);
  assert_int_equal(kit->out.count, 4);
  int on_edge = 0;
  for (int i = 0; i < 4; ++i) {
    CHECK_NEAR(kit->out.points[i].gap, 0.0, 1e-15);
    CHECK_NEAR(kit->out.points[i].normal.z, -1.0, 1e-12);
    on_edge += fabs(kit->out.points[i].point.x - 1.0) < 1e-12;
  }
  assert_int_equal(on_edge, 2);
}

// From below an open sheet nothing is seen: its outside is above.
static void open_sheet_has_one_side(void** state) {
  Kit* kit = *state;
  ChShape sheet = terrain(kit, 4, flat), ball = ch_sphere_shape(0.1);
  ChPosed pm = ch_posed(&sheet, (ChFrame){{0.0, 0.0, 0.0}, ch_quat_about(ch_axis(0), PI)});
  ChPosed a = ch_posed(&ball, (ChFrame){{0.11, 0.07, 0.1}, ch_quat_identity()});
  collide(&a, &pm, 1e-3, &kit->out);
  assert_int_equal(kit->out.count, 0);
}

int main(void) {
#define WITH_KIT(name) cmocka_unit_test_setup_teardown(name, make_kit, drop_kit)
  const struct CMUnitTest tests[] = {
      WITH_KIT(the_nearest_of_contacts_behind_each_other_is_kept),
      WITH_KIT(flat_mesh_is_a_plane),
      WITH_KIT(keys_stay_while_a_box_slides_over_triangles),
      WITH_KIT(ball_in_a_valley_touches_both_sides),
      WITH_KIT(mesh_of_a_box_is_the_box),
      WITH_KIT(wall_does_not_lift_what_leans_on_it),
      WITH_KIT(flush_edges_do_not_push_through_the_box),
      WITH_KIT(plank_over_an_edge_touches_the_edge),
      WITH_KIT(open_sheet_has_one_side),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
