// Contacts of cylinders and ellipsoids: gaps are those of a slow independent reference; flat caps rest on points with
// names, sides on two.
#include <stdlib.h>

#include "collide/pairs.h"
#include "support/near.h"
#include "support/pair_rig.h"
#include "support/random.h"
#include "support/slow_distance.h"

static const double pi = 3.14159265358979323846;

static ChShape cylinder(double radius, double half_length) {
  return (ChShape){.type = CH_SHAPE_CYLINDER, .radius = radius, .half_length = half_length};
}
static ChShape ellipsoid(double x, double y, double z) {
  return (ChShape){.type = CH_SHAPE_ELLIPSOID, .half = ch_vec(x, y, z)};
}
static ChShape capsule(double radius, double half_length) {
  return (ChShape){.type = CH_SHAPE_CAPSULE, .radius = radius, .half_length = half_length};
}
static ChShape sphere(double radius) { return (ChShape){.type = CH_SHAPE_SPHERE, .radius = radius}; }
static ChShape box(Rig* rig, double x, double y, double z) {
  const ChVec3 half = ch_vec(x, y, z);
  return (ChShape){.type = CH_SHAPE_BOX, .half = half, .polytope = ch_polytope_box(rig->arena, half)};
}
static ChShape hull(Rig* rig) {
  const ChVec3 points[] = {{0.6, 0, 0},   {-0.5, 0.1, 0},   {0, 0.7, 0.1},     {0.1, -0.6, 0},
                           {0, 0.1, 0.5}, {0.2, 0.3, -0.6}, {-0.4, -0.3, -0.4}};
  ChPolytope* polytope = NULL;
  CHECK_OK(rig->context, ch_polytope_hull(&rig->context, rig->arena, 7, points, &polytope));
  return (ChShape){.type = CH_SHAPE_HULL, .polytope = polytope};
}

static ChVec3 random_direction(ChRandom* random) { return ch_unit(ch_random_normals(random)); }
static ChFrame random_frame(ChRandom* random, double far) {
  return (ChFrame){ch_scale(far, random_direction(random)),
                   ch_quat_about(random_direction(random), ch_random_uniform(random, -pi, pi))};
}
static ChFrame frame(double x, double y, double z, ChQuat turn) { return (ChFrame){ch_vec(x, y, z), turn}; }

static int collide(Rig* rig, const ChPosed* a, const ChPosed* b, double margin) {
  rig->list.count = 0;
  ch_pair_collide(a, b, margin, &rig->list);
  return rig->list.count;
}

static double least_gap(const Rig* rig) {
  double least = INFINITY;
  for (int k = 0; k < rig->list.count; ++k) least = fmin(least, rig->list.points[k].gap);
  return least;
}

static void check_pair(Rig* rig, const ChPosed* a, const ChPosed* b) {
  const double margin = 0.3;
  const ChSlowGap slow = ch_slow_gap(a, b);
  const int count = collide(rig, a, b, margin);
  if (slow.gap > margin - 1e-6) return;
  assert_true(count > 0);
  const ChVec3 n = rig->list.points[0].normal;
  CHECK_NEAR(ch_norm(n), 1.0, 1e-13);
  CHECK_NEAR(least_gap(rig), slow.gap, 1e-9 + slow.slack);
  CHECK_NEAR(ch_slow_separation(a, b, n), least_gap(rig), 1e-9);
}

static const double gaps[] = {0.0, 1e-12, -1e-12, 1e-9, -1e-9, 1e-6, -1e-6, 1e-3, -1e-3, 0.1, -0.05, -0.15};
enum { GAPS = sizeof gaps / sizeof gaps[0] };

static void smooth_shapes_have_the_gap_of_the_reference(void** state) {
  Rig* rig = *state;
  ChRandom random = ch_random_seeded(12);
  const ChShape shapes[] = {cylinder(0.4, 0.6), ellipsoid(0.7, 0.4, 0.5), cylinder(0.6, 0.1), capsule(0.3, 0.4),
                            sphere(0.5),        box(rig, 0.5, 0.4, 0.3),  hull(rig)};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 7; ++j)
      for (int k = (i + j) % 3; k < GAPS; k += 3) {
        const ChPosed a = ch_posed(&shapes[i], random_frame(&random, 0.1));
        ChPosed b = ch_posed(&shapes[j], random_frame(&random, 4.0));
        const ChSlowGap far = ch_slow_gap(&a, &b);
        b.frame.at = ch_along(b.frame.at, gaps[k % GAPS] - far.gap, far.normal);
        check_pair(rig, &a, &b);
      }
}

static void half_spaces_meet_the_lowest_point(void** state) {
  Rig* rig = *state;
  ChRandom random = ch_random_seeded(13);
  const ChShape ground = {.type = CH_SHAPE_HALFSPACE, .normal = ch_vec(0, 0.6, 0.8), .offset = 0.2};
  const ChShape shapes[] = {cylinder(0.4, 0.6), ellipsoid(0.7, 0.4, 0.5)};
  for (int k = 0; k < 100; ++k) {
    const ChPosed a = ch_posed(&shapes[k % 2], random_frame(&random, 1.0));
    const ChPosed b = ch_posed(&ground, frame(0.1, 0.2, 0.3, ch_quat_about(ch_axis(0), 0.4)));
    assert_true(collide(rig, &a, &b, 10.0) > 0);
    CHECK_NEAR(least_gap(rig), ch_slow_gap(&a, &b).gap, 1e-13);
  }
}

static void check_all_gaps(const Rig* rig, double gap) {
  for (int k = 0; k < rig->list.count; ++k) CHECK_NEAR(rig->list.points[k].gap, gap, 1e-12);
}

// Upright it stands on eight points of its rim, lying on the two ends of a line; on a plane and on a box alike.
static void a_cylinder_stands_on_its_rim_and_lies_on_a_line(void** state) {
  Rig* rig = *state;
  const ChShape ground = {.type = CH_SHAPE_HALFSPACE, .normal = ch_vec(0, 0, 1)}, table = box(rig, 2, 2, 0.5);
  const ChShape drum = cylinder(0.4, 0.6);
  const ChPosed under[] = {ch_posed(&ground, frame(0, 0, 0, ch_quat_identity())),
                           ch_posed(&table, frame(0, 0, -0.5, ch_quat_identity()))};
  for (int k = 0; k < 2; ++k)
    for (int j = -1; j <= 1; ++j) {
      const double gap = 1e-9 * j;
      const ChPosed upright = ch_posed(&drum, frame(0.1, 0.2, 0.6 + gap, ch_quat_about(ch_axis(2), 0.3)));
      assert_int_equal(collide(rig, &upright, &under[k], 1e-4), 8);
      check_all_gaps(rig, gap);
      CHECK_NEAR(rig->list.points[0].normal.z, -1.0, 1e-12);
      const ChPosed lying = ch_posed(&drum, frame(0.1, 0.2, 0.4 + gap, ch_quat_about(ch_axis(1), pi / 2)));
      assert_int_equal(collide(rig, &lying, &under[k], 1e-4), 2);
      check_all_gaps(rig, gap);
      CHECK_NEAR(rig->list.points[0].normal.z, -1.0, 1e-12);
    }
}

static void cylinders_stand_on_each_other_and_lie_side_by_side(void** state) {
  Rig* rig = *state;
  const ChShape drum = cylinder(0.4, 0.6), rod = capsule(0.2, 0.5);
  const ChPosed a = ch_posed(&drum, frame(0, 0, 0, ch_quat_identity()));
  const ChPosed above = ch_posed(&drum, frame(0.05, 0, 1.2, ch_quat_about(ch_axis(2), 0.2)));
  assert_true(collide(rig, &a, &above, 1e-4) >= 8);
  check_all_gaps(rig, 0.0);
  CHECK_NEAR(rig->list.points[0].normal.z, 1.0, 1e-12);
  const ChPosed beside = ch_posed(&drum, frame(0.8 * cos(0.3), 0.8 * sin(0.3), 0.3, ch_quat_identity()));
  assert_int_equal(collide(rig, &a, &beside, 1e-4), 2);
  check_all_gaps(rig, 0.0);
  CHECK_NEAR(rig->list.points[0].normal.x, cos(0.3), 1e-9);
  const ChPosed leaning = ch_posed(&rod, frame(0.6, 0, 0.2, ch_quat_identity()));
  assert_int_equal(collide(rig, &a, &leaning, 1e-4), 2);
  check_all_gaps(rig, 0.0);
  const ChShape wire = capsule(0.0, 0.5);  // an edge of a mesh
  const ChPosed taut = ch_posed(&wire, frame(0.4, 0, 0.2, ch_quat_identity()));
  assert_int_equal(collide(rig, &a, &taut, 1e-4), 2);
  check_all_gaps(rig, 0.0);
}

int main(void) {
#define FACT(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      FACT(smooth_shapes_have_the_gap_of_the_reference),
      FACT(half_spaces_meet_the_lowest_point),
      FACT(a_cylinder_stands_on_its_rim_and_lies_on_a_line),
      FACT(cylinders_stand_on_each_other_and_lie_side_by_side),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
