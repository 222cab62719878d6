// Facts about pairs of round shapes, polytopes and half-spaces: over random poses, deep and grazing, they agree with a
// slow reference that shares no code with them.
#include <stdlib.h>

#include "base/arena.h"
#include "collide/pairs.h"
#include "support/near.h"
#include "support/random.h"
#include "support/shapes.h"
#include "support/slow_distance.h"

// --- shapes and poses ------------------------------------------------------------------------------------------------

typedef struct Kit {
  ChArena* arena;
  ChContext context;
  ChShape sphere, capsule, rod, box, plate, hull, space;
} Kit;

static int make_kit(void** state) {
  Kit* kit = calloc(1, sizeof *kit);
  kit->arena = ch_arena_create(NULL);
  kit->sphere = ch_sphere_shape(0.4);
  kit->capsule = ch_capsule_shape(0.2, 0.5);
  kit->rod = ch_capsule_shape(0.01, 1.0);
  kit->box = ch_box_shape(kit->arena, ch_vec(0.3, 0.5, 0.8));
  kit->plate = ch_box_shape(kit->arena, ch_vec(0.7, 0.5, 0.01));
  ChRandom random = ch_random_seeded(5);
  ChVec3 points[20];
  for (int i = 0; i < 20; ++i) points[i] = ch_unit(ch_random_normals(&random));
  ChPolytope* hull;
  if (ch_polytope_hull(&kit->context, kit->arena, 20, points, &hull) != CH_OK) return -1;
  kit->hull = ch_polytope_shape(CH_SHAPE_HULL, hull);
  kit->space = ch_space_shape(ch_unit(ch_vec(1.0, 2.0, -1.5)), 0.3);
  *state = kit;
  return 0;
}

static int drop_kit(void** state) {
  Kit* kit = *state;
  ch_arena_destroy(kit->arena);
  free(kit);
  return 0;
}

// Also axis-parallel ones: faces and edges that are exactly parallel.
static ChFrame random_or_upright(ChRandom* r, int trial) {
  ChFrame frame = ch_random_frame(r);
  if (trial % 3 == 1) frame.orientation = ch_quat_identity();
  if (trial % 3 == 2)
    frame.orientation = ch_quat_about(ch_axis(trial / 3 % 3), 0.5 * 3.14159265358979323846 + (trial % 2 ? 1e-5 : 0.0));
  return frame;
}

// --- every pair against the reference --------------------------------------------------------------------------------

static double size_of(const ChPosed* a, const ChPosed* b) {
  double sum = 0.0;
  if (isfinite(a->shape->bound)) sum += a->shape->bound;
  if (isfinite(b->shape->bound)) sum += b->shape->bound;
  return sum;
}

// The points of both shapes that a listed point speaks of belong to them; where they are closest, to their surfaces.
static void check_surfaces(bool closest, const ChPosed* a, const ChPosed* b, const ChGap* point, double tolerance) {
  ChShape dot = ch_sphere_shape(0.0);
  for (int side = 0; side < 2; ++side) {
    const ChPosed* shape = side ? b : a;
    ChFrame at = {ch_along(point->point, side ? 0.5 * point->gap : -0.5 * point->gap, point->normal),
                  ch_quat_identity()};
    ChPosed probe = ch_posed(&dot, at);
    double outside = ch_slow_gap(&probe, shape).gap;
    CHECK_AT_MOST(closest ? fabs(outside) : outside, tolerance);
  }
}

// Radius of what is round in a pair: up to that depth the cores are apart.
static double round_radius(const ChPosed* a, const ChPosed* b) { return a->shape->radius + b->shape->radius; }

static void check_pair(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  double size = size_of(a, b), tolerance = 1e-9 * size;
  ChSlowGap slow = ch_slow_gap(a, b);
  assert_true(slow.slack <= 1e-10 * size);
  out->count = 0;
  ch_pair_collide(a, b, margin, out);
  if (slow.gap > margin + tolerance) assert_int_equal(out->count, 0);
  if (slow.gap < margin - tolerance) assert_true(out->count > 0);
  int deepest = 0;
  for (int i = 0; i < out->count; ++i) {
    const ChGap* point = &out->points[i];
    if (point->gap < out->points[deepest].gap) deepest = i;
    CHECK_AT_MOST(point->gap, margin);
    CHECK_NEAR(ch_norm(point->normal), 1.0, 1e-12);
    if (slow.gap > -0.99 * round_radius(a, b)) check_surfaces(false, a, b, point, tolerance);
    for (int j = 0; j < i; ++j) assert_true(out->points[j].key != point->key);
  }
  if (out->count == 0) return;
  const ChGap* best = &out->points[deepest];
  CHECK_NEAR(best->gap, slow.gap, tolerance);
  if (slow.gap > -0.99 * round_radius(a, b)) check_surfaces(true, a, b, best, tolerance);
  // The normal is one along which the gap is attained.
  if (b->shape->type != CH_SHAPE_HALFSPACE && a->shape->type != CH_SHAPE_HALFSPACE)
    CHECK_NEAR(ch_slow_separation(a, b, best->normal), slow.gap, tolerance);
  else
    CHECK_AT_MOST(ch_norm(ch_sub(best->normal, slow.normal)), 1e-12);
}

static void check_swapped(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out, ChManifold* turned) {
  turned->count = 0;
  ch_pair_collide(b, a, margin, turned);
  assert_int_equal(turned->count, out->count);
  for (int i = 0; i < out->count; ++i) {
    double nearest = INFINITY;
    for (int j = 0; j < out->count; ++j)
      nearest = fmin(nearest, ch_norm(ch_sub(out->points[i].point, turned->points[j].point)) +
                                  ch_norm(ch_add(out->points[i].normal, turned->points[j].normal)));
    CHECK_AT_MOST(nearest, 1e-7);
  }
}

// The same features touch after a motion of a billionth.
static void check_keys(const ChPosed* a, const ChPosed* b, double margin, ChRandom* r, ChManifold* out,
                       ChManifold* moved) {
  ChFrame frame = a->frame;
  frame.at = ch_along(frame.at, 1e-9, ch_random_frame(r).at);
  ChPosed next = ch_posed(a->shape, frame);
  moved->count = 0;
  ch_pair_collide(&next, b, margin, moved);
  for (int i = 0; i < out->count; ++i) {
    if (out->points[i].gap > margin - 1e-8) continue;
    bool found = false;
    for (int j = 0; j < moved->count; ++j) found = found || moved->points[j].key == out->points[i].key;
    assert_true(found);
  }
}

// Random poses: as they are (deep, apart), and moved along the normal to gaps about zero.
static void fuzz(const ChShape* a, const ChShape* b, double seed) {
  static const double gaps[] = {0.0, 1e-12, -1e-12, 1e-9, -1e-9, 1e-6, -1e-6, 1e-3, -1e-3, 0.04, -0.1};
  const int gap_count = sizeof gaps / sizeof *gaps;
  ChRandom r = ch_random_seeded(seed);
  ChManifold out = {0}, other = {0};
  for (int trial = 0; trial < 240; ++trial) {
    ChPosed pa = ch_posed(a, random_or_upright(&r, trial)), pb = ch_posed(b, ch_random_frame(&r));
    if (trial % 2) pb.frame.orientation = pa.frame.orientation;
    pb = ch_posed(b, pb.frame);
    if (trial % 4) {
      ChSlowGap slow = ch_slow_gap(&pa, &pb);
      pa.frame.at = ch_along(pa.frame.at, slow.gap - gaps[trial % gap_count], slow.normal);
    }
    check_pair(&pa, &pb, 0.05, &out);
    check_swapped(&pa, &pb, 0.05, &out, &other);
    if (trial % 2 == 0 && trial % 3 == 0) check_keys(&pa, &pb, 0.05, &r, &out, &other);
  }
  free(out.points);
  free(other.points);
}

#define FUZZ(name, a, b, seed)      \
  static void name(void** state) {  \
    const Kit* kit = *state;        \
    fuzz(&kit->a, &kit->b, (seed)); \
  }
FUZZ(sphere_and_sphere, sphere, sphere, 1)
FUZZ(sphere_and_capsule, sphere, capsule, 2)
FUZZ(sphere_and_box, sphere, box, 3)
FUZZ(sphere_and_plate, sphere, plate, 4)
FUZZ(sphere_and_hull, sphere, hull, 5)
FUZZ(sphere_and_halfspace, sphere, space, 6)
FUZZ(capsule_and_capsule, capsule, capsule, 7)
FUZZ(capsule_and_rod, capsule, rod, 8)
FUZZ(capsule_and_box, capsule, box, 9)
FUZZ(rod_and_box, rod, box, 10)
FUZZ(rod_and_plate, rod, plate, 11)
FUZZ(capsule_and_hull, capsule, hull, 12)
FUZZ(capsule_and_halfspace, capsule, space, 13)
FUZZ(box_and_halfspace, box, space, 14)
FUZZ(hull_and_halfspace, hull, space, 15)

int main(void) {
#define WITH_KIT(name) cmocka_unit_test_setup_teardown(name, make_kit, drop_kit)
  const struct CMUnitTest tests[] = {
      WITH_KIT(sphere_and_sphere),     WITH_KIT(sphere_and_capsule), WITH_KIT(sphere_and_box),
      WITH_KIT(sphere_and_plate),      WITH_KIT(sphere_and_hull),    WITH_KIT(sphere_and_halfspace),
      WITH_KIT(capsule_and_capsule),   WITH_KIT(capsule_and_rod),    WITH_KIT(capsule_and_box),
      WITH_KIT(rod_and_box),           WITH_KIT(rod_and_plate),      WITH_KIT(capsule_and_hull),
      WITH_KIT(capsule_and_halfspace), WITH_KIT(box_and_halfspace),  WITH_KIT(hull_and_halfspace),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
